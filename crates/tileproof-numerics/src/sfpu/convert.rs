//! Conversions of data formats (`typecast_tile`).
//!
//! Source: sfpu/ckernel_sfpu_typecast.h, built without SFPLOADMACRO. Which call needs which of them is typecast.h's of the
//! kernel API. Must never use a conversion of the host where the unit rounds or saturates in its own way. Start reading at
//! [`run`].

use super::call::{Call, NO_STEPS, Ran, TO_FLOATS, TO_WORDS, WORDS};
use super::lreg::{LReg, Register};
use super::op::SfpuOp;
use super::tiles::Layout;
use super::unit::Sfpu;

const ZERO: LReg = LReg::splat(0);

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

/// Floats in, 16-bit words out.
const TO_LOW_16: [Layout; 2] = [Layout::Float, Layout::Low16];
/// Words in, 16-bit words out.
const WORDS_TO_LOW_16: [Layout; 2] = [Layout::Int32, Layout::Low16];
/// 16-bit words in, floats out.
const LOW_16_TO_FLOATS: [Layout; 2] = [Layout::Low16, Layout::Float];

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let unit = call.unit;
    match call.op {
        TypecastNone => {}
        TypecastFloatToUInt16 => call.unary_as(TO_LOW_16, to_uint16),
        TypecastFloatToInt32 => call.unary_as(TO_WORDS, to_int32),
        TypecastFloatToUInt32 => call.unary_as(TO_WORDS, to_uint32),
        TypecastFloatToUInt8 => call.unary_as(TO_WORDS, to_uint8),
        TypecastFloat32ToFloat16b => call.unary(LReg::round_to_bf16_even),
        TypecastInt32ToFloat32 => call.unary_as(TO_FLOATS, |x| int32_to_float(unit, x)),
        TypecastInt32ToFloat16b => call.unary_as(TO_FLOATS, |x| int32_to_float(unit, x).round_to_bf16()),
        // The cast takes two's complement for sign and magnitude; only the sign matters below zero.
        TypecastInt32ToUInt16 => call.unary_as(WORDS_TO_LOW_16, |x| to_uint16(x.to_float())),
        TypecastUInt32ToFloat32 => call.unary_as(TO_FLOATS, |x| uint32_to_float(unit, x)),
        TypecastUInt32ToFloat16b => call.unary_as(TO_FLOATS, |x| uint32_to_float(unit, x).round_to_bf16()),
        TypecastUInt32ToUInt16 => call.unary_as(WORDS_TO_LOW_16, uint32_to_uint16),
        TypecastIntToUInt8 | TypecastUInt16ToUInt8 => call.unary_as(WORDS, |x| x & LReg::splat(0xff)),
        TypecastUInt16ToFloat16b => call.unary_as(LOW_16_TO_FLOATS, |x| x.to_float().round_to_bf16()),
        TypecastUInt16ToFloat32 => call.unary_as(TO_FLOATS, |x| (x & LReg::splat(0xffff)).to_float()),
        TypecastUInt16ToUInt32 => call.unary_as(WORDS, |x| x & LReg::splat(0xffff)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}
