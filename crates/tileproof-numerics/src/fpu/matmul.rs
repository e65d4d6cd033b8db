//! MVMUL over a tile: `dst += b * a`.
//!
//! `matmul_tiles(in0, in1)` unpacks in1 to SrcA and in0 to SrcB, so `a` is the right-hand factor and
//! loses the most bits at low fidelity. The phase is the outer loop and the half of K the inner one
//! (LLK `llk_math_matmul.h`), and Dst is rounded after each. Start at [`matmul`].

use super::{FpuMode, plain};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, Tile};

/// `dst += b * a` for one pair of tiles. For the transpose flag of `matmul_init` pass the transpose
/// of in1 as `a`: the unpacker and the face order of MATH do exactly that together.
pub fn matmul(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile) {
    for phase in 0..mode.fidelity.phases() {
        for half in 0..2 {
            for row in 0..32 {
                let b_row: &[u32; 16] = row_of(b, 2 * (row / 16) + half, row % 16);
                for col in 0..32 {
                    let a_face = 2 * half + col / 16;
                    let a_col: [u32; 16] = std::array::from_fn(|k| {
                        a.0[FACE_DATUMS * a_face + ROW_DATUMS * k + col % 16]
                    });
                    let at = crate::tile::face_index(row, col);
                    dst.0[at] = plain::mvmul(mode, &a_col, b_row, dst.0[at], phase);
                }
            }
        }
    }
}

fn row_of(tile: &Tile, face: usize, row: usize) -> &[u32; 16] {
    let start = FACE_DATUMS * face + ROW_DATUMS * row;
    tile.0[start..start + ROW_DATUMS]
        .try_into()
        .expect("a row has 16 datums")
}
