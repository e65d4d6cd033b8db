//! Looks for a schedule on which a program fails, and makes it as plain as it can be.
//! It must never take a failure for one of the order when the default schedule has it too.
//! Start reading at [`Exploration::next`] and [`shrink`].
//!
//! The first schedules depart from the default in one thing each: a thread or a core goes first or last, transfers land
//! late. The others are drawn from seeds: priorities for all threads and up to three points at which a thread falls behind
//! (Burckhardt and others, "A randomized scheduler with probabilistic guarantees of finding bugs", 2010), late transfers,
//! latencies. The same number gives the same schedules on every host.

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

/// Runs schedules until one fails as `default` does not; that one, made plain, and what it came to.
pub(super) fn explore(
    exploration: &Exploration,
    of: usize,
    default: &RunResult,
    progress: Option<fn(usize, usize)>,
    run: &mut dyn FnMut(&Schedule) -> Result<RunResult, RunError>,
) -> Result<(Explored, Option<RunResult>), RunError> {
    let known = failures(default);
    let new = |result: &RunResult| failures(result).into_iter().find(|failure| !known.contains(failure));
    let mut explored = Explored { schedules: 0, of, failed: None, default_passes: default.pass() };
    for number in 0..of {
        if let Some(progress) = progress {
            progress(number + 1, of);
        }
        explored.schedules = number + 1;
        let schedule = exploration.schedule(number);
        let result = run(&schedule)?;
        if stop::is_asked_for() {
            break;
        }
        if let Some(failure) = new(&result) {
            let mut fails_alike = |schedule: &Schedule| {
                if stop::is_asked_for() {
                    return Ok(None);
                }
                let result = run(schedule)?;
                Ok((new(&result).as_ref() == Some(&failure)).then_some(result))
            };
            let plain = shrink(exploration, schedule, result, &mut fails_alike)?;
            explored.failed = Some(plain.0);
            return Ok((explored, Some(plain.1)));
        }
    }
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
