//! Looks for a schedule on which a program fails, and makes it as plain as it can be.
//! It must never take a failure for one of the order when the default schedule has it too, nor say that all orders were run while
//! one may be left. Start reading at [`explore`] and [`shrink`].
//!
//! A run says which two accesses nothing has put in order but that one came first (`order/orders.rs` of the checks): the other thread,
//! going first from the point before them on, turns them round. Where nothing is open, one order is all there is; where all that was
//! open has been turned round in every run that came of that, the orders that came up are all (Flanagan and Godefroid, "Dynamic
//! partial-order reduction for model checking software", POPL 2005). Runs that had the order of another do not count.
//!
//! Between these go others: the first depart from the default in one thing each, a thread or a core goes first or last, transfers land
//! late; the rest are drawn from seeds, priorities for all threads and up to three points at which a thread falls behind
//! (Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs", 2010), late transfers,
//! latencies. The same number gives the same schedules on every host.

use std::collections::{BTreeSet, VecDeque};

use tileproof_check::order::orders::{Late, Orders};
use tileproof_model::finding::Finding;
use tileproof_model::record::Status;
use tileproof_model::schedule::{Departure, Schedule, Who};
use tileproof_model::thread::{CoreCoord, Thread};

use super::error::RunError;
use super::result::{Explored, RunResult};
use crate::stop;

/// Cores that are tried first and last by themselves.
const SINGLE_CORES: usize = 8;
/// Runs that making a schedule plainer may take.
const SHRINKING_RUNS: usize = 64;

/// How a run fails.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Failure {
    /// It did not complete.
    Ended(Status),
    /// Something was found: its code, place and thread.
    Found(String, String, u32, Thread),
    /// An output is not as expected.
    Wrong(String),
}

fn place_of(finding: &Finding) -> Failure {
    let location = finding.primary.location.as_ref();
    let (file, line) = location.map_or((finding.primary.kernel.clone(), 0), |l| (l.file.clone(), l.line));
    Failure::Found(finding.code.to_string(), file, line, finding.primary.thread)
}

/// All ways in which a run fails, the gravest first.
fn failures(result: &RunResult) -> Vec<Failure> {
    let record = &result.record;
    let ended = (record.status != Status::Completed).then_some(Failure::Ended(record.status));
    let wrong = result.outputs.iter().filter(|o| record.status == Status::Completed && !o.pass);
    let wrong = wrong.map(|output| Failure::Wrong(output.name.clone()));
    ended.into_iter().chain(record.findings.iter().map(place_of)).chain(wrong).collect()
}

/// Draws schedules.
pub(super) struct Exploration {
    singles: Vec<Departure>,
    /// Points that the default schedule has.
    points: u64,
}

impl Exploration {
    pub(super) fn new(threads: &[Thread], cores: &[CoreCoord], points: u64) -> Exploration {
        let mut singles = vec![Departure::LateReads, Departure::LateWrites];
        let mut both = |who| singles.extend([Departure::Last(who), Departure::First(who)]);
        threads.iter().for_each(|thread| both(Who::Thread(*thread)));
        if cores.len() > 1 {
            cores.iter().take(SINGLE_CORES).for_each(|core| both(Who::Core(*core)));
        }
        Exploration { singles, points: points.max(1) }
    }

    /// Schedule `number`, from 0.
    pub(super) fn schedule(&self, number: usize) -> Schedule {
        let single = number.checked_sub(self.singles.len());
        let Some(seed) = single else { return Schedule { departures: vec![self.singles[number]] } };
        let seed = seed as u32 + 1;
        let mut state = u64::from(seed);
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut departures = vec![Departure::Priorities(seed)];
        let mut yields: Vec<u64> = (0..draw(4)).map(|_| 1 + draw(self.points)).collect();
        yields.sort_unstable();
        yields.dedup();
        departures.extend(yields.into_iter().map(Departure::Yield));
        departures.extend((draw(2) == 0).then_some(Departure::LateReads));
        departures.extend((draw(2) == 0).then_some(Departure::LateWrites));
        departures.extend((draw(2) == 0).then_some(Departure::Latencies(seed)));
        Schedule { departures }
    }

