//! The vector register (LReg): 32 lanes of 32 bits, and the instructions other than SFPMAD.
//!
//! Loops over the lanes must never branch on a lane's value, or the compiler stops vectorising;
//! conditions are masks of all ones or all zeros, as SFPSETCC's flags are one bit a lane.
//! Start reading at [`LReg`]; arithmetic is in [`super::unit`].

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// Lanes of a vector register: 4 rows of 8 columns of Dst
/// (ISA documentation, `TensixCoprocessor/SFPLOAD.md`).
pub(super) const LANES: usize = 32;

/// One vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub(super) struct LReg(pub(super) [u32; LANES]);

/// A condition, lane by lane: all ones or all zeros.
pub(super) type Lanes = LReg;

macro_rules! bitwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for LReg {
            type Output = LReg;
            #[inline(always)]
            fn $method(self, rhs: LReg) -> LReg {
                self.zip(rhs, |a, b| a $op b)
            }
        }
    };
}
bitwise!(BitAnd, bitand, &);
bitwise!(BitOr, bitor, |);
bitwise!(BitXor, bitxor, ^);

impl Not for LReg {
    type Output = LReg;
    #[inline(always)]
    fn not(self) -> LReg {
        self.map(|a| !a)
    }
}

const fn all_ones_if(condition: bool) -> u32 {
    (condition as u32).wrapping_neg()
}

/// The key by which SFPSWAP orders: sign and magnitude, as a signed integer.
#[inline(always)]
pub(super) const fn total_order(x: u32) -> i32 {
    let x = x as i32;
    x ^ ((x >> 31) & 0x7fff_ffff)
}

impl LReg {
    /// The same word in every lane.
    #[inline(always)]
    pub(super) const fn splat(word: u32) -> LReg {
        LReg([word; LANES])
    }

    /// The same float in every lane.
    #[inline(always)]
    pub(super) const fn float(value: f32) -> LReg {
        LReg([value.to_bits(); LANES])
    }

