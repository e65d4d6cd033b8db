//! Which steps of Horner's rule the host rounds as the unit does, whatever the argument in a range: worked out where the steps are
//! compiled, so that lanes need not look at each.
//!
//! Must stay constant: a choice that is left to the loop over lanes costs more than it saves. Start reading
//! at [`Polynomial::of`]; why it is right is said in [`super::lane`].

/// Numbers from the least to the most.
#[derive(Clone, Copy)]
pub(super) struct Range {
    least: f32,
    most: f32,
}

/// More than a rounding moves a number by, as a part of it.
const MARGIN: f32 = 1.0 / 1_048_576.0;

impl Range {
    /// Numbers from the first to the second.
    pub(super) const fn new(least: f32, most: f32) -> Range {
        Range { least, most }
    }

    /// Magnitudes up to `most`.
    pub(super) const fn around_zero(most: f32) -> Range {
        Range { least: -most, most }
    }

    /// Positive numbers whose roots, squares, and what Newton's steps make of them, are normal numbers.
    pub(super) const ORDINARY: Range = Range { least: 1.0 / (1u64 << 50) as f32, most: (1u64 << 60) as f32 };

    /// Doubt, in the sign bit, that a number is in a range, which lies around zero or on one side of it.
    #[inline(always)]
    pub(super) const fn lacks(self, word: u32) -> i32 {
        let magnitude = (word & 0x7fff_ffff) as i32;
        let (near, far) = if self.least < 0.0 { (self.most, -self.least) } else { (self.least, self.most) };
        let beyond = (far.to_bits() as i32).wrapping_sub(magnitude);
        if self.least < 0.0 && self.most > 0.0 {
            return beyond;
        }
        let short = magnitude.wrapping_sub((near.to_bits() & 0x7fff_ffff) as i32);
        beyond | short | if self.least < 0.0 { !word as i32 } else { word as i32 }
    }

    /// The range with the neighbours of its ends.
    const fn widened(self) -> Range {
        Range { least: self.least - self.least.abs() * MARGIN, most: self.most + self.most.abs() * MARGIN }
    }

    /// Products of its numbers and those of another.
    const fn times(self, other: Range) -> Range {
        let ends = [self.least * other.least, self.least * other.most, self.most * other.least, self.most * other.most];
        let least = ends[0].min(ends[1]).min(ends[2].min(ends[3]));
        let most = ends[0].max(ends[1]).max(ends[2].max(ends[3]));
        Range { least, most }.widened()
    }

    /// Its numbers and an addend.
    const fn plus(self, addend: f32) -> Range {
        Range { least: self.least + addend, most: self.most + addend }.widened()
    }

    /// The least and the largest of its magnitudes, as exponents.
    const fn exponents(self) -> (i32, i32) {
        let (a, b) = (exponent(self.least), exponent(self.most));
        let least = if self.least <= 0.0 && self.most >= 0.0 {
            0
        } else if a < b {
            a
        } else {
            b
        };
        (least, if a < b { b } else { a })
    }

    /// Whether the sum of any of these products and the addend is rounded as [`super::lane::Lane::horner`] has it: the addend's exponent is
    /// at most two below the product's, and the sum is from half the larger power of the two to below four times the addend's.
    const fn rounds_as_host_beside(self, addend: f32) -> bool {
        let (_, product) = self.exponents();
        let power = exponent(addend);
        let larger = if product < power { power } else { product };
        let (least, most) = self.plus(addend).exponents();
        power >= 30 && power <= 190 && product <= power + 2 && least >= larger - 1 && most <= power + 1
    }
}

/// A polynomial, highest coefficient first, whose argument the steps before have brought to a range.
#[derive(Clone, Copy)]
pub(super) struct Polynomial<const N: usize> {
    pub(super) coefficients: [f32; N],
    pub(super) argument: Range,
    /// The steps that the host rounds as the unit, whatever the argument.
    pub(super) proved: [bool; N],
}

/// Parts of the range that are looked at on their own: within one, sums differ little.
const PARTS: usize = 64;