    /// Departures that may stand for priorities of all threads.
    fn instead_of_priorities(&self) -> impl Iterator<Item = Departure> + '_ {
        self.singles.iter().copied().filter(|d| matches!(d, Departure::First(_) | Departure::Last(_)))
    }
}

/// A run, and what order it had.
pub(super) struct Run {
    pub(super) result: RunResult,
    pub(super) order: Orders,
}

/// Runs a schedule, and says who goes on at a node.
type RunOn<'a> = &'a mut dyn FnMut(&Schedule, Option<u64>) -> Result<Run, RunError>;

/// Runs that are made to find one order more; a schedule that is drawn may have had its order before.
const RUNS_AN_ORDER: usize = 3;

/// A schedule that turns something round.
#[derive(Clone, Debug)]
pub(super) struct Turned {
    pub(super) schedule: Schedule,
    /// Where it departs last, and the thread that is to go on there.
    pub(super) node: u64,
    thread: (CoreCoord, Thread),
}

/// Which orders have been run, and which schedules turn round what is open in one of them.
struct Frontier {
    known: BTreeSet<(u64, [bool; 2])>,
    /// By node, the threads that have gone on there or are to.
    tried: BTreeSet<(u64, (CoreCoord, Thread))>,
    /// Those that come of an order that was new, and of one that was not: what comes later depends on the way to it, so that these
    /// may bring up what those do not.
    next: [VecDeque<Turned>; 2],
    /// Nothing was open so far but what a point can turn round.
    can_be_all: bool,
}

impl Frontier {
    /// A schedule has been run. True if it gave an order that is new.
    fn took(&mut self, schedule: &Schedule, turned: Option<&Turned>, order: &Orders) -> bool {
        self.can_be_all &= !order.has_more && order.late.is_empty();
        // When transfers land is no part of the order, unless they race.
        let late = |late, departure| order.late.contains(&late) && schedule.departures.contains(&departure);
        let late = [late(Late::Reads, Departure::LateReads), late(Late::Writes, Departure::LateWrites)];
        let is_new = self.known.insert((order.fingerprint, late));
        // What is drawn is nothing that has to be gone through.
        if turned.is_some() || schedule.is_default() {
            for open in &order.open {
                let [first, then] = open.threads;
                self.tried.insert((open.node, first));
                self.turn(schedule, (open.point, open.node), then, is_new);
            }
        }
        // A thread that could not go on is not the one to go first: any of the others may be.
        if let Some(turned) = turned.filter(|turned| order.went_on != Some(turned.thread))
            && let Some(Departure::Raise(point, ..)) = turned.schedule.departures.last()
        {
            order.threads.iter().for_each(|thread| self.turn(schedule, (*point, turned.node), *thread, is_new));
        }
        is_new
    }

    /// A thread is to go on at a node of a schedule.
    fn turn(&mut self, schedule: &Schedule, (point, node): (u64, u64), thread: (CoreCoord, Thread), is_new: bool) {
        if !self.tried.insert((node, thread)) {
            return;
        }
        // Up to the point all is as it was; what came behind it may come otherwise.
        let stays = |departure: &&Departure| !matches!(departure, Departure::Raise(at, ..) if *at >= point);
        let mut departures: Vec<Departure> = schedule.departures.iter().filter(stays).copied().collect();
        departures.push(Departure::Raise(point, thread.0, thread.1));
        self.next[usize::from(!is_new)].push_back(Turned { schedule: Schedule { departures }, node, thread });
    }

    fn next(&mut self) -> Option<Turned> {
        self.next.iter_mut().find_map(VecDeque::pop_front)
    }

    fn is_all(&self) -> bool {
        self.can_be_all && self.next.iter().all(VecDeque::is_empty)
    }
}

