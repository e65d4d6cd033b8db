//! What the kernels of recorded cases of the matrix unit do: a table by name, and the steps that it is made of.
//!
//! It says what is done and does nothing; `fpu` carries steps out. Start at [`kernels`].

use std::ops::Range;

use tileproof_numerics::pack::Relu;

/// A page or Dst tile, by the number of a turn and how many pages there are.
pub(crate) type At = fn(usize, usize) -> usize;

const I: At = |i, _| i;
const ZERO: At = |_, _| 0;
const ONE: At = |_, _| 1;
const FROM_BEHIND: At = |i, n| n - 1 - i;
const BEFORE: At = |i, n| (i + n - 1) % n;
const SHUFFLED: At = |i, _| [1, 3, 0, 2][i];

/// The turns of a loop over so many pages of the first input and of the first output.
pub(crate) type Over = fn(usize, usize) -> Range<usize>;

const ONCE: Over = |_, _| 0..1;
const PAGES: Over = |inputs, _| 0..inputs;
const OUTPUTS: Over = |_, outputs| 0..outputs;

/// Turns, and what is done in each.
pub(crate) type Loop = (Over, &'static [Step]);

#[derive(Clone, Copy)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
}

/// The register that a Dst tile goes back to.
#[derive(Clone, Copy)]
pub(crate) enum Reused {
    SrcA,
    SrcB,
}

/// What a kernel does in a turn.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// A page of an input to a Dst tile.
    CopyTile(usize, At, At),
    /// Rows of the first input as a tile to Dst.
    Tilize,
    Transpose,
    /// A page to Dst, broadcast as the kernel's name says.
    UnaryBroadcast,
    /// Pages of both inputs, the second broadcast as the kernel's name says, to a Dst tile.
    Binary(Op, At, At, usize),
    /// Dst and a page of the second input.
    BinaryOnDst(Op, Reused),
    /// Pages of both inputs and the Dst tile that their product is added to.
    Matmul(At, At, At),
    /// A page into Dst tile 0; pool and dimension are in the kernel's name.
    Reduce(At),
    Relu(Relu),
    /// Takes back the packer's edge mask.
    EndOfReduce,
    Pack(At),
    /// Dst tile 0 to each output.
    PackToAll,
    /// A Dst tile to a page that grows by it.
    PackAndAdd(usize, At),
    /// All Dst tiles as rows.
    PackUntilized,
    Release,
}

use Op::{Add, Mul, Sub};
use Reused::{SrcA, SrcB};
use Step::{
    Binary, BinaryOnDst, CopyTile, EndOfReduce, Matmul, Pack, PackAndAdd, PackToAll, PackUntilized, Reduce, Release,
    Tilize, Transpose, UnaryBroadcast,
};

const COPY: Step = CopyTile(0, I, ZERO);
const PACK: Step = Pack(ZERO);

const COPY_EACH: &[Loop] = &[(PAGES, &[COPY, PACK, Release])];
const ADD_EACH: &[Loop] = &[(PAGES, &[Binary(Add, I, I, 0), PACK, Release])];
const SUB_EACH: &[Loop] = &[(PAGES, &[Binary(Sub, I, I, 0), PACK, Release])];
const MUL_EACH: &[Loop] = &[(PAGES, &[Binary(Mul, I, I, 0), PACK, Release])];
const ADD_TWICE: &[Loop] = &[(PAGES, &[Binary(Add, I, I, 0), Binary(Add, I, I, 0), PACK, Release])];
const SUB_TWICE: &[Loop] = &[(PAGES, &[Binary(Sub, I, I, 0), Binary(Sub, I, I, 0), PACK, Release])];
const MUL_TWICE: &[Loop] = &[(PAGES, &[Binary(Mul, I, I, 0), Binary(Mul, I, I, 0), PACK, Release])];
const MUL_THE_SAME: &[Loop] = &[(OUTPUTS, &[Binary(Mul, ZERO, ZERO, 0), PACK, Release])];
const REDUCE_EACH: &[Loop] = &[(OUTPUTS, &[Reduce(I), PACK, Release])];
const REDUCE_THREES: &[Loop] =
    &[(OUTPUTS, &[Reduce(|i, _| 3 * i), Reduce(|i, _| 3 * i + 1), Reduce(|i, _| 3 * i + 2), PACK, Release])];
