//! Activations: sigmoid, silu, tanh, elu and their kin.
//!
//! Sources: llk_sfpu/ckernel_sfpu_sigmoid.h, ckernel_sfpu_sigmoid_appx.h, ckernel_sfpu_silu.h,
//! ckernel_sfpu_tanh.h, ckernel_sfpu_elu.h, ckernel_sfpu_selu.h, ckernel_sfpu_activations.h,
//! sfpu/ckernel_sfpu_expm1_cw.h. Must never round where a kernel only truncates.
//! Start reading at [`sigmoid`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::bounds::Polynomial;
use super::call::{Call, NO_STEPS, Ran};
use super::exponential::{HALF_LN_2, exp_21f, exp_fp32};
use super::limits::relu_max;
use super::lreg::Register;
use super::op::SfpuOp;
use super::reciprocal::{estimate, reciprocal};
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::Reciprocal;

/// The rounding that many kernels do before they store to a 16-bit Dst.
#[inline(always)]
pub(super) fn rounded<R: Register>(unit: Sfpu, x: R) -> R {
    if unit.dst_32 { x } else { x.round_to_bf16() }
}

/// The sigmoid before rounding.
#[inline(always)]
fn sigmoid_body<R: Register>(unit: Sfpu, x: R) -> R {
    let exp = if unit.dst_32 { exp_fp32(unit, x.negate()) } else { exp_21f(unit, x.negate()) };
    reciprocal(unit, unit.add(R::float(1.0), exp), if unit.dst_32 { 2 } else { 1 })
}

/// `sigmoid_tile`.
#[inline(always)]
pub(super) fn sigmoid<R: Register>(unit: Sfpu, x: R) -> R {
    rounded(unit, sigmoid_body(unit, x))
}

/// `silu_tile`.
#[inline(always)]
pub(super) fn silu<R: Register>(unit: Sfpu, x: R) -> R {
    rounded(unit, unit.mul(x, sigmoid_body(unit, x)))
}

/// SFPLUT with three lines, slope and offset each, for |x| below 1, below 2 and above
/// (ISA documentation, `TensixCoprocessor/SFPLUT.md`); the sign of x is put back.
#[inline(always)]
fn lut<R: Register>(unit: Sfpu, x: R, lines: [(f32, f32); 3]) -> R {
    let magnitude = x.magnitude();
    let below = |limit: f32| magnitude.ilt(limit.to_bits() as i32);
    let pick = |f: fn((f32, f32)) -> f32| {
        let upper = R::float(f(lines[1])).where_(below(2.0), R::float(f(lines[2])));
        R::float(f(lines[0])).where_(below(1.0), upper)
    };
    unit.mad(pick(|l| l.0), magnitude, pick(|l| l.1)).with_sign_of(x)
}

/// `sigmoid_tile<VectorMode::RC, true>`.
#[inline(always)]
pub(super) fn sigmoid_fast<R: Register>(unit: Sfpu, x: R) -> R {
    let lines = [(0.226_562_5, 0.0), (0.265_625, -0.046_875), (0.0, 0.5)];
    unit.add(lut(unit, x, lines), R::float(0.5))
}

/// `tanh_tile<true>`.
#[inline(always)]
pub(super) fn tanh_fast<R: Register>(unit: Sfpu, x: R) -> R {
    lut(unit, x, [(0.906_25, 0.0), (0.093_75, 0.812_5), (0.0, 1.0)])
}

/// `tanh_tile`.
#[inline(always)]
pub(super) fn tanh<R: Register>(unit: Sfpu, x: R) -> R {
    if unit.dst_32 {
        return tanh_fp32(unit, x);
    }
    let a = x.abs();
    let slope = unit.polynomial(
        a,
        [
            5.876_733_921_468_257_904_052_734_375e-3,
            -6.664_901_971_817_016_601_562_5e-2,
            0.281_917_631_626_129_150_390_625,
            -0.489_065_974_950_790_405_273_437_5,
            3.089_743_852_615_356_445_312_5e-2,
            0.999_004_364_013_671_875,
        ],
    );
    unit.mul(slope, a).min(R::float(1.0)).with_sign_of(x).round_to_bf16()
}

