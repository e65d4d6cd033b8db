//! UNPACK, MATH, PACK: two passes over a row.
//!
//! The first sums g = dy gamma and g (x - mean) over the row, lane by lane, and reduces the 32 columns that are left. The second
//! computes dx and accumulates dy x_hat and dy in L1; of a row that is alone it reduces them where they are. Sums and differences
//! run on the vector unit: the matrix unit would keep 11 bits of them. Dst is used in full sync with 32 bits: eight tiles, which
//! both passes fill.

use tileproof_kernel::{Compute, ReduceDim};

use crate::layernorm_bw::buffers::cb;

/// Compile-time arguments.
pub(crate) mod compile_time {
    pub(crate) const WT: usize = 0;
    pub(crate) const BLOCK: usize = 1;
    pub(crate) const GROUP: usize = 2;
    pub(crate) const L1_PATH: usize = 3;
    pub(crate) const HAS_COLUMN_MASK: usize = 4;
    pub(crate) const HAS_ROW_MASK: usize = 5;
    /// Tile rows of one matrix.
    pub(crate) const HT: usize = 6;
    pub(crate) const IS_FP32: usize = 7;
    /// 1/N as fp32 bits, rounded to nearest.
    pub(crate) const ONE_OVER_N: usize = 8;
}

/// Runtime arguments.
pub(crate) mod runtime {
    pub(crate) const START_ROW: usize = 0;
    pub(crate) const ROWS: usize = 1;
}

/// Dst tiles of the first pass. A mask must follow the tile that it masks.
mod sums {
    pub(super) const X: u32 = 0;
    pub(super) const X_MASK: u32 = 1;
    pub(super) const G: u32 = 2;
    pub(super) const G_MASK: u32 = 3;
    pub(super) const MEAN: u32 = 4;
    pub(super) const S1: u32 = 5;
    pub(super) const S2: u32 = 6;
    pub(super) const RSTD: u32 = 7;
}

/// Dst tiles of the second pass. The mean is used up before the mask of dy takes its place.
mod grad {
    pub(super) const X_HAT: u32 = 0;
    pub(super) const X_HAT_MASK: u32 = 1;
    pub(super) const SCRATCH: u32 = 1;
    pub(super) const DX: u32 = 2;
    pub(super) const DX_MASK: u32 = 3;
    pub(super) const DY: u32 = 3;
    pub(super) const MEAN: u32 = 4;
    pub(super) const DY_MASK: u32 = 4;
    pub(super) const RSTD: u32 = 5;
    pub(super) const S1: u32 = 6;
    pub(super) const S2: u32 = 7;
}

/// `mask_tile` ignores its mask argument and takes the tile after the data.
const _: () = assert!(
    sums::X_MASK == sums::X + 1
        && sums::G_MASK == sums::G + 1
        && grad::X_HAT_MASK == grad::X_HAT + 1
        && grad::DX_MASK == grad::DX + 1
        && grad::DY_MASK == grad::DY + 1
);

/// Pages of the mask buffer.
const COLUMN_MASK: u32 = 0;
const ROW_MASK: u32 = 1;

/// How a row stands among those whose parts of dgamma and dbeta are added up.
#[derive(Clone, Copy)]
struct Turn {
    is_first: bool,
    /// There is no other.
    is_only: bool,
}

struct Backward<'a> {
    k: &'a Compute<'a>,
    wt: u32,
    ht: u32,
    has_column_mask: bool,
    has_row_mask: bool,
    is_fp32: bool,
    one_over_n: f32,
}

/// The kernel.
pub(crate) fn kernel(k: &Compute<'_>) {
    use compile_time as ct;
    let arg = |index| k.get_compile_time_arg_val(index);
    let op = Backward {
        k,
        wt: arg(ct::WT),
        ht: arg(ct::HT),
        has_column_mask: arg(ct::HAS_COLUMN_MASK) != 0,
        has_row_mask: arg(ct::HAS_ROW_MASK) != 0,
        is_fp32: arg(ct::IS_FP32) != 0,
        one_over_n: f32::from_bits(arg(ct::ONE_OVER_N)),
    };
    let (block, group) = (arg(ct::BLOCK), arg(ct::GROUP));
    let start = k.get_arg_val(runtime::START_ROW);
    let end = start + k.get_arg_val(runtime::ROWS);
    k.compute_kernel_hw_startup(cb::X, cb::GAMMA, cb::DX);
    k.cb_wait_front(cb::MASKS, 2);
    if arg(ct::L1_PATH) != 0 {
        op.in_l1(start, end);
    } else {
        let mut first = start;
        while first < end {
            let last = (first + group).min(end);
            op.in_blocks(first, last, block);
            first = last;
        }
    }
    k.cb_pop_front(cb::MASKS, 2);
}

