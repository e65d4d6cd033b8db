//! Tolerances that come of the operations of a program: what each element of an output may be off by, by the formats and units
//! that its data went through.
//!
//! It must never take a bound from what is expected, nor let an element pass of which none is known. Start at
//! [`Loaded::derive`].

use tileproof_check::values::shadow::Shadow;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::record::Status;

use super::diagnose::PADDINGS;
use super::error::RunError;
use super::loaded::Loaded;
use super::options::RunOptions;
use crate::apart;
use crate::cpp_kernels::{BuildKernels, Kernels};
use crate::output::Bounds;
use crate::program_file::{Closeness, ProgramFile};

/// What the elements of the outputs of a program may be off by, for whoever runs it on a device of their own.
///
/// # Errors
/// As [`super::run_program_file`], and if a bound is not known.
pub(crate) fn bounds_of(
    file: &ProgramFile,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<Bounds, RunError> {
    let tensors = file.program.tensors.iter().enumerate().filter(|(_, tensor)| tensor.output);
    let tensors: Vec<usize> = tensors.map(|(number, _)| number).collect();
    let run = Loaded::<Unobserved>::prepare(file, options)?;
    let kernels = run.build(builder)?;
    run.bounds(&kernels, &tensors)
}

impl<O: Observer> Loaded<'_, O> {
    /// Works out what outputs may be off by whose expectations go by that. The program need not have run.
    pub(super) fn derive(&mut self, kernels: &Kernels) -> Result<(), RunError> {
        let derived = self.file.expects.iter().filter(|expect| expect.closeness == Closeness::Derived);
        let tensors: Vec<usize> = derived.map(|expect| expect.tensor).collect();
        if !tensors.is_empty() {
            self.bounds = self.bounds(kernels, &tensors)?;
        }
        Ok(())
    }

    /// Runs the program again, and follows what its data may be off by.
    fn bounds(&self, kernels: &Kernels, tensors: &[usize]) -> Result<Bounds, RunError> {
        let no_bound = |tensor: usize, why: String| RunError::NoBound {
            path: self.file.path.clone(),
            tensor: self.file.program.tensors[tensor].name.clone(),
            why,
        };
        let mut run = self.padded::<Shadow>(&|_| PADDINGS[0])?;
        let shadow = run.device.machine_mut().observer_mut();
        shadow.will_be_bounded();
        shadow.prepare(self.homes(), self.file.program.launches.len());
        let answer = apart::bounds(&self.file.program, kernels, |kernels| {
            let record = run.launch(kernels)?;
            let shadow = run.device.machine_mut().observer_mut();
            let all: Vec<Vec<u64>> = match record.status {
                Status::Completed => {
                    let bits = |tensor: &usize| shadow.bounds(*tensor).into_iter().map(f64::to_bits).collect();
                    tensors.iter().map(bits).collect()
                }
                _ => Vec::new(),
            };
            Ok::<_, RunError>((all, shadow.not_exact().unwrap_or_default()))
        })?;
        let (all, not_exact) = answer.map_err(|why| no_bound(tensors[0], why))?;
        if all.is_empty() {
            return Err(no_bound(tensors[0], "the run did not complete when it was repeated".into()));
        }
        let all: Bounds = tensors
            .iter()
            .zip(all)
            .map(|(tensor, bits)| (*tensor, bits.into_iter().map(f64::from_bits).collect()))
            .collect();
        for (tensor, bounds) in &all {
            let unknown = bounds.iter().filter(|bound| bound.is_infinite()).count();
            if unknown > 0 {
                return Err(no_bound(*tensor, why_none(&not_exact, unknown)));
            }
        }
        Ok(all)
    }
}

/// Why so many elements have no bound.
fn why_none(not_exact: &str, elements: usize) -> String {
    let of = tileproof_model::wording::count(elements as u64, "element");
    if not_exact.is_empty() {
        format!("of {of} it is not known: a divisor may be 0, a number too large, or the run is too long")
    } else {
        format!("of {of} it is not known: exact arithmetic does not follow {not_exact}")
    }
}
