//! Powers.
//!
//! Sources: llk_sfpu/ckernel_sfpu_unary_power.h, ckernel_sfpu_binary_pow.h, ckernel_sfpu_rpow.h,
//! ckernel_sfpu_cbrt.h. Must never call the host's `powf`, nor fuse where the kernels subtract a
//! product: those round twice. Start reading at [`power_unary`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::activation::rounded;
use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::exponential::HALF_LN_2;
use super::exponential::exp_fp32;
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::swift::swiftly;
use super::unit::Sfpu;

const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;
const ZERO: u32 = 0;
const ONE: f32 = 1.0;
/// 2^23 + 2^22: adding it rounds to an integer.
const SHIFT: u32 = 0x4b40_0000;

/// To a positive integer, truncating (llk_sfpu/ckernel_sfpu_conversions.h).
#[inline(always)]
fn to_positive_integer<R: Register>(x: R) -> R {
    let e = x.exponent();
    let shifted = x.significand().shift(e.iaddi(-23));
    let large = R::splat(i32::MAX as u32).where_(!e.ilt(31), shifted);
    R::splat(ZERO).where_(e.negative(), large)
}

/// What the sign of a negative base makes of a power: odd integers negate, fractions are NaN.
#[inline(always)]
fn of_negative_base<R: Register>(y: R, power: R) -> R {
    let integer = power.round_to_integer(32767, true);
    // Floats are compared for equality by their patterns: -0 differs from the 0 it rounds to.
    let differs = !(integer.to_float() ^ power).zero();
    R::splat(NAN).where_(differs, y.with_sign_of(integer.shl(31)))
}

/// 2^(power * log2 |base|) with 21 bits, before the special cases.
#[inline(always)]
fn power_21f<R: Register>(unit: Sfpu, base: R, power: R, series: R, inverse_ln2: f32) -> R {
    let e = base.exponent().to_sign_magnitude().to_float();
    let log2 = unit.mad(series, R::float(inverse_ln2), e);
    let z = unit.mul(power, log2);
    let least = R::float(-127.0);
    let z = least.where_(unit.below(z, least), z).add_exponent(23);
    let z = to_positive_integer(unit.add(z, R::float(0x3f80_0000 as f32)));
    let fraction = z.mantissa();
    let d2 = fraction.iaddi(0xf9_4ee7).to_float();
    let d3 = fraction.iaddi(0x560e).to_float();
    let d2 = unit.mul(R::float(0.401_961_14e-7), d2);
    let scaled = to_positive_integer(unit.mul(d2, d3));
    scaled.with_exponent(z.exponent().iaddi(127))
}

/// Third-order coefficients of the older logarithm, highest first.
const SERIES: [f32; 4] = [0.14171147, -0.86891425, 2.3098683, -1.5826656];

/// log2 of |base| in pieces: (exponent, ln of the mantissa in [sqrt 1/2, sqrt 2)).
#[inline(always)]
fn split_log<R: Register>(unit: Sfpu, base: R, seed: (f32, f32)) -> (R, R) {
    let magnitude = base.abs();
    let m = magnitude.with_exponent_of(127);
    let above = !unit.below(m, R::float(1.414_213_538_169_860_8));
    let m = m.add_exponent(-1).where_(above, m);
    let e = magnitude.exponent();
    let e = e.iaddi(1).where_(above, e).to_sign_magnitude().to_float();
    let sum = unit.add(m, R::float(ONE));
    let mut reciprocal = unit.less_product_ordinary(R::float(seed.0), sum, R::float(seed.1));
    for _ in 0..3 {
        let residual = unit.less_product_ordinary(R::float(2.0), sum, reciprocal);
        reciprocal = unit.mul_ordinary(reciprocal, residual);
    }
    // Zero, or a multiple of 2^-24.
    let z = unit.mul(unit.sub_ordinary(m, R::float(ONE)), reciprocal);
    let z2 = unit.mul_ordinary(z, z);
    // The square of (m - 1) / (m + 1) is at most 0.0295.
    const SERIES: Polynomial<6> = Polynomial::of(
        Range::new(0.0, 0.03),
        [
            0.090_909_090_909_090_91,
            0.111_111_111_111_111_1,
            0.142_857_142_857_142_85,
            0.2,
            0.333_333_333_333_333_3,
            1.0,
        ],
    );
    let p = unit.polynomial_within(z2, SERIES);
    (e, unit.mul(R::float(2.0), unit.mul(z, p)))
}

