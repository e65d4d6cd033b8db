//! Error measures of a result against a float64 reference.
//!
//! They serve reports and tests, never a result. A NaN or infinity that the reference does not share
//! counts as an infinite error. Start at [`measure`].

use crate::format::DataFormat;

/// How far a result is from its reference.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ErrorMeasures {
    /// Largest |out - reference|.
    pub max_diff: f64,
    /// Mean |out - reference|.
    pub mean_diff: f64,
    /// Largest error in steps of the output format at max(|reference|, 2^-6).
    pub max_ulp: f64,
}

/// Compares two equally long slices. `dtype` is the output's format; `None` unless it is bf16 or fp32.
pub fn measure(dtype: DataFormat, out: &[f32], reference: &[f64]) -> Option<ErrorMeasures> {
    let mantissa_bits = mantissa_bits(dtype)?;
    let mut measures = ErrorMeasures::default();
    let mut sum = 0.0;
    for (&out, &reference) in out.iter().zip(reference) {
        let diff = difference(f64::from(out), reference);
        sum += diff;
        measures.max_diff = measures.max_diff.max(diff);
        measures.max_ulp = measures.max_ulp.max(diff / step(mantissa_bits, reference));
    }
    if !reference.is_empty() {
        measures.mean_diff = sum / reference.len() as f64;
    }
    Some(measures)
}

/// A difference from a reference in steps of a format; `None` unless it is bf16 or fp32.
pub fn in_steps(dtype: DataFormat, difference: f64, reference: f64) -> Option<f64> {
    Some(difference / step(mantissa_bits(dtype)?, reference))
}

fn mantissa_bits(dtype: DataFormat) -> Option<i64> {
    match dtype {
        DataFormat::Float16_b => Some(7),
        DataFormat::Float32 => Some(23),
        _ => None,
    }
}

/// |out - reference| <= atol + rtol |reference|. An infinite tolerance lets no NaN through.
pub fn close(out: f64, reference: f64, rtol: f64, atol: f64) -> bool {
    let diff = difference(out, reference);
    diff == 0.0 || diff.is_finite() && diff <= atol + rtol * reference.abs()
}

/// |out - reference|; equal infinities and two NaN do not differ, a NaN alone is infinitely far.
pub fn difference(out: f64, reference: f64) -> f64 {
    if out == reference || out.is_nan() && reference.is_nan() {
        return 0.0;
    }
    let diff = (out - reference).abs();
    if diff.is_nan() { f64::INFINITY } else { diff }
}

/// The step of a format with `mantissa_bits` at max(|reference|, 2^-6).
fn step(mantissa_bits: i64, reference: f64) -> f64 {
    let floor = 1.0 / 64.0;
    let at = if reference.abs() > floor && reference.is_finite() { reference.abs() } else { floor };
    let exponent = (at.to_bits() >> 52) as i64 - mantissa_bits;
    f64::from_bits((exponent as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_those_of_the_output_format() {
        let m = measure(DataFormat::Float16_b, &[1.0078125, 0.0], &[1.0, 0.0]).unwrap();
        assert_eq!((m.max_ulp, m.max_diff, m.mean_diff), (1.0, 0.0078125, 0.00390625));
        // Near zero the step is that of 2^-6.
        let m = measure(DataFormat::Float16_b, &[2f32.powi(-13)], &[0.0]).unwrap();
        assert_eq!(m.max_ulp, 1.0);
        let m = measure(DataFormat::Float32, &[f32::INFINITY], &[1.0]).unwrap();
        assert_eq!(m.max_diff, f64::INFINITY);
        assert_eq!(measure(DataFormat::Bfp8_b, &[], &[]), None);
    }

    #[test]
    fn tolerance_is_absolute_plus_relative() {
        assert!(close(100.9, 100.0, 1e-2, 0.0));
        assert!(!close(101.1, 100.0, 1e-2, 0.0));
        assert!(!close(f64::NAN, 1.0, 1.0, 1.0));
        assert!(close(f64::INFINITY, f64::INFINITY, 0.0, 0.0));
    }
}
