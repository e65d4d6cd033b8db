//! Outputs beside what they should be: the elements that a program file expects, or a reference in float64.
//! It must never call a result right that nobody compared: without an expectation there is no difference to show.
//! Start reading at [`OutputResult`].

use std::collections::BTreeMap;

use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::Ledger;
use tileproof_numerics::error::{close, difference, in_steps, measure};
use tileproof_numerics::format::DataFormat;

use crate::elements;
use crate::miss;
use crate::place::place;
use crate::program_file::Closeness;
use crate::where_wrong::{WhereWrong, Wrong};
use crate::who_wrote::Writers;

/// A tensor after the run.
#[derive(Clone, PartialEq, Debug)]
pub struct OutputResult {
    /// Its name.
    pub name: String,
    /// Its format.
    pub format: DataFormat,
    /// Largest |out - expected|; `None` if nothing was compared.
    pub max_diff: Option<f64>,
    /// Mean |out - expected|.
    pub mean_diff: Option<f64>,
    /// Largest error in steps of the format, where that is bf16 or fp32; `None` if nothing was compared.
    pub max_ulp: Option<f64>,
    /// Elements that are not as a program file expects.
    pub differing: usize,
    /// The first of them.
    pub first: Option<Difference>,
    /// The one that differs most.
    pub most: Option<Difference>,
    /// Where they are.
    pub place: WhereWrong,
    /// The least absolute tolerance, beside the relative one, with which it would be as expected.
    pub needed_atol: Option<f64>,
    /// How near it came to what its operations may lose, where its tolerance is that.
    pub derived: Option<Derived>,
    /// As expected, or nothing was expected. False if the run ended early.
    pub pass: bool,
    /// Why it misses its reference: the element that misses most.
    pub reason: Option<String>,
}

/// What the elements of an output may be off by, and what they are off by.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Derived {
    /// The largest bound.
    pub largest_bound: f64,
    /// The largest difference, as a share of the bound of its element; above 1 it is beyond it.
    pub share: f64,
}

impl Derived {
    /// Adds an element.
    fn add(&mut self, difference: f64, bound: f64) {
        self.largest_bound = self.largest_bound.max(if bound.is_finite() { bound } else { 0.0 });
        let share = if difference == 0.0 { 0.0 } else { difference / bound };
        self.share = self.share.max(if share.is_nan() { f64::INFINITY } else { share });
    }
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

impl OutputResult {
    /// A tensor that nothing was compared with.
    pub(crate) fn of(tensor: &TensorDescriptor, pass: bool) -> OutputResult {
        OutputResult {
            name: tensor.name.clone(),
            format: tensor.format,
            max_diff: None,
            mean_diff: None,
            max_ulp: None,
            differing: 0,
            first: None,
            most: None,
            place: WhereWrong::default(),
            needed_atol: None,
            derived: None,
            pass,
            reason: None,
        }
    }

    /// The values of a tensor beside a reference, element by element, and the elements that are not as it says.
    pub(crate) fn beside(
        tensor: &TensorDescriptor,
        values: &[f32],
        reference: &[f64],
        allowed: Allowed<'_>,
    ) -> (OutputResult, Vec<usize>) {
        let measures = measure(tensor.format, values, reference).unwrap_or_default();
        let mut derived = None;
        let (needed, wrong) = match allowed.closeness {
            Closeness::Derived => {
                let bound = |at: usize| allowed.tolerance(at);
                let mut lost = Derived::default();
                for (at, (value, exact)) in values.iter().zip(reference).enumerate() {
                    lost.add(difference(f64::from(*value), *exact), bound(at).1);
                }
                derived = Some(lost);
                misses(values, reference, bound)
            }
            // The same of all elements.
            _ => {
                let tolerance = allowed.tolerance(0);
                misses(values, reference, |_| tolerance)
            }
        };
        let pass = wrong.is_empty() && values.len() == reference.len();
        let result = OutputResult {
            max_diff: Some(measures.max_diff),
            mean_diff: Some(measures.mean_diff),
            max_ulp: Some(measures.max_ulp),
            needed_atol: Some(needed),
            derived,
            reason: if pass {
                None
            } else {
                miss::worst(&tensor.name, &tensor.shape, values, reference, &|at| allowed.tolerance(at))
            },
            ..OutputResult::of(tensor, pass)
        };
        (result, wrong)
    }

