//! The arithmetic of class B operands (bf16, tf32, block floats) without branches, for vector lanes.
//!
//! The same formulas as [`plain`](super::plain), rearranged: a sum-of-products term is a signed number
//! that is shifted arithmetically, because its ties go toward plus infinity whatever its sign. Every
//! function must equal its plain counterpart on every input; the tests of `fpu::routes` hold that.
//! Start at [`Back::accumulate`].

use super::mode::FpuMode;

/// The back end of one mode. `DST_32` is the width of Dst.
#[derive(Clone, Copy)]
pub(crate) struct Back<const DST_32: bool> {
    /// Added to the exponent of a sum of exactly -1: 27 where the chip miscounts its signs.
    minus_one: i32,
}

/// `v / 2^d` rounded half up, for `d` from 0 to 30 and beyond (then 0); `|v|` below 2^29.
#[inline(always)]
fn round_shift(v: i32, d: i32) -> i32 {
    let d = (d as u32).min(30);
    (2 * v + (1 << d)) >> (d + 1)
}

impl<const DST_32: bool> Back<DST_32> {
    #[inline(always)]
    pub(crate) fn new(mode: FpuMode) -> Self {
        let minus_one = if mode.rules.miscounts_minus_one { 27 } else { 0 };
        Back { minus_one }
    }

    /// Adds two signed terms (bit 23 the unit at exponent `e`; value 0 with exponent 0 for none) to a
    /// Dst word.
    #[inline(always)]
    pub(crate) fn accumulate(self, e0: i32, v0: i32, e1: i32, v1: i32, dst: u32) -> u32 {
        let dst_e = (dst >> 23 & 255) as i32;
        let dst_m = if dst_e == 0 { 0 } else { (dst & 0x7F_FFFF | 0x80_0000) as i32 };
        let e = e0.max(e1).max(dst_e);
        let mut t0 = round_shift(v0, e - e0);
        let mut t1 = round_shift(v1, e - e1);
        let mut t = round_shift(dst_m, e - dst_e);
        if !DST_32 {
            t0 = (t0 + 4096) & !8191;
            t1 = (t1 + 4096) & !8191;
            t = (t + 4096) & !8191;
        }
        let sign = (dst as i32) >> 31;
        self.encode(e, ((t ^ sign) - sign) + t0 + t1)
    }

    /// As [`accumulate`](Self::accumulate) with one term.
    #[inline(always)]
    pub(crate) fn accumulate_one(self, e0: i32, v0: i32, dst: u32) -> u32 {
        let dst_e = (dst >> 23 & 255) as i32;
        let dst_m = if dst_e == 0 { 0 } else { (dst & 0x7F_FFFF | 0x80_0000) as i32 };
        let e = e0.max(dst_e);
        let mut t0 = round_shift(v0, e - e0);
        let mut t = round_shift(dst_m, e - dst_e);
        if !DST_32 {
            t0 = (t0 + 4096) & !8191;
            t = (t + 4096) & !8191;
        }
        let sign = (dst as i32) >> 31;
        self.encode(e, ((t ^ sign) - sign) + t0)
    }

    /// Renormalises a signed sum at exponent `e` and encodes it as a Dst word.
    #[inline(always)]
    pub(crate) fn encode(self, e: i32, sum: i32) -> u32 {
        let magnitude = sum.unsigned_abs();
        // The position of the leading one from a conversion to f32; the bit below it is cleared first
        // so that the conversion cannot round up to the next power of two.
        let top = (((magnitude & !(magnitude >> 1)) as i32 as f32).to_bits() >> 23) as i32 - 127;
        let m30 = magnitude << ((30 - top) as u32).min(31);
        let m24 = if DST_32 { (m30 + 64) >> 7 } else { ((m30 + 0x40_0000) >> 23) << 16 };
        let mut below = e + top - 24;
        if DST_32 {
            below += if sum == -1 { self.minus_one } else { 0 };
        }
        let exponent = below + (m24 >> 23) as i32;
        let bits = ((below << 23) as u32).wrapping_add(m24);
        let bits = if exponent >= 255 { 0x7F80_0000 } else { bits };
        let bits = if exponent <= 0 || sum == 0 { 0 } else { bits | sum as u32 & 0x8000_0000 };
        if DST_32 { bits } else { bits & 0xFFFF_0000 }
    }

    /// ELWADD; `dst` is 0 when the instruction overwrites. The operands are masked.
    #[inline(always)]
    pub(crate) fn elwadd<const ACCUMULATE: bool>(self, a: u32, b: u32, dst: u32) -> u32 {
        let a = if a & 0x7F80_0000 == 0 { 0 } else { a };
        let b = if b & 0x7F80_0000 == 0 { 0 } else { b };
        let swap = ((a & 0x7FFF_FFFF) as i32) < (b & 0x7FFF_FFFF) as i32;
        let (large, small) = if swap { (b, a) } else { (a, b) };
        let hidden = |x: u32| if x == 0 { 0 } else { 0x400 };
        let large_m = ((large >> 13 & 0x3FF) | hidden(large)) as i32;
        let small_m = ((small >> 13 & 0x3FF) | hidden(small)) as i32;
        let e = (large >> 23 & 255) as i32;
        let aligned = round_shift(small_m, e - (small >> 23 & 255) as i32);
        let opposite = ((a ^ b) as i32) >> 31;
        let sum = (large_m + ((aligned ^ opposite) - opposite)) << 13;
        let sign = (large as i32) >> 31;
        let v = (sum ^ sign) - sign;
        if ACCUMULATE { self.accumulate_one(e, v, dst) } else { self.encode(e, v) }
    }

    /// One phase of ELWMUL. The operands are masked.
    #[inline(always)]
    pub(crate) fn elwmul<const PHASE: u32>(self, a: u32, b: u32, dst: u32) -> u32 {
        let a_e = (a >> 23 & 255) as i32;
        let b_e = (b >> 23 & 255) as i32;
        let a_part = if PHASE & 1 != 0 { a >> 14 & 31 } else { a >> 19 & 15 | 16 };
        let b_part = if PHASE & 2 != 0 { (b >> 13 & 15) << 3 } else { b >> 17 & 63 | 64 };
        let e = a_e + b_e - phase_exponent(PHASE);
        let none = a_e == 0 || b_e == 0 || e <= 0;
        let (e, m) = if none { (0, 0) } else { (e, ((a_part * b_part) << 13) as i32) };
        let sign = ((a ^ b) as i32) >> 31;
        self.accumulate_one(e, (m ^ sign) - sign, dst)
    }
}

/// What a phase subtracts from the sum of the biased exponents.
pub(crate) const fn phase_exponent(phase: u32) -> i32 {
    127 + if phase & 1 != 0 { 5 } else { 0 } + if phase & 2 != 0 { 7 } else { 0 }
}
