//! Input data: the FILL words of the command line and of program files, and the values they stand for.
//! It must never use libm or the host's random numbers: a fill is the same on every host, for ever.
//! Start reading at [`Fill`] and [`Fill::values`].

mod random;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tileproof_numerics::format::DataFormat;

use crate::npy::{self, NpyError};
use random::{SplitMix64, normal, stream_key, unit};

/// What a tensor is filled with.
#[derive(Clone, PartialEq, Debug)]
pub enum Fill {
    /// Normal variates.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation, not negative.
        std: f64,
    },
    /// Variates from `lo` up to `hi`.
    Uniform {
        /// Least value.
        lo: f64,
        /// Upper end.
        hi: f64,
    },
    /// One value everywhere.
    Constant(f64),
    /// From `lo` at the first place of the last dimension to `hi` at its last.
    Ramp {
        /// First value.
        lo: f64,
        /// Last value.
        hi: f64,
    },
    /// The elements of a `.npy` file.
    Npy(PathBuf),
    /// Values that somebody has worked out, row-major. No text stands for them.
    Values(Arc<[f64]>),
    /// The same, rounded to the format of the tensor already.
    Rounded(Arc<[f32]>),
}

/// What the text of a fill may be.
pub(crate) const GRAMMAR: &str = "normal[:mean,std], uniform[:lo,hi], constant:V, ramp[:lo,hi] or npy:FILE";

/// Why a fill is refused.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FillError {
    #[error("fill \"{text}\": {kind} is not a fill; use {GRAMMAR}")]
    UnknownKind { text: String, kind: String },
    #[error("fill \"{text}\": expected {grammar}")]
    Grammar { text: String, grammar: &'static str },
    #[error("fill \"{text}\": {value} is not a number")]
    NotANumber { text: String, value: String },
    #[error("fill \"{text}\": {problem}")]
    BadRange { text: String, problem: &'static str },
    #[error("fill: {value:e} is beyond what {} can hold", .format.dtype_name())]
    OutOfRange { value: f64, format: DataFormat },
    #[error("fill: {format:?} data are integers, not values")]
    Integers { format: DataFormat },
    #[error("fill: {given} values given, the shape has {needed}")]
    Count { given: usize, needed: usize },
    #[error("formula: {0}")]
    Formula(String),
    #[error("fill: tensors of {format:?} cannot be filled")]
    Format { format: DataFormat },
    #[error(transparent)]
    Npy(#[from] NpyError),
}

impl Fill {
    /// The text that stands for it, as [`Fill::parse`] reads it; `None` of values that somebody has worked out.
    pub fn text(&self) -> Option<String> {
        (!matches!(self, Fill::Values(_) | Fill::Rounded(_))).then(|| self.to_string())
    }

    /// A name that no other fill has. What is in a file is the file's.
    pub(crate) fn identity(&self) -> String {
        match self {
            Fill::Values(values) => values.iter().map(|value| format!("{:x},", value.to_bits())).collect(),
            Fill::Rounded(values) => values.iter().map(|value| format!("{:x},", value.to_bits())).collect(),
            other => other.to_string(),
        }
    }
}

impl std::fmt::Display for Fill {
    /// As [`Fill::parse`] reads it, where a text stands for it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fill::Normal { mean, std } => write!(f, "normal:{mean},{std}"),
            Fill::Uniform { lo, hi } => write!(f, "uniform:{lo},{hi}"),
            Fill::Constant(value) => write!(f, "constant:{value}"),
            Fill::Ramp { lo, hi } => write!(f, "ramp:{lo},{hi}"),
            Fill::Npy(path) => write!(f, "npy:{}", path.display()),
            Fill::Values(values) => write!(f, "{} values", values.len()),
            Fill::Rounded(values) => write!(f, "{} values", values.len()),
        }
    }
}

