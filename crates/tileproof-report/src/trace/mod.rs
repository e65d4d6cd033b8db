//! A timeline as a trace that the Perfetto UI opens: a process a core, a track a thread and a unit, a counter a circular buffer and
//! a semaphore, arrows from what was pushed to who waited for it.
//!
//! It shows what was recorded and must never work out a figure of its own. Start at [`trace`].

mod arrows;
mod packets;
mod pieces;
mod proto;

use std::collections::BTreeMap;

use tileproof_model::finding::Finding;
use tileproof_model::thread::Thread;
use tileproof_model::timeline::{
    Call, CallPlace, CoreTimeline, Doing, FarEnd, LaunchTimeline, Timeline, Transfer, Unit,
};
use tileproof_model::wording::cb_name;
use tileproof_timing::levels::levels;

use crate::outside::visible;
use arrows::Arrows;
use packets::{Begin, Packets, Track};
use pieces::{Piece, are_together, pieces};

/// The tracks of a core, made once and kept over launches.
struct Tracks {
    process: Track,
    pid: u64,
    threads: BTreeMap<Thread, Track>,
    units: BTreeMap<Unit, Track>,
    ports: BTreeMap<(u8, Thread), Track>,
    counters: BTreeMap<String, Track>,
}

/// The trace of a run, and what was found in it.
pub fn trace(timeline: &Timeline, findings: &[Finding]) -> Vec<u8> {
    let mut packets = Packets::default();
    let whole = packets.slices(None, "launches (a nanosecond is a cycle)");
    let mut cores = BTreeMap::new();
    let mut start = 0;
    let mut untold: Vec<&Finding> = findings.iter().collect();
    for (number, launch) in timeline.launches.iter().enumerate() {
        let title = format!("launch {}", number + 1);
        let dropped = [("calls left out", launch.dropped)];
        let numbers = if launch.dropped > 0 { &dropped[..] } else { &[] };
        let slice = Begin { name: &title, category: "launch", numbers, ..Begin::default() };
        packets.slice(whole, (start, start + launch.cycles), &slice);
        for core in &launch.cores {
            let tracks = cores.entry(core.coord).or_insert_with(|| {
                let pid = 1 + u64::from(core.coord.y) * 100 + u64::from(core.coord.x);
                let process = packets.process(pid, &format!("core {}", core.coord));
                Tracks {
                    process,
                    pid,
                    threads: BTreeMap::new(),
                    units: BTreeMap::new(),
                    ports: BTreeMap::new(),
                    counters: BTreeMap::new(),
                }
            });
            let mut shown = Shown { packets: &mut packets, tracks, launch, start, together: are_together(launch) };
            shown.core(core);
            // A finding is told in the launch in which its line was run first.
            untold.retain(|finding| !shown.finding(core, finding));
        }
        start += launch.cycles;
    }
    for finding in untold {
        let text = visible(&finding.message);
        let name = format!("{}: {text}", finding.code);
        packets.instant(whole, 0, &Begin { name: &name, category: "finding", ..Begin::default() });
    }
    packets.into_bytes()
}

/// A launch of a core on its way into the trace.
struct Shown<'a> {
    packets: &'a mut Packets,
    tracks: &'a mut Tracks,
    launch: &'a LaunchTimeline,
    start: u64,
    /// Calls between two waits are drawn together.
    together: bool,
}

