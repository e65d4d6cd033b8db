//! Cores that run apart and meet: in epochs.
//!
//! In an epoch every core goes on, on whichever host thread, until all of its threads wait; what it sends to others is kept
//! (`noc/outbound.rs`). When all have come so far, it lands, in the order of the cores and of their calls, reads of other cores are
//! answered, and the next epoch begins. No core sees another while both run, so the record is the same on any number of host threads.
//! A core keeps its host thread, since fibers cannot leave theirs. Start at [`Share::run`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use tileproof_model::observe::Observer;
use tileproof_model::thread::Thread;

use crate::claims::Claims;
use crate::core::Core;
use crate::engine::Engine;
use crate::meeting::Guest;
use crate::noc::outbound::{Grid, Sendings};

/// A core on which nothing runs, but to whose L1 others may write.
pub(crate) struct Idle {
    pub(crate) core: Core,
    /// Its L1 as it was, once somebody has written to it.
    pub(crate) left: Option<Box<[u8]>>,
}

/// What was read from other cores: each with the number of its question.
type Answers = Vec<(usize, Vec<u8>)>;

/// What the host threads of a launch tell each other between two epochs, by the number of the core that runs.
pub(crate) struct Posts {
    pub(crate) grid: Arc<Grid>,
    sendings: Vec<RwLock<Sendings>>,
    has_sent: Vec<AtomicBool>,
    /// What was read for it.
    answers: Vec<Mutex<Answers>>,
    /// The earliest clock at which it can go on; `NEVER` where it cannot.
    clocks: Vec<AtomicU64>,
}

const NEVER: u64 = u64::MAX;

impl Posts {
    /// Of a launch in which `count` cores run, on a grid of more.
    pub(crate) fn new(grid: Grid, count: usize) -> Posts {
        fn each<T: Default>(count: usize) -> Vec<T> {
            std::iter::repeat_with(T::default).take(count).collect()
        }
        Posts {
            grid: Arc::new(grid),
            sendings: each(count),
            has_sent: each(count),
            answers: each(count),
            clocks: each(count),
        }
    }

    /// The sendings of the epoch, in the order of the cores.
    fn sent(&self) -> impl Iterator<Item = (usize, &RwLock<Sendings>)> {
        let sent = |(number, _): &(usize, _)| self.has_sent[*number].load(Ordering::Relaxed);
        self.sendings.iter().enumerate().filter(sent)
    }

    /// The earliest clocks of two cores, and which core has the first: so every core knows when the others can go on.
    fn earliest(&self) -> (u64, usize, u64) {
        let mut earliest = (NEVER, usize::MAX, NEVER);
        for (number, clock) in self.clocks.iter().enumerate() {
            let clock = clock.load(Ordering::Relaxed);
            if clock < earliest.0 {
                earliest = (clock, number, earliest.0);
            } else {
                earliest.2 = earliest.2.min(clock);
            }
        }
        earliest
    }
}

/// A core that runs, on its host thread.
pub(crate) struct Running<O: Observer> {
    /// Its number among those that run, and among all of the launch.
    pub(crate) number: usize,
    pub(crate) index: usize,
    pub(crate) engine: Box<Engine<O>>,
}

/// The cores of one host thread.
pub(crate) struct Share<'a, O: Observer> {
    pub(crate) running: Vec<Running<O>>,
    pub(crate) idle: Vec<(usize, Idle)>,
    pub(crate) posts: &'a Posts,
    pub(crate) claims: &'a Claims,
    pub(crate) guest: Guest<'a>,
}

/// Where a core of the launch is found in a share.
#[derive(Clone, Copy)]
enum Place {
    Elsewhere,
    Running(usize),
    Idle(usize),
}