impl Fill {
    /// Reads a FILL: `normal[:mean,std]`, `uniform[:lo,hi]`, `constant:V`, `ramp[:lo,hi]`, `npy:FILE`.
    ///
    /// # Errors
    /// If the text is none of them, naming what is wrong with it.
    pub fn parse(text: &str) -> Result<Fill, FillError> {
        let (kind, rest) = match text.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        let bad_range = |problem| FillError::BadRange { text: text.to_string(), problem };
        let pair = |default: (f64, f64), grammar: &'static str| -> Result<(f64, f64), FillError> {
            let Some(rest) = rest else { return Ok(default) };
            let Some((a, b)) = rest.split_once(',') else {
                return Err(FillError::Grammar { text: text.to_string(), grammar });
            };
            let (a, b) = (number(text, a)?, number(text, b)?);
            if !a.is_finite() || !b.is_finite() {
                return Err(bad_range("the numbers must be finite"));
            }
            Ok((a, b))
        };
        match kind {
            "normal" => {
                let (mean, std) = pair((0.0, 1.0), "normal or normal:mean,std")?;
                if std < 0.0 {
                    return Err(bad_range("std must not be negative"));
                }
                Ok(Fill::Normal { mean, std })
            }
            "uniform" => {
                let (lo, hi) = pair((0.0, 1.0), "uniform or uniform:lo,hi")?;
                if lo > hi {
                    return Err(bad_range("lo must not be above hi"));
                }
                Ok(Fill::Uniform { lo, hi })
            }
            "ramp" => {
                let (lo, hi) = pair((-1.0, 1.0), "ramp or ramp:lo,hi")?;
                Ok(Fill::Ramp { lo, hi })
            }
            "constant" => match rest {
                Some(value) => Ok(Fill::Constant(number(text, value)?)),
                None => Err(FillError::Grammar { text: text.to_string(), grammar: "constant:V" }),
            },
            "npy" => match rest {
                Some(file) if !file.is_empty() => Ok(Fill::Npy(PathBuf::from(file))),
                _ => Err(FillError::Grammar { text: text.to_string(), grammar: "npy:FILE" }),
            },
            _ => Err(FillError::UnknownKind { text: text.to_string(), kind: format!("\"{kind}\"") }),
        }
    }

    /// The fill with a relative file made relative to `folder`.
    pub fn relative_to(self, folder: &Path) -> Fill {
        match self {
            Fill::Npy(file) => Fill::Npy(folder.join(file)),
            other => other,
        }
    }

    /// The file whose float32 values are rounded in a tensor of `format`: who runs the tensor says so.
    pub fn rounded_file(&self, format: DataFormat) -> Option<&Path> {
        match self {
            Fill::Npy(file) if npy::rounds(file, format) => Some(file),
            _ => None,
        }
    }

    /// The values of a tensor of a float format, row-major, rounded to the format. Block floats are
    /// not rounded: only their encoder knows which elements share an exponent. `stream` tells the
    /// tensors of one seed apart.
    ///
    /// # Errors
    /// If the file of an `npy:` fill does not fit, a value overflows, or the format holds integers.
    pub fn values(&self, shape: &[u32], format: DataFormat, seed: u64, stream: u64) -> Result<Vec<f32>, FillError> {
        let words = self.words(shape, format, seed, stream)?;
        match format {
            DataFormat::Float16_b => Ok(words.into_iter().map(|w| f32::from_bits(w << 16)).collect()),
            _ if integer_range(format).is_some() => Err(FillError::Integers { format }),
            _ => Ok(words.into_iter().map(f32::from_bits).collect()),
        }
    }

    /// The elements of a tensor of any format, row-major: bf16 as its 16 bits, fp32 and block floats
    /// as the bits of an f32, integers as two's complement, in the low bits where the format is narrower. Numbers become
    /// integers by rounding to the nearest, ties to even.
    ///
    /// # Errors
    /// If the file of an `npy:` fill does not fit, or a value is beyond the format's range.
    pub fn words(&self, shape: &[u32], format: DataFormat, seed: u64, stream: u64) -> Result<Vec<u32>, FillError> {
        let count = shape.iter().map(|d| *d as usize).product::<usize>();
        let width = shape.last().copied().unwrap_or(1) as usize;
        let key = stream_key(seed, stream);
        let word = |value: f64| encode(format, value);
        match *self {
            Fill::Npy(ref file) => {
                self.holds(format)?;
                let (dtype, words) = npy::read_elements(file, shape, format)?;
                if npy::is_rounded(format, dtype) { Fill::rounded(words, format) } else { Ok(words) }
            }
            Fill::Values(ref values) if values.len() != count => {
                Err(FillError::Count { given: values.len(), needed: count })
            }
            Fill::Rounded(ref values) if values.len() != count => {
                Err(FillError::Count { given: values.len(), needed: count })
            }
            Fill::Rounded(ref values) if format == DataFormat::Float16_b => {
                Ok(values.iter().map(|value| value.to_bits() >> 16).collect())
            }
            Fill::Rounded(ref values) => Ok(values.iter().map(|value| value.to_bits()).collect()),
            Fill::Values(ref values) => values.iter().map(|value| word(*value)).collect(),
            Fill::Constant(_) | Fill::Ramp { .. } | Fill::Uniform { .. } | Fill::Normal { .. } => {
                self.words_at(0..count, width, format, key).unwrap_or_else(|| Ok(Vec::new()))
            }
        }
    }

    /// Whether an array can hold the elements of a tensor of this format.
    pub(crate) fn holds(&self, format: DataFormat) -> Result<(), FillError> {
        let can = format == DataFormat::Float16_b || npy::dtype_of(format).is_some();
        if can { Ok(()) } else { Err(FillError::Format { format }) }
    }

    /// Bits of float32 as elements of a format that has fewer.
    pub(crate) fn rounded(words: Vec<u32>, format: DataFormat) -> Result<Vec<u32>, FillError> {
        words.into_iter().map(|bits| encode(format, f64::from(f32::from_bits(bits)))).collect()
    }

    /// Some of the elements that [`Fill::words`] gives, for tensors that are filled piece by piece; `None` of a fill that is there whole.
    pub(crate) fn piece(
        &self,
        elements: Range<usize>,
        shape: &[u32],
        format: DataFormat,
        seed: u64,
        stream: u64,
    ) -> Option<Result<Vec<u32>, FillError>> {
        let width = shape.last().copied().unwrap_or(1) as usize;
        self.words_at(elements, width, format, stream_key(seed, stream))
    }

    fn words_at(
        &self,
        elements: Range<usize>,
        width: usize,
        format: DataFormat,
        key: u64,
    ) -> Option<Result<Vec<u32>, FillError>> {
        let word = |value: f64| encode(format, value);
        Some(match *self {
            Fill::Npy(_) | Fill::Values(_) | Fill::Rounded(_) => return None,
            Fill::Constant(value) => word(value).map(|word| vec![word; elements.len()]),
            Fill::Ramp { lo, hi } => {
                let steps = width.saturating_sub(1).max(1) as f64;
                let at = |j: usize| {
                    if j + 1 == width && j > 0 { hi } else { lo + (hi - lo) * (j as f64 / steps) }
                };
                let row = (0..width).map(|j| word(at(j))).collect::<Result<Vec<u32>, _>>();
                let first = elements.start.checked_rem(width).unwrap_or(0);
                row.map(|row| row.iter().copied().cycle().skip(first).take(elements.len()).collect())
            }
            Fill::Uniform { lo, hi } => {
                let value = |i: usize| lo + (hi - lo) * unit(SplitMix64::at(key, i as u64).next());
                elements.map(|i| word(value(i))).collect()
            }
            Fill::Normal { mean, std } => {
                let value = |i: usize| mean + std * normal(&mut SplitMix64::at(key, i as u64));
                elements.map(|i| word(value(i))).collect()
            }
        })
    }
}