/// The tanh of a 32-bit Dst: expm1 over expm1 + 2 with a corrected quotient.
#[inline(always)]
pub(super) fn tanh_fp32<R: Register>(unit: Sfpu, x: R) -> R {
    let (one, half) = (R::float(1.0), R::float(0.5));
    let steps = unit.mul(x, R::float(2.0 * 1.442_695)).round_to_integer(255, false);
    let a = unit.add(x, x).magnitude();
    let f = unit.mad_of_peers(steps.to_float(), R::float(-0.693_147_180_559_945_3), a);
    const SERIES: Polynomial<6> = Polynomial::of(
        HALF_LN_2,
        [1.974_105_835e-4, 1.393_318_176e-3, 8.331_298_828e-3, 4.166_680_202e-2, 1.666_667_163e-1, 0.5],
    );
    let r = unit.polynomial_within(f, SERIES);
    let s = unit.mul(f, f);
    let r = unit.corrected(r, s, f);
    let scale = R::splat(0).with_exponent(steps.iaddi(126));
    let x0 = unit.mad(r, scale, unit.sub(scale, half));
    let y = unit.mad(a.iaddi(-1), R::splat(0), one);
    let x1 = unit.add(x0, one);
    // The reciprocal is negative where it begins with a subtraction of integers; else the sum is.
    let (x1, rcp) = match unit.rules.reciprocal {
        Reciprocal::Polynomial => {
            let rcp = R::splat(0xfef3_0000).isub(x1);
            let t = unit.residual(x1, rcp, one);
            (x1, unit.corrected(rcp, unit.corrected(t, t, t), rcp))
        }
        Reciprocal::Estimate => {
            let (x1, rcp) = (x1.negate(), estimate(x1));
            (x1, unit.mad(rcp, unit.residual(x1, rcp, one), rcp))
        }
    };
    let y0 = unit.mul(x0, rcp);
    let t = unit.residual(x1, y0, x0);
    let quotient = unit.corrected(t, rcp, y0);
    let small = x.where_(x.exponent_field().ilt(115), quotient);
    small.where_(steps.ilt(61), y).with_sign_of(x)
}

/// exp(x) - 1 by reduction to multiples of ln 2; inputs below -87 count as -87.
#[inline(always)]
fn expm1_clamped<R: Register>(unit: Sfpu, x: R) -> R {
    let x = x.max(R::float(-87.0));
    let shift = R::splat(0x4b40_0000);
    let tmp = unit.mad(x, R::float(1.442_695_040_888_963_4), shift);
    let k = unit.sub(tmp, shift);
    let r = unit.mad(k, R::float(-0.693_115_234_375), x);
    let r = unit.mad(k, R::float(-3.194_618_329_87e-5), r);
    const SERIES: Polynomial<5> = Polynomial::of(
        HALF_LN_2,
        [8.375_131_525_1e-3, 4.187_566_414_5e-2, 1.666_643_321_5e-1, 4.999_937_117_1e-1, 1.0],
    );
    let h = unit.polynomial_within(r, SERIES);
    let h = unit.mul(r, h);
    let power = R::float(1.0).with_exponent(tmp.isub(R::splat(0x4b3f_ff81)));
    unit.mad(power, h, unit.sub(power, R::float(1.0)))
}

/// `elu_tile`.
#[inline(always)]
pub(super) fn elu<R: Register>(unit: Sfpu, x: R, alpha: R, seen: bool) -> R {
    let negative = unit.times(alpha, expm1_clamped(unit, x), seen);
    rounded(unit, negative.where_(x.negative(), x))
}

