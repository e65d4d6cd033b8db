//! What each thread of a launch did with its time: work, and waits by what they were for, with whoever they were for.
//!
//! Threads of all cores that run the same kernel are told of together. Start at [`threads`].

use std::collections::BTreeMap;

use tileproof_model::thread::Thread;
use tileproof_model::timeline::{CoreTimeline, Doing, FarEnd, LaunchTimeline, Total};
use tileproof_model::wording::cb_name;

/// A thread, over all cores that run the same kernel on it.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadTime {
    /// Which.
    pub thread: Thread,
    /// The kernel.
    pub kernel: String,
    /// How many cores.
    pub cores: usize,
    /// Cycles of the launch times cores: all shares are of this.
    pub all: u64,
    /// Cycles at work, by what at.
    pub work: Vec<(&'static str, u64)>,
    /// Cycles waited, the most first.
    pub waits: Vec<Wait>,
    /// Cycles in code of the kernel, or looking whether something had happened.
    pub own: u64,
    /// Cycles after the kernel's end, or stuck.
    pub idle: u64,
}

/// Waits for one thing.
#[derive(Clone, PartialEq, Debug)]
pub struct Wait {
    /// What for, as "pages in c_0".
    pub reason: String,
    /// Who provides it, and what that one waits for most; empty if nobody is known.
    pub because: String,
    /// Cycles.
    pub cycles: u64,
    /// The line that waited longest, by its number in the launch.
    pub place: u32,
}

impl ThreadTime {
    /// Part of the launch that it waited, from 0 to 1.
    pub fn waited(&self) -> f64 {
        self.waits.iter().map(|wait| wait.cycles).sum::<u64>() as f64 / self.all.max(1) as f64
    }

    /// Part of the launch that it worked.
    pub fn worked(&self) -> f64 {
        self.work.iter().map(|(_, cycles)| cycles).sum::<u64>() as f64 / self.all.max(1) as f64
    }
}

/// All threads of a launch, in the order of data: what moves them in, computes, moves them out.
pub fn threads(launch: &LaunchTimeline) -> Vec<ThreadTime> {
    let mut groups: BTreeMap<(usize, String), Vec<&CoreTimeline>> = BTreeMap::new();
    for core in &launch.cores {
        for (order, thread) in ORDER.into_iter().enumerate() {
            if let Some(kernel) = kernel_of(launch, core, thread) {
                groups.entry((order, kernel)).or_default().push(core);
            }
        }
    }
    let told = |((order, kernel), cores): ((usize, String), Vec<&CoreTimeline>)| {
        thread_time(launch, ORDER[order], kernel, &cores)
    };
    groups.into_iter().map(told).collect()
}

/// Threads in the order of data: what moves them in, computes, moves them out.
pub const ORDER: [Thread; 5] = [Thread::Ncrisc, Thread::Unpack, Thread::Math, Thread::Pack, Thread::Brisc];

/// The kernel that a thread of a core runs.
fn kernel_of(launch: &LaunchTimeline, core: &CoreTimeline, thread: Thread) -> Option<String> {
    let of = |place: u32| launch.places[place as usize].kernel.clone();
    let call = core.totals.iter().find(|total| total.thread == thread).map(|total| of(total.place));
    call.or_else(|| Some(core.stuck.iter().find(|stuck| stuck.thread == thread)?.place.kernel.clone()))
}

fn thread_time(launch: &LaunchTimeline, thread: Thread, kernel: String, cores: &[&CoreTimeline]) -> ThreadTime {
    let all = launch.cycles * cores.len() as u64;
    let totals = || cores.iter().flat_map(|core| core.totals.iter().map(move |total| (*core, total)));
    let mut work: BTreeMap<Doing, u64> = BTreeMap::new();
    let mut own = 0;
    // By what is waited for: cycles, and the longest of them with its core.
    let mut waits: BTreeMap<String, (u64, &CoreTimeline, &Total)> = BTreeMap::new();
    for (core, total) in totals().filter(|(_, total)| total.thread == thread) {
        match total.doing {
            Doing::Poll => own += total.took,
            doing => *work.entry(doing).or_default() += total.took,
        }
        if total.waited > 0 {
            let wait = waits.entry(total.doing.waits_for(total.of)).or_insert((0, core, total));
            wait.0 += total.waited;
            if total.waited > wait.2.waited {
                (wait.1, wait.2) = (core, total);
            }
        }
    }
    let told = |(reason, (cycles, core, longest)): (String, (u64, &CoreTimeline, &Total))| Wait {
        because: because(launch, core, longest),
        reason,
        cycles,
        place: longest.place,
    };
    let mut waits: Vec<Wait> = waits.into_iter().map(told).collect();
    waits.sort_by_key(|wait| std::cmp::Reverse(wait.cycles));
    let mut work: Vec<(&str, u64)> = work.into_iter().map(|(doing, took)| (doing.name(), took)).collect();
    work.retain(|(_, took)| *took > 0);
    work.sort_by_key(|(_, took)| std::cmp::Reverse(*took));
    let spent = own + work.iter().map(|(_, took)| took).sum::<u64>() + waits.iter().map(|w| w.cycles).sum::<u64>();
    ThreadTime { thread, kernel, cores: cores.len(), all, work, waits, own, idle: all.saturating_sub(spent) }
}

