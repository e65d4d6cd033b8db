//! What bounds a run: the resource that most of its critical path goes to, and how far the run is from the least that it could take.
//!
//! It must never name a resource that the path does not show. Start at [`bound`].

use std::collections::BTreeMap;

use tileproof_model::arch::Arch;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::timeline::{CoreTimeline, Doing, FarEnd, LaunchTimeline};
use tileproof_model::wording::{cb_name, count};

use crate::path::Path;
use crate::resource::Resource;

/// What a launch is bound by.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    /// The resource that most of the critical path goes to. Where two threads take turns at a buffer, [`Resource::Credits`].
    pub resource: Resource,
    /// The circular buffer at which two take turns.
    pub turns_at: Option<u32>,
    /// One sentence.
    pub sentence: String,
    /// Least cycles by what needs them, the most first.
    pub floors: Vec<Floor>,
}

/// The least that a launch takes on one resource: what keeps it busy where it is busiest.
#[derive(Clone, PartialEq, Debug)]
pub struct Floor {
    /// The resource.
    pub resource: Resource,
    /// Cycles.
    pub cycles: u64,
    /// Where: a core, a thread, or a DRAM bank.
    pub place: String,
}

/// Part of the waits for room in a buffer from which on its two sides take turns.
const TURNS: f64 = 0.5;
/// Fewer turns are a beginning or an end.
const LEAST_TURNS: u64 = 3;

/// What bounds a launch whose critical path is known; `None` where nothing was recorded.
pub fn bound(arch: Arch, launch: &LaunchTimeline, path: &Path) -> Option<Bound> {
    let spent = path.spent();
    let all: u64 = spent.values().sum();
    let (top, cycles) = spent.iter().max_by_key(|(_, cycles)| **cycles).map(|(top, cycles)| (*top, *cycles))?;
    let floors = floors(arch, launch);
    let turns_at = turns(launch, path);
    let resource = if turns_at.is_some() { Resource::Credits } else { top };
    let mut sentence = match turns_at {
        Some(at) => taking_turns(launch, path, at),
        None => format!(
            "Bound by {}{}: {} of the {} cycles on the critical path.",
            top.name(),
            whose(launch, path, top),
            percent(cycles as f64 / all.max(1) as f64),
            grouped(all)
        ),
    };
    if let Some(floor) = floors.first().filter(|floor| floor.cycles > 0) {
        let times = launch.cycles as f64 / floor.cycles as f64;
        let (busy, all) = (grouped(floor.cycles), grouped(launch.cycles));
        let (name, place) = (floor.resource.name(), &floor.place);
        let of_least = format!("{times:.2} times the least that this work takes there");
        sentence += &if resource == floor.resource {
            format!(" It is busy for {busy} of {all} cycles at {place}: {of_least}.")
        } else if times < 1.1 {
            format!(" What is busiest, {name} at {place}, is so for {busy} of {all} cycles: {of_least}.")
        } else {
            format!(
                " If nothing waited, {name} at {place} would need {busy} cycles for this work: the run takes {times:.1} times that."
            )
        };
    }
    Some(Bound { resource, turns_at: turns_at.map(|(_, cb)| cb), sentence, floors })
}

/// The core and the buffer at which two threads take turns, if there is one: the path goes again and again from who waits for room to
/// who makes it.
fn turns(launch: &LaunchTimeline, path: &Path) -> Option<(usize, u32)> {
    let ((core, cb), turns) = path.turns.iter().max_by_key(|(_, turns)| **turns)?;
    let calls = launch.cores[*core].totals.iter();
    let reserves = calls.filter(|total| total.doing == Doing::ReserveBack && total.of == *cb);
    let reserves: u64 = reserves.map(|total| total.calls).sum();
    (*turns >= LEAST_TURNS && *turns as f64 >= TURNS * reserves as f64).then_some((*core, *cb))
}

