//! The vector unit as a kernel sees it: the arithmetic of registers by the rules of a chip.
//!
//! Must stay an instruction a function: what several instructions make belongs to the family of the operation. Start reading
//! at [`Sfpu`].

use super::arith;
use super::fma::mad_lanes;
use super::lreg::{LReg, Lanes};
use super::mode::SfpuMode;
use crate::chip::SfpuRules;

/// Whether a register holds 1 or -1 in every lane; the lanes of a factor are alike.
#[inline(always)]
pub(super) fn is_sign(factor: LReg) -> bool {
    factor.0[0] & 0x7fff_ffff == 0x3f80_0000
}

/// What the arithmetic instructions depend on.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Sfpu {
    /// The rules of the chip.
    pub(super) rules: SfpuRules,
    /// `fp32_dest_acc_en`: kernels are compiled for one width of Dst.
    pub(super) dst_32: bool,
    /// `math_approx_mode`: kernels are compiled for it where they look at it.
    pub(super) approx: bool,
}

impl Sfpu {
    pub(super) fn new(mode: &SfpuMode) -> Sfpu {
        Sfpu { rules: mode.rules, dst_32: mode.dst_32, approx: mode.approx }
    }

    /// SFPMAD: `x * y + z`.
    #[inline]
    pub(super) fn mad(self, x: LReg, y: LReg, z: LReg) -> LReg {
        mad_lanes(self.rules.multiply_add, &x, &y, &z)
    }

    /// SFPADD.
    #[inline(never)]
    pub(super) fn add(self, x: LReg, y: LReg) -> LReg {
        arith::add(self.rules.multiply_add, &x, &y)
    }

    /// The subtraction `x - y`.
    #[inline(never)]
    pub(super) fn sub(self, x: LReg, y: LReg) -> LReg {
        arith::sub(self.rules.multiply_add, &x, &y)
    }

    /// `x < y` of a kernel's floats: the sign of a difference, so that NaNs answer by theirs; by sign and magnitude where the unit has
    /// SFPGT and SFPLE, which the compiler takes.
    #[inline(always)]
    pub(super) fn below(self, x: LReg, y: LReg) -> Lanes {
        if self.rules.orders_floats { x.ordered_below(y) } else { self.sub(x, y).negative() }
    }

    /// `x > y` where a kernel takes the difference for above zero.
    #[inline(always)]
    pub(super) fn exceeds(self, x: LReg, y: LReg) -> Lanes {
        if self.rules.orders_floats { y.ordered_below(x) } else { self.sub(x, y).positive() }
    }

    /// A factor times a register. Of a factor of 1 or -1 that the compiler sees it makes a move, and SFPMOV
    /// keeps NaNs, denormals and the sign of zero (measured: ttsim 1.10.0 with kernels of ttnn 0.79).
    #[inline(always)]
    pub(super) fn times(self, factor: LReg, x: LReg, seen: bool) -> LReg {
        if seen && is_sign(factor) { x ^ (factor & LReg::splat(0x8000_0000)) } else { self.mul(factor, x) }
    }

    /// A float as it comes back from Dst.
    #[inline(always)]
    pub(super) fn stored(self, x: LReg) -> LReg {
        x.stored(self.dst_32)
    }

    /// SFPMUL.
    #[inline(never)]
    pub(super) fn mul(self, x: LReg, y: LReg) -> LReg {
        arith::mul(self.rules.multiply_add, &x, &y)
    }

    /// Horner's rule, highest coefficient first, one SFPMAD a step.
    #[inline]
    pub(super) fn polynomial<const N: usize>(self, x: LReg, coefficients: [f32; N]) -> LReg {
        let mut sum = LReg::float(coefficients[0]);
        for &c in &coefficients[1..] {
            sum = self.mad(sum, x, LReg::float(c));
        }
        sum
    }
}

/// Compares answers of ttsim 1.10.0 to calls of ttnn 0.79 with those of a function: a bf16 word, the result in a 32-bit Dst and in
/// a 16-bit one.
#[cfg(test)]
pub(super) fn answers(function: impl Fn(Sfpu, LReg) -> LReg, answers: &[(u32, u32, u32)]) {
    for &(x, wide, narrow) in answers {
        for (dst_32, expected) in [(true, wide), (false, narrow << 16)] {
            let unit = Sfpu { rules: crate::chip::WORMHOLE.sfpu, dst_32, approx: false };
            let answer = function(unit, LReg::splat(x << 16)).0[0];
            assert_eq!(answer, expected, "{x:04x}, 32 bits: {dst_32}: {answer:08x}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    /// Answers of ttsim 1.10.0 to `mul_unary_tile` of ttnn 0.79 with a scalar in the text and one from a runtime argument.
    #[test]
    fn a_factor_of_one_that_the_compiler_sees_moves_and_another_multiplies() {
        let unit = Sfpu { rules: WORMHOLE.sfpu, dst_32: true, approx: false };
        let (one, less) = (0x3f80_0000, 0xbf80_0000);
        for (factor, seen, x, expected) in [
            (one, true, 0x7fff_ffff, 0x7fff_ffff),
            (one, true, 0x8000_0000, 0x8000_0000),
            (one, false, 0x7fff_ffff, 0x7f80_0001),
            (one, false, 0x8000_0000, 0),
            (less, true, 0xffc8_2ed7, 0x7fc8_2ed7),
            (less, true, 0, 0x8000_0000),
            (0x4000_0000, true, 0x7fff_ffff, 0x7f80_0001),
        ] {
            let answer = unit.times(LReg::splat(factor), LReg::splat(x), seen).0[0];
            assert_eq!(answer, expected, "{factor:08x} {seen} {x:08x}");
        }
    }
}
