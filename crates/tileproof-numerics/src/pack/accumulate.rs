//! L1 accumulation of the packer: the datums just packed plus those that lie in L1, in the output format.
//!
//! Each format has its own adder, and only that of fp32 is close to IEEE (ISA documentation,
//! `Packers/README.md`; ttsim `tensix.cpp`). It must not be used for block floats and integers, which
//! the hardware refuses. Start at [`accumulate_l1`].

use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
use crate::tile::ROW_DATUMS;

/// True for the formats that the packer accumulates in.
pub const fn accumulates_in_l1(format: DataFormat) -> bool {
    matches!(format, DataFormat::Float32 | DataFormat::Float16 | DataFormat::Float16_b)
}

/// `pack_reconfig_l1_acc(1)`: adds freshly packed datums to those in L1, in the output format.
///
/// # Panics
///
/// When [`accumulates_in_l1`] is false.
pub fn accumulate_l1(format: DataFormat, old: &mut [u8], new: &[u8]) {
    assert!(accumulates_in_l1(format), "packer: no L1 accumulation in {format:?}");
    vectorized(Accumulate { format, old, new });
}

struct Accumulate<'t> {
    format: DataFormat,
    old: &'t mut [u8],
    new: &'t [u8],
}

impl Lanes for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Accumulate { format, old, new } = self;
        if format == DataFormat::Float32 {
            for (old, new) in old.as_chunks_mut::<4>().0.iter_mut().zip(new.as_chunks::<4>().0) {
                *old = add_float32(u32::from_le_bytes(*old), u32::from_le_bytes(*new)).to_le_bytes();
            }
            return;
        }
        let (old, new) = (old.as_chunks_mut::<2>().0, new.as_chunks::<2>().0);
        for (old, new) in old.chunks_mut(ROW_DATUMS).zip(new.chunks(ROW_DATUMS)) {
            // A row of numbers only is added in lanes.
            if format == DataFormat::Float16_b
                && let (Ok(old), Ok(new)) = (<&mut [[u8; 2]; ROW_DATUMS]>::try_from(&mut *old), new.try_into())
                && add_float16_b_row(old, new)
            {
                continue;
            }
            let add = if format == DataFormat::Float16 { add_float16 } else { add_float16_b };
            for (old, new) in old.iter_mut().zip(new) {
                *old = add(u16::from_le_bytes(*old), u16::from_le_bytes(*new)).to_le_bytes();
            }
        }
    }
}

/// [`add_float16_b`] for 16 datums; false, with nothing changed, when one of them has exponent 255.
/// f32 has more than twice the bits of bf16 and two more, so rounding twice is rounding once.
#[inline(always)]
fn add_float16_b_row(old: &mut [[u8; 2]; ROW_DATUMS], new: &[[u8; 2]; ROW_DATUMS]) -> bool {
    let flush = |x: u32| {
        if x & 0x7F80_0000 == 0 { x & 0x8000_0000 } else { x }
    };
    let mut sums = [0u16; ROW_DATUMS];
    let mut special = [0u32; ROW_DATUMS];
    for i in 0..ROW_DATUMS {
        let a = flush(u32::from(u16::from_le_bytes(old[i])) << 16);
        let b = flush(u32::from(u16::from_le_bytes(new[i])) << 16);
        special[i] = u32::from(a & 0x7F80_0000 == 0x7F80_0000 || b & 0x7F80_0000 == 0x7F80_0000);
        let sum = flush((f32::from_bits(a) + f32::from_bits(b)).to_bits());
        let magnitude = sum & 0x7FFF_FFFF;
        let rounded = (magnitude + 0x7FFF + (magnitude >> 16 & 1)) >> 16;
        sums[i] = (sum >> 31 << 15 | rounded) as u16;
    }
    if special != [0; ROW_DATUMS] {
        return false;
    }
    *old = sums.map(u16::to_le_bytes);
    true
}

/// IEEE, with denormals as zero on both sides and one NaN pattern.
#[inline(always)]
fn add_float32(old: u32, new: u32) -> u32 {
    let flush = |x: u32| {
        if x & 0x7F80_0000 == 0 { x & 0x8000_0000 } else { x }
    };
    let sum = (f32::from_bits(flush(old)) + f32::from_bits(flush(new))).to_bits();
    if sum & 0x7FFF_FFFF > 0x7F80_0000 { 0x7FC0_0000 } else { flush(sum) }
}

