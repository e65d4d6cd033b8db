//! The packers: Dst words to L1 bytes.
//!
//! The order is that of the hardware: early conversion to the source format, edge mask, ReLU, late
//! conversion to the output format, L1 accumulation (ISA documentation, `Packers/FormatConversion.md`;
//! ttsim `tensix.cpp`). Undefined Dst rows must have been made zero before: nothing here sees valid
//! flags. Start at [`pack_tile`]; [`accumulate_l1`] is the last step.

mod accumulate;
mod block_float;

pub use accumulate::{accumulate_l1, accumulates_in_l1};

use block_float::BlockFloat;

use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, TILE_DATUMS, Tile, face_index};

/// ReLU of the packer; thresholds are 16-bit patterns of the source's class and never negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Relu {
    /// Off.
    #[default]
    None,
    /// Negative becomes 0.
    Zero,
    /// Everything up to the threshold becomes 0.
    MinThreshold(u16),
    /// Negative becomes 0, everything beyond the threshold the threshold.
    MaxThreshold(u16),
}

/// Which datums the edge mask that `reduce_init` programs lets through; the others pack as 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EdgeMask {
    /// All.
    #[default]
    None,
    /// Columns 0 and 16.
    Row,
    /// Row 0.
    Col,
    /// [0][0].
    Scalar,
}

impl EdgeMask {
    /// The datums let through, in face order.
    fn kept(self) -> impl Iterator<Item = usize> {
        let (count, step) = match self {
            EdgeMask::None => (TILE_DATUMS, 1),
            EdgeMask::Row => (TILE_DATUMS / ROW_DATUMS, ROW_DATUMS),
            EdgeMask::Col => (2 * ROW_DATUMS, 1),
            EdgeMask::Scalar => (1, 1),
        };
        let second_face = if self == EdgeMask::Col { FACE_DATUMS - ROW_DATUMS } else { 0 };
        (0..count).map(move |i| i * step + if i < ROW_DATUMS { 0 } else { second_face })
    }
}

/// What the packer configuration registers say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackMode {
    /// Reads Dst as 32-bit.
    pub dst_32: bool,
    /// Format after the early conversion ([`crate::format::pack_source_format`]).
    pub source: DataFormat,
    /// Format in L1.
    pub out: DataFormat,
    /// ReLU.
    pub relu: Relu,
    /// Edge mask.
    pub edge: EdgeMask,
}

impl PackMode {
    /// True when the conversion is one that a public source describes. A ReLU threshold with the sign
    /// set is undefined on the hardware; integers have no thresholds.
    pub const fn is_modelled(self) -> bool {
        use DataFormat::*;
        let conversion = match (self.dst_32, self.source) {
            (true, Float32) => {
                matches!(self.out, Float32 | Float16 | Bfp8_b | Bfp4_b | Bfp2_b)
            }
            (true, Float16_b) => matches!(self.out, Float16_b),
            (true, Bfp8_b) => matches!(self.out, Bfp8_b | Bfp4_b | Bfp2_b),
            (true, Int32 | UInt32) => matches!(self.out, Int32 | UInt32),
            (true, Int8) => matches!(self.out, Int8),
            (true, UInt8) => matches!(self.out, UInt8),
            (_, UInt16) => matches!(self.out, UInt16),
            (false, Float16_b) => {
                matches!(self.out, Float32 | Float16_b | Bfp8_b | Bfp4_b | Bfp2_b)
            }
            (false, Bfp8_b) => {
                matches!(self.out, Float32 | Float16_b | Bfp8_b | Bfp4_b | Bfp2_b)
            }
            (false, Float16) => matches!(self.out, Float32 | Float16 | Float16_b),
            _ => false,
        };
        let relu = match self.relu {
            Relu::None => true,
            Relu::Zero => !matches!(self.source, UInt16 | Int8 | UInt8),
            Relu::MinThreshold(t) | Relu::MaxThreshold(t) => {
                t & 0x8000 == 0 && matches!(self.source, Float32 | Float16 | Float16_b | Bfp8_b)
            }
        };
        conversion && relu
    }
}

