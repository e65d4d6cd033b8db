//! Exponentials.
//!
//! Source: llk_sfpu/ckernel_sfpu_exp.h, built without SFPLOADMACRO as the golden vectors were.
//! Must never call the host's `exp`. Start reading at [`run`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::iterations::{ABS, FRACTION, Iteration, Tiles, cut_to_odd, lanes, off_the_middle, plus_product, to_bf16};
use super::lreg::{LANES, LReg, Register};
use super::op::SfpuOp;
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::MultiplyAdd;
use crate::simd::vectorized;

const INF: u32 = 0x7f80_0000;
/// What is left of an argument without its multiple of ln 2: rounding may leave a little more than half.
pub(super) const HALF_LN_2: Range = Range::around_zero(0.35);

/// The polynomial of a power of two's fraction, given as an integer of 23 bits.
#[inline(always)]
fn two_to_fraction<R: Register>(unit: Sfpu, fraction: R, c0: f32) -> R {
    unit.polynomial(fraction.to_float(), [4.791_750_143_340_323e-15, 7.839_635_491_371_155e-8, c0])
}

/// `2^(v - 127)` for v in [0, 255] by splitting integer and fraction (Moroz et al., exp_21f).
#[inline(always)]
pub(super) fn exp_21f_split<R: Register>(unit: Sfpu, v: R, c0: f32) -> R {
    let z = v.significand().shift(v.exponent());
    two_to_fraction(unit, z.mantissa(), c0).with_exponent(z.exponent_field())
}

/// exp_21f before rounding, as other operations use it.
#[inline(always)]
pub(super) fn exp_21f<R: Register>(unit: Sfpu, x: R) -> R {
    let v = unit.mad(x, R::float(1.442_695_021_629_333_5), R::float(127.0));
    exp_21f_split(unit, v.max(R::splat(0)).min(R::float(255.0)), 1.001_724_8)
}

/// exp_21f as `exp_tile` issues it for a 16-bit Dst: its last coefficient is an fp16 immediate.
#[inline(always)]
fn exp_21f_tile<R: Register>(unit: Sfpu, x: R, clamp_negative: bool) -> R {
    let v = unit.mad(x, R::float(1.442_695_021_629_333_5), R::float(127.0));
    let v = if clamp_negative { v.max(R::splat(0)) } else { v };
    exp_21f_split(unit, v.min(R::float(255.0)), 1.001_953_125).round_to_bf16()
}

/// Reduction by multiples of ln 2 and polynomial: the polynomial but for its last step, the polynomial, and the exponent field that
/// it is to have.
#[inline(always)]
fn exp_fp32_parts<R: Register>(unit: Sfpu, x: R) -> (R, R, R) {
    let steps = unit.mul(R::float(1.442_695), x).round_to_integer(32767, true);
    let j = steps.to_float();
    let f = unit.mad(j, R::float(-6.931_457_52e-1), x);
    let f = unit.mad(j, R::float(-1.428_606_77e-6), f);
    const SERIES: Polynomial<6> = Polynomial::of(
        HALF_LN_2,
        [1.378_059_39e-3, 8.373_124_52e-3, 4.166_953_64e-2, 1.666_647_20e-1, 4.999_998_51e-1, 1.0],
    );
    let y = unit.polynomial_within(f, SERIES);
    let r = unit.horner(y, f, 1.0);
    (y, r, r.exponent_field().iadd(steps.to_twos_complement()))
}

/// The accurate exponential of a 32-bit Dst: reduction by multiples of ln 2, polynomial, scaling.
#[inline(always)]
pub(super) fn exp_fp32<R: Register>(unit: Sfpu, x: R) -> R {
    let (y, r, e) = exp_fp32_parts(unit, x);
    // Zero, or NaN if the polynomial is one.
    let outside = unit.mul(y.iaddi(-1), R::splat(0));
    let above = unit.add(R::splat(INF), outside);
    let inside = r.with_exponent(e);
    let large = inside.where_(e.ilt(255), above);
    outside.where_(e.ilt(1), large)
}

