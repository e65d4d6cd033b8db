//! Arithmetic with a second tile or a scalar, and the operations of one instruction.
//!
//! Sources: llk_sfpu/ckernel_sfpu_binary.h, ckernel_sfpu_binop_with_unary.h, ckernel_sfpu_mask.h,
//! ckernel_sfpu_square.h, ckernel_sfpu_abs.h, ckernel_sfpu_negative.h. These functions must stay
//! free of rounding that the kernels leave out: a 16-bit Dst truncates what they store.
//! Start reading at [`divide`].

use super::SfpuArch;
use super::lreg::{LReg, Sfpu};
use super::reciprocal::reciprocal;

const NAN: u32 = 0x7fc0_0000;
const INF: u32 = 0x7f80_0000;

/// `div_binary_tile`: the reciprocal, with a 32-bit Dst one correction by the residual, which is
/// one SFPMAD on Blackhole, as that can negate a factor.
#[inline(always)]
pub(super) fn divide(unit: Sfpu, x: LReg, y: LReg) -> LReg {
    let r = reciprocal(unit, y, 2);
    let mut quotient = unit.mul(x, r);
    if unit.dst_32 {
        let finite = !quotient.exponent_field().same(255);
        let residual = match unit.arch {
            SfpuArch::Wormhole => unit.sub(x, unit.mul(quotient, y)),
            SfpuArch::Blackhole => unit.mad(quotient.negate(), y, x),
        };
        let corrected = unit.mad(residual, r, quotient);
        quotient = corrected.where_(finite, quotient);
    }
    let by_zero = LReg::splat(NAN).where_(x.zero(), LReg::splat(INF).with_sign_of(x));
    let quotient = by_zero.where_(y.zero(), quotient);
    if unit.dst_32 { quotient } else { quotient.round_to_bf16_even() }
}

/// `rsub_unary_tile`: scalar minus datum, with a 16-bit Dst rounded to nearest even.
#[inline(always)]
pub(super) fn reverse_subtract(unit: Sfpu, x: LReg, scalar: LReg) -> LReg {
    let difference = unit.sub(scalar, x);
    if unit.dst_32 { difference } else { difference.round_to_bf16_even() }
}