    /// Adds what the elements of the tensor came to beside those that a program file expects, to what was compared before; the ledgers
    /// are those of the run.
    pub(crate) fn add(&mut self, tensor: &TensorDescriptor, compared: Comparison, ledgers: &[Ledger]) {
        self.max_diff = Some(self.max_diff.unwrap_or(0.0).max(compared.largest));
        let mean = compared.sum / compared.expected.max(1) as f64;
        self.mean_diff = Some(self.mean_diff.unwrap_or(0.0).max(mean));
        let steps = in_steps(tensor.format, 0.0, 1.0).map(|none| none.max(compared.steps));
        self.max_ulp = steps.map(|steps| self.max_ulp.unwrap_or(0.0).max(steps));
        self.differing = self.differing.max(compared.differing);
        self.needed_atol = Some(self.needed_atol.unwrap_or(0.0).max(compared.needed_atol));
        self.derived = compared.derived.or(self.derived);
        self.pass &= compared.found == compared.expected && compared.differing == 0;
        // Of several expectations the first that is missed is told of.
        if self.first.is_none() && compared.first.is_some() {
            let value = |word| elements::value(tensor.format, word);
            let difference = |(at, bits, expected_bits): (usize, u32, u32)| Difference {
                place: place(&tensor.shape, at),
                value: value(bits),
                bits,
                expected: value(expected_bits),
                expected_bits,
            };
            self.first = compared.first.map(difference);
            self.most = compared.most.map(|(_, element)| difference(element));
            self.place = compared.wrong.shown(tensor, Writers::of(tensor, ledgers).as_ref());
        }
    }
}

/// What each element of some tensors may be off by, row-major; the tensors by their numbers.
pub(crate) type Bounds = BTreeMap<usize, Vec<f64>>;

/// How close elements must be, each of its own where that comes of its operations.
#[derive(Clone, Copy)]
pub(crate) struct Allowed<'a> {
    closeness: Closeness,
    bounds: Option<&'a [f64]>,
    /// What is expected is rounded to this share of itself.
    rounded: f64,
}