impl Backward<'_> {
    /// The whole row of x, dy and gamma in L1.
    fn in_l1(&self, start: u32, end: u32) {
        let (k, wt) = (self.k, self.wt);
        let is_only = end - start == 1;
        k.cb_wait_front(cb::GAMMA, wt);
        for row in start..end {
            k.cb_wait_front(cb::STATS, 2);
            k.cb_wait_front(cb::X, wt);
            k.cb_wait_front(cb::DY, wt);
            self.open_sums(0);
            for column in 0..wt {
                self.add_to_sums((row, column), column);
            }
            self.close_sums();
            k.cb_wait_front(cb::SUMS_BROADCAST, 2);
            if !is_only {
                self.open_parts(wt, row == start);
            }
            for column in 0..wt {
                self.gradients((row, column), column, 0, Turn { is_first: row == start, is_only });
            }
            if !is_only {
                self.close_parts(wt);
            }
            k.cb_pop_front(cb::X, wt);
            k.cb_pop_front(cb::DY, wt);
            k.cb_pop_front(cb::STATS, 2);
            k.cb_pop_front(cb::SUMS_BROADCAST, 2);
        }
        k.cb_pop_front(cb::GAMMA, wt);
        if !is_only {
            self.reduce_rows(wt, wt);
        }
    }

    /// Rows `first..last` in blocks of columns.
    fn in_blocks(&self, first: u32, last: u32, block: u32) {
        let (k, rows) = (self.k, last - first);
        let is_only = rows == 1;
        for row in 0..rows {
            k.cb_wait_front(cb::STATS, 2 * (row + 1));
            self.open_sums(2 * row);
            let mut column = 0;
            while column < self.wt {
                let count = block.min(self.wt - column);
                k.cb_wait_front(cb::GAMMA, block);
                k.cb_wait_front(cb::X, block);
                k.cb_wait_front(cb::DY, block);
                for tile in 0..count {
                    self.add_to_sums((first + row, column + tile), tile);
                }
                k.cb_pop_front(cb::GAMMA, block);
                k.cb_pop_front(cb::X, block);
                k.cb_pop_front(cb::DY, block);
                column += count;
            }
            self.close_sums();
        }
        k.cb_wait_front(cb::SUMS_BROADCAST, 2 * rows);
        let mut column = 0;
        while column < self.wt {
            let count = block.min(self.wt - column);
            k.cb_wait_front(cb::GAMMA, block);
            for row in first..last {
                k.cb_wait_front(cb::X, block);
                k.cb_wait_front(cb::DY, block);
                if !is_only {
                    self.open_parts(block, row == first);
                }
                for tile in 0..count {
                    let turn = Turn { is_first: row == first, is_only };
                    self.gradients((row, column + tile), tile, 2 * (row - first), turn);
                }
                if !is_only {
                    self.close_parts(block);
                }
                k.cb_pop_front(cb::X, block);
                k.cb_pop_front(cb::DY, block);
            }
            k.cb_pop_front(cb::GAMMA, block);
            if !is_only {
                self.reduce_rows(block, count);
            }
            column += count;
        }
        k.cb_pop_front(cb::STATS, 2 * rows);
        k.cb_pop_front(cb::SUMS_BROADCAST, 2 * rows);
    }

    /// Reads `tile` of `cb` to `Dst[dst]`.
    #[track_caller]
    fn load(&self, cb: u32, tile: u32, dst: u32) {
        self.load_all([(cb, tile, dst)]);
    }

    /// Reads tiles, each (buffer, page, tile of Dst), of buffers whose tiles are alike.
    #[track_caller]
    fn load_all<const N: usize>(&self, tiles: [(u32, u32, u32); N]) {
        let (cb, ..) = tiles[0];
        self.k.reconfig_data_format_srca(cb);
        self.k.copy_init(cb);
        for (cb, tile, dst) in tiles {
            self.k.copy_tile(cb, tile, dst);
        }
    }

    /// `Dst[dst] = dy gamma`, with `scratch` free. bf16 products are exact in the matrix unit, which adds them to what the
    /// register holds: so it is cleared first.
    fn product(&self, tile: u32, gamma: u32, dst: u32, scratch: u32) {
        let k = self.k;
        if self.is_fp32 {
            self.load_all([(cb::DY, tile, dst), (cb::GAMMA, gamma, scratch)]);
            k.mul_binary_tile_init();
            k.mul_binary_tile(dst, scratch, dst);
        } else {
            k.fill_tile_init();
            k.fill_tile(dst, 0.0);
            k.reconfig_data_format(cb::DY, cb::GAMMA);
            k.mul_bcast_rows_init(cb::DY, cb::GAMMA);
            k.mul_tiles_bcast_rows(cb::DY, cb::GAMMA, tile, gamma, dst);
        }
    }

    /// Zeroes the padding in `Dst[dst]`, which holds a tile of (row, column); `Dst[dst + 1]` is used for the mask. Padding
    /// may hold anything, also NaN, and none of it may enter the arithmetic.
    fn mask_padding(&self, (row, column): (u32, u32), dst: u32) {
        let in_last_column = self.has_column_mask && column == self.wt - 1;
        let in_last_row = self.has_row_mask && row % self.ht == self.ht - 1;
        for (applies, page) in [(in_last_column, COLUMN_MASK), (in_last_row, ROW_MASK)] {
            if applies {
                self.load(cb::MASKS, page, dst + 1);
                self.k.mask_tile_init();
                self.k.mask_tile(dst, dst + 1);
            }
        }
    }

    /// Opens the window in which a row is summed; its statistics are pages `stats` and `stats + 1`.
    fn open_sums(&self, stats: u32) {
        let k = self.k;
        k.tile_regs_acquire();
        self.load_all([(cb::STATS, stats, sums::MEAN), (cb::STATS, stats + 1, sums::RSTD)]);
        k.fill_tile_init();
        k.fill_tile(sums::S1, 0.0);
        k.fill_tile(sums::S2, 0.0);
    }

    /// Adds the tile at `place` (row, column), which is page `tile` of x, dy and gamma.
    fn add_to_sums(&self, place: (u32, u32), tile: u32) {
        let k = self.k;
        self.load(cb::X, tile, sums::X);
        self.mask_padding(place, sums::X);
        self.product(tile, tile, sums::G, sums::G_MASK);
        self.mask_padding(place, sums::G);
        k.sub_binary_tile_init();
        k.sub_binary_tile(sums::X, sums::MEAN, sums::X);
        k.mul_binary_tile_init();
        k.mul_binary_tile(sums::X, sums::G, sums::X);
        k.add_binary_tile_init();
        k.add_binary_tile(sums::S1, sums::G, sums::S1);
        k.add_binary_tile(sums::S2, sums::X, sums::S2);
    }

    /// s1 and s2 of the row, in column 0.
    fn close_sums(&self) {
        let k = self.k;
        k.mul_binary_tile_init();
        k.mul_binary_tile(sums::S2, sums::RSTD, sums::S2);
        k.binop_with_scalar_tile_init();
        k.mul_unary_tile(sums::S1, self.one_over_n);
        k.mul_unary_tile(sums::S2, self.one_over_n);
        k.sfpu_reduce_init();
        k.sfpu_reduce(ReduceDim::Row, sums::S1);
        k.sfpu_reduce(ReduceDim::Row, sums::S2);
        k.tile_regs_commit();
        k.cb_reserve_back(cb::SUMS, 2);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(cb::SUMS);
        k.pack_reconfig_l1_acc(false);
        k.pack_tile(sums::S1, cb::SUMS);
        k.pack_tile(sums::S2, cb::SUMS);
        k.tile_regs_release();
        k.cb_push_back(cb::SUMS, 2);
    }

    /// Takes the pages of the sums of dgamma and dbeta, to which the packer adds a row. Those of the row before were pushed,
    /// and are waited for and popped: that is what orders the packer's reads after its last writes (`llk_io_pack.h`; the block
    /// loop of `bmm_large_block_zm_fused_bias_activation.cpp`). The buffers hold `pages` pages, so they are the same ones again.
    fn open_parts(&self, pages: u32, is_first: bool) {
        for cb in [cb::DGAMMA_SUM, cb::DBETA_SUM] {
            if !is_first {
                self.k.cb_wait_front(cb, pages);
                self.k.cb_pop_front(cb, pages);
            }
            self.k.cb_reserve_back(cb, pages);
        }
    }

    /// Hands the sums over, with a row more in them.
    fn close_parts(&self, pages: u32) {
        self.k.cb_push_back(cb::DGAMMA_SUM, pages);
        self.k.cb_push_back(cb::DBETA_SUM, pages);
    }

    /// dx of the tile at `place` (row, column), and its part of dgamma and dbeta added to page `tile` of their sums, or handed over
    /// where no other row has a part. The statistics and sums of the row are pages `pages` and `pages + 1`.
    fn gradients(&self, place: (u32, u32), tile: u32, pages: u32, turn: Turn) {
        let k = self.k;
        k.tile_regs_acquire();
        self.load_all([
            (cb::STATS, pages, grad::MEAN),
            (cb::STATS, pages + 1, grad::RSTD),
            (cb::SUMS_BROADCAST, pages, grad::S1),
            (cb::SUMS_BROADCAST, pages + 1, grad::S2),
        ]);
        self.product(tile, tile, grad::DX, grad::SCRATCH);
        self.mask_padding(place, grad::DX);
        self.load_all([(cb::X, tile, grad::X_HAT), (cb::DY, tile, grad::DY)]);
        self.mask_padding(place, grad::X_HAT);
        k.sub_binary_tile_init();
        k.sub_binary_tile(grad::X_HAT, grad::MEAN, grad::X_HAT);
        k.sub_binary_tile(grad::DX, grad::S1, grad::DX);
        self.mask_padding(place, grad::DY);
        k.mul_binary_tile_init();
        k.mul_binary_tile(grad::X_HAT, grad::RSTD, grad::X_HAT);
        k.mul_binary_tile(grad::X_HAT, grad::S2, grad::SCRATCH);
        k.sub_binary_tile_init();
        k.sub_binary_tile(grad::DX, grad::SCRATCH, grad::DX);
        k.mul_binary_tile_init();
        k.mul_binary_tile(grad::DX, grad::RSTD, grad::DX);
        k.mul_binary_tile(grad::X_HAT, grad::DY, grad::X_HAT);
        if turn.is_only {
            self.reduce(grad::X_HAT, grad::DY);
        }
        k.tile_regs_commit();
        k.cb_reserve_back(cb::DX, 1);
        if turn.is_only {
            self.reserve_parts();
        }
        k.tile_regs_wait();
        // Where no other row has a part nothing adds in L1 since the sums were packed.
        if !turn.is_only {
            k.pack_reconfig_l1_acc(false);
        }
        k.pack_reconfig_data_format(cb::DX);
        k.pack_tile(grad::DX, cb::DX);
        if turn.is_only {
            self.pack_parts(grad::X_HAT, grad::DY);
        } else {
            // The first row overwrites what L1 holds, the others add to it.
            k.pack_reconfig_data_format(cb::DGAMMA_SUM);
            k.pack_reconfig_l1_acc(!turn.is_first);
            k.pack_tile_out_of_order(grad::X_HAT, cb::DGAMMA_SUM, tile);
            k.pack_tile_out_of_order(grad::DY, cb::DBETA_SUM, tile);
        }
        k.tile_regs_release();
        k.cb_push_back(cb::DX, 1);
        if turn.is_only {
            self.push_parts();
        }
    }

    /// Sums the 32 rows of dgamma and dbeta in Dst, to row 0 of each.
    fn reduce(&self, dgamma: u32, dbeta: u32) {
        self.k.sfpu_reduce_init();
        self.k.sfpu_reduce(ReduceDim::Col, dgamma);
        self.k.sfpu_reduce(ReduceDim::Col, dbeta);
    }

    fn reserve_parts(&self) {
        self.k.cb_reserve_back(cb::DGAMMA, 1);
        self.k.cb_reserve_back(cb::DBETA, 1);
    }

    fn pack_parts(&self, dgamma: u32, dbeta: u32) {
        self.k.pack_reconfig_data_format(cb::DGAMMA);
        self.k.pack_tile(dgamma, cb::DGAMMA);
        self.k.pack_tile(dbeta, cb::DBETA);
    }

    fn push_parts(&self) {
        self.k.cb_push_back(cb::DGAMMA, 1);
        self.k.cb_push_back(cb::DBETA, 1);
    }

    /// Sums the 32 rows of the first `count` pages of dgamma and dbeta; `pages` were pushed.
    fn reduce_rows(&self, pages: u32, count: u32) {
        let k = self.k;
        k.cb_wait_front(cb::DGAMMA_SUM, pages);
        k.cb_wait_front(cb::DBETA_SUM, pages);
        k.pack_reconfig_l1_acc(false);
        for tile in 0..count {
            k.tile_regs_acquire();
            self.load_all([(cb::DGAMMA_SUM, tile, 0), (cb::DBETA_SUM, tile, 1)]);
            self.reduce(0, 1);
            k.tile_regs_commit();
            self.reserve_parts();
            k.tile_regs_wait();
            self.pack_parts(0, 1);
            k.tile_regs_release();
            self.push_parts();
        }
        k.cb_pop_front(cb::DGAMMA_SUM, pages);
        k.cb_pop_front(cb::DBETA_SUM, pages);
    }
}
