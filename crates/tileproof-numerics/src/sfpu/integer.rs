//! Integers and typecasts.
//!
//! Sources: sfpu/ckernel_sfpu_add_int.h, ckernel_sfpu_mul_int.h, llk_sfpu/ckernel_sfpu_mul_int32.h,
//! ckernel_sfpu_shift.h, ckernel_sfpu_unary_shift.h, ckernel_sfpu_typecast.h. Must never go through a host conversion from
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

#[cfg(test)]
mod tests {
    use crate::dst::Dst;
    use crate::sfpu::{SfpuArch, SfpuMode, SfpuOp, execute};

    /// One datum of each of two tiles through a call; UInt16 words stand in the high half of a 16-bit Dst.
    fn answer(op: SfpuOp, x: u32, y: u32) -> u32 {
        let low_16 = format!("{op:?}").ends_with("UInt16");
        let mode = SfpuMode { dst_32: !low_16, approx: false, arch: SfpuArch::Wormhole, src_b_is_fp16: false };
        let place = if low_16 { 16 } else { 0 };
        let mut dst = Dst::default();
        dst.tile_mut(0).0.fill(x << place);
        dst.tile_mut(1).0.fill(y << place);
        let inputs = [0, if op.inputs() == 2 { 1 } else { 0 }, 0];
        execute(op, &[y, 0, 0, 0], &mode, &mut dst, inputs, 0).unwrap();
        dst.tile(0).0[0] >> place
    }

    /// What the kernels of ttnn 0.79 do by their text in the corners in which they differ from arithmetic and from one
    /// another; ttsim 1.10.0 gave the same for tiles of such numbers.
    #[test]
    fn integer_operations_answer_at_the_corners_as_their_kernels_do() {
        use SfpuOp::*;
        for (op, x, y, expected) in [
            (NegativeInt32, 0x8000_0000, 0, 0x8000_0000),
            (NegativeInt32, 5, 0, 0xffff_fffb),
            (UnaryEqInt32, 0x8000_0000, 0, 1),
            (UnaryEqInt32, 0x8000_0000, 0x8000_0000, 0),
            (UnaryNeInt32, 0xffff_fff9, 0xffff_fff9, 0),
            (UnaryRightShift, 0x8000_0000, 40, 0xffff_ffff),
            (UnaryRightShiftUInt32, 0x8000_0000, 40, 1),
            (UnaryLeftShift, 1, 32, 0),
            (UnaryLeftShiftUInt16, 0x8001, 1, 2),
            (UnaryRightShiftUInt16, 0x8001, 40, 0),
            (RightShift, 0x8000_0000, 32, 0),
            (RightShiftUInt32, 0x8000_0000, 32, 1),
            (RightShiftUInt16, 0x8000, 15, 1),
            (LeftShiftUInt16, 0x8001, 33, 0),
            (RsubUInt16, 1, 0, 0xffff),
            (LtUInt16, 1, 0x8000, 1),
            (GeUInt16, 0x8000, 0x8000, 1),
            (NeUInt16, 0x8000, 0, 1),
            (UnaryMaxUInt32, 0x8000_0000, 5, 0x8000_0000),
            (UnaryMinInt32, 0x8000_0000, 0xffff_fff9, 0x8000_0000),
            (RsubUnaryInt32, 5, 3, 0xffff_fffe),
            (ReluInt32, 0x8000_0000, 0, 0),
        ] {
            assert_eq!(answer(op, x, y), expected, "{op:?} of {x:08x}, {y:08x}");
        }
    }
}
