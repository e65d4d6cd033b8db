//! Limits: the relu family, clamps, minimum and maximum.
//!
//! Sources: sfpu/ckernel_sfpu_relu.h, llk_sfpu/ckernel_sfpu_relu.h, ckernel_sfpu_clamp.h,
//! ckernel_sfpu_binary_max_min.h, sfpu/ckernel_sfpu_threshold.h. Must never assume that two calls
//! with the same mathematics treat NaN alike: SFPSWAP orders by sign and magnitude, comparisons
//! subtract. Start reading at [`relu_max`].

use super::lreg::{LReg, Sfpu};

/// `relu_max_tile`: first down to the limit by a subtraction, then the sign bit.
#[inline(always)]
pub(super) fn relu_max(unit: Sfpu, x: LReg, limit: LReg) -> LReg {
    let x = limit.where_(unit.sub(x, limit).positive(), x);
    LReg::splat(0).where_(x.negative(), x)
}

/// `leaky_relu_tile` and `prelu_tile`.
#[inline(always)]
pub(super) fn leaky_relu(unit: Sfpu, x: LReg, slope: LReg, seen: bool) -> LReg {
    unit.times(slope, x, seen).where_(x.negative(), x)
}

/// `clamp_tile`: what the first half stores, the second half loads again.
#[inline(always)]
pub(super) fn clamp(unit: Sfpu, x: LReg, low: LReg, high: LReg) -> LReg {
    let stored = x.max(low).flushed();
    let stored = if unit.dst_32 { stored } else { stored & LReg::splat(0xffff_0000) };
    stored.min(high)
}

/// `binary_min_int32_tile` and the like.
#[inline(always)]
pub(super) fn signed(x: LReg, y: LReg, largest: bool) -> LReg {
    x.zip(y, |a, b| if ((a as i32) < b as i32) == largest { b } else { a })
}

/// `binary_max_uint32_tile` and the like.
#[inline(always)]
pub(super) fn unsigned(x: LReg, y: LReg, largest: bool) -> LReg {
    x.zip(y, |a, b| if (a < b) == largest { b } else { a })
}
