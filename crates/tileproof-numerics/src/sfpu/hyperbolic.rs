//! Hyperbolic functions and their inverses.
//!
//! Source: llk_sfpu/ckernel_sfpu_trigonometry.h of ttnn 0.79. Inverses bring their argument to a logarithm of 1 + x, which they take out
//! of Dst again. Must never keep more of that argument than Dst does. Start reading at [`acosh`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::activation::rounded;
use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::exponential::HALF_LN_2;
use super::logarithm::log1p_of;
use super::lreg::Register;
use super::op::SfpuOp;
use super::swift::swiftly;
use super::trigonometry::reciprocal_positive;
use super::unit::Sfpu;

const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;
const ZERO: u32 = 0;
const ONE: f32 = 1.0;
/// Beyond it x * x + 1 is x * x.
const LARGE: f32 = 268_435_456.0;
const LN2: f32 = 0.693_147_180_559_945_3;

/// A square root of a number that is not negative, with its constants in the text.
#[inline(always)]
fn root<R: Register>(unit: Sfpu, x: R) -> R {
    let ordinary = x.within(Range::ORDINARY);
    let half = ordinary.add_exponent(-1);
    let mut y = R::splat(0x5f11_10a0).isub(ordinary.shr(1));
    for _ in 0..if unit.dst_32 { 3 } else { 2 } {
        y = unit.mul_ordinary(y, unit.less_product_ordinary(R::float(1.5), unit.mul_ordinary(half, y), y));
    }
    let a = unit.mul_ordinary(ordinary, y);
    let residual = unit.mul_ordinary(unit.less_product_ordinary(ordinary, a, a), R::float(0.5));
    R::splat(ZERO).where_(x.zero(), unit.corrected(residual, y, a))
}

/// ln(1 + x) of what Dst keeps of x, and ln 2 more where it was halved.
#[inline(always)]
fn logarithm<R: Register>(unit: Sfpu, x: R, halved: R) -> R {
    let log = log1p_of(unit, unit.stored(x));
    unit.add(log, R::float(LN2)).where_(halved, log)
}

/// `acosh_tile`.
#[inline(always)]
pub(super) fn acosh<R: Register>(unit: Sfpu, x: R) -> R {
    let less_one = unit.sub(x, R::float(ONE));
    let small = unit.below(x, R::float(LARGE));
    let sum = unit.add(less_one, root(unit, unit.mul(unit.add(x, R::float(ONE)), less_one)));
    let result = logarithm(unit, sum.where_(small, less_one), !small);
    let outside = R::splat(NAN).where_(unit.below(x, R::float(ONE)), result);
    rounded(unit, R::splat(ZERO).where_(x.isub(R::float(ONE)).zero(), outside))
}

/// `asinh_tile`.
#[inline(always)]
pub(super) fn asinh<R: Register>(unit: Sfpu, x: R) -> R {
    let a = x.abs();
    let large = !unit.below(a, R::float(LARGE));
    let small = unit.below(a, R::float(0.75));
    let denominator = unit.add(R::float(ONE), root(unit, unit.mad(x, x, R::float(ONE))));
    let sum = unit.increased(unit.mul(x, x), reciprocal_positive(unit, denominator), a);
    let argument = unit.sub(a, R::float(ONE)).where_(large, R::splat(ZERO).where_(small, sum));
    let result = logarithm(unit, argument, large);
    const SERIES: Polynomial<7> = Polynomial::of(
        Range::new(0.0, 0.5625),
        [
            4.375_355_784e-3,
            -1.484_858_524e-2,
            2.785_361_186e-2,
            -4.417_778_924e-2,
            7.495_806_366e-2,
            -1.666_652_262e-1,
            1.0,
        ],
    );
    // Beyond its range nobody takes it.
    let near = unit.mul(a, unit.polynomial_within(unit.mul(x, x), SERIES));
    rounded(unit, near.where_(small, result).with_sign_of(x))
}

