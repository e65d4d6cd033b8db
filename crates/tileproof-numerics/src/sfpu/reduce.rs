//! `sfpu_reduce`: rows or columns of one tile into its first ones, and partial results beside them.
//!
//! Source: llk_sfpu/ckernel_sfpu_reduce.h, built without SFPLOADMACRO. Must keep the order of the
//! additions and store what the kernel stores beside the result: it moves registers of 4 rows by 8
//! columns, and all of a register is written. Start reading at [`run`].

use super::arith::{add, mul};
use super::call::{Call, NO_STEPS, Ran};
use super::lreg::{LANES, LReg, Register, total_order};
use super::op::SfpuOp;
use super::unit::Sfpu;
use crate::chip::ColumnSums;
use crate::simd::{Lanes, vectorized};
use crate::tile::{FACE_DATUMS, ROW_DATUMS, Tile};

/// What is done to the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pool {
    Sum,
    Avg,
    Max,
    Min,
}

/// What is reduced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dim {
    Column,
    Row,
    /// A row that goes on in the tiles beside this one, whose results are taken together afterwards.
    RowOfTiles,
}

/// How the kernel loads and stores.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Datum {
    Float,
    Int32,
    /// Without a sign, although SFPSWAP orders it by one.
    UInt32,
    /// The word of a 16-bit Dst.
    UInt16,
}

/// The register file of one reduction.
struct Registers {
    l: [LReg; 8],
    unit: Sfpu,
    datum: Datum,
    /// The average of integers is loaded and stored as sign and magnitude.
    sign_magnitude: bool,
    /// LaneConfig turns the order of SFPSWAP round.
    inverted: bool,
}

/// The four tile rows that a register at a Dst row spans; it holds their even or odd columns.
#[inline(always)]
fn register_rows(words: &[u32], row: usize) -> std::slice::ChunksExact<'_, u32> {
    let first = (row & !3) * ROW_DATUMS;
    words[first..first + 4 * ROW_DATUMS].chunks_exact(ROW_DATUMS)
}

impl Registers {
    #[inline(always)]
    fn load(&mut self, register: usize, tile: &Tile, row: usize) {
        let mut value = LReg([0; LANES]);
        let odd = row >> 1 & 1;
        for (lanes, datums) in value.0.chunks_exact_mut(8).zip(register_rows(&tile.0, row)) {
            for (lane, pair) in lanes.iter_mut().zip(datums.chunks_exact(2)) {
                *lane = pair[odd];
            }
        }
        if self.datum == Datum::UInt16 {
            value = value.shr(16);
        }
        self.l[register] = match (self.sign_magnitude, self.unit.rules.turns_integers) {
            (false, _) => value,
            (true, true) => value.to_twos_complement(),
            // By SFPCAST, and SFPSETSGN puts back the sign, also that of -0.
            (true, false) => value.to_twos_complement().with_sign_of(value),
        };
    }

    #[inline(always)]
    fn store(&self, register: usize, tile: &mut Tile, row: usize) {
        let value = self.l[register];
        let value = match self.datum {
            Datum::Float => self.unit.stored(value),
            Datum::Int32 if self.sign_magnitude => value.to_sign_magnitude(),
            Datum::Int32 | Datum::UInt32 => value,
            Datum::UInt16 => value.shl(16),
        };
        let odd = row >> 1 & 1;
        let first = (row & !3) * ROW_DATUMS;
        let rows = tile.0[first..first + 4 * ROW_DATUMS].chunks_exact_mut(ROW_DATUMS);
        for (lanes, datums) in value.0.chunks_exact(8).zip(rows) {
            for (lane, pair) in lanes.iter().zip(datums.chunks_exact_mut(2)) {
                pair[odd] = *lane;
            }
        }
    }