impl<O: Observer> Share<'_, O> {
    /// Runs epoch after epoch until no core can go on or the trial is given up; the first visit of each core has been made.
    pub(crate) fn run(&mut self) {
        let places = self.places();
        let mut epoch = 1;
        loop {
            self.post();
            if !self.guest.meet() || self.claims.is_given_up() {
                return;
            }
            self.land(&places, epoch);
            self.answer(&places);
            if !self.guest.meet() {
                return;
            }
            self.take_answers();
            let earliest = self.posts.earliest();
            if earliest.0 == NEVER {
                return;
            }
            epoch += 1;
            let has_sent = self.posts.sent().next().is_some();
            for Running { number, engine, .. } in &mut self.running {
                if let (Some(claimant), Some(outbound)) = (&mut engine.claimant, &mut engine.outbound) {
                    (claimant.epoch, outbound.epoch) = (epoch, epoch);
                    outbound.others_at = if earliest.1 == *number { earliest.2 } else { earliest.0 };
                }
                if has_sent {
                    engine.idle = 0;
                }
                engine.go_on();
            }
        }
    }

    fn places(&self) -> Vec<Place> {
        let mut places = vec![Place::Elsewhere; self.posts.grid.count()];
        for (at, Running { index, .. }) in self.running.iter().enumerate() {
            places[*index] = Place::Running(at);
        }
        for (at, (index, _)) in self.idle.iter().enumerate() {
            places[*index] = Place::Idle(at);
        }
        places
    }

    /// Shows the others what the cores have sent.
    fn post(&mut self) {
        for Running { number, engine, .. } in &mut self.running {
            let Some(outbound) = &mut engine.outbound else { continue };
            let has_sent = !outbound.sendings.is_empty();
            self.posts.has_sent[*number].store(has_sent, Ordering::Relaxed);
            if has_sent {
                let mut posted = self.posts.sendings[*number].write().expect("what a core has sent");
                std::mem::swap(&mut *posted, &mut outbound.sendings);
                outbound.sendings.clear();
            }
        }
    }

    /// Lands what all have sent in the cores of this host thread, and says when they can go on.
    fn land(&mut self, places: &[Place], epoch: u32) {
        let Share { running, idle, posts, .. } = self;
        for (_, sendings) in posts.sent() {
            let sendings = sendings.read().expect("what a core has sent");
            sendings.land(|index, landing| match places[index] {
                Place::Elsewhere => {}
                Place::Running(at) => landing.lands_in(&mut running[at].engine.cores[0]),
                Place::Idle(at) => {
                    let Idle { core, left } = &mut idle[at].1;
                    left.get_or_insert_with(|| core.l1.copy());
                    landing.lands_in(core);
                }
            });
        }
        for Running { number, engine, .. } in running {
            let core = &mut engine.cores[0];
            core.landed = epoch;
            let clock = Thread::ALL.into_iter().filter_map(|thread| core.can_go_on(thread)).min();
            posts.clocks[*number].store(clock.unwrap_or(NEVER), Ordering::Relaxed);
        }
    }

    /// Reads what others have asked for from the cores of this host thread.
    fn answer(&self, places: &[Place]) {
        for (number, sendings) in self.posts.sent() {
            let sendings = sendings.read().expect("what a core has sent");
            for (question, asked) in sendings.asked().iter().enumerate() {
                let l1 = match places[asked.core] {
                    Place::Elsewhere => continue,
                    Place::Running(at) => &self.running[at].engine.cores[0].l1,
                    Place::Idle(at) => &self.idle[at].1.core.l1,
                };
                let bytes = l1.with(asked.offset, asked.bytes, <[u8]>::to_vec);
                self.posts.answers[number].lock().expect("answers to a core").push((question, bytes));
            }
        }
    }

    /// Brings what was read for the cores of this host thread.
    fn take_answers(&self) {
        for Running { number, engine, .. } in &self.running {
            let mut answers = self.posts.answers[*number].lock().expect("answers to a core");
            if answers.is_empty() {
                continue;
            }
            // By whichever host thread each came.
            answers.sort_unstable_by_key(|(question, _)| *question);
            let sendings = self.posts.sendings[*number].read().expect("what a core has sent");
            for (question, bytes) in answers.drain(..) {
                engine.cores[0].l1.write(sendings.asked()[question].local, &bytes);
            }
        }
    }
}
