//! One lane of the unit, worked out with the host's fused multiply-add where that must give the same bits.
//!
//! A lane carries a doubt beside its word: where the rules of [`super::fma`] may round otherwise, the doubt is raised, and whoever
//! runs the steps must run them again on a register ([`super::swift`]). A word without doubt must be the unit's. No step may branch on a
//! word, so that loops over lanes become vector code. Start reading at [`Lane::mad`].
//!
//! SFPMAD aligns product and addend to the larger exponent, call it e, and works on multiples of 2^(e - 26); lost bits set the last
//! place. The product's exponent is the sum of its factors', so it is between 1 and 4 times that power.
//!
//! One of the two terms is a multiple of twice that place: the addend where its exponent is the larger, or at most two below, as it has
//! 24 bits and the place is three below its last one. Then the sum is cut to odd as a whole, and rounding it gives what rounding the exact
//! sum gives as long as the last place of the result is at least four times the place: down to a sum of half the larger power. From
//! four times that power on Wormhole forgets a bit.
//!
//! A product of 24 bits is a multiple of eight such places: either no bit is lost, or none cancels, and only the carry is left to look for.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::iterations::cut_to_odd;
use super::lreg::Register;
use crate::chip::MultiplyAdd;

const SIGN: u32 = 0x8000_0000;
const ABS: u32 = 0x7fff_ffff;
const EXPONENT: u32 = 0x7f80_0000;
/// A step of the exponent field.
const STEP: i32 = 0x0080_0000;
/// The field of 1.
const BIAS: i32 = 127 * STEP;
/// Fields between which the places that matter are all normal numbers, and no sum is infinite.
const LEAST: i32 = 30 * STEP;
const MOST: i32 = 252 * STEP;

/// A word, and whether it may be wrong: in the sign bit of `doubt`.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    pub(super) word: u32,
    pub(super) doubt: i32,
}

impl Lane {
    /// A word as it was loaded.
    #[inline(always)]
    pub(super) fn loaded(word: u32) -> Lane {
        Lane { word, doubt: 0 }
    }

    #[inline(always)]
    fn with(self, other: Lane, word: u32) -> Lane {
        Lane { word, doubt: self.doubt | other.doubt }
    }

    #[inline(always)]
    fn value(self) -> f32 {
        f32::from_bits(self.word)
    }

    /// Denormals count as zero.
    #[inline(always)]
    fn flushed_input(self) -> Lane {
        Lane { word: if self.word & EXPONENT == 0 { self.word & SIGN } else { self.word }, doubt: self.doubt }
    }

    /// The sum of `x * y` and `z`: the one given, or, where the product is not `near` the addend, three steps of the exponent below
    /// it or more, the host's, as nothing cancels there; `z` if the product is zero.
    #[inline(always)]
    fn beside(rules: MultiplyAdd, [x, y, z]: [Lane; 3], near: bool, sum: f32, doubt: i32) -> Lane {
        let z = z.flushed_input();
        let fused = fused(x.value(), y.value(), z.value());
        let sum = if near { sum } else { fused }.to_bits();
        let alone = (x.exponent_bits() == 0) | (y.exponent_bits() == 0);
        let zero = z.word & (x.word ^ y.word) & rules.sign_of_zero();
        let addend = if z.word & ABS == 0 { zero } else { z.word };
        let word = if alone { addend } else { sum };
        let doubt = if alone { beyond(x.word) | beyond(y.word) | beyond(z.word) } else { doubt | beyond(sum) };
        Lane { word, doubt: doubt | x.doubt | y.doubt | z.doubt }
    }

    #[inline(always)]
    fn exponent_bits(self) -> i32 {
        (self.word & EXPONENT) as i32
    }
}

macro_rules! bitwise {
    ($trait:ident, $method:ident, $op:tt) => {
        impl $trait for Lane {
            type Output = Lane;
            #[inline(always)]
            fn $method(self, rhs: Lane) -> Lane {
                self.with(rhs, self.word $op rhs.word)
            }
        }
    };
}
bitwise!(BitAnd, bitand, &);
bitwise!(BitOr, bitor, |);
bitwise!(BitXor, bitxor, ^);

impl Not for Lane {
    type Output = Lane;
    #[inline(always)]
    fn not(self) -> Lane {
        Lane { word: !self.word, doubt: self.doubt }
    }
}

