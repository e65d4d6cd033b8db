//! Square roots and their reciprocals.
//!
//! Sources: llk_sfpu/ckernel_sfpu_sqrt.h and sfpu/ckernel_sfpu_rsqrt_compat.h. Must never call the
//! host's square root: the seed, the two polynomials and their rounding are what kernels see.
//! Start reading at [`run`].

#![allow(clippy::excessive_precision, reason = "constants as the kernels spell them")]

use super::bounds::Range;
use super::call::{Call, NO_STEPS, Ran};
use super::iterations::{Iteration, Tiles, lanes, minus_product, plus_product, to_bf16};
use super::lreg::{LANES, LReg, Register};
use super::op::SfpuOp;
use super::reciprocal::recip_legacy;
use super::swift::swiftly;
use super::unit::Sfpu;
use crate::simd::vectorized;

const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;

/// Which root is asked for.
#[derive(Clone, Copy)]
pub(super) struct Root {
    /// The reciprocal square root.
    pub(super) reciprocal: bool,
    /// Template argument FAST_APPROX: negative numbers are not looked for.
    pub(super) fast: bool,
}

/// An estimate of the reciprocal square root, one of the square root, and what their product lacks to 1.
#[inline(always)]
pub(super) fn estimates<R: Register>(unit: Sfpu, x: R) -> [R; 3] {
    let y = R::splat(0x5f11_10a0).isub(x.shr(1));
    let c = unit.mul(y.negate(), unit.mul(x, y));
    let inner = unit.add(c, R::float(2.253_304_9));
    let y = unit.mul(y, unit.mad(c, inner, R::float(2.282_518_6)));
    let xy = unit.mul(x, y);
    [y, xy, unit.residual(y.negate(), xy, R::float(1.0))]
}

/// The square root that follows of the estimates.
#[inline(always)]
fn refined<R: Register>(unit: Sfpu, [_, root, residual]: [R; 3]) -> R {
    unit.corrected(residual, unit.mul(root, R::float(0.5)), root)
}

/// The reciprocal square root that follows of them.
#[inline(always)]
pub(super) fn refined_reciprocal<R: Register>(unit: Sfpu, [estimate, _, residual]: [R; 3]) -> R {
    unit.corrected(residual, estimate.add_exponent(-1), estimate)
}

/// A square root of ordinary numbers, which looks at no other.
#[inline(always)]
pub(super) fn root_of_ordinary<R: Register>(unit: Sfpu, x: R) -> R {
    refined(unit, estimates(unit, x))
}

/// `sqrt_tile` and `rsqrt_tile`.
#[inline(always)]
pub(super) fn root<R: Register>(unit: Sfpu, x: R, which: Root) -> R {
    let to_infinity = R::splat(INF).isub(x);
    let mut y;
    if unit.approx {
        y = R::splat(0x5f0b_3892).isub(x.shr(1));
        let c = unit.mul(x, y);
        let t = unit.mad(y.negate(), c, R::float(1.890_990_148_75));
        if which.reciprocal {
            y = to_infinity.where_(to_infinity.zero() | x.zero(), unit.mul(y, t));
        } else {
            y = c.where_(to_infinity.zero(), unit.mul(c, t));
        }
    } else {
        let estimates = estimates(unit, x);
        let [estimate, ..] = estimates;
        if which.reciprocal {
            let refined = refined_reciprocal(unit, estimates);
            y = to_infinity.where_(to_infinity.zero() | x.zero(), refined);
        } else {
            // The comparison subtracts: what is negative as an integer counts as small.
            y = refined(unit, estimates).where_(x.iaddi(-(INF as i32)).negative(), estimate);
        }
    }
    if !which.fast {
        y = R::splat(NAN).where_(x.negative(), y);
    }
    if unit.dst_32 { y } else { y.round_to_bf16() }
}

/// The reciprocal square root that two steps of Newton's make of an estimate, times the number.
#[inline(always)]
pub(super) fn root_by_newton<R: Register>(unit: Sfpu, x: R) -> R {
    let x = x.within(Range::ORDINARY);
    let mut y = R::splat(0x5f37_0000).isub(x.shr(1));
    let half = unit.mul_ordinary(x, R::float(-0.5));
    for _ in 0..2 {
        // The product is near one half.
        let factor = unit.corrected(unit.mul_ordinary(y, y), half, R::float(1.5));
        y = unit.mul_ordinary(factor, y);
    }
    unit.mul_ordinary(y, x)
}

