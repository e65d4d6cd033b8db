//! The outputs of a program file, each beside all that the file expects of it.
//! It must never compare anything after a run that ended early. Start reading at [`Loaded::outputs`].

use std::borrow::Cow;

use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::Status;

use super::loaded::Loaded;
use crate::device::Output;
use crate::elements;
use crate::output::OutputResult;
use crate::program_file::{Expect, Expected};

impl<O: Observer> Loaded<'_, O> {
    /// Compares the tensors after the run. Of a run that ended early nothing is compared.
    pub(super) fn outputs(&self, status: Status) -> Vec<OutputResult> {
        let file = self.file;
        let mut results = Vec::new();
        for (i, (tensor, data)) in file.program.tensors.iter().zip(&file.tensors).enumerate() {
            let expects: Vec<(&Expect, &Option<Vec<u32>>)> =
                file.expects.iter().zip(&self.expected).filter(|(expect, _)| expect.tensor == i).collect();
            if !data.output && expects.is_empty() {
                continue;
            }
            let completed = status == Status::Completed;
            let mut result = OutputResult::of(tensor, completed);
            if completed && !expects.is_empty() {
                let found = self.elements(i).unwrap_or_default();
                for (expect, expected) in expects {
                    let left = || self.left_in(&expect.values, tensor);
                    let expected = expected.as_ref().map_or_else(left, |words| Cow::Borrowed(words));
                    result.compare(tensor, &found, &expected, expect.closeness);
                }
            }
            results.push(result);
        }
        results
    }

    /// The outputs and their values; of a format that holds no values there is nothing to compare.
    pub(super) fn values(&self) -> Vec<Output> {
        let outputs = self.file.program.tensors.iter().filter(|tensor| tensor.output);
        outputs.filter_map(|tensor| Some((tensor.clone(), self.device.read(&tensor.name).ok()?))).collect()
    }

    /// What the run left in the tensor that another is to be the same as, in the other's format.
    pub(super) fn left_in(&self, expected: &Expected, of: &TensorDescriptor) -> Cow<'_, [u32]> {
        let Expected::SameAs(tensor) = expected else { return Cow::default() };
        let words = self.elements(*tensor).unwrap_or_default();
        elements::converted(words, self.file.program.tensors[*tensor].format, of.format).into()
    }
}
