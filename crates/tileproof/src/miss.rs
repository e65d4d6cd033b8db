//! Which element of an output misses its reference most, and what that says: a verdict that bears its reason.
//!
//! It must never judge: whether an output passes is decided already. Start at [`worst`].

use tileproof_model::numerics::error::close;
use tileproof_model::wording::figure;

use crate::place::place;

/// What is said of an output that is not within `atol + rtol |reference|` everywhere, the tolerances of each element; `None` of one that is.
pub(crate) fn worst(
    output: &str,
    shape: &[u32],
    found: &[f32],
    reference: &[f64],
    tolerance: &dyn Fn(usize) -> (f64, f64),
) -> Option<String> {
    let passes = |i: &usize| {
        let (rtol, atol) = tolerance(*i);
        close(f64::from(found[*i]), reference[*i], rtol, atol)
    };
    let excess = |i: &usize| {
        let (rtol, atol) = tolerance(*i);
        let over = (f64::from(found[*i]) - reference[*i]).abs() - atol - rtol * reference[*i].abs();
        if over.is_nan() { f64::INFINITY } else { over }
    };
    // Of equals the first, which `max_by` finds from behind.
    let missed = (0..found.len().min(reference.len())).rev().filter(|i| !passes(i));
    let at = missed.max_by(|a, b| excess(a).total_cmp(&excess(b)))?;
    let place = place(shape, at);
    let (value, wanted) = (f64::from(found[at]), reference[at]);
    let why = match (value.is_finite(), wanted.is_finite()) {
        (true, true) => "",
        (_, false) => "; the reference itself is not finite: these data leave what float64 holds, or hold it already",
        (false, true) if wanted.abs() > f64::from(f32::MAX) => "; the reference is beyond the range of fp32",
        (false, true) => "; on the way a value left the range of fp32, or was NaN",
    };
    // The digits of fp32 tell it from what came out.
    let nearest = f64::from(wanted as f32);
    let wanted = if nearest.is_infinite() && wanted.is_finite() { format!("{wanted:.3e}") } else { figure(nearest) };
    Some(format!("{output}{place:?} is {}, the reference is {wanted}{why}", figure(value)))
}

#[cfg(test)]
mod tests {
    use super::worst;

    fn said(found: &[f32], reference: &[f64]) -> String {
        worst("y", &[1, 2], found, reference, &|_| (1e-2, 1e-2)).unwrap_or_default()
    }

    #[test]
    fn a_miss_that_is_not_finite_says_why() {
        assert_eq!(said(&[1.0, 2.0], &[1.0, 2.0]), "");
        assert_eq!(said(&[1.0, 2.5], &[1.1, 2.0]), "y[0, 1] is 2.5, the reference is 2");
        assert!(said(&[f32::NAN, 2.0], &[1.0, 2.0]).ends_with("on the way a value left the range of fp32, or was NaN"));
        assert!(said(&[1.0, 2.0], &[1.0, f64::INFINITY]).contains("the reference itself is not finite"));
        assert!(said(&[f32::INFINITY], &[1e39]).ends_with("the reference is beyond the range of fp32"));
        // NaN where NaN is right is no miss, and a finite value near the largest is one for its size alone.
        assert_eq!(said(&[f32::NAN, f32::INFINITY], &[f64::NAN, f64::INFINITY]), "");
        assert_eq!(said(&[3e38], &[1e38]), "y[0, 0] is 3e38, the reference is 1e38");
    }
}
