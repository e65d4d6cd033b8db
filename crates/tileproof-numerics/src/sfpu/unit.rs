//! The vector unit as a kernel sees it: the arithmetic of registers by the rules of a chip.
//!
//! Must stay an instruction a function: what several instructions make belongs to the family of the operation. Start reading
//! at [`Sfpu`].

use super::arith;
use super::bounds::{Hazards, Polynomial, Range};
use super::fma::mad_lanes;
use super::lreg::{LANES, LReg, Lanes, Register};
use super::mode::SfpuMode;
use crate::chip::{MultiplyAdd, SfpuRules};

impl Register for LReg {
    #[inline(always)]
    fn splat(word: u32) -> LReg {
        LReg([word; LANES])
    }

    #[inline(always)]
    fn map(self, f: impl Fn(u32) -> u32) -> LReg {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i]);
        }
        LReg(out)
    }

    #[inline(always)]
    fn zip(self, other: LReg, f: impl Fn(u32, u32) -> u32) -> LReg {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = f(self.0[i], other.0[i]);
        }
        LReg(out)
    }

    #[inline(always)]
    fn where_(self, condition: Lanes, other: LReg) -> LReg {
        let mut out = [0; LANES];
        for i in 0..LANES {
            out[i] = self.0[i] & condition.0[i] | other.0[i] & !condition.0[i];
        }
        LReg(out)
    }

    #[inline(always)]
    fn first(self) -> u32 {
        self.0[0]
    }

    #[inline(never)]
    fn apart(steps: impl FnOnce() -> LReg) -> LReg {
        steps()
    }

    #[inline(always)]
    fn mad(rules: MultiplyAdd, x: LReg, y: LReg, z: LReg) -> LReg {
        mad_lanes(rules, &x, &y, &z)
    }

    #[inline(always)]
    fn residual(rules: MultiplyAdd, x: LReg, y: LReg, z: LReg) -> LReg {
        mad_lanes(rules, &x, &y, &z)
    }

    #[inline(always)]
    fn mad_of_peers(rules: MultiplyAdd, x: LReg, y: LReg, z: LReg) -> LReg {
        mad_lanes(rules, &x, &y, &z)
    }

    #[inline(always)]
    fn corrected(rules: MultiplyAdd, x: LReg, y: LReg, z: LReg) -> LReg {
        mad_lanes(rules, &x, &y, &z)
    }

    #[inline(always)]
    fn increased(rules: MultiplyAdd, x: LReg, y: LReg, z: LReg) -> LReg {
        mad_lanes(rules, &x, &y, &z)
    }

    #[inline(always)]
    fn horner(rules: MultiplyAdd, sum: LReg, x: LReg, c: f32) -> LReg {
        mad_lanes(rules, &sum, &x, &LReg::float(c))
    }

    #[inline(always)]
    fn mad_within(rules: MultiplyAdd, x: LReg, y: LReg, z: LReg, _: Hazards) -> LReg {
        mad_lanes(rules, &x, &y, &z)
    }

    #[inline(always)]
    fn within(self, _: Range) -> LReg {
        self
    }

    #[inline(never)]
    fn add(rules: MultiplyAdd, x: LReg, y: LReg) -> LReg {
        arith::add(rules, &x, &y)
    }

    #[inline(always)]
    fn add_ordinary(rules: MultiplyAdd, x: LReg, y: LReg) -> LReg {
        Self::add(rules, x, y)
    }

    #[inline(always)]
    fn mul_ordinary(rules: MultiplyAdd, x: LReg, y: LReg) -> LReg {
        Self::mul(rules, x, y)
    }

    #[inline(never)]
    fn mul(rules: MultiplyAdd, x: LReg, y: LReg) -> LReg {
        arith::mul(rules, &x, &y)
    }
}

