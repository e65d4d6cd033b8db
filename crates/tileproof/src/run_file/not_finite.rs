//! NaN and infinity in an output, when no input held any.
//! Where they do not contradict what is expected they are a note: a logarithm of 0 may be meant.
//! It must never look at padding, nor at pages that nobody wrote. Start reading at [`Loaded::not_finite`].

use tileproof_model::finding::{Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;
use tileproof_numerics::format::DataFormat;

use super::loaded::Loaded;
use super::outputs::Left;
use crate::elements;
use crate::output::OutputResult;
use crate::place::place;
use crate::program_file::TensorData;
use crate::tensor_findings::at_tensor;

impl<O: Observer> Loaded<'_, O> {
    /// Findings and notes about outputs that hold NaN or infinity though no input does.
    pub(super) fn not_finite(&self, outputs: &[OutputResult]) -> (Vec<Finding>, Vec<Finding>) {
        let tensors = || self.file.program.tensors.iter().zip(&self.file.tensors).enumerate();
        let is_output = |i: usize| {
            let (tensor, data) = (&self.file.program.tensors[i], &self.file.tensors[i]);
            data.output && is_float(tensor.format) && self.device.undefined_pages(i).is_none()
        };
        let mut found: Vec<(Finding, bool)> = Vec::new();
        for (i, (tensor, data)) in tensors().filter(|(i, _)| is_output(*i)) {
            let mut left = Left::of(self, i);
            let (mut count, mut first) = (None, 0);
            for piece in left.pieces(None) {
                Count::add(&mut count, tensor, first, &left.next(&piece));
                first += piece.elements();
            }
            let Some(count) = count else { continue };
            let as_expected = outputs.iter().filter(|o| o.name == tensor.name).all(|o| o.pass);
            found.push((self.finding(tensor, data.line, &count), as_expected));
        }
        // Inputs are looked at only when there is something to explain; as they were filled, since kernels may have
        // written over them since.
        let was_finite = |(i, (tensor, data)): (usize, (&TensorDescriptor, &TensorData))| {
            let Some(fill) = data.fill.as_ref().filter(|_| is_float(tensor.format)) else { return true };
            let words = fill.words(&tensor.shape, tensor.format, self.file.seed, i as u64);
            let mut count = None;
            words.is_ok_and(|words| {
                Count::add(&mut count, tensor, 0, &words);
                count.is_none()
            })
        };
        let inputs_are_finite = found.is_empty() || tensors().all(was_finite);
        if !inputs_are_finite {
            return (Vec::new(), Vec::new());
        }
        let (notes, findings): (Vec<_>, Vec<_>) = found.into_iter().partition(|(_, as_expected)| *as_expected);
        let plain = |list: Vec<(Finding, bool)>| list.into_iter().map(|(finding, _)| finding).collect();
        (plain(findings), plain(notes))
    }

    fn finding(&self, tensor: &TensorDescriptor, line: usize, count: &Count) -> Finding {
        let what = match (count.nan, count.infinite) {
            (nan, 0) => format!("{nan} NaN"),
            (0, infinite) => format!("{infinite} infinite values"),
            (nan, infinite) => format!("{nan} NaN and {infinite} infinite values"),
        };
        let first = format!("{:?}", place(&tensor.shape, count.first));
        let message = format!("output {} holds {what}, and no input holds any", tensor.name);
        let facts =
            [("nan", count.nan.to_string()), ("infinite", count.infinite.to_string()), ("first", first.clone())];
        Finding {
            primary_text: format!("the first at {first}"),
            notes: vec!["undefined memory is all ones, a NaN: padding that enters a sum looks like this".into()],
            help: Some("print Dst tiles with DPRINT on the way, and look for the first that holds one".into()),
            ..at_tensor(&tensor.name, self.place(line), Code::NOT_FINITE, message, facts)
        }
    }
}

fn is_float(format: DataFormat) -> bool {
    use DataFormat::*;
    matches!(format, Float32 | Tf32 | Float16 | Float16_b)
}

/// NaN and infinities of a tensor.
#[derive(PartialEq, Eq, Debug)]
struct Count {
    nan: usize,
    infinite: usize,
    first: usize,
}

impl Count {
    /// Adds elements, of which the first has this number; `None` stays if all are finite.
    fn add(count: &mut Option<Count>, tensor: &TensorDescriptor, first: usize, words: &[u32]) {
        for (i, word) in words.iter().enumerate() {
            let value = elements::value(tensor.format, *word);
            if !value.is_finite() {
                let count = count.get_or_insert(Count { nan: 0, infinite: 0, first: first + i });
                *if value.is_nan() { &mut count.nan } else { &mut count.infinite } += 1;
            }
        }
    }
}
