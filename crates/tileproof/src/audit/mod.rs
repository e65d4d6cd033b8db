//! Would a test have caught it? A program is run with one thing wrong at a time, and its expectations are asked each time.
//!
//! What counts is what the test of the program sees, its outputs within their tolerances: no check looks. Start at [`audit`];
//! `audited.rs` has what can be audited, `faults.rs` says what can be wrong, `data.rs` which other data there are, `advice.rs` which of them see more, `what_if.rs` which settings are more exact.

mod advice;
mod audited;
mod data;
mod faults;
mod what_if;

use std::time::{Duration, Instant};

use tileproof_model::record::Status;

pub use advice::Advice;
pub use audited::{Audited, OfOp, OfProgram, Other, RunKnown, Seen};
pub use faults::{Fault, Known};
pub use what_if::WhatIf;

use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::output::OutputResult;
use crate::program_file::{Closeness, ProgramFile};
use crate::run_file::{Bench, RunError, Trial};
use data::Data;

/// How long an audit may take, and who is told how far it is.
#[derive(Clone, Copy, Default, Debug)]
pub struct AuditOptions {
    /// After this no further mutant is begun.
    pub budget: Option<Duration>,
    /// Is told which of how many mutants is run next.
    pub progress: Option<fn(usize, usize)>,
}

/// What a test makes of a program with one thing wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// An output is not as expected.
    Found,
    /// The program did not come to its end.
    Ended(Status),
    /// All is as expected.
    Missed,
    /// No output changes in any bit, on any data that was tried: there is nothing to find.
    Unchanged,
    /// There was no time for it.
    NotRun,
}

/// A mutant, and what came of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What is wrong.
    pub fault: Fault,
    /// Whether the test sees it.
    pub verdict: Verdict,
    /// The least absolute tolerance with which it would pass.
    pub needed_atol: f64,
}

/// What an audit came to.
#[derive(Debug)]
pub struct Audit {
    /// The outputs of the program as it is.
    pub outputs: Vec<OutputResult>,
    /// How the program as it is ended.
    pub status: Status,
    /// The mutants, in the order in which their lines are reached.
    pub tried: Vec<Tried>,
    /// The relative and absolute tolerance of the test: of several the widest; `None` if all outputs are compared bit by bit.
    pub tolerance: Option<(f64, f64)>,
    /// What would find more, the best first.
    pub advice: Vec<Advice>,
    /// What other settings would give, those alone that bring the outputs nearer.
    pub what_if: Vec<WhatIf>,
    /// Seconds that it took.
    pub wall_s: f64,
}

impl Audit {
    /// Mutants of a verdict.
    pub fn count(&self, is_meant: impl Fn(Verdict) -> bool) -> usize {
        self.tried.iter().filter(|tried| is_meant(tried.verdict)).count()
    }

    /// Whether the program as it is passes its own test: else there is nothing to audit.
    pub fn baseline_passes(&self) -> bool {
        self.status == Status::Completed && self.outputs.iter().all(|output| output.pass)
    }

    /// Mutants that the test finds, and those that it could.
    pub fn power(&self) -> (usize, usize) {
        let found = self.count(|verdict| matches!(verdict, Verdict::Found | Verdict::Ended(_)));
        (found, found + self.count(|verdict| verdict == Verdict::Missed))
    }

    /// True if the test finds all that was tried.
    pub fn pass(&self) -> bool {
        self.baseline_passes() && self.count(|verdict| matches!(verdict, Verdict::Missed | Verdict::NotRun)) == 0
    }
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

/// Runs a program with a fault, on the data that the bench has, which are others for some inputs; `None` if it cannot be.
fn run(
    fault: &Fault,
    (audited, fills): (&dyn Audited, &[(String, Fill)]),
    bench: &Bench<'_>,
    builder: &dyn BuildKernels,
) -> Result<Option<Trial>, RunError> {
    Ok(match fault {
        Fault::Call(mutant) => Some(bench.run(Some(mutant))?),
        Fault::Setting(setting) => Some(Bench::new(&setting.set(bench.file()), builder)?.run(None)?),
        Fault::Known(known) => {
            let seen = audited.run_known(*known, fills);
            seen.map(|Seen { status, outputs }| Trial { status, cycles: 0, outputs, elements: Vec::new() })
        }
    })
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
        let unchanged = |tried: &&mut Tried| tried.verdict == Verdict::Unchanged;
        if !audit.tried.iter_mut().any(|mut tried| unchanged(&&mut tried)) || is_over() {
            break;
        }
        let file = data.file(audited.file());
        let bench = Bench::new(&file, builder)?;
        let as_it_is = bench.run(None)?;
        if as_it_is.status != Status::Completed {
            continue;
        }
        for tried in audit.tried.iter_mut().filter(unchanged) {
            let Some(trial) = run(&tried.fault, (audited, &data.fills), &bench, builder)? else { continue };
            if trial.status != Status::Completed || trial.elements != as_it_is.elements {
                tried.verdict = Verdict::Missed;
            }
        }
    }
    Ok(())
}
