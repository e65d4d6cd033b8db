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
    /// The high part times 2^(exponent - 127), hidden bit 1; then the low part on the same scale, times
    /// 2^5 (SrcA) or 2^7 (SrcB).
    pub(crate) value: [[f32; LANES]; 2],
    /// Biased exponents; [`ZERO_EXPONENT`] for zero.
    pub(crate) exponent: [i16; LANES],
}

impl Parts {
    /// No value.
    pub(crate) const ZERO: Parts = Parts { value: [[0.0; LANES]; 2], exponent: [ZERO_EXPONENT; LANES] };

    /// Splits 16 masked SrcA words; `seen` learns whether their exponents fit.
    #[inline(always)]
    pub(crate) fn split_a(words: &[u32; LANES], seen: &mut Exponents) -> Parts {
        // High: the top four mantissa bits. Low: the next five, as an integer at 2^(E-127-4).
        Self::split::<4>(words, seen, 0xFFF8_0000, 0, 0.0, |w| w >> 14 & 31)
    }

    /// Splits 16 masked SrcB words and sets the bit that moves ties: 2^-12 of a unit, which stays far
    /// below one when multiplied by 31.
    #[inline(always)]
    pub(crate) fn split_b(words: &[u32; LANES], seen: &mut Exponents) -> Parts {
        // High: the top six mantissa bits. Low: the last four bits, times 8, at 2^(E-127-6).
        Self::split::<6>(words, seen, 0xFFFE_0000, 1 << 7, 1.0 / 4096.0, |w| (w >> 13 & 15) << 3)
    }

    #[inline(always)]
    fn split<const SCALE: u32>(
        words: &[u32; LANES],
        seen: &mut Exponents,
        high_mask: u32,
        high_nudge: u32,
        low_nudge: f32,
        low_bits: impl Fn(u32) -> u32,
    ) -> Parts {
        let mut parts = Parts::ZERO;
        // One loop a field: each is a handful of vector instructions.
        let zero = words.map(|w| if w & 0x7F80_0000 == 0 { 0 } else { u32::MAX });
        for i in 0..LANES {
            parts.value[0][i] = f32::from_bits((words[i] & high_mask | high_nudge) & zero[i]);
        }
        for i in 0..LANES {
            let field = words[i] >> 23 & 255;
            let scale = field.max(SCALE) - SCALE;
            let scale = f32::from_bits((scale << 23 | words[i] & 0x8000_0000) & zero[i]);
            parts.value[1][i] = (low_bits(words[i]) as i32 as f32 + low_nudge) * scale;
            let usual = field.wrapping_sub(SCALE + 1) < 254 - SCALE;
            seen.unusual[i] |= u32::from(!usual) & zero[i];
        }
        for i in 0..LANES {
            let field = words[i] >> 23 & 255;
            let absent = ZERO_EXPONENT as u16 as u32 & !zero[i];
            parts.exponent[i] = (field | absent) as u16 as i16;
        }
        parts
    }
}

/// Largest sum of exponents of each group of eight products, less 127 (phase 0).
pub(crate) type GroupExponents = [[i16; LANES]; 2];

/// Whether every group of a set can take the f32 route. By lane, so that nothing is reduced on the way.
#[derive(Clone, Copy)]
pub(crate) struct Exponents {
    largest: [i16; LANES],
    /// Smallest exponent among groups that are not zero.
    smallest: [i16; LANES],
    /// Nonzero where an operand's exponent is too small to scale its low part, or 255: no number in f32.
    unusual: [u32; LANES],
}

impl Exponents {
    /// Nothing seen yet.
    pub(crate) const NONE: Exponents =
        Exponents { largest: [i16::MIN; LANES], smallest: [i16::MAX; LANES], unusual: [0; LANES] };

    /// What either has seen that makes an operand unusual.
    #[inline(always)]
    pub(crate) fn or(mut self, other: Exponents) -> Exponents {
        for (all, other) in self.unusual.iter_mut().zip(other.unusual) {
            *all |= other;
        }
        self
    }

    /// Products that round to zero may leave the range of f32; those that count may not, and the large
    /// addend must have an exponent.
    pub(crate) fn fit(&self) -> bool {
        self.largest.iter().all(|&e| e <= 240) && self.smallest.iter().all(|&e| e >= 20) && self.unusual == [0; LANES]
    }
}

/// The group exponents of 16 outputs: `lanes[k]` are 16 values that vary over the outputs, `row` the
/// 16 over k that they share.
#[inline(always)]
pub(crate) fn group_exponents(lanes: &[Parts; 16], row: &Parts, seen: &mut Exponents) -> GroupExponents {
    let mut groups = [[0i16; LANES]; 2];
    for (g, group) in groups.iter_mut().enumerate() {
        let mut largest = [2 * ZERO_EXPONENT; LANES];
        for (parts, &shared) in lanes.iter().zip(&row.exponent).skip(8 * g).take(8) {
            for (l, &e) in largest.iter_mut().zip(&parts.exponent) {
                *l = (*l).max(e + shared);
            }
        }
        for i in 0..LANES {
            let e = largest[i] - 127;
            group[i] = e;
            seen.largest[i] = seen.largest[i].max(e);
            seen.smallest[i] = seen.smallest[i].min(if e > 0 { e } else { i16::MAX });
        }
    }
    groups
}

/// One phase for 16 outputs. `LANES_ARE_A`: the values that vary are SrcA's. `FUSED`: multiply and add in one instruction;
/// products have at most 24 bits, so that both ways give the same sums.
#[inline(always)]
#[expect(clippy::disallowed_methods, reason = "rounding once is rounding twice where the product is exact")]
pub(crate) fn dot<const DST_32: bool, const LANES_ARE_A: bool, const FUSED: bool>(
    back: Back<DST_32>,
    lanes: &[Parts; 16],
    row: &Parts,
    groups: &GroupExponents,
    dst: &mut [u32; LANES],
    phase: u32,
) {
    let (a_low, b_low) = ((phase & 1) as usize, (phase >> 1 & 1) as usize);
    let (lanes_low, row_low) = if LANES_ARE_A { (a_low, b_low) } else { (b_low, a_low) };
    let row = &row.value[row_low];
    let mut sums = [[0i32; LANES]; 2];
    for g in 0..2 {
        let mut large = [0u32; LANES];
        for (l, &e) in large.iter_mut().zip(&groups[g]) {
            *l = (i32::from(e.max(20)) as u32 + 13) << 23 | 0x40_0000;
        }
        let mut sum = large.map(f32::from_bits);
        let half: &[Parts; 8] = lanes.as_chunks().0.get(g).expect("two groups of eight");
        let shared: &[f32; 8] = row.as_chunks().0.get(g).expect("two groups of eight");
        for k in 0..8 {
            for (s, &v) in sum.iter_mut().zip(&half[k].value[lanes_low]) {
                *s = if FUSED { v.mul_add(shared[k], *s) } else { *s + v * shared[k] };
            }
        }
        for ((s, sum), large) in sums[g].iter_mut().zip(sum).zip(large) {
            *s = sum.to_bits() as i32 - large as i32;
        }
    }
    let offset = phase_exponent(phase) - 127;
    for i in 0..LANES {
        let term = |g: usize| {
            let e = i32::from(groups[g][i]) - offset;
            if e <= 0 { (0, 0) } else { (e, sums[g][i] << 13) }
        };
        let ((e0, v0), (e1, v1)) = (term(0), term(1));
        dst[i] = back.accumulate(e0, v0, e1, v1, dst[i]);
    }
}
