//! Reciprocals: the current one and the one kept for compatibility.
//!
//! Sources: llk_sfpu/ckernel_sfpu_recip.h and sfpu/ckernel_sfpu_rsqrt_compat.h. Must never gain
//! accuracy over them: the errors are part of what kernels see. Start reading at [`run`];
//! those that begin with an instruction at [`estimate`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::bounds::{Polynomial, Range};
use super::call::{Call, NO_STEPS, Ran};
use super::iterations::{ABS, FRACTION, Iteration, Tiles, lanes, minus_product, plus_product, to_bf16};
use super::lreg::{LANES, LReg, Register};
use super::op::SfpuOp;
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::chip::Reciprocal;
use crate::simd::vectorized;

const INF: u32 = 0x7f80_0000;

/// A reciprocal with Newton steps, as other operations use it: on a quadratic seed on the mantissa in -[1, 2), then with the
/// exponent as a factor, or on an estimate.
#[inline(always)]
pub(super) fn reciprocal<R: Register>(unit: Sfpu, x: R, steps: usize) -> R {
    match unit.rules.reciprocal {
        Reciprocal::Polynomial => by_polynomial(unit, x, steps),
        Reciprocal::Estimate => by_estimate(unit, x, steps),
    }
}

/// The first steps of a reciprocal's seed on a mantissa in -[1, 2).
pub(super) const SEED: Polynomial<2> =
    Polynomial::of(Range::new(-2.0, -1.0), [0.323_232_501_745_223_999, 1.454_545_974_731_445_3]);

#[inline(always)]
fn by_polynomial<R: Register>(unit: Sfpu, x: R, steps: usize) -> R {
    let one = R::float(1.0);
    let m = R::float(-1.0).with_mantissa_of(x);
    let y = unit.polynomial_within(m, SEED);
    let mut y = unit.residual(y, m, R::float(2.121_212_482_452_392_6));
    // The complement of the exponent field is 255 - e; one half of that power completes 1/2^e.
    let scale = unit.mul((!x).map(|a| a & 0xff80_0000), R::float(0.5));
    let mut t = unit.residual(m, y, one);
    y = unit.corrected(y, t, y);
    if steps > 1 {
        t = unit.residual(m, y, one);
        y = unit.corrected(y, t, y);
    }
    unit.mul(y, scale).with_sign_of(x)
}

/// SFPARECIP: 7 bits of 1/x, or an infinity for zero and zero from 2^126 on (ttsim `tensix.cpp`). The bits
/// are those of the reciprocal of the middle of the interval, rounded to nearest (measured: golden vectors
/// of `recip_tile` on Blackhole).
#[inline(always)]
pub(super) fn estimate<R: Register>(x: R) -> R {
    x.map(|word| {
        let magnitude = word & 0x7fff_ffff;
        // 257 + 2 i for the upper 7 mantissa bits i: twice the middle, in 128ths.
        let middle = 257 + 2 * (magnitude >> 16 & 127);
        let bits = (2 * 65_536 + middle) / (2 * middle) - 128;
        let normal = 253u32.wrapping_sub(magnitude >> 23) << 23 | bits << 16;
        let limited = if magnitude < 0x7e80_0000 { normal } else { 0 };
        word & 0x8000_0000 | if magnitude < 0x0080_0000 { INF } else { limited }
    })
}

/// Newton steps on [`estimate`]; where 0 meets infinity the test for a negative factor fails, and the
/// estimate stays (tt_llk_blackhole `ckernel_sfpu_recip.h`).
#[inline(always)]
fn by_estimate<R: Register>(unit: Sfpu, x: R, steps: usize) -> R {
    let y = estimate(x);
    if steps == 0 {
        return y;
    }
    let (minus_two, minus_zero) = (R::float(-2.0), R::float(-0.0));
    let t = unit.mad(x, y, minus_two);
    let mut refined = unit.mad(y, t.negate(), minus_zero);
    if steps > 1 {
        let t = unit.mad(x, refined, minus_two);
        refined = unit.mad(refined, t.negate(), minus_zero);
    }
    refined.where_(t.negative(), y)
}

/// `recip_tile<false>` of Blackhole, which has a sequence of its own for either width of Dst
/// (tt_llk_blackhole `ckernel_sfpu_recip.h`).
#[inline(always)]
fn recip_by_estimate<R: Register>(unit: Sfpu, x: R) -> R {
    let y = estimate(x);
    let one = R::float(1.0);
    if unit.dst_32 {
        let e = unit.mad(x.negate(), y, one);
        let t = unit.mad(e, e, e);
        // In the order of signs and magnitudes, so a NaN becomes 1.
        let t = unit.mad(t, e, e).min(one);
        return unit.mad(t, y, y);
    }
    // The middle of the bf16's last place; the sign of the error corrects that place by the store's cut.
    let y = y.map(|a| a | 0x8000);
    y.iadd(unit.mad(x, y, one.negate()).shr(16))
}

