//! Exponentials.
//!
//! Source: llk_sfpu/ckernel_sfpu_exp.h, built without SFPLOADMACRO as the golden vectors were.
//! Must never call the host's `exp`. Start reading at [`exp`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::lreg::{LReg, Sfpu};

const INF: u32 = 0x7f80_0000;

/// The polynomial of a power of two's fraction, given as an integer of 23 bits.
#[inline(never)]
fn two_to_fraction(unit: Sfpu, fraction: LReg, c0: f32) -> LReg {
    unit.polynomial(fraction.to_float(), [4.791_750_143_340_323e-15, 7.839_635_491_371_155e-8, c0])
}

/// `2^(v - 127)` for v in [0, 255] by splitting integer and fraction (Moroz et al., exp_21f).
#[inline(never)]
pub(super) fn exp_21f_split(unit: Sfpu, v: LReg, c0: f32) -> LReg {
    let z = v.significand().shift(v.exponent());
    two_to_fraction(unit, z.mantissa(), c0).with_exponent(z.exponent_field())
}

/// exp_21f before rounding, as other operations use it.
#[inline(never)]
pub(super) fn exp_21f(unit: Sfpu, x: LReg) -> LReg {
    let v = unit.mad(x, LReg::float(1.442_695_021_629_333_5), LReg::float(127.0));
    exp_21f_split(unit, v.max(LReg::splat(0)).min(LReg::float(255.0)), 1.001_724_8)
}

/// exp_21f as `exp_tile` issues it for a 16-bit Dst: its last coefficient is an fp16 immediate.
#[inline(never)]
fn exp_21f_tile(unit: Sfpu, x: LReg, clamp_negative: bool) -> LReg {
    let v = unit.mad(x, LReg::float(1.442_695_021_629_333_5), LReg::float(127.0));
    let v = if clamp_negative { v.max(LReg::splat(0)) } else { v };
    exp_21f_split(unit, v.min(LReg::float(255.0)), 1.001_953_125).round_to_bf16()
}

/// The accurate exponential of a 32-bit Dst: reduction by multiples of ln 2, polynomial, scaling.
#[inline(never)]
pub(super) fn exp_fp32(unit: Sfpu, x: LReg) -> LReg {
    let steps = unit.mul(LReg::float(1.442_695), x).round_to_integer(32767, true);
    let j = steps.to_float();
    let f = unit.mad(j, LReg::float(-6.931_457_52e-1), x);
    let f = unit.mad(j, LReg::float(-1.428_606_77e-6), f);
    let y =
        unit.polynomial(f, [1.378_059_39e-3, 8.373_124_52e-3, 4.166_953_64e-2, 1.666_647_20e-1, 4.999_998_51e-1, 1.0]);
    let r = unit.mad(y, f, LReg::float(1.0));
    let e = r.exponent_field().iadd(steps.to_twos_complement());
    // Zero, or NaN if the polynomial is one.
    let outside = unit.mul(y.iaddi(-1), LReg::splat(0));
    let above = unit.add(LReg::splat(INF), outside);
    let inside = r.with_exponent(e);
    let large = inside.where_(e.ilt(255), above);
    outside.where_(e.ilt(1), large)
}

/// `exp_tile`, with the factor of its template argument `scale_en` if there is one.
#[inline(never)]
pub(super) fn exp(unit: Sfpu, x: LReg, scale: Option<u32>, clamp_negative: bool) -> LReg {
    let x = scale.map_or(x, |bf16| unit.mul(x, LReg::splat(bf16 << 16)));
    if unit.dst_32 { exp_fp32(unit, x) } else { exp_21f_tile(unit, x, clamp_negative) }
}

/// The fast exponential's factor and addend: Schraudolph's method on bits 15 and up.
const FAST_FACTOR: f32 = 369.329_93;
const FAST_ADDEND: f32 = 32_500.818;
const FAST_LEAST: f32 = -88.5;

/// `exp_tile<true>`: inputs below -88.5 count as -88.5.
#[inline(never)]
pub(super) fn exp_fast(unit: Sfpu, x: LReg, scale: f32) -> LReg {
    let x = x.max(LReg::float(FAST_LEAST / scale));
    let v = unit.mad(LReg::float(FAST_FACTOR * scale), x, LReg::float(FAST_ADDEND));
    v.round_to_integer(65535, false).shl(15)
}

