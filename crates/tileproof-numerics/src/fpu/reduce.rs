//! `reduce_tile`: GAPOOL and GMPOOL over faces, and MVMUL for sums of rows.
//!
//! Sums of rows take the scaler in SrcA and the data in SrcB and multiply them as matrices; all other
//! reductions pool SrcA = data with SrcB = scaler, and the row and scalar forms turn a row into a
//! column through SrcB, where a 32-bit Dst loses bits (LLK `llk_math_reduce.h`; operands of the row
//! sum measured with golden vectors). Only the row, column or datum that the packer's edge mask lets
//! through is meaningful. Start at [`reduce`].

use super::moves::datum_to_src;
use super::{FpuMode, plain};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, Tile};

/// What is pooled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PoolType {
    /// Sum of datum times scaler.
    Sum,
    /// The same; the kernel's scaler holds the reciprocal.
    Avg,
    /// Maximum. The scaler must be 1.0: what another one does is not modelled.
    Max,
}

/// Which dimension disappears.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ReduceDim {
    /// Each row becomes one datum, in column 0.
    Row,
    /// Each column becomes one datum, in row 0.
    Col,
    /// The tile becomes one datum, at [0][0].
    Scalar,
}

/// True for the reductions whose scaler is unpacked to SrcA and whose data to SrcB. [`FpuMode::src_a`]
/// and [`FpuMode::src_b`] then describe them in that order.
pub const fn scaler_goes_to_src_a(pool: PoolType, dim: ReduceDim) -> bool {
    matches!((pool, dim), (PoolType::Sum | PoolType::Avg, ReduceDim::Row))
}

/// Reduces one tile into Dst. `data` and `scaler` are given as they lie in L1, without the transpose
/// within faces that the unpacker does for rows: that is done here. `valid_rows` are the flags of the
/// Dst tile (bit r for row r): undefined rows read as 0, for MAX as all ones, and the rows written
/// become defined.
pub fn reduce(
    mode: FpuMode,
    pool: PoolType,
    dim: ReduceDim,
    data: &Tile,
    scaler: &Tile,
    dst: &mut Tile,
    valid_rows: &mut u64,
) {
    let undefined = if pool == PoolType::Max { u32::MAX } else { 0 };
    for row in 0..64 {
        if *valid_rows >> row & 1 == 0 {
            dst.0[ROW_DATUMS * row..ROW_DATUMS * (row + 1)].fill(0);
        }
    }
    let first_use = |row: usize, valid: u64, dst: &mut Tile| {
        if valid >> row & 1 == 0 {
            dst.0[ROW_DATUMS * row..ROW_DATUMS * (row + 1)].fill(undefined);
        }
    };
    match dim {
        ReduceDim::Col => {
            for face in 0..4 {
                let row = 16 * (face % 2);
                first_use(row, *valid_rows, dst);
                pool_face(
                    mode,
                    pool,
                    face_of(data, face),
                    face_of(scaler, face),
                    dst,
                    row,
                );
                *valid_rows |= 0xF << row;
            }
        }
        ReduceDim::Row if pool == PoolType::Max => {
            for top in [0, 2] {
                let row = 16 * top;
                first_use(row, *valid_rows, dst);
                for face in [top, top + 1] {
                    let turned = transpose_face(face_of(data, face));
                    pool_face(mode, pool, &turned, face_of(scaler, face), dst, row);
                    *valid_rows |= 0xF << row;
                }
                row_to_column(mode, dst, row);
                *valid_rows |= 0xFFFF << row;
            }
        }
        ReduceDim::Row => {
            // The phase is outside the two halves of a row, as in a matrix product.
            for top in [0, 2] {
                let turned = [top, top + 1].map(|face| transpose_face(face_of(scaler, face)));
                for phase in 0..mode.fidelity.phases() {
                    for (half, a) in turned.iter().enumerate() {
                        let b = face_of(data, top + half);
                        multiply_face(mode, a, b, dst, 16 * top, 16, phase);
                    }
                }
                *valid_rows |= 0xFFFF << (16 * top);
            }
        }
        ReduceDim::Scalar => {
            first_use(4, *valid_rows, dst);
            for face in 0..4 {
                pool_face(
                    mode,
                    pool,
                    face_of(data, face),
                    face_of(scaler, face),
                    dst,
                    4,
                );
                *valid_rows |= 0xF << 4;
            }
            let mut column = [0; FACE_DATUMS];
            for k in 0..16 {
                // MOVD2B, TRNSPSRCB, MOVB2A: exponent 0 becomes +0 on the last.
                let datum = datum_to_src(mode, dst.0[ROW_DATUMS * 4 + k]);
                column[ROW_DATUMS * k] = if datum & 0x7F80_0000 == 0 { 0 } else { datum };
            }
            dst.0[ROW_DATUMS * 4..ROW_DATUMS * 5].fill(0);
            *valid_rows &= !(1 << 4);
            first_use(0, *valid_rows, dst);
            pool_face(mode, pool, &column, face_of(scaler, 3), dst, 0);
            *valid_rows |= 0xF;
        }
    }
}

