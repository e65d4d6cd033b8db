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

    /// Its numbers that are in another range.
    const fn within(self, other: Range) -> Range {
        Range { least: self.least.max(other.least), most: self.most.min(other.most) }
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
    pub(super) const fn exponents(self) -> (i32, i32) {
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
}

/// What of a step the host's fused multiply-add may round otherwise than the unit; why, is said in [`super::lane`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hazards {
    /// The sum may be below half the larger power of its terms.
    pub(super) cancels: bool,
    /// It may reach four times that power.
    pub(super) carries: bool,
    /// The addend's exponent may be three below the product's, and not more than that.
    pub(super) dwarfs: bool,
    /// There may be more than these.
    pub(super) others: bool,
}

impl Hazards {
    pub(super) const NONE: Hazards = Hazards { cancels: false, carries: false, dwarfs: false, others: false };

    /// Those of either.
    pub(super) const fn or(self, other: Hazards) -> Hazards {
        Hazards {
            cancels: self.cancels || other.cancels,
            carries: self.carries || other.carries,
            dwarfs: self.dwarfs || other.dwarfs,
            others: self.others || other.others,
        }
    }

    /// Those of `sum * x + addend` for all sums and arguments of these ranges. `top` is the largest exponent field of an argument.
    pub(super) const fn of(sums: Range, arguments: Range, top: i32, addend: f32) -> Hazards {
        let ((least, most), (near, _)) = (sums.exponents(), arguments.exponents());
        // A product's exponent is the sum of its factors'.
        let (low, high) = (least + near - 127, most + top - 127);
        let power = exponent(addend);
        let (low, high) = (if low > power { low } else { power }, if high > power { high } else { power });
        let (nearest, farthest) = sums.times(arguments).plus(addend).exponents();
        let (cancels, carries, dwarfs) = (nearest < high - 1, farthest > low + 1, high > power + 2);
        // Two odd terms have an even sum. Lanes add to one that is dwarfed what the product has lost: less than a 128th of it.
        let wide = addend.to_bits() & 0x7f_0000 == 0x7f_0000;
        let beyond = dwarfs && (high > power + 3 || carries || wide);
        Hazards { cancels, carries, dwarfs, others: beyond || Hazards::are_extreme(power, high) }
    }

    /// Those beside an argument that is a power of two. Its products are less than twice their power, so that no sum carries, and have
    /// no bit below eight times the last place, so that those of a small addend do not meet any.
    const fn of_power_of_two(sums: Range, argument: f32, addend: f32) -> Hazards {
        let (top, power) = (exponent(argument), exponent(addend));
        let Hazards { cancels, .. } = Hazards::of(sums, Range::new(argument, argument), top, addend);
        let others = Hazards::are_extreme(power, sums.exponents().1 + top - 127);
        Hazards { cancels, others, ..Hazards::NONE }
    }

    /// Exponents with places at which there is no normal number, or sums that may be infinite.
    const fn are_extreme(addend: i32, larger: i32) -> bool {
        addend < 30 || addend > 190 || larger > 250
    }
}

/// A polynomial, highest coefficient first, whose argument the steps before have brought to a range.
#[derive(Clone, Copy)]
pub(super) struct Polynomial<const N: usize> {
    pub(super) coefficients: [f32; N],
    pub(super) argument: Range,
    /// Those of its steps.
    pub(super) hazards: [Hazards; N],
}

/// Parts of the range that are looked at on their own: within one, sums differ little.
const PARTS: usize = 256;

impl<const N: usize> Polynomial<N> {
    /// Looks at all of its steps; for constants.
    pub(super) const fn of(argument: Range, coefficients: [f32; N]) -> Polynomial<N> {
        assert!(argument.least >= 0.0 || argument.most <= 0.0 || argument.least == -argument.most);
        let mut of_all = Polynomial { coefficients, argument, hazards: [Hazards::NONE; N] };
        let width = (argument.most - argument.least) / PARTS as f32;
        let mut part = 0;
        while part < PARTS {
            let least = argument.least + width * part as f32;
            of_all = of_all.with(Range { least, most: least + width }.widened().within(argument));
            part += 1;
        }
        of_all.with_end(argument.least).with_end(argument.most)
    }

    /// With the hazards of a part of the range, but for an end of the whole range that is a power of two.
    const fn with(mut self, part: Range) -> Polynomial<N> {
        let (near, mut top) = part.exponents();
        let far = if -part.least > part.most { part.least } else { part.most };
        let at_end = far == self.argument.least || far == self.argument.most;
        if at_end && is_power_of_two(far) && top > near {
            top -= 1;
        }
        let mut sums = Range { least: self.coefficients[0], most: self.coefficients[0] };
        let mut k = 1;
        while k < N {
            self.hazards[k] = self.hazards[k].or(Hazards::of(sums, part, top, self.coefficients[k]));
            sums = sums.times(part).plus(self.coefficients[k]);
            k += 1;
        }
        self
    }

    /// With the hazards of an end of the range.
    const fn with_end(mut self, end: f32) -> Polynomial<N> {
        if !is_power_of_two(end) {
            return self;
        }
        let mut sums = Range { least: self.coefficients[0], most: self.coefficients[0] };
        let mut k = 1;
        while k < N {
            self.hazards[k] = self.hazards[k].or(Hazards::of_power_of_two(sums, end, self.coefficients[k]));
            sums = sums.times(Range::new(end, end)).plus(self.coefficients[k]);
            k += 1;
        }
        self
    }
}

/// Whether a number is a normal power of two, or the negative of one.
const fn is_power_of_two(number: f32) -> bool {
    number.to_bits() & 0x7f_ffff == 0 && exponent(number) > 0
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
            if Hazards::of(sums, arguments, arguments.exponents().1, c) != Hazards::NONE {
                continue;
            }
            let products = sums.times(arguments);
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
        let hazards =
            |arguments: Range, addend| Hazards::of(Range::new(1.0, 1.0), arguments, arguments.exponents().1, addend);
        let none = Hazards::NONE;
        assert_eq!(hazards(Range::around_zero(0.25), 1.0), none);
        assert_eq!(hazards(Range::around_zero(0.75), 1.0), Hazards { cancels: true, ..none });
        assert_eq!(hazards(Range::new(0.0, 0.75), 1.0), none);
        assert_eq!(hazards(Range::new(1.5, 4.0), 1.0), Hazards { carries: true, ..none });
        assert_eq!(hazards(Range::new(8.0, 9.0), 1.0), Hazards { dwarfs: true, ..none });
        assert_eq!(hazards(Range::new(8.0, 9.0), 1.999), Hazards { dwarfs: true, others: true, ..none });
        assert!(hazards(Range::new(0.0, 16.0), 1.0).others);
        assert!(hazards(Range::new(0.0, 0.5), 1e-37).others);
    }
}
