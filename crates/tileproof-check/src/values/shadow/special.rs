//! Angles, hyperbolic functions, the error function and what is made of it, in float64.
//!
//! Series of our own, for the reasons of `elementary.rs`. Angles beyond what a reduction keeps exact are no number. It must never
//! know an operation. Start at [`sin`].

use std::f64::consts::{FRAC_2_SQRT_PI, FRAC_PI_2, PI, SQRT_2};

use super::series::{exp, ln, tanh};

/// Beyond this an angle has no digits left that tell its turn.
const LARGEST_ANGLE: f64 = 1e5;

/// The sine of an angle.
pub(super) fn sin(x: f64) -> f64 {
    if x.is_nan() || x.abs() > LARGEST_ANGLE {
        return f64::NAN;
    }
    let turns = (x / PI).round();
    let r = x - turns * PI;
    let (mut term, mut sum) = (r, r);
    for n in 1..14 {
        term *= -r * r / f64::from(2 * n * (2 * n + 1));
        sum += term;
    }
    if turns.rem_euclid(2.0) == 0.0 { sum } else { -sum }
}

/// The cosine of an angle.
pub(super) fn cos(x: f64) -> f64 {
    sin(x + FRAC_PI_2)
}

/// The angle of a tangent.
pub(super) fn atan(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() > 1.0 {
        return FRAC_PI_2.copysign(x) - atan(1.0 / x);
    }
    // Twice half the angle, three times: the series of small numbers is short.
    let mut y = x;
    for _ in 0..3 {
        y /= 1.0 + (1.0 + y * y).sqrt();
    }
    let (mut power, mut sum) = (y, 0.0);
    for n in 0..12 {
        sum += power / f64::from(2 * n + 1);
        power *= -y * y;
    }
    8.0 * sum
}

/// The angle of a point.
pub(super) fn atan2(y: f64, x: f64) -> f64 {
    if x > 0.0 {
        atan(y / x)
    } else if x < 0.0 {
        atan(y / x) + PI.copysign(y)
    } else if y == 0.0 {
        0.0
    } else {
        FRAC_PI_2.copysign(y)
    }
}

/// The angle of a sine.
pub(super) fn asin(x: f64) -> f64 {
    if x.abs() > 1.0 { f64::NAN } else { atan2(x, (1.0 - x * x).sqrt()) }
}

/// The angle of a cosine.
pub(super) fn acos(x: f64) -> f64 {
    FRAC_PI_2 - asin(x)
}

pub(super) fn sinh(x: f64) -> f64 {
    // The difference of two exponentials has no digits of a small number.
    if x.abs() < 0.1 {
        let square = x * x;
        return x * (1.0 + square / 6.0 * (1.0 + square / 20.0 * (1.0 + square / 42.0 * (1.0 + square / 72.0))));
    }
    (exp(x) - exp(-x)) / 2.0
}

pub(super) fn cosh(x: f64) -> f64 {
    (exp(x) + exp(-x)) / 2.0
}

pub(super) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    // ln(1 + small) loses digits as it stands.
    let value = if size < 1e-4 { size - size * size * size / 6.0 } else { ln(size + (size * size + 1.0).sqrt()) };
    value.copysign(x)
}

pub(super) fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { ln(x + (x * x - 1.0).sqrt()) }
}

pub(super) fn atanh(x: f64) -> f64 {
    if x.abs() < 1e-4 { x + x * x * x / 3.0 } else { ln((1.0 + x) / (1.0 - x)) / 2.0 }
}

/// One less the error function, of a number that is not negative.
fn erfc_of(x: f64) -> f64 {
    if x < 2.5 {
        return 1.0 - erf(x);
    }
    // A continued fraction, from its end.
    let fraction = (1..60).rev().fold(x, |rest, n| x + f64::from(n) / 2.0 / rest);
    exp(-x * x) * FRAC_2_SQRT_PI / 2.0 / fraction
}

/// The error function.
pub(super) fn erf(x: f64) -> f64 {
    if x.abs() >= 2.5 {
        return (1.0 - erfc_of(x.abs())).copysign(x);
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..60 {
        term *= 2.0 * x * x / f64::from(2 * n + 1);
        sum += term;
    }
    FRAC_2_SQRT_PI * exp(-x * x) * sum
}

/// One less the error function.
pub(super) fn erfc(x: f64) -> f64 {
    if x < 0.0 { 2.0 - erfc_of(-x) } else { erfc_of(x) }
}

pub(super) fn gelu(x: f64) -> f64 {
    if x.is_finite() { x / 2.0 * erfc(-x / SQRT_2) } else { x.max(0.0) }
}

/// Gelu as it is made of a hyperbolic tangent.
pub(super) fn gelu_tanh(x: f64) -> f64 {
    if !x.is_finite() {
        return x.max(0.0);
    }
    x / 2.0 * (1.0 + tanh(FRAC_2_SQRT_PI / SQRT_2 * (x + 0.044715 * x * x * x)))
}

pub(super) fn softplus(x: f64) -> f64 {
    x.max(0.0) + ln(1.0 + exp(-x.abs()))
}

pub(super) fn mish(x: f64) -> f64 {
    x * tanh(softplus(x))
}

pub(super) fn cbrt(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() { x } else { exp(ln(x.abs()) / 3.0).copysign(x) }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::LN_2;

    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-11 * b.abs().max(1e-3), "{a} {b}");
    }

    #[test]
    fn values_are_those_of_tables() {
        // Abramowitz and Stegun, tables 4.6, 4.16, 7.1.
        close(sin(1.0), 0.841_470_984_807_896_5);
        close(cos(1.0), 0.540_302_305_868_139_8);
        close(sin(40.0), 0.745_113_160_479_348_8);
        close(atan(1.0), PI / 4.0);
        close(asin(0.5), PI / 6.0);
        close(acos(-0.5), 2.0 * PI / 3.0);
        close(erf(0.5), 0.520_499_877_813_046_5);
        close(erf(1.0), 0.842_700_792_949_714_9);
        close(erfc(2.0), 0.004_677_734_981_047_266);
        close(erfc(3.0), 2.209_049_699_858_544e-5);
        close(gelu(1.0), 0.841_344_746_068_542_9);
        close(sinh(1.0), 1.175_201_193_643_801_4);
        close(cbrt(-27.0), -3.0);
        close(cosh(1.0), 1.543_080_634_815_243_8);
        close(asinh(1.0), 0.881_373_587_019_543);
        close(acosh(2.0), 1.316_957_896_924_816_7);
        close(atanh(0.5), 0.549_306_144_334_054_8);
        close(atan2(-1.0, -1.0), -3.0 * PI / 4.0);
        // x tanh(ln 3) of mish at ln 2, where 1 + e^x is 3: tanh(ln 3) is 0.8.
        close(mish(LN_2), 0.8 * LN_2);
    }

    #[test]
    fn functions_undo_their_inverses_and_join_where_their_forms_change() {
        for x in [-3.0, -0.7, -1e-5, 0.0, 0.05, 0.3, 0.99] {
            close(asinh(sinh(x)), x);
            close(sin(x) * sin(x) + cos(x) * cos(x), 1.0);
        }
        close(sinh(0.099_999_999), (exp(0.099_999_999) - exp(-0.099_999_999)) / 2.0);
        close(erf(2.499_999_999_999), erf(2.500_000_000_001));
        close(atan2(1.0, -1.0), 3.0 * PI / 4.0);
        assert!(sin(1e9).is_nan() && asin(2.0).is_nan() && acosh(0.5).is_nan());
    }
}