    /// SFPADD or SFPIADD: `l[to] += l[from]`.
    #[inline(always)]
    fn accumulate(&mut self, to: usize, from: usize) {
        self.l[to] = match self.datum {
            Datum::Float => add(self.unit.rules.multiply_add, &self.l[to], &self.l[from]),
            Datum::Int32 | Datum::UInt32 | Datum::UInt16 => self.l[to].iadd(self.l[from]),
        };
    }

    /// SFPSWAP with VEC_MIN_MAX: the smaller to `d`, the larger to `c`, or the other way round.
    /// Integers are two's complement, which the order of magnitudes turns round below zero, so the
    /// kernel swaps pairs of negative numbers once more.
    #[inline(always)]
    fn swap(&mut self, c: usize, d: usize) {
        for lane in 0..LANES {
            let (vc, vd) = (self.l[c].0[lane], self.l[d].0[lane]);
            let mut swapped = (total_order(vc) < total_order(vd)) != self.inverted;
            swapped ^= self.datum == Datum::Int32 && (vc & vd) as i32 >> 31 != 0;
            if swapped {
                self.l[c].0[lane] = vd;
                self.l[d].0[lane] = vc;
            }
        }
    }

    /// SFPCAST between sign and magnitude and two's complement, and SFPSETSGN with the sign that was there.
    #[inline(always)]
    fn cast(&mut self, register: usize) {
        let value = self.l[register];
        self.l[register] = value.to_twos_complement().with_sign_of(value);
    }

    /// SFPTRANSP: rows of four registers, twice.
    #[inline(always)]
    fn transpose(&mut self) {
        for base in [0, 4] {
            for i in 0..4 {
                for j in 0..i {
                    for col in 0..8 {
                        let (a, b) = (self.l[base + i].0[j * 8 + col], self.l[base + j].0[i * 8 + col]);
                        self.l[base + i].0[j * 8 + col] = b;
                        self.l[base + j].0[i * 8 + col] = a;
                    }
                }
            }
        }
    }

    /// SFPSHFT2 by one lane within each row of eight, round.
    #[inline(always)]
    fn rotate(&mut self, register: usize, times: usize) {
        let old = self.l[register];
        for lane in 0..LANES {
            self.l[register].0[lane] = old.0[lane & !7 | (lane + 8 - times) & 7];
        }
    }

    /// Four rows of four registers from `row` on, into `first` and the three after it.
    #[inline(always)]
    fn load_column(&mut self, first: usize, tile: &Tile, row: usize) {
        for k in 0..4 {
            self.load(first + k, tile, row + 4 * k);
        }
    }

    /// The recorded sums: registers 1 to 3 into 0, 5 to 7 into 4.
    #[inline(always)]
    fn accumulate_fours(&mut self) {
        for k in [2, 1, 0] {
            self.accumulate(k, k + 1);
            self.accumulate(k + 4, k + 5);
        }
    }
}

/// Reduces the tile in place.
fn reduce(unit: Sfpu, tile: &mut Tile, pool: Pool, datum: Datum, dim: Dim) {
    if datum == Datum::Float && pool == Pool::Sum {
        // LayerNorm's: compiled for the host's widest vectors.
        return vectorized(Sums { unit, tile, dim });
    }
    registers(unit, tile, pool, datum, dim);
}

/// Sums of floats.
struct Sums<'a> {
    unit: Sfpu,
    tile: &'a mut Tile,
    dim: Dim,
}

impl Lanes for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.dim == Dim::Column && column_sums_in_host_arithmetic(self.unit, self.tile) {
            return;
        }
        registers(self.unit, self.tile, Pool::Sum, Datum::Float, self.dim);
    }
}

/// Four rows of a face, all columns: the even and the odd register of [`Registers::load_column`] together.
type Rows = [f32; 4 * ROW_DATUMS];