/// The sum rounded once, which is the unit's where no doubt is raised.
#[inline(always)]
#[expect(clippy::disallowed_methods, reason = "its callers see to where one rounding is right")]
fn fused(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

/// Raises doubt of an infinity and of a NaN.
#[inline(always)]
fn beyond(word: u32) -> i32 {
    (word & ABS).wrapping_add(STEP as u32) as i32
}

/// 2^(e + 2) as f64.
#[inline(always)]
fn power_above(e: i32) -> u64 {
    (i64::from((e >> 23) + (1023 + 2 - 127)) << 52) as u64
}

/// A term of exponent `e` at most, cut to odd at 2^(e - 26), which is bit 24 of the f64 on top of 2^(e + 2).
#[inline(always)]
fn cut(term: f64, e: i32) -> f64 {
    let base = f64::from_bits(power_above(e) | term.to_bits() & 1 << 63);
    cut_to_odd(term + base) - base
}

/// Doubt of exponents at whose places there is no normal number.
#[inline(always)]
fn ordinary(larger: i32) -> i32 {
    larger.wrapping_sub(LEAST) | MOST.wrapping_sub(larger)
}

/// Doubt that the addend's exponent is more than two below the product's.
#[inline(always)]
fn apart(product: i32, addend: i32) -> i32 {
    addend.wrapping_add(2 * STEP).wrapping_sub(product)
}

/// Doubt of a sum below half the larger power.
#[inline(always)]
fn cancels(larger: i32, sum: u32) -> i32 {
    ((sum & ABS) as i32).wrapping_add(STEP).wrapping_sub(larger)
}

/// Doubt of a sum from four times the larger power on.
#[inline(always)]
fn carries(larger: i32, sum: u32) -> i32 {
    larger.wrapping_add(2 * STEP - 1).wrapping_sub((sum & ABS) as i32)
}

/// Whether a product has more than 24 bits.
#[inline(always)]
fn loses_bits(x: f32, y: f32) -> i32 {
    let lost = fused(x, y, -(x * y)).to_bits() & ABS;
    (lost as i32).wrapping_neg()
}

impl Register for Lane {
    #[inline(always)]
    fn splat(word: u32) -> Lane {
        Lane::loaded(word)
    }

    #[inline(always)]
    fn map(self, f: impl Fn(u32) -> u32) -> Lane {
        Lane { word: f(self.word), doubt: self.doubt }
    }

    #[inline(always)]
    fn zip(self, other: Lane, f: impl Fn(u32, u32) -> u32) -> Lane {
        self.with(other, f(self.word, other.word))
    }

    /// The doubt of what is not taken does not matter.
    #[inline(always)]
    fn where_(self, condition: Lane, other: Lane) -> Lane {
        let mask = condition.word;
        Lane {
            word: self.word & mask | other.word & !mask,
            doubt: self.doubt & mask as i32 | other.doubt & !mask as i32 | condition.doubt,
        }
    }

    #[inline(always)]
    fn first(self) -> u32 {
        self.word
    }

    #[inline(always)]
    fn apart(steps: impl FnOnce() -> Lane) -> Lane {
        steps()
    }

    #[inline(always)]
    fn mad(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let (x, y, z) = (x.flushed_input(), y.flushed_input(), z.flushed_input());
        let sum = fused(x.value(), y.value(), z.value()).to_bits();
        // A zero has the sign that both terms have, or none.
        let word = if sum & ABS == 0 { sum & rules.sign_of_zero() } else { sum };
        let (xe, ye, ze) = (x.exponent_bits(), y.exponent_bits(), z.exponent_bits());
        // Nothing is added to the addend; a product alone is rounded once.
        let alone = (xe == 0) | (ye == 0);
        let product = if alone { 0 } else { (xe - BIAS).wrapping_add(ye) };
        let addend = if ze == 0 { product } else { ze };
        let larger = product.max(addend);
        let outside = if alone & (ze == 0) { 0 } else { ordinary(larger) };
        // A number of 8 bits is a multiple of more places.
        let places = if z.word & 0xffff == 0 { addend.wrapping_add(16 * STEP) } else { addend };
        let rounded = (apart(product, places) | cancels(larger, sum)) & loses_bits(x.value(), y.value());
        // A sum of lost bits is odd, so that the bit that is forgotten decides nothing.
        let odd = x.word.wrapping_mul(y.word) << 12 != 0;
        let carried = if odd { 0 } else { carries(larger, sum) };
        let infinite = beyond(sum);
        Lane { word, doubt: outside | rounded | carried | infinite | x.doubt | y.doubt | z.doubt }
    }

    #[inline(always)]
    fn horner(rules: MultiplyAdd, sum: Lane, x: Lane, c: f32) -> Lane {
        let c = Lane::splat(c.to_bits());
        let addend = c.exponent_bits();
        if !(LEAST..=190 * STEP).contains(&addend) {
            return Lane::mad(rules, sum, x, c);
        }
        // Sums are no denormals: what is rounded alike is at least a quarter of the addend, and the first is a number of the text.
        let x = x.flushed_input();
        let next = fused(sum.value(), x.value(), c.value()).to_bits();
        let product = (x.exponent_bits() - BIAS).wrapping_add(sum.exponent_bits());
        let larger = product.max(addend);
        let rounded = apart(product, addend) | cancels(larger, next) | carries(larger, next);
        Lane { word: next, doubt: rounded | sum.doubt | x.doubt }
    }

    /// The product's exponent is at most that of the addend, which loses nothing.
    #[inline(always)]
    fn residual(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let larger = z.exponent_bits();
        let product = f64::from(x.value()) * f64::from(y.value());
        let magnitude = (f64::abs(product) as f32).to_bits() as i32;
        let sum = (f64::from(z.value()) + cut(product, larger)) as f32;
        let too_large = larger.wrapping_add(STEP - 1).wrapping_sub(magnitude);
        let near = magnitude >= larger.wrapping_sub(2 * STEP);
        Lane::beside(rules, [x, y, z], near, sum, too_large | ordinary(larger))
    }

    #[inline(always)]
    fn mad_of_peers(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let exponent = (x.exponent_bits() - BIAS).wrapping_add(y.exponent_bits());
        let larger = exponent.max(z.exponent_bits());
        let product = f64::from(x.value()) * f64::from(y.value());
        let sum = (cut(product, larger) + cut(f64::from(z.value()), larger)).to_bits();
        // From 2^(e + 2) on the last but one of the places is forgotten.
        let carried = rules == MultiplyAdd::Leaking && sum & (u64::MAX >> 1) >= power_above(larger);
        let sum = f64::from_bits(if carried { sum & !(1 << 25) } else { sum }) as f32;
        let near = exponent >= larger.wrapping_sub(4 * STEP);
        let too_small = z.exponent_bits().wrapping_sub(larger.wrapping_sub(26 * STEP));
        Lane::beside(rules, [x, y, z], near, sum, too_small | ordinary(larger))
    }

    /// As [`super::arith::add`].
    #[inline(always)]
    fn add(rules: MultiplyAdd, x: Lane, y: Lane) -> Lane {
        let sum = (x.flushed_input().value() + y.flushed_input().value()).to_bits();
        let word = if sum & EXPONENT == 0 { sum & rules.sign_of_zero() } else { sum };
        Lane { word, doubt: beyond(sum) | x.doubt | y.doubt }
    }

    /// As [`super::arith::mul`].
    #[inline(always)]
    fn mul(_: MultiplyAdd, x: Lane, y: Lane) -> Lane {
        let product = (x.value() * y.value()).to_bits();
        let zero = (x.word & EXPONENT == 0) | (y.word & EXPONENT == 0);
        let tiny = if zero { 0 } else { (product & ABS) as i32 - (STEP + 1) };
        Lane { word: if zero { 0 } else { product }, doubt: beyond(product) | tiny | x.doubt | y.doubt }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sfpu::fma;

    #[test]
    fn a_lane_without_doubt_is_the_units() {
        let mut s = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        let mut sure = [0u32; 6];
        const ROUNDS: u32 = 6_000_000;
        for round in 0..ROUNDS {
            let mut number = |kind: u32| {
                let bits = next();
                match (round / 7 + kind) % 9 {
                    0 => bits,
                    1 => bits & 0x83ff_ffff | 0x3c00_0000,
                    2 => bits & 0x80ff_ffff | 0x3f00_0000,
                    3 => bits & 0x83ff_ffff | if bits & 64 == 0 { 0 } else { 0x3e00_0000 },
                    // Few bits of significand: ties.
                    4 => bits & 0x81f8_0000 | 0x3e80_0000,
                    5 => bits & 0x81ff_f000 | 0x3e80_0000,
                    // The edges.
                    6 => bits & 0x80ff_ffff | if bits & 64 == 0 { 0x7f00_0000 } else { 0 },
                    7 => [0, SIGN, 0x7f80_0000, 0xff80_0001, 1, 0x0080_0000, 0x3f80_0000, bits][bits as usize % 8],
                    _ => bits & 0x87ff_ffff | 0x3a00_0000,
                }
            };
            let (x, y) = (number(0), number(round / 9));
            // Now and then near what cancels the product.
            let z = number(round / 81);
            let z = match z % 3 {
                0 => (-(f32::from_bits(x) * f32::from_bits(y))).to_bits().wrapping_add(z % 9),
                _ => z,
            };
            for rules in [MultiplyAdd::Leaking, MultiplyAdd::Canonical] {
                let [a, b, c] = [x, y, z].map(Lane::loaded);
                let answers = [
                    (Lane::mad(rules, a, b, c), fma::mad(rules, x, y, z)),
                    (Lane::residual(rules, a, b, c), fma::mad(rules, x, y, z)),
                    (Lane::mad_of_peers(rules, a, b, c), fma::mad(rules, x, y, z)),
                    (Lane::add(rules, a, b), fma::mad(rules, x, 0x3f80_0000, y)),
                    (Lane::mul(rules, a, b), fma::mad(rules, x, y, 0)),
                ];
                let normal = if x & EXPONENT == 0 { 0x3f80_0000 } else { x };
                let sum = Lane::horner(rules, Lane::loaded(normal), b, f32::from_bits(z));
                let answers = answers.into_iter().chain([(sum, fma::mad(rules, normal, y, z))]);
                for (k, (lane, expected)) in answers.enumerate() {
                    if lane.doubt >= 0 {
                        sure[k] += 1;
                        assert_eq!(lane.word, expected, "{rules:?} {k}: {x:08x} {y:08x} {z:08x} {:08x}", lane.word);
                    }
                }
            }
        }
        println!("{sure:?}");
        // Of two rules each; a kernel's numbers are ordinary far more often.
        assert!(sure.iter().all(|&count| count > ROUNDS / 10), "{sure:?}");
    }
}