/// Packs one tile in L1 order and returns the bytes written.
///
/// # Panics
///
/// When [`PackMode::is_modelled`] is false or `out` is shorter than a tile.
pub fn pack_tile(mode: &PackMode, dst: &Tile, out: &mut [u8]) -> usize {
    assert!(mode.is_modelled(), "packer: {mode:?} is not modelled");
    let bytes = mode.out.tile_bytes() as usize;
    let out = &mut out[..bytes];
    if mode.edge != EdgeMask::None {
        let mut kept = Tile::ZERO;
        let open = PackMode { edge: EdgeMask::None, ..*mode };
        // Masked datums read as 0 before ReLU, which leaves a zero alone.
        for at in mode.edge.kept() {
            kept.0[at] = dst.0[at];
        }
        return pack_tile(&open, &kept, out);
    }
    if mode.out.is_block_float() {
        vectorized(BlockFloat { mode, datums: &dst.0, out });
    } else {
        vectorized(Run { mode, datums: &dst.0, out });
    }
    bytes
}

/// Packs tiles side by side as rows (`pack_untilize`): row r of `tiles[c]` goes to
/// `out[r * row_stride_bytes + c * 32 datums ..]`. For a column block of a wider row pass `out` from the
/// block's first byte on.
///
/// # Panics
///
/// As [`pack_tile`]; block floats have no row-major form.
pub fn pack_untilize_rows(mode: &PackMode, tiles: &[&Tile], out: &mut [u8], row_stride_bytes: usize) {
    assert!(mode.is_modelled() && !mode.out.is_block_float(), "packer, untilize: {mode:?} is not modelled");
    let half = ROW_DATUMS * crate::unpack::datum_bytes(mode.out);
    let mut page = [0; 4 * TILE_DATUMS];
    for (c, tile) in tiles.iter().enumerate() {
        pack_tile(mode, tile, &mut page);
        let out = &mut out[2 * c * half..];
        // Pieces of a length that is known here are moves, not calls.
        match half {
            16 => scatter::<16>(&page, out, row_stride_bytes),
            32 => scatter::<32>(&page, out, row_stride_bytes),
            _ => scatter::<64>(&page, out, row_stride_bytes),
        }
    }
}

/// The face rows of a page, of `HALF` bytes each, to 32 rows.
fn scatter<const HALF: usize>(page: &[u8], out: &mut [u8], row_stride_bytes: usize) {
    for row in 0..32 {
        for side in 0..2 {
            let from = face_index(row, ROW_DATUMS * side) / ROW_DATUMS * HALF;
            let to = row * row_stride_bytes + side * HALF;
            out[to..to + HALF].copy_from_slice(&page[from..from + HALF]);
        }
    }
}

/// Datums that follow each other in Dst and in L1, without an edge mask.
struct Run<'t> {
    mode: &'t PackMode,
    datums: &'t [u32; TILE_DATUMS],
    out: &'t mut [u8],
}