/// `atanh_tile`.
#[inline(always)]
pub(super) fn atanh<R: Register>(unit: Sfpu, x: R) -> R {
    let magnitude = x.abs();
    let a = magnitude.where_(unit.below(magnitude, R::float(ONE)), R::splat(ZERO));
    let ratio = unit.mul(unit.add(a, a), reciprocal_positive(unit, unit.sub(R::float(ONE), a)));
    let log = log1p_of(unit, unit.stored(ratio));
    let inside = unit.mul(log, R::float(0.5)).with_sign_of(x);
    let edge = R::splat(INF).with_sign_of(x).where_(magnitude.isub(R::float(ONE)).zero(), inside);
    rounded(unit, R::splat(NAN).where_(unit.below(R::float(ONE), magnitude), edge))
}

/// What a quarter of an exponential is reduced to: how often ln 2 is taken, and what is left of the magnitude.
#[inline(always)]
fn reduced<R: Register>(unit: Sfpu, x: R) -> (R, R) {
    let steps = unit.mul(x, R::float(1.442_695)).round_to_integer(255, false);
    let (j, a) = (steps.to_float(), x.magnitude());
    let rest = if unit.dst_32 {
        let rest = unit.mad(j, R::float(-0.693_145_752), a);
        unit.mad(j, R::float(-1.428_606_77e-6), rest)
    } else {
        unit.mad_of_peers(j, R::float(-0.693_147_180_559_945_3), a)
    };
    (steps, rest)
}

/// `cosh_tile`.
#[inline(always)]
pub(super) fn cosh<R: Register>(unit: Sfpu, x: R) -> R {
    let a = x.magnitude();
    let (steps, f) = reduced(unit, a);
    let r = if unit.dst_32 {
        const SERIES: Polynomial<7> = Polynomial::of(
            HALF_LN_2,
            [1.378_059_39e-3, 8.373_124_52e-3, 4.166_953_64e-2, 1.666_647_20e-1, 4.999_998_51e-1, 1.0, 1.0],
        );
        unit.polynomial_within(f, SERIES)
    } else {
        unit.polynomial(f, [0.038_877_178, 0.168_174_848, 0.500_122_011, 0.999_963_462, 1.0])
    };
    let i = steps.iaddi(125);
    let quarter = unit.mul(r, i.shl(23)).where_(i.ilt(255), unit.mul(a, R::splat(INF)));
    let inverse = unit.mul(reciprocal_positive(unit, quarter), R::float(0.125));
    let y = unit.add(quarter, quarter);
    rounded(unit, unit.add(y, inverse).where_(quarter.exponent().ilt(24), y))
}

