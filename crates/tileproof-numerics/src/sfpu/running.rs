//! Sums that run on from row to row and from tile to tile (`cumsum_tile`).
//!
//! Source: llk_sfpu/ckernel_sfpu_cumsum.h. Two transpositions of four registers each make of four rows by eight columns one
//! row of all 32 columns a register, so that the additions go from row to row; the sum itself stays in a register and is
//! not rounded to Dst's width. Must never begin from a register that another operation may have changed: the caller keeps
//! it. Start reading at [`cumsum`].

use super::lreg::{LANES, LReg, Sfpu};
use super::{SfpuArch, SfpuMode, SfpuOp, Unimplemented};
use crate::dst::Dst;
use crate::tile::face_index;

/// What a running sum leaves in the vector unit: the sums of the columns, as LREG7 holds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningSum([u32; LANES]);

impl RunningSum {
    /// Where the first tile of a column begins.
    pub const ZERO: RunningSum = RunningSum([0; LANES]);
}

/// Adds to each row of a tile the rows above it, those of earlier tiles included; what the next tile goes on from.
///
/// The tile is physical, and rows that hold nothing must have been given a value with [`Dst::materialize`].
///
/// # Errors
///
/// [`Unimplemented`] on Blackhole, where nobody has looked; Dst is then unchanged.
pub fn cumsum(mode: &SfpuMode, dst: &mut Dst, tile: usize, from: RunningSum) -> Result<RunningSum, Unimplemented> {
    if mode.arch == SfpuArch::Blackhole {
        return Err(Unimplemented { op: SfpuOp::Cumsum, what: "the Blackhole kernel" });
    }
    if mode.src_b_is_fp16 && !mode.dst_32 {
        return Err(Unimplemented { op: SfpuOp::Cumsum, what: "a 16-bit Dst of Float16" });
    }
    let unit = Sfpu::new(mode);
    let mut sum = LReg(from.0);
    let datums = &mut dst.tile_mut(tile).0;
    for row in 0..32 {
        let mut words = LReg([0; LANES]);
        for (column, word) in words.0.iter_mut().enumerate() {
            *word = datums[face_index(row, column)];
        }
        sum = unit.add(sum, words);
        // A float store flushes denormals, and a 16-bit Dst truncates.
        let stored = if unit.dst_32 { sum.flushed() } else { sum.flushed() & LReg::splat(0xffff_0000) };
        for (column, word) in stored.0.into_iter().enumerate() {
            datums[face_index(row, column)] = word;
        }
    }
    dst.set_valid(tile, u64::MAX);
    Ok(RunningSum(sum.0))
}
