//! One run of a program with a fault.
//!
//! Start at [`run`].

use tileproof_model::record::Status;

use super::audited::{Audited, Seen};
use super::faults::Fault;
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::run_file::{Bench, RunError, Trial};

/// What a run with a fault came to.
pub(super) enum Run {
    /// It ran.
    Ran {
        /// How, and its outputs.
        trial: Trial,
        /// Whether an output is another than without the fault, in any bit, or the run does not come to its end.
        changes: bool,
        /// Whether the same kernels pass without the fault: else it is not the fault that is seen.
        is_fair: bool,
    },
    /// It cannot be run: why.
    Not(&'static str),
}

/// Data and tolerance of a run.
#[derive(Clone, Copy)]
pub(super) struct Test<'a> {
    /// The inputs that hold other data than those of the program.
    pub(super) fills: &'a [(String, Fill)],
    /// Another absolute tolerance, for kernels that are not those of the program.
    pub(super) atol: Option<f64>,
}

/// Runs a program with a fault, on the data that the bench has, beside what it gives as it is.
pub(super) fn run(
    fault: &Fault,
    (audited, test): (&dyn Audited, Test<'_>),
    (bench, as_it_is): (&Bench<'_>, &Trial),
    builder: &dyn BuildKernels,
) -> Result<Run, RunError> {
    let trial = match fault {
        Fault::Call(mutant) => bench.run(Some(mutant))?,
        Fault::Setting(setting) => match bench.beside(&setting.set(bench.file()), builder) {
            Ok(bench) => bench.run(None)?,
            // Kernels may be written for the settings that they have.
            Err(RunError::Build { .. }) => return Ok(Run::Not("its kernels do not compile so")),
            Err(error) => return Err(error),
        },
        Fault::Known(known) => {
            let Some([wrong, right]) = audited.run_known(*known, test.fills, test.atol) else {
                return Ok(Run::Not("the kernels that had it cannot be run so"));
            };
            let changes = wrong.status != Status::Completed || wrong.outputs != right.outputs;
            let is_fair = right.passes();
            let Seen { status, outputs } = wrong;
            let trial = Trial { status, cycles: 0, outputs, elements: Vec::new(), ledgers: Vec::new() };
            return Ok(Run::Ran { trial, changes, is_fair });
        }
    };
    let changes = trial.status != Status::Completed || trial.elements != as_it_is.elements;
    Ok(Run::Ran { trial, changes, is_fair: true })
}
