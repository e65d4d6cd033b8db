//! Activations: sigmoid, silu, tanh, elu and their kin.
//!
//! Sources: llk_sfpu/ckernel_sfpu_sigmoid.h, ckernel_sfpu_sigmoid_appx.h, ckernel_sfpu_silu.h,
//! ckernel_sfpu_tanh.h, ckernel_sfpu_elu.h, ckernel_sfpu_selu.h, ckernel_sfpu_activations.h,
//! sfpu/ckernel_sfpu_expm1_cw.h. Must never round where a kernel only truncates.
//! Start reading at [`sigmoid`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::call::{Call, NO_STEPS, Ran};
use super::exponential::{exp_21f, exp_fp32};
use super::limits::relu_max;
use super::lreg::LReg;
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::unit::Sfpu;

/// The rounding that many kernels do before they store to a 16-bit Dst.
#[inline(never)]
pub(super) fn rounded(unit: Sfpu, x: LReg) -> LReg {
    if unit.dst_32 { x } else { x.round_to_bf16() }
}

/// The sigmoid before rounding.
#[inline(never)]
fn sigmoid_body(unit: Sfpu, x: LReg) -> LReg {
    let exp = if unit.dst_32 { exp_fp32(unit, x.negate()) } else { exp_21f(unit, x.negate()) };
    reciprocal(unit, unit.add(LReg::float(1.0), exp), if unit.dst_32 { 2 } else { 1 })
}

/// `sigmoid_tile`.
#[inline(never)]
pub(super) fn sigmoid(unit: Sfpu, x: LReg) -> LReg {
    rounded(unit, sigmoid_body(unit, x))
}

/// `silu_tile`.
#[inline(never)]
pub(super) fn silu(unit: Sfpu, x: LReg) -> LReg {
    rounded(unit, unit.mul(x, sigmoid_body(unit, x)))
}

/// SFPLUT with three lines, slope and offset each, for |x| below 1, below 2 and above
/// (ISA documentation, `TensixCoprocessor/SFPLUT.md`); the sign of x is put back.
#[inline(never)]
fn lut(unit: Sfpu, x: LReg, lines: [(f32, f32); 3]) -> LReg {
    let magnitude = x.magnitude();
    let below = |limit: f32| magnitude.ilt(limit.to_bits() as i32);
    let pick = |f: fn((f32, f32)) -> f32| {
        let upper = LReg::float(f(lines[1])).where_(below(2.0), LReg::float(f(lines[2])));
        LReg::float(f(lines[0])).where_(below(1.0), upper)
    };
    unit.mad(pick(|l| l.0), magnitude, pick(|l| l.1)).with_sign_of(x)
}

/// `sigmoid_tile<VectorMode::RC, true>`.
#[inline(never)]
pub(super) fn sigmoid_fast(unit: Sfpu, x: LReg) -> LReg {
    let lines = [(0.226_562_5, 0.0), (0.265_625, -0.046_875), (0.0, 0.5)];
    unit.add(lut(unit, x, lines), LReg::float(0.5))
}

/// `tanh_tile<true>`.
#[inline(never)]
pub(super) fn tanh_fast(unit: Sfpu, x: LReg) -> LReg {
    lut(unit, x, [(0.906_25, 0.0), (0.093_75, 0.812_5), (0.0, 1.0)])
}

/// `tanh_tile`.
#[inline(never)]
pub(super) fn tanh(unit: Sfpu, x: LReg) -> LReg {
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
    unit.mul(slope, a).min(LReg::float(1.0)).with_sign_of(x).round_to_bf16()
}

/// The tanh of a 32-bit Dst: expm1 over expm1 + 2 with a corrected quotient.
#[inline(never)]
pub(super) fn tanh_fp32(unit: Sfpu, x: LReg) -> LReg {
    let (one, half) = (LReg::float(1.0), LReg::float(0.5));
    let steps = unit.mul(x, LReg::float(2.0 * 1.442_695)).round_to_integer(255, false);
    let a = unit.add(x, x).magnitude();
    let f = unit.mad(steps.to_float(), LReg::float(-0.693_147_180_559_945_3), a);
    let r = unit
        .polynomial(f, [1.974_105_835e-4, 1.393_318_176e-3, 8.331_298_828e-3, 4.166_680_202e-2, 1.666_667_163e-1, 0.5]);
    let s = unit.mul(f, f);
    let r = unit.mad(r, s, f);
    let scale = LReg::splat(0).with_exponent(steps.iaddi(126));
    let x0 = unit.mad(r, scale, unit.sub(scale, half));
    let y = unit.mad(a.iaddi(-1), LReg::splat(0), one);
    let x1 = unit.add(x0, one);
    let rcp = LReg::splat(0xfef3_0000).isub(x1);
    let t = unit.mad(x1, rcp, one);
    let t = unit.mad(t, t, t);
    let rcp = unit.mad(rcp, t, rcp);
    let y0 = unit.mul(x0, rcp);
    let t = unit.mad(x1, y0, x0);
    let quotient = unit.mad(t, rcp, y0);
    let small = x.where_(x.exponent_field().ilt(115), quotient);
    small.where_(steps.ilt(61), y).with_sign_of(x)
}