/// power * log2 |base| as a sum of two floats.
#[inline(always)]
fn product_in_two<R: Register>(unit: Sfpu, power: R, e: R, ln_m: R, inverse_ln2: f32) -> (R, R) {
    let pc = unit.mul(power, R::float(4097.0));
    let high = unit.sub(pc, unit.sub(pc, power));
    let low = unit.sub(power, high);
    let rest = unit.mul(ln_m, R::float(inverse_ln2));
    (unit.mul(high, e), unit.mad(low, e, unit.mul(power, rest)))
}

/// `power_tile`.
#[inline(always)]
pub(super) fn power_unary<R: Register>(unit: Sfpu, base: R, exponent: f32) -> R {
    let power = R::float(exponent);
    let magnitude = base.abs();
    let y = if unit.dst_32 {
        let (e, ln_m) = split_log(unit, base, (1.003, 0.244));
        let (high, low) = product_in_two(unit, power, e, ln_m, 1.442_695_040_888_963_4);
        two_to(unit, high, low)
    } else {
        let series = unit.polynomial(magnitude.with_exponent_of(127), SERIES);
        power_21f(unit, base, power, series, 1.442_695_040_888_963_4)
    };
    let y = of_negative_base(y, power).where_(base.negative(), y);
    let y = if exponent >= 0.0 {
        if exponent > 0.0 { R::splat(ZERO).where_(magnitude.zero(), y) } else { y }
    } else {
        R::splat(NAN).where_(magnitude.zero(), y)
    };
    rounded(unit, y)
}

/// 2^(high + low).
#[inline(always)]
fn two_to<R: Register>(unit: Sfpu, high: R, low: R) -> R {
    let s = unit.add(high, low);
    let e = unit.sub(low, unit.sub(s, high));
    let s = s.max(R::float(-126.99999));
    let tmp = unit.add(s, R::splat(SHIFT));
    let k = unit.sub(tmp, R::splat(SHIFT));
    let f = unit.add(unit.sub(s, k), e);
    let r = unit.mad_of_peers(f, R::float(0.693_359_375), unit.mul(f, R::float(-2.121_944_40e-4)));
    const SERIES: Polynomial<5> =
        Polynomial::of(HALF_LN_2, [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0]);
    let p = unit.polynomial_within(r, SERIES);
    let half = R::float(0.5);
    let p = if unit.rules.adds_immediates { unit.add(unit.mul(p, r), half) } else { unit.mad(p, r, half) };
    let p = unit.horner(unit.horner(p, r, ONE), r, ONE);
    let result = p.with_exponent(p.exponent_field().iadd(tmp.isub(R::splat(SHIFT))));
    R::splat(INF).where_(!unit.below(s, R::float(128.0)), result)
}

/// `power_binary_tile`; `rpow_tile` is the same with a scalar base.
#[inline(always)]
pub(super) fn power_binary<R: Register>(unit: Sfpu, base: R, power: R) -> R {
    if unit.dst_32 { power_f32(unit, base, power) } else { power_bf16(unit, base, power) }
}

#[inline(always)]
fn power_bf16<R: Register>(unit: Sfpu, base: R, power: R) -> R {
    let magnitude = base.magnitude();
    let x = magnitude.with_exponent_of(127);
    // The subtractions of constants are instructions of their own here.
    let inner = unit.sub(unit.mul(x, R::float(SERIES[0])), R::float(-SERIES[1]));
    let inner = unit.mad(x, inner, R::float(SERIES[2]));
    let series = unit.sub(unit.mul(x, inner), R::float(-SERIES[3]));
    let y = power_21f(unit, base, power, series, 1.442_695);
    let y = of_negative_base(y, power).where_(base.negative(), y);
    let of_zero = R::splat(NAN).where_(power.negative(), R::splat(ZERO));
    let y = of_zero.where_(magnitude.zero() & !power.zero(), y);
    y.round_to_bf16()
}

