//! MVMUL over a tile: `dst += b * a`.
//!
//! `matmul_tiles(in0, in1)` unpacks in1 to SrcA and in0 to SrcB, so `a` is the right-hand factor and
//! loses the most bits at low fidelity. The phase is the outer loop and the half of K the inner one
//! (LLK `llk_math_matmul.h`), and Dst is rounded after each. Start at [`matmul`].

use std::cell::RefCell;

use super::dot::{Exponents, GroupExponents, Parts, dot, group_exponents};
use super::lanes::Back;
use super::mode::{Class, FpuMode, operand_mask};
use super::plain;
use crate::simd::{Lanes, vectorized};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, Tile};

thread_local! {
    static SPLIT: RefCell<Box<Split>> = RefCell::new(Box::new(Split::EMPTY));
}

/// What a product splits its operands into. It is kept from product to product: nothing is cleared, and an operand that comes again,
/// as in a block of tiles, is not split again.
struct Split {
    /// SrcA by face and k; SrcB by face and row.
    a: Operand,
    b: Operand,
    /// By Dst face and row, then half of K.
    exponents: [[[GroupExponents; 2]; 16]; 4],
}

/// An operand and its parts.
struct Operand {
    words: Tile,
    /// The bits of a word that the unit takes; 0 while there is no operand.
    mask: u32,
    parts: [[Parts; 16]; 4],
    /// What its words say of exponents.
    seen: Exponents,
}

impl Split {
    const EMPTY: Split = Split { a: Operand::NONE, b: Operand::NONE, exponents: [[[[[0; ROW_DATUMS]; 2]; 2]; 16]; 4] };
}

impl Operand {
    const NONE: Operand = Operand { words: Tile::ZERO, mask: 0, parts: [[Parts::ZERO; 16]; 4], seen: Exponents::NONE };

    /// Takes the parts of a tile, unless it has them. A function to split by would not be compiled for the host's widest vectors.
    #[inline(always)]
    fn take<const IS_A: bool>(&mut self, tile: &Tile, mask: u32) {
        if self.mask == mask && self.words.0 == tile.0 {
            return;
        }
        let mut seen = Exponents::NONE;
        self.words.0.copy_from_slice(&tile.0);
        for face in 0..4 {
            for row in 0..16 {
                let words = row_of(tile, face, row).map(|word| word & mask);
                self.parts[face][row] =
                    if IS_A { Parts::split_a(&words, &mut seen) } else { Parts::split_b(&words, &mut seen) };
            }
        }
        (self.mask, self.seen) = (mask, seen);
    }
}

/// `dst += b * a` for one pair of tiles. For the transpose flag of `matmul_init` pass the transpose
/// of in1 as `a`: the unpacker and the face order of MATH do exactly that together.
pub fn matmul(mode: FpuMode, a: &Tile, b: &Tile, dst: &mut Tile) {
    if mode.class() == Class::B {
        let done = SPLIT.with_borrow_mut(|split| {
            if mode.dst_32 {
                vectorized(Matmul::<true> { mode, a, b, dst, split })
            } else {
                vectorized(Matmul::<false> { mode, a, b, dst, split })
            }
        });
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
    split: &'t mut Split,
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
        let Split { a, b, exponents } = self.split;
        a.take::<true>(self.a, operand_mask(self.mode.src_a));
        b.take::<false>(self.b, operand_mask(self.mode.src_b));
        let mut seen = a.seen.or(b.seen);
        let (a, b) = (&a.parts, &b.parts);
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