fn face_of(tile: &Tile, face: usize) -> &[u32; FACE_DATUMS] {
    tile.0[FACE_DATUMS * face..FACE_DATUMS * (face + 1)]
        .try_into()
        .expect("a face has 256 datums")
}

fn transpose_face(face: &[u32; FACE_DATUMS]) -> [u32; FACE_DATUMS] {
    std::array::from_fn(|i| face[ROW_DATUMS * (i % 16) + i / 16])
}

/// GMPOOL, or GAPOOL in all phases, of one face into four Dst rows.
fn pool_face(
    mode: FpuMode,
    pool: PoolType,
    a: &[u32; FACE_DATUMS],
    b: &[u32; FACE_DATUMS],
    dst: &mut Tile,
    row: usize,
) {
    if pool == PoolType::Max {
        for col in 0..16 {
            let datums = std::array::from_fn(|k| a[ROW_DATUMS * k + col]);
            let at = ROW_DATUMS * row + col;
            dst.0[at] = plain::gmpool(mode, &datums, dst.0[at]);
        }
        dst.0[ROW_DATUMS * (row + 1)..ROW_DATUMS * (row + 4)].fill(0);
    } else {
        for phase in 0..mode.fidelity.phases() {
            multiply_face(mode, a, b, dst, row, 4, phase);
        }
    }
}

/// One phase of MVMUL or GAPOOL: `rows` Dst rows from `row` on.
fn multiply_face(
    mode: FpuMode,
    a: &[u32; FACE_DATUMS],
    b: &[u32; FACE_DATUMS],
    dst: &mut Tile,
    row: usize,
    rows: usize,
    phase: u32,
) {
    for r in 0..rows {
        let b_row: [u32; 16] = std::array::from_fn(|k| b[ROW_DATUMS * r + k]);
        for col in 0..16 {
            let a_col = std::array::from_fn(|k| a[ROW_DATUMS * k + col]);
            let at = ROW_DATUMS * (row + r) + col;
            dst.0[at] = plain::mvmul(mode, &a_col, &b_row, dst.0[at], phase);
        }
    }
}

/// MOVD2B of a row, TRNSPSRCB, and two ELWADDs with a zero SrcA: Dst rows `row..row + 16` get the row
/// as their column 0; the row itself stays for the next accumulation. The other columns hold what
/// SrcB happened to hold; they are zero here and masked by the packer.
fn row_to_column(mode: FpuMode, dst: &mut Tile, row: usize) {
    let vector: [u32; 16] =
        std::array::from_fn(|k| datum_to_src(mode, dst.0[ROW_DATUMS * row + k]));
    for r in 0..16 {
        for col in 0..16 {
            let b = match (r, col) {
                (0, _) => vector[col],
                (_, 0) => vector[r],
                _ => 0,
            };
            dst.0[ROW_DATUMS * (row + r) + col] = plain::elwadd(mode, 0, b, 0);
        }
    }
}
