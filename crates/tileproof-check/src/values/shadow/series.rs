//! The exponential and the logarithm in float64.
//!
//! Series of our own: a record must not depend on the library of the host, and no digit beyond the fifteenth matters here. It must
//! never know an operation. Start at [`exp`].

const LN2: f64 = std::f64::consts::LN_2;

/// e to the power of x.
pub(super) fn exp(x: f64) -> f64 {
    if !(-745.0..=709.0).contains(&x) {
        return if x.is_nan() {
            x
        } else if x < 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let k = (x / LN2).round();
    let r = x - k * LN2;
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..22 {
        term *= r / f64::from(n);
        sum += term;
    }
    sum * power_of_two(k as i32)
}

fn power_of_two(k: i32) -> f64 {
    if k < -1022 {
        return f64::from_bits(1 << (k + 1074).max(0));
    }
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The natural logarithm.
pub(super) fn ln(x: f64) -> f64 {
    if x <= 0.0 || !x.is_finite() {
        return if x == 0.0 {
            f64::NEG_INFINITY
        } else if x < 0.0 {
            f64::NAN
        } else {
            x
        };
    }
    let bits = x.to_bits();
    let mut e = (bits >> 52 & 0x7ff) as i32 - 1023;
    let mut m = f64::from_bits(bits & !(0x7ff << 52) | 1023 << 52);
    if m > std::f64::consts::SQRT_2 {
        m /= 2.0;
        e += 1;
    }
    let z = (m - 1.0) / (m + 1.0);
    let (mut power, mut sum) = (z, 0.0);
    for n in 0..24 {
        sum += power / f64::from(2 * n + 1);
        power *= z * z;
    }
    2.0 * sum + f64::from(e) * LN2
}

/// The hyperbolic tangent.
pub(super) fn tanh(x: f64) -> f64 {
    let e = exp(-2.0 * x.abs());
    ((1.0 - e) / (1.0 + e)).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_are_good_to_twelve_digits() {
        for x in [-20.0, -1.0, -1e-9, 0.5, 1.0, 3.7, 40.0] {
            let close = |a: f64, b: f64| assert!((a - b).abs() <= 1e-12 * b.abs(), "{x}: {a} {b}");
            // Powers of numbers whose logarithms are known.
            close(exp(ln(2.0 + x * x)), 2.0 + x * x);
            close(exp(x) * exp(-x), 1.0);
        }
        assert!((exp(1.0) - std::f64::consts::E).abs() < 1e-14);
        assert!((ln(10.0) - std::f64::consts::LN_10).abs() < 1e-14);
    }
}