/// [`column_sums`] of floats, with whole rows instead of registers; false, with nothing changed, where host and vector
/// unit might differ. As in [`super::hot`], data are zero or at least 2^23 times the least normal number, so that all
/// sums are its multiples and none is denormal; and a sum that is not finite at any step is not finite at the end.
#[inline(always)]
fn column_sums_in_host_arithmetic(unit: Sfpu, tile: &mut Tile) -> bool {
    const LEAST: u32 = (0x0080_0000 + (23 << 23)) * 2 - 1;
    let zero = unit.rules.multiply_add.neutral();
    let in_pairs = unit.rules.column_sums == ColumnSums::InPairs;
    let keep = if unit.dst_32 { u32::MAX } else { 0xffff_0000 };
    if tile.0.iter().fold(u32::MAX, |least, word| least.min((word << 1).wrapping_sub(1))) < LEAST {
        return false;
    }
    let mut results = [[0; 4 * ROW_DATUMS]; 2];
    let mut largest = 0;
    for (result, face) in results.iter_mut().zip([0, 1]) {
        let rows = |face: usize, k: usize| -> Rows {
            let first = face * FACE_DATUMS + k * 4 * ROW_DATUMS;
            std::array::from_fn(|i| f32::from_bits(tile.0[first + i]))
        };
        let add = |a: Rows, b: Rows| -> Rows { std::array::from_fn(|i| a[i] + b[i] + zero) };
        // The faces below lie two further on.
        let [mut l0, mut l1, mut l2, l3] = std::array::from_fn(|k| rows(face, k));
        l2 = add(l2, l3);
        l1 = add(l1, l2);
        l0 = add(l0, l1);
        let below = add(rows(face + 2, 0), add(rows(face + 2, 1), add(rows(face + 2, 2), rows(face + 2, 3))));
        l0 = add(l0, below);
        for (row, l) in [l0, l1, l2, l3].into_iter().enumerate() {
            for i in 0..ROW_DATUMS {
                let high = l[2 * ROW_DATUMS + i] + l[3 * ROW_DATUMS + i] + zero;
                let sum = if in_pairs {
                    l[i] + l[ROW_DATUMS + i] + zero + high + zero
                } else {
                    l[i] + (l[ROW_DATUMS + i] + high + zero) + zero
                };
                let sum = sum.to_bits();
                largest = (sum & 0x7fff_ffff).max(largest);
                result[row * ROW_DATUMS + i] = sum & keep;
            }
        }
    }
    if largest >= 0x7f80_0000 {
        return false;
    }
    for (face, result) in results.iter().enumerate() {
        tile.0[face * FACE_DATUMS..][..4 * ROW_DATUMS].copy_from_slice(result);
    }
    true
}

#[inline(always)]
fn registers(unit: Sfpu, tile: &mut Tile, pool: Pool, datum: Datum, dim: Dim) {
    let sign_magnitude = datum == Datum::Int32 && pool == Pool::Avg;
    let inverted = pool == if dim == Dim::Column { Pool::Max } else { Pool::Min };
    let mut r = Registers { l: [LReg([0; LANES]); 8], unit, datum, sign_magnitude, inverted };
    match (pool, dim) {
        (Pool::Sum | Pool::Avg, Dim::Column) => column_sums(&mut r, tile, pool == Pool::Avg),
        (Pool::Max | Pool::Min, Dim::Column) => column_extremes(&mut r, tile),
        (_, Dim::Row) => row_results(&mut r, tile, pool, true),
        (_, Dim::RowOfTiles) => row_results(&mut r, tile, pool, false),
    }
}