const BLOCK: &[Loop] = &[(PAGES, &[CopyTile(0, I, FROM_BEHIND)]), (PAGES, &[Pack(I)])];
const UNTILIZE: &[Loop] = &[(PAGES, &[CopyTile(0, I, I)]), (ONCE, &[PackUntilized])];
const AFTER_REDUCE: &[Loop] = &[(ONCE, &[Reduce(ZERO), PACK, Release, EndOfReduce, CopyTile(0, ONE, ZERO), PACK])];
const AFTER_REDUCE_STILL_MASKED: &[Loop] = &[(ONCE, &[Reduce(ZERO), PACK, Release, CopyTile(0, ONE, ZERO), PACK])];
/// Two by two tiles, each the sum of two products.
const MATMUL_BLOCK: &[Loop] = &[
    (
        |_, _| 0..2,
        &[
            Matmul(I, |i, _| 2 * i, ZERO),
            Matmul(I, |i, _| 2 * i + 1, ONE),
            Matmul(|i, _| 2 + i, |i, _| 2 * i, |_, _| 2),
            Matmul(|i, _| 2 + i, |i, _| 2 * i + 1, |_, _| 3),
        ],
    ),
    (|_, _| 0..4, &[Pack(I)]),
];
/// Of the second Dst tile only the first two windows write anything.
const STALE: &[Loop] = &[
    (|_, _| 0..2, &[Binary(Add, I, I, 0), Binary(Add, I, I, 1), PACK, Pack(ONE), Release]),
    (|inputs, _| 2..inputs, &[Binary(Add, I, I, 0), PACK, Pack(ONE), Release]),
];

