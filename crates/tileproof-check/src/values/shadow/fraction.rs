//! Constants that stand for 1/N and were rounded to a page's format before any unit saw them, as the scalers of means are.
//!
//! A constant is one where each of its bits is that of 1/N in bfloat16, cut off or rounded, for a length of the program's tensors. It
//! must never take a datum for one that is not the same number all over its tile. Start at [`Fractions::of`].

use tileproof_numerics::format::DataFormat;
use tileproof_numerics::host::{bf16_to_f32, f32_to_bf16};
use tileproof_numerics::tile::TILE_DATUMS;

use super::origin::Origin;

/// What a tile of a constant stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Fraction {
    /// One over it.
    pub(super) of: u32,
    /// The bits of what stands for that, as a float64.
    held: u64,
}

impl Fraction {
    /// What is held.
    pub(super) fn held(self) -> f64 {
        f64::from_bits(self.held)
    }

    /// What is meant.
    pub(super) fn meant(self) -> f64 {
        1.0 / f64::from(self.of)
    }
}

/// The lengths that constants may be one over; none where nobody asks.
#[derive(Default, Debug)]
pub(super) struct Fractions(Vec<u32>);

/// A number in bfloat16, cut off and rounded to the nearest.
fn in_bfloat16(value: f32) -> [f64; 2] {
    let cut = f32::from_bits(value.to_bits() & 0xFFFF_0000);
    [cut, bf16_to_f32(f32_to_bf16(value))].map(f64::from)
}

impl Fractions {
    /// Of tensors of these shapes: their sides, and products of the last ones.
    pub(super) fn of_shapes<'a>(shapes: impl Iterator<Item = &'a [u32]>) -> Fractions {
        let mut lengths = Vec::new();
        for shape in shapes {
            let mut product = 1u32;
            for side in shape.iter().rev() {
                product = product.saturating_mul(*side);
                lengths.extend([*side, product]);
            }
        }
        lengths.retain(|length| *length > 2);
        lengths.sort_unstable();
        lengths.dedup();
        Fractions(lengths)
    }

    /// What the constant of a tile stands for, which a thread has stored; zeros beside it say nothing.
    pub(super) fn of(
        &self,
        l1: DataFormat,
        values: &[f64; TILE_DATUMS],
        origins: &[Origin; TILE_DATUMS],
    ) -> Option<Fraction> {
        if self.0.is_empty() || l1 != DataFormat::Float16_b {
            return None;
        }
        let held = *values.iter().find(|value| **value != 0.0)?;
        let all = || values.iter().zip(origins).filter(|(value, _)| **value != 0.0);
        if !all().all(|(value, origin)| *value == held && matches!(origin, Origin::Stored { .. })) {
            return None;
        }
        let is_its = |of: &&u32| in_bfloat16(1.0 / **of as f32).contains(&held) && 1.0 / f64::from(**of) != held;
        let of = *self.0.iter().find(is_its)?;
        Some(Fraction { of, held: held.to_bits() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_stands_for_a_length_whose_bits_it_has_and_for_no_other() {
        let fractions = Fractions::of_shapes([&[1, 1, 32, 8462][..], &[100]].into_iter());
        let of = |value: f64, origin| {
            let mut values = [0.0; TILE_DATUMS];
            values[..32].fill(value);
            fractions.of(DataFormat::Float16_b, &values, &[origin; TILE_DATUMS]).map(|fraction| fraction.of)
        };
        let stored = Origin::Stored { by: 0 };
        for length in [8462u32, 100, 32 * 8462] {
            for held in in_bfloat16(1.0 / length as f32) {
                assert_eq!(of(held, stored), Some(length));
                // An input that happens to hold it is data.
                assert_eq!(of(held, Origin::Tensor { number: 0, byte: 0 }), None);
            }
        }
        // Exact, of no length, or a step beside.
        assert_eq!([1.0 / 32.0, 0.01171875, 0.0, 1.0].map(|value| of(value, stored)), [None; 4]);
    }
}
