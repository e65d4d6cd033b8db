//! Moves between Src and Dst, and the broadcast of SrcB.
//!
//! A move is not arithmetic, but it is not always the identity either: exponent 0 may become +0 on the
//! way from Src, and a 32-bit Dst loses bits on the way back. Which instruction a kernel call uses
//! depends on the width of Dst (LLK `llk_math_eltwise_unary_datacopy.h`). Start at
//! [`move_a_to_dst`].

use super::mode::{Class, FpuMode, operand_mask};
use super::plain;
use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, TILE_DATUMS, Tile};

/// How SrcB is spread (tt-metal's `BroadcastType`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BroadcastType {
    /// As it is.
    None,
    /// Column 0 of the left faces over all columns.
    Col,
    /// Row 0 of the top faces over all rows.
    Row,
    /// Element [0][0] over the tile.
    Scalar,
}

/// SrcB as the element-wise instructions see it under `kind` (LLK `llk_unpack_AB.h`: which faces are
/// handed over; ISA documentation, `ELWADD.md`: which row and column are used).
pub fn broadcast(kind: BroadcastType, b: &Tile, out: &mut Tile) {
    match kind {
        BroadcastType::None => out.0 = b.0,
        BroadcastType::Scalar => out.0.fill(b.0[0]),
        BroadcastType::Row => {
            for (face, rows) in out.0.chunks_exact_mut(FACE_DATUMS).enumerate() {
                let from = FACE_DATUMS * (face % 2);
                for row in rows.chunks_exact_mut(ROW_DATUMS) {
                    row.copy_from_slice(&b.0[from..from + ROW_DATUMS]);
                }
            }
        }
        BroadcastType::Col => {
            for (face, rows) in out.0.chunks_exact_mut(FACE_DATUMS).enumerate() {
                let from = FACE_DATUMS * (face & 2);
                for (r, row) in rows.chunks_exact_mut(ROW_DATUMS).enumerate() {
                    row.fill(b.0[from + ROW_DATUMS * r]);
                }
            }
        }
    }
}

/// `copy_tile` through SrcA: MOVA2D with a 16-bit Dst, ELWADD with a zero SrcB with a 32-bit one.
/// The former keeps -0, denormals and NaN (measured: golden vectors of `recip_tile` and `rsqrt_tile`),
/// the latter flushes and makes infinities of exponent 255.
/// UInt16 moves unchanged into a 16-bit Dst, and into the low halves of a 32-bit one (measured: golden
/// vectors of `typecast_tile` from UInt16; none looks at the high halves, which become 0 here).
pub fn move_a_to_dst(mode: FpuMode, a: &Tile, dst: &mut Tile) {
    if mode.dst_32 && mode.src_a == DataFormat::UInt16 {
        for (d, &word) in dst.0.iter_mut().zip(&a.0) {
            *d = word >> 16;
        }
    } else {
        move_to_dst(mode, mode.src_a, a, dst, false);
    }
}

/// `unary_bcast` through SrcB: MOVB2D, or ELWADD with a zero SrcA for columns and scalars with a
/// 32-bit Dst. MOVB2D flushes exponent 0 to +0 (ttsim `tensix.cpp`; no vector looks at such a zero
/// before the packer, which makes it +0 too). Rows keep MOVB2D with a 32-bit Dst, which scrambles them:
/// see [`write_16_bit_rows`], which `first` is for; [`moves_16_bit_rows`] tells when. For UInt16 the
/// kernel has SrcA taken for TF32 and zeros kept then, so that MOVB2D writes whole 32-bit rows: the
/// word becomes the upper half of a float, in whose order its bits are read back, and the lower half
/// 0 (LLK `llk_math_eltwise_unary_datacopy.h` of ttnn 0.79; measured: ttsim 1.10.0).
pub fn move_b_to_dst(mode: FpuMode, kind: BroadcastType, b: &Tile, dst: &mut Tile, first: usize) {
    let mut spread = Tile::ZERO;
    broadcast(kind, b, &mut spread);
    if moves_16_bit_rows(mode, kind) {
        let mut moved = Tile::ZERO;
        let narrow = FpuMode { dst_32: false, ..mode };
        move_to_dst(narrow, mode.src_b, &spread, &mut moved, true);
        write_16_bit_rows(&moved, dst, first);
    } else if mode.dst_32 && mode.src_b == DataFormat::UInt16 {
        for (d, &word) in dst.0.iter_mut().zip(&spread.0) {
            *d = word & 0x8000_0000 | (word & 0xFF_0000) << 7 | (word & 0x7F00_0000) >> 8;
        }
    } else {
        move_to_dst(mode, mode.src_b, &spread, dst, true);
    }
}

/// Whether a broadcast through SrcB writes 16-bit rows into a 32-bit Dst: then Dst index `i` is tile `i / 2`
/// from row `32 * (i % 2)` on, and only 32 rows are written.
pub fn moves_16_bit_rows(mode: FpuMode, kind: BroadcastType) -> bool {
    mode.dst_32 && kind == BroadcastType::Row && mode.src_b != DataFormat::UInt16
}

/// Writes 64 rows of 16-bit datums (in the high halves of `rows`) into a 32-bit Dst, as MOVA2D and
/// MOVB2D do for formats other than TF32. They address 16-bit rows, and eight of those are the high
/// halves of 32-bit rows, the next eight the low halves of the same ones (ISA documentation,
/// `TensixCoprocessor/Dst.md`), so 64 rows fill only 32: those from `first` (0 or 32) on. A write to
/// Dst index `i` lands in tile `i / 2`, from row `32 * (i % 2)` on. Measured: golden vectors of
/// `unary_bcast` of rows, and ttsim 1.10.0 for the indexes above 0.
pub fn write_16_bit_rows(rows: &Tile, dst: &mut Tile, first: usize) {
    for row in 0..32 {
        let high = 16 * (row / 8) + row % 8;
        for col in 0..ROW_DATUMS {
            let low = rows.0[ROW_DATUMS * (high + 8) + col];
            // Low halves are read back in the order in which Dst stores a bf16: S, M7, E8.
            let stored = low & 0x8000_0000 | (low & 0x7F_0000) << 8 | (low & 0x7F80_0000) >> 7;
            dst.0[ROW_DATUMS * (first + row) + col] = rows.0[ROW_DATUMS * high + col] & 0xFFFF_0000 | stored >> 16;
        }
    }
}

