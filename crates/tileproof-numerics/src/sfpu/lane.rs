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
//!
//! What the steps say of their numbers makes less to look at: a product that corrects its addend ([`Lane::corrected`]), an argument that is
//! in a range, which is all that is looked at then ([`super::bounds`]), and a product that is always a normal number
//! ([`Lane::mul_ordinary`]), which is not looked at: who writes that must know it of every input that is not doubted.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::bounds::{Hazards, Range};
use super::lreg::{Register, integer_to_float, larger, positive, smaller, with_sign};
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
    /// What the compiler knows of the word where the steps are compiled, so that it leaves steps out: it is no denormal.
    normal: bool,
    /// Its exponent is one at whose places there are normal numbers, whatever is added: no sum is a denormal, nor -0.
    ordinary: bool,
    /// The same in every lane.
    constant: bool,
}

impl Lane {
    /// A word as it was loaded.
    #[inline(always)]
    pub(super) fn loaded(word: u32) -> Lane {
        Lane { word, doubt: 0, normal: false, ordinary: false, constant: false }
    }

    /// What the unit's arithmetic has made, or a choice among such.
    #[inline(always)]
    fn result(word: u32, doubt: i32) -> Lane {
        Lane { word, doubt, normal: true, ordinary: false, constant: false }
    }

    #[inline(always)]
    fn value(self) -> f32 {
        f32::from_bits(self.word)
    }

    /// Denormals count as zero.
    #[inline(always)]
    fn flushed_input(self) -> Lane {
        if self.normal {
            return self;
        }
        Lane { word: if self.word & EXPONENT == 0 { self.word & SIGN } else { self.word }, normal: true, ..self }
    }

    /// A constant that only moves the exponent of what it is multiplied by.
    #[inline(always)]
    fn is_power_of_two(self) -> bool {
        self.constant && self.ordinary && self.word & 0x7f_ffff == 0
    }

    /// Another word, of which no more is known than given.
    #[inline(always)]
    fn as_normal(self, normal: bool, word: u32) -> Lane {
        if self.constant { Lane::splat(word) } else { Lane { word, normal, ordinary: false, ..self } }
    }

    /// One of two words.
    #[inline(always)]
    fn picked(self, other: Lane, word: u32, doubt: i32) -> Lane {
        let normal = self.normal && other.normal;
        Lane { word, doubt, normal, ordinary: self.ordinary && other.ordinary, constant: false }
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
                self.zip(rhs, |a, b| a $op b)
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
        self.map(|a| !a)
    }
}

