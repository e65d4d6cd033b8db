//! How a schedule departs from the default order: threads and cores with a rank, and points at which a thread falls behind.

use tileproof_model::mixed::mixed;
use tileproof_model::schedule::{Departure, Schedule, Who};
use tileproof_model::thread::{CoreCoord, Thread};

use crate::core::Core;

/// What a launch does in another order than by default.
pub(crate) struct Departures {
    /// Calls that were begun or ended so far, over all launches.
    pub(crate) points: u64,
    /// Points at which a thread falls behind, in order, those that are past left out.
    yields: Vec<u64>,
    /// Points at which a thread goes before all others, alike.
    raises: Vec<(u64, usize, Thread)>,
    /// By core and thread; who has more goes first.
    ranks: Vec<[i64; 5]>,
    /// Has looked and found nothing since anybody did anything: goes after those who have not.
    looked: Vec<[bool; 5]>,
    /// Some ranks differ.
    pub(crate) is_ranked: bool,
    /// Of all cores whoever is earliest goes first, where ranks do not differ.
    pub(crate) is_by_time: bool,
    /// The rank of whoever fell behind last.
    lowest: i64,
    /// The rank of whoever was put before all others last.
    highest: i64,
}

impl Departures {
    /// Those of `schedule` on some cores, when `points` points of earlier launches have passed.
    pub(crate) fn new(schedule: &Schedule, cores: &[Core], points: u64) -> Departures {
        let mut departures = Departures {
            points,
            yields: Vec::new(),
            raises: Vec::new(),
            ranks: vec![[0; 5]; cores.len()],
            looked: vec![[false; 5]; cores.len()],
            is_ranked: false,
            is_by_time: false,
            lowest: -(1 << 40),
            highest: 1 << 40,
        };
        for departure in &schedule.departures {
            match *departure {
                Departure::First(who) => departures.shift(cores, who, 1 << 36),
                Departure::Last(who) => departures.shift(cores, who, -(1 << 36)),
                Departure::Priorities(seed) => departures.draw(cores, seed),
                Departure::Yield(point) if point > points => departures.yields.push(point),
                Departure::Raise(point, coord, thread) if point > points => {
                    let core = cores.iter().position(|core| core.coord == coord);
                    departures.raises.extend(core.map(|core| (point, core, thread)));
                }
                Departure::Yield(_) | Departure::Raise(..) => {}
                Departure::Contention => departures.is_by_time = true,
                // When transfers land is no matter of who goes first.
                Departure::LateReads | Departure::LateWrites | Departure::Latencies(_) => {}
            }
        }
        departures.yields.sort_unstable();
        departures.raises.sort_unstable();
        departures
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

    /// A thread is about to make a call, or has made it, and it may have changed something. True if another goes first.
    #[cold]
    #[inline(never)]
    pub(crate) fn gives_way(&mut self, cores: &[Core], core: usize, thread: Thread, changes: bool) -> bool {
        self.points += 1;
        while self.yields.first() == Some(&self.points) {
            self.yields.remove(0);
            self.lowest -= 1;
            self.ranks[core][thread as usize] = self.lowest;
            self.is_ranked = true;
        }
        while let Some((_, core, thread)) = self.raises.first().copied().filter(|(point, ..)| *point == self.points) {
            self.raises.remove(0);
            self.highest += 1;
            self.ranks[core][thread as usize] = self.highest;
            self.is_ranked = true;
        }
        if !self.is_ranked && !self.is_by_time {
            return false;
        }
        // Only a change can let those see more who have looked: two that poll must not keep a third from running.
        if changes {
            self.forget_looks();
        }
        if !self.is_ranked {
            return false;
        }
        let mine = self.ranks[core][thread as usize];
        let goes_before = |(index, other): (usize, &Core)| {
            let (ranks, looked) = (&self.ranks[index], &self.looked[index]);
            let is_first = |at: usize| ranks[at] > mine && !looked[at];
            Thread::ALL.into_iter().any(|thread| is_first(thread as usize) && other.can_go_on(thread).is_some())
        };
        cores.iter().enumerate().any(goes_before)
    }

    /// Whether a thread can go on that is earlier than `now` and has not looked in vain.
    pub(crate) fn others_are_earlier(&self, cores: &[Core], now: u64) -> bool {
        let is_earlier = |(core, looked): (&Core, &[bool; 5])| {
            Thread::ALL.into_iter().any(|t| !looked[t as usize] && core.can_go_on(t).is_some_and(|at| at < now))
        };
        self.is_by_time && cores.iter().zip(&self.looked).any(is_earlier)
    }

    /// A thread has looked for something, and gives the others a turn.
    #[cold]
    #[inline(never)]
    pub(crate) fn has_looked(&mut self, core: usize, thread: Thread) {
        self.looked[core][thread as usize] = true;
    }

    fn forget_looks(&mut self) {
        for looked in &mut self.looked {
            *looked = [false; 5];
        }
    }

    /// Who goes next, and at what clock: who has not looked, has more rank, is earlier where time counts for all cores, is nearer to
    /// core `from` in the default order, and is earlier.
    pub(crate) fn next(&mut self, cores: &[Core], from: usize) -> Option<(usize, Thread, u64)> {
        let count = cores.len();
        let (ranks, has_looked, is_by_time) = (&self.ranks, &self.looked, self.is_by_time);
        let of_core = |step: usize| {
            let (core, ready) = ((from + step) % count, &cores[(from + step) % count]);
            let of = move |thread: Thread| {
                let clock = ready.can_go_on(thread)?;
                let (looked, rank) = (has_looked[core][thread as usize], ranks[core][thread as usize]);
                Some((looked, -rank, if is_by_time { clock } else { 0 }, step, clock, thread))
            };
            Thread::ALL.into_iter().filter_map(of)
        };
        let (looked, _, _, step, clock, thread) = (0..count).flat_map(of_core).min()?;
        if looked {
            // All that can run have looked: they go round.
            self.forget_looks();
        }
        Some(((from + step) % count, thread, clock))
    }
}