/// Who provides what was waited for, and what that one waits for most.
fn because(launch: &LaunchTimeline, core: &CoreTimeline, wait: &Total) -> String {
    let provider = match wait.doing {
        Doing::WaitFront => caller(core, Doing::Push, wait.of).map(|thread| ("filled by", thread)),
        Doing::ReserveBack => caller(core, Doing::Pop, wait.of).map(|thread| ("emptied by", thread)),
        Doing::Unpack | Doing::Pop | Doing::End => Some(("taken by", Thread::Math)),
        Doing::Fpu | Doing::Sfpu => Some(("brought by", Thread::Unpack)),
        Doing::Acquire | Doing::Configure => Some(("released by", Thread::Pack)),
        Doing::SectionWait => Some(("committed by", Thread::Math)),
        Doing::ReadBarrier => return far_end(launch, core, wait.thread, true),
        Doing::WriteBarrier => return far_end(launch, core, wait.thread, false),
        Doing::SemaphoreWait => return senders(core, wait.of),
        _ => None,
    };
    let Some((how, thread)) = provider else { return String::new() };
    let of_it = core.totals.iter().filter(|total| total.thread == thread);
    let most = of_it.clone().filter(|total| total.waited > 0).max_by_key(|total| total.waited);
    let worked: u64 = of_it.filter(|total| total.doing != Doing::Poll).map(|total| total.took).sum();
    match most {
        // Two that wait for each other have no reason in each other.
        Some(most) if most.waited > worked && !is_for(core, most, wait.thread) => {
            let behind = match most.doing {
                Doing::ReadBarrier | Doing::WriteBarrier => {
                    far_end(launch, core, thread, most.doing == Doing::ReadBarrier)
                }
                _ => String::new(),
            };
            let behind = if behind.is_empty() { behind } else { format!(" {behind}") };
            format!("{how} {thread}, which waited for {}{behind}", most.doing.waits_for(most.of))
        }
        _ => format!("{how} {thread}"),
    }
}

/// Whether a wait is for what a thread provides.
fn is_for(core: &CoreTimeline, wait: &Total, thread: Thread) -> bool {
    match wait.doing {
        Doing::WaitFront => caller(core, Doing::Push, wait.of) == Some(thread),
        Doing::ReserveBack => caller(core, Doing::Pop, wait.of) == Some(thread),
        Doing::Unpack | Doing::Pop | Doing::End | Doing::SectionWait => thread == Thread::Math,
        Doing::Fpu | Doing::Sfpu => thread == Thread::Unpack,
        Doing::Acquire | Doing::Configure => thread == Thread::Pack,
        _ => false,
    }
}

/// The thread that makes most of the calls of a kind on a buffer.
fn caller(core: &CoreTimeline, doing: Doing, cb: u32) -> Option<Thread> {
    let calls = core.totals.iter().filter(|total| total.doing == doing && total.of == cb);
    calls.max_by_key(|total| total.amount).map(|total| total.thread)
}

/// Where most of a thread's transfers came from or went to, and what bounds them.
fn far_end(launch: &LaunchTimeline, core: &CoreTimeline, thread: Thread, is_read: bool) -> String {
    let mut bytes: BTreeMap<String, u64> = BTreeMap::new();
    for traffic in core.traffic.iter().filter(|traffic| traffic.thread == thread && traffic.is_read == is_read) {
        let tensor = launch.tensors.get(traffic.tensor as usize);
        let place = match (traffic.far, tensor) {
            (FarEnd::Dram(_), Some(tensor)) => format!("{tensor} in DRAM"),
            (FarEnd::Dram(bank), None) => format!("DRAM bank {bank}"),
            (FarEnd::Core(core), _) => format!("core {core}"),
            (FarEnd::Own | FarEnd::Nowhere, _) => continue,
        };
        *bytes.entry(place).or_default() += traffic.bytes;
    }
    let mut places: Vec<(String, u64)> = bytes.into_iter().collect();
    places.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let way = if is_read { "from" } else { "to" };
    match &places[..] {
        [] => String::new(),
        [(one, _)] => format!("{way} {one}"),
        [(one, _), (two, _)] => format!("{way} {one} and {two}"),
        [(one, _), rest @ ..] => format!("{way} {one} and {} more", rest.len()),
    }
}

/// The cores that wrote a semaphore.
fn senders(core: &CoreTimeline, semaphore: u32) -> String {
    let mut from: Vec<_> = core.signals.iter().filter(|s| s.semaphore == semaphore).map(|s| s.from).collect();
    from.retain(|(by, _)| *by != core.coord);
    from.sort_unstable();
    from.dedup();
    match &from[..] {
        [] => String::new(),
        [(core, thread)] => format!("raised by {thread} of core {core}"),
        cores => format!("raised by {} cores", cores.len()),
    }
}

/// The name of a buffer with what fills it, as "c_0, filled by NCRISC".
pub fn filled(core: &CoreTimeline, cb: u32) -> String {
    match caller(core, Doing::Push, cb) {
        Some(thread) => format!("{}, filled by {thread}", cb_name(cb)),
        None => cb_name(cb),
    }
}