/// The sum rounded once, which is the unit's where no doubt is raised.
#[inline(always)]
#[expect(clippy::disallowed_methods, reason = "its callers see to where one rounding is right")]
fn fused(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

/// Raises doubt of exponents at whose places there is no normal number. Where both terms are less than any normal one, Wormhole makes
/// zero of them.
#[inline(always)]
fn too_low(rules: MultiplyAdd, larger: i32) -> i32 {
    let low = larger.wrapping_sub(LEAST);
    match rules {
        MultiplyAdd::Leaking => low & larger.wrapping_neg(),
        MultiplyAdd::Canonical => low,
    }
}

/// A term cut to odd at 2^(e - 26), and whether it is odd. That place is the last place of an f32 at 1.5 times 2^(e - 3); its magnitude is less than half of that.
#[inline(always)]
fn cut(term: f32, e: i32) -> (f32, bool) {
    let base = f32::from_bits(e.wrapping_sub(3 * STEP) as u32 | 0x40_0000);
    let nearest = term + base;
    let back = nearest - base;
    let below = nearest.to_bits().wrapping_sub(u32::from(back > term));
    let cut = below | u32::from(back != term);
    (f32::from_bits(cut) - base, cut & 1 != 0)
}

impl Register for Lane {
    #[inline(always)]
    fn splat(word: u32) -> Lane {
        let exponent = (word & EXPONENT) as i32;
        let (normal, ordinary) = (exponent != 0 || word & ABS == 0, (LEAST..=190 * STEP).contains(&exponent));
        Lane { word, doubt: 0, normal, ordinary, constant: true }
    }

    #[inline(always)]
    fn map(self, f: impl Fn(u32) -> u32) -> Lane {
        self.as_normal(false, f(self.word))
    }

    #[inline(always)]
    fn zip(self, other: Lane, f: impl Fn(u32, u32) -> u32) -> Lane {
        let word = f(self.word, other.word);
        if self.constant && other.constant {
            Lane::splat(word)
        } else {
            Lane { doubt: self.doubt | other.doubt, ..Lane::loaded(word) }
        }
    }

    /// The doubt of what is not taken does not matter.
    #[inline(always)]
    fn where_(self, condition: Lane, other: Lane) -> Lane {
        let mask = condition.word;
        let doubt = self.doubt & mask as i32 | other.doubt & !mask as i32 | condition.doubt;
        self.picked(other, self.word & mask | other.word & !mask, doubt)
    }

    #[inline(always)]
    fn magnitude(self) -> Lane {
        self.as_normal(self.normal, self.word & ABS)
    }

    #[inline(always)]
    fn negate(self) -> Lane {
        self.as_normal(self.normal, self.word ^ SIGN)
    }

    #[inline(always)]
    fn abs(self) -> Lane {
        self.as_normal(self.normal, self.map(positive).word)
    }

    #[inline(always)]
    fn with_sign_of(self, from: Lane) -> Lane {
        let known = self.normal;
        Lane { normal: known, ..self.zip(from, with_sign) }
    }

    #[inline(always)]
    fn with_exponent_of(self, field: u32) -> Lane {
        self.as_normal(self.normal || field != 0, self.word & 0x807f_ffff | field << 23)
    }

    #[inline(always)]
    fn with_mantissa_of(self, from: Lane) -> Lane {
        let known = self.constant && self.word & EXPONENT != 0;
        Lane { normal: known, ..self.zip(from, |a, m| a & 0xff80_0000 | m & 0x7f_ffff) }
    }

    #[inline(always)]
    fn min(self, other: Lane) -> Lane {
        self.picked(other, smaller(self.word, other.word), self.doubt | other.doubt)
    }

    #[inline(always)]
    fn max(self, other: Lane) -> Lane {
        self.picked(other, larger(self.word, other.word), self.doubt | other.doubt)
    }

    #[inline(always)]
    fn to_float(self) -> Lane {
        self.as_normal(true, integer_to_float(self.word))
    }

    #[inline(always)]
    fn flushed(self) -> Lane {
        self.flushed_input()
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
        let (a, b) = (x.value(), y.value());
        let product = a * b;
        let sum = fused(a, b, z.value()).to_bits();
        let fixed = z.ordinary;
        // A zero has the sign that both terms have, or none.
        let zero = sum & z.word & rules.sign_of_zero();
        let word = if fixed || sum & EXPONENT != 0 { sum } else { zero };
        // The exponent of the rounded product, which is that of its factors' or one more: one more raises more doubt, never less.
        let pe = (product.to_bits() & EXPONENT) as i32;
        let ze = z.exponent_bits();
        let larger = pe.max(ze);
        let magnitude = (sum & ABS) as i32;
        let infinite = magnitude.wrapping_add(STEP);
        // A sum below half the larger power.
        let cancels = infinite.wrapping_sub(larger);
        // A product alone is rounded once.
        let addend = if ze == 0 { pe } else { ze };
        // An addend of 8 bits is a multiple of more places.
        let places = if z.word & 0xffff == 0 { 16 * STEP } else { 0 };
        let apart = addend.wrapping_add(2 * STEP + places).wrapping_sub(pe);
        // The product has more than 24 bits.
        let exact = x.is_power_of_two() || y.is_power_of_two();
        let lost = !exact && fused(a, b, -product) != 0.0;
        let rounded = if lost { apart | cancels } else { 0 };
        // Only a product from twice the larger power on carries a sum to four times that power, and then the sum's exponent is above its own.
        // A sum of lost bits is odd, so that the bit that is forgotten decides nothing.
        let odd = x.word.wrapping_mul(y.word) << 12 != 0;
        let carried = larger.wrapping_add(STEP - 1).wrapping_sub(magnitude) & addend.wrapping_sub(pe);
        // Nor does it in one of no lost bits whose addend is a multiple of four places.
        let fine = if lost { -1 } else { apart.wrapping_sub(STEP) };
        let carried = if exact || odd { 0 } else { carried & fine };
        let low = if fixed { 0 } else { too_low(rules, larger) };
        let beyond = larger.wrapping_add(STEP) | infinite;
        Lane::result(word, rounded | carried | low | beyond | x.doubt | y.doubt | z.doubt)
    }

    #[inline(always)]
    fn horner(rules: MultiplyAdd, sum: Lane, x: Lane, c: f32) -> Lane {
        let c = Lane::splat(c.to_bits());
        if !c.ordinary {
            return Lane::mad(rules, sum, x, c);
        }
        // Sums are no denormals: what is rounded alike is at least a quarter of the addend, and the first is a number of the text.
        let x = x.flushed_input();
        let next = fused(sum.value(), x.value(), c.value()).to_bits();
        // Exponents less one, so that a sum from half the larger power to four times it is from 0 to 3 above.
        let addend = c.exponent_bits() - STEP;
        let product = (x.exponent_bits() - (BIAS + STEP)).wrapping_add(sum.exponent_bits());
        let above = ((next & ABS) as i32).wrapping_sub(product.max(addend));
        let apart = (addend + 2 * STEP).wrapping_sub(product);
        let rounded = above | (3 * STEP - 1).wrapping_sub(above) | apart;
        Lane::result(next, rounded | sum.doubt | x.doubt)
    }

    #[inline(always)]
    fn mad_within(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane, hazards: Hazards) -> Lane {
        if hazards.others {
            return Lane::mad_of_peers(rules, x, y, z);
        }
        let (a, b, c) = (x.value(), y.value(), z.value());
        let mut sum = fused(a, b, c);
        let mut doubt = x.doubt | y.doubt | z.doubt;
        if hazards.cancels || hazards.dwarfs {
            // As in `mad_of_peers`.
            let product = a * b;
            let larger = y.exponent_bits().wrapping_sub(BIAS).wrapping_add(x.exponent_bits()).max(z.exponent_bits());
            let lost = cut(fused(a, b, -product), larger).0;
            if hazards.cancels {
                let cancels = ((sum.to_bits() & ABS) as i32) < larger.wrapping_sub(STEP);
                sum = if cancels { (product + c) + lost } else { sum };
            }
            if hazards.dwarfs {
                // The addend's last place is that of the sum, and it is less than a quarter of the larger power.
                let dwarfed = larger > z.exponent_bits() + 2 * STEP;
                sum = if dwarfed { product + (lost + c) } else { sum };
            }
        }
        if hazards.carries {
            // As in `mad`; no product with a power of two carries.
            let odd = x.word.wrapping_mul(y.word) << 12 != 0 || y.word & 0x7f_ffff == 0;
            doubt |= if odd { 0 } else { -1 };
        }
        Lane::result(sum.to_bits(), doubt)
    }

    #[inline(always)]
    fn within(self, range: Range) -> Lane {
        Lane { doubt: self.doubt | range.lacks(self.word), ..self }
    }

    /// The addend's exponent is the larger, no sum is below half its power, and none carries.
    #[inline(always)]
    fn corrected(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let (x, y, z) = (x.flushed_input(), y.flushed_input(), z.flushed_input());
        let product = x.value() * y.value();
        let sum = fused(x.value(), y.value(), z.value()).to_bits();
        let fixed = z.ordinary;
        let word = if fixed || sum & EXPONENT != 0 { sum } else { sum & z.word & rules.sign_of_zero() };
        let too_large = ((z.word & ABS) as i32).wrapping_sub(((product + product).to_bits() & ABS) as i32);
        let low = if fixed { 0 } else { too_low(rules, z.exponent_bits()) };
        let infinite = ((sum & EXPONENT) as i32).wrapping_add(STEP);
        Lane::result(word, too_large | low | infinite | x.doubt | y.doubt | z.doubt)
    }

    /// As [`Lane::corrected`].
    #[inline(always)]
    fn increased(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let (x, y, z) = (x.flushed_input(), y.flushed_input(), z.flushed_input());
        let product = (x.value() * y.value()).to_bits();
        let sum = fused(x.value(), y.value(), z.value()).to_bits();
        let word = if z.ordinary || sum & EXPONENT != 0 { sum } else { sum & z.word & rules.sign_of_zero() };
        let too_large = ((z.word & ABS) as i32).wrapping_sub((product & ABS) as i32);
        let low = if z.ordinary { 0 } else { too_low(rules, z.exponent_bits()) };
        let infinite = ((sum & EXPONENT) as i32).wrapping_add(STEP);
        let signs = (product ^ z.word) as i32;
        Lane::result(word, too_large | signs | low | infinite | x.doubt | y.doubt | z.doubt)
    }

    /// The product's exponent is at most that of the addend, which loses nothing. Where the sum is below half the addend's power, product
    /// and addend differ by a number of f32, and what the product has lost is added to that; elsewhere the host's sum is right.
    #[inline(always)]
    fn residual(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let (x, y, z) = (x.flushed_input(), y.flushed_input(), z.flushed_input());
        let (a, b, c) = (x.value(), y.value(), z.value());
        let product = a * b;
        let sum = fused(a, b, c);
        let larger = z.exponent_bits();
        let cancelled = (product + c) + cut(fused(a, b, -product), larger).0;
        let cancels = ((sum.to_bits() & ABS) as i32) < larger.wrapping_sub(STEP);
        let word = if cancels { cancelled } else { sum }.to_bits();
        let fixed = z.ordinary;
        let word = if fixed || word & EXPONENT != 0 { word } else { word & z.word & rules.sign_of_zero() };
        let product = (product.to_bits() & ABS) as i32;
        let too_large = larger.wrapping_add(STEP - 1).wrapping_sub(product);
        // Zero and nothing added is zero.
        let outside = (larger.wrapping_sub(LEAST) & (larger | product).wrapping_neg()) | MOST.wrapping_sub(larger);
        let outside = if fixed { 0 } else { outside };
        Lane::result(word, too_large | outside | x.doubt | y.doubt | z.doubt)
    }

    /// As [`Lane::residual`] where the terms cancel. An addend with places below the last one has at most a quarter of the larger power:
    /// what is left of it and what is left of the product below 24 bits have a sum in f32, and are added to the product at once.
    #[inline(always)]
    fn mad_of_peers(rules: MultiplyAdd, x: Lane, y: Lane, z: Lane) -> Lane {
        let (x, y, z) = (x.flushed_input(), y.flushed_input(), z.flushed_input());
        let (a, b, c) = (x.value(), y.value(), z.value());
        let product = a * b;
        let sum = fused(a, b, c);
        let pe = x.exponent_bits().wrapping_sub(BIAS).wrapping_add(y.exponent_bits());
        let pe = if product.to_bits() & ABS == 0 { 0 } else { pe };
        let larger = pe.max(z.exponent_bits());
        let (lost, odd) = cut(fused(a, b, -product), larger);
        let cancelled = (product + c) + lost;
        // Bits of the addend below the last place, if not negative.
        let below = (larger.wrapping_sub(z.exponent_bits()) >> 23) - 3;
        let mask = (1u32 << (below as u32).min(24)) - 1;
        let small = lost + f32::from_bits((z.word | ((z.word & mask) + mask)) & !mask);
        let magnitude = (sum.to_bits() & ABS) as i32;
        let word = if below >= 0 { product + small } else { sum };
        let word = if magnitude < larger.wrapping_sub(STEP) { cancelled } else { word }.to_bits();
        let word = if z.ordinary || word & EXPONENT != 0 { word } else { word & z.word & rules.sign_of_zero() };
        // More bits than f32 has.
        let wide = larger.wrapping_sub(2 * STEP + 1).wrapping_sub((small.to_bits() & ABS) as i32);
        let wide = if below >= 0 { wide } else { 0 };
        // From four times the larger power on Wormhole forgets a bit, which decides nothing in an odd sum.
        let carried = larger.wrapping_add(2 * STEP - 1).wrapping_sub(magnitude);
        let carried = if odd & (below < 0) { 0 } else { carried };
        let low = if z.ordinary { 0 } else { too_low(rules, larger) };
        let outside = low | MOST.wrapping_sub(larger) | magnitude.wrapping_add(STEP);
        Lane::result(word, (22 - below) | wide | carried | outside | x.doubt | y.doubt | z.doubt)
    }

    /// As [`super::arith::add`].
    #[inline(always)]
    fn add(rules: MultiplyAdd, x: Lane, y: Lane) -> Lane {
        let fixed = x.ordinary || y.ordinary;
        let (x, y) = (x.flushed_input(), y.flushed_input());
        let sum = (x.value() + y.value()).to_bits();
        let exponent = (sum & EXPONENT) as i32;
        let word = if fixed || exponent != 0 { sum } else { sum & rules.sign_of_zero() };
        Lane::result(word, exponent.wrapping_add(STEP) | x.doubt | y.doubt)
    }

    #[inline(always)]
    fn add_ordinary(_: MultiplyAdd, x: Lane, y: Lane) -> Lane {
        let (x, y) = (x.flushed_input(), y.flushed_input());
        Lane::result((x.value() + y.value()).to_bits(), x.doubt | y.doubt)
    }

    #[inline(always)]
    fn mul_ordinary(_: MultiplyAdd, x: Lane, y: Lane) -> Lane {
        let (x, y) = (x.flushed_input(), y.flushed_input());
        Lane::result((x.value() * y.value()).to_bits(), x.doubt | y.doubt)
    }

    /// As [`super::arith::mul`].
    #[inline(always)]
    fn mul(rules: MultiplyAdd, x: Lane, y: Lane) -> Lane {
        let (x, y) = (x.flushed_input(), y.flushed_input());
        let product = (x.value() * y.value()).to_bits();
        let exponent = (product & EXPONENT) as i32;
        // The host may have rounded a denormal up to the least normal number.
        let edge = match rules {
            MultiplyAdd::Leaking => exponent == STEP,
            MultiplyAdd::Canonical => (exponent <= STEP) & (product & ABS != 0),
        };
        let edge = if edge { -1 } else { 0 };
        let word = if exponent == 0 { 0 } else { product };
        Lane::result(word, exponent.wrapping_add(STEP) | edge | x.doubt | y.doubt)
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
        let mut sure = [0u32; 16];
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
                0 => {
                    let product = f32::from_bits(x) * f32::from_bits(y);
                    (-product).to_bits().wrapping_add(z % 9).wrapping_add((round % 11) << 15)
                }
                _ => z,
            };
            for rules in [MultiplyAdd::Leaking, MultiplyAdd::Canonical] {
                let [a, b, c] = [x, y, z].map(Lane::loaded);
                let (constant, sum) = (Lane::splat(z), fma::mad(rules, x, y, z));
                let normal = if x & EXPONENT == 0 { 0x3f80_0000 } else { x };
                let answers = [
                    (Lane::mad(rules, a, b, c), sum),
                    (Lane::residual(rules, a, b, c), sum),
                    (Lane::mad_of_peers(rules, a, b, c), sum),
                    (Lane::add(rules, a, b), fma::mad(rules, x, 0x3f80_0000, y)),
                    (Lane::mul(rules, a, b), fma::mad(rules, x, y, 0)),
                    (Lane::horner(rules, Lane::loaded(normal), b, f32::from_bits(z)), fma::mad(rules, normal, y, z)),
                    (Lane::corrected(rules, a, b, c), sum),
                    (Lane::corrected(rules, a, b, constant), sum),
                    (Lane::increased(rules, a, b, c), sum),
                    (Lane::increased(rules, a, b, constant), sum),
                    (Lane::mad(rules, a, Lane::splat(0x3f00_0000), c), fma::mad(rules, x, 0x3f00_0000, z)),
                    (Lane::mad(rules, a, b, constant), sum),
                    (Lane::residual(rules, a, b, constant), sum),
                    (Lane::mad_of_peers(rules, a, b, constant), sum),
                    (Lane::add(rules, a, constant), fma::mad(rules, x, 0x3f80_0000, z)),
                    (Lane::mul(rules, a, constant), fma::mad(rules, x, z, 0)),
                ];
                for (k, (lane, expected)) in answers.into_iter().enumerate() {
                    if lane.doubt >= 0 {
                        sure[k] += 1;
                        assert_eq!(lane.word, expected, "{rules:?} {k}: {x:08x} {y:08x} {z:08x} {:08x}", lane.word);
                    }
                }
            }
        }
        // Of two rules each; a kernel's numbers are ordinary far more often.
        assert!(sure.iter().all(|&count| count > ROUNDS / 10), "{sure:?}");
    }

    /// Steps whose terms have any hazards: a word without doubt is the unit's.
    #[test]
    fn a_step_of_known_hazards_is_the_units_where_it_is_not_doubted() {
        let mut s = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        // Of hazards as they are counted in binary: steps, and those of them that were sure.
        let mut seen = [(0, 0); 8];
        for round in 0..400_000u32 {
            let mut number = |keep: u32| f32::from_bits(next() & keep & 0x83ff_ffff | 0x3c00_0000);
            // Few bits now and then.
            let keep = if round % 5 == 0 { 0xffff_f000 } else { u32::MAX };
            let (sum, x, c) = (number(keep), number(keep), number(u32::MAX));
            let near = |middle: f32, part: f32| {
                let ends = [middle * (1.0 - part), middle * (1.0 + part)];
                Range::new(ends[0].min(ends[1]), ends[0].max(ends[1]))
            };
            let c = if round % 3 == 0 { -sum * x * (1.0 + number(u32::MAX)) } else { c };
            let part = [0.0, 0.001, 0.1, 0.5][round as usize % 4];
            let (sums, arguments) = (near(sum, part), near(x, part));
            let top = arguments.exponents().1;
            let hazards = Hazards::of(sums, arguments, top, c);
            if hazards.others {
                continue;
            }
            let place = [hazards.cancels, hazards.carries, hazards.dwarfs];
            let count = &mut seen[place.iter().rev().fold(0, |bits, &bit| bits * 2 + usize::from(bit))];
            for _ in 0..8 {
                let mut drawn = |middle: f32| {
                    let moved = middle * (1.0 + part * (next() as i32 as f32) / 2_147_483_648.0);
                    f32::from_bits(moved.to_bits() & keep)
                };
                let (sum, x) = (drawn(sum), drawn(x));
                let [a, b, z] = [sum, x, c].map(|number| Lane::loaded(number.to_bits()));
                let lane = Lane::mad_within(MultiplyAdd::Leaking, a, b, z, hazards);
                count.0 += 1;
                if lane.doubt >= 0 {
                    count.1 += 1;
                    let expected = fma::mad(MultiplyAdd::Leaking, a.word, b.word, z.word);
                    assert_eq!(lane.word, expected, "{hazards:?}: {:08x} {:08x} {:08x}", a.word, b.word, z.word);
                }
            }
        }
        // Each hazard by itself, and two together; only what may carry is ever doubted.
        for (hazards, (steps, sure)) in seen.into_iter().enumerate() {
            let may_carry = hazards & 2 != 0;
            assert!(if may_carry { sure >= steps / 2 } else { sure == steps }, "{hazards}: {sure} of {steps}");
        }
        assert!([0, 1, 2, 3, 4].iter().all(|&hazards| seen[hazards].0 > 1000), "{seen:?}");
    }
}