fn move_to_dst(mode: FpuMode, format: DataFormat, src: &Tile, dst: &mut Tile, flush: bool) {
    let same = FpuMode { src_a: format, src_b: format, ..mode };
    if format == DataFormat::UInt16 {
        dst.0 = src.0;
    } else if same.class() == Class::B {
        vectorized(Move { mode: same, flush, src: &src.0, dst: &mut dst.0 });
    } else {
        for (d, &s) in dst.0.iter_mut().zip(&src.0) {
            *d = if mode.dst_32 {
                plain::elwadd(same, s, 0, 0)
            } else if flush && s & 0x7F80_0000 == 0 {
                0
            } else {
                plain::write_dst(same, s & operand_mask(format))
            };
        }
    }
}

/// The move of class B. Adding zero keeps every number and makes infinities of exponent 255.
struct Move<'t> {
    mode: FpuMode,
    flush: bool,
    src: &'t [u32; TILE_DATUMS],
    dst: &'t mut [u32; TILE_DATUMS],
}

impl Lanes for Move<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mask = operand_mask(self.mode.src_a);
        if self.mode.dst_32 {
            for (d, &s) in self.dst.iter_mut().zip(self.src) {
                let word = s & mask;
                let limited = if word & 0x7F80_0000 == 0x7F80_0000 { word & 0xFF80_0000 } else { word };
                *d = if word & 0x7F80_0000 == 0 { 0 } else { limited };
            }
        } else if !self.flush {
            for (d, &s) in self.dst.iter_mut().zip(self.src) {
                *d = s & 0xFFFF_0000;
            }
        } else {
            for (d, &s) in self.dst.iter_mut().zip(self.src) {
                *d = if s & 0x7F80_0000 == 0 { 0 } else { s & 0xFFFF_0000 };
            }
        }
    }
}

/// MOVD2A and MOVD2B: a Dst tile back into a Src register, as `binary_dest_reuse_tiles` and the
/// transposes of the pool instructions do. A 32-bit Dst is cut to bf16, or to TF32 when the ALU takes
/// SrcA to hold that.
pub fn dst_to_src(mode: FpuMode, dst: &Tile, out: &mut Tile) {
    for (o, &d) in out.0.iter_mut().zip(&dst.0) {
        *o = datum_to_src(mode, d);
    }
}

pub(super) fn datum_to_src(mode: FpuMode, word: u32) -> u32 {
    if !mode.dst_32 {
        plain::read_dst(mode, word)
    } else if mode.src_a == DataFormat::Tf32 {
        word & operand_mask(DataFormat::Tf32)
    } else {
        word & 0xFFFF_0000
    }
}

/// `transpose_dest` of a 32-bit Dst: exact, in two passes of halves with the zero flag off
/// (LLK `llk_math_transpose_dest.h`).
pub fn transpose_dest(dst: &mut Tile) {
    let before = dst.clone();
    crate::unpack::transpose(&before, dst);
}

#[cfg(test)]
mod tests {
    use super::super::mode::Fidelity;
    use super::*;
    use crate::chip::WORMHOLE;

    /// Answers of ttsim 1.10.0 with kernels of ttnn 0.79, for the first word of the broadcast row, column or datum.
    #[test]
    fn a_broadcast_of_uint16_into_a_32_bit_dst_is_the_upper_half_of_a_float() {
        let mode = FpuMode {
            src_a: DataFormat::UInt16,
            src_b: DataFormat::UInt16,
            dst_32: true,
            fidelity: Fidelity::HiFi4,
            rules: WORMHOLE.fpu,
        };
        let words = [
            (0xcfcc, 0xe64f_0000),
            (0x8000, 0x8000_0000),
            (0x480d, 0x06c8_0000),
            (0x83b1, 0xd883_0000),
            (0x0000, 0),
            (0x001f, 0x0f80_0000),
            (0xffff, 0xffff_0000),
            (0x0100, 0x0001_0000),
            (0x00ff, 0x7f80_0000),
        ];
        let mut b = Tile::ZERO;
        for (column, (word, _)) in words.iter().enumerate() {
            b.0[column] = word << 16;
            b.0[ROW_DATUMS * column] = word << 16;
        }
        let mut dst = Tile([1; TILE_DATUMS]);
        move_b_to_dst(mode, BroadcastType::Row, &b, &mut dst, 0);
        for (column, (word, expected)) in words.iter().enumerate() {
            for row in [0, 1, 8, 15, 32, 47] {
                assert_eq!(dst.0[ROW_DATUMS * row + column], *expected, "{word:04x} in row {row}");
            }
        }
        move_b_to_dst(mode, BroadcastType::Col, &b, &mut dst, 0);
        for (row, (word, expected)) in words.iter().enumerate() {
            for at in [0, 5, 15, FACE_DATUMS, FACE_DATUMS + 7] {
                assert_eq!(dst.0[ROW_DATUMS * row + at], *expected, "{word:04x} at {at}");
            }
        }
        move_b_to_dst(mode, BroadcastType::Scalar, &b, &mut dst, 0);
        assert_eq!(dst.0, [words[0].1; TILE_DATUMS]);
    }
}
