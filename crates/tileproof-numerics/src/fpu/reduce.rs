//! `reduce_tile`: GAPOOL and GMPOOL over faces, and MVMUL for sums of rows.
//!
//! Sums of rows take the scaler in SrcA and the data in SrcB and multiply them as matrices; all other
//! reductions pool SrcA = data with SrcB = scaler, and the row and scalar forms turn a row into a
//! column through SrcB, where a 32-bit Dst loses bits (LLK `llk_math_reduce.h`; operands of the row
//! sum measured with golden vectors). Until the spring of 2026 sums of rows were pooled too:
//! [`pool_rows`] (the same file of ttnn 0.66; measured: `frm_final` of the golden vectors). Only the
//! row, column or datum that the packer's edge mask lets through is meaningful. Start at [`reduce`].

use super::dot::{Exponents, LANES, Parts, dot, group_exponents};
use super::lanes::Back;
use super::mode::{Class, FpuMode, operand_mask};
use super::moves::datum_to_src;
use super::plain;
use crate::simd::{Lanes, vectorized};
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
    if dim == ReduceDim::Row && pool == PoolType::Max {
        return pool_rows(mode, pool, data, scaler, dst, valid_rows);
    }
    clear_undefined(dst, *valid_rows);
    let first_use = |row: usize, valid: u64, dst: &mut Tile| first_use(pool, row, valid, dst);
    match dim {
        ReduceDim::Col => {
            for face in 0..4 {
                let row = 16 * (face % 2);
                first_use(row, *valid_rows, dst);
                pool_face(mode, pool, face_of(data, face), face_of(scaler, face), dst, row);
                *valid_rows |= 0xF << row;
            }
        }
        ReduceDim::Row => {
            for top in [0, 2] {
                // The lower faces of the data meet the upper ones of the scaler again: SrcA goes back to
                // its row 0 between them (LLK `llk_math_reduce.h`, the address modes of the row sum).
                sum_rows(
                    mode,
                    [face_of(scaler, 0), face_of(scaler, 1)],
                    [face_of(data, top), face_of(data, top + 1)],
                    face_of_mut(dst, top),
                );
                *valid_rows |= 0xFFFF << (16 * top);
            }
        }
        ReduceDim::Scalar => {
            first_use(4, *valid_rows, dst);
            for face in 0..4 {
                pool_face(mode, pool, face_of(data, face), face_of(scaler, face), dst, 4);
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

/// Reduces the rows of one tile by pooling its transposed faces, as [`reduce`] does for MAX and older kernels did for sums too.
/// Data go to SrcA, the scaler to SrcB.
pub fn pool_rows(mode: FpuMode, pool: PoolType, data: &Tile, scaler: &Tile, dst: &mut Tile, valid_rows: &mut u64) {
    pool_and_turn(mode, (pool, data, scaler), dst, valid_rows, |dst, row| row_to_column(mode, dst, row));
}

/// Takes the rows of one tile into the maxima of a block of tiles. Where Dst has 32 bits their column is moved in two halves, which
/// keeps every bit, where [`pool_rows`] adds it to zero (LLK `llk_math_reduce_custom.h`; answers of ttsim 1.10.0 on both chips).
pub fn pool_rows_of_block(mode: FpuMode, data: &Tile, scaler: &Tile, dst: &mut Tile, valid_rows: &mut u64) {
    pool_and_turn(mode, (PoolType::Max, data, scaler), dst, valid_rows, |dst, row| match mode.dst_32 {
        true => move_row_to_column(dst, row),
        false => row_to_column(mode, dst, row),
    });
}

fn pool_and_turn(
    mode: FpuMode,
    (pool, data, scaler): (PoolType, &Tile, &Tile),
    dst: &mut Tile,
    valid_rows: &mut u64,
    turn: impl Fn(&mut Tile, usize),
) {
    clear_undefined(dst, *valid_rows);
    for top in [0, 2] {
        let row = 16 * top;
        first_use(pool, row, *valid_rows, dst);
        for face in [top, top + 1] {
            let turned = transpose_face(face_of(data, face));
            pool_face(mode, pool, &turned, face_of(scaler, face), dst, row);
            *valid_rows |= 0xF << row;
        }
        turn(dst, row);
        *valid_rows |= 0xFFFF << row;
    }
}

fn clear_undefined(dst: &mut Tile, valid_rows: u64) {
    for row in 0..64 {
        if valid_rows >> row & 1 == 0 {
            dst.0[ROW_DATUMS * row..ROW_DATUMS * (row + 1)].fill(0);
        }
    }
}

/// What a row that nothing has written reads as.
fn first_use(pool: PoolType, row: usize, valid: u64, dst: &mut Tile) {
    if valid >> row & 1 == 0 {
        dst.0[ROW_DATUMS * row..ROW_DATUMS * (row + 1)].fill(if pool == PoolType::Max { u32::MAX } else { 0 });
    }
}

fn face_of(tile: &Tile, face: usize) -> &[u32; FACE_DATUMS] {
    tile.0[FACE_DATUMS * face..FACE_DATUMS * (face + 1)].try_into().expect("a face has 256 datums")
}

fn face_of_mut(tile: &mut Tile, face: usize) -> &mut [u32; FACE_DATUMS] {
    (&mut tile.0[FACE_DATUMS * face..FACE_DATUMS * (face + 1)]).try_into().expect("a face has 256 datums")
}

#[inline(always)]
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
        let (rows, _) = dst.0.as_chunks_mut::<ROW_DATUMS>();
        vectorized(MaxPool { mode, a, dst: &mut rows[row] });
        rows[row + 1..row + 4].fill([0; ROW_DATUMS]);
        return;
    }
    // Many a scaler is the same in all rows.
    let mut last: Option<Kept<1>> = None;
    for r in 0..4 {
        let b_row = row_of(b, r);
        let at = ROW_DATUMS * (row + r);
        let out: &mut [u32; ROW_DATUMS] = (&mut dst.0[at..at + ROW_DATUMS]).try_into().expect("a row has 16 datums");
        if adds_nothing(mode, &[b_row], out) {
            continue;
        }
        if let Some(known) = last.as_ref().and_then(|last| last.of([b_row], out)) {
            *out = known;
            continue;
        }
        let before = *out;
        let done = mode.class() == Class::B
            && if mode.dst_32 {
                vectorized(SumPool::<true> { mode, a, b_row, dst: out })
            } else {
                vectorized(SumPool::<false> { mode, a, b_row, dst: out })
            };
        if !done {
            for phase in 0..mode.fidelity.phases() {
                for (col, d) in out.iter_mut().enumerate() {
                    *d = plain::mvmul(mode, &column_of(a, col), b_row, *d, phase);
                }
            }
        }
        last = Some(Kept { scaler: [b_row], before, after: *out });
    }
}

/// What rows of a scaler made of a row of Dst, or of a column: the same make the same of the same.
struct Kept<'t, const N: usize> {
    scaler: [&'t [u32; ROW_DATUMS]; N],
    before: [u32; ROW_DATUMS],
    after: [u32; ROW_DATUMS],
}

impl<const N: usize> Kept<'_, N> {
    fn of(&self, scaler: [&[u32; ROW_DATUMS]; N], before: &[u32; ROW_DATUMS]) -> Option<[u32; ROW_DATUMS]> {
        (self.scaler == scaler && self.before == *before).then_some(self.after)
    }
}