/// exp(x) - 1 by reduction to multiples of ln 2; inputs below -87 count as -87.
#[inline(never)]
fn expm1_clamped(unit: Sfpu, x: LReg) -> LReg {
    let x = x.max(LReg::float(-87.0));
    let shift = LReg::splat(0x4b40_0000);
    let tmp = unit.mad(x, LReg::float(1.442_695_040_888_963_4), shift);
    let k = unit.sub(tmp, shift);
    let r = unit.mad(k, LReg::float(-0.693_115_234_375), x);
    let r = unit.mad(k, LReg::float(-3.194_618_329_87e-5), r);
    let h = unit.polynomial(r, [8.375_131_525_1e-3, 4.187_566_414_5e-2, 1.666_643_321_5e-1, 4.999_937_117_1e-1, 1.0]);
    let h = unit.mul(r, h);
    let power = LReg::float(1.0).with_exponent(tmp.isub(LReg::splat(0x4b3f_ff81)));
    unit.mad(power, h, unit.sub(power, LReg::float(1.0)))
}

/// `elu_tile`.
#[inline(never)]
pub(super) fn elu(unit: Sfpu, x: LReg, alpha: LReg, seen: bool) -> LReg {
    let negative = unit.times(alpha, expm1_clamped(unit, x), seen);
    rounded(unit, negative.where_(x.negative(), x))
}

/// `celu_tile`; whether the compiler sees alpha, and its reciprocal.
#[inline(never)]
pub(super) fn celu(unit: Sfpu, x: LReg, [alpha, reciprocal]: [LReg; 2], seen: [bool; 2]) -> LReg {
    let scaled = unit.times(reciprocal, x, seen[1]);
    let negative = unit.times(alpha, expm1_clamped(unit, scaled), seen[0]);
    rounded(unit, negative.where_(x.negative(), x))
}

/// `selu_tile`; whether the compiler sees the scale, and the scale times alpha.
#[inline(never)]
pub(super) fn selu(unit: Sfpu, x: LReg, scale: f32, alpha: f32, seen: [bool; 2]) -> LReg {
    let negative = unit.times(LReg::float(scale * alpha), expm1_clamped(unit, x), seen[1]);
    rounded(unit, negative.where_(x.negative(), unit.times(LReg::float(scale), x, seen[0])))
}

/// `hardsigmoid_tile`.
#[inline(never)]
pub(super) fn hardsigmoid(unit: Sfpu, x: LReg) -> LReg {
    let line = unit.mad(x, LReg::float(0.166_666_671_633_720_4), LReg::float(0.5));
    relu_max(unit, line, LReg::float(1.0))
}

/// `softsign_tile`.
#[inline(never)]
pub(super) fn softsign(unit: Sfpu, x: LReg) -> LReg {
    let denominator = unit.add(x.abs(), LReg::float(1.0));
    unit.mul(x, reciprocal(unit, denominator, if unit.approx { 0 } else { 2 }))
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (unit, scalar, seen) = (call.unit, call.scalar(0), [call.sees(0), call.sees(1)]);
    match call.op {
        Sigmoid => call.unary(|x| sigmoid(unit, x)),
        SigmoidFast => call.unary(|x| sigmoid_fast(unit, x)),
        Silu => call.unary(|x| silu(unit, x)),
        Tanh => call.unary(|x| tanh(unit, x)),
        TanhFast => call.unary(|x| tanh_fast(unit, x)),
        Elu => call.unary(|x| elu(unit, x, scalar, seen[0])),
        Celu => {
            let scalars = [scalar, call.scalar(1)];
            call.unary(|x| celu(unit, x, scalars, seen));
        }
        Selu => {
            let (scale, alpha) = (f32::from_bits(call.params[0]), f32::from_bits(call.params[1]));
            call.unary(|x| selu(unit, x, scale, alpha, [seen[0], seen[0] && seen[1]]));
        }
        Hardsigmoid => call.unary(|x| hardsigmoid(unit, x)),
        Softsign => call.unary(|x| softsign(unit, x)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::unit::answers;
    use super::*;

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