impl Shown<'_> {
    fn core(&mut self, core: &CoreTimeline) {
        let arrows = Arrows::of(core, &mut || self.packets.flow());
        for piece in pieces(core, &arrows, self.together) {
            self.piece(&piece);
        }
        for stuck in &core.stuck {
            let track = self.thread(stuck.thread);
            let text = visible(&stuck.text);
            let slice =
                Begin { name: &text, category: "stuck", place: file_and_line(&stuck.place), ..Begin::default() };
            let from = self.start + stuck.since;
            self.packets.slice(track, (from, (self.start + self.launch.cycles).max(from + 1)), &slice);
        }
        let together = self.together;
        for transfers in core.transfers.chunk_by(|a, b| together && is_next(a, b)) {
            self.transfers(transfers);
        }
        self.fill_levels(core);
        self.semaphores(core);
    }

    fn thread(&mut self, thread: Thread) -> Track {
        let Tracks { process, pid, threads, .. } = self.tracks;
        let tid = (*pid << 3) + thread as u64;
        *threads.entry(thread).or_insert_with(|| self.packets.thread(*process, (*pid, tid), thread.name()))
    }

    fn piece(&mut self, piece: &Piece) {
        let Piece { first, longest, calls, from, to, leaving, ending } = piece;
        let track = self.thread(first.thread);
        let place = |call: &Call| file_and_line(&self.launch.places[call.place as usize]);
        let (from, to) = (self.start + from, self.start + to);
        if first.waited > 0 {
            let name = format!("wait for {}", first.doing.waits_for(first.of));
            let slice = Begin { name: &name, category: "wait", place: place(first), ..Begin::default() };
            self.packets.slice(track, (self.start + first.start, from), &slice);
        }
        let Call { doing, of, amount, .. } = *longest;
        let category = match doing.unit() {
            Some(_) => "unit",
            None if doing == Doing::Poll => "own code",
            None => "call",
        };
        let name = doing.title(of);
        let numbers = match (calls, amount) {
            (1, 0) => None,
            (1, amount) => Some([(unit_of(doing), u64::from(amount))]),
            (calls, _) => Some([("calls", u64::from(*calls))]),
        };
        let slice = Begin {
            name: &name,
            category,
            place: place(longest),
            flows: leaving,
            ending_flows: ending,
            numbers: numbers.as_ref().map_or(&[], |numbers| &numbers[..]),
            texts: &[],
        };
        self.packets.slice(track, (from, to), &slice);
        if let Some(unit) = doing.unit() {
            let Tracks { process, units, .. } = self.tracks;
            let track = *units.entry(unit).or_insert_with(|| self.packets.slices(Some(*process), unit.name()));
            let slice = Begin { name: &name, category: "unit", ..Begin::default() };
            self.packets.slice(track, (from, to), &slice);
        }
    }

    /// Transfers that follow each other, while they have the port of their thread.
    fn transfers(&mut self, transfers: &[Transfer]) {
        let Some((first, last)) = transfers.first().zip(transfers.last()) else { return };
        let Transfer { thread, noc, is_read, place, start, queued, far, tensor, .. } = *first;
        let Tracks { process, ports, .. } = self.tracks;
        let title = || format!("NoC {noc}, port of {}", thread.name());
        let track = *ports.entry((noc, thread)).or_insert_with(|| self.packets.slices(Some(*process), &title()));
        let far = match far {
            FarEnd::Dram(_) if transfers.len() > 1 => "DRAM".into(),
            FarEnd::Dram(bank) => format!("DRAM bank {bank}"),
            FarEnd::Core(core) => format!("core {core}"),
            FarEnd::Own => "this core".into(),
            FarEnd::Nowhere => "no core".into(),
        };
        let name = if is_read { format!("read from {far}") } else { format!("write to {far}") };
        let tensor = self.launch.tensors.get(tensor as usize).map(|tensor| [("tensor", tensor.as_str())]);
        let from = self.start + start + u64::from(queued);
        let to = self.start + last.start + u64::from(last.queued) + u64::from(last.busy);
        let lands = self.start + last.start + u64::from(last.whole);
        let bytes = transfers.iter().map(|transfer| u64::from(transfer.bytes)).sum();
        let slice = Begin {
            name: &name,
            category: "transfer",
            place: file_and_line(&self.launch.places[place as usize]),
            numbers: &[("bytes", bytes), ("lands", lands), ("transfers", transfers.len() as u64)],
            texts: tensor.as_ref().map_or(&[], |tensor| &tensor[..]),
            ..Begin::default()
        };
        self.packets.slice(track, (from, to), &slice);
    }

    /// How many pages are in each circular buffer.
    fn fill_levels(&mut self, core: &CoreTimeline) {
        for buffer in &core.buffers {
            let levels = levels(core, buffer.cb).into_iter().map(|(at, pages)| (at, pages, false));
            self.counted(&format!("{} pages", cb_name(buffer.cb)), levels);
        }
    }

    /// What each semaphore holds.
    fn semaphores(&mut self, core: &CoreTimeline) {
        let mut signals = core.signals.clone();
        signals.sort_by_key(|signal| (signal.semaphore, signal.at));
        for of_one in signals.chunk_by(|a, b| a.semaphore == b.semaphore) {
            // A word that wraps.
            let values = of_one.iter().scan(0u32, |held, signal| {
                *held = if signal.adds { held.wrapping_add(signal.value) } else { signal.value };
                Some((signal.at, i64::from(*held), false))
            });
            self.counted(&format!("semaphore {}", of_one[0].semaphore), values);
        }
    }

    /// A counter, from what is added to it or set when.
    fn counted(&mut self, name: &str, changes: impl Iterator<Item = (u64, i64, bool)>) {
        let mut value = 0;
        let mut track = None;
        for (at, by, adds) in changes {
            value = if adds { value + by } else { by };
            let track = *track.get_or_insert_with(|| {
                let Tracks { process, counters, .. } = &mut *self.tracks;
                *counters.entry(name.into()).or_insert_with(|| self.packets.counter(*process, name))
            });
            self.packets.value(track, self.start + at, value.max(0) as u64);
        }
    }

    /// A finding, where its call was made. False if it was not made on this core in this launch.
    fn finding(&mut self, core: &CoreTimeline, finding: &Finding) -> bool {
        let primary = &finding.primary;
        let is_line = |place: &CallPlace| place.location == primary.location && place.kernel == primary.kernel;
        let Some(line) = self.launch.places.iter().position(is_line).filter(|_| primary.core == core.coord) else {
            return false;
        };
        let told = finding.facts.get("cycle").and_then(|cycle| cycle.parse::<u64>().ok());
        let call = core.calls.iter().find(|call| call.thread == primary.thread && call.place as usize == line);
        let stuck = core.stuck.iter().find(|stuck| stuck.thread == primary.thread);
        let Some(at) = told.or(stuck.map(|stuck| stuck.since)).or(call.map(Call::end)) else { return false };
        let track = self.thread(primary.thread);
        let name = format!("{}: {}", finding.code, visible(&finding.message));
        let place = primary.location.as_ref().map(|location| (location.file.as_str(), location.line));
        self.packets.instant(
            track,
            self.start + at,
            &Begin { name: &name, category: "finding", place, ..Begin::default() },
        );
        true
    }
}

/// Whether a transfer has the port right behind another of its kind.
fn is_next(one: &Transfer, next: &Transfer) -> bool {
    let port = |t: &Transfer| t.start + u64::from(t.queued);
    let kind = |t: &Transfer| {
        let far = if let FarEnd::Dram(_) = t.far { FarEnd::Dram(0) } else { t.far };
        (t.thread, t.noc, t.is_read, t.place, t.tensor, far)
    };
    kind(one) == kind(next) && port(one) + u64::from(one.busy) == port(next)
}

/// What the amount of a call is of.
fn unit_of(doing: Doing) -> &'static str {
    match doing {
        Doing::WaitFront | Doing::ReserveBack | Doing::Push | Doing::Pop => "pages",
        Doing::Fpu | Doing::Sfpu => "tiles",
        Doing::SemaphoreWait | Doing::SemaphoreInc => "value",
        _ => "bytes",
    }
}

fn file_and_line(place: &CallPlace) -> Option<(&str, u32)> {
    place.location.as_ref().map(|location| (location.file.as_str(), location.line))
}