/// Runs schedules until one fails as `default` does not; that one, made plain, and what it came to.
pub(super) fn explore(
    exploration: &Exploration,
    of: usize,
    default: &Run,
    progress: Option<fn(usize, usize)>,
    run: RunOn<'_>,
) -> Result<(Explored, Option<RunResult>), RunError> {
    let known = failures(&default.result);
    let new = |result: &RunResult| failures(result).into_iter().find(|failure| !known.contains(failure));
    let mut explored =
        Explored { schedules: 0, of, runs: 0, are_all: false, failed: None, default_passes: default.result.pass() };
    // What ended a run early may have kept something from being seen; where all wait, nothing comes any more.
    let can_be_all = matches!(default.result.record.status, Status::Completed | Status::Deadlock);
    let (known_orders, tried, next) = (BTreeSet::new(), BTreeSet::new(), Default::default());
    let mut frontier = Frontier { known: known_orders, tried, next, can_be_all };
    frontier.took(&Schedule::default(), None, &default.order);
    let mut drawn = 0;
    while explored.schedules < of && explored.runs < RUNS_AN_ORDER * of && !frontier.is_all() {
        if let Some(progress) = progress {
            progress(explored.schedules + 1, of);
        }
        // Each in turn: what is drawn departs further than one point does. So many are enough where nothing is open.
        let draws = drawn < of && explored.runs.is_multiple_of(4);
        let turned = if draws { None } else { frontier.next() };
        if turned.is_none() && drawn >= of {
            break;
        }
        let schedule = turned.as_ref().map(|turned| turned.schedule.clone()).unwrap_or_else(|| {
            drawn += 1;
            exploration.schedule(drawn - 1)
        });
        explored.runs += 1;
        let Run { result, order } = run(&schedule, turned.as_ref().map(|turned| turned.node))?;
        if stop::is_asked_for() {
            return Ok((explored, None));
        }
        explored.schedules += usize::from(frontier.took(&schedule, turned.as_ref(), &order));
        if let Some(failure) = new(&result) {
            let mut fails_alike = |schedule: &Schedule| {
                if stop::is_asked_for() {
                    return Ok(None);
                }
                let Run { result, .. } = run(schedule, None)?;
                Ok((new(&result).as_ref() == Some(&failure)).then_some(result))
            };
            let plain = shrink(exploration, schedule, result, &mut fails_alike)?;
            explored.schedules = explored.schedules.max(1);
            explored.failed = Some(plain.0);
            return Ok((explored, Some(plain.1)));
        }
    }
    explored.are_all = frontier.is_all();
    Ok((explored, None))
}

/// Leaves out departures, and puts plainer ones in their place, as long as the program fails alike.
fn shrink(
    exploration: &Exploration,
    mut schedule: Schedule,
    mut result: RunResult,
    fails_alike: &mut dyn FnMut(&Schedule) -> Result<Option<RunResult>, RunError>,
) -> Result<(Schedule, RunResult), RunError> {
    let mut runs = 0;
    'again: loop {
        let mut plainer: Vec<Schedule> = Vec::new();
        for (i, departure) in schedule.departures.iter().enumerate() {
            let without: Vec<Departure> = [&schedule.departures[..i], &schedule.departures[i + 1..]].concat();
            // The default schedule is known not to fail alike.
            if !without.is_empty() {
                plainer.push(Schedule { departures: without.clone() });
            }
            if matches!(departure, Departure::Priorities(_)) {
                let with = |single| Schedule { departures: [&[single], &without[..]].concat() };
                plainer.extend(exploration.instead_of_priorities().map(with));
            }
        }
        for candidate in plainer {
            if runs == SHRINKING_RUNS {
                break 'again;
            }
            runs += 1;
            if let Some(fewer) = fails_alike(&candidate)? {
                (schedule, result) = (candidate, fewer);
                continue 'again;
            }
        }
        break;
    }
    Ok((schedule, result))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_depend_on_their_number_alone_and_differ() {
        let cores = [CoreCoord { x: 0, y: 0 }, CoreCoord { x: 1, y: 0 }];
        let exploration = || Exploration::new(&[Thread::Brisc, Thread::Ncrisc], &cores, 100);
        let tokens: Vec<String> = (0..200).map(|number| exploration().schedule(number).to_string()).collect();
        let mut distinct = tokens.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 200);
        assert_eq!(&tokens[..4], ["tp1:r", "tp1:w", "tp1:lBRISC", "tp1:fBRISC"]);
        for token in tokens {
            assert_eq!(Schedule::parse(&token).unwrap().to_string(), token);
        }
    }
}