impl<'a> Allowed<'a> {
    /// Of what is expected in the format of the tensor, to which it is rounded.
    pub(crate) fn of_words(format: DataFormat, closeness: Closeness, bounds: Option<&'a [f64]>) -> Allowed<'a> {
        Allowed { closeness, bounds, rounded: elements::half_a_step(format) }
    }

    /// Of a reference that is not rounded.
    pub(crate) fn of_reference(closeness: Closeness, bounds: Option<&'a [f64]>) -> Allowed<'a> {
        Allowed { closeness, bounds, rounded: 0.0 }
    }

    /// The relative and the absolute tolerance of an element; none of either where bits are compared.
    fn tolerance(self, element: usize) -> (f64, f64) {
        match self.closeness {
            Closeness::Bits => (0.0, 0.0),
            Closeness::Within { rtol, atol } => (rtol, atol),
            Closeness::Derived => {
                let bound = self.bounds.and_then(|bounds| bounds.get(element)).copied();
                (self.rounded, bound.filter(|bound| bound.is_finite()).unwrap_or(0.0))
            }
        }
    }

    /// How close an element must be.
    fn of(self, element: usize) -> Closeness {
        let (rtol, atol) = self.tolerance(element);
        if self.closeness == Closeness::Bits { Closeness::Bits } else { Closeness::Within { rtol, atol } }
    }

    /// Whether an element is as it is expected.
    pub(crate) fn agrees(self, format: DataFormat, element: usize, found: u32, expected: u32) -> bool {
        agrees(format, found, expected, self.of(element))
    }
}

/// Elements beside those that are expected, as far as they were looked at: from the first on, piece by piece.
#[derive(Default)]
pub(crate) struct Comparison {
    largest: f64,
    /// In steps of the format.
    steps: f64,
    sum: f64,
    differing: usize,
    needed_atol: f64,
    derived: Option<Derived>,
    found: usize,
    expected: usize,
    /// The first that differs: its number, its bits, and those expected.
    first: Option<(usize, u32, u32)>,
    /// How far off the one is that differs most, and the same of it.
    most: Option<(f64, (usize, u32, u32))>,
    wrong: Wrong,
}

impl Comparison {
    /// Looks at the next of them.
    pub(crate) fn add(&mut self, format: DataFormat, found: &[u32], expected: &[u32], allowed: Allowed<'_>) {
        if allowed.closeness == Closeness::Derived {
            self.derived.get_or_insert_default();
        }
        for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
            let (value, wanted) = (elements::value(format, *found), elements::value(format, *expected));
            let difference = difference(value, wanted);
            let closeness = allowed.of(self.found + i);
            if let (Some(derived), Closeness::Within { rtol, atol }) = (&mut self.derived, closeness) {
                derived.add(difference, atol + rtol * wanted.abs());
            }
            if difference > 0.0 {
                self.largest = self.largest.max(difference);
                self.steps = self.steps.max(in_steps(format, difference, wanted).unwrap_or(f64::NAN));
            }
            self.sum += difference;
            self.needed_atol = self.needed_atol.max(needed_atol(difference, wanted, closeness));
            if !agrees(format, *found, *expected, closeness) {
                self.differing += 1;
                let element = (self.found + i, *found, *expected);
                self.first.get_or_insert(element);
                if self.most.is_none_or(|(most, _)| difference > most) {
                    self.most = Some((difference, element));
                }
                self.wrong.add(self.found + i);
            }
        }
        self.found += found.len();
        self.expected += expected.len();
    }
}

/// The least absolute tolerance beside the relative one with which all elements are as they should be, and those that are not with the
/// tolerances that they have.
#[inline]
fn misses(values: &[f32], reference: &[f64], tolerance: impl Fn(usize) -> (f64, f64)) -> (f64, Vec<usize>) {
    let (mut needed, mut wrong) = (0.0f64, Vec::new());
    for (at, (value, exact)) in values.iter().zip(reference).enumerate() {
        let ((rtol, atol), value) = (tolerance(at), f64::from(*value));
        let excess = (value - exact).abs() - rtol * exact.abs();
        // Most are within, and need no more than others.
        if excess <= atol && excess <= needed {
            continue;
        }
        needed = needed.max(needed_atol(difference(value, *exact), *exact, Closeness::Within { rtol, atol }));
        if !close(value, *exact, rtol, atol) {
            wrong.push(at);
        }
    }
    (needed, wrong)
}

/// The least absolute tolerance that lets a difference pass; where bits are compared, none but no difference does.
fn needed_atol(difference: f64, expected: f64, closeness: Closeness) -> f64 {
    match closeness {
        _ if difference == 0.0 => 0.0,
        // Beside an infinity that is expected no tolerance helps.
        _ if !difference.is_finite() => f64::INFINITY,
        Closeness::Bits | Closeness::Derived => f64::INFINITY,
        Closeness::Within { rtol, .. } => (difference - rtol * expected.abs()).max(0.0),
    }
}

/// Whether an element is as it is expected.
fn agrees(format: DataFormat, found: u32, expected: u32, closeness: Closeness) -> bool {
    let value = |word| elements::value(format, word);
    match closeness {
        Closeness::Bits | Closeness::Derived => same_bits(format, found, expected),
        Closeness::Within { rtol, atol } => close(value(found), value(expected), rtol, atol),
    }
}

fn same_bits(format: DataFormat, found: u32, expected: u32) -> bool {
    let bits = 8 * if format.is_block_float() { 4 } else { format.tile_bytes() / 1024 };
    (found ^ expected) << (32 - bits) == 0
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
        let mut result = OutputResult::of(&tensor, true);
        // In two pieces, which make no difference.
        let (middle, mut compared) = (found.len() / 2, Comparison::default());
        let allowed = Allowed::of_words(format, closeness, None);
        compared.add(format, &found[..middle], &expected[..middle], allowed);
        compared.add(format, &found[middle..], &expected[middle..], allowed);
        result.add(&tensor, compared, &[]);
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