/// `celu_tile`; whether the compiler sees alpha, and its reciprocal.
#[inline(always)]
pub(super) fn celu<R: Register>(unit: Sfpu, x: R, [alpha, reciprocal]: [R; 2], seen: [bool; 2]) -> R {
    let scaled = unit.times(reciprocal, x, seen[1]);
    let negative = unit.times(alpha, expm1_clamped(unit, scaled), seen[0]);
    rounded(unit, negative.where_(x.negative(), x))
}

/// `selu_tile`; whether the compiler sees the scale, and the scale times alpha.
#[inline(always)]
pub(super) fn selu<R: Register>(unit: Sfpu, x: R, scale: f32, alpha: f32, seen: [bool; 2]) -> R {
    let negative = unit.times(R::float(scale * alpha), expm1_clamped(unit, x), seen[1]);
    rounded(unit, negative.where_(x.negative(), unit.times(R::float(scale), x, seen[0])))
}

/// `hardsigmoid_tile`.
#[inline(always)]
pub(super) fn hardsigmoid<R: Register>(unit: Sfpu, x: R) -> R {
    let line = unit.mad(x, R::float(0.166_666_671_633_720_4), R::float(0.5));
    relu_max(unit, line, R::float(1.0))
}

/// `softsign_tile`.
#[inline(always)]
pub(super) fn softsign<R: Register>(unit: Sfpu, x: R) -> R {
    let denominator = unit.add(x.abs(), R::float(1.0));
    unit.mul(x, reciprocal(unit, denominator, if unit.approx { 0 } else { 2 }))
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (scalar, seen) = (f32::from_bits(call.params[0]), [call.sees(0), call.sees(1)]);
    match call.op {
        Sigmoid => swiftly!(call, |unit, x| sigmoid(unit, x)),
        SigmoidFast => swiftly!(call, |unit, x| sigmoid_fast(unit, x)),
        Silu => swiftly!(call, |unit, x| silu(unit, x)),
        Tanh => swiftly!(call, |unit, x| tanh(unit, x)),
        TanhFast => swiftly!(call, |unit, x| tanh_fast(unit, x)),
        Elu => swiftly!(call, |unit, x| elu(unit, x, R::float(scalar), seen[0])),
        Celu => {
            let reciprocal = f32::from_bits(call.params[1]);
            swiftly!(call, |unit, x| celu(unit, x, [scalar, reciprocal].map(R::float), seen));
        }
        Selu => {
            let alpha = f32::from_bits(call.params[1]);
            swiftly!(call, |unit, x| selu(unit, x, scalar, alpha, [seen[0], seen[0] && seen[1]]));
        }
        Hardsigmoid => swiftly!(call, |unit, x| hardsigmoid(unit, x)),
        Softsign => swiftly!(call, |unit, x| softsign(unit, x)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::unit::answers;
    use super::*;
    use crate::sfpu::lreg::LReg;

    /// `celu_tile` with alpha 0.5 in the text, and with 3 from a runtime argument.
    #[test]
    fn the_continuous_exponential_unit_answers_as_the_kernel_does() {
        type Answers = &'static [(u32, u32, u32)];
        let cases: [(f32, bool, Answers); 2] = [
            (
                0.5,
                true,
                &[
                    (0x3f80, 0x3f80_0000, 0x3f80),
                    (0xbf80, 0xbedd_5aab, 0xbedd),
                    (0xbdcc, 0xbdb8_f6e7, 0xbdb9),
                    (0xc2c8, 0xbf00_0000, 0xbf00),
                    (0xff80, 0xbf00_0000, 0xbf00),
                ],
            ),
            (
                3.0,
                false,
                &[(0xbf80, 0xbf59_b438, 0xbf5a), (0xc000, 0xbfba_d90c, 0xbfbb), (0x4040, 0x4040_0000, 0x4040)],
            ),
        ];
        for (alpha, seen, expected) in cases {
            let scalars = [LReg::float(alpha), LReg::float(1.0 / alpha)];
            answers(|unit, x| celu(unit, x, scalars, [seen; 2]), expected);
        }
    }
}
