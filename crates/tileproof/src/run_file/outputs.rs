//! Outputs beside what is expected of them.
//! It must never call a result right that nobody compared: without an expectation there is no difference to show.
//! Start reading at [`OutputResult`].

use std::borrow::Cow;

use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::Status;
use tileproof_numerics::format::DataFormat;

use super::{Run, elements};
use crate::program_file::{Closeness, Expect, Expected};

/// A tensor after the run.
#[derive(Clone, PartialEq, Debug)]
pub struct OutputResult {
    /// Its name.
    pub name: String,
    /// Largest |out - expected|; `None` if nothing was compared.
    pub max_diff: Option<f64>,
    /// Mean |out - expected|.
    pub mean_diff: Option<f64>,
    /// Elements that are not as expected.
    pub differing: usize,
    /// The first of them.
    pub first: Option<Difference>,
    /// As expected, or nothing was expected. False if the run ended early.
    pub pass: bool,
}

/// An element that is not as expected.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// Its place in the logical shape.
    pub place: Vec<u32>,
    /// What came out.
    pub value: f64,
    /// Its bits.
    pub bits: u32,
    /// What was expected.
    pub expected: f64,
    /// Its bits.
    pub expected_bits: u32,
}

impl<O: Observer> Run<'_, O> {
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
            let mut result = OutputResult {
                name: tensor.name.clone(),
                max_diff: None,
                mean_diff: None,
                differing: 0,
                first: None,
                pass: completed,
            };
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
}

impl<O: Observer> Run<'_, O> {
    /// What the run left in the tensor that another is to be the same as, in the other's format.
    fn left_in(&self, expected: &Expected, of: &TensorDescriptor) -> Cow<'_, [u32]> {
        let Expected::SameAs(tensor) = expected else { return Cow::default() };
        let words = self.elements(*tensor).unwrap_or_default();
        elements::converted(words, self.file.program.tensors[*tensor].format, of.format).into()
    }
}

impl OutputResult {
    fn compare(&mut self, tensor: &TensorDescriptor, found: &[u32], expected: &[u32], closeness: Closeness) {
        let format = tensor.format;
        let (mut largest, mut sum) = (0.0f64, 0.0);
        let mut differing = 0;
        for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
            let (value, wanted) = (elements::value(format, *found), elements::value(format, *expected));
            let difference = difference(value, wanted);
            largest = largest.max(difference);
            sum += difference;
            let close = match closeness {
                Closeness::Bits => same_bits(format, *found, *expected),
                // An infinite tolerance would let NaN through.
                Closeness::Within { rtol, atol } => {
                    difference == 0.0 || difference.is_finite() && difference <= atol + rtol * wanted.abs()
                }
            };
            if !close {
                differing += 1;
                self.first.get_or_insert_with(|| Difference {
                    place: place(&tensor.shape, i),
                    value,
                    bits: *found,
                    expected: wanted,
                    expected_bits: *expected,
                });
            }
        }
        let whole = found.len() == expected.len();
        self.max_diff = Some(self.max_diff.unwrap_or(0.0).max(largest));
        self.mean_diff = Some(self.mean_diff.unwrap_or(0.0).max(sum / expected.len().max(1) as f64));
        self.differing = self.differing.max(differing);
        self.pass &= whole && differing == 0;
    }
}

fn same_bits(format: DataFormat, found: u32, expected: u32) -> bool {
    let bits = 8 * if format.is_block_float() { 4 } else { format.tile_bytes() / 1024 };
    (found ^ expected) << (32 - bits) == 0
}

/// |a - b|; equal infinities and two NaN do not differ, a NaN alone is infinitely far.
fn difference(a: f64, b: f64) -> f64 {
    if a == b || a.is_nan() && b.is_nan() {
        return 0.0;
    }
    let difference = (a - b).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

/// The place of flat element `i`.
pub(crate) fn place(shape: &[u32], i: usize) -> Vec<u32> {
    let mut rest = i;
    let mut place = vec![0; shape.len()];
    for (index, length) in place.iter_mut().zip(shape).rev() {
        *index = (rest % *length as usize) as u32;
        rest /= *length as usize;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::program::{Layout, MemoryConfig};

    fn compared(format: DataFormat, found: &[u32], expected: &[u32], closeness: Closeness) -> OutputResult {
        let tensor = TensorDescriptor {
            name: "y".into(),
            shape: vec![1, expected.len() as u32],
            format,
            layout: Layout::RowMajor,
            memory: MemoryConfig::Dram,
            output: true,
        };
        let mut result =
            OutputResult { name: "y".into(), max_diff: None, mean_diff: None, differing: 0, first: None, pass: true };
        result.compare(&tensor, found, expected, closeness);
        result
    }

    #[test]
    fn bits_must_be_the_same_bits() {
        // +0 and -0 are equal numbers and different bits; so are two NaN.
        let result = compared(DataFormat::Float16_b, &[0x3F80, 0x8000, 0x7FC0], &[0x3F80, 0, 0x7FC1], Closeness::Bits);
        assert_eq!((result.differing, result.pass, result.max_diff), (2, false, Some(0.0)));
        assert_eq!(result.first.unwrap().place, [0, 1]);
        // Only the bits that the format has.
        assert!(compared(DataFormat::Int8, &[0xFFFF_FFFE], &[0xFE], Closeness::Bits).pass);
        assert!(!compared(DataFormat::Int8, &[0xFE], &[0x7E], Closeness::Bits).pass);
    }

    #[test]
    fn a_tolerance_is_absolute_plus_relative_and_no_nan_passes() {
        let close = |found: f32, expected: f32, rtol, atol| {
            let closeness = Closeness::Within { rtol, atol };
            compared(DataFormat::Float32, &[found.to_bits()], &[expected.to_bits()], closeness)
        };
        assert!(close(100.9, 100.0, 1e-2, 0.0).pass);
        assert!(!close(101.1, 100.0, 1e-2, 0.0).pass);
        assert!(close(0.5, 0.25, 0.0, 0.25).pass);
        let nan = close(f32::NAN, 1.0, 1e9, f64::INFINITY);
        assert_eq!((nan.pass, nan.max_diff), (false, Some(f64::INFINITY)));
        assert!(close(f32::INFINITY, f32::INFINITY, 0.0, 0.0).pass);
    }

    #[test]
    fn integers_differ_by_their_values() {
        let closeness = Closeness::Within { rtol: 0.0, atol: 2.0 };
        let result = compared(DataFormat::Int32, &[0xFFFF_FFFF, 7], &[1, 7], closeness);
        assert_eq!((result.max_diff, result.mean_diff, result.pass), (Some(2.0), Some(1.0), true));
    }
}