impl Lanes for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        use DataFormat::*;
        let Run { mode, datums, out } = self;
        // The usual pairs, each a loop of its own; the mode is constant in it.
        match (mode.dst_32, mode.source, mode.out, mode.relu) {
            (true, Float32, Float32, Relu::None) => {
                store32(datums, out, |w| w);
            }
            (true, Float32, Float32, _) => {
                let limits = Limits::new(mode);
                store32(datums, out, |w| limits.apply::<true>(w));
            }
            (true, Float16_b, Float16_b, _) => {
                let limits = Limits::new(mode);
                store16(datums, out, |w| limits.apply::<false>(early_32_to_float16_b(w)));
            }
            (false, Float16_b, Float16_b, _) => {
                let limits = Limits::new(mode);
                store16(datums, out, |w| limits.apply::<false>(early_16(w)));
            }
            (false, Float16_b, Float32, _) => {
                let limits = Limits::new(mode);
                store32(datums, out, |w| limits.apply::<false>(early_16(w)) << 16);
            }
            _ => {
                let value = |w| late(mode, relu(mode, early(mode, w)));
                match crate::unpack::datum_bytes(mode.out) {
                    4 => store32(datums, out, value),
                    2 => store16(datums, out, value),
                    _ => {
                        for (o, &w) in out.iter_mut().zip(datums) {
                            *o = value(w) as u8;
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn store32(datums: &[u32; TILE_DATUMS], out: &mut [u8], value: impl Fn(u32) -> u32) {
    for (o, &w) in out.as_chunks_mut::<4>().0.iter_mut().zip(datums) {
        *o = value(w).to_le_bytes();
    }
}

#[inline(always)]
fn store16(datums: &[u32; TILE_DATUMS], out: &mut [u8], value: impl Fn(u32) -> u32) {
    for (o, &w) in out.as_chunks_mut::<2>().0.iter_mut().zip(datums) {
        *o = (value(w) as u16).to_le_bytes();
    }
}

/// ReLU without branches: everything up to `min` becomes 0, everything beyond `max` becomes `max`.
#[derive(Clone, Copy)]
struct Limits {
    off: bool,
    min: u32,
    max: u32,
}

impl Limits {
    #[inline(always)]
    fn new(mode: &PackMode) -> Limits {
        let shift = if mode.source == DataFormat::Float32 { 16 } else { 0 };
        let (off, min, max) = match mode.relu {
            Relu::None => (true, 0, u32::MAX),
            Relu::Zero => (false, 0, u32::MAX),
            Relu::MinThreshold(t) => (false, u32::from(t) << shift, u32::MAX),
            Relu::MaxThreshold(t) => (false, 0, u32::from(t) << shift),
        };
        Limits { off, min, max }
    }

    #[inline(always)]
    fn apply<const WIDE: bool>(self, value: u32) -> u32 {
        let (sign, compared) = if WIDE { (1 << 31, 13) } else { (1 << 15, 0) };
        let positive = if value & sign != 0 || value <= self.min { 0 } else { value };
        let limited = if positive >> compared > self.max >> compared { self.max } else { positive };
        if self.off { value } else { limited }
    }
}

/// Early conversion of 32-bit Dst to Float16_b: NaN becomes infinity, ties go away from zero, what is
/// below the smallest normal becomes +0.
#[inline(always)]
fn early_32_to_float16_b(word: u32) -> u32 {
    let magnitude = (word & 0x7FFF_FFFF).min(0x7F80_0000);
    let rounded = (magnitude + 0x8000) >> 16;
    if rounded < 0x80 { 0 } else { rounded | word >> 31 << 15 }
}

/// Early conversion of 16-bit Dst to Float16_b.
#[inline(always)]
fn early_16(word: u32) -> u32 {
    let magnitude = (word >> 16 & 0x7FFF).min(0x7F80);
    if magnitude < 0x80 { 0 } else { magnitude | word >> 31 << 15 }
}

/// Dst word to the source format, right-aligned.
#[inline(always)]
fn early(mode: &PackMode, word: u32) -> u32 {
    use DataFormat::*;
    if mode.dst_32 {
        match mode.source {
            Float16_b => early_32_to_float16_b(word),
            Bfp8_b => early_32_to_e8m6(word),
            Int8 => word >> 24 & 0x80 | (word & 0x7FFF_FFFF).min(127),
            UInt8 if word >> 31 == 1 => 0,
            UInt8 => word.min(255),
            UInt16 => word >> 16,
            _ => word,
        }
    } else {
        let value = word >> 16;
        match mode.source {
            Float16 if value & 0x7FFF < 0x400 => 0,
            Float16_b => early_16(word),
            Bfp8_b => (early_16(word) + 1) & !1,
            _ => value,
        }
    }
}

/// Early conversion of 32-bit Dst to a six-bit mantissa: NaN becomes infinity, what lies below bit 16
/// is cut, the seventh mantissa bit is rounded away.
#[inline(always)]
fn early_32_to_e8m6(word: u32) -> u32 {
    let magnitude = (word & 0x7FFF_FFFF).min(0x7F80_0000);
    let rounded = ((magnitude >> 16) + 1) & !1;
    if rounded < 0x80 { 0 } else { rounded | word >> 31 << 15 }
}

#[inline(always)]
fn relu(mode: &PackMode, value: u32) -> u32 {
    let wide = matches!(mode.source, DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32);
    let (sign, shift) = if wide { (1 << 31, 16) } else { (1 << 15, 0) };
    let positive = if value & sign != 0 { 0 } else { value };
    match mode.relu {
        Relu::None => value,
        Relu::Zero => positive,
        Relu::MinThreshold(t) if positive <= u32::from(t) << shift => 0,
        Relu::MinThreshold(_) => positive,
        Relu::MaxThreshold(t) => {
            let threshold = u32::from(t) << shift;
            // fp32 is compared by its upper 19 bits.
            let compared = if wide { 13 } else { 0 };
            if positive >> compared > threshold >> compared { threshold } else { positive }
        }
    }
}

/// Source format to the L1 datum; block floats are left as bf16 patterns.
#[inline(always)]
fn late(mode: &PackMode, value: u32) -> u32 {
    use DataFormat::*;
    match (mode.source, mode.out) {
        (Float16_b | Bfp8_b, Float32) => value << 16,
        (Float32, Bfp8_b | Bfp4_b | Bfp2_b) => {
            let pattern = value >> 16;
            if pattern & 0x7FFF < 0x80 { 0 } else { pattern }
        }
        (Float32, Float16) => {
            let sign = value >> 31 << 15;
            match (value >> 23 & 255) as i32 - 112 {
                ..0 => sign,
                32.. => sign | 0x7FFF,
                exponent => sign | (exponent as u32) << 10 | value >> 13 & 0x3FF,
            }
        }
        (Float16, Float32) => {
            let sign = (value & 0x8000) << 16;
            if value & 0x7C00 != 0 {
                sign | ((value & 0x7FFF) + (112 << 10)) << 13
            } else {
                sign | (value & 0x3FF) << 13
            }
        }
        (Float16, Float16_b) => match value >> 10 & 31 {
            0 => 0,
            exponent => value & 0x8000 | (exponent + 112) << 7 | value >> 3 & 0x7F,
        },
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(dst_32: bool, source: DataFormat, out: DataFormat, relu: Relu) -> PackMode {
        PackMode { dst_32, source, out, relu, edge: EdgeMask::None }
    }

    /// Patterns with every exponent and a walk through signs and mantissas.
    fn patterns(seed: u32) -> Tile {
        let mut state = seed;
        Tile::from_fn(|r, c| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state & 0x807F_FFFF | ((32 * r + c) as u32 % 256) << 23
        })
    }

    #[test]
    fn every_loop_of_its_own_equals_the_conversion_datum_by_datum() {
        use DataFormat::*;
        let relus =
            [Relu::None, Relu::Zero, Relu::MinThreshold(0x3F00), Relu::MaxThreshold(0x3F80), Relu::MaxThreshold(0)];
        for (dst_32, source, out) in [
            (true, Float32, Float32),
            (true, Float16_b, Float16_b),
            (false, Float16_b, Float16_b),
            (false, Float16_b, Float32),
        ] {
            for relu_mode in relus {
                let mode = mode(dst_32, source, out, relu_mode);
                for seed in 0..8 {
                    let dst = patterns(seed);
                    let mut page = [0; 4096];
                    let size = pack_tile(&mode, &dst, &mut page) / TILE_DATUMS;
                    for (at, &word) in dst.0.iter().enumerate() {
                        let expected = late(&mode, relu(&mode, early(&mode, word))).to_le_bytes();
                        let packed = &page[at * size..(at + 1) * size];
                        assert_eq!(packed, &expected[..size], "{mode:?} {word:#010x}");
                    }
                }
            }
        }
    }

    #[test]
    fn edge_masks_keep_what_reduce_defines() {
        let dst = Tile([0x3F80_0000; TILE_DATUMS]);
        for (edge, kept) in [(EdgeMask::Row, 64), (EdgeMask::Col, 32), (EdgeMask::Scalar, 1)] {
            let mode = PackMode { edge, ..mode(true, DataFormat::Float32, DataFormat::Float32, Relu::None) };
            let mut page = [0xA5; 4096];
            pack_tile(&mode, &dst, &mut page);
            let words = page.as_chunks::<4>().0;
            assert_eq!(words.iter().filter(|w| **w == [0, 0, 0x80, 0x3F]).count(), kept);
            assert_eq!(words.iter().filter(|w| **w == [0; 4]).count(), TILE_DATUMS - kept);
            let at = |row, col| words[face_index(row, col)] != [0; 4];
            assert!(at(0, 0));
            assert_eq!(at(5, 16), edge == EdgeMask::Row);
            assert_eq!(at(0, 31), edge == EdgeMask::Col);
        }
    }
}
