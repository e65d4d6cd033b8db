//! The vector register (LReg): 32 lanes of 32 bits, and the instructions other than SFPMAD.
//!
//! Loops over the lanes must never branch on a lane's value, or the compiler stops vectorising;
//! conditions are masks of all ones or all zeros, as SFPSETCC's flags are one bit a lane.
//! Start reading at [`Register`]; the arithmetic of [`LReg`] is in [`super::unit`].

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::bounds::{Hazards, Range};
use crate::chip::MultiplyAdd;

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
                let mut out = [0; LANES];
                for i in 0..LANES {
                    out[i] = self.0[i] $op rhs.0[i];
                }
                LReg(out)
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
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = !self.0[i];
        }
        LReg(out)
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

/// SFPABS on floats: NaNs with a sign keep it (ISA documentation, `TensixCoprocessor/SFPABS.md`).
#[inline(always)]
pub(super) const fn positive(x: u32) -> u32 {
    if x <= 0xff80_0000 { x & 0x7fff_ffff } else { x }
}

/// SFPSETSGN: a word with the sign of another.
#[inline(always)]
pub(super) const fn with_sign(x: u32, from: u32) -> u32 {
    x & 0x7fff_ffff | from & 0x8000_0000
}

/// SFPSWAP, the smaller: by sign and magnitude, so +NaN is the largest and -NaN the smallest.
#[inline(always)]
pub(super) const fn smaller(x: u32, y: u32) -> u32 {
    if total_order(y) < total_order(x) { y } else { x }
}

/// SFPSWAP, the larger.
#[inline(always)]
pub(super) const fn larger(x: u32, y: u32) -> u32 {
    if total_order(y) < total_order(x) { x } else { y }
}

/// SFPCAST: sign-magnitude integer to float, nearest even, keeping the sign of -0.
#[inline(always)]
pub(super) const fn integer_to_float(x: u32) -> u32 {
    ((x & 0x7fff_ffff) as i32 as f32).to_bits() | x & 0x8000_0000
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
}