/// MVMUL of two faces of data with the transposed scaler faces into 16 Dst rows: the phase is outside
/// the two halves of a row, as in a matrix product. Dst column j is the data times row j of the scaler;
/// kernels fill row 0.
fn sum_rows(
    mode: FpuMode,
    scaler: [&[u32; FACE_DATUMS]; 2],
    data: [&[u32; FACE_DATUMS]; 2],
    dst: &mut [u32; FACE_DATUMS],
) {
    let mut ready = None;
    let mut last: Option<Kept<2>> = None;
    for col in 0..16 {
        let rows = scaler.map(|face| row_of(face, col));
        let before = column_of(dst, col);
        if adds_nothing(mode, &rows, &before) {
            continue;
        }
        if let Some(known) = last.as_ref().and_then(|last| last.of(rows, &before)) {
            put_column(dst, col, known);
            continue;
        }
        let mut out = before;
        let done = mode.class() == Class::B && {
            let lanes = ready.get_or_insert_with(|| vectorized(SplitColumns { mode, data }));
            if mode.dst_32 {
                vectorized(SumRows::<true> { mode, rows, lanes, dst: &mut out })
            } else {
                vectorized(SumRows::<false> { mode, rows, lanes, dst: &mut out })
            }
        };
        if !done {
            for phase in 0..mode.fidelity.phases() {
                for half in 0..2 {
                    for (r, d) in out.iter_mut().enumerate() {
                        *d = plain::mvmul(mode, rows[half], row_of(data[half], r), *d, phase);
                    }
                }
            }
        }
        put_column(dst, col, out);
        last = Some(Kept { scaler: rows, before, after: out });
    }
}

