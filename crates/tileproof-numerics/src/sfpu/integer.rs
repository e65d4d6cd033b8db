//! Integers and typecasts.
//!
//! Sources: sfpu/ckernel_sfpu_add_int.h, ckernel_sfpu_mul_int.h, llk_sfpu/ckernel_sfpu_mul_int32.h,
//! ckernel_sfpu_shift.h, ckernel_sfpu_typecast.h. Must never go through a host conversion from
//! float to integer: what saturates, wraps or drops the sign differs from cast to cast.
//! Start reading at [`to_int32`].

use super::lreg::{LReg, Sfpu};

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

/// `binary_logical_right_shift_tile`.
#[inline(never)]
pub(super) fn logical_right_shift(x: LReg, by: LReg) -> LReg {
    ZERO.where_(out_of_range(by), x.zip(by, |a, n| a >> (n & 31)))
}

/// Float to int32: truncates, saturates, NaN by its sign.
#[inline(never)]
pub(super) fn to_int32(x: LReg) -> LReg {
    x.map(|a| {
        let e = (a >> 23 & 255) as i32 - 127;
        let significand = a & 0x7f_ffff | 0x80_0000;
        let shifted = if e < 23 { significand >> ((23 - e) & 31) } else { significand << ((e - 23) & 31) };
        let magnitude = if e < 0 {
            0
        } else if e < 31 {
            shifted
        } else {
            0x8000_0000
        };
        let positive = if magnitude == 0x8000_0000 { 0x7fff_ffff } else { magnitude };
        if (a as i32) < 0 { magnitude.wrapping_neg() } else { positive }
    })
}

/// Float to uint32: truncates, saturates, negative numbers become 0.
#[inline(never)]
pub(super) fn to_uint32(x: LReg) -> LReg {
    x.map(|a| {
        let e = (a >> 23 & 255) as i32 - 127;
        let significand = a & 0x7f_ffff | 0x80_0000;
        let shifted = if e < 23 { significand >> ((23 - e) & 31) } else { significand << ((e - 23) & 31) };
        let magnitude = if e < 32 { shifted } else { u32::MAX };
        if (e < 0) | ((a as i32) < 0) { 0 } else { magnitude }
    })
}

/// Float to uint16: rounds half away, saturates, negative numbers become 0.
#[inline(never)]
pub(super) fn to_uint16(x: LReg) -> LReg {
    x.max(ZERO).round_to_integer(65535, false)
}

/// Float to uint8: truncates and wraps modulo 256, negative numbers too.
#[inline(never)]
pub(super) fn to_uint8(x: LReg) -> LReg {
    let shifted = x.significand().shift(x.exponent().iaddi(-23));
    let signed = ZERO.isub(shifted).where_(x.negative(), shifted);
    ZERO.where_(x.exponent().negative(), signed) & LReg::splat(255)
}

/// int32 to float, nearest even. The most negative number has no magnitude of 31 bits and is mended.
#[inline(never)]
pub(super) fn int32_to_float(unit: Sfpu, x: LReg) -> LReg {
    let magnitude = x.iabs();
    let value = magnitude.to_float().with_sign_of(x);
    unit.add(LReg::float(-2_147_483_648.0), value).where_(magnitude.negative(), value)
}

/// uint32 to float: the top bit is added after the cast of the others, so it rounds twice.
#[inline(never)]
pub(super) fn uint32_to_float(unit: Sfpu, x: LReg) -> LReg {
    let value = x.magnitude().to_float();
    unit.add(LReg::float(2_147_483_648.0), value).where_(x.negative(), value)
}

/// uint32 to uint16: saturates.
#[inline(never)]
pub(super) fn uint32_to_uint16(x: LReg) -> LReg {
    x | ZERO.isub(x.shr(16)).shr(16)
}
