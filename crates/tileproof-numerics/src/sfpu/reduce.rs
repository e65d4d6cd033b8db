//! `sfpu_reduce`: rows or columns of one tile into its first ones, and partial results beside them.
//!
//! Source: llk_sfpu/ckernel_sfpu_reduce.h, built without SFPLOADMACRO. Must keep the order of the
//! additions and store what the kernel stores beside the result: it moves registers of 4 rows by 8
//! columns, and all of a register is written. Start reading at [`reduce`].

use super::arith::{add, mul};
use super::lreg::{LANES, LReg, Sfpu, total_order};
use crate::simd::{Lanes, vectorized};
use crate::tile::{ROW_DATUMS, Tile};

/// What is done to the numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Pool {
    Sum,
    Avg,
    Max,
    Min,
}

/// How the kernel loads and stores.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Datum {
    Float,
    Int32,
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
        self.l[register] = if self.sign_magnitude { value.to_twos_complement() } else { value };
    }

    #[inline(always)]
    fn store(&self, register: usize, tile: &mut Tile, row: usize) {
        let value = self.l[register];
        let value = match self.datum {
            Datum::Float if self.unit.dst_32 => value.flushed(),
            Datum::Float => value.flushed() & LReg::splat(0xffff_0000),
            Datum::Int32 if self.sign_magnitude => value.to_sign_magnitude(),
            Datum::Int32 => value,
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
            Datum::Float => add(self.unit.arch, &self.l[to], &self.l[from]),
            Datum::Int32 => self.l[to].iadd(self.l[from]),
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
pub(super) fn reduce(unit: Sfpu, tile: &mut Tile, pool: Pool, datum: Datum, rows: bool) {
    if datum == Datum::Float && pool == Pool::Sum {
        // LayerNorm's: compiled for the host's widest vectors.
        return vectorized(Sums { unit, tile, rows });
    }
    run(unit, tile, pool, datum, rows);
}

/// Sums of floats.
struct Sums<'a> {
    unit: Sfpu,
    tile: &'a mut Tile,
    rows: bool,
}

impl Lanes for Sums<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        run(self.unit, self.tile, Pool::Sum, Datum::Float, self.rows);
    }
}

#[inline(always)]
fn run(unit: Sfpu, tile: &mut Tile, pool: Pool, datum: Datum, rows: bool) {
    let sign_magnitude = datum == Datum::Int32 && pool == Pool::Avg;
    let inverted = if rows { pool == Pool::Min } else { pool == Pool::Max };
    let mut r = Registers { l: [LReg([0; LANES]); 8], unit, datum, sign_magnitude, inverted };
    match (pool, rows) {
        (Pool::Sum | Pool::Avg, false) => column_sums(&mut r, tile, pool == Pool::Avg),
        (Pool::Max | Pool::Min, false) => column_extremes(&mut r, tile),
        (_, true) => row_results(&mut r, tile, pool),
    }
}

#[inline(always)]
fn column_sums(r: &mut Registers, tile: &mut Tile, average: bool) {
    for (face, odd) in [(0, 0), (0, 2), (16, 0), (16, 2)] {
        r.load_column(0, tile, face + odd);
        r.load_column(4, tile, face + 32 + odd);
        r.accumulate_fours();
        r.accumulate(0, 4);
        r.transpose();
        match r.datum {
            Datum::Float => {
                r.accumulate(2, 3);
                r.accumulate(0, 1);
                r.accumulate(0, 2);
                if average {
                    r.l[0] = mul(r.unit.arch, &r.l[0], &LReg::float(0.031_25));
                }
            }
            Datum::Int32 => {
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
    for top in [0, 16] {
        for (row, partial) in [(top, 0), (top + 2, 2), (top + 32, 1), (top + 34, 3)] {
            r.load_column(4, tile, row);
            chain(r);
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
fn row_results(r: &mut Registers, tile: &mut Tile, pool: Pool) {
    let sum = matches!(pool, Pool::Sum | Pool::Avg);
    for base in [0, 8, 32, 40] {
        for k in [0, 4] {
            r.load(k, tile, base + k);
            r.load(k + 1, tile, base + k + 2);
            r.load(k + 2, tile, base + k + 16);
            r.load(k + 3, tile, base + k + 18);
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
            if pool == Pool::Avg {
                r.l[k] = mul(r.unit.arch, &r.l[k], &LReg::float(0.031_25));
            }
            r.store(k, tile, base + k);
        }
    }
}
