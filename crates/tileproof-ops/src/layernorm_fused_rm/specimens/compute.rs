//! UNPACK, MATH and PACK of the specimens. The place of each fault is marked, and what a finding must point at.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::{Compute, ReduceDim};

use super::fault::{Specimen, Y_TILES};
use crate::layernorm_fused_rm::buffers::cb;
use crate::layernorm_fused_rm::kernels::{Shared, WORDS};

/// Compile-time arguments: the op's, then those of the specimens. All but the last are fp32 bits.
mod compile_time {
    pub(super) const ONE_OVER_N: usize = super::WORDS + 1;
    pub(super) const EPS: usize = super::WORDS + 2;
    pub(super) const ONE_OVER_PADDED: usize = super::WORDS + 3;
    pub(super) const SPECIMEN: usize = super::WORDS + 4;
}

/// Dst tiles. A mask must follow the tile that it masks.
const X: u32 = 0;
const MASK: u32 = 1;
const MEAN: u32 = 2;
const RSTD: u32 = 3;
const ROW: u32 = 4;
const SUM: u32 = 5;
const SQUARES: u32 = 6;

struct Kernel<'a> {
    k: &'a Compute<'a>,
    s: Shared,
    fault: u32,
}

/// The kernel.
pub(super) fn kernel(k: &Compute<'_>) {
    let s = Shared::new(|index| k.get_compile_time_arg_val(index));
    let op = Kernel { k, s, fault: k.get_compile_time_arg_val(compile_time::SPECIMEN) };
    if !op.is(Specimen::MissingStartup) {
        k.compute_kernel_hw_startup(cb::STICKS, cb::STICKS, cb::X);
    }
    k.cb_wait_front(cb::MASKS, 2);
    k.cb_wait_front(cb::ZERO, 1);
    for _ in 0..k.get_arg_val(1) {
        op.row();
    }
    k.cb_pop_front(cb::MASKS, 2);
    k.cb_pop_front(cb::ZERO, 1);
}

