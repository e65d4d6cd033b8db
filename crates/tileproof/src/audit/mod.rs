//! Would a test have caught it? A program is run with one thing wrong at a time, and its expectations are asked each time.
//!
//! What counts is what the test of the program sees, its outputs within their tolerances: no check looks. Start at [`audit`];
//! `audited.rs` has what can be audited, `faults.rs` says what can be wrong, `data.rs` which other data there are, `advice.rs` which of them see more, `what_if.rs` which settings are more exact.

mod advice;
mod audited;
mod data;
mod faults;
mod result;
mod trial;
mod what_if;

use std::time::{Duration, Instant};

use tileproof_model::record::Status;

pub use audited::{Audited, OfOp, OfProgram, Other, RunKnown, Seen};
pub use faults::{Fault, Known};
pub use result::{Advice, Audit, Tried, Verdict};
pub use what_if::WhatIf;

use crate::cpp_kernels::BuildKernels;
use crate::program_file::{Closeness, ProgramFile};
use crate::run_file::{Bench, RunError, Trial};
use data::Data;
use trial::run;

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
        tolerance: tolerance(file),
        advice: Vec::new(),
        what_if: what_if::what_if(file, &as_it_is, builder)?,
        wall_s: 0.0,
    };
    if as_it_is.passes() {
        let is_over = || options.budget.is_some_and(|budget| begin.elapsed() > budget);
        let faults = faults::of(file, bench.spots()?, audited.known());
        for (number, fault) in faults.iter().enumerate() {
            if let Some(tell) = options.progress {
                tell(number + 1, faults.len());
            }
            audit.tried.push(match is_over() {
                true => Tried { fault: fault.clone(), verdict: Verdict::NotRun, needed_atol: 0.0 },
                false => tried(fault, (audited, &bench), &as_it_is, builder)?,
            });
        }
        let others = data::others(audited);
        settle_unchanged(audited, &mut audit, &others, builder, &is_over)?;
        audit.advice = advice::advice(audited, &audit, &others, builder, &is_over)?;
    }
    audit.wall_s = begin.elapsed().as_secs_f64();
    Ok(audit)
}

/// The widest tolerance of a program's expectations.
fn tolerance(file: &ProgramFile) -> Option<(f64, f64)> {
    let within = |closeness: Closeness| match closeness {
        Closeness::Within { rtol, atol } => Some((rtol, atol)),
        Closeness::Bits => None,
    };
    let all = file.expects.iter().filter_map(|expect| within(expect.closeness));
    all.reduce(|(rtol, atol), (other_rtol, other_atol)| (rtol.max(other_rtol), atol.max(other_atol)))
}

/// Runs a program with a fault, on the same data as `as_it_is`.
fn tried(
    fault: &Fault,
    (audited, bench): (&dyn Audited, &Bench<'_>),
    as_it_is: &Trial,
    builder: &dyn BuildKernels,
) -> Result<Tried, RunError> {
    let trial = run(fault, (audited, &[]), bench, builder)?;
    let is_known = matches!(fault, Fault::Known(_));
    let verdict = match trial.as_ref().map(|trial| trial.status) {
        None => Verdict::NotRun,
        Some(Status::Completed) => match &trial {
            // Kernels of its own give other bits without a fault too.
            Some(trial) if !is_known && trial.elements == as_it_is.elements => Verdict::Unchanged,
            Some(trial) if trial.passes() => Verdict::Missed,
            _ => Verdict::Found,
        },
        Some(status) => Verdict::Ended(status),
    };
    let needed_atol = trial.map_or(0.0, |trial| trial.needed_atol());
    Ok(Tried { fault: fault.clone(), verdict, needed_atol })
}

/// Mutants that change nothing on the data of the test may do so on other data: then the test is blind to them.
fn settle_unchanged(
    audited: &dyn Audited,
    audit: &mut Audit,
    others: &[Data],
    builder: &dyn BuildKernels,
    is_over: &dyn Fn() -> bool,
) -> Result<(), RunError> {
    for data in others.iter().filter(|data| data.tells_apart) {
        let is_unchanged = |tried: &Tried| tried.verdict == Verdict::Unchanged;
        if !audit.tried.iter().any(is_unchanged) || is_over() {
            break;
        }
        let file = data.file(audited.file());
        let bench = Bench::new(&file, builder)?;
        let as_it_is = bench.run(None)?;
        if as_it_is.status != Status::Completed {
            continue;
        }
        for tried in audit.tried.iter_mut().filter(|tried| is_unchanged(tried)) {
            let Some(trial) = run(&tried.fault, (audited, &data.fills), &bench, builder)? else { continue };
            if trial.status != Status::Completed || trial.elements != as_it_is.elements {
                tried.verdict = Verdict::Missed;
            }
        }
    }
    Ok(())
}
