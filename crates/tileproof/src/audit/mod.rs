//! Would a test have caught it? A program is run with one thing wrong at a time, and its expectations are asked each time.
//!
//! What counts is what the test of the program sees, its outputs within their tolerances: no check looks. Start at [`audit`];
//! `audited.rs` has what can be audited, `faults.rs` says what can be wrong, `data.rs` which other data there are, `advice.rs` which of them see more, `what_if.rs` which settings are more exact, `faster.rs` which make it faster. `journal.rs` is how an audit goes on from one that was ended.
//! `standing.rs` is for whoever asks a test of a program that stands on a device.

mod advice;
mod audited;
mod data;
mod faster;
mod faults;
mod journal;
mod result;
mod standing;
mod trial;
mod what_if;

use std::time::{Duration, Instant};

use tileproof_model::record::Status;

pub use audited::{Audited, OfOp, OfProgram, Other, RunKnown, Seen};
pub use faster::would_help;
pub use faults::{Fault, Known};
pub use journal::{Journal, Ran, Subject};
pub use result::{Advice, Audit, Tried, Verdict};
pub(crate) use standing::{faults_of, run_standing_with};
pub use what_if::{WhatIf, more_exact};

use crate::cpp_kernels::BuildKernels;
use crate::run_file::{Bench, RunError, Trial};
use crate::stop;
use trial::{Run, Runs, Test};

/// How long an audit may take, who is told how far it is, and where its runs are kept.
#[derive(Clone, Copy, Default)]
pub struct AuditOptions<'a> {
    /// After this no further mutant is begun.
    pub budget: Option<Duration>,
    /// Is told which of how many mutants is run next.
    pub progress: Option<fn(usize, usize)>,
    /// Keeps what runs come to, and what those of an earlier audit of the same came to.
    pub journal: Option<&'a dyn Journal>,
}

/// Runs the mutants of a program.
///
/// # Errors
/// If the program cannot be run, nothing is expected of it, or the journal is of another.
pub fn audit(audited: &dyn Audited, options: &AuditOptions<'_>, builder: &dyn BuildKernels) -> Result<Audit, RunError> {
    let begin = Instant::now();
    let file = audited.file();
    let runs = Runs { audited, builder, journal: options.journal };
    let bench = Bench::new(file, builder)?;
    let as_it_is = bench.run(None)?;
    // What cannot be run begins none.
    if let Some(journal) = options.journal {
        journal.begin(&Subject::of(audited)).map_err(RunError::Journal)?;
    }
    let mut audit = Audit {
        status: as_it_is.status,
        outputs: as_it_is.outputs.clone(),
        tried: Vec::new(),
        tolerance: file.tolerance(),
        advice: Vec::new(),
        what_if: Vec::new(),
        order_not_tried: None,
        wall_s: 0.0,
    };
    let is_over = || options.budget.is_some_and(|budget| begin.elapsed() > budget);
    if as_it_is.passes() {
        let faults = faults::of(file, bench.spots()?, audited.known());
        for (number, fault) in faults.iter().enumerate() {
            if let Some(tell) = options.progress {
                tell(number + 1, faults.len());
            }
            let one = tried(fault, &runs, (&bench, &as_it_is), &is_over)?;
            // What was ended on the way is no verdict, and nobody waits for the rest.
            if stop::is_asked_for() {
                return Ok(audit);
            }
            audit.tried.extend(one);
        }
        settle_unchanged(&runs, &mut audit, &is_over)?;
        audit.advice = advice::advice(&runs, (&audit, &as_it_is), &is_over)?;
    }
    if !is_over() {
        (audit.what_if, audit.order_not_tried) = what_if::what_if(&bench, &as_it_is, builder)?;
    }
    audit.wall_s = begin.elapsed().as_secs_f64();
    Ok(audit)
}

/// Why a mutant was not run, or not settled.
const TIME: &str = "the time was up";
const NO_DATA: &str = "it changes nothing on these data, and no others could be tried";

/// Runs a program with a fault, on the same data as `as_it_is`; `None` of a known one that has no place here.
fn tried(
    fault: &Fault,
    runs: &Runs<'_>,
    beside: (&Bench<'_>, &Trial),
    is_over: &dyn Fn() -> bool,
) -> Result<Option<Tried>, RunError> {
    let test = Test { fills: &[], atol: None };
    let none = |verdict| Tried { fault: fault.clone(), verdict, changes: false, needed_atol: 0.0 };
    if is_over() && runs.known(fault, test)?.is_none() {
        return Ok(Some(none(Verdict::NotRun(TIME))));
    }
    Ok(match runs.run(fault, test, beside)? {
        Run::Not(_) if matches!(fault, Fault::Known(_)) => None,
        Run::Not(why) => Some(none(Verdict::NotRun(why))),
        // What is seen then is not the fault.
        Run::Ran(Ran { is_fair: false, .. }) => None,
        Run::Ran(ran) => {
            let verdict = match ran.status {
                Status::Stopped => Verdict::NotModelled,
                Status::Completed if !ran.changes => Verdict::Unchanged,
                Status::Completed if ran.passes => Verdict::Missed,
                Status::Completed => Verdict::Found,
                status => Verdict::Ended(status),
            };
            Some(Tried { fault: fault.clone(), verdict, changes: ran.changes, needed_atol: ran.needed_atol })
        }
    })
}

/// Mutants that change nothing on the data of the test may do so on other data: then the test is blind to them.
fn settle_unchanged(runs: &Runs<'_>, audit: &mut Audit, is_over: &dyn Fn() -> bool) -> Result<(), RunError> {
    let is_unchanged = |tried: &Tried| tried.verdict == Verdict::Unchanged;
    let mut has_told = false;
    for data in data::telling(runs.audited) {
        if !audit.tried.iter().any(is_unchanged) {
            return Ok(());
        }
        let Some((file, _)) = data::program(runs.audited, &data) else { continue };
        let bench = Bench::new(&file, runs.builder)?;
        let as_it_is = bench.run(None)?;
        if as_it_is.status != Status::Completed {
            continue;
        }
        has_told = true;
        let test = Test { fills: &data, atol: None };
        for tried in audit.tried.iter_mut().filter(|tried| is_unchanged(tried)) {
            if is_over() && runs.known(&tried.fault, test)?.is_none() {
                tried.verdict = Verdict::NotRun(TIME);
                continue;
            }
            if let Run::Ran(ran) = runs.run(&tried.fault, test, (&bench, &as_it_is))?
                && ran.changes
                && ran.status != Status::Stopped
            {
                tried.verdict = Verdict::Missed;
            }
        }
    }
    if !has_told {
        let unsettled = audit.tried.iter_mut().filter(|tried| is_unchanged(tried));
        unsettled.for_each(|tried| tried.verdict = Verdict::NotRun(NO_DATA));
    }
    Ok(())
}
