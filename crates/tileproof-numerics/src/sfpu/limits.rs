//! Limits: the relu family, clamps, minimum and maximum.
//!
//! Sources: sfpu/ckernel_sfpu_relu.h, llk_sfpu/ckernel_sfpu_relu.h, ckernel_sfpu_clamp.h,
//! ckernel_sfpu_max.h, ckernel_sfpu_binary_max_min.h, sfpu/ckernel_sfpu_threshold.h. Must never assume that two calls
//! with the same mathematics treat NaN alike: SFPSWAP orders by sign and magnitude, comparisons
//! subtract. Start reading at [`run`].

use super::call::{Call, LOW_16, NO_STEPS, Ran, WORDS};
use super::compare::above;
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::tiles::Layout;
use super::unit::Sfpu;

/// `relu_max_tile`: first down to the limit by a subtraction, then the sign bit.
#[inline(always)]
pub(super) fn relu_max<R: Register>(unit: Sfpu, x: R, limit: R) -> R {
    let x = limit.where_(unit.exceeds(x, limit), x);
    R::splat(0).where_(x.negative(), x)
}

/// `leaky_relu_tile` and `prelu_tile`.
#[inline(always)]
pub(super) fn leaky_relu(unit: Sfpu, x: LReg, slope: LReg, seen: bool) -> LReg {
    unit.times(slope, x, seen).where_(x.negative(), x)
}

/// `clamp_tile`: what the first half stores, the second half loads again.
#[inline(always)]
pub(super) fn clamp(unit: Sfpu, x: LReg, low: LReg, high: LReg) -> LReg {
    unit.stored(x.max(low)).min(high)
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

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let unit = call.unit;
    let (scalar, second) = (call.scalar(0), call.scalar(1));
    match call.op {
        // A condition instead of SFPSWAP: what is not below keeps its bits, denormals too (tt_llk_blackhole `ckernel_sfpu_relu.h`).
        Relu if unit.rules.orders_floats => call.unary_masked(|x| (x.negative(), LReg::splat(0))),
        ReluMin if unit.rules.orders_floats => call.unary_masked(|x| (unit.below(x, scalar), scalar)),
        Relu => call.unary(|x| x.max(LReg::splat(0))),
        ReluMin | UnaryMax => call.unary(|x| x.max(scalar)),
        UnaryMin => call.unary(|x| x.min(scalar)),
        ReluMax => call.unary(|x| relu_max(unit, x, scalar)),
        LeakyRelu | Prelu => {
            let seen = call.sees(0);
            call.unary(|x| leaky_relu(unit, x, scalar, seen));
        }
        Clamp => call.unary(|x| clamp(unit, x, scalar, second)),
        Hardtanh => call.unary(|x| x.max(scalar).min(second)),
        Threshold => call.unary_masked(|x| (!above(unit, x, scalar), second)),
        MaxTile => call.binary_masked(|x, y| (unit.below(x, y), y)),
        BinaryMax => call.binary(|x, y| y.max(x)),
        BinaryMin => call.binary(|x, y| x.min(y)),
        ReluInt32 => call.unary_as(WORDS, |x| LReg::splat(0).where_(x.negative(), x)),
        ReluMaxInt32 => {
            let most = signed(scalar, LReg::splat(0), true);
            call.unary_as(WORDS, |x| signed(signed(x, LReg::splat(0), true), most, false));
        }
        ClampInt32 => call.unary_as(WORDS, |x| signed(signed(x, scalar, true), second, false)),
        ReluMaxUInt16 => call.unary_as(LOW_16, |x| unsigned(x, scalar, false)),
        ReluMinUInt16 => call.unary_as(LOW_16, |x| unsigned(x, scalar, true)),
        UnaryMaxInt32 | ReluMinInt32 => call.unary_as(WORDS, |x| signed(x, scalar, true)),
        UnaryMinInt32 => call.unary_as(WORDS, |x| signed(x, scalar, false)),
        UnaryMaxUInt32 | ReluMinUInt32 => call.unary_as(WORDS, |x| unsigned(x, scalar, true)),
        UnaryMinUInt32 | ReluMaxUInt32 => call.unary_as(WORDS, |x| unsigned(x, scalar, false)),
        BinaryMaxInt32 => call.binary_as(Layout::Int32, |x, y| signed(x, y, true)),
        BinaryMinInt32 => call.binary_as(Layout::Int32, |x, y| signed(x, y, false)),
        BinaryMaxUInt32 => call.binary_as(Layout::Int32, |x, y| unsigned(x, y, true)),
        BinaryMinUInt32 => call.binary_as(Layout::Int32, |x, y| unsigned(x, y, false)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    /// `max_tile` takes the second where the first is below it, which the compiler makes of the sign of a difference: answers that
    /// ttsim 1.10.0 gave to that comparison in kernels of ttnn 0.79.
    #[test]
    fn the_larger_of_two_tiles_is_chosen_by_the_sign_of_their_difference() {
        let unit = Sfpu { rules: WORMHOLE.sfpu, dst_32: true, approx: false };
        for (x, y, takes_second) in [
            (0x7f80_0000, 0x7f80_0000, true),
            (0xff80_0000, 0xff80_0000, false),
            (0x7fc0_0000, 0, false),
            (0x8000_0000, 0, false),
            (0xbf80_0000, 0, true),
            (0x4000_0000, 0x3f80_0000, false),
        ] {
            let below = unit.below(LReg::splat(x), LReg::splat(y));
            assert_eq!(below.0[0] != 0, takes_second, "{x:08x}, {y:08x}");
        }
    }
}