fn taking_turns(launch: &LaunchTimeline, path: &Path, (number, cb): (usize, u32)) -> String {
    let core = &launch.cores[number];
    let caller = |doing: Doing| {
        let calls = core.totals.iter().filter(|total| total.doing == doing && total.of == cb);
        calls.max_by_key(|total| total.calls).map_or("nobody", |total| total.thread.name())
    };
    let pages = core.buffers.iter().find(|buffer| buffer.cb == cb).map_or(0, |buffer| buffer.pages());
    format!(
        "Bound by credits of {}: it holds {}, and {} and {} take turns at it, {} times on the critical path.",
        cb_name(cb),
        count(pages.into(), "page"),
        caller(Doing::Push),
        caller(Doing::Pop),
        path.turns[&(number, cb)]
    )
}

/// Whose work on a resource the path shows most of: the thread, and the tensor of transfers.
fn whose(launch: &LaunchTimeline, path: &Path, resource: Resource) -> String {
    let mut by: BTreeMap<(Thread, u32), u64> = BTreeMap::new();
    for step in path.steps.iter().filter(|step| step.resource == resource) {
        *by.entry((step.thread, step.tensor)).or_default() += step.to - step.from;
    }
    let Some(((thread, tensor), _)) = by.into_iter().max_by_key(|(_, cycles)| *cycles) else { return String::new() };
    let is_unit = matches!(resource, Resource::Unpack | Resource::Fpu | Resource::Sfpu | Resource::Pack);
    match launch.tensors.get(tensor as usize) {
        Some(tensor) => format!(", {tensor} on {thread}"),
        None if is_unit => String::new(),
        None => format!(", {thread}"),
    }
}

/// The least cycles that each resource needs for the work of a launch, the most first.
fn floors(arch: Arch, launch: &LaunchTimeline) -> Vec<Floor> {
    let mut most: BTreeMap<Resource, (u64, String)> = BTreeMap::new();
    let mut tell = |resource: Resource, cycles: u64, place: String| {
        if cycles == 0 {
            return;
        }
        let entry = most.entry(resource).or_default();
        if cycles > entry.0 {
            *entry = (cycles, place);
        }
    };
    let mut banks: BTreeMap<u32, u64> = BTreeMap::new();
    for core in &launch.cores {
        of_core(core, &mut tell);
        for traffic in &core.traffic {
            if let FarEnd::Dram(bank) = traffic.far {
                *banks.entry(bank).or_default() += traffic.bytes;
            }
        }
    }
    // All cores share a bank.
    let per_cycle = arch.constants().cycles.dram_bank_bytes;
    for (bank, bytes) in banks {
        tell(Resource::DramBandwidth, bytes.div_ceil(per_cycle), format!("DRAM bank {bank}"));
    }
    let floor = |(resource, (cycles, place))| Floor { resource, cycles, place };
    let mut floors: Vec<Floor> = most.into_iter().map(floor).collect();
    floors.sort_by_key(|floor| std::cmp::Reverse(floor.cycles));
    floors
}

fn of_core(core: &CoreTimeline, tell: &mut impl FnMut(Resource, u64, String)) {
    let coord: CoreCoord = core.coord;
    let mut work: BTreeMap<(Resource, Thread), u64> = BTreeMap::new();
    for total in &core.totals {
        let resource = Resource::of(total.doing);
        // What is no work of its own is no floor.
        if !matches!(resource, Resource::Credits | Resource::Signals | Resource::OwnCode | Resource::Configure) {
            *work.entry((resource, total.thread)).or_default() += total.took;
        }
    }
    for ((resource, thread), cycles) in work {
        let is_unit = !matches!(resource, Resource::NocIssue | Resource::L1);
        let place = if is_unit { format!("core {coord}") } else { format!("core {coord}, {thread}") };
        tell(resource, cycles, place);
    }
    let mut ports: BTreeMap<(Resource, u8, Thread), u64> = BTreeMap::new();
    for traffic in &core.traffic {
        let (_, bandwidth) = Resource::of_transfer(traffic.far);
        *ports.entry((bandwidth, traffic.noc, traffic.thread)).or_default() += traffic.busy;
    }
    for ((resource, noc, thread), cycles) in ports {
        tell(resource, cycles, format!("core {coord}, NoC {noc} of {thread}"));
    }
}

/// "38 %"; what is there and rounds to nothing is "under 1 %".
pub fn percent(share: f64) -> String {
    if share > 0.0 && share < 0.005 { "under 1 %".into() } else { format!("{:.0} %", 100.0 * share) }
}

/// A number with a comma every three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
