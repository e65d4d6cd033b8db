//! The critical path of a launch: from its last cycle back to its first, through whoever was waited for.
//!
//! A thread that waits goes on at the very cycle at which another has let it, so the way back needs no guess: it is looked up by that
//! cycle. Every cycle of the launch lies on the path once. Start at [`critical_path`].

use std::collections::BTreeMap;

use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::timeline::{Call, CoreTimeline, Doing, FarEnd, LaunchTimeline, Signal, Transfer};

use crate::resource::Resource;

/// Where a piece of the path is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Core, by its number in the timeline.
    pub core: usize,
    /// Thread.
    pub thread: Thread,
    /// First cycle.
    pub from: u64,
    /// The cycle behind the last.
    pub to: u64,
    /// What it went to.
    pub resource: Resource,
    /// The line of the call, by its number.
    pub place: u32,
    /// The tensor of a transfer, by its number; `u32::MAX` for none.
    pub tensor: u32,
}

/// The path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// From the first cycle to the last.
    pub steps: Vec<Step>,
    /// By core and circular buffer, how often the path goes from one who waits for room in it to the one who made room.
    pub turns: BTreeMap<(usize, u32), u64>,
}

impl Path {
    /// Cycles by what they went to.
    pub fn spent(&self) -> BTreeMap<Resource, u64> {
        let mut spent = BTreeMap::new();
        for step in &self.steps {
            *spent.entry(step.resource).or_default() += step.to - step.from;
        }
        spent
    }
}

/// A point of the path: a thread, and a cycle before which it is to be explained.
#[derive(Clone, Copy)]
struct At {
    core: usize,
    thread: Thread,
    cycle: u64,
}

/// What of a core is looked up by a cycle.
#[derive(Default)]
struct Index<'a> {
    calls: [Vec<&'a Call>; 5],
    /// Threads whose calls were done then, by what they did and of what.
    done: BTreeMap<(u64, Doing, u32), Thread>,
    /// Whether MATH began with operands then.
    taken: BTreeMap<u64, Thread>,
    /// Transfers of a thread that were over then, and that had left L1.
    landed: BTreeMap<(u64, Thread), &'a Transfer>,
    left: BTreeMap<(u64, Thread), &'a Transfer>,
    /// What was written to a semaphore then.
    signals: BTreeMap<(u64, u32), &'a Signal>,
}

/// What stands for any buffer.
const ANY: u32 = u32::MAX;

impl<'a> Index<'a> {
    fn of(core: &'a CoreTimeline) -> Index<'a> {
        let mut index = Index::default();
        for call in &core.calls {
            index.calls[call.thread as usize].push(call);
            let of = if matches!(call.doing, Doing::Push | Doing::Pop) { call.of } else { ANY };
            index.done.insert((call.end(), call.doing, of), call.thread);
            if call.doing == Doing::Fpu {
                index.taken.insert(call.start + u64::from(call.waited), call.thread);
            }
        }
        for transfer in &core.transfers {
            index.landed.insert((transfer.start + u64::from(transfer.whole), transfer.thread), transfer);
            let port = u64::from(transfer.queued) + u64::from(transfer.busy);
            index.left.insert((transfer.start + port, transfer.thread), transfer);
        }
        index.signals.extend(core.signals.iter().map(|signal| ((signal.at, signal.semaphore), signal)));
        index
    }
}

/// All cores, and what one does to another by when that arrives.
struct Walk<'a> {
    launch: &'a LaunchTimeline,
    cores: Vec<Index<'a>>,
    numbers: BTreeMap<CoreCoord, usize>,
    arrivals: BTreeMap<(u64, CoreCoord), (usize, &'a Transfer)>,
    path: Path,
}

/// The critical path of a launch. It is empty where nothing was recorded.
pub fn critical_path(launch: &LaunchTimeline) -> Path {
    let mut arrivals = BTreeMap::new();
    for (number, core) in launch.cores.iter().enumerate() {
        for transfer in core.transfers.iter().filter(|transfer| !transfer.is_read) {
            if let FarEnd::Core(to) = transfer.far {
                arrivals.insert((transfer.start + u64::from(transfer.whole), to), (number, transfer));
            }
        }
    }
    let mut walk = Walk {
        launch,
        cores: launch.cores.iter().map(Index::of).collect(),
        numbers: launch.cores.iter().enumerate().map(|(number, core)| (core.coord, number)).collect(),
        arrivals,
        path: Path::default(),
    };
    walk.back();
    let mut path = walk.path;
    path.steps.reverse();
    path
}

impl<'a> Walk<'a> {
    /// The last point of the launch: the thread that ends last.
    fn end(&self) -> Option<At> {
        let last = |(core, index): (usize, &Index<'_>)| {
            let of = |calls: &Vec<&Call>| Some((calls.last()?.end(), calls.last()?.thread));
            index.calls.iter().filter_map(of).max_by_key(|(end, _)| *end).map(|(cycle, thread)| At {
                core,
                thread,
                cycle,
            })
        };
        self.cores.iter().enumerate().filter_map(last).max_by_key(|at| at.cycle)
    }