#[inline(always)]
fn column_sums(r: &mut Registers, tile: &mut Tile, average: bool) {
    for (face, odd) in [(0, 0), (0, 2), (16, 0), (16, 2)] {
        r.load_column(0, tile, face + odd);
        r.load_column(4, tile, face + 32 + odd);
        // Registers that casts of the lower rows went through, which partial results below row 0 come of.
        let cast = [r.l[7], r.l[5], r.l[6]];
        r.accumulate_fours();
        if r.sign_magnitude && !r.unit.rules.turns_integers {
            r.l[1..4].copy_from_slice(&cast);
        }
        r.accumulate(0, 4);
        r.transpose();
        match r.datum {
            Datum::Float => {
                r.accumulate(2, 3);
                match r.unit.rules.column_sums {
                    ColumnSums::InPairs => {
                        r.accumulate(0, 1);
                        r.accumulate(0, 2);
                    }
                    ColumnSums::FromTheLast => {
                        r.accumulate(1, 2);
                        r.accumulate(0, 1);
                    }
                }
                if average {
                    r.l[0] = mul(r.unit.rules.multiply_add, &r.l[0], &LReg::float(0.031_25));
                }
            }
            Datum::Int32 | Datum::UInt32 | Datum::UInt16 => {
                r.accumulate(2, 3);
                r.accumulate(1, 2);
                r.accumulate(0, 1);
                if average {
                    let sum = r.l[0];
                    let shifted = sum.iabs().shr(5);
                    r.l[0] = LReg::splat(0).isub(shifted).where_(sum.negative(), shifted);
                }
            }
        }
        r.store(0, tile, face + odd);
    }
}

#[inline(always)]
fn column_extremes(r: &mut Registers, tile: &mut Tile) {
    let chain = |r: &mut Registers| {
        r.swap(7, 6);
        r.swap(6, 5);
        r.swap(5, 4);
    };
    let through_dst = r.datum != Datum::Int32 && r.unit.rules.parks_column_extremes;
    for top in [0, 16] {
        for (row, partial) in [(top, 0), (top + 2, 2), (top + 32, 1), (top + 34, 3)] {
            r.load_column(4, tile, row);
            chain(r);
            if through_dst {
                r.store(4, tile, row);
                r.load(4, tile, row);
            }
            r.l[partial] = r.l[4];
        }
        r.l.copy_within(0..4, 4);
        r.transpose();
        chain(r);
        r.transpose();
        r.swap(7, 6);
        r.swap(5, 4);
        r.store(4, tile, top);
        r.store(6, tile, top + 2);
    }
}

#[inline(always)]
fn row_results(r: &mut Registers, tile: &mut Tile, pool: Pool, is_last: bool) {
    let sum = pool == Pool::Sum;
    let casts = !sum && r.datum == Datum::UInt32 && r.unit.rules.casts_row_extremes;
    for base in [0, 8, 32, 40] {
        for k in [0, 4] {
            r.load(k, tile, base + k);
            r.load(k + 1, tile, base + k + 2);
            r.load(k + 2, tile, base + k + 16);
            r.load(k + 3, tile, base + k + 18);
        }
        if casts {
            (0..8).for_each(|register| r.cast(register));
        }
        if sum {
            r.accumulate_fours();
        } else {
            for (c, d) in [(0, 2), (4, 6), (1, 3), (5, 7), (0, 1), (4, 5)] {
                r.swap(c, d);
            }
        }
        for distance in [4, 2, 1] {
            for k in [0, 4] {
                r.l[k + 1] = r.l[k];
                r.rotate(k + 1, distance);
                if sum {
                    r.accumulate(k, k + 1);
                } else {
                    r.swap(k, k + 1);
                }
            }
        }
        for k in [0, 4] {
            // All lanes of a row are equal but for the floats' NaN payloads; the kernel for floats
            // turns the maximum by one lane more.
            if !sum && r.datum == Datum::Float {
                r.rotate(k, 1);
            }
            if casts && is_last {
                r.cast(k);
            }
            r.store(k, tile, base + k);
        }
    }
}