#[inline(always)]
fn power_f32<R: Register>(unit: Sfpu, base: R, power: R) -> R {
    let (e, ln_m) = split_log(unit, base, (1.0, 0.242_640_687_119_285_1));
    let (high, low) = product_in_two(unit, power, e, ln_m, 1.442_695);
    let s = unit.add(high, low);
    let rest = unit.sub(low, unit.sub(s, high));
    let least = R::float(-127.0);
    let below = unit.below(s, least);
    let (s, rest) = (least.where_(below, s), R::splat(ZERO).where_(below, rest));
    let tmp = unit.add(s, R::splat(SHIFT));
    let k = unit.sub(tmp, R::splat(SHIFT));
    let fraction = unit.add(unit.sub(s, k), rest);
    let y = exp_fp32(unit, unit.mul(fraction, R::float(0.693_147_180_559_945_3)));
    let exponent = y.exponent_field().iadd(tmp.isub(R::splat(SHIFT)));
    let y = R::splat(INF).where_(!exponent.ilt(255), y.with_exponent(exponent));
    let magnitude = power.abs();
    let y = of_negative_base(y, magnitude).where_(base.negative(), y);
    let zero = base.abs().zero();
    let of_zero = R::splat(INF).with_sign_of(y).where_(power.negative(), R::splat(ZERO).with_sign_of(y));
    let y = of_zero.where_(zero & !magnitude.zero(), y);
    let nan = power.exponent_field().same(255) & !power.mantissa().zero();
    R::splat(NAN).where_(zero & nan, y)
}

/// `power_iterative_tile`: by squaring.
#[inline(always)]
pub(super) fn power_iterative(unit: Sfpu, x: LReg, exponent: u32) -> LReg {
    if exponent == 0 {
        return LReg::float(ONE);
    }
    let (mut result, mut square, mut left) = (x, x, exponent - 1);
    while left > 0 {
        if left & 1 == 1 {
            result = unit.mul(result, square);
        }
        square = unit.mul(square, square);
        left >>= 1;
    }
    result
}

/// `cbrt_tile`.
#[inline(always)]
pub(super) fn cbrt<R: Register>(unit: Sfpu, a: R) -> R {
    let third = R::float(-0.0013020834);
    let magic = R::float(1_418_472_267.0f32 / 256.0 + 8_388_608.0);
    let [p0, p1, p2] = [1.7523197, -1.2509525, 0.50938183].map(R::float);
    let x = a.abs();
    let y = unit.mad(x.to_float(), third, magic).shl(8);
    if unit.dst_32 {
        let c = unit.mul(unit.mul(x, y), unit.mul(y, y));
        let y = unit.mul(y, unit.mad(c, unit.mad(p2, c, p1), p0));
        let d = unit.mul(x, unit.mul(y, y));
        let c = unit.residual(d, y, R::float(-1.0));
        let t = unit.mad(c, third.add_exponent(8), R::float(ONE));
        unit.mul(d.with_sign_of(a), unit.mul(t, t))
    } else {
        let d = unit.mul(x, unit.mul(y, y));
        let c = unit.mul(d, y);
        let t = unit.mad(c, unit.mad(p2, c, p1), p0);
        unit.mul(d.with_sign_of(a), unit.mul(t, t)).round_to_bf16()
    }
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (unit, exponent) = (call.unit, call.params[0]);
    match call.op {
        Power => swiftly!(call, |unit, x| power_unary(unit, x, f32::from_bits(exponent))),
        PowerIterative => call.unary(|x| power_iterative(unit, x, exponent)),
        PowerBinary => swiftly!(call, |unit, x, y| power_binary(unit, x, y)),
        Rpow => swiftly!(call, |unit, x| power_binary(unit, R::splat(exponent), x)),
        Cbrt => swiftly!(call, |unit, x| cbrt(unit, x)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
