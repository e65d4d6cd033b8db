//! Moves between Src and Dst, and the broadcast of SrcB.
//!
//! A move is not arithmetic, but it is not always the identity either: exponent 0 becomes +0 on the
//! way from Src, and a 32-bit Dst loses bits on the way back. Which instruction a kernel call uses
//! depends on the width of Dst (LLK `llk_math_eltwise_unary_datacopy.h`). Start at
//! [`move_a_to_dst`].

use super::{FpuMode, operand_mask, plain};
use crate::format::DataFormat;
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
/// UInt16 moves unchanged into a 16-bit Dst.
pub fn move_a_to_dst(mode: FpuMode, a: &Tile, dst: &mut Tile) {
    move_to_dst(mode, mode.src_a, a, dst);
}

/// `unary_bcast` through SrcB: MOVB2D, or ELWADD with a zero SrcA with a 32-bit Dst.
pub fn move_b_to_dst(mode: FpuMode, kind: BroadcastType, b: &Tile, dst: &mut Tile) {
    let mut spread = Tile::ZERO;
    broadcast(kind, b, &mut spread);
    move_to_dst(mode, mode.src_b, &spread, dst);
}

fn move_to_dst(mode: FpuMode, format: DataFormat, src: &Tile, dst: &mut Tile) {
    let same = FpuMode {
        src_a: format,
        src_b: format,
        ..mode
    };
    for (d, &s) in dst.0.iter_mut().zip(&src.0) {
        *d = if format == DataFormat::UInt16 {
            s
        } else if mode.dst_32 {
            plain::elwadd(same, s, 0, 0)
        } else if s & 0x7F80_0000 == 0 {
            0
        } else {
            plain::write_dst(same, s)
        };
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
    debug_assert_eq!(before.0.len(), TILE_DATUMS);
}
