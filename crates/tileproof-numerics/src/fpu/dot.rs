//! Sixteen-term dot products of class B for 16 outputs at once: the core of MVMUL and GAPOOL.
//!
//! Aligning a product to the largest exponent of its group and rounding it half away from zero is
//! what adding it to a large f32 does, when the product cannot be a tie: adding to 1.5 * 2^(e+13)
//! rounds at the unit that the hardware keeps, and a bit set far below every product of the SrcB part
//! moves ties outward and nothing else. Where f32 would run out of exponents [`Exponents`] says so and
//! the caller must take the plain route. Start at [`dot`].

use super::lanes::{Back, phase_exponent};
use crate::tile::ROW_DATUMS;

/// Outputs computed together.
pub(crate) const LANES: usize = ROW_DATUMS;

/// Exponent of a zero operand: any sum with it stays negative.
const ZERO_EXPONENT: i16 = -1000;

/// One operand, split for the phases: 16 values for one k (SrcA: a row of a face), or for one output
/// row (SrcB).
#[derive(Clone, Copy)]
pub(crate) struct Parts {
    /// High part times 2^(exponent - 127), hidden bit 1.
    pub(crate) high: [f32; LANES],
    /// Low part on the scale of the high one, times 2^5 (SrcA) or 2^7 (SrcB).
    pub(crate) low: [f32; LANES],
    /// Biased exponents; [`ZERO_EXPONENT`] for zero.
    pub(crate) exponent: [i16; LANES],
}

impl Parts {
    /// No value.
    pub(crate) const ZERO: Parts = Parts {
        high: [0.0; LANES],
        low: [0.0; LANES],
        exponent: [ZERO_EXPONENT; LANES],
    };

    /// Splits 16 masked SrcA words. False when a nonzero exponent is too small to scale the low part.
    #[inline(always)]
    pub(crate) fn split_a(&mut self, words: &[u32; LANES]) -> bool {
        // High: the top four mantissa bits. Low: the next five, as an integer at 2^(E-127-4).
        self.split::<4>(words, 0xFFF8_0000, 0, |w| w >> 14 & 31)
    }

    /// Splits 16 masked SrcB words, with the bit that moves ties.
    #[inline(always)]
    pub(crate) fn split_b(&mut self, words: &[u32; LANES]) -> bool {
        // High: the top six mantissa bits and a bit at 2^-16. Low: the last four bits, times 8.
        self.split::<6>(words, 0xFFFE_0000, 1 << 7, |w| (w >> 13 & 15) << 3)
    }

    #[inline(always)]
    fn split<const SCALE: u32>(
        &mut self,
        words: &[u32; LANES],
        high_mask: u32,
        outward: u32,
        low_bits: impl Fn(u32) -> u32,
    ) -> bool {
        let mut tiny = false;
        // 2^-12 of a unit, on SrcB only: 31 times it is far below one.
        let nudge = if outward == 0 { 0.0 } else { 1.0 / 4096.0 };
        for (i, &word) in words.iter().enumerate() {
            let field = word >> 23 & 255;
            let zero = field == 0;
            tiny |= !zero & (field <= SCALE);
            let high = if zero { 0 } else { word & high_mask | outward };
            self.high[i] = f32::from_bits(high);
            let scale = if zero {
                0
            } else {
                (field.wrapping_sub(SCALE) & 255) << 23
            };
            let scale = f32::from_bits(scale | word & 0x8000_0000);
            self.low[i] = (low_bits(word) as i32 as f32 + nudge) * scale;
            self.exponent[i] = if zero { ZERO_EXPONENT } else { field as i16 };
        }
        !tiny
    }
}

/// Largest sum of exponents of each group of eight products, less 127 (phase 0).
pub(crate) type GroupExponents = [[i16; LANES]; 2];

/// Whether every group of a set can take the f32 route.
#[derive(Clone, Copy)]
pub(crate) struct Exponents {
    largest: i16,
    /// Smallest exponent among groups that are not zero.
    smallest: i16,
}

impl Exponents {
    /// Nothing seen yet.
    pub(crate) const NONE: Exponents = Exponents {
        largest: i16::MIN,
        smallest: i16::MAX,
    };

    /// Products that round to zero may leave the range of f32; those that count may not, and the large
    /// addend must have an exponent.
    pub(crate) fn fit(self) -> bool {
        self.largest <= 240 && self.smallest >= 20
    }
}

/// The group exponents of 16 outputs: `lanes[k]` are 16 values that vary over the outputs, `row` the
/// 16 over k that they share.
#[inline(always)]
pub(crate) fn group_exponents(
    lanes: &[Parts; 16],
    row: &Parts,
    seen: &mut Exponents,
) -> GroupExponents {
    let mut groups = [[0i16; LANES]; 2];
    for (g, group) in groups.iter_mut().enumerate() {
        let mut largest = [2 * ZERO_EXPONENT; LANES];
        for k in 8 * g..8 * g + 8 {
            for (l, &e) in largest.iter_mut().zip(&lanes[k].exponent) {
                *l = (*l).max(e + row.exponent[k]);
            }
        }
        for (e, l) in group.iter_mut().zip(largest) {
            *e = l - 127;
            seen.largest = seen.largest.max(*e);
            seen.smallest = seen.smallest.min(if *e > 0 { *e } else { i16::MAX });
        }
    }
    groups
}

/// One phase for 16 outputs. `LANES_ARE_A`: the values that vary are SrcA's.
#[inline(always)]
pub(crate) fn dot<const DST_32: bool, const LANES_ARE_A: bool, const PHASE: u32>(
    back: Back<DST_32>,
    lanes: &[Parts; 16],
    row: &Parts,
    groups: &GroupExponents,
    dst: &mut [u32; LANES],
) {
    let (a_low, b_low) = (PHASE & 1 != 0, PHASE & 2 != 0);
    let (lanes_low, row_low) = if LANES_ARE_A {
        (a_low, b_low)
    } else {
        (b_low, a_low)
    };
    let row = if row_low { &row.low } else { &row.high };
    let mut sums = [[0i32; LANES]; 2];
    for g in 0..2 {
        let mut large = [0u32; LANES];
        for (l, &e) in large.iter_mut().zip(&groups[g]) {
            *l = (i32::from(e.max(20)) as u32 + 13) << 23 | 0x40_0000;
        }
        let mut sum = large.map(f32::from_bits);
        for k in 8 * g..8 * g + 8 {
            let values = if lanes_low {
                &lanes[k].low
            } else {
                &lanes[k].high
            };
            for (s, &v) in sum.iter_mut().zip(values) {
                *s += v * row[k];
            }
        }
        for ((s, sum), large) in sums[g].iter_mut().zip(sum).zip(large) {
            *s = sum.to_bits() as i32 - large as i32;
        }
    }
    let offset = phase_exponent(PHASE) - 127;
    for i in 0..LANES {
        let term = |g: usize| {
            let e = i32::from(groups[g][i]) - offset;
            if e <= 0 {
                (0, 0)
            } else {
                (e, sums[g][i] << 13)
            }
        };
        let ((e0, v0), (e1, v1)) = (term(0), term(1));
        dst[i] = back.accumulate(e0, v0, e1, v1, dst[i]);
    }
}