/// What the steps of an operation work on: a register of the unit, or one lane of it in [`super::swift`].
///
/// Lanes know nothing of one another, so that steps written for any of these are the same function of each lane.
pub(super) trait Register:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// The same word in every lane.
    fn splat(word: u32) -> Self;
    /// Applies `f` to each lane.
    fn map(self, f: impl Fn(u32) -> u32) -> Self;
    /// Applies `f` to each pair of lanes.
    fn zip(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self;
    /// Lanes of `self` where `condition` holds, of `other` elsewhere.
    fn where_(self, condition: Self, other: Self) -> Self;
    /// The word of the first lane, where all are alike.
    fn first(self) -> u32;
    /// Steps that many operations have, which a register runs as a function of its own.
    fn apart(steps: impl FnOnce() -> Self) -> Self;
    /// SFPMAD: `x * y + z`.
    fn mad(rules: MultiplyAdd, x: Self, y: Self, z: Self) -> Self;
    /// [`Register::mad`] where product and addend nearly cancel: the product is less than twice as large.
    fn residual(rules: MultiplyAdd, x: Self, y: Self, z: Self) -> Self;
    /// [`Register::mad`] where both terms lose bits beside one another.
    fn mad_of_peers(rules: MultiplyAdd, x: Self, y: Self, z: Self) -> Self;
    /// [`Register::mad`] where the product is at most half the addend.
    fn corrected(rules: MultiplyAdd, x: Self, y: Self, z: Self) -> Self;
    /// [`Register::mad`] where the product is at most the addend and has its sign.
    fn increased(rules: MultiplyAdd, x: Self, y: Self, z: Self) -> Self;
    /// A step of Horner's rule by SFPMAD, `sum * x + c`; sums are the steps' own.
    fn horner(rules: MultiplyAdd, sum: Self, x: Self, c: f32) -> Self;
    /// [`Register::mad`] of which it is known what the host's fused multiply-add may round otherwise.
    fn mad_within(rules: MultiplyAdd, x: Self, y: Self, z: Self, hazards: Hazards) -> Self;
    /// The same word, which the steps have brought to a range: lanes doubt others.
    fn within(self, range: Range) -> Self;
    /// SFPADD.
    fn add(rules: MultiplyAdd, x: Self, y: Self) -> Self;
    /// [`Register::add`] where the sum is a normal number or an exact zero, of finite numbers.
    fn add_ordinary(rules: MultiplyAdd, x: Self, y: Self) -> Self;
    /// [`Register::mul`] where the product is a normal number, or zero with its sign positive.
    fn mul_ordinary(rules: MultiplyAdd, x: Self, y: Self) -> Self;
    /// SFPMUL.
    fn mul(rules: MultiplyAdd, x: Self, y: Self) -> Self;

    /// The same float in every lane.
    #[inline(always)]
    fn float(value: f32) -> Self {
        Self::splat(value.to_bits())
    }

    /// Integer sum (SFPIADD), wrapping.
    #[inline(always)]
    fn iadd(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_add)
    }

    /// Integer sum with an immediate (SFPIADD), wrapping.
    #[inline(always)]
    fn iaddi(self, value: i32) -> Self {
        self.map(|a| a.wrapping_add(value as u32))
    }

    /// Integer difference (SFPIADD), wrapping.
    #[inline(always)]
    fn isub(self, other: Self) -> Self {
        self.zip(other, u32::wrapping_sub)
    }

    /// SFPSHFT with an immediate: to the left.
    #[inline(always)]
    fn shl(self, n: u32) -> Self {
        self.map(|a| a << n)
    }

    /// SFPSHFT with a negative immediate: logical, to the right.
    #[inline(always)]
    fn shr(self, n: u32) -> Self {
        self.map(|a| a >> n)
    }

    /// SFPSHFT by a register: left if positive, logical right if negative, modulo 32
    /// (ISA documentation, `TensixCoprocessor/SFPSHFT.md`).
    #[inline(always)]
    fn shift(self, by: Self) -> Self {
        Self::apart(
            #[inline(always)]
            || {
                self.zip(by, |a, n| {
                    let left = a << (n & 31);
                    let right = a >> (n.wrapping_neg() & 31);
                    if n as i32 >= 0 { left } else { right }
                })
            },
        )
    }

    /// SFPSETCC on the sign bit: true of negative numbers, of -0 and of NaNs with a sign.
    #[inline(always)]
    fn negative(self) -> Self {
        self.map(|a| ((a as i32) >> 31) as u32)
    }

    /// SFPSETCC for zero: the word, so -0 is not zero.
    #[inline(always)]
    fn zero(self) -> Self {
        self.map(|a| all_ones_if(a == 0))
    }

    /// SFPSETCC for greater than zero: neither zero nor signed.
    #[inline(always)]
    fn positive(self) -> Self {
        self.map(|a| all_ones_if(a as i32 > 0))
    }

    /// Equal words.
    #[inline(always)]
    fn same(self, word: u32) -> Self {
        self.map(|a| all_ones_if(a == word))
    }

    /// Signed comparison `self < other` of integers, without overflow.
    #[inline(always)]
    fn ilt(self, other: i32) -> Self {
        self.map(|a| all_ones_if((a as i32) < other))
    }

    /// SFPGT and SFPLE: by sign and magnitude, -0 below +0, NaNs at either end.
    #[inline(always)]
    fn ordered_below(self, other: Self) -> Self {
        self.zip(other, |a, b| all_ones_if(total_order(a) < total_order(b)))
    }

    /// The word without its sign.
    #[inline(always)]
    fn magnitude(self) -> Self {
        self.map(|a| a & 0x7fff_ffff)
    }

    /// The word with the sign flipped (SFPMOV with negation).
    #[inline(always)]
    fn negate(self) -> Self {
        self.map(|a| a ^ 0x8000_0000)
    }

    /// SFPABS on floats: [`positive`].
    #[inline(always)]
    fn abs(self) -> Self {
        self.map(positive)
    }

    /// SFPABS on integers.
    #[inline(always)]
    fn iabs(self) -> Self {
        self.map(|a| (a as i32).wrapping_abs() as u32)
    }

    /// SFPSETSGN: `self` with the sign of `from`.
    #[inline(always)]
    fn with_sign_of(self, from: Self) -> Self {
        self.zip(from, with_sign)
    }

    /// SFPEXEXP: the exponent without its bias.
    #[inline(always)]
    fn exponent(self) -> Self {
        self.map(|a| (a >> 23 & 255).wrapping_sub(127))
    }

    /// SFPEXEXP: the exponent field.
    #[inline(always)]
    fn exponent_field(self) -> Self {
        self.map(|a| a >> 23 & 255)
    }

    /// SFPEXMAN: the 23 mantissa bits.
    #[inline(always)]
    fn mantissa(self) -> Self {
        self.map(|a| a & 0x7f_ffff)
    }

    /// SFPEXMAN with the hidden bit, also of zeros and denormals.
    #[inline(always)]
    fn significand(self) -> Self {
        self.map(|a| a & 0x7f_ffff | 0x80_0000)
    }

    /// SFPSETEXP: the exponent field out of the low 8 bits of `field`.
    #[inline(always)]
    fn with_exponent(self, field: Self) -> Self {
        self.zip(field, |a, e| a & 0x807f_ffff | (e & 255) << 23)
    }

    /// SFPSETEXP with an immediate.
    #[inline(always)]
    fn with_exponent_of(self, field: u32) -> Self {
        self.map(|a| a & 0x807f_ffff | field << 23)
    }

    /// SFPDIVP2 adding to the exponent field, which wraps; infinities and NaNs stay.
    #[inline(always)]
    fn add_exponent(self, n: i32) -> Self {
        self.map(|a| {
            let moved = a & 0x807f_ffff | (a.wrapping_add((n as u32) << 23) & 0x7f80_0000);
            if a & 0x7f80_0000 == 0x7f80_0000 { a } else { moved }
        })
    }

    /// SFPSETMAN: `self` with the mantissa of `from`.
    #[inline(always)]
    fn with_mantissa_of(self, from: Self) -> Self {
        self.zip(from, |a, m| a & 0xff80_0000 | m & 0x7f_ffff)
    }

    /// SFPSWAP, the smaller: [`smaller`].
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, smaller)
    }

    /// SFPSWAP, the larger.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, larger)
    }

    /// SFP_STOCH_RND to bf16, rounding to nearest, ties away from zero: denormals and -0 become +0,
    /// NaNs infinities (ISA documentation, `TensixCoprocessor/SFP_STOCH_RND.md`; ttsim).
    #[inline(always)]
    fn round_to_bf16(self) -> Self {
        Self::apart(
            #[inline(always)]
            || {
                self.map(|a| {
                    let e = a & 0x7f80_0000;
                    let near = a.wrapping_add(0x8000) & 0xffff_0000;
                    let finite = if e == 0 { 0 } else { near };
                    if e == 0x7f80_0000 { a & 0xff80_0000 } else { finite }
                })
            },
        )
    }

    /// SFP_STOCH_RND to an integer in sign-magnitude form of at most `largest`, rounding to
    /// nearest, ties away from zero. Without `signed` the sign is dropped, not clamped.
    #[inline(always)]
    fn round_to_integer(self, largest: u32, signed: bool) -> Self {
        Self::apart(
            #[inline(always)]
            || {
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
            },
        )
    }

    /// SFPCAST: sign-magnitude integer to float, nearest even, keeping the sign of -0.
    #[inline(always)]
    fn to_float(self) -> Self {
        Self::apart(
            #[inline(always)]
            || self.map(integer_to_float),
        )
    }

    /// Two's complement to sign-magnitude.
    #[inline(always)]
    fn to_sign_magnitude(self) -> Self {
        self.map(|a| if (a as i32) < 0 { a.wrapping_neg() | 0x8000_0000 } else { a })
    }

    /// Sign-magnitude to two's complement.
    #[inline(always)]
    fn to_twos_complement(self) -> Self {
        self.map(|a| if (a as i32) < 0 { (a & 0x7fff_ffff).wrapping_neg() } else { a })
    }

    /// The software rounding of kernels that store bf16: nearest even by integer arithmetic, with
    /// no care for NaN or infinity (llk_sfpu/ckernel_sfpu_conversions.h).
    #[inline(always)]
    fn round_to_bf16_even(self) -> Self {
        self.map(|a| a.wrapping_add(0x7fff).wrapping_add(a >> 16 & 1) & 0xffff_0000)
    }

    /// What SFPSTORE does to a float on its way to a 32-bit Dst.
    #[inline(always)]
    fn flushed(self) -> Self {
        self.map(|a| if a & 0x7f80_0000 == 0 { a & 0x8000_0000 } else { a })
    }

    /// A float as it comes back from Dst: a store flushes denormals, and a 16-bit Dst truncates.
    #[inline(always)]
    fn stored(self, dst_32: bool) -> Self {
        if dst_32 { self.flushed() } else { self.flushed() & Self::splat(0xffff_0000) }
    }
}