/// `sinh_tile`.
#[inline(always)]
pub(super) fn sinh<R: Register>(unit: Sfpu, x: R) -> R {
    let (steps, f) = reduced(unit, x);
    let r = if unit.dst_32 {
        const SERIES: Polynomial<6> = Polynomial::of(
            HALF_LN_2,
            [
                1.974_105_835e-4,
                1.393_107_930e-3,
                8.333_439_939e-3,
                4.166_680_202e-2,
                1.666_667_163e-1,
                4.999_999_702e-1,
            ],
        );
        unit.polynomial_within(f, SERIES)
    } else {
        unit.polynomial(f, [8.361_816_406e-3, 4.177_856_445e-2, 1.666_259_766e-1, 0.5])
    };
    let r = unit.corrected(r, unit.mul(f, f), f);
    let quarter = R::float(0.25);
    let scale = steps.shl(23).iadd(quarter);
    let reduced = unit.mad(r, scale, unit.sub(scale, quarter));
    let q = reduced.where_(steps.ilt(130), unit.mul(x.magnitude(), R::splat(INF)));
    let inverse = reciprocal_positive(unit, unit.mad(q, R::float(4.0), R::float(ONE)));
    let exponent = q.exponent();
    let double = unit.add(q, q);
    let middle = unit.mad(double, inverse, double).where_(exponent.ilt(23), double);
    let y = x.where_(exponent.ilt(-27), middle);
    rounded(unit, y.with_sign_of(x))
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    match call.op {
        SfpuOp::Cosh => swiftly!(call, |unit, x| cosh(unit, x)),
        SfpuOp::Sinh => swiftly!(call, |unit, x| sinh(unit, x)),
        SfpuOp::Acosh => swiftly!(call, |unit, x| acosh(unit, x)),
        SfpuOp::Asinh => swiftly!(call, |unit, x| asinh(unit, x)),
        SfpuOp::Atanh => swiftly!(call, |unit, x| atanh(unit, x)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::unit::answers;
    use super::*;
    use crate::sfpu::lreg::LReg;

    /// All 65,536 words agreed in either width of Dst.
    #[test]
    fn hyperbolic_functions_and_their_inverses_answer_as_the_kernels_do() {
        type Function = fn(Sfpu, LReg) -> LReg;
        type Answer = (u32, u32, u32);
        let cases: [(Function, &[Answer]); 5] = [
            (
                sinh,
                &[
                    (0x3f80, 0x3f96_6cfe, 0x3f96),
                    (0xbf00, 0xbf05_6681, 0xbf05),
                    (0x3a00, 0x3a00_0000, 0x3a00),
                    (0x4120, 0x462c_14ee, 0x462c),
                    (0xc2b0, 0xfe78_82b7, 0xfe79),
                    (0x42b4, 0x7f80_0000, 0x7f80),
                    (0xff80, 0xff80_0000, 0xff80),
                ],
            ),
            (
                cosh,
                &[
                    (0x0000, 0x3f80_0000, 0x3f80),
                    (0x3f80, 0x3fc5_83aa, 0x3fc6),
                    (0xbf80, 0x3fc5_83aa, 0x3fc6),
                    (0x4120, 0x462c_14ef, 0x462c),
                    (0xc2b0, 0x7e78_82b7, 0x7e79),
                    (0x42b4, 0x7f80_0000, 0x7f80),
                ],
            ),
            (
                acosh,
                &[
                    (0x3f80, 0x0000_0000, 0x0000),
                    (0x3f81, 0x3dff_d568, 0x3dff),
                    (0x3fc0, 0x3f76_6166, 0x3f76),
                    (0x4010, 0x3fb9_ac6d, 0x3fb9),
                    (0x447a, 0x40f3_3a97, 0x40f3),
                    (0x4d80, 0x41a0_cf66, 0x41a1),
                    (0x7f00, 0x42b1_7218, 0x42b1),
                    (0x3f00, 0x7fc0_0000, 0x7f80),
                    (0xbf80, 0x7fc0_0000, 0x7f80),
                ],
            ),
            (
                asinh,
                &[
                    (0x0000, 0x0000_0000, 0x0000),
                    (0x3c23, 0x3c22_ff50, 0x3c23),
                    (0x3f3f, 0x3f30_a51a, 0x3f31),
                    (0x3f40, 0x3f31_7218, 0x3f31),
                    (0xbfa0, 0xbf86_1787, 0xbf86),
                    (0x4120, 0x403f_e2e2, 0x4040),
                    (0x4d80, 0x41a0_cf66, 0x41a1),
                    (0xff00, 0xc2b1_7218, 0xc2b1),
                ],
            ),
            (
                atanh,
                &[
                    (0x3dcc, 0x3dcc_adc2, 0x3dcc),
                    (0xbf00, 0xbf0c_9f54, 0xbf0c),
                    (0x3f7f, 0x4047_9057, 0x4047),
                    (0x3f80, 0x7f80_0000, 0x7f80),
                    (0xbf80, 0xff80_0000, 0xff80),
                    (0x4000, 0x7fc0_0000, 0x7f80),
                ],
            ),
        ];
        for (function, expected) in cases {
            answers(function, expected);
        }
    }
}