impl Kernel<'_> {
    fn is(&self, specimen: Specimen) -> bool {
        self.fault == specimen as u32
    }

    fn scalar(&self, index: usize) -> f32 {
        f32::from_bits(self.k.get_compile_time_arg_val(index))
    }

    fn one_over_n(&self) -> f32 {
        let padded = self.is(Specimen::PaddingCounts);
        self.scalar(if padded { compile_time::ONE_OVER_PADDED } else { compile_time::ONE_OVER_N })
    }

    #[track_caller]
    fn load(&self, cb: u32, tile: u32, dst: u32) {
        self.k.reconfig_data_format_srca(cb);
        self.k.copy_init(cb);
        self.k.copy_tile(cb, tile, dst);
    }

    fn row(&self) {
        let (k, s) = (self.k, self.s);
        let pages = s.wt.next_multiple_of(s.chunk);
        for (_, count) in s.chunks() {
            self.tilize(count);
        }
        k.cb_wait_front(cb::X, pages);
        self.mean_and_variance();
        k.cb_wait_front(cb::CENTRE, 2);
        k.cb_wait_front(cb::RSTD, 1);
        for (first, count) in s.chunks() {
            self.normalise(first, count);
            self.untilize();
        }
        k.cb_pop_front(cb::X, pages);
        k.cb_pop_front(cb::CENTRE, 2);
        k.cb_pop_front(cb::RSTD, 1);
    }

    fn tilize(&self, count: u32) {
        let (k, s) = (self.k, self.s);
        if self.is(Specimen::SticksForTiles) {
            k.cb_wait_front(cb::STICKS, 32); // MARK waits for sticks
        }
        k.cb_wait_front(cb::STICKS, s.chunk);
        k.cb_reserve_back(cb::X, s.chunk);
        k.reconfig_data_format_srca(cb::STICKS); // MARK first call without start-up
        k.pack_reconfig_data_format(cb::X);
        k.tilize_init(cb::STICKS, count, cb::X);
        k.tilize_block(cb::STICKS, count, cb::X);
        k.tilize_uninit(cb::STICKS, cb::X);
        k.cb_push_back(cb::X, s.chunk);
        k.cb_pop_front(cb::STICKS, s.chunk);
    }

    /// Column 0 of `Dst[dst]`, of the window that is committed, to the writer.
    fn push_statistic(&self, dst: u32) {
        let k = self.k;
        k.cb_reserve_back(cb::STATS, 1);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(cb::STATS);
        k.pack_tile(dst, cb::STATS);
        k.tile_regs_release();
        k.cb_push_back(cb::STATS, 1);
    }

    /// Sums the rows of `Dst[dst]` to column 0 and divides by N.
    fn average(&self, dst: u32) {
        let k = self.k;
        k.sfpu_reduce_init();
        let format = if self.is(Specimen::NarrowDst) { DataFormat::Float16_b } else { DataFormat::Float32 };
        k.sfpu_reduce_of(format, ReduceDim::Row, dst);
        k.binop_with_scalar_tile_init();
        k.mul_unary_tile(dst, self.one_over_n());
    }

    fn rstd_of(&self, variance: u32) {
        let k = self.k;
        k.binop_with_scalar_tile_init();
        k.add_unary_tile(variance, self.scalar(compile_time::EPS));
        k.rsqrt_tile_init();
        k.rsqrt_tile(variance);
    }

    /// The mean of each row, 0 for what completes it, and rstd.
    fn mean_and_variance(&self) {
        let (k, s) = (self.k, self.s);
        k.tile_regs_acquire();
        self.clear(SUM);
        for tile in 0..s.wt {
            self.load(cb::X, tile, X);
            k.add_binary_tile_init();
            k.add_binary_tile(SUM, X, SUM);
        }
        self.average(SUM);
        k.tile_regs_commit();
        self.push_statistic(SUM);
        k.cb_wait_front(cb::CENTRE, 1);

        k.tile_regs_acquire();
        self.clear(SUM);
        k.tile_regs_commit();
        self.push_statistic(SUM);

        k.tile_regs_acquire();
        self.load(cb::CENTRE, 0, MEAN);
        self.clear(SQUARES);
        let naive = self.is(Specimen::SquaresMinusSquare);
        for tile in 0..s.wt {
            self.load(cb::X, tile, X);
            if !naive {
                k.sub_binary_tile_init();
                k.sub_binary_tile(X, MEAN, X);
                if s.last_columns != 32 && tile == s.wt - 1 && !self.is(Specimen::PaddingCounts) {
                    self.load(cb::MASKS, 0, MASK);
                    k.mask_tile_init();
                    k.mask_tile(X, MASK);
                }
            }
            k.square_tile_init();
            k.square_tile(X);
            k.add_binary_tile_init();
            k.add_binary_tile(SQUARES, X, SQUARES);
        }
        self.average(SQUARES);
        if naive {
            k.square_tile_init();
            k.square_tile(MEAN);
            k.sub_binary_tile_init();
            k.sub_binary_tile(SQUARES, MEAN, SQUARES);
        }
        self.rstd_of(SQUARES);
        k.tile_regs_commit();
        self.push_statistic(SQUARES);
    }

    fn clear(&self, dst: u32) {
        self.k.fill_tile_init();
        self.k.fill_tile(dst, 0.0);
    }

    /// y of a chunk, as tiles; the pages behind a short one are zero.
    fn normalise(&self, first: u32, count: u32) {
        let (k, s) = (self.k, self.s);
        k.cb_reserve_back(Y_TILES, s.chunk);
        for tile in 0..s.chunk {
            let uses_rows = tile < count;
            if uses_rows && tile.is_multiple_of(s.block) {
                k.cb_wait_front(cb::GAMMA, s.block);
                k.cb_wait_front(cb::BETA, s.block);
            }
            k.tile_regs_acquire();
            if uses_rows {
                self.tile(first + tile, tile % s.block);
            } else {
                self.clear(X);
            }
            k.tile_regs_commit();
            k.tile_regs_wait();
            k.pack_reconfig_data_format(Y_TILES);
            k.pack_tile(X, Y_TILES);
            k.tile_regs_release();
            if uses_rows && (tile % s.block == s.block - 1 || tile == count - 1) {
                k.cb_pop_front(cb::GAMMA, s.block); // MARK pops gamma
                k.cb_pop_front(cb::BETA, s.block); // MARK pops beta
            }
        }
        k.cb_push_back(Y_TILES, s.chunk);
    }

    /// y of tile column `column`, whose gamma and beta are at `page` of their blocks.
    fn tile(&self, column: u32, page: u32) {
        let k = self.k;
        self.load(cb::CENTRE, 0, MEAN);
        self.load(cb::RSTD, 0, RSTD);
        self.load(cb::X, column, X);
        k.sub_binary_tile_init();
        k.sub_binary_tile(X, MEAN, X);
        k.mul_binary_tile_init();
        k.mul_binary_tile(X, RSTD, X);
        if self.is(Specimen::AffineUnused) {
            return;
        }
        self.load_row(cb::GAMMA, page);
        k.mul_binary_tile_init();
        k.mul_binary_tile(X, ROW, X);
        self.load_row(cb::BETA, page);
        k.add_binary_tile_init();
        k.add_binary_tile(X, ROW, X);
    }

    fn load_row(&self, cb: u32, page: u32) {
        let k = self.k;
        k.reconfig_data_format(cb::ZERO, cb);
        k.add_bcast_rows_init(cb::ZERO, cb);
        k.add_tiles_bcast_rows(cb::ZERO, cb, 0, page, ROW);
    }

    fn untilize(&self) {
        let (k, s) = (self.k, self.s);
        let block = if self.is(Specimen::WideUntilize) { s.chunk } else { s.block };
        k.cb_reserve_back(cb::OUT, s.chunk);
        k.reconfig_data_format_srca(Y_TILES);
        k.pack_untilize_init(block, s.chunk, Y_TILES, cb::OUT);
        for column in 0..s.chunk / block {
            k.cb_wait_front(Y_TILES, block);
            k.pack_untilize_block(block, s.chunk, Y_TILES, cb::OUT, column); // MARK untilizes
            k.cb_pop_front(Y_TILES, block);
        }
        k.pack_untilize_uninit(cb::OUT);
        k.cb_push_back(cb::OUT, s.chunk);
    }
}