/// What the kernel of a name does, if it is one of the matrix unit alone.
pub(crate) fn kernels(name: &str) -> Option<&'static [Loop]> {
    Some(match name {
        "copy_tile" | "copy_tile_pack_precise" | "copy_tile_unpackToDest" => COPY_EACH,
        "pack_relu_zero" => &[(PAGES, &[Step::Relu(Relu::Zero), COPY, PACK, Release])],
        "pack_relu_min_0p5" => &[(PAGES, &[Step::Relu(Relu::MinThreshold(0x3F00)), COPY, PACK, Release])],
        "pack_relu_max_1p0" => &[(PAGES, &[Step::Relu(Relu::MaxThreshold(0x3F80)), COPY, PACK, Release])],
        "pack_relu_max_0p75_fp16enc" => &[(PAGES, &[Step::Relu(Relu::MaxThreshold(0x3A00)), COPY, PACK, Release])],
        "pack_reconfig" => &[(PAGES, &[COPY, PackToAll, Release])],
        "pack_block_4" | "pack_block_8" | "pack_block_8_fullsync" | "pack_block_16_fullsync" => BLOCK,
        "pack_out_of_order" => &[(PAGES, &[CopyTile(0, SHUFFLED, SHUFFLED), Pack(SHUFFLED)])],
        "transpose_tile" => &[(PAGES, &[Transpose, PACK, Release])],
        "unary_bcast_COL" | "unary_bcast_ROW" | "unary_bcast_SCALAR" => &[(PAGES, &[UnaryBroadcast, PACK, Release])],
        "add_tiles" | "add_tiles_bcast_cols" | "add_tiles_bcast_rows" | "add_tiles_bcast_scalar" => ADD_EACH,
        "sub_tiles" | "sub_tiles_bcast_cols" | "sub_tiles_bcast_rows" | "sub_tiles_bcast_scalar" => SUB_EACH,
        "mul_tiles" | "mul_tiles_bcast_cols" | "mul_tiles_bcast_rows" | "mul_tiles_bcast_scalar" => MUL_EACH,
        "add_block" => ADD_EACH,
        "sub_block" => SUB_EACH,
        "add_tiles_twice_same_dst" | "add_tiles_twice_acc_to_dest" => ADD_TWICE,
        "sub_tiles_twice_acc_to_dest" => SUB_TWICE,
        "mul_tiles_twice_same_dst" => MUL_TWICE,
        "mul_tiles_two_pairs_same_dst" => &[(PAGES, &[Binary(Mul, I, I, 0), Binary(Mul, BEFORE, I, 0), PACK, Release])],
        "mul_tiles_three_releases_same_dst" | "mul_tiles_three_releases_same_dst_fullsync" => MUL_THE_SAME,
        "copy_then_add_same_dst" => &[(PAGES, &[COPY, Binary(Add, I, I, 0), PACK, Release])],
        "copy_then_mul_same_dst" => &[(PAGES, &[COPY, Binary(Mul, I, I, 0), PACK, Release])],
        "mul_then_copy_same_dst" => &[(PAGES, &[Binary(Mul, I, I, 0), COPY, PACK, Release])],
        "add_reuse_dest_SRCA" => &[(PAGES, &[COPY, BinaryOnDst(Add, SrcA), PACK, Release])],
        "add_reuse_dest_SRCB" => &[(PAGES, &[COPY, BinaryOnDst(Add, SrcB), PACK, Release])],
        "sub_reuse_dest_SRCA" => &[(PAGES, &[COPY, BinaryOnDst(Sub, SrcA), PACK, Release])],
        "sub_reuse_dest_SRCB" => &[(PAGES, &[COPY, BinaryOnDst(Sub, SrcB), PACK, Release])],
        "mul_reuse_dest_SRCA" => &[(PAGES, &[COPY, BinaryOnDst(Mul, SrcA), PACK, Release])],
        "mul_reuse_dest_SRCB" => &[(PAGES, &[COPY, BinaryOnDst(Mul, SrcB), PACK, Release])],
        "pack_never_written_dst" => &[(PAGES, &[Binary(Mul, I, I, 0), PACK, Pack(ONE), Release])],
        "pack_stale_dst_after_release" => STALE,
        "pack_l1_acc" => {
            &[(PAGES, &[COPY, PackAndAdd(0, I), Release, CopyTile(1, I, ZERO), PackAndAdd(0, I), Release])]
        }
        "pack_l1_acc4" => &[(PAGES, &[COPY, PackAndAdd(0, ZERO), Release])],
        "pack_l1_acc4_mul_two_pages" => &[(
            PAGES,
            &[Binary(Mul, I, I, 0), Binary(Mul, I, FROM_BEHIND, 1), PackAndAdd(0, ZERO), PackAndAdd(1, ONE), Release],
        )],
        "matmul_tiles" => &[(PAGES, &[Matmul(I, I, ZERO)]), (ONCE, &[PACK])],
        "matmul_block_2x2x2" => MATMUL_BLOCK,
        "tilize_block" | "tilize_block_w3" | "tilize_block_w4" | "tilize_block_w8" => {
            &[(PAGES, &[Tilize, PACK, Release])]
        }
        "untilize_block" | "pack_untilize_block" | "pack_untilize_dest_w3" | "pack_untilize_dest_w4" => UNTILIZE,
        _ if name.starts_with("reduce_") && name.ends_with("acc3") => REDUCE_THREES,
        _ if name.starts_with("reduce_") => REDUCE_EACH,
        _ if name.starts_with("pack_after_reduce_") && name.ends_with("no_uninit") => AFTER_REDUCE_STILL_MASKED,
        _ if name.starts_with("pack_after_reduce_") => AFTER_REDUCE,
        _ => return None,
    })
}