/// True when every product is zero and so is Dst: most of a scaler tile. The exponent of a zero term
/// is 0 only in class B.
fn adds_nothing(mode: FpuMode, scaler: &[&[u32; ROW_DATUMS]], dst: &[u32; ROW_DATUMS]) -> bool {
    let zero = |row: &[u32; ROW_DATUMS]| row.iter().all(|w| w & 0x7F80_0000 == 0);
    mode.class() == Class::B && scaler.iter().all(|row| zero(row)) && *dst == [0; ROW_DATUMS]
}

#[inline(always)]
fn row_of(face: &[u32; FACE_DATUMS], row: usize) -> &[u32; ROW_DATUMS] {
    &face.as_chunks::<ROW_DATUMS>().0[row]
}

#[inline(always)]
fn column_of(face: &[u32; FACE_DATUMS], col: usize) -> [u32; ROW_DATUMS] {
    std::array::from_fn(|k| face[ROW_DATUMS * k + col])
}

#[inline(always)]
fn put_column(face: &mut [u32; FACE_DATUMS], col: usize, column: [u32; ROW_DATUMS]) {
    for (r, datum) in column.into_iter().enumerate() {
        face[ROW_DATUMS * r + col] = datum;
    }
}

/// The fast route of GAPOOL for one Dst row; false, with Dst untouched, when the exponents do not fit.
struct SumPool<'t, const DST_32: bool> {
    mode: FpuMode,
    a: &'t [u32; FACE_DATUMS],
    b_row: &'t [u32; ROW_DATUMS],
    dst: &'t mut [u32; ROW_DATUMS],
}

impl<const DST_32: bool> Lanes for SumPool<'_, DST_32> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.pool::<false>()
    }

    #[inline(always)]
    fn run_fused(self) -> bool {
        self.pool::<true>()
    }
}

impl<const DST_32: bool> SumPool<'_, DST_32> {
    #[inline(always)]
    fn pool<const FUSED: bool>(self) -> bool {
        let (a_mask, b_mask) = (operand_mask(self.mode.src_a), operand_mask(self.mode.src_b));
        let mut seen = Exponents::NONE;
        let mut lanes = [Parts::ZERO; 16];
        for (k, parts) in lanes.iter_mut().enumerate() {
            *parts = Parts::split_a(&row_of(self.a, k).map(|w| w & a_mask), &mut seen);
        }
        let row = Parts::split_b(&self.b_row.map(|w| w & b_mask), &mut seen);
        let groups = group_exponents(&lanes, &row, &mut seen);
        if !seen.fit() {
            return false;
        }
        let back = Back::<DST_32>::new(self.mode);
        for phase in 0..self.mode.fidelity.phases() {
            dot::<DST_32, true, FUSED>(back, &lanes, &row, &groups, self.dst, phase);
        }
        true
    }
}

/// The columns of two faces of SrcB, split: value k of 16 rows at a time.
struct SplitColumns<'t> {
    mode: FpuMode,
    data: [&'t [u32; FACE_DATUMS]; 2],
}

