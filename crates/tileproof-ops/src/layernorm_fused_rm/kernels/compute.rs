//! UNPACK, MATH, PACK: four passes over a tile row, the first over its first block only.
//!
//! m0 is the mean of the first columns. r, the mean of x - m0, completes it. The third pass sums (x - m0 - r)^2, the fourth
//! makes y. Sums are taken lane by lane over the tile columns of a chunk, added up in L1 over the chunks, and reduced along
//! the 32 columns that are left. So a row gives the same bits whether it stays in L1 or not, and on any core. Dst is used in
//! full sync with 32 bits: eight tiles, which a window fills. Nothing is multiplied in the matrix unit, whose sums and
//! differences keep 11 bits.

use tileproof_kernel::{Compute, ReduceDim};

use super::arguments::{Shared, WORDS};
use crate::layernorm_fused_rm::buffers::{BLOCK, cb};

/// Compile-time arguments: the shared words, then fp32 bits.
mod compile_time {
    /// One over the number of columns that m0 is the mean of.
    pub(super) const ONE_OVER_SHIFT: usize = super::WORDS;
    /// One over N.
    pub(super) const ONE_OVER_N: usize = super::WORDS + 1;
    pub(super) const EPS: usize = super::WORDS + 2;
}

/// Runtime arguments.
mod runtime {
    pub(super) const START_ROW: usize = 0;
    pub(super) const ROWS: usize = 1;
}

/// Dst tiles of the passes that sum. x takes 0 to 3; the mask of a tile is put into the one after it.
mod sums {
    pub(super) const M0: u32 = 5;
    pub(super) const R: u32 = 6;
    pub(super) const SUM: u32 = 7;
}

/// Dst tiles of the pass that makes y. gamma and beta take 4 to 7 when the statistics have done their work.
mod y {
    pub(super) const M0: u32 = 5;
    pub(super) const R: u32 = 6;
    pub(super) const RSTD: u32 = 7;
    pub(super) const GAMMA: u32 = 4;
    pub(super) const BETA: u32 = 4;
}

/// A block and the mask of its last tile lie below what a window keeps.
const _: () = assert!(BLOCK < sums::M0 && BLOCK < y::M0 && y::GAMMA >= BLOCK && y::GAMMA + BLOCK <= 8);

/// Pages of the masks.
const COLUMN_MASK: u32 = 0;
const ROW_MASK: u32 = 1;

/// What a pass sums.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sum {
    /// x over the first columns: m0.
    X,
    /// x - m0: r.
    Residual,
    /// (x - m0 - r)^2: the variance.
    Square,
}

struct Forward<'a> {
    k: &'a Compute<'a>,
    s: Shared,
}

/// The kernel.
pub(crate) fn kernel(k: &Compute<'_>) {
    let s = Shared::new(|index| k.get_compile_time_arg_val(index));
    let op = Forward { k, s };
    let input = if s.is_tile { cb::X } else { cb::STICKS };
    k.compute_kernel_hw_startup(input, input, cb::X);
    k.cb_wait_front(cb::MASKS, 2);
    k.cb_wait_front(cb::ZERO, 1);
    let start = k.get_arg_val(runtime::START_ROW);
    for row in start..start + k.get_arg_val(runtime::ROWS) {
        op.row(row);
    }
    k.cb_pop_front(cb::MASKS, 2);
    k.cb_pop_front(cb::ZERO, 1);
}