/// Runs the reduction, whose parameters are said at [`SfpuOp::Reduce`].
pub(super) fn run(call: &mut Call<'_>) -> Ran {
    let (unit, params) = (call.unit, call.params);
    let pool = match (call.op, params[0]) {
        (SfpuOp::Reduce, 0) => Pool::Sum,
        (SfpuOp::Reduce, 1) => Pool::Avg,
        (SfpuOp::Reduce, 2) => Pool::Max,
        (SfpuOp::Reduce, 3) => Pool::Min,
        (SfpuOp::Reduce, _) => return Err("this pool"),
        _ => return Err(NO_STEPS),
    };
    let dim = match params[1] {
        0 => Dim::Column,
        1 => Dim::Row,
        _ => Dim::RowOfTiles,
    };
    let datum = match (params[2], unit.dst_32) {
        (0, true) | (5, false) => Datum::Float,
        (8, true) => Datum::Int32,
        (9, false) => Datum::UInt16,
        (24, true) => Datum::UInt32,
        _ => return Err("this data format"),
    };
    let is_known = match pool {
        _ if dim == Dim::Column => true,
        Pool::Sum => true,
        // Which no call takes (`compute_kernel_api.h`).
        Pool::Avg => false,
        // The kernel with the cast has it for 32 bits alone.
        Pool::Max | Pool::Min => datum != Datum::UInt16 || !unit.rules.casts_row_extremes,
    };
    if !is_known {
        return Err("this pool and data format along rows");
    }
    reduce(unit, call.dst.tile_mut(call.output), pool, datum, dim);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::{BLACKHOLE, WORMHOLE};
    use crate::dst::Dst;
    use crate::sfpu::{SfpuMode, execute};

    /// Blackhole's kernel for the largest along rows does not compile for words of 16 bits, nor either chip's call for averages.
    #[test]
    fn what_no_kernel_reduces_along_rows_is_refused() {
        let along_rows = |rules, format, pool| {
            let mode = SfpuMode { dst_32: false, approx: false, rules, src_b_is_fp16: false };
            execute(SfpuOp::Reduce, &[pool, 1, format, 0], &mode, &mut Dst::default(), [0; 3], 0).is_ok()
        };
        let pools = |rules, format| [0, 1, 2, 3].map(|pool| along_rows(rules, format, pool));
        let (bf16, uint16) = (5, 9);
        assert_eq!(pools(WORMHOLE.sfpu, uint16), [true, false, true, true]);
        assert_eq!(pools(BLACKHOLE.sfpu, uint16), [true, false, false, false]);
        assert_eq!([WORMHOLE.sfpu, BLACKHOLE.sfpu].map(|rules| pools(rules, bf16)), [[true, false, true, true]; 2]);
    }

    #[test]
    fn column_sums_in_host_arithmetic_equal_those_of_registers() {
        let mut s = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            (s >> 32) as u32
        };
        let mut taken = 0;
        for round in 0..400 {
            let mut tile = Tile::ZERO;
            for word in &mut tile.0 {
                let bits = next();
                *word = match round % 5 {
                    // Numbers of like size, of any size, whole numbers that cancel, and now and then anything at all.
                    0 => bits & 0x807f_ffff | 0x3f80_0000,
                    1 => bits & 0x8fff_ffff | 0x3000_0000,
                    2 => ((bits % 9) as f32 - 4.0).to_bits(),
                    3 if bits.is_multiple_of(4096) => next(),
                    3 => bits & 0x8fff_ffff | 0x3000_0000,
                    _ => bits & 0x80ff_ffff | 0x7f00_0000,
                };
            }
            let rules = if round % 2 == 0 { WORMHOLE.sfpu } else { BLACKHOLE.sfpu };
            let unit = Sfpu { rules, dst_32: round % 3 != 0, approx: false };
            let mut expected = tile.clone();
            registers(unit, &mut expected, Pool::Sum, Datum::Float, Dim::Column);
            taken += usize::from(column_sums_in_host_arithmetic(unit, &mut tile.clone()));
            reduce(unit, &mut tile, Pool::Sum, Datum::Float, Dim::Column);
            assert!(tile == expected, "round {round}");
        }
        assert!((150..350).contains(&taken), "{taken} of 400 tiles were summed in host arithmetic");
    }
}
