//! Integers: arithmetic, shifts and bits.
//!
//! Sources: sfpu/ckernel_sfpu_add_int.h, ckernel_sfpu_mul_int.h, llk_sfpu/ckernel_sfpu_mul_int32.h,
//! ckernel_sfpu_shift.h, ckernel_sfpu_unary_shift.h. Must never take one shift for another: what a count of 32 does
//! differs from call to call. Start reading at [`run`].

use super::call::{Call, LOW_16, NO_STEPS, Ran, WORDS};
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::tiles::Layout;

const ZERO: LReg = LReg::splat(0);

/// A product of integers. The kernels multiply pieces of 8 or 11 bits in floats and add them with
/// their weights; no piece's sum exceeds 24 bits, so the low bits are those of the exact product.
#[inline(never)]
pub(super) fn multiply(x: LReg, y: LReg) -> LReg {
    x.zip(y, u32::wrapping_mul)
}

/// Lanes whose shift is outside 0 to 31.
#[inline(never)]
fn out_of_range(by: LReg) -> LReg {
    by.map(|n| u32::from(n > 31).wrapping_neg())
}

/// `binary_left_shift_tile`: 0 for shifts outside 0 to 31.
#[inline(never)]
pub(super) fn left_shift(x: LReg, by: LReg) -> LReg {
    ZERO.where_(out_of_range(by), x.zip(by, |a, n| a << (n & 31)))
}

/// `binary_right_shift_tile`: arithmetic; 0, also of negative numbers, for shifts outside 0 to 31.
#[inline(never)]
pub(super) fn right_shift(x: LReg, by: LReg) -> LReg {
    ZERO.where_(out_of_range(by), x.zip(by, |a, n| (a as i32 >> (n & 31)) as u32))
}

/// The same where the kernel fills in signs beyond that, too: by a count of 32 less that of the shift, modulo 32 to either side.
#[inline(never)]
pub(super) fn filled_right_shift(x: LReg, by: LReg) -> LReg {
    let down = ZERO.isub(by);
    let shifted = ZERO.where_(!by.ilt(32), x).shift(down);
    let signs = LReg::splat(u32::MAX).shift(down.iaddi(32));
    (shifted | signs).where_(x.negative() & !by.zero(), shifted)
}

/// `binary_logical_right_shift_tile`.
#[inline(never)]
pub(super) fn logical_right_shift(x: LReg, by: LReg) -> LReg {
    ZERO.where_(out_of_range(by), x.zip(by, |a, n| a >> (n & 31)))
}

/// `binary_right_shift_tile` of uint32, and `right_shift_tile` of unsigned formats: counts outside 0 to 31 are 31
/// (ckernel_sfpu_shift.h, ckernel_sfpu_unary_shift.h).
#[inline(never)]
pub(super) fn clamped_right_shift(x: LReg, by: LReg) -> LReg {
    x.zip(by, |a, n| a >> n.min(31))
}

/// `right_shift_tile` of int32: arithmetic, counts from 32 on are 31.
#[inline(never)]
pub(super) fn arithmetic_shift_by(x: LReg, by: u32) -> LReg {
    x.map(|a| (a as i32 >> by.min(31)) as u32)
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let scalar = call.scalar(0);
    match call.op {
        AddInt => call.binary_as(Layout::Int32, LReg::iadd),
        SubInt => call.binary_as(Layout::Int32, LReg::isub),
        RsubInt => call.binary_as(Layout::Int32, |x, y| y.isub(x)),
        MulInt => call.binary_as(Layout::Int32, multiply),
        AddUInt16 => call.binary_as(Layout::Low16, LReg::iadd),
        SubUInt16 => call.binary_as(Layout::Low16, LReg::isub),
        RsubUInt16 => call.binary_as(Layout::Low16, |x, y| y.isub(x)),
        MulUInt16 => call.binary_as(Layout::Low16, multiply),
        AddUnaryInt32 => call.unary_as(WORDS, |x| x.iadd(scalar)),
        SubUnaryInt32 => call.unary_as(WORDS, |x| x.isub(scalar)),
        RsubUnaryInt32 => call.unary_as(WORDS, |x| scalar.isub(x)),
        AbsInt32 => call.unary_as(WORDS, LReg::iabs),
        // The sign of what mode INT32_2S_COMP loads, and back (sfpu/ckernel_sfpu_negative.h): together the negative.
        NegativeInt32 => call.unary_as(WORDS, |x| ZERO.isub(x)),
        _ => return run_on_bits(call),
    }
    Ok(())
}

fn run_on_bits(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (scalar, count) = (call.scalar(0), call.params[0]);
    match call.op {
        BitwiseAnd => call.binary_as(Layout::Int32, |x, y| x & y),
        BitwiseOr => call.binary_as(Layout::Int32, |x, y| x | y),
        BitwiseXor => call.binary_as(Layout::Int32, |x, y| x ^ y),
        BitwiseNot => call.unary_as(WORDS, |x| !x),
        LeftShift => call.binary_as(Layout::Int32, left_shift),
        RightShift if call.unit.rules.fills_shifted_signs => call.binary_as(Layout::Int32, filled_right_shift),
        RightShift => call.binary_as(Layout::Int32, right_shift),
        LogicalRightShift => call.binary_as(Layout::Int32, logical_right_shift),
        RightShiftUInt32 => call.binary_as(Layout::Int32, clamped_right_shift),
        BitwiseAndUInt16 => call.binary_as(Layout::Low16, |x, y| x & y),
        BitwiseOrUInt16 => call.binary_as(Layout::Low16, |x, y| x | y),
        BitwiseXorUInt16 => call.binary_as(Layout::Low16, |x, y| x ^ y),
        LeftShiftUInt16 => call.binary_as(Layout::Low16, left_shift),
        RightShiftUInt16 | LogicalRightShiftUInt16 => call.binary_as(Layout::Low16, logical_right_shift),
        UnaryLeftShift => call.unary_as(WORDS, |x| left_shift(x, scalar)),
        UnaryLeftShiftUInt16 => call.unary_as(LOW_16, |x| left_shift(x, scalar)),
        UnaryRightShift => call.unary_as(WORDS, |x| arithmetic_shift_by(x, count)),
        UnaryRightShiftUInt32 => call.unary_as(WORDS, |x| clamped_right_shift(x, scalar)),
        UnaryRightShiftUInt16 => call.unary_as(LOW_16, |x| clamped_right_shift(x, scalar)),
        UnaryBitwiseAnd => call.unary_as(WORDS, |x| x & scalar),
        UnaryBitwiseOr => call.unary_as(WORDS, |x| x | scalar),
        UnaryBitwiseXor => call.unary_as(WORDS, |x| x ^ scalar),
        UnaryBitwiseAndUInt16 => call.unary_as(LOW_16, |x| x & scalar),
        UnaryBitwiseOrUInt16 => call.unary_as(LOW_16, |x| x | scalar),
        UnaryBitwiseXorUInt16 => call.unary_as(LOW_16, |x| x ^ scalar),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