impl<const N: usize> Polynomial<N> {
    /// Looks at all of its steps; for constants.
    pub(super) const fn of(argument: Range, coefficients: [f32; N]) -> Polynomial<N> {
        assert!(argument.least >= 0.0 || argument.most <= 0.0 || argument.least == -argument.most);
        let mut proved = [true; N];
        let width = (argument.most - argument.least) / PARTS as f32;
        let mut part = 0;
        while part < PARTS {
            let least = argument.least + width * part as f32;
            let near = Range { least, most: least + width }.widened();
            let mut sum = Range { least: coefficients[0], most: coefficients[0] };
            let mut k = 1;
            while k < N {
                let product = sum.times(near);
                proved[k] = proved[k] && product.rounds_as_host_beside(coefficients[k]);
                sum = product.plus(coefficients[k]);
                k += 1;
            }
            part += 1;
        }
        Polynomial { coefficients, argument, proved }
    }
}

/// The exponent field.
const fn exponent(number: f32) -> i32 {
    (number.to_bits() >> 23 & 255) as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::MultiplyAdd;
    use crate::sfpu::fma::mad;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the host's is what is compared")]
    fn what_is_shown_of_a_range_holds_for_its_numbers() {
        let mut s = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        let mut shown = 0;
        for _ in 0..400_000 {
            // Magnitudes that are near one another more often than not.
            let mut number = || f32::from_bits(next() & 0x81ff_ffff | 0x3e80_0000);
            let (a, b, c) = (number(), number(), number());
            let sums = Range { least: a.min(b), most: a.max(b) };
            let bound = number().abs();
            let arguments = if c.to_bits() & 1 == 0 { Range::around_zero(bound) } else { Range::new(0.0, bound) };
            let products = sums.times(arguments);
            if !products.rounds_as_host_beside(c) {
                continue;
            }
            shown += 1;
            for _ in 0..8 {
                let part = |range: Range, bits: u32| {
                    let at = range.least + (range.most - range.least) * (bits as f32 / u32::MAX as f32);
                    at.clamp(range.least, range.most)
                };
                let (sum, x) = (part(sums, next()), part(arguments, next()));
                let expected = mad(MultiplyAdd::Leaking, sum.to_bits(), x.to_bits(), c.to_bits());
                assert_eq!(sum.mul_add(x, c).to_bits(), expected, "{sum:e} * {x:e} + {c:e}");
                let total = products.plus(c);
                let result = f32::from_bits(expected);
                assert!(total.least <= result && result <= total.most, "{result:e}");
            }
        }
        assert!(shown > 40_000, "{shown}");
    }

    #[test]
    fn a_range_knows_its_numbers() {
        let holds = |range: Range, number: f32| range.lacks(number.to_bits()) >= 0;
        for (range, inside, outside) in [
            (Range::around_zero(0.5), [0.5, -0.5, -0.0], [0.51, -0.51, f32::NAN]),
            (Range::new(0.0, 2.0), [0.0, 1.0, 2.0], [-1e-30, 2.1, -f32::NAN]),
            (Range::new(1.0, 2.0), [1.0, 1.5, 2.0], [0.9, -1.5, f32::INFINITY]),
            (Range::new(-2.0, -1.0), [-1.0, -1.5, -2.0], [-0.9, 1.5, f32::NEG_INFINITY]),
        ] {
            assert!(inside.into_iter().all(|number| holds(range, number)), "{inside:?}");
            assert!(!outside.into_iter().any(|number| holds(range, number)), "{outside:?}");
        }
    }

    #[test]
    fn a_sum_that_may_cancel_or_lose_its_addend_is_not_shown() {
        let one = Range::new(1.0, 1.0);
        assert!(one.times(Range::around_zero(0.25)).rounds_as_host_beside(1.0));
        assert!(!one.times(Range::around_zero(0.75)).rounds_as_host_beside(1.0));
        assert!(one.times(Range::new(0.0, 0.75)).rounds_as_host_beside(1.0));
        assert!(!one.times(Range::new(0.0, 16.0)).rounds_as_host_beside(1.0));
        assert!(!one.times(Range::new(0.0, 0.5)).rounds_as_host_beside(1e-37));
    }
}
