//! A constant that stands for 1/N and was rounded before the program began: the program is run again with what is meant.
//!
//! It must never guess what that gives. Start at [`Loaded::try_fraction`].

use tileproof_check::values::shadow::{ONE_OVER, Question, STANDS_FOR_IT, WITHOUT_IT};
use tileproof_model::finding::Finding;
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::record::Status;
use tileproof_model::wording::figure;

use super::diagnose::PADDINGS;
use super::error::RunError;
use super::loaded::Loaded;
use crate::cpp_kernels::Kernels;
use crate::elements;

/// The fact that says what the output was off by in that run.
const IN_A_RUN: &str = "largest_in_a_run";

impl<O: Observer> Loaded<'_, O> {
    /// Adds to a finding about such a constant what its output is off by where the constant is as near to 1/N as a register holds it.
    pub(super) fn try_fraction(
        &self,
        kernels: &Kernels,
        all: &[Question],
        finding: &mut Finding,
    ) -> Result<(), RunError> {
        let fact = |name: &str| finding.facts.get(name).map(String::as_str);
        let number = |name: &str| fact(name)?.parse::<f32>().ok();
        let (Some(of), Some(held), Some(output)) = (number(ONE_OVER), number(STANDS_FOR_IT), fact("output")) else {
            return Ok(());
        };
        let is_its = |question: &&Question| self.file.program.tensors[question.tensor].name == output;
        let Some(question) = all.iter().find(is_its) else { return Ok(()) };
        let mut run = self.padded::<Unobserved>(&|_| PADDINGS[0])?;
        run.device.machine_mut().replace_constant(held, 1.0 / of);
        let record = run.launch(kernels)?;
        if record.status != Status::Completed {
            return Ok(());
        }
        let format = self.file.program.tensors[question.tensor].format;
        let words = run.elements(question.tensor).unwrap_or_default();
        let off = |(word, expected): (&u32, &f64)| (elements::value(format, *word) - expected).abs();
        let largest = words.iter().zip(&question.expected).map(off).fold(0.0, f64::max);
        let without = fact(WITHOUT_IT).unwrap_or("less");
        let note = format!(
            "tried again with 1/{of} as near as SrcA and SrcB hold it, {output} is off by up to {}; by the shares it would be {without}",
            figure(largest)
        );
        finding.facts.insert(IN_A_RUN.into(), figure(largest));
        finding.notes.insert(0, note);
        Ok(())
    }
}
