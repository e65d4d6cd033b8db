//! Outputs that come out otherwise on another schedule, where nothing in the program file says which is right.
//! It must never speak of an output that is compared with what is expected: that decides.
//! Start reading at [`Loaded::order_shows`].

use tileproof_model::finding::{Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::wording::figure;

use super::loaded::Loaded;
use crate::elements;
use crate::output::OutputResult;
use crate::place::place;
use crate::tensor_findings::at_tensor;

/// The elements of each tensor of a program that is an output of which nothing is expected.
pub(super) type Elements = Vec<Option<Vec<u32>>>;

impl<O: Observer> Loaded<'_, O> {
    /// The elements of each tensor that is an output of which nothing is expected.
    pub(super) fn unexpected_elements(&self, outputs: &[OutputResult]) -> Elements {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors).enumerate();
        let of = |(i, (tensor, data)): (
            usize,
            (&tileproof_model::program::TensorDescriptor, &crate::program_file::TensorData),
        )| {
            let compared = outputs.iter().any(|o| o.name == tensor.name && o.max_diff.is_some());
            if data.output && !compared { self.elements(i) } else { None }
        };
        tensors.map(of).collect()
    }

    /// A finding for each output that is not what it is on the default schedule.
    pub(super) fn order_shows(&self, default: &[Option<Vec<u32>>], now: &[Option<Vec<u32>>]) -> Vec<Finding> {
        let mut findings = Vec::new();
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        for ((tensor, data), (default, now)) in tensors.zip(default.iter().zip(now)) {
            let (Some(default), Some(now)) = (default, now) else { continue };
            let differ: Vec<usize> = (0..now.len().min(default.len())).filter(|i| now[*i] != default[*i]).collect();
            let Some(first) = differ.first().copied() else { continue };
            let at = format!("{:?}", place(&tensor.shape, first));
            let value = |words: &[u32]| figure(elements::value(tensor.format, words[first]));
            let message = format!("output {} depends on the order of the threads", tensor.name);
            let facts = [("first", at.clone()), ("differing", differ.len().to_string())];
            findings.push(Finding {
                primary_text: format!("{} by default at {at}, {} on this schedule", value(default), value(now)),
                help: Some(
                    "order what writes it and what reads it: with a barrier, a semaphore or a circular buffer".into(),
                ),
                ..at_tensor(&tensor.name, self.place(data.line), Code::ORDER_SHOWS, message, facts)
            });
        }
        findings
    }
}
