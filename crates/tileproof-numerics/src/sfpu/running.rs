//! What runs on from row to row and from tile to tile: sums (`cumsum_tile`), means and squared differences (Welford).
//!
//! Sources: llk_sfpu/ckernel_sfpu_cumsum.h, sfpu/ckernel_sfpu_welfords.h. Two transpositions of four registers each make of
//! four rows by eight columns one row of all 32 columns a register, so that the arithmetic goes from row to row; what runs
//! on stays in registers and is not rounded to Dst's width. Must never begin from a register that another operation may have
//! changed: the caller keeps it. Start reading at [`cumsum`].

use super::call::{Call, Ran};
use super::lreg::{LANES, LReg};
use super::missing::{self, Unimplemented};
use super::mode::SfpuMode;
use super::op::SfpuOp;
use super::unit::Sfpu;
use crate::dst::Dst;
use crate::tile::{ROW_DATUMS, face_index};

/// What a running sum leaves in the vector unit: the sums of the columns, as LREG7 holds them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningSum([u32; LANES]);

impl RunningSum {
    /// Where the first tile of a column begins.
    pub const ZERO: RunningSum = RunningSum([0; LANES]);
}

/// They keep what they have in the unit, which one call alone does not see.
pub(super) fn run(_: &mut Call<'_>) -> Ran {
    Err("a call without those before it")
}

fn known(op: SfpuOp, mode: &SfpuMode) -> Result<Sfpu, Unimplemented> {
    missing::known(op, mode)?;
    Ok(Sfpu::new(mode))
}

/// A row of a tile, as a register holds it.
fn row_of(dst: &Dst, tile: usize, row: usize) -> LReg {
    let datums = &dst.tile(tile).0;
    LReg(std::array::from_fn(|column| datums[face_index(row, column)]))
}

fn store_row(unit: Sfpu, dst: &mut Dst, tile: usize, row: usize, value: LReg) {
    let words = unit.stored(value);
    let datums = &mut dst.tile_mut(tile).0;
    for (column, word) in words.0.into_iter().enumerate() {
        datums[face_index(row, column)] = word;
    }
}

/// Adds to each row of a tile the rows above it, those of earlier tiles included; what the next tile goes on from.
///
/// The tile is physical, and rows that hold nothing must have been given a value with [`Dst::materialize`].
///
/// # Errors
///
/// [`Unimplemented`] if the row of the operation does not let it run; Dst is then unchanged.
pub fn cumsum(mode: &SfpuMode, dst: &mut Dst, tile: usize, from: RunningSum) -> Result<RunningSum, Unimplemented> {
    let unit = known(SfpuOp::Cumsum, mode)?;
    let mut sum = LReg(from.0);
    for row in 0..32 {
        sum = unit.add(sum, row_of(dst, tile, row));
        store_row(unit, dst, tile, row, sum);
    }
    dst.set_valid(tile, u64::MAX);
    Ok(RunningSum(sum.0))
}

/// What Welford's method leaves in the vector unit, column by column: the mean so far (LREG4) and the sum of squared
/// differences from it (LREG5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moments {
    mean: [u32; LANES],
    squares: [u32; LANES],
}

/// Where a lane of a register that is not transposed lies: Dst row and column, beginning at a row.
fn raw_place(lane: usize, first_row: usize) -> usize {
    (first_row + lane / 8) * ROW_DATUMS + lane % 8 * 2
}

/// The column that a lane stands for: even and odd ones of face 0, then of face 1.
fn column_of(lane: usize) -> usize {
    let (part, at) = (lane / 8, lane % 8);
    part / 2 * ROW_DATUMS + part % 2 + 2 * at
}

impl Moments {
    /// Before the first row.
    pub const ZERO: Moments = Moments { mean: [0; LANES], squares: [0; LANES] };

    /// Takes rows `first` and on of a tile in, one for each reciprocal (fp32 bits) of how many rows there are with it.
    ///
    /// # Errors
    ///
    /// As [`cumsum`].
    pub fn update(
        self,
        mode: &SfpuMode,
        dst: &Dst,
        tile: usize,
        first: usize,
        reciprocals: &[u32],
    ) -> Result<Moments, Unimplemented> {
        let unit = known(SfpuOp::WelfordUpdate, mode)?;
        let minus_one = LReg::float(-1.0);
        let (mut mean, mut squares) = (LReg(self.mean), LReg(self.squares));
        for (k, reciprocal) in reciprocals.iter().enumerate() {
            let x = row_of(dst, tile, first + k);
            let step = unit.mad(minus_one, mean, x);
            let next = unit.mad(step, LReg::splat(*reciprocal), mean);
            let after = unit.mad(minus_one, next, x);
            squares = unit.mad(step, after, squares);
            mean = next;
        }
        Ok(Moments { mean: mean.0, squares: squares.0 })
    }

