//! Trigonometry.
//!
//! Sources: llk_sfpu/ckernel_sfpu_trigonometry.h, ckernel_sfpu_atan2.h. Must never reduce arguments
//! better than the kernels do: large ones come out wrong on the hardware too.
//! Start reading at [`sine`].

#![allow(clippy::excessive_precision, clippy::approx_constant, reason = "constants as the kernels spell them")]

use super::activation::rounded;
use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::lreg::Register;
use super::op::SfpuOp;
use super::reciprocal::{SEED, estimate, reciprocal};
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::Reciprocal;

const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;
const ONE: f32 = 1.0;
/// 2^23 + 2^22: adding it rounds to an integer.
const SHIFT: f32 = 12_582_912.0;
const HALF_PI: f32 = 1.570_796_370_506_286_6;
/// Squares of what is left of an argument without its multiple of pi: rounding may leave a little more than half.
const HALF_PI_SQUARED: Range = Range::new(0.0, 2.5);
const INVERSE_PI: f32 = 0.318_309_873_342_514_04;
const INVERSE_HALF_PI: f32 = 0.636_619_746_685_028_1;

/// x plus j times pi or half of it, in four parts.
#[inline(always)]
fn reduce<R: Register>(unit: Sfpu, x: R, j: R, parts: [f32; 4]) -> R {
    // Without a loop, as in `Sfpu::polynomial`.
    let [first, second, third, fourth] = parts.map(R::float);
    let a = unit.mad(j, second, unit.mad(j, first, x));
    unit.mad(j, fourth, unit.mad(j, third, a))
}

const MINUS_PI: [f32; 4] = [-3.140625, -9.6702576e-4, -6.277114e-7, -1.2154201e-10];
const MINUS_HALF_PI: [f32; 4] = [-1.5703125, -4.8351288e-4, -3.138557e-7, -6.0771006e-11];

/// The sine of a reduced argument, negated in odd periods.
#[inline(always)]
fn sine_polynomial<R: Register>(unit: Sfpu, a: R, period: R) -> R {
    let s = unit.mul(a, a);
    let a = a ^ period.shl(31);
    let r = if unit.dst_32 {
        const SERIES: Polynomial<4> =
            Polynomial::of(HALF_PI_SQUARED, [2.6061034e-6, -1.9809778e-4, 0.008333069, -0.1666666]);
        unit.polynomial_within(s, SERIES)
    } else {
        unit.polynomial(s, [-1.8838167e-4, 0.008323983, -0.16666535])
    };
    rounded(unit, unit.corrected(r, unit.mul(a, s), a))
}

/// `sin_tile`.
#[inline(always)]
pub(super) fn sine<R: Register>(unit: Sfpu, x: R) -> R {
    let shift = R::float(SHIFT);
    let period = unit.mad(x, R::float(INVERSE_PI), shift);
    let j = unit.sub(period, shift);
    sine_polynomial(unit, reduce(unit, x, j, MINUS_PI), period)
}

/// `cos_tile`: the sine of half a period more.
#[inline(always)]
pub(super) fn cosine<R: Register>(unit: Sfpu, x: R) -> R {
    let j = unit.mad_of_peers(x, R::float(INVERSE_PI), R::float(0.5));
    let period = unit.add(j, R::float(SHIFT));
    let j = unit.add(period, R::float(-SHIFT));
    let j = unit.mad(j, R::float(2.0), R::float(-1.0));
    sine_polynomial(unit, reduce(unit, x, j, MINUS_HALF_PI), period)
}

/// `tan_tile`.
#[inline(always)]
pub(super) fn tangent<R: Register>(unit: Sfpu, x: R) -> R {
    let quadrant = unit.mad(x, R::float(INVERSE_HALF_PI), R::float(SHIFT));
    let j = unit.add(quadrant, R::float(-SHIFT));
    let a = reduce(unit, x, j, MINUS_HALF_PI);
    let s = unit.mul(a, a);
    let t = if unit.dst_32 {
        const SERIES: Polynomial<7> = Polynomial::of(
            Range::new(0.0, 0.63),
            [0.0038652273, 0.0011415519, 0.009995438, 0.021609005, 0.053996604, 0.13333215, 0.33333334],
        );
        unit.polynomial_within(s, SERIES)
    } else {
        unit.polynomial(s, [0.081816964, 0.12633038, 0.33357692])
    };
    let t = unit.mul(t, s);
    let r = unit.corrected(t, a, a);
    // In odd quadrants minus the reciprocal, with what rounding took from r put back.
    let q = minus_reciprocal(unit, r);
    let other = if unit.dst_32 {
        let lost = unit.mad(R::float(-1.0), r, a);
        let lost = unit.residual(t, a, lost);
        let residual = unit.mad(lost, q, unit.residual(r, q, R::float(ONE)));
        unit.corrected(residual, q, q)
    } else {
        q
    };
    rounded(unit, other.where_(quadrant.shl(31).negative(), r))
}