impl Forward<'_> {
    fn scalar(&self, index: usize) -> f32 {
        f32::from_bits(self.k.get_compile_time_arg_val(index))
    }

    /// One tile row from x to y.
    fn row(&self, row: u32) {
        let (k, s) = (self.k, self.s);
        let pages = s.wt.next_multiple_of(s.chunk);
        if s.l1_path {
            for (_, count) in s.chunks() {
                self.arrive(count);
            }
            k.cb_wait_front(cb::X, pages);
        } else {
            self.arrive(s.chunk.min(s.wt));
            k.cb_wait_front(cb::X, s.chunk);
        }
        self.add_up(row, (0, s.block), 0, Sum::X);
        self.column(Sum::X);
        self.pass(row, Sum::Residual, true);
        self.column(Sum::Residual);
        self.pass(row, Sum::Square, false);
        self.column(Sum::Square);
        self.normalise(row);
        if s.l1_path {
            k.cb_pop_front(cb::X, pages);
        }
        k.cb_pop_front(cb::CENTRE, 2);
        k.cb_pop_front(cb::RSTD, 1);
    }

    /// The next chunk of x becomes tiles; in the tile-layout form it comes as such.
    fn arrive(&self, count: u32) {
        let (k, s) = (self.k, self.s);
        if s.is_tile {
            return;
        }
        k.cb_wait_front(cb::STICKS, s.chunk);
        k.cb_reserve_back(cb::X, s.chunk);
        k.reconfig_data_format_srca(cb::STICKS);
        k.pack_reconfig_data_format(cb::X);
        k.pack_reconfig_l1_acc(false);
        k.tilize_init(cb::STICKS, count, cb::X);
        k.tilize_block(cb::STICKS, count, cb::X);
        k.tilize_uninit(cb::STICKS, cb::X);
        k.cb_push_back(cb::X, s.chunk);
        k.cb_pop_front(cb::STICKS, s.chunk);
    }

    /// Sums a whole row. On the block path the first chunk may be there already.
    fn pass(&self, row: u32, sum: Sum, first_is_there: bool) {
        self.for_each_chunk(first_is_there, |first, count, page| self.add_up(row, (first, count), page, sum));
    }

    /// Calls `work` with first column, number of columns and first page of each chunk, when its tiles are there.
    fn for_each_chunk(&self, first_is_there: bool, work: impl Fn(u32, u32, u32)) {
        let (k, s) = (self.k, self.s);
        for (first, count) in s.chunks() {
            if s.l1_path {
                work(first, count, first);
                continue;
            }
            if first > 0 || !first_is_there {
                self.arrive(count);
                k.cb_wait_front(cb::X, s.chunk);
            }
            work(first, count, 0);
            k.cb_pop_front(cb::X, s.chunk);
        }
    }

    /// Programs the copy of tiles of `cb`.
    #[track_caller]
    fn copies_of(&self, cb: u32) {
        self.k.reconfig_data_format_srca(cb);
        self.k.copy_init(cb);
    }

    /// Reads `tile` of `cb` to `Dst[dst]`.
    #[track_caller]
    fn load(&self, cb: u32, tile: u32, dst: u32) {
        self.copies_of(cb);
        self.k.copy_tile(cb, tile, dst);
    }

    /// Zeroes what mask `page` leaves out of `Dst[dst]`; the mask goes to the tile behind it, since `mask_tile` ignores its
    /// mask argument (measured: golden vectors).
    #[track_caller]
    fn mask(&self, page: u32, dst: u32) {
        self.load(cb::MASKS, page, dst + 1);
        self.k.mask_tile_init();
        self.k.mask_tile(dst, dst + 1);
    }

    fn is_masked(&self, column: u32) -> bool {
        self.s.last_columns != 32 && column == self.s.wt - 1
    }

    /// Reads `tiles` tiles of x from `page` on to Dst 0 and up; the first is at tile column `column`. Padding of tiles may hold
    /// anything, also NaN, and is zeroed before any arithmetic; that of sticks is zero already.
    fn load_x(&self, row: u32, column: u32, page: u32, tiles: u32) {
        let (k, s) = (self.k, self.s);
        let has_short_rows = s.is_tile && s.rows_of(row) != 32;
        self.copies_of(cb::X);
        for tile in 0..tiles {
            k.copy_tile(cb::X, page + tile, tile);
            if has_short_rows {
                self.mask(ROW_MASK, tile);
                self.copies_of(cb::X);
            }
        }
        if s.is_tile && self.is_masked(column + tiles - 1) {
            self.mask(COLUMN_MASK, tiles - 1);
        }
    }

    /// Takes the centre from x: m0, and then r.
    fn centre(&self, tiles: u32, m0: u32, r: Option<u32>) {
        let k = self.k;
        k.sub_binary_tile_init();
        for tile in 0..tiles {
            k.sub_binary_tile(tile, m0, tile);
        }
        if let Some(r) = r {
            for tile in 0..tiles {
                k.sub_binary_tile(tile, r, tile);
            }
        }
    }

    /// Sums `count` tile columns from `first` on, whose tiles are pages from `page` on, and adds them to the page of sums.
    fn add_up(&self, row: u32, (first, count): (u32, u32), page: u32, sum: Sum) {
        let (k, s) = (self.k, self.s);
        k.tile_regs_acquire();
        if sum != Sum::X {
            self.load(cb::CENTRE, 0, sums::M0);
        }
        if sum == Sum::Square {
            self.load(cb::CENTRE, 1, sums::R);
        }
        k.fill_tile_init();
        k.fill_tile(sums::SUM, 0.0);
        for (column, tiles) in s.blocks(count) {
            self.load_x(row, first + column, page + column, tiles);
            if sum != Sum::X {
                self.centre(tiles, sums::M0, (sum == Sum::Square).then_some(sums::R));
                // Padding is 0 before, and the centre below 0 after.
                if self.is_masked(first + column + tiles - 1) {
                    self.mask(COLUMN_MASK, tiles - 1);
                }
            }
            if sum == Sum::Square {
                k.square_tile_init();
                for tile in 0..tiles {
                    k.square_tile(tile);
                }
            }
            k.add_binary_tile_init();
            for tile in 0..tiles {
                k.add_binary_tile(sums::SUM, tile, sums::SUM);
            }
        }
        k.tile_regs_commit();
        k.cb_reserve_back(cb::SUMS, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(cb::SUMS);
        // The first chunk overwrites what L1 holds, the others add to it.
        k.pack_reconfig_l1_acc(first != 0);
        k.pack_tile_out_of_order(sums::SUM, cb::SUMS, 0);
        k.tile_regs_release();
    }

    /// From the page of sums to a statistic of each row, in column 0; then waits until it is spread.
    fn column(&self, sum: Sum) {
        const STATISTIC: u32 = 0;
        const MEAN: u32 = 1;
        const R: u32 = 2;
        use compile_time as ct;
        let k = self.k;
        let is_last = sum == Sum::Square;
        let with_mean = is_last && self.s.statistics;
        k.cb_push_back(cb::SUMS, 1);
        k.cb_wait_front(cb::SUMS, 1);
        k.tile_regs_acquire();
        self.load(cb::SUMS, 0, STATISTIC);
        k.sfpu_reduce_init();
        k.sfpu_reduce(ReduceDim::Row, STATISTIC);
        k.binop_with_scalar_tile_init();
        k.mul_unary_tile(STATISTIC, self.scalar(if sum == Sum::X { ct::ONE_OVER_SHIFT } else { ct::ONE_OVER_N }));
        if is_last {
            k.add_unary_tile(STATISTIC, self.scalar(ct::EPS));
            k.rsqrt_tile_init();
            k.rsqrt_tile(STATISTIC);
        }
        if with_mean {
            self.copies_of(cb::CENTRE);
            k.copy_tile(cb::CENTRE, 0, MEAN);
            k.copy_tile(cb::CENTRE, 1, R);
            k.add_binary_tile_init();
            k.add_binary_tile(MEAN, R, MEAN);
        }
        k.tile_regs_commit();
        k.cb_pop_front(cb::SUMS, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(cb::STATS);
        k.pack_reconfig_l1_acc(false);
        k.cb_reserve_back(cb::STATS, 1);
        k.pack_tile(STATISTIC, cb::STATS);
        k.cb_push_back(cb::STATS, 1);
        if with_mean {
            k.cb_reserve_back(cb::STATS, 1);
            k.pack_tile(MEAN, cb::STATS);
            k.cb_push_back(cb::STATS, 1);
        }
        k.tile_regs_release();
        match sum {
            Sum::X => k.cb_wait_front(cb::CENTRE, 1),
            Sum::Residual => k.cb_wait_front(cb::CENTRE, 2),
            Sum::Square => k.cb_wait_front(cb::RSTD, 1),
        }
    }

    /// y of a whole row.
    fn normalise(&self, row: u32) {
        let (k, s) = (self.k, self.s);
        self.for_each_chunk(false, |first, count, page| {
            k.cb_reserve_back(cb::OUT, s.chunk);
            k.pack_reconfig_l1_acc(false);
            if s.is_tile {
                k.pack_reconfig_data_format(cb::OUT);
            } else {
                k.pack_untilize_dest_init(s.block, s.chunk, cb::OUT);
            }
            for (column, tiles) in s.blocks(count) {
                self.block_of_y(row, first + column, page + column, tiles);
                k.tile_regs_wait();
                if s.is_tile {
                    for tile in 0..tiles {
                        k.pack_tile(tile, cb::OUT);
                    }
                } else {
                    k.pack_untilize_dest(s.block, s.chunk, cb::OUT, column / s.block);
                }
                k.tile_regs_release();
            }
            if !s.is_tile {
                k.pack_untilize_uninit(cb::OUT);
            }
            k.cb_push_back(cb::OUT, s.chunk);
        });
    }

    /// y of a block in Dst 0 and up, committed.
    fn block_of_y(&self, row: u32, column: u32, page: u32, tiles: u32) {
        let (k, s) = (self.k, self.s);
        k.tile_regs_acquire();
        self.copies_of(cb::CENTRE);
        k.copy_tile(cb::CENTRE, 0, y::M0);
        k.copy_tile(cb::CENTRE, 1, y::R);
        self.load(cb::RSTD, 0, y::RSTD);
        self.load_x(row, column, page, tiles);
        self.centre(tiles, y::M0, Some(y::R));
        k.mul_binary_tile_init();
        for tile in 0..tiles {
            k.mul_binary_tile(tile, y::RSTD, tile);
        }
        if s.has_gamma {
            self.load_row(cb::GAMMA, tiles, y::GAMMA);
            k.mul_binary_tile_init();
            for tile in 0..tiles {
                k.mul_binary_tile(tile, y::GAMMA + tile, tile);
            }
        }
        if s.has_beta {
            self.load_row(cb::BETA, tiles, y::BETA);
            k.add_binary_tile_init();
            for tile in 0..tiles {
                k.add_binary_tile(tile, y::BETA + tile, tile);
            }
        }
        // The packer writes whole blocks; what lies behind the row goes nowhere, but it must be something.
        if tiles < s.block {
            k.fill_tile_init();
            for tile in tiles..s.block {
                k.fill_tile(tile, 0.0);
            }
        }
        k.tile_regs_commit();
    }

    /// Reads a block of gamma or beta to Dst from `dst` on, with its row in all rows.
    fn load_row(&self, cb: u32, tiles: u32, dst: u32) {
        let (k, s) = (self.k, self.s);
        k.cb_wait_front(cb, s.block);
        if s.is_fp32 {
            self.copies_of(cb);
            for tile in 0..tiles {
                k.copy_tile(cb, tile, dst + tile);
            }
        } else {
            // 0 + row, exact for bf16. `unary_bcast` of rows moves 16-bit rows, which a 32-bit Dst scrambles (measured: golden
            // vectors), and a multiply would first need a Dst of zeros.
            k.reconfig_data_format(cb::ZERO, cb);
            k.add_bcast_rows_init(cb::ZERO, cb);
            for tile in 0..tiles {
                k.add_tiles_bcast_rows(cb::ZERO, cb, 0, tile, dst + tile);
            }
        }
        k.cb_pop_front(cb, s.block);
    }
}
