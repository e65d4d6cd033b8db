//! Arcsine and arccosine.
//!
//! Sources: llk_sfpu/ckernel_sfpu_trigonometry.h, ckernel_sfpu_sqrt_custom.h of ttnn 0.79. Near 1 both go over a root of half the
//! distance; must never use the exact one. Start reading at [`run`].

#![allow(clippy::excessive_precision, clippy::approx_constant, reason = "constants as the kernels spell them")]

use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::lreg::Register;
use super::op::SfpuOp;
use super::root::{root_of_ordinary, short_root};
use super::swift::swiftly;
use super::unit::Sfpu;

const NAN: u32 = 0x7fc0_0000;
const ONE: f32 = 1.0;
const HALF: f32 = 0.5;
const HALF_PI: f32 = 1.570_796_370_506_286_6;

/// The arcsine of what is not beyond 1, before rounding, in a 16-bit Dst.
#[inline(always)]
fn short_arcsine<R: Register>(unit: Sfpu, x: R) -> R {
    let magnitude = x.abs();
    let inner = unit.below(magnitude, R::float(0.625));
    let outer = short_root(unit, unit.mul(unit.sub(R::float(ONE), magnitude), R::float(HALF)));
    let z = magnitude.where_(inner, outer);
    let ratio = unit.polynomial(
        unit.mul(z, z),
        [
            0.083_148_844_540_119_171_142_578_125,
            0.063_812_628_388_404_846_191_406_25,
            0.167_712_256_312_370_300_292_968_75,
            0.999_978_601_932_525_634_765_625,
        ],
    );
    let near = unit.mul(z, ratio);
    let far = unit.sub(R::float(HALF_PI), unit.mul(near, R::float(2.0)));
    near.where_(inner, far).with_sign_of(x)
}

/// Squares of what [`reduced`] leaves of a magnitude up to 1.
const REDUCED_SQUARED: Range = Range::new(0.0, 0.317);

/// `asin_tile`.
#[inline(always)]
pub(super) fn asin<R: Register>(unit: Sfpu, x: R) -> R {
    if !unit.dst_32 {
        let beyond = unit.below(R::float(ONE), x.abs());
        return R::splat(NAN).where_(beyond, short_arcsine(unit, x)).round_to_bf16();
    }
    let (z, t, half) = reduced(unit, x);
    let s = unit.mul(z, z);
    const SERIES: Polynomial<5> =
        Polynomial::of(REDUCED_SQUARED, [0.0505371094, 0.0189361572, 0.0466003418, 0.0748543292, 0.166670889]);
    let p = unit.mul(unit.polynomial_within(s, SERIES), s);
    let r = unit.corrected(p, z, z);
    let r = r.where_(t.negative(), unit.mad(R::float(-2.0), r, R::float(HALF_PI))).with_sign_of(x);
    R::splat(NAN).where_(half.negative(), r)
}

/// `acos_tile`.
#[inline(always)]
pub(super) fn acos<R: Register>(unit: Sfpu, x: R) -> R {
    if !unit.dst_32 {
        let beyond = unit.below(R::float(ONE), x.abs());
        return R::splat(NAN).where_(beyond, unit.sub(R::float(HALF_PI), short_arcsine(unit, x))).round_to_bf16();
    }
    let (z, t, half) = reduced(unit, x);
    let s = unit.mul(z, z);
    const SERIES: Polynomial<6> = Polynomial::of(
        REDUCED_SQUARED,
        [0.0472412109, 0.00698852539, 0.0338745117, 0.0442810059, 0.0750132725, 0.166666642],
    );
    let p = unit.mul(unit.polynomial_within(s, SERIES), s);
    let z = z.with_sign_of(x ^ t);
    let r = unit.corrected(p, z, z);
    let r = unit.add(r, R::float(HALF_PI)).where_((z | t).negative(), r);
    let r = r.where_(t.negative(), unit.add(r, r));
    R::splat(NAN).where_(half.negative(), r)
}

/// The number that the polynomial takes, how far the magnitude is above the cut, and half of its distance from 1.
#[inline(always)]
fn reduced<R: Register>(unit: Sfpu, x: R) -> (R, R, R) {
    let magnitude = x.abs();
    let half = unit.mul(unit.sub(R::float(ONE), magnitude), R::float(HALF));
    let t = unit.sub(magnitude, R::float(0.5625));
    (magnitude.where_(t.negative(), root_of_ordinary(unit, half)), t, half)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    match call.op {
        SfpuOp::Asin => swiftly!(call, |unit, x| asin(unit, x)),
        SfpuOp::Acos => swiftly!(call, |unit, x| acos(unit, x)),
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
    fn arcsine_and_arccosine_answer_as_the_kernels_do() {
        type Function = fn(Sfpu, LReg) -> LReg;
        type Answer = (u32, u32, u32);
        let cases: [(Function, &[Answer]); 2] = [
            (
                asin,
                &[
                    (0x3f00, 0x3f06_0a92, 0x3f06),
                    (0xbf00, 0xbf06_0a92, 0xbf06),
                    (0x3f20, 0x3f2c_d56c, 0x3f2d),
                    (0xbf60, 0xbf88_6034, 0xbf88),
                    (0x3f80, 0x3fc9_0fdb, 0x3fc9),
                    (0x4000, 0x7fc0_0000, 0x7f80),
                ],
            ),
            (
                acos,
                &[
                    (0x0000, 0x3fc9_0fdb, 0x3fc9),
                    (0x3f00, 0x3f86_0a92, 0x3f86),
                    (0xbf00, 0x4006_0a92, 0x4006),
                    (0x3f60, 0x3f01_5f4e, 0x3f01),
                    (0xbf60, 0x4028_b808, 0x4029),
                    (0x3f80, 0x0000_0000, 0x0000),
                    (0xbf80, 0x4049_0fdb, 0x4049),
                    (0x4000, 0x7fc0_0000, 0x7f80),
                ],
            ),
        ];
        for (function, expected) in cases {
            answers(function, expected);
        }
    }
}