fn number(text: &str, value: &str) -> Result<f64, FillError> {
    value.trim().parse().map_err(|_| FillError::NotANumber { text: text.to_string(), value: format!("\"{value}\"") })
}

/// Least and greatest value of an integer format.
fn integer_range(format: DataFormat) -> Option<(f64, f64)> {
    match format {
        DataFormat::Int32 => Some((f64::from(i32::MIN), f64::from(i32::MAX))),
        DataFormat::UInt32 => Some((0.0, f64::from(u32::MAX))),
        DataFormat::UInt16 => Some((0.0, f64::from(u16::MAX))),
        DataFormat::UInt8 => Some((0.0, f64::from(u8::MAX))),
        DataFormat::Int8 => Some((f64::from(i8::MIN), f64::from(i8::MAX))),
        _ => None,
    }
}

/// The format of most tensors goes first: this runs once an element.
#[inline(always)]
fn encode(format: DataFormat, value: f64) -> Result<u32, FillError> {
    if format == DataFormat::Float16_b {
        let bits = f64_to_bf16(value);
        if bits & 0x7FFF != 0x7F80 {
            return Ok(u32::from(bits));
        }
    }
    encode_any(format, value)
}

#[inline(never)]
fn encode_any(format: DataFormat, value: f64) -> Result<u32, FillError> {
    // Made only where it is wanted.
    let out_of_range = || FillError::OutOfRange { value, format };
    if let Some((least, greatest)) = integer_range(format) {
        let rounded = value.round_ties_even();
        // NaN fails both comparisons.
        if !(rounded >= least && rounded <= greatest) {
            return Err(out_of_range());
        }
        return Ok(rounded as i64 as u32);
    }
    let (word, overflows) = match format {
        DataFormat::Float16_b => {
            let bits = f64_to_bf16(value);
            (u32::from(bits), bits & 0x7FFF == 0x7F80)
        }
        DataFormat::Float32 | DataFormat::Bfp8_b | DataFormat::Bfp4_b => {
            let single = value as f32;
            (single.to_bits(), single.is_infinite())
        }
        _ => return Err(FillError::Format { format }),
    };
    if overflows && value.is_finite() { Err(out_of_range()) } else { Ok(word) }
}