/// Minus a reciprocal, by one step.
#[inline(always)]
fn minus_reciprocal<R: Register>(unit: Sfpu, r: R) -> R {
    if unit.rules.reciprocal == Reciprocal::Estimate {
        let q = estimate(r);
        let e = unit.residual(r.negate(), q, R::float(ONE));
        let q = q.negate();
        return unit.mad(q, e, q);
    }
    let m = R::float(-1.0).with_mantissa_of(r);
    let q = unit.polynomial_within(m, SEED);
    let q = unit.residual(q, m, R::float(2.121_212_482_452_392_6));
    let scale = unit.mul((!r).map(|b| b & 0xff80_0000), R::float(0.5));
    let e = unit.residual(m, q, R::float(ONE));
    unit.mul(unit.corrected(q, e, q), scale)
}

/// A reciprocal of positive numbers, from an integer seed or an estimate.
#[inline(always)]
pub(super) fn reciprocal_positive<R: Register>(unit: Sfpu, x: R) -> R {
    if unit.rules.reciprocal == Reciprocal::Estimate {
        let minus = x.negate();
        let step = |y: R| unit.mad(y, unit.residual(minus, y, R::float(ONE)), y);
        let y = step(estimate(x));
        return if unit.dst_32 { step(y) } else { y };
    }
    let mut y = R::splat(0xfef3_92e0).isub(x);
    let mut e = unit.residual(x, y, R::float(ONE));
    if unit.dst_32 {
        y = unit.corrected(y, e, y);
        e = unit.residual(x, y, R::float(ONE));
    }
    let p = unit.corrected(e, e, e);
    let y = y.negate();
    unit.corrected(y, p, y)
}

/// The arctangent's polynomial in a 32-bit Dst without its last coefficients.
const ATAN: Polynomial<6> = Polynomial::of(
    Range::new(0.0, 1.0),
    [0.003932953, -0.020248413, 0.049194336, -0.08026123, 0.10870361, -0.14257812],
);

/// `atan_tile`.
#[inline(always)]
pub(super) fn atan<R: Register>(unit: Sfpu, x: R) -> R {
    if unit.dst_32 {
        let magnitude = x.magnitude();
        let e = magnitude.exponent();
        let large = !e.negative();
        let flat = unit.mul(magnitude.iaddi(-1), R::splat(0));
        let inverse = reciprocal_positive(unit, magnitude).where_(e.ilt(26), flat);
        let a = inverse.where_(large, magnitude);
        let s = unit.mul(a, a);
        let p = unit.horner(unit.polynomial_within(s, ATAN), s, 0.1999884);
        let p = unit.horner(p, s, -0.33333328);
        let r = unit.corrected(p, unit.mul(s, a), a);
        let r = unit.sub(R::float(HALF_PI), r).where_(large, r);
        return r.with_sign_of(x);
    }
    let magnitude = x.abs();
    let large = !unit.below(magnitude, R::float(ONE));
    let a = reciprocal(unit, magnitude, 2).where_(large, magnitude);
    let s = unit.mul(a, a);
    let p = unit.polynomial(
        s,
        [
            -4.432_674_497_365_951_538_085_937_5e-2,
            0.155_579_000_711_441_040_039_062_5,
            -0.325_808_584_690_093_994_140_625,
            0.999_787_867_069_244_384_765_625,
        ],
    );
    let r = unit.mul(p, a);
    let r = unit.sub(R::float(HALF_PI), r).where_(large, r).with_sign_of(x);
    let nan = x.exponent_field().same(255) & !x.mantissa().zero();
    R::splat(NAN).where_(nan, r).round_to_bf16()
}

/// `atan2_binary_tile`.
#[inline(always)]
pub(super) fn atan2<R: Register>(unit: Sfpu, y: R, x: R) -> R {
    let (x_magnitude, y_magnitude) = (x.magnitude(), y.magnitude());
    let small = x_magnitude.min(y_magnitude);
    let large = x_magnitude.max(y_magnitude);
    let steps = if unit.dst_32 && !unit.approx { 2 } else { 0 };
    let a = unit.mul(small, reciprocal(unit, large, steps));
    let s = unit.mul(a, a);
    let q = if unit.dst_32 {
        let q = unit.horner(unit.polynomial_within(s, ATAN), s, 0.19998844);
        unit.horner(q, s, -0.33333337)
    } else {
        unit.polynomial(s, [-0.058410645, 0.17504883, -0.33203125])
    };
    let half_pi = R::float(1.5707964);
    let r = unit.corrected(unit.mul(q, s), a, a);
    let steep = !small.isub(x_magnitude).negative();
    let diagonal = steep & !small.isub(large).negative();
    let r = unit.sub(half_pi, r).where_(steep, r);
    let at_diagonal = R::splat(0).where_(large.zero(), half_pi.add_exponent(-1));
    let r = at_diagonal.where_(diagonal, r);
    let r = unit.sub(half_pi.add_exponent(1), r).where_(x.negative(), r);
    let r = rounded(unit, r).with_sign_of(y);
    R::splat(NAN).where_(R::splat(INF).isub(large).negative(), r)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    match call.op {
        Sin => swiftly!(call, |unit, x| sine(unit, x)),
        Cos => swiftly!(call, |unit, x| cosine(unit, x)),
        Tan => swiftly!(call, |unit, x| tangent(unit, x)),
        Atan => swiftly!(call, |unit, x| atan(unit, x)),
        Atan2 => swiftly!(call, |unit, x, y| atan2(unit, x, y)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