    fn back(&mut self) {
        let Some(mut at) = self.end() else { return };
        // Each call is passed at most once as work and once as a wait; what has no call behind it ends the walk.
        let calls: usize = self.launch.cores.iter().map(|core| core.calls.len()).sum();
        for _ in 0..2 * calls + 2 {
            let calls = &self.cores[at.core].calls[at.thread as usize];
            let behind = calls.partition_point(|call| call.start < at.cycle);
            let Some(call) = behind.checked_sub(1).map(|last| calls[last]) else { return };
            at = self.through(at, call);
            if at.cycle == 0 {
                return;
            }
        }
    }

    fn add(&mut self, at: At, from: u64, resource: Resource, (place, tensor): (u32, u32)) {
        if from < at.cycle {
            let At { core, thread, cycle } = at;
            self.path.steps.push(Step { core, thread, from, to: cycle, resource, place, tensor });
        }
    }

    /// Back through a call: its work, and what it waited for.
    fn through(&mut self, at: At, call: &'a Call) -> At {
        let went_on = call.start + u64::from(call.waited);
        if at.cycle > went_on {
            self.add(at, went_on, Resource::of(call.doing), (call.place, ANY));
        }
        let waiting = At { cycle: went_on.min(at.cycle), ..at };
        if call.waited == 0 {
            return waiting;
        }
        if let Some(next) = self.released(waiting, call) {
            return next;
        }
        self.add(waiting, call.start, Resource::of(call.doing), (call.place, ANY));
        At { cycle: call.start, ..at }
    }

    /// Who let a call go on that waited until now, and when that one had got there.
    fn released(&mut self, at: At, call: &Call) -> Option<At> {
        let index = &self.cores[at.core];
        let done = |doing: Doing, of: u32| {
            let thread = *index.done.get(&(at.cycle, doing, of))?;
            (thread != at.thread).then_some(At { thread, ..at })
        };
        match call.doing {
            Doing::WaitFront => done(Doing::Push, call.of),
            Doing::ReserveBack => {
                let by = done(Doing::Pop, call.of)?;
                *self.path.turns.entry((at.core, call.of)).or_default() += 1;
                Some(by)
            }
            Doing::Acquire | Doing::Configure => done(Doing::Release, ANY),
            Doing::SectionWait => done(Doing::Commit, ANY),
            Doing::Fpu => done(Doing::Unpack, ANY),
            Doing::Mailbox => done(Doing::Mailbox, ANY),
            Doing::Unpack | Doing::Pop | Doing::End => {
                let thread = *index.taken.get(&at.cycle)?;
                Some(At { thread, ..at })
            }
            Doing::ReadBarrier | Doing::OtherBarrier => {
                let transfer = *index.landed.get(&(at.cycle, at.thread))?;
                Some(self.flight(at, transfer))
            }
            Doing::WriteBarrier => {
                let key = (at.cycle, at.thread);
                let transfer = *index.landed.get(&key).or_else(|| index.left.get(&key))?;
                Some(self.flight(at, transfer))
            }
            Doing::SemaphoreWait => self.signalled(at, call),
            _ => None,
        }
    }