/// Exact sum, rounded to nearest even. NaN is no NaN here: in L1 it is larger than anything, from the
/// packer it is a number with exponent 255. Opposite infinities make the one NaN.
fn add_float16_b(old: u16, new: u16) -> u16 {
    const INFINITY: u16 = 0x7F80;
    if old & 0x7FFF == INFINITY && new == old ^ 0x8000 {
        return 0x7FC0;
    }
    let value = |x: u16| {
        let flushed = if x & INFINITY == 0 { x & 0x8000 } else { x };
        f64::from(f32::from_bits(u32::from(flushed) << 16))
    };
    let signed = |x: u16, magnitude: u64| f64::from_bits(u64::from(x & 0x8000) << 48 | magnitude);
    let old_value = if old & 0x7FFF > INFINITY { signed(old, (0x7FF << 52) - 1) } else { value(old) };
    let new_value = if new & 0x7FFF > INFINITY {
        signed(new, (255 - 127 + 1023) << 52 | u64::from(new & 0x7F) << 45)
    } else {
        value(new)
    };
    let sum = (old_value + new_value).to_bits();
    let sign = (sum >> 48) as u16 & 0x8000;
    let mantissa = sum & ((1 << 52) - 1);
    match (sum >> 52 & 0x7FF) as i32 - 1023 + 127 {
        ..=0 => sign,
        255.. => sign | INFINITY,
        exponent => {
            let rounded = (mantissa + (1 << 44) - 1 + (mantissa >> 45 & 1)) >> 45;
            sign | (((exponent as u16) << 7) + rounded as u16)
        }
    }
}

/// fp16 without infinities: overflow saturates, and so do underflow below exponent 0 and the exact
/// cancellation of large values (ttsim `tensix.cpp`).
fn add_float16(old: u16, new: u16) -> u16 {
    let value = |x: u16| {
        let magnitude = u32::from(x & 0x7FFF);
        let bits = if magnitude >= 0x400 { (magnitude << 13) + (112 << 23) } else { 0 };
        f32::from_bits(u32::from(x & 0x8000) << 16 | bits)
    };
    let sum = (value(old) + value(new)).to_bits();
    let sign = (sum >> 16) as u16 & 0x8000;
    if sum & 0x7FFF_FFFF == 0 {
        return sign | if old >> 10 & 31 >= 30 { 0x7FFF } else { 0 };
    }
    let mantissa = sum & 0x7F_FFFF;
    match (sum >> 23 & 255) as i32 - 112 {
        ..0 => sign | 0x7FFF,
        0 => sign,
        exponent => {
            let rounded = (mantissa + (1 << 12) - 1 + (mantissa >> 13 & 1)) >> 13;
            let packed = ((exponent as u32) << 10) + rounded;
            sign | if packed < 0x8000 { packed as u16 } else { 0x7FFF }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_accumulate_as_datums_do() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as u16
        };
        for round in 0..4000 {
            // Exponents below 255, near each other in every other round.
            let number = |x: u16| {
                let exponent = if round % 2 == 0 { x >> 7 & 255 } else { 120 + (x >> 7 & 15) };
                x & 0x807F | exponent.min(254) << 7
            };
            let old: [u16; 16] = std::array::from_fn(|_| number(random()));
            let new: [u16; 16] = std::array::from_fn(|_| number(random()));
            let mut lanes = old.map(u16::to_le_bytes);
            assert!(add_float16_b_row(&mut lanes, &new.map(u16::to_le_bytes)));
            for i in 0..16 {
                let sum = u16::from_le_bytes(lanes[i]);
                assert_eq!(sum, add_float16_b(old[i], new[i]), "{:#06x} {:#06x}", old[i], new[i]);
            }
        }
    }

    #[test]
    fn infinities_and_nan_in_l1_follow_their_own_rules() {
        assert_eq!(add_float16_b(0x7F80, 0xFF80), 0x7FC0);
        assert_eq!(add_float16_b(0x7FC1, 0xBF80), 0x7F80);
        assert_eq!(add_float32(0x7F80_0000, 0xFF80_0000), 0x7FC0_0000);
        // fp16 has no infinity: the largest pattern is a number.
        assert_eq!(add_float16(0x7BFF, 0x7BFF), 0x7FFF);
        assert_eq!(add_float16(0x3C00, 0x3C00), 0x4000);
    }
}