/// The root that a 16-bit Dst takes; zeros and what is not finite stay.
#[inline(always)]
pub(super) fn short_root<R: Register>(unit: Sfpu, x: R) -> R {
    let stays = x.zero() | !x.exponent_field().ilt(255);
    x.where_(stays, root_by_newton(unit, x))
}

/// The compatible square root, as stored between the two halves of legacy `rsqrt_tile`.
#[inline(always)]
pub(super) fn sqrt_legacy<R: Register>(unit: Sfpu, x: R) -> R {
    if unit.approx {
        return x.iaddi(127 << 23).shr(1);
    }
    x.where_(x.zero(), root_by_newton(unit, x))
}

/// Legacy `rsqrt_tile`: the square root goes through Dst, so it is flushed and cut to its width.
#[inline(always)]
pub(super) fn rsqrt_legacy<R: Register>(unit: Sfpu, x: R) -> R {
    recip_legacy(unit, unit.stored(sqrt_legacy(unit, x)))
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let unit = call.unit;
    let which = match call.op {
        Sqrt => Root { reciprocal: false, fast: false },
        SqrtFastApprox => Root { reciprocal: false, fast: true },
        Rsqrt => Root { reciprocal: true, fast: false },
        RsqrtFastApprox => Root { reciprocal: true, fast: true },
        RsqrtLegacy => {
            swiftly!(call, |unit, x| rsqrt_legacy(unit, x));
            return Ok(());
        }
        _ => return Err(NO_STEPS),
    };
    if unit.approx {
        call.unary(|x| root(unit, x, which));
    } else {
        roots(call, which);
    }
    Ok(())
}

/// [`root`] of positive normal numbers.
#[derive(Clone, Copy)]
struct RootOf<const RECIPROCAL: bool, const WIDE: bool>(Root);

impl<const RECIPROCAL: bool, const WIDE: bool> Iteration for RootOf<RECIPROCAL, WIDE> {
    #[inline(always)]
    fn register(self, words: &[u32; LANES]) -> ([u32; LANES], [u32; LANES]) {
        let x: [f32; LANES] = lanes!(i => f32::from_bits(words[i]));
        let y: [f32; LANES] = lanes!(i => f32::from_bits(0x5f11_10a0u32.wrapping_sub(words[i] >> 1)));
        // x * y * y is near 1; the factor near 1, and with it the next x * y * y.
        let c: [f32; LANES] = lanes!(i => y[i] * (x[i] * y[i]));
        let y: [f32; LANES] = lanes!(i => y[i] * minus_product(c[i], 2.253_304_9 - c[i], 2.282_518_6, 8.0));
        let xy: [f32; LANES] = lanes!(i => x[i] * y[i]);
        // A multiple of 2^-26, and small: times a float of 24 bits it is exact beside that float.
        let residual: [f32; LANES] = lanes!(i => minus_product(y[i], xy[i], 1.0, 4.0));
        let out = lanes!(i => {
            let estimate = if RECIPROCAL { y[i] } else { xy[i] };
            let refined = plus_product(residual[i], 0.5 * estimate, estimate) as f32;
            if WIDE { refined.to_bits() } else { to_bf16(refined.to_bits()) }
        });
        (out, lanes!(i => u32::from(words[i].wrapping_sub(0x0080_0000) < 0x7f00_0000)))
    }

    #[inline(always)]
    fn sequence(self, unit: Sfpu, x: LReg) -> LReg {
        root(unit, x, self.0)
    }
}

/// [`root`] over a tile.
fn roots(call: &mut Call<'_>, which: Root) {
    match (which.reciprocal, call.unit.dst_32) {
        (true, true) => vectorized(Tiles { iteration: RootOf::<true, true>(which), call }),
        (true, false) => vectorized(Tiles { iteration: RootOf::<true, false>(which), call }),
        (false, true) => vectorized(Tiles { iteration: RootOf::<false, true>(which), call }),
        (false, false) => vectorized(Tiles { iteration: RootOf::<false, false>(which), call }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sfpu::iterations::compare;

    #[test]
    fn roots_equal_the_sequence() {
        for dst_32 in [true, false] {
            for reciprocal in [true, false] {
                let which = Root { reciprocal, fast: false };
                compare(dst_32, |call| roots(call, which), |unit, x| root(unit, x, which));
            }
        }
    }
}