    /// Applies `f` to each lane.
    #[inline(always)]
    pub(super) fn map(self, f: impl Fn(u32) -> u32) -> LReg {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i]);
        }
        LReg(out)
    }

    /// Applies `f` to each pair of lanes.
    #[inline(always)]
    pub(super) fn zip(self, other: LReg, f: impl Fn(u32, u32) -> u32) -> LReg {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i], other.0[i]);
        }
        LReg(out)
    }

    /// Lanes of `self` where `condition` holds, of `other` elsewhere.
    #[inline(always)]
    pub(super) fn where_(self, condition: Lanes, other: LReg) -> LReg {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = self.0[i] & condition.0[i] | other.0[i] & !condition.0[i];
        }
        LReg(out)
    }

    /// Integer sum (SFPIADD), wrapping.
    #[inline(always)]
    pub(super) fn iadd(self, other: LReg) -> LReg {
        self.zip(other, u32::wrapping_add)
    }

    /// Integer sum with an immediate (SFPIADD), wrapping.
    #[inline(always)]
    pub(super) fn iaddi(self, value: i32) -> LReg {
        self.map(|a| a.wrapping_add(value as u32))
    }

    /// Integer difference (SFPIADD), wrapping.
    #[inline(always)]
    pub(super) fn isub(self, other: LReg) -> LReg {
        self.zip(other, u32::wrapping_sub)
    }

    /// SFPSHFT with an immediate: to the left.
    #[inline(always)]
    pub(super) fn shl(self, n: u32) -> LReg {
        self.map(|a| a << n)
    }

    /// SFPSHFT with a negative immediate: logical, to the right.
    #[inline(always)]
    pub(super) fn shr(self, n: u32) -> LReg {
        self.map(|a| a >> n)
    }

    /// SFPSHFT by a register: left if positive, logical right if negative, modulo 32
    /// (ISA documentation, `TensixCoprocessor/SFPSHFT.md`).
    #[inline(never)]
    pub(super) fn shift(self, by: LReg) -> LReg {
        self.zip(by, |a, n| {
            let left = a << (n & 31);
            let right = a >> (n.wrapping_neg() & 31);
            if n as i32 >= 0 { left } else { right }
        })
    }

    /// SFPSETCC on the sign bit: true of negative numbers, of -0 and of NaNs with a sign.
    #[inline(always)]
    pub(super) fn negative(self) -> Lanes {
        self.map(|a| ((a as i32) >> 31) as u32)
    }

    /// SFPSETCC for zero: the word, so -0 is not zero.
    #[inline(always)]
    pub(super) fn zero(self) -> Lanes {
        self.map(|a| all_ones_if(a == 0))
    }

    /// SFPSETCC for greater than zero: neither zero nor signed.
    #[inline(always)]
    pub(super) fn positive(self) -> Lanes {
        self.map(|a| all_ones_if(a as i32 > 0))
    }

    /// Equal words.
    #[inline(always)]
    pub(super) fn same(self, word: u32) -> Lanes {
        self.map(|a| all_ones_if(a == word))
    }

    /// Signed comparison `self < other` of integers, without overflow.
    #[inline(always)]
    pub(super) fn ilt(self, other: i32) -> Lanes {
        self.map(|a| all_ones_if((a as i32) < other))
    }

    /// SFPGT and SFPLE: by sign and magnitude, -0 below +0, NaNs at either end.
    #[inline(always)]
    pub(super) fn ordered_below(self, other: LReg) -> Lanes {
        self.zip(other, |a, b| all_ones_if(total_order(a) < total_order(b)))
    }

    /// The word without its sign.
    #[inline(always)]
    pub(super) fn magnitude(self) -> LReg {
        self.map(|a| a & 0x7fff_ffff)
    }

    /// The word with the sign flipped (SFPMOV with negation).
    #[inline(always)]
    pub(super) fn negate(self) -> LReg {
        self.map(|a| a ^ 0x8000_0000)
    }

    /// SFPABS on floats: NaNs with a sign keep it
    /// (ISA documentation, `TensixCoprocessor/SFPABS.md`).
    #[inline(always)]
    pub(super) fn abs(self) -> LReg {
        self.map(|a| if a <= 0xff80_0000 { a & 0x7fff_ffff } else { a })
    }

    /// SFPABS on integers.
    #[inline(always)]
    pub(super) fn iabs(self) -> LReg {
        self.map(|a| (a as i32).wrapping_abs() as u32)
    }

    /// SFPSETSGN: `self` with the sign of `from`.
    #[inline(always)]
    pub(super) fn with_sign_of(self, from: LReg) -> LReg {
        self.zip(from, |a, s| a & 0x7fff_ffff | s & 0x8000_0000)
    }

    /// SFPEXEXP: the exponent without its bias.
    #[inline(always)]
    pub(super) fn exponent(self) -> LReg {
        self.map(|a| (a >> 23 & 255).wrapping_sub(127))
    }

    /// SFPEXEXP: the exponent field.
    #[inline(always)]
    pub(super) fn exponent_field(self) -> LReg {
        self.map(|a| a >> 23 & 255)
    }

    /// SFPEXMAN: the 23 mantissa bits.
    #[inline(always)]
    pub(super) fn mantissa(self) -> LReg {
        self.map(|a| a & 0x7f_ffff)
    }

    /// SFPEXMAN with the hidden bit, also of zeros and denormals.
    #[inline(always)]
    pub(super) fn significand(self) -> LReg {
        self.map(|a| a & 0x7f_ffff | 0x80_0000)
    }

    /// SFPSETEXP: the exponent field out of the low 8 bits of `field`.
    #[inline(always)]
    pub(super) fn with_exponent(self, field: LReg) -> LReg {
        self.zip(field, |a, e| a & 0x807f_ffff | (e & 255) << 23)
    }

    /// SFPSETEXP with an immediate.
    #[inline(always)]
    pub(super) fn with_exponent_of(self, field: u32) -> LReg {
        self.map(|a| a & 0x807f_ffff | field << 23)
    }

    /// SFPDIVP2 adding to the exponent field, which wraps; infinities and NaNs stay.
    #[inline(always)]
    pub(super) fn add_exponent(self, n: i32) -> LReg {
        self.map(|a| {
            let moved = a & 0x807f_ffff | (a.wrapping_add((n as u32) << 23) & 0x7f80_0000);
            if a & 0x7f80_0000 == 0x7f80_0000 { a } else { moved }
        })
    }

    /// SFPSETMAN: `self` with the mantissa of `from`.
    #[inline(always)]
    pub(super) fn with_mantissa_of(self, from: LReg) -> LReg {
        self.zip(from, |a, m| a & 0xff80_0000 | m & 0x7f_ffff)
    }

    /// SFPSWAP, the smaller: by sign and magnitude, so +NaN is the largest and -NaN the smallest.
    #[inline(always)]
    pub(super) fn min(self, other: LReg) -> LReg {
        self.zip(other, |a, b| if total_order(b) < total_order(a) { b } else { a })
    }

    /// SFPSWAP, the larger.
    #[inline(always)]
    pub(super) fn max(self, other: LReg) -> LReg {
        self.zip(other, |a, b| if total_order(b) < total_order(a) { a } else { b })
    }

    /// SFP_STOCH_RND to bf16, rounding to nearest, ties away from zero: denormals and -0 become +0,
    /// NaNs infinities (ISA documentation, `TensixCoprocessor/SFP_STOCH_RND.md`; ttsim).
    #[inline(never)]
    pub(super) fn round_to_bf16(self) -> LReg {
        self.map(|a| {
            let e = a & 0x7f80_0000;
            let near = a.wrapping_add(0x8000) & 0xffff_0000;
            let finite = if e == 0 { 0 } else { near };
            if e == 0x7f80_0000 { a & 0xff80_0000 } else { finite }
        })
    }

    /// SFP_STOCH_RND to an integer in sign-magnitude form of at most `largest`, rounding to
    /// nearest, ties away from zero. Without `signed` the sign is dropped, not clamped.
    #[inline(never)]
    pub(super) fn round_to_integer(self, largest: u32, signed: bool) -> LReg {
        self.map(|a| {
            let e = (a >> 23 & 255) as i32 - 127;
            let significand = a & 0x7f_ffff | 0x80_0000;
            // Below 2^16 the integer part starts at bit 23 - e; one more bit decides the rounding.
            let shift = (23 - e).clamp(7, 24) as u32;
            let rounded = (significand >> (shift - 1)).wrapping_add(1) >> 1;
            let magnitude = if e < -1 { 0 } else { rounded };
            let magnitude = if (e >= 16) | (magnitude > largest) { largest } else { magnitude };
            let sign = if signed & (magnitude != 0) { a & 0x8000_0000 } else { 0 };
            sign | magnitude
        })
    }

    /// SFPCAST: sign-magnitude integer to float, nearest even, keeping the sign of -0.
    #[inline(never)]
    pub(super) fn to_float(self) -> LReg {
        self.map(|a| ((a & 0x7fff_ffff) as i32 as f32).to_bits() | a & 0x8000_0000)
    }

    /// Two's complement to sign-magnitude.
    #[inline(always)]
    pub(super) fn to_sign_magnitude(self) -> LReg {
        self.map(|a| if (a as i32) < 0 { a.wrapping_neg() | 0x8000_0000 } else { a })
    }

    /// Sign-magnitude to two's complement.
    #[inline(always)]
    pub(super) fn to_twos_complement(self) -> LReg {
        self.map(|a| if (a as i32) < 0 { (a & 0x7fff_ffff).wrapping_neg() } else { a })
    }

    /// The software rounding of kernels that store bf16: nearest even by integer arithmetic, with
    /// no care for NaN or infinity (llk_sfpu/ckernel_sfpu_conversions.h).
    #[inline(always)]
    pub(super) fn round_to_bf16_even(self) -> LReg {
        self.map(|a| a.wrapping_add(0x7fff).wrapping_add(a >> 16 & 1) & 0xffff_0000)
    }

    /// What SFPSTORE does to a float on its way to a 32-bit Dst.
    #[inline(always)]
    pub(super) fn flushed(self) -> LReg {
        self.map(|a| if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a })
    }

    /// A float as it comes back from Dst: a store flushes denormals, and a 16-bit Dst truncates.
    #[inline(always)]
    pub(super) fn stored(self, dst_32: bool) -> LReg {
        if dst_32 { self.flushed() } else { self.flushed() & LReg::splat(0xffff_0000) }
    }
}