    /// Back through a transfer to the moment when it was started.
    fn flight(&mut self, at: At, transfer: &Transfer) -> At {
        let (latency, bandwidth) = Resource::of_transfer(transfer.far);
        let told = (transfer.place, transfer.tensor);
        // The bytes of it are the last thing: before them the way is empty.
        let carried = u64::from(transfer.queued) + u64::from(transfer.busy);
        let begins = at.cycle.saturating_sub(carried).max(transfer.start);
        self.add(at, begins, bandwidth, told);
        let at = At { cycle: begins, ..at };
        self.add(at, transfer.start, latency, told);
        At { cycle: transfer.start, ..at }
    }

    /// Back from a word that has arrived to whoever sent it: by the semaphore, of which a multicast reaches many cores by one
    /// transfer, else by any transfer that landed then.
    fn signalled(&mut self, at: At, call: &Call) -> Option<At> {
        if call.of == ANY {
            let to = self.launch.cores[at.core].coord;
            let (by, transfer) = self.arrivals.get(&(at.cycle, to)).copied()?;
            return Some(self.flight(At { core: by, thread: transfer.thread, cycle: at.cycle }, transfer));
        }
        let (from, thread) = self.cores[at.core].signals.get(&(at.cycle, call.of))?.from;
        let sender = At { core: *self.numbers.get(&from)?, thread, cycle: at.cycle };
        if let Some(transfer) = self.cores[sender.core].landed.get(&(at.cycle, thread)).copied() {
            return Some(self.flight(sender, transfer));
        }
        ((sender.core, thread) != (at.core, at.thread)).then_some(sender)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u32 = u32::MAX;

    fn core(x: u32) -> CoreTimeline {
        CoreTimeline {
            coord: CoreCoord { x, y: 0 },
            buffers: Vec::new(),
            memory: Vec::new(),
            calls: Vec::new(),
            transfers: Vec::new(),
            signals: Vec::new(),
            totals: Vec::new(),
            traffic: Vec::new(),
            stuck: Vec::new(),
        }
    }

    fn call(thread: Thread, doing: Doing, of: u32, (start, waited, took): (u64, u32, u32)) -> Call {
        Call { thread, doing, place: 0, start, waited, took, of, amount: 0 }
    }

    #[test]
    fn behind_a_multicast_each_receiver_waits_for_the_way_and_for_what_came_before_it() {
        let from = (CoreCoord { x: 0, y: 0 }, Thread::Brisc);
        let mut sender = core(0);
        // Works up to 100, sends, and then waits for something else that ends at the very cycle of the landing.
        sender.calls = vec![
            call(Thread::Brisc, Doing::Poll, NONE, (0, 0, 100)),
            call(Thread::Brisc, Doing::NocWrite, 0, (100, 0, 10)),
            call(Thread::Brisc, Doing::WriteBarrier, 0, (110, 90, 0)),
        ];
        let far = FarEnd::Core(CoreCoord { x: 1, y: 0 });
        sender.transfers = vec![Transfer {
            thread: Thread::Brisc,
            noc: 0,
            is_read: false,
            place: 0,
            start: 100,
            queued: 0,
            busy: 8,
            whole: 100,
            bytes: 4,
            far,
            tensor: NONE,
            cb: NONE,
        }];
        let receiver = |x: u32| {
            let mut receiver = core(x);
            let signal = Signal { at: 200, semaphore: 1, adds: false, value: 1, from };
            receiver.signals = vec![signal];
            receiver.calls = vec![
                call(Thread::Ncrisc, Doing::SemaphoreWait, 1, (0, 200, 5)),
                call(Thread::Ncrisc, Doing::End, NONE, (205, 0, 45 + x)),
            ];
            receiver
        };
        // The one that ends last is not the one that the transfer names.
        let cores = vec![sender, receiver(1), receiver(2)];
        let launch = LaunchTimeline { cycles: 252, cores, ..LaunchTimeline::default() };
        let path = critical_path(&launch);
        let spent = path.spent();
        assert_eq!(spent[&Resource::NocLatency] + spent[&Resource::NocBandwidth], 100, "{path:?}");
        assert_eq!(spent.values().sum::<u64>(), 252, "{path:?}");
        assert_eq!(path.steps[0].core, 0, "{path:?}");
    }
}