    /// Means into row 0 of the first tile, variances (squares times `scale`, fp32 bits) into row 0 of the second; rows 1 to 3
    /// of both become zero. The tiles are physical: two that follow each other by index need not do so here.
    ///
    /// # Errors
    ///
    /// As [`cumsum`].
    pub fn finalize_to_row(
        self,
        mode: &SfpuMode,
        dst: &mut Dst,
        tiles: [usize; 2],
        scale: u32,
    ) -> Result<(), Unimplemented> {
        let unit = known(SfpuOp::WelfordFinalizeToRow, mode)?;
        for (tile, row) in tiles.into_iter().zip([LReg(self.mean), self.variance(unit, scale)]) {
            store_row(unit, dst, tile, 0, row);
            (1..4).for_each(|zero| store_row(unit, dst, tile, zero, LReg::splat(0)));
            // The first four rows of faces 0 and 1.
            dst.set_valid(tile, 0xf | 0xf << 16);
        }
        Ok(())
    }

    fn variance(self, unit: Sfpu, scale: u32) -> LReg {
        unit.mad(LReg::splat(scale), LReg(self.squares), LReg::splat(0))
    }

    /// Both registers, not transposed, into two tiles, at Dst row `row`; with a scale, the second as variances.
    ///
    /// # Errors
    ///
    /// As [`cumsum`].
    pub fn save(
        self,
        mode: &SfpuMode,
        dst: &mut Dst,
        tiles: [usize; 2],
        row: usize,
        scale: Option<u32>,
    ) -> Result<(), Unimplemented> {
        let unit = known(SfpuOp::WelfordSaveState, mode)?;
        let second = scale.map_or(LReg(self.squares), |scale| self.variance(unit, scale));
        for (tile, value) in tiles.into_iter().zip([LReg(self.mean), second]) {
            let words = unit.stored(value);
            let datums = &mut dst.tile_mut(tile).0;
            for lane in 0..LANES {
                datums[raw_place(lane, row)] = words.0[column_of(lane)];
            }
            dst.set_valid(tile, 0xf << row);
        }
        Ok(())
    }

    /// What [`Moments::save`] without a scale has stored.
    ///
    /// # Errors
    ///
    /// As [`cumsum`].
    pub fn restore(mode: &SfpuMode, dst: &Dst, tiles: [usize; 2], row: usize) -> Result<Moments, Unimplemented> {
        known(SfpuOp::WelfordRestoreState, mode)?;
        let read = |tile: usize| {
            let mut words = [0; LANES];
            for lane in 0..LANES {
                words[column_of(lane)] = dst.tile(tile).0[raw_place(lane, row)];
            }
            words
        };
        Ok(Moments { mean: read(tiles[0]), squares: read(tiles[1]) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    const MODE: SfpuMode = SfpuMode { dst_32: true, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false };

    #[test]
    fn moments_of_rows_are_their_mean_and_squared_differences_and_outlive_dst() {
        let mut dst = Dst::default();
        dst.materialize(0, 0);
        // Column c of rows 0, 1 and 2: c, c + 3, c + 6. Mean c + 3, squares 9 + 0 + 9.
        for (row, column) in (0..3).flat_map(|row| (0..32).map(move |column| (row, column))) {
            dst.tile_mut(0).0[face_index(row, column)] = (column as f32 + 3.0 * row as f32).to_bits();
        }
        let reciprocals = [1.0f32, 0.5, 1.0 / 3.0].map(f32::to_bits);
        let moments = Moments::ZERO.update(&MODE, &dst, 0, 0, &reciprocals).unwrap();
        moments.save(&MODE, &mut dst, [1, 2], 4, None).unwrap();
        assert_eq!(Moments::restore(&MODE, &dst, [1, 2], 4).unwrap(), moments);
        moments.finalize_to_row(&MODE, &mut dst, [1, 2], (1.0f32 / 3.0).to_bits()).unwrap();
        for column in 0..32 {
            let row = |tile: usize, row| f32::from_bits(dst.tile(tile).0[face_index(row, column)]);
            // Halves and thirds of multiples of 3 are exact but for 1/3 itself.
            assert!((row(1, 0) - (column as f32 + 3.0)).abs() < 1e-5, "{column}: {}", row(1, 0));
            assert!((row(2, 0) - 6.0).abs() < 1e-5, "{column}: {}", row(2, 0));
            assert_eq!((row(1, 1), row(2, 3)), (0.0, 0.0));
        }
        // What was saved lies below, in even columns of face 0.
        assert_eq!(f32::from_bits(dst.tile(2).0[4 * ROW_DATUMS]), 18.0);
    }
}