/// [`exp_fp32`] of what neither overflows nor underflows: the exponent is put in as it is.
#[inline(always)]
pub(super) fn exp_fp32_unguarded<R: Register>(unit: Sfpu, x: R) -> R {
    let (_, r, e) = exp_fp32_parts(unit, x);
    r.with_exponent(e)
}

/// `exp_tile`, with the factor of its template argument `scale_en` if there is one.
#[inline(always)]
pub(super) fn exp<R: Register>(unit: Sfpu, x: R, scale: Option<u32>, clamp_negative: bool) -> R {
    let x = scale.map_or(x, |bf16| unit.mul(x, R::splat(bf16 << 16)));
    if unit.dst_32 { exp_fp32(unit, x) } else { exp_21f_tile(unit, x, clamp_negative) }
}

/// The fast exponential's factor and addend: Schraudolph's method on bits 15 and up.
const FAST_FACTOR: f32 = 369.329_93;
const FAST_ADDEND: f32 = 32_500.818;
const FAST_LEAST: f32 = -88.5;

/// `exp_tile<true>`: inputs below -88.5 count as -88.5.
#[inline(always)]
pub(super) fn exp_fast<R: Register>(unit: Sfpu, x: R, scale: f32) -> R {
    let x = x.max(R::float(FAST_LEAST / scale));
    let v = unit.mad(R::float(FAST_FACTOR * scale), x, R::float(FAST_ADDEND));
    v.round_to_integer(65535, false).shl(15)
}

/// `exp_tile<true, ..., InputClamping::None>`: the sign of the integer survives.
#[inline(always)]
pub(super) fn exp_fast_unclamped<R: Register>(unit: Sfpu, x: R, scale: f32) -> R {
    let v = unit.mad(R::float(FAST_FACTOR * scale), x, R::float(FAST_ADDEND));
    let n = v.round_to_integer(32767, true);
    n.shl(15).with_sign_of(n)
}

/// `exp2_tile`.
#[inline(always)]
pub(super) fn exp2<R: Register>(unit: Sfpu, x: R) -> R {
    if !unit.dst_32 {
        let v = unit.add(x, R::float(127.0)).max(R::splat(0)).min(R::float(255.0));
        return exp_21f_split(unit, v, 1.001_724_8).round_to_bf16();
    }
    let steps = x.round_to_integer(32767, true);
    let f = unit.sub(x, steps.to_float());
    let r = unit.polynomial(f, [1.5342236e-4, 0.0013399124, 0.0096206665]);
    let y = unit.mad(r, f, R::float(0.05550377));
    let r = unit.mad(y, f, R::float(0.24022603));
    let above = unit.mul(y, R::splat(INF));
    let r = unit.mad(r, f, R::float(0.6931471));
    let r = unit.mad(r, f, R::float(1.0));
    let e = r.exponent_field().iadd(steps.to_twos_complement());
    let inside = R::splat(0).where_(e.ilt(1), r.with_exponent(e));
    inside.where_(e.ilt(255) & !x.abs().negative(), above)
}