/// Whether a register holds 1 or -1 in every lane; the lanes of a factor are alike.
#[inline(always)]
pub(super) fn is_sign<R: Register>(factor: R) -> bool {
    factor.first() & 0x7fff_ffff == 0x3f80_0000
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
    #[inline(always)]
    pub(super) fn mad<R: Register>(self, x: R, y: R, z: R) -> R {
        R::mad(self.rules.multiply_add, x, y, z)
    }

    /// SFPMAD where both terms lose bits beside one another, as an addend does that is much smaller than the product.
    #[inline(always)]
    pub(super) fn mad_of_peers<R: Register>(self, x: R, y: R, z: R) -> R {
        R::mad_of_peers(self.rules.multiply_add, x, y, z)
    }

    /// SFPMAD where the product nearly cancels the addend, and is less than twice as large.
    #[inline(always)]
    pub(super) fn residual<R: Register>(self, x: R, y: R, z: R) -> R {
        R::residual(self.rules.multiply_add, x, y, z)
    }

    /// SFPMAD whose product and sum are numbers of f32, so that nothing is rounded.
    #[inline(always)]
    pub(super) fn exact<R: Register>(self, x: R, y: R, z: R) -> R {
        R::mad_within(self.rules.multiply_add, x, y, z, Hazards::NONE)
    }

    /// SFPADD.
    #[inline(always)]
    pub(super) fn add<R: Register>(self, x: R, y: R) -> R {
        R::add(self.rules.multiply_add, x, y)
    }

    /// The subtraction `x - y`, as compiled for Wormhole, which cannot negate an operand: SFPMAD of `-1 * y + x`, and that
    /// product is y with its sign flipped in every case.
    #[inline(always)]
    pub(super) fn sub<R: Register>(self, x: R, y: R) -> R {
        self.add(y.negate(), x)
    }

    /// `z - x * y` of a kernel's floats, which is one instruction where SFPMAD can negate a factor.
    #[inline(always)]
    pub(super) fn less_product<R: Register>(self, z: R, x: R, y: R) -> R {
        if self.rules.negates_factors { self.residual(x.negate(), y, z) } else { self.sub(z, self.mul(x, y)) }
    }

    /// [`Sfpu::less_product`] where product and difference are normal numbers, or the difference an exact zero.
    #[inline(always)]
    pub(super) fn less_product_ordinary<R: Register>(self, z: R, x: R, y: R) -> R {
        if self.rules.negates_factors {
            self.residual(x.negate(), y, z)
        } else {
            self.sub_ordinary(z, self.mul_ordinary(x, y))
        }
    }

    /// [`Sfpu::sub`] where the difference is a normal number or an exact zero.
    #[inline(always)]
    pub(super) fn sub_ordinary<R: Register>(self, x: R, y: R) -> R {
        R::add_ordinary(self.rules.multiply_add, y.negate(), x)
    }

    /// SFPMUL where the product is a normal number, or zero with its sign positive: lanes do not look at it.
    #[inline(always)]
    pub(super) fn mul_ordinary<R: Register>(self, x: R, y: R) -> R {
        R::mul_ordinary(self.rules.multiply_add, x, y)
    }

    /// `x < y` of a kernel's floats: the sign of a difference, so that NaNs answer by theirs; by sign and magnitude where the unit has
    /// SFPGT and SFPLE, which the compiler takes.
    #[inline(always)]
    pub(super) fn below<R: Register>(self, x: R, y: R) -> R {
        if self.rules.orders_floats { x.ordered_below(y) } else { self.sub(x, y).negative() }
    }

    /// `x > y` where a kernel takes the difference for above zero.
    #[inline(always)]
    pub(super) fn exceeds<R: Register>(self, x: R, y: R) -> R {
        if self.rules.orders_floats { y.ordered_below(x) } else { self.sub(x, y).positive() }
    }

    /// A factor times a register. Of a factor of 1 or -1 that the compiler sees it makes a move, and SFPMOV
    /// keeps NaNs, denormals and the sign of zero (measured: ttsim 1.10.0 with kernels of ttnn 0.79).
    #[inline(always)]
    pub(super) fn times<R: Register>(self, factor: R, x: R, seen: bool) -> R {
        if seen && is_sign(factor) { x ^ (factor & R::splat(0x8000_0000)) } else { self.mul(factor, x) }
    }

    /// A float as it comes back from Dst.
    #[inline(always)]
    pub(super) fn stored<R: Register>(self, x: R) -> R {
        x.stored(self.dst_32)
    }

    /// SFPMUL.
    #[inline(always)]
    pub(super) fn mul<R: Register>(self, x: R, y: R) -> R {
        R::mul(self.rules.multiply_add, x, y)
    }

    /// [`Sfpu::polynomial`] of an argument that is in a range: lanes look at what may go wrong there, and at nothing else.
    #[inline(always)]
    pub(super) fn polynomial_within<R: Register, const N: usize>(self, x: R, polynomial: Polynomial<N>) -> R {
        R::apart(
            #[inline(always)]
            || {
                let Polynomial { coefficients, argument, hazards } = polynomial;
                let x = x.within(argument);
                let mut sum = R::float(coefficients[0]);
                // Without a loop, as in `Sfpu::polynomial`.
                macro_rules! steps {
                ($($k:literal)*) => {
                    $(if $k < N {
                        let c = R::float(coefficients[$k]);
                        sum = R::mad_within(self.rules.multiply_add, sum, x, c, hazards[$k]);
                    })*
                };
            }
                const { assert!(N <= 16) };
                steps!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
                sum
            },
        )
    }

    /// One more step of a polynomial.
    #[inline(always)]
    pub(super) fn horner<R: Register>(self, sum: R, x: R, c: f32) -> R {
        R::horner(self.rules.multiply_add, sum, x, c)
    }

    /// SFPMAD where the product is at most the addend and has its sign.
    #[inline(always)]
    pub(super) fn increased<R: Register>(self, x: R, y: R, z: R) -> R {
        R::increased(self.rules.multiply_add, x, y, z)
    }

    /// SFPMAD where the product is at most half the addend, as what corrects it is.
    #[inline(always)]
    pub(super) fn corrected<R: Register>(self, x: R, y: R, z: R) -> R {
        R::corrected(self.rules.multiply_add, x, y, z)
    }

    /// Horner's rule, highest coefficient first, one SFPMAD a step.
    #[inline(always)]
    pub(super) fn polynomial<R: Register, const N: usize>(self, x: R, coefficients: [f32; N]) -> R {
        R::apart(
            #[inline(always)]
            || {
                let mut sum = R::float(coefficients[0]);
                // Without a loop: a loop over lanes around it would not become vector code.
                macro_rules! steps {
                ($($k:literal)*) => {
                    $(if $k < N {
                        sum = R::horner(self.rules.multiply_add, sum, x, coefficients[$k]);
                    })*
                };
            }
                const { assert!(N <= 16) };
                steps!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
                sum
            },
        )
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
