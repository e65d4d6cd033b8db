//! MVMUL over a tile: `dst += b * a`.
//!
//! `matmul_tiles(in0, in1)` unpacks in1 to SrcA and in0 to SrcB, so `a` is the right-hand factor and
//! loses the most bits at low fidelity. The phase is the outer loop and the half of K the inner one
//! (LLK `llk_math_matmul.h`), and Dst is rounded after each. Start at [`matmul`].

use super::dot::{Exponents, GroupExponents, Parts, dot, group_exponents};
use super::lanes::Back;
use super::mode::{Class, FpuMode, operand_mask};
use super::plain;
use crate::simd::{Lanes, vectorized};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, Tile};

/// `dst += b * a` for one pair of tiles. For the transpose flag of `matmul_init` pass the transpose
/// of in1 as `a`: the unpacker and the face order of MATH do exactly that together.
pub fn matmul(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile) {
    if mode.class() == Class::B {
        let done = if mode.dst_32 {
            vectorized(Matmul::<true> { mode, a, b, dst })
        } else {
            vectorized(Matmul::<false> { mode, a, b, dst })
        };
        if done {
            return;
        }
    }
    matmul_plain(mode, a, b, dst);
}

/// [`matmul`] datum by datum.
pub(super) fn matmul_plain(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile) {
    for phase in 0..mode.fidelity.phases() {
        for half in 0..2 {
            for row in 0..32 {
                let b_row = row_of(b, 2 * (row / 16) + half, row % 16);
                for col in 0..32 {
                    let a_face = 2 * half + col / 16;
                    let a_col: [u32; 16] =
                        std::array::from_fn(|k| a.0[FACE_DATUMS * a_face + ROW_DATUMS * k + col % 16]);
                    let at = crate::tile::face_index(row, col);
                    dst.0[at] = plain::mvmul(mode, &a_col, b_row, dst.0[at], phase);
                }
            }
        }
    }
}

#[inline(always)]
fn row_of(tile: &Tile, face: usize, row: usize) -> &[u32; ROW_DATUMS] {
    let start = FACE_DATUMS * face + ROW_DATUMS * row;
    tile.0[start..start + ROW_DATUMS].try_into().expect("a row has 16 datums")
}

/// The fast route; false, with Dst untouched, when the exponents do not fit it.
struct Matmul<'t, const DST_32: bool> {
    mode: FpuMode,
    a: &'t Tile,
    b: &'t Tile,
    dst: &'t mut Tile,
}

impl<const DST_32: bool> Lanes for Matmul<'_, DST_32> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.multiply::<false>()
    }

    #[inline(always)]
    fn run_fused(self) -> bool {
        self.multiply::<true>()
    }
}

impl<const DST_32: bool> Matmul<'_, DST_32> {
    #[inline(always)]
    fn multiply<const FUSED: bool>(self) -> bool {
        let (a_mask, b_mask) = (operand_mask(self.mode.src_a), operand_mask(self.mode.src_b));
        let mut seen = Exponents::NONE;
        // SrcA by face and k; SrcB by face and row.
        let mut a = [[Parts::ZERO; 16]; 4];
        let mut b = [[Parts::ZERO; 16]; 4];
        for face in 0..4 {
            for row in 0..16 {
                let words = row_of(self.a, face, row).map(|w| w & a_mask);
                a[face][row] = Parts::split_a(&words, &mut seen);
                let words = row_of(self.b, face, row).map(|w| w & b_mask);
                b[face][row] = Parts::split_b(&words, &mut seen);
            }
        }
        // By Dst face and row, then half of K.
        let mut exponents = [[[GroupExponents::default(); 2]; 16]; 4];
        for face in 0..4 {
            for row in 0..16 {
                for half in 0..2 {
                    exponents[face][row][half] =
                        group_exponents(&a[2 * half + face % 2], &b[(face & 2) + half][row], &mut seen);
                }
            }
        }
        if !seen.fit() {
            return false;
        }
        let back = Back::<DST_32>::new(self.mode);
        let (rows, _) = self.dst.0.as_chunks_mut::<ROW_DATUMS>();
        for face in 0..4 {
            for row in 0..16 {
                let dst = &mut rows[16 * face + row];
                let mut out = *dst;
                let groups = &exponents[face][row];
                let (a, b) = ([&a[face % 2], &a[2 + face % 2]], &b[face & 2..(face & 2) + 2]);
                // Each datum sees phase 0 of both halves, then phase 1 of both, and so on.
                for phase in 0..self.mode.fidelity.phases() {
                    for half in 0..2 {
                        dot::<DST_32, true, FUSED>(back, a[half], &b[half][row], &groups[half], &mut out, phase);
                    }
                }
                *dst = out;
            }
        }
        true
    }
}
