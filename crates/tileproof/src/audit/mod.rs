//! Would a test have caught it? A program is run with one thing wrong at a time, and its expectations are asked each time.
//!
//! What counts is what the test of the program sees, its outputs within their tolerances: no check looks. Start at [`audit`];
//! `audited.rs` has what can be audited, `faults.rs` says what can be wrong, `data.rs` which other data there are, `advice.rs` which of them see more, `what_if.rs` which settings are more exact, `faster.rs` which make it faster. `standing.rs` is
//! for whoever asks a test of a program that stands on a device.

mod advice;
mod audited;
mod data;
mod faster;
mod faults;
mod result;
mod standing;
mod trial;
mod what_if;

use std::time::{Duration, Instant};

use tileproof_model::record::Status;

pub use audited::{Audited, OfOp, OfProgram, Other, RunKnown, Seen};
pub use faster::would_help;
pub use faults::{Fault, Known};
pub use result::{Advice, Audit, Tried, Verdict};
pub(crate) use standing::{faults_of, run_standing_with};
pub use what_if::{WhatIf, more_exact};

use crate::cpp_kernels::BuildKernels;
use crate::run_file::{Bench, RunError, Trial};
use crate::stop;
use trial::{Run, Test, run};

/// How long an audit may take, and who is told how far it is.
#[derive(Clone, Copy, Default, Debug)]
pub struct AuditOptions {
    /// After this no further mutant is begun.
    pub budget: Option<Duration>,
    /// Is told which of how many mutants is run next.
    pub progress: Option<fn(usize, usize)>,
}

/// Runs the mutants of a program.
///
/// # Errors
/// If the program cannot be run, or nothing is expected of it.
pub fn audit(audited: &dyn Audited, options: &AuditOptions, builder: &dyn BuildKernels) -> Result<Audit, RunError> {
    let begin = Instant::now();
    let file = audited.file();
    let bench = Bench::new(file, builder)?;
    let as_it_is = bench.run(None)?;
    let mut audit = Audit {
        status: as_it_is.status,
        outputs: as_it_is.outputs.clone(),
        tried: Vec::new(),
        tolerance: file.tolerance(),
        advice: Vec::new(),
        what_if: Vec::new(),
        wall_s: 0.0,
    };
    let is_over = || options.budget.is_some_and(|budget| begin.elapsed() > budget);
    if as_it_is.passes() {
        let faults = faults::of(file, bench.spots()?, audited.known());
        for (number, fault) in faults.iter().enumerate() {
            if let Some(tell) = options.progress {
                tell(number + 1, faults.len());
            }
            let verdict = Verdict::NotRun(TIME);
            let one = match is_over() {
                true => Some(Tried { fault: fault.clone(), verdict, changes: false, needed_atol: 0.0 }),
                false => tried(fault, audited, (&bench, &as_it_is), builder)?,
            };
            // What was ended on the way is no verdict, and nobody waits for the rest.
            if stop::is_asked_for() {
                return Ok(audit);
            }
            audit.tried.extend(one);
        }
        settle_unchanged(audited, &mut audit, builder, &is_over)?;
        audit.advice = advice::advice(audited, (&audit, &as_it_is), builder, &is_over)?;
    }
    if !is_over() {
        audit.what_if = what_if::what_if(file, &as_it_is, builder)?;
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
    audited: &dyn Audited,
    (bench, as_it_is): (&Bench<'_>, &Trial),
    builder: &dyn BuildKernels,
) -> Result<Option<Tried>, RunError> {
    let test = Test { fills: &[], atol: None };
    let none = |verdict| Tried { fault: fault.clone(), verdict, changes: false, needed_atol: 0.0 };
    Ok(match run(fault, (audited, test), (bench, as_it_is), builder)? {
        Run::Not(_) if matches!(fault, Fault::Known(_)) => None,
        Run::Not(why) => Some(none(Verdict::NotRun(why))),
        // What is seen then is not the fault.
        Run::Ran { is_fair: false, .. } => None,
        Run::Ran { trial, changes, .. } => {
            let verdict = match trial.status {
                Status::Stopped => Verdict::NotModelled,
                Status::Completed if !changes => Verdict::Unchanged,
                Status::Completed if trial.passes() => Verdict::Missed,
                Status::Completed => Verdict::Found,
                status => Verdict::Ended(status),
            };
            Some(Tried { fault: fault.clone(), verdict, changes, needed_atol: trial.needed_atol() })
        }
    })
}

/// Mutants that change nothing on the data of the test may do so on other data: then the test is blind to them.
fn settle_unchanged(
    audited: &dyn Audited,
    audit: &mut Audit,
    builder: &dyn BuildKernels,
    is_over: &dyn Fn() -> bool,
) -> Result<(), RunError> {
    let is_unchanged = |tried: &Tried| tried.verdict == Verdict::Unchanged;
    let mut has_told = false;
    for data in data::telling(audited) {
        if !audit.tried.iter().any(is_unchanged) {
            return Ok(());
        }
        let Some((file, _)) = data::program(audited, &data) else { continue };
        let bench = Bench::new(&file, builder)?;
        let as_it_is = bench.run(None)?;
        if as_it_is.status != Status::Completed {
            continue;
        }
        has_told = true;
        for tried in audit.tried.iter_mut().filter(|tried| is_unchanged(tried)) {
            if is_over() {
                tried.verdict = Verdict::NotRun(TIME);
                continue;
            }
            let test = Test { fills: &data, atol: None };
            let run = run(&tried.fault, (audited, test), (&bench, &as_it_is), builder)?;
            if let Run::Ran { changes: true, trial, .. } = run
                && trial.status != Status::Stopped
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
