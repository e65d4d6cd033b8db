//! Faults of a program whose tensors stand on a device: there the test is the host program's own, and so is who asks it.
//!
//! Start at [`run_standing_with`].

use super::faults::{self, Fault};
use crate::cpp_kernels::BuildKernels;
use crate::program_file::{ProgramFile, Standing};
use crate::run_file::{Bench, ChosenChecks, RunError, RunOptions, RunResult, run_standing};

/// What can be wrong with a program.
///
/// # Errors
/// If it cannot be run.
pub(crate) fn faults_of(file: &ProgramFile, builder: &dyn BuildKernels) -> Result<Vec<Fault>, RunError> {
    Ok(faults::of(file, Bench::new(file, builder)?.spots()?, Vec::new()))
}

/// Runs a program with one thing wrong; nobody observes it.
///
/// # Errors
/// If it cannot be run so.
pub(crate) fn run_standing_with(
    fault: &Fault,
    file: &ProgramFile,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Vec<Standing>), RunError> {
    let set = match fault {
        Fault::Call(mutant) => return Bench::new(file, builder)?.run_standing(mutant),
        Fault::Setting(setting) => setting.set(file),
        // Of kernels that were published: a host program has its own.
        Fault::Known(_) => file.clone(),
    };
    let (checks, isolation) = (ChosenChecks::None, builder.isolation());
    run_standing(&set, &RunOptions { checks, isolation, ..RunOptions::default() }, builder)
}
