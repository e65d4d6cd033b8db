//! UNPACK, MATH, PACK: two passes over a row.
//!
//! The first sums g = dy gamma and g (x - mean) over the row, lane by lane, and reduces the 32 columns that are left. The second
//! computes dx and accumulates dy x_hat and dy in L1; of a row that is alone it reduces them where they are. Sums and differences
//! run on the vector unit: the matrix unit would keep 11 bits of them. Dst is used in full sync with 32 bits: eight tiles, which
//! two columns fill in both passes. A tile with padding goes alone: its mask takes the place of the other.

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

/// Dst tiles of the first pass: two of x and two of g, which may hold one of each and its mask.
mod sums {
    pub(super) const X: u32 = 0;
    pub(super) const G: u32 = 2;
    pub(super) const MEAN: u32 = 4;
    pub(super) const S1: u32 = 5;
    pub(super) const S2: u32 = 6;
    pub(super) const RSTD: u32 = 7;
}

/// Dst tiles of the second pass, two of each for a pair. The mean and s1 are used up before rstd and s2 take their places, and what is
/// scratch before dy is needed.
mod grad {
    pub(super) const X_HAT: u32 = 0;
    pub(super) const DX: u32 = 2;
    pub(super) const SCRATCH: u32 = 4;
    pub(super) const DY: u32 = 4;
    pub(super) const MEAN: u32 = 6;
    pub(super) const RSTD: u32 = 6;
    pub(super) const S1: u32 = 7;
    pub(super) const S2: u32 = 7;
}

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
            self.add_all_to_sums((row, 0), wt);
            self.close_sums();
            k.cb_wait_front(cb::SUMS_BROADCAST, 2);
            if !is_only {
                self.open_parts(wt, row == start);
            }
            self.all_gradients((row, 0), wt, 0, Turn { is_first: row == start, is_only });
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
                self.add_all_to_sums((first + row, column), count);
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
                let turn = Turn { is_first: row == first, is_only };
                self.all_gradients((row, column), count, 2 * (row - first), turn);
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

    /// Goes through `count` tiles from `place` (row, column) on: where each begins, which page it is, and whether the next goes with it.
    fn pairs(&self, (row, column): (u32, u32), count: u32, step: impl Fn((u32, u32), u32, bool)) {
        let has_padding = |column: u32| self.masks((row, column)).iter().any(|(applies, _)| *applies);
        let mut tile = 0;
        while tile < count {
            let at = column + tile;
            let is_pair = tile + 1 < count && !has_padding(at) && !has_padding(at + 1);
            step((row, at), tile, is_pair);
            tile += if is_pair { 2 } else { 1 };
        }
    }

    /// Adds `count` tiles from `place` on, the first pages of x, dy and gamma.
    fn add_all_to_sums(&self, place: (u32, u32), count: u32) {
        self.pairs(place, count, |place, tile, is_pair| match is_pair {
            true => self.add_to_sums::<2>(place, tile),
            false => self.add_to_sums::<1>(place, tile),
        });
    }

    /// The gradients of `count` tiles from `place` on.
    fn all_gradients(&self, place: (u32, u32), count: u32, pages: u32, turn: Turn) {
        self.pairs(place, count, |place, tile, is_pair| match is_pair {
            true => self.gradients::<2>(place, tile, pages, turn),
            false => self.gradients::<1>(place, tile, pages, turn),
        });
    }

    /// Reads `N` tiles of `cb` from `tile` on to Dst from `dst` on.
    #[track_caller]
    fn load<const N: usize>(&self, cb: u32, tile: u32, dst: u32) {
        self.k.reconfig_data_format_srca(cb);
        self.k.copy_init(cb);
        for at in 0..N as u32 {
            self.k.copy_tile(cb, tile + at, dst + at);
        }
    }

    /// Reads two tiles, each (buffer, page, tile of Dst), of buffers whose tiles are alike.
    #[track_caller]
    fn load_both(&self, tiles: [(u32, u32, u32); 2]) {
        let (cb, ..) = tiles[0];
        self.k.reconfig_data_format_srca(cb);
        self.k.copy_init(cb);
        for (cb, tile, dst) in tiles {
            self.k.copy_tile(cb, tile, dst);
        }
    }

    /// `Dst[dst] = dy gamma` of `N` tiles from page `tile` on, with as many from `scratch` on free. bf16 products are exact in the matrix
    /// unit, which adds them to what the register holds: that must be zero, as the packer leaves it when it releases Dst.
    fn product<const N: usize>(&self, tile: u32, dst: u32, scratch: u32) {
        let k = self.k;
        if self.is_fp32 {
            self.load::<N>(cb::DY, tile, dst);
            self.load::<N>(cb::GAMMA, tile, scratch);
            k.mul_binary_tile_init();
            for at in 0..N as u32 {
                k.mul_binary_tile(dst + at, scratch + at, dst + at);
            }
        } else {
            k.reconfig_data_format(cb::DY, cb::GAMMA);
            k.mul_bcast_rows_init(cb::DY, cb::GAMMA);
            for at in 0..N as u32 {
                k.mul_tiles_bcast_rows(cb::DY, cb::GAMMA, tile + at, tile + at, dst + at);
            }
        }
    }

    /// Which masks a tile needs, each with its page.
    fn masks(&self, (row, column): (u32, u32)) -> [(bool, u32); 2] {
        let in_last_column = self.has_column_mask && column == self.wt - 1;
        let in_last_row = self.has_row_mask && row % self.ht == self.ht - 1;
        [(in_last_column, COLUMN_MASK), (in_last_row, ROW_MASK)]
    }

    /// Zeroes the padding in `Dst[dst]`, which holds the tile at `place`; `Dst[dst + 1]` is used for the mask, which `mask_tile` takes from
    /// there whatever it is told. Padding may hold anything, also NaN, and none of it may enter the arithmetic.
    fn mask_padding(&self, place: (u32, u32), dst: u32) {
        for (applies, page) in self.masks(place) {
            if applies {
                self.load::<1>(cb::MASKS, page, dst + 1);
                self.k.mask_tile_init();
                self.k.mask_tile(dst, dst + 1);
            }
        }
    }

    /// Opens the window in which a row is summed; its statistics are pages `stats` and `stats + 1`.
    fn open_sums(&self, stats: u32) {
        let k = self.k;
        k.tile_regs_acquire();
        self.load_both([(cb::STATS, stats, sums::MEAN), (cb::STATS, stats + 1, sums::RSTD)]);
        k.fill_tile_init();
        k.fill_tile(sums::S1, 0.0);
        k.fill_tile(sums::S2, 0.0);
    }

    /// Adds `N` tiles from `place` (row, column) on, which are pages of x, dy and gamma from `tile` on.
    fn add_to_sums<const N: usize>(&self, place: (u32, u32), tile: u32) {
        let k = self.k;
        let each = || 0..N as u32;
        if !self.is_fp32 {
            // The window stays open from column to column.
            k.fill_tile_init();
            for at in each() {
                k.fill_tile(sums::G + at, 0.0);
            }
        }
        self.product::<N>(tile, sums::G, sums::X);
        self.mask_padding(place, sums::G);
        self.load::<N>(cb::X, tile, sums::X);
        self.mask_padding(place, sums::X);
        k.sub_binary_tile_init();
        for at in each() {
            k.sub_binary_tile(sums::X + at, sums::MEAN, sums::X + at);
        }
        k.mul_binary_tile_init();
        for at in each() {
            k.mul_binary_tile(sums::X + at, sums::G + at, sums::X + at);
        }
        k.add_binary_tile_init();
        for at in each() {
            k.add_binary_tile(sums::S1, sums::G + at, sums::S1);
            k.add_binary_tile(sums::S2, sums::X + at, sums::S2);
        }
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

    /// dx of `N` tiles from `place` (row, column) on, and their parts of dgamma and dbeta added to pages of their sums from `tile` on, or
    /// handed over where no other row has a part. The statistics and sums of the row are pages `pages` and `pages + 1`.
    fn gradients<const N: usize>(&self, place: (u32, u32), tile: u32, pages: u32, turn: Turn) {
        let k = self.k;
        let each = || 0..N as u32;
        k.tile_regs_acquire();
        self.product::<N>(tile, grad::DX, grad::SCRATCH);
        self.mask_padding(place, grad::DX);
        self.load::<N>(cb::X, tile, grad::X_HAT);
        self.mask_padding(place, grad::X_HAT);
        self.load_both([(cb::STATS, pages, grad::MEAN), (cb::SUMS_BROADCAST, pages, grad::S1)]);
        k.sub_binary_tile_init();
        for at in each() {
            k.sub_binary_tile(grad::X_HAT + at, grad::MEAN, grad::X_HAT + at);
            k.sub_binary_tile(grad::DX + at, grad::S1, grad::DX + at);
        }
        self.load_both([(cb::STATS, pages + 1, grad::RSTD), (cb::SUMS_BROADCAST, pages + 1, grad::S2)]);
        k.mul_binary_tile_init();
        for at in each() {
            k.mul_binary_tile(grad::X_HAT + at, grad::RSTD, grad::X_HAT + at);
            k.mul_binary_tile(grad::X_HAT + at, grad::S2, grad::SCRATCH + at);
        }
        k.sub_binary_tile_init();
        for at in each() {
            k.sub_binary_tile(grad::DX + at, grad::SCRATCH + at, grad::DX + at);
        }
        self.load::<N>(cb::DY, tile, grad::DY);
        self.mask_padding(place, grad::DY);
        k.mul_binary_tile_init();
        for at in each() {
            k.mul_binary_tile(grad::DX + at, grad::RSTD, grad::DX + at);
            k.mul_binary_tile(grad::X_HAT + at, grad::DY + at, grad::X_HAT + at);
        }
        if turn.is_only {
            self.reduce::<N>(grad::X_HAT, grad::DY);
        }
        k.tile_regs_commit();
        k.tile_regs_wait();
        // Where no other row has a part nothing adds in L1 since the sums were packed.
        if !turn.is_only {
            k.pack_reconfig_l1_acc(false);
        }
        k.pack_reconfig_data_format(cb::DX);
        for at in each() {
            k.cb_reserve_back(cb::DX, 1);
            k.pack_tile(grad::DX + at, cb::DX);
            k.cb_push_back(cb::DX, 1);
        }
        if turn.is_only {
            self.hand_over::<N>(grad::X_HAT, grad::DY);
        } else {
            // The first row overwrites what L1 holds, the others add to it.
            k.pack_reconfig_data_format(cb::DGAMMA_SUM);
            k.pack_reconfig_l1_acc(!turn.is_first);
            for at in each() {
                k.pack_tile_out_of_order(grad::X_HAT + at, cb::DGAMMA_SUM, tile + at);
                k.pack_tile_out_of_order(grad::DY + at, cb::DBETA_SUM, tile + at);
            }
        }
        k.tile_regs_release();
    }

    /// Sums the 32 rows of `N` tiles each of dgamma and dbeta in Dst, to row 0.
    fn reduce<const N: usize>(&self, dgamma: u32, dbeta: u32) {
        self.k.sfpu_reduce_init();
        for at in 0..N as u32 {
            self.k.sfpu_reduce(ReduceDim::Col, dgamma + at);
            self.k.sfpu_reduce(ReduceDim::Col, dbeta + at);
        }
    }

    /// Hands over `N` tiles each of dgamma and dbeta.
    fn hand_over<const N: usize>(&self, dgamma: u32, dbeta: u32) {
        let k = self.k;
        k.pack_reconfig_data_format(cb::DGAMMA);
        for at in 0..N as u32 {
            for (cb, dst) in [(cb::DGAMMA, dgamma), (cb::DBETA, dbeta)] {
                k.cb_reserve_back(cb, 1);
                k.pack_tile(dst + at, cb);
                k.cb_push_back(cb, 1);
            }
        }
    }

    /// Sums the 32 rows of the first `count` pages of dgamma and dbeta; `pages` were pushed.
    fn reduce_rows(&self, pages: u32, count: u32) {
        let k = self.k;
        k.cb_wait_front(cb::DGAMMA_SUM, pages);
        k.cb_wait_front(cb::DBETA_SUM, pages);
        k.pack_reconfig_l1_acc(false);
        for tile in 0..count {
            k.tile_regs_acquire();
            self.load_both([(cb::DGAMMA_SUM, tile, 0), (cb::DBETA_SUM, tile, 1)]);
            self.reduce::<1>(0, 1);
            k.tile_regs_commit();
            k.tile_regs_wait();
            self.hand_over::<1>(0, 1);
            k.tile_regs_release();
        }
        k.cb_pop_front(cb::DGAMMA_SUM, pages);
        k.cb_pop_front(cb::DBETA_SUM, pages);
    }
}
