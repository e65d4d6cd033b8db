//! Operations on three tiles.
//!
//! Sources: llk_sfpu/ckernel_sfpu_mac.h, ckernel_sfpu_lerp.h, ckernel_sfpu_addcmul.h,
//! ckernel_sfpu_addcdiv.h, sfpu/ckernel_sfpu_where.h. `where` moves raw words and must never flush or round them.
//! Start reading at [`run`].

use super::activation::rounded;
use super::call::{Call, NO_STEPS, OTHER_WIDTH, Ran};
use super::lreg::Register;
use super::op::SfpuOp;
use super::reciprocal::reciprocal;
use super::swift::swiftly;
use super::tiles::Layout;
use super::unit::Sfpu;

/// `mac_tile`.
#[inline(always)]
pub(super) fn mac<R: Register>(unit: Sfpu, x: R, y: R, z: R) -> R {
    rounded(unit, unit.mad(x, y, z))
}

/// `addcmul_tile`: x + value * y * z.
#[inline(always)]
pub(super) fn addcmul<R: Register>(unit: Sfpu, x: R, y: R, z: R, value: R) -> R {
    rounded(unit, unit.mad(unit.mul(value, y), z, x))
}

/// `addcdiv_tile`: x + value * y / z by a reciprocal of full precision; a 16-bit Dst gets it rounded to nearest even.
#[inline(always)]
pub(super) fn addcdiv<R: Register>(unit: Sfpu, x: R, y: R, z: R, (value, seen): (R, bool)) -> R {
    let sum = unit.mad_of_peers(unit.times(value, y, seen), reciprocal(unit, z, 2), x);
    if unit.dst_32 { sum } else { sum.round_to_bf16_even() }
}

/// `lerp_tile`: x + z * (y - x), with a 16-bit Dst rounded to nearest even.
#[inline(always)]
pub(super) fn lerp<R: Register>(unit: Sfpu, x: R, y: R, z: R) -> R {
    let sum = unit.mad(z, unit.sub(y, x), x);
    if unit.dst_32 { sum } else { sum.round_to_bf16_even() }
}

/// Runs one of these operations.
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    use SfpuOp::*;
    let (unit, scalar, seen) = (call.unit, call.params[0], call.sees(0));
    match call.op {
        Where | WhereFloat16b if unit.dst_32 == (call.op == WhereFloat16b) => return Err(OTHER_WIDTH),
        Where | WhereFloat16b => call.ternary_as(Layout::Int32, |c, x, y| y.where_(c.zero(), x)),
        Mac => swiftly!(call, |unit, x, y, z| mac(unit, x, y, z)),
        Addcmul => swiftly!(call, |unit, x, y, z| addcmul(unit, x, y, z, R::splat(scalar))),
        Addcdiv => swiftly!(call, |unit, x, y, z| addcdiv(unit, x, y, z, (R::splat(scalar), seen))),
        Lerp => swiftly!(call, |unit, x, y, z| lerp(unit, x, y, z)),
        _ => return Err(NO_STEPS),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;
    use crate::sfpu::lreg::LReg;

    /// Answers of ttsim 1.10.0 with kernels of ttnn 0.79, whose compiler saw the scalar.
    #[test]
    fn addcdiv_is_a_reciprocal_a_product_and_a_sum() {
        for (dst_32, value, [x, y, z], expected) in [
            (true, 1.0, [0xba38_c2d7, 0x39c8_8000, 0xc02f_28a0], 0xba5d_6407),
            // A factor of 1 leaves the NaN as it is.
            (true, 1.0, [0xc1ef_f300, 0xffff_ffff, 0x5a26_2812], 0xffc5_362d),
            (true, -1.5, [0x3f80_0001, 0xc571_495e, 0xbe78_ded5], 0xc6ba_242f),
            (true, -1.5, [0xb016_b85b, 0xeaf9_7994, 0x3fd2_31be], 0x6ae3_e169),
            (true, 3e38, [0xc300_8a27, 0xbcab_2000, 0xc267_580c], 0x79a6_f249),
            (true, 3e38, [0xbc91_ffff, 0xc24e_9a6b, 0x3b38_d7ff], 0xff80_0000),
            (true, 0.0, [0x7274_3a71, 0x3e08_6122, 0xc68f_c280], 0x7274_3a71),
            (false, 1.0, [0x32e2_0000, 0xbf0f_0000, 0xb8fa_0000], 0x4592_0000),
            (false, -1.5, [0x3eba_0000, 0x4198_0000, 0xc0a7_0000], 0x40ba_0000),
            (false, -1.5, [0xb95c_0000, 0xbf93_0000, 0xc279_0000], 0xbce4_0000),
            (false, -1.5, [0x3f44_0000, 0xbf1e_0000, 0xbb32_0000], 0xc3aa_0000),
        ] {
            let unit = Sfpu { rules: WORMHOLE.sfpu, dst_32, approx: false };
            let [x, y, z] = [x, y, z].map(LReg::splat);
            let answer = addcdiv(unit, x, y, z, (LReg::float(value), true)).0[0];
            assert_eq!(answer, expected, "{value} {:08x} {:08x} {:08x}", x.0[0], y.0[0], z.0[0]);
        }
    }
}
