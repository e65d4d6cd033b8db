//! Schedules other than the default: who goes before whom, and when transfers land.
//!
//! Everything here happens only when a schedule was asked for; by default the machine never comes here. It may make any
//! order that the waits of the threads leave open, and must make no other: threads of a core and of different cores have
//! no order but what circular buffers, registers, semaphores and barriers give them (ISA documentation, `NoC/Ordering.md`,
//! `BabyRISCV/README.md`). Start at [`Engine::next_explored`]; `late.rs` has the transfers.

use tileproof_model::observe::Observer;
use tileproof_model::schedule::{Departure, Schedule, Who};
use tileproof_model::thread::{CoreCoord, Thread};

use crate::core::Core;
use crate::hart::State;
use crate::late::Pending;
use crate::machine::Engine;
use crate::schedule::Visit;

/// Turns without a call after which transfers that are held back land: whoever polls may be waiting for them.
pub(crate) const TURNS_BEFORE_LANDING: u32 = 1 << 12;

/// What a launch does otherwise than by default.
pub(crate) struct Explorer {
    /// Calls that were begun or ended so far, over all launches.
    pub(crate) points: u64,
    /// Points at which a thread falls behind, in order, those that are past left out.
    yields: Vec<u64>,
    /// By core and thread; who has more goes first.
    ranks: Vec<[i64; 5]>,
    /// Has looked and found nothing since anybody did anything: goes after those who have not.
    looked: Vec<[bool; 5]>,
    /// Some ranks differ.
    is_ranked: bool,
    /// The rank of whoever fell behind last.
    lowest: i64,
    pub(crate) late_reads: bool,
    pub(crate) late_writes: bool,
    /// Of latencies; 0 leaves them as they are.
    latencies: u64,
    /// Transfers that have been issued and have not landed.
    pub(crate) pending: Vec<Pending>,
    /// Where the default order goes on.
    pub(crate) visit: Visit,
}

impl Explorer {
    /// The departures of `schedule` on some cores, when `points` points of earlier launches have passed.
    pub(crate) fn new(schedule: &Schedule, cores: &[Core], points: u64) -> Explorer {
        let mut explorer = Explorer {
            points,
            yields: Vec::new(),
            ranks: vec![[0; 5]; cores.len()],
            looked: vec![[false; 5]; cores.len()],
            is_ranked: false,
            lowest: -(1 << 40),
            late_reads: false,
            late_writes: false,
            latencies: 0,
            pending: Vec::new(),
            visit: Visit::default(),
        };
        for departure in &schedule.departures {
            match *departure {
                Departure::First(who) => explorer.shift(cores, who, 1 << 36),
                Departure::Last(who) => explorer.shift(cores, who, -(1 << 36)),
                Departure::Priorities(seed) => explorer.draw(cores, seed),
                Departure::Yield(point) if point > points => explorer.yields.push(point),
                Departure::Yield(_) => {}
                Departure::LateReads => explorer.late_reads = true,
                Departure::LateWrites => explorer.late_writes = true,
                Departure::Latencies(seed) => explorer.latencies = 1 + u64::from(seed),
            }
        }
        explorer.yields.sort_unstable();
        explorer
    }

    fn shift(&mut self, cores: &[Core], who: Who, by: i64) {
        for (core, ranks) in cores.iter().zip(&mut self.ranks) {
            for thread in Thread::ALL {
                let is_meant = match who {
                    Who::Thread(wanted) => wanted == thread,
                    Who::Core(wanted) => wanted == core.coord,
                };
                ranks[thread as usize] += if is_meant { by } else { 0 };
            }
        }
        self.is_ranked = true;
    }

    fn draw(&mut self, cores: &[Core], seed: u32) {
        for (core, ranks) in cores.iter().zip(&mut self.ranks) {
            let CoreCoord { x, y } = core.coord;
            for (thread, rank) in ranks.iter_mut().enumerate() {
                let drawn = mixed(u64::from(seed) << 32 | u64::from(y) << 16 | u64::from(x) << 4 | thread as u64);
                *rank += (drawn >> 32) as i64;
            }
        }
        self.is_ranked = true;
    }

    /// Where latencies of a thread begin to be drawn; 0 leaves them as they are.
    pub(crate) fn latency_seed(&self, core: CoreCoord, thread: Thread, noc: usize) -> u64 {
        if self.latencies == 0 {
            return 0;
        }
        let place = u64::from(core.y) << 16 | u64::from(core.x) << 4 | (thread as u64) << 1 | noc as u64;
        mixed(self.latencies << 32 | place) | 1
    }
}

/// One step of a well-known mixer of 64 bits (splitmix64): the same on every host.
pub(crate) fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl<O: Observer> Engine<O> {
    /// A thread is about to make a call, or has made it. True if another goes first.
    #[cold]
    #[inline(never)]
    pub(crate) fn gives_way(&mut self, core: usize, thread: Thread) -> bool {
        let Engine { explorer: Some(explorer), cores, .. } = self else { return false };
        explorer.points += 1;
        if explorer.yields.first() == Some(&explorer.points) {
            explorer.yields.remove(0);
            explorer.lowest -= 1;
            explorer.ranks[core][thread as usize] = explorer.lowest;
            explorer.is_ranked = true;
        }
        if !explorer.is_ranked {
            return false;
        }
        for looked in &mut explorer.looked {
            *looked = [false; 5];
        }
        let mine = explorer.ranks[core][thread as usize];
        let goes_before = |(index, other): (usize, &Core)| {
            let ranks = explorer.ranks[index];
            Thread::ALL.into_iter().any(|thread| ranks[thread as usize] > mine && other.can_go_on(thread).is_some())
        };
        cores.iter().enumerate().any(goes_before)
    }

    /// A thread has looked for something, and gives the others a turn.
    #[cold]
    #[inline(never)]
    pub(crate) fn has_looked(&mut self, core: usize, thread: Thread) {
        if let Some(explorer) = &mut self.explorer {
            explorer.looked[core][thread as usize] = true;
        }
    }

    /// Who runs next: those with more rank first, then as by default.
    pub(crate) fn next_explored(&mut self) -> Option<(usize, Thread)> {
        let Engine { explorer: Some(explorer), cores, .. } = self else { return None };
        let count = cores.len();
        if !explorer.is_ranked {
            return explorer.visit.next(cores);
        }
        // Who has not looked, has more rank, is nearer in the default order, and is earlier goes first.
        let (ranks, has_looked, from) = (&explorer.ranks, &explorer.looked, explorer.visit.core);
        let of_core = |step: usize| {
            let (core, ready) = ((from + step) % count, &cores[(from + step) % count]);
            let of = move |thread: Thread| {
                let clock = ready.can_go_on(thread)?;
                let (looked, rank) = (has_looked[core][thread as usize], ranks[core][thread as usize]);
                Some((looked, -rank, step, clock, thread))
            };
            Thread::ALL.into_iter().filter_map(of)
        };
        let (looked, _, step, clock, thread) = (0..count).flat_map(of_core).min()?;
        let core = (from + step) % count;
        if looked {
            // All that can run have looked: they go round.
            for looked in &mut explorer.looked {
                *looked = [false; 5];
            }
        }
        explorer.visit.core = core;
        let hart = cores[core].hart(thread);
        hart.state = State::Ready;
        hart.clock = clock;
        Some((core, thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixer_is_the_published_one() {
        // The first output of splitmix64 from state 0 (its published test value).
        assert_eq!(mixed(0), 0xe220_a839_7b1d_cdaf);
    }
}