/// `expm1_tile`.
#[inline(always)]
pub(super) fn expm1<R: Register>(unit: Sfpu, a: R) -> R {
    let half = R::float(0.5);
    let shift = R::float(12_582_912.0);
    let rounded = unit.mad(R::float(1.442_695), a, shift);
    let j = unit.sub(rounded, shift);
    let power = rounded.shl(23).iadd(half);
    let large = |jm2: R| {
        let infinite = unit.mul(jm2, R::splat(INF));
        R::float(-0.5).where_(jm2.negative(), infinite)
    };
    if !unit.dst_32 {
        let f = unit.mad(j, R::float(-0.693_147_180_559_945_3), a);
        let s = unit.mul(f, f);
        let r = unit.polynomial(f, [8.361_816_406e-3, 4.177_856_445e-2, 1.666_259_766e-1, 0.5]);
        let r = unit.mad(r, s, f);
        let jm2 = unit.add(j, R::float(-2.0));
        let tail = jm2.abs().round_to_integer(127, true);
        let scaled = unit.mad(power, r, unit.sub(power, half));
        let scaled = large(jm2).where_(!tail.ilt(127), scaled);
        return unit.mul(scaled, R::float(2.0)).where_(!j.zero(), r).round_to_bf16();
    }
    let f = unit.mad(j, R::float(-0.693_145_752), a);
    let f = unit.mad(j, R::float(-1.428_606_77e-6), f);
    let s = unit.mul(f, f);
    const SERIES: Polynomial<6> = Polynomial::of(
        HALF_LN_2,
        [
            1.974_105_835e-4,
            1.393_107_930e-3,
            8.333_439_939e-3,
            4.166_680_202e-2,
            1.666_667_163e-1,
            // Below one half by its last place.
            f32::from_bits(0x3eff_ffff),
        ],
    );
    let r = unit.polynomial_within(f, SERIES);
    let jm1 = unit.add(j, R::float(-1.0));
    let u = unit.add(f, half).where_(jm1.zero(), f);
    let r = unit.mad(r, s, u);
    let y = unit.sub(power, half);
    let x = unit.sub(unit.sub(power, y), half);
    let jm2 = unit.add(jm1, R::float(-1.0));
    let tail = jm2.abs().round_to_integer(127, true);
    let scaled = unit.add(unit.mad(r, power, x), y);
    let scaled = large(jm2).where_(!tail.ilt(127), scaled);
    let r2 = scaled.where_(!jm1.zero(), r);
    unit.mul(r2, R::float(2.0)).where_(!j.zero(), r)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (unit, params) = (call.unit, call.params);
    // The fast exponential's scale belongs to its init; an init without one leaves 1.
    let scale = if params[0] == 0 { 1.0 } else { f32::from_bits(params[0]) };
    let clamp_negative = params[2] != 1;
    match call.op {
        Exp if params[0] != 1 && clamp_negative && iterates(unit) => exponentials(call),
        Exp => {
            let factor = (params[0] == 1).then_some(params[1]);
            swiftly!(call, |unit, x| exp(unit, x, factor, clamp_negative));
        }
        ExpFast => swiftly!(call, |unit, x| exp_fast(unit, x, scale)),
        ExpFastUnclamped => swiftly!(call, |unit, x| exp_fast_unclamped(unit, x, scale)),
        Exp2 => swiftly!(call, |unit, x| exp2(unit, x)),
        Expm1 => swiftly!(call, |unit, x| expm1(unit, x)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

/// Whether [`exponentials`] follows the kernel's arithmetic.
fn iterates(unit: Sfpu) -> bool {
    !unit.approx && unit.rules.multiply_add == MultiplyAdd::Leaking
}

/// The exponential of a 32-bit Dst up to magnitude 85, without a scale.
#[derive(Clone, Copy)]
struct ExpWide;

impl Iteration for ExpWide {
    #[inline(always)]
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        let x: [f32; LANES] = lanes!(i => f32::from_bits(words[i]));
        // To the nearest integer, ties away from zero: at most 123.
        let steps: [i32; LANES] = lanes!(i => {
            let v = (1.442_695 * x[i]).to_bits();
            let e = (v >> 23 & 255) as i32 - 127;
            let shift = (23 - e).clamp(7, 24) as u32;
            let magnitude = ((v & FRACTION | 0x0080_0000) >> (shift - 1)).wrapping_add(1) >> 1;
            let magnitude = if e < -1 { 0 } else { magnitude as i32 };
            if (v as i32) < 0 { -magnitude } else { magnitude }
        });
        // An integer of 7 bits times a constant of 15, and x within a factor of two of it or alone:
        // nothing is cut.
        let near: [f32; LANES] = lanes!(i => plus_product(steps[i] as f32, -6.931_457_52e-1, x[i]) as f32);
        let correction: [f64; LANES] = lanes!(i => f64::from(steps[i] as f32) * f64::from(-1.428_606_77e-6f32));
        let mut ordinary: [u32; LANES] = lanes!(i => {
            // A little more than twice, as rounding to f32 could lose some.
            let dominated = ((2.5 * correction[i]) as f32).to_bits() & ABS <= near[i].to_bits() & ABS;
            u32::from((words[i] & ABS <= 0x42aa_0000) & dominated)
        });
        // Multiples of 2^-43 or of a few places more, under 1/2.
        let f: [f32; LANES] = lanes!(i => (correction[i] + f64::from(near[i])) as f32);
        // With |f| < 0.36 each product is under half of the next coefficient.
        let mut y = [1.378_059_39e-3; LANES];
        for coefficient in [8.373_124_52e-3, 4.166_953_64e-2, 1.666_647_20e-1, 4.999_998_51e-1, 1.0, 1.0] {
            for i in 0..LANES {
                let sum = plus_product(y[i], f[i], coefficient);
                ordinary[i] = ordinary[i].min(off_the_middle(sum));
                y[i] = sum as f32;
            }
        }
        (lanes!(i => y[i].to_bits().wrapping_add((steps[i] as u32) << 23)), ordinary)
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        exp(unit, x, None, true)
    }
}

/// The exponential of a 16-bit Dst up to magnitude 80, without a scale.
#[derive(Clone, Copy)]
struct ExpNarrow;

impl Iteration for ExpNarrow {
    #[inline(always)]
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        // The product is under 128 and the addend's exponent 6, so the places end at 2^-20: bit 24 on top
        // of 384. A bf16 times the constant ends at 2^-44 or above if not under 2^-14.
        let v: [u32; LANES] = lanes!(i => {
            let product = f64::from(f32::from_bits(words[i])) * f64::from(1.442_695_021_629_333_5f32);
            (((cut_to_odd(384.0 + product) - 384.0) + 127.0) as f32).to_bits()
        });
        // Between 11 and 243: the exponent is 3 to 7, and no limit bites.
        let z: [u32; LANES] = lanes!(i => (v[i] & FRACTION | 0x0080_0000) << ((v[i] >> 23).wrapping_sub(127) & 7));
        let fraction: [f32; LANES] = lanes!(i => (z[i] & FRACTION) as i32 as f32);
        // Positive terms, multiples of 2^-71 and 2^-47, and the product is the smaller one.
        let y: [f32; LANES] =
            lanes!(i => plus_product(4.791_750_143_340_323e-15, fraction[i], 7.839_635_491_371_155e-8) as f32);
        let y: [f32; LANES] = lanes!(i => plus_product(y[i], fraction[i], 1.001_953_125) as f32);
        let out = lanes!(i => to_bf16(y[i].to_bits() & 0x807f_ffff | z[i] & 0x7f80_0000));
        let ordinary = lanes!(i => {
            let magnitude = words[i] & ABS;
            let inside = (magnitude <= 0x42a0_0000) & ((magnitude >= 0x3880_0000) | (magnitude == 0));
            u32::from(inside & (words[i] & 0xffff == 0))
        });
        (out, ordinary)
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        exp(unit, x, None, true)
    }
}

/// [`exp`] without a scale over a tile. The clamp of negative inputs is beyond what is ordinary, so the
/// caller must ask for it.
fn exponentials(call: &mut Call<'_>) {
    if call.unit.dst_32 {
        vectorized(Tiles { iteration: ExpWide, call });
    } else {
        vectorized(Tiles { iteration: ExpNarrow, call });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sfpu::iterations::compare;

    #[test]
    fn exponentials_equal_the_sequence() {
        for dst_32 in [true, false] {
            compare(dst_32, exponentials, |unit, x| exp(unit, x, None, true));
        }
    }
}
