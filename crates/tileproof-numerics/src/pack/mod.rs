//! The packers: Dst words to L1 bytes.
//!
//! The order is that of the hardware: early conversion to the source format, edge mask, ReLU, late
//! conversion to the output format, L1 accumulation (ISA documentation, `Packers/FormatConversion.md`;
//! ttsim `tensix.cpp`). Undefined Dst rows must have been made zero before: nothing here sees valid
//! flags. Start at [`pack_tile`]; [`accumulate_l1`] is the last step.

mod accumulate;
mod block_float;
mod convert;
mod mode;

pub use accumulate::{accumulate_l1, accumulates_in_l1};
pub use mode::{EdgeMask, PackMode, Relu};

use block_float::BlockFloat;
use convert::{Limits, early, early_16, early_32_to_float16_b, late, relu};

use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
use crate::tile::{ROW_DATUMS, TILE_DATUMS, Tile, face_index};

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
        vectorized(PackedRun { mode, datums: &dst.0, out });
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
    // Pieces of a length that is known here are moves, not calls.
    let scatter = match crate::unpack::datum_bytes(mode.out) {
        1 => scatter::<16, TILE_DATUMS>,
        2 => scatter::<32, { 2 * TILE_DATUMS }>,
        _ => scatter::<64, { 4 * TILE_DATUMS }>,
    };
    for (c, tile) in tiles.iter().enumerate() {
        scatter(mode, tile, &mut out[2 * c * ROW_DATUMS * crate::unpack::datum_bytes(mode.out)..], row_stride_bytes);
    }
}

/// A tile to 32 rows: its page of `PAGE` bytes, by face rows of `HALF` bytes each.
fn scatter<const HALF: usize, const PAGE: usize>(
    mode: &PackMode,
    tile: &Tile,
    out: &mut [u8],
    row_stride_bytes: usize,
) {
    let mut page = [0; PAGE];
    pack_tile(mode, tile, &mut page);
    for row in 0..32 {
        for side in 0..2 {
            let from = face_index(row, ROW_DATUMS * side) / ROW_DATUMS * HALF;
            let to = row * row_stride_bytes + side * HALF;
            out[to..to + HALF].copy_from_slice(&page[from..from + HALF]);
        }
    }
}

/// Datums that follow each other in Dst and in L1, without an edge mask.
struct PackedRun<'t> {
    mode: &'t PackMode,
    datums: &'t [u32; TILE_DATUMS],
    out: &'t mut [u8],
}

impl Lanes for PackedRun<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        use DataFormat::*;
        let PackedRun { mode, datums, out } = self;
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
        for (edge, kept) in [
            (EdgeMask::Row, 64),
            (EdgeMask::Col, 32),
            (EdgeMask::Scalar, 1),
            (EdgeMask::ColOfFaces, 64),
            (EdgeMask::ScalarOfFaces, 4),
        ] {
            let mode = PackMode { edge, ..mode(true, DataFormat::Float32, DataFormat::Float32, Relu::None) };
            let mut page = [0xA5; 4096];
            pack_tile(&mode, &dst, &mut page);
            let words = page.as_chunks::<4>().0;
            assert_eq!(words.iter().filter(|w| **w == [0, 0, 0x80, 0x3F]).count(), kept);
            assert_eq!(words.iter().filter(|w| **w == [0; 4]).count(), TILE_DATUMS - kept);
            let at = |row, col| words[face_index(row, col)] != [0; 4];
            assert!(at(0, 0));
            assert_eq!(at(5, 16), edge == EdgeMask::Row);
            assert_eq!(at(0, 31), matches!(edge, EdgeMask::Col | EdgeMask::ColOfFaces));
            assert_eq!(at(16, 31), edge == EdgeMask::ColOfFaces);
            assert_eq!(at(16, 16), matches!(edge, EdgeMask::Row | EdgeMask::ColOfFaces | EdgeMask::ScalarOfFaces));
        }
    }
}
