//! Operations on three tiles.
//!
//! Sources: llk_sfpu/ckernel_sfpu_mac.h, ckernel_sfpu_lerp.h, ckernel_sfpu_addcmul.h,
//! sfpu/ckernel_sfpu_where.h. `where` moves raw words and must never flush or round them.
//! Start reading at [`lerp`].

use super::activation::rounded;
use super::lreg::{LReg, Sfpu};

/// `mac_tile`.
#[inline(always)]
pub(super) fn mac(unit: Sfpu, x: LReg, y: LReg, z: LReg) -> LReg {
    rounded(unit, unit.mad(x, y, z))
}

/// `addcmul_tile`: x + value * y * z.
#[inline(always)]
pub(super) fn addcmul(unit: Sfpu, x: LReg, y: LReg, z: LReg, value: LReg) -> LReg {
    rounded(unit, unit.mad(unit.mul(value, y), z, x))
}

/// `lerp_tile`: x + z * (y - x), with a 16-bit Dst rounded to nearest even.
#[inline(always)]
pub(super) fn lerp(unit: Sfpu, x: LReg, y: LReg, z: LReg) -> LReg {
    let sum = unit.mad(z, unit.sub(y, x), x);
    if unit.dst_32 { sum } else { sum.round_to_bf16_even() }
}