/// `recip_tile<false>`.
#[inline(always)]
pub(super) fn recip<R: Register>(unit: Sfpu, x: R) -> R {
    match unit.rules.reciprocal {
        Reciprocal::Estimate if unit.approx => estimate(x),
        Reciprocal::Estimate => recip_by_estimate(unit, x),
        Reciprocal::Polynomial if unit.approx => by_polynomial(unit, x, 0),
        Reciprocal::Polynomial if unit.dst_32 => by_polynomial(unit, x, 2),
        Reciprocal::Polynomial => by_polynomial(unit, x, 1).round_to_bf16(),
    }
}

/// The compatible reciprocal: Newton on the mantissa in -[0.5, 1), exponents subtracted as integers.
#[inline(always)]
fn legacy_reciprocal<R: Register>(unit: Sfpu, x: R, steps: usize) -> R {
    let two = R::float(2.0);
    let inverse_ln2 = R::float(1.442_695);
    let value = x.map(|a| a | 0x8000_0000).with_exponent_of(126);
    let mut y = unit.mul(inverse_ln2, unit.residual(value, inverse_ln2, two));
    for _ in 1..steps {
        y = unit.mul(y, unit.mad(value, y, two));
    }
    let exponent = y.exponent().isub(x.exponent()).iaddi(126);
    let below = exponent.negative();
    let y = R::splat(0).where_(below, y);
    let exponent = R::splat(0).where_(below, exponent);
    let out = y.with_exponent(exponent);
    R::splat(INF).where_(x.magnitude().zero(), out)
}

/// `recip_tile`, whose default is the compatible one; also the second half of legacy `rsqrt_tile`.
#[inline(always)]
pub(super) fn recip_legacy<R: Register>(unit: Sfpu, x: R) -> R {
    let out = legacy_reciprocal(unit, x, if unit.approx { 2 } else { 3 }).with_sign_of(x);
    if unit.dst_32 || unit.approx { out } else { out.round_to_bf16() }
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    let unit = call.unit;
    match call.op {
        SfpuOp::Recip if !unit.approx && unit.rules.reciprocal == Reciprocal::Polynomial => reciprocals(call),
        SfpuOp::Recip => call.unary(|x| recip(unit, x)),
        SfpuOp::RecipLegacy => swiftly!(call, |unit, x| recip_legacy(unit, x)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

/// [`recip`] of normal numbers whose reciprocal is safely normal.
#[derive(Clone, Copy)]
struct ReciprocalOf<const WIDE: bool>;

impl<const WIDE: bool> Iteration for ReciprocalOf<WIDE> {
    #[inline(always)]
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        // The kernel works on -m; y is between 1/2 and 1.2 all along.
        let m: [f32; LANES] = lanes!(i => f32::from_bits(words[i] & FRACTION | 0x3f80_0000));
        let y: [f32; LANES] =
            lanes!(i => plus_product(-0.323_232_501_745_223_999, m[i], 1.454_545_974_731_445_3) as f32);
        let mut y: [f32; LANES] = lanes!(i => minus_product(y[i], m[i], 2.121_212_482_452_392_6, 8.0));
        for _ in 0..if WIDE { 2 } else { 1 } {
            // A multiple of 2^-26 under 1/2.
            let t: [f32; LANES] = lanes!(i => minus_product(m[i], y[i], 1.0, 4.0));
            y = lanes!(i => plus_product(y[i], t[i], y[i]) as f32);
        }
        let out = lanes!(i => {
            let scale = f32::from_bits(!words[i] & 0x7f80_0000) * 0.5;
            let out = (y[i] * scale).to_bits() | words[i] & !ABS;
            if WIDE { out } else { to_bf16(out) }
        });
        // Exponents 1 to 251.
        (out, lanes!(i => u32::from((words[i] & ABS).wrapping_sub(0x0080_0000) < 251 << 23)))
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        recip(unit, x)
    }
}

/// [`recip`] over a tile.
fn reciprocals(call: &mut Call<'_>) {
    if call.unit.dst_32 {
        vectorized(Tiles { iteration: ReciprocalOf::<true>, call });
    } else {
        vectorized(Tiles { iteration: ReciprocalOf::<false>, call });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sfpu::iterations::compare;

    #[test]
    fn reciprocals_equal_the_sequence() {
        for dst_32 in [true, false] {
            compare(dst_32, reciprocals, recip);
        }
    }
}
