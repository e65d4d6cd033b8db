//! Who goes next.
//!
//! By default a core goes on as long as one of its threads can; one that polls gives way to cores that are not as far as it. A
//! schedule departs from that. It may make any order that the waits of the threads leave open, and must make no other:
//! threads of a core and of different cores have no order but what circular buffers, registers, semaphores and barriers give
//! them (ISA documentation, `NoC/Ordering.md`, `BabyRISCV/README.md`). Start at [`Order::next`]; `departures.rs` has what a
//! schedule departs by.

use tileproof_model::schedule::Schedule;
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::departures::Departures;
use crate::hart::State;

/// Decides which thread goes on.
#[derive(Default)]
pub(crate) struct Order {
    visit: Visit,
    /// Set while a schedule is followed, be it the default one, whose points are counted then.
    departures: Option<Box<Departures>>,
}

impl Order {
    /// The order of a schedule on some cores, when `points` points of earlier launches have passed.
    pub(crate) fn of(schedule: &Schedule, cores: &[Core], points: u64) -> Order {
        Order { visit: Visit::default(), departures: Some(Box::new(Departures::new(schedule, cores, points))) }
    }

    /// Points that have passed since a schedule is followed.
    pub(crate) fn points(&self) -> Option<u64> {
        self.departures.as_ref().map(|departures| departures.points)
    }

    /// Who runs next; that thread is ready then. `None` when nobody can.
    pub(crate) fn next(&mut self, cores: &mut [Core]) -> Option<(usize, Thread)> {
        match &mut self.departures {
            Some(departures) if departures.is_ranked || departures.is_by_time => {
                let (core, thread, clock) = departures.next(cores, self.visit.core)?;
                self.visit.core = core;
                let hart = cores[core].hart(thread);
                hart.state = State::Ready;
                hart.clock = clock;
                Some((core, thread))
            }
            _ => self.visit.next(cores),
        }
    }

    /// A thread gave a turn: what it looks for may have to come from a core that is not as far.
    pub(crate) fn gave_turn(&mut self, cores: &[Core], core: usize, thread: Thread) {
        if matches!(cores[core].harts[thread as usize].as_ref().map(|hart| &hart.state), Some(State::Ready)) {
            self.visit.gave_turn(cores, core, thread);
        }
    }

    /// Whether a thread of another core, or another of this one, can go on and is earlier than `now`, where that counts.
    pub(crate) fn others_are_earlier(&self, cores: &[Core], now: u64) -> bool {
        self.departures.as_ref().is_some_and(|departures| departures.others_are_earlier(cores, now))
    }

    /// A thread is about to make a call, or has made it and `changes` something. True if another goes first.
    #[inline]
    pub(crate) fn gives_way(&mut self, cores: &[Core], core: usize, thread: Thread, changes: bool) -> bool {
        self.departures.as_mut().is_some_and(|departures| departures.gives_way(cores, core, thread, changes))
    }

    /// A thread has looked for something, and gives the others a turn.
    #[inline]
    pub(crate) fn has_looked(&mut self, core: usize, thread: Thread) {
        if let Some(departures) = &mut self.departures {
            departures.has_looked(core, thread);
        }
    }
}

/// The core whose threads run now.
#[derive(Clone, Copy, Default)]
struct Visit {
    core: usize,
    /// It gave a turn, and another core is not as far.
    is_over: bool,
}

impl Visit {
    fn next(&mut self, cores: &mut [Core]) -> Option<(usize, Thread)> {
        // Mostly the same core goes on.
        if !self.is_over
            && let Some(thread) = cores.get_mut(self.core).and_then(Core::next_thread)
        {
            return Some((self.core, thread));
        }
        let (from, count) = (self.core + usize::from(self.is_over), cores.len());
        for core in (0..count).map(|step| (from + step) % count) {
            if let Some(thread) = cores[core].next_thread() {
                *self = Visit { core, is_over: false };
                return Some((core, thread));
            }
        }
        None
    }

    fn gave_turn(&mut self, cores: &[Core], core: usize, thread: Thread) {
        let Some(now) = cores[core].can_go_on(thread) else { return };
        let behind = |other: &Core| Thread::ALL.into_iter().any(|t| other.can_go_on(t).is_some_and(|at| at < now));
        self.is_over = cores.iter().enumerate().any(|(index, other)| index != core && behind(other));
    }
}
