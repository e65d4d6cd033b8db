//! One run of a program with a fault.
//!
//! Start at [`run`].

use super::audited::{Audited, Seen};
use super::faults::Fault;
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::run_file::{Bench, RunError, Trial};

/// Runs a program with a fault, on the data that the bench has, which are others for some inputs; `None` if it cannot be.
pub(super) fn run(
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