/// Rounds to nearest, ties to even, once.
#[inline]
pub(crate) fn f64_to_bf16(value: f64) -> u16 {
    // What has the exponent of a normal bf16 before and after is rounded where it stands: 45 bits go, the exponent's bias
    // falls from 1023 to 127.
    let bits = value.to_bits();
    let magnitude = bits & (u64::MAX >> 1);
    let rounded = (magnitude + ((1 << 44) - 1) + (magnitude >> 45 & 1)) >> 45;
    let least = (1023 - 126) << 7;
    if magnitude >> 45 >= least && rounded < (1023 + 128) << 7 {
        return (rounded - ((1023 - 127) << 7)) as u16 | (bits >> 63 << 15) as u16;
    }
    by_way_of_f32(value)
}

/// The way over f32 drops bits, so their trace is kept in its last bit, where it decides a tie (rounding to odd).
fn by_way_of_f32(value: f64) -> u16 {
    let single = value as f32;
    let back = f64::from(single);
    let bits = single.to_bits();
    if back == value || value.is_nan() || single.is_infinite() {
        return tileproof_numerics::host::f32_to_bf16(single);
    }
    // Towards zero first, then the last bit is set because something was dropped.
    let towards_zero = if back.abs() > value.abs() { bits - 1 } else { bits };
    tileproof_numerics::host::f32_to_bf16(f32::from_bits(towards_zero | 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FP32: DataFormat = DataFormat::Float32;
    const BF16: DataFormat = DataFormat::Float16_b;

    fn values(text: &str, count: u32, seed: u64, stream: u64) -> Vec<f32> {
        Fill::parse(text).unwrap().values(&[count], FP32, seed, stream).unwrap()
    }

    /// The central moments 1 to 4, in f64.
    fn moments(values: &[f32]) -> [f64; 4] {
        let n = values.len() as f64;
        let mean = values.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
        let central = |power: i32| values.iter().map(|v| (f64::from(*v) - mean).powi(power)).sum::<f64>() / n;
        [mean, central(2), central(3), central(4)]
    }

    #[test]
    fn the_grammar_has_five_words() {
        let parse = |text| Fill::parse(text).unwrap();
        assert_eq!(parse("normal"), Fill::Normal { mean: 0.0, std: 1.0 });
        assert_eq!(parse("normal:-2,0.5"), Fill::Normal { mean: -2.0, std: 0.5 });
        assert_eq!(parse("uniform"), Fill::Uniform { lo: 0.0, hi: 1.0 });
        assert_eq!(parse("uniform:-1,1"), Fill::Uniform { lo: -1.0, hi: 1.0 });
        assert_eq!(parse("constant:1e4"), Fill::Constant(1e4));
        assert_eq!(parse("ramp"), Fill::Ramp { lo: -1.0, hi: 1.0 });
        assert_eq!(parse("ramp:3,-3"), Fill::Ramp { lo: 3.0, hi: -3.0 });
        assert_eq!(parse("npy:a:b.npy"), Fill::Npy("a:b.npy".into()));
    }

    #[test]
    fn what_is_no_fill_is_refused_with_the_words_that_are() {
        let error = |text| Fill::parse(text).unwrap_err().to_string();
        assert!(error("gauss:0,1").contains("\"gauss\" is not a fill; use normal[:mean,std], uniform[:lo,hi]"));
        assert!(error("normal:1").ends_with("expected normal or normal:mean,std"));
        assert!(error("uniform:1,x").ends_with("\"x\" is not a number"));
        assert!(error("uniform:1,0").ends_with("lo must not be above hi"));
        assert!(error("normal:0,-1").ends_with("std must not be negative"));
        assert!(error("ramp:0,inf").ends_with("the numbers must be finite"));
        assert!(error("constant").ends_with("expected constant:V"));
        assert!(error("npy:").ends_with("expected npy:FILE"));
        assert!(error("").contains("is not a fill"));
    }

    #[test]
    fn uniform_values_fill_their_range_evenly() {
        let values = values("uniform:-1,3", 200_000, 7, 0);
        assert!(values.iter().all(|v| (-1.0..=3.0).contains(v)));
        let [mean, variance, _, _] = moments(&values);
        // Mean 1, variance 16/12; bounds of about five standard errors.
        assert!((mean - 1.0).abs() < 0.013, "{mean}");
        assert!((variance - 16.0 / 12.0).abs() < 0.014, "{variance}");
        for tenth in 0..10 {
            let lo = -1.0 + 0.4 * tenth as f32;
            let inside = values.iter().filter(|v| **v >= lo && **v < lo + 0.4).count();
            assert!((19_300..20_700).contains(&inside), "{tenth}: {inside}");
        }
    }

    #[test]
    fn normal_values_have_normal_moments_and_real_tails() {
        let values = values("normal", 400_000, 1, 2);
        let [mean, variance, third, fourth] = moments(&values);
        assert!(mean.abs() < 0.008, "{mean}");
        assert!((variance - 1.0).abs() < 0.012, "{variance}");
        assert!(third.abs() < 0.02, "{third}");
        assert!((fourth - 3.0).abs() < 0.08, "{fourth}");
        // P(|x| > 1, 2, 3, 4) of the normal law, times 400,000, within five standard deviations.
        for (bound, expected) in [(1.0, 126_924.0), (2.0, 18_200.1), (3.0, 1079.9), (4.0, 25.3f64)] {
            let beyond = values.iter().filter(|v| v.abs() > bound).count() as f64;
            assert!((beyond - expected).abs() < 5.0 * expected.sqrt(), "{bound}: {beyond}");
        }
        let shifted = Fill::Normal { mean: 1e4, std: 2.0 }.values(&[400_000], FP32, 1, 2).unwrap();
        assert!((f64::from(shifted[5]) - (1e4 + 2.0 * f64::from(values[5]))).abs() < 1e-3);
    }

    #[test]
    fn an_element_depends_on_seed_stream_and_index_alone() {
        for text in ["normal", "uniform"] {
            let long = values(text, 1000, 3, 4);
            assert_eq!(values(text, 10, 3, 4), long[..10]);
            let shaped = Fill::parse(text).unwrap().values(&[10, 100], FP32, 3, 4).unwrap();
            assert_eq!(shaped, long);
            for (seed, stream) in [(4, 4), (3, 5), (4, 3)] {
                let other = values(text, 1000, seed, stream);
                // Not the same values, in order or shifted by a few places.
                for shift in 0..4 {
                    assert!(long[shift..].iter().zip(&other).filter(|(a, b)| a == b).count() < 5);
                }
            }
        }
    }

    #[test]
    fn a_ramp_runs_along_the_last_dimension_and_ends_at_its_ends() {
        let ramp = Fill::parse("ramp").unwrap();
        assert_eq!(ramp.values(&[2, 5], FP32, 0, 0).unwrap(), [-1.0, -0.5, 0.0, 0.5, 1.0].repeat(2));
        assert_eq!(ramp.values(&[3, 1], FP32, 0, 0).unwrap(), [-1.0; 3]);
        let ramp = Fill::Ramp { lo: 0.1, hi: 0.7 }.values(&[8462], FP32, 0, 0).unwrap();
        assert_eq!((ramp[0], ramp[8461]), (0.1, 0.7));
    }

    #[test]
    fn values_are_rounded_to_the_format_once() {
        let bf16 = |v: f64| Fill::Constant(v).values(&[1], BF16, 0, 0).unwrap()[0];
        assert_eq!(bf16(0.1), 0.100_097_656_25);
        assert_eq!(bf16(1.0 + 1.0 / 256.0), 1.0);
        assert_eq!(bf16(1.0 + 3.0 / 256.0), 1.015_625);
        // Beyond a tie by less than an f32 can say: rounding twice would lose it.
        assert_eq!(bf16(1.0 + 1.0 / 256.0 + 1e-12), 1.007_812_5);
        assert_eq!(bf16(1.0 + 3.0 / 256.0 - 1e-12), 1.007_812_5);
        assert_eq!(bf16(-(1.0 + 1.0 / 256.0 + 1e-12)), -1.007_812_5);
        assert!(bf16(f64::NAN).is_nan());
        assert_eq!(bf16(f64::INFINITY), f32::INFINITY);
        let error = Fill::Constant(1e39).values(&[1], BF16, 0, 0).unwrap_err();
        assert!(error.to_string().contains("beyond what bfloat16 can hold"));
    }

    #[test]
    fn integers_are_words_in_their_own_range() {
        let words = |v: f64, format| Fill::Constant(v).words(&[2], format, 0, 0);
        assert_eq!(words(-2.0, DataFormat::Int32).unwrap(), [0xFFFF_FFFE; 2]);
        assert_eq!(words(4_294_967_295.0, DataFormat::UInt32).unwrap(), [u32::MAX; 2]);
        assert_eq!(words(2.5, DataFormat::UInt16).unwrap(), [2; 2]);
        assert!(words(256.0, DataFormat::UInt8).is_err());
        assert!(words(-1.0, DataFormat::UInt32).is_err());
        assert!(words(f64::NAN, DataFormat::Int32).is_err());
        assert!(words(0.0, DataFormat::Lf8).is_err());
        assert!(matches!(Fill::Constant(1.0).values(&[1], DataFormat::Int32, 0, 0), Err(FillError::Integers { .. })));
    }

    #[test]
    fn rounding_to_bf16_in_place_equals_rounding_by_way_of_f32() {
        let edge = |exponent: i32, fraction: u64| f64::from_bits(((exponent + 1023) as u64) << 52 | fraction);
        let tie = 1u64 << 44;
        let fractions =
            [0, 1, tie - 1, tie, tie + 1, 3 * tie - 1, 3 * tie, 3 * tie + 1, (1 << 52) - tie, (1 << 52) - 1];
        let exponents = [-1022, -150, -134, -133, -127, -126, -125, -1, 0, 1, 126, 127, 128, 1023];
        let edges = exponents.iter().flat_map(|e| fractions.map(|f| edge(*e, f)));
        let others = [0.0, f64::MIN_POSITIVE / 4.0, f64::INFINITY, f64::NAN];
        let mut bits = SplitMix64::at(7, 0);
        let random = (0..20_000).map(|_| edge((bits.next() % 300) as i32 - 150, bits.next() >> 12));
        for value in edges.chain(others).chain(random) {
            for value in [value, -value] {
                assert_eq!(f64_to_bf16(value), by_way_of_f32(value), "{value:e}");
            }
        }
    }
}