/// `exp_tile<true, ..., InputClamping::None>`: the sign of the integer survives.
#[inline(never)]
pub(super) fn exp_fast_unclamped(unit: Sfpu, x: LReg, scale: f32) -> LReg {
    let v = unit.mad(LReg::float(FAST_FACTOR * scale), x, LReg::float(FAST_ADDEND));
    let n = v.round_to_integer(32767, true);
    n.shl(15).with_sign_of(n)
}

/// `exp2_tile`.
#[inline(never)]
pub(super) fn exp2(unit: Sfpu, x: LReg) -> LReg {
    if !unit.dst_32 {
        let v = unit.add(x, LReg::float(127.0)).max(LReg::splat(0)).min(LReg::float(255.0));
        return exp_21f_split(unit, v, 1.001_724_8).round_to_bf16();
    }
    let steps = x.round_to_integer(32767, true);
    let f = unit.sub(x, steps.to_float());
    let r = unit.polynomial(f, [1.5342236e-4, 0.0013399124, 0.0096206665]);
    let y = unit.mad(r, f, LReg::float(0.05550377));
    let r = unit.mad(y, f, LReg::float(0.24022603));
    let above = unit.mul(y, LReg::splat(INF));
    let r = unit.mad(r, f, LReg::float(0.6931471));
    let r = unit.mad(r, f, LReg::float(1.0));
    let e = r.exponent_field().iadd(steps.to_twos_complement());
    let inside = LReg::splat(0).where_(e.ilt(1), r.with_exponent(e));
    inside.where_(e.ilt(255) & !x.abs().negative(), above)
}

/// `expm1_tile`.
#[inline(never)]
pub(super) fn expm1(unit: Sfpu, a: LReg) -> LReg {
    let half = LReg::float(0.5);
    let shift = LReg::float(12_582_912.0);
    let rounded = unit.mad(LReg::float(1.442_695), a, shift);
    let j = unit.sub(rounded, shift);
    let power = rounded.shl(23).iadd(half);
    let large = |jm2: LReg| {
        let infinite = unit.mul(jm2, LReg::splat(INF));
        LReg::float(-0.5).where_(jm2.negative(), infinite)
    };
    if !unit.dst_32 {
        let f = unit.mad(j, LReg::float(-0.693_147_180_559_945_3), a);
        let s = unit.mul(f, f);
        let r = unit.polynomial(f, [8.361_816_406e-3, 4.177_856_445e-2, 1.666_259_766e-1, 0.5]);
        let r = unit.mad(r, s, f);
        let jm2 = unit.add(j, LReg::float(-2.0));
        let tail = jm2.abs().round_to_integer(127, true);
        let scaled = unit.mad(power, r, unit.sub(power, half));
        let scaled = large(jm2).where_(!tail.ilt(127), scaled);
        return unit.mul(scaled, LReg::float(2.0)).where_(!j.zero(), r).round_to_bf16();
    }
    let f = unit.mad(j, LReg::float(-0.693_145_752), a);
    let f = unit.mad(j, LReg::float(-1.428_606_77e-6), f);
    let s = unit.mul(f, f);
    let r =
        unit.polynomial(f, [1.974_105_835e-4, 1.393_107_930e-3, 8.333_439_939e-3, 4.166_680_202e-2, 1.666_667_163e-1]);
    let r = unit.mad(r, f, half.iaddi(-1));
    let jm1 = unit.add(j, LReg::float(-1.0));
    let u = unit.add(f, half).where_(jm1.zero(), f);
    let r = unit.mad(r, s, u);
    let y = unit.sub(power, half);
    let x = unit.sub(unit.sub(power, y), half);
    let jm2 = unit.add(jm1, LReg::float(-1.0));
    let tail = jm2.abs().round_to_integer(127, true);
    let scaled = unit.add(unit.mad(r, power, x), y);
    let scaled = large(jm2).where_(!tail.ilt(127), scaled);
    let r2 = scaled.where_(!jm1.zero(), r);
    unit.mul(r2, LReg::float(2.0)).where_(!j.zero(), r)
}