impl Lanes for SplitColumns<'_> {
    type Output = ([[Parts; 16]; 2], Exponents);

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mask = operand_mask(self.mode.src_b);
        let mut seen = Exponents::NONE;
        let mut lanes = [[Parts::ZERO; 16]; 2];
        for (face, lanes) in self.data.into_iter().zip(&mut lanes) {
            let turned = transpose_face(face);
            for (k, parts) in lanes.iter_mut().enumerate() {
                *parts = Parts::split_b(&row_of(&turned, k).map(|w| w & mask), &mut seen);
            }
        }
        (lanes, seen)
    }
}

/// The fast route of a sum of rows for one column of the scaler; false, with Dst untouched, when the
/// exponents do not fit.
struct SumRows<'t, const DST_32: bool> {
    mode: FpuMode,
    rows: [&'t [u32; ROW_DATUMS]; 2],
    lanes: &'t ([[Parts; 16]; 2], Exponents),
    dst: &'t mut [u32; LANES],
}

impl<const DST_32: bool> Lanes for SumRows<'_, DST_32> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        self.sum::<false>()
    }

    #[inline(always)]
    fn run_fused(self) -> bool {
        self.sum::<true>()
    }
}

impl<const DST_32: bool> SumRows<'_, DST_32> {
    #[inline(always)]
    fn sum<const FUSED: bool>(self) -> bool {
        let mask = operand_mask(self.mode.src_a);
        let (lanes, mut seen) = (&self.lanes.0, self.lanes.1);
        let rows = self.rows.map(|row| Parts::split_a(&row.map(|w| w & mask), &mut seen));
        let groups = [0, 1].map(|half| group_exponents(&lanes[half], &rows[half], &mut seen));
        if !seen.fit() {
            return false;
        }
        let back = Back::<DST_32>::new(self.mode);
        for phase in 0..self.mode.fidelity.phases() {
            for half in 0..2 {
                dot::<DST_32, false, FUSED>(back, &lanes[half], &rows[half], &groups[half], self.dst, phase);
            }
        }
        true
    }
}

/// GMPOOL of one face into one Dst row.
struct MaxPool<'t> {
    mode: FpuMode,
    a: &'t [u32; FACE_DATUMS],
    dst: &'t mut [u32; ROW_DATUMS],
}

impl Lanes for MaxPool<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        // The total order of sign-magnitude patterns as integers, and back.
        let turn = |w: u32| (w ^ ((w as i32 >> 31) as u32 >> 1)) as i32;
        let mask = operand_mask(self.mode.src_a);
        let dst_mask = if self.mode.dst_32 { 0xFFFF_E000 } else { 0xFFFF_0000 };
        let mut max = self.dst.map(|w| turn(w & dst_mask));
        for k in 0..16 {
            for (m, &w) in max.iter_mut().zip(row_of(self.a, k)) {
                let w = if w & 0x7F80_0000 == 0 { 0 } else { w & mask };
                *m = (*m).max(turn(w));
            }
        }
        *self.dst = max.map(|m| turn(m as u32) as u32);
    }
}

/// MOVD2B of a row, TRNSPSRCB, and two ELWADDs with a zero SrcA: Dst rows `row..row + 16` get the row
/// as their column 0; the row itself stays for the next accumulation. The other columns hold what
/// SrcB happened to hold; they are zero here and masked by the packer.
fn row_to_column(mode: FpuMode, dst: &mut Tile, row: usize) {
    let vector: [u32; 16] = std::array::from_fn(|k| datum_to_src(mode, dst.0[ROW_DATUMS * row + k]));
    for r in 0..16 {
        for col in 0..16 {
            let b = match (r, col) {
                (0, _) => vector[col],
                (_, 0) => vector[r],
                _ => 0,
            };
            // Most are zero, and so is the sum.
            let sum = if b == 0 { 0 } else { plain::elwadd(mode, 0, b, 0) };
            dst.0[ROW_DATUMS * (row + r) + col] = sum;
        }
    }
}

/// A row of a face stays, and becomes its column 0.
fn move_row_to_column(dst: &mut Tile, row: usize) {
    for r in 1..16 {
        let at = ROW_DATUMS * (row + r);
        dst.0[at..at + ROW_DATUMS].fill(0);
        dst.0[at] = dst.0[ROW_DATUMS * row + r];
    }
}
