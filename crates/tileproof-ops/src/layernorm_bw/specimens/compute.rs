//! UNPACK, MATH and PACK of the specimens: the place of each fault is marked, and what a finding must point at.

use tileproof_kernel::{Compute, ReduceDim};

use super::buffers::cb;
use super::fault::Specimen;

/// Compile-time arguments.
mod compile_time {
    pub(super) const WT: usize = 0;
    pub(super) const BLOCK: usize = 1;
    pub(super) const HAS_MASK: usize = 2;
    /// 1/N as fp32 bits, rounded to nearest.
    pub(super) const ONE_OVER_N: usize = 3;
    pub(super) const SPECIMEN: usize = 4;
}

/// Dst tiles while x_hat is computed: the block, then what it needs.
mod normal {
    pub(super) const MEAN: u32 = 4;
    pub(super) const RSTD: u32 = 5;
}

/// Dst tiles while a block is summed. A mask must follow the tile that it masks.
mod sums {
    pub(super) const G: u32 = 0;
    pub(super) const X_HAT: u32 = 2;
    pub(super) const S1: u32 = 4;
    pub(super) const S2: u32 = 5;
}

/// Dst tiles while a gradient is computed. The tile of g holds s1 at first.
mod grad {
    pub(super) const DX: u32 = 0;
    pub(super) const G: u32 = 1;
    pub(super) const S2: u32 = 2;
    pub(super) const RSTD: u32 = 3;
    pub(super) const DY: u32 = 4;
    pub(super) const X_HAT: u32 = 5;
}

struct Rows<'a> {
    k: &'a Compute<'a>,
    wt: u32,
    block: u32,
    has_mask: bool,
    one_over_n: f32,
    specimen: u32,
}

/// The kernel.
pub(super) fn kernel(k: &Compute<'_>) {
    use compile_time as ct;
    let arg = |index| k.get_compile_time_arg_val(index);
    let mut rows = Rows {
        k,
        wt: arg(ct::WT),
        block: arg(ct::BLOCK),
        has_mask: arg(ct::HAS_MASK) != 0,
        one_over_n: f32::from_bits(arg(ct::ONE_OVER_N)),
        specimen: arg(ct::SPECIMEN),
    };
    if rows.is(Specimen::TruncatedScaler) {
        rows.one_over_n = f32::from_bits(arg(ct::ONE_OVER_N) & 0xffff_0000);
    }
    if !rows.is(Specimen::MissingStartup) {
        k.compute_kernel_hw_startup(cb::X, cb::GAMMA, cb::DX);
    }
    k.cb_wait_front(cb::MASK, 1);
    for _ in 0..k.get_arg_val(0) {
        k.cb_wait_front(cb::STATS, 2);
        rows.sum();
        k.cb_wait_front(cb::TOTALS_SPREAD, 2);
        rows.gradients();
        k.cb_pop_front(cb::TOTALS_SPREAD, 2);
        k.cb_pop_front(cb::STATS, 2);
    }
    k.cb_pop_front(cb::MASK, 1);
}

impl Rows<'_> {
    fn is(&self, specimen: Specimen) -> bool {
        self.specimen == specimen as u32
    }

    /// Reads `tile` of `cb` to `Dst[dst]`.
    #[track_caller]
    fn load(&self, cb: u32, tile: u32, dst: u32) {
        self.k.reconfig_data_format_srca(cb);
        self.k.copy_init(cb);
        self.k.copy_tile(cb, tile, dst);
    }

    fn clear(&self, dst: u32) {
        self.k.fill_tile_init();
        self.k.fill_tile(dst, 0.0);
    }

    /// `Dst[dst] += dy gamma`: exact, and in the matrix unit always a sum.
    #[track_caller]
    fn add_product(&self, tile: u32, dst: u32) {
        let k = self.k;
        k.reconfig_data_format(cb::DY, cb::GAMMA);
        k.mul_bcast_rows_init(cb::DY, cb::GAMMA);
        k.mul_tiles_bcast_rows(cb::DY, cb::GAMMA, tile, tile, dst);
    }

    /// Zeroes what lies beyond the last column; the next tile takes the mask.
    fn mask(&self, column: u32, dst: u32) {
        if self.has_mask && column == self.wt - 1 {
            self.load(cb::MASK, 0, dst + 1);
            self.k.mask_tile_init();
            self.k.mask_tile(dst, dst + 1);
        }
    }

    /// x_hat of the next `count` tiles of x, in a window of its own.
    fn normalize(&self, count: u32) {
        let k = self.k;
        k.cb_wait_front(cb::X, self.block);
        k.tile_regs_acquire(); // MARK nested window
        self.load(cb::STATS, 0, normal::MEAN); // MARK first call without start-up
        self.load(cb::STATS, 1, normal::RSTD);
        for tile in 0..count {
            self.load(cb::X, tile, tile);
            k.sub_binary_tile_init();
            k.sub_binary_tile(tile, normal::MEAN, tile);
            k.mul_binary_tile_init();
            k.mul_binary_tile(tile, normal::RSTD, tile);
        }
        k.tile_regs_commit();
        k.cb_pop_front(cb::X, self.block);
        k.cb_reserve_back(cb::X_HAT, self.block);
        k.tile_regs_wait();
        k.pack_reconfig_data_format(cb::X_HAT);
        for tile in 0..count {
            k.pack_tile(tile, cb::X_HAT);
        }
        k.tile_regs_release();
        k.cb_push_back(cb::X_HAT, self.block);
        k.cb_wait_front(cb::X_HAT, self.block);
        k.cb_wait_front(cb::DY, self.block);
        k.cb_wait_front(cb::GAMMA, self.block);
    }

    fn end_block(&self) {
        for cb in [cb::X_HAT, cb::DY, cb::GAMMA] {
            self.k.cb_pop_front(cb, self.block);
        }
    }

    /// s1 and s2 of a row to the totals, column 0. Between blocks the sums lie in a circular buffer, in full.
    fn sum(&self) {
        let k = self.k;
        for first in (0..self.wt).step_by(self.block as usize) {
            let count = self.block.min(self.wt - first);
            let is_last = first + count == self.wt;
            if self.is(Specimen::NestedWindow) {
                k.tile_regs_acquire(); // MARK outer window
                self.begin_sums(first);
                self.normalize(count);
            } else {
                self.normalize(count);
                k.tile_regs_acquire();
                self.begin_sums(first);
            }
            for tile in 0..count {
                self.clear(sums::G);
                self.add_product(tile, sums::G);
                self.mask(first + tile, sums::G);
                self.load(cb::X_HAT, tile, sums::X_HAT);
                self.mask(first + tile, sums::X_HAT);
                k.mul_binary_tile_init();
                k.mul_binary_tile(sums::G, sums::X_HAT, sums::X_HAT);
                k.add_binary_tile_init();
                k.add_binary_tile(sums::S1, sums::G, sums::S1);
                k.add_binary_tile(sums::S2, sums::X_HAT, sums::S2);
            }
            if is_last {
                self.finish_sums();
            }
            k.tile_regs_commit();
            self.end_block();
            let to = if is_last { cb::TOTALS } else { cb::SUMS };
            k.cb_reserve_back(to, 2);
            k.tile_regs_wait();
            k.pack_reconfig_data_format(to);
            if is_last {
                k.pack_tile(sums::S1, cb::TOTALS);
                k.pack_tile(sums::S2, cb::TOTALS);
            } else {
                k.pack_tile(sums::S1, cb::SUMS); // MARK lost sum
                k.pack_tile(sums::S2, cb::SUMS);
            }
            k.tile_regs_release();
            if !(is_last && self.is(Specimen::MissingPush)) {
                k.cb_push_back(to, 2);
            }
        }
    }

    /// The sums of the blocks before, or 0.
    fn begin_sums(&self, first: u32) {
        let k = self.k;
        if first > 0 {
            k.cb_wait_front(cb::SUMS, 2);
        }
        if first > 0 && !self.is(Specimen::OverwrittenSum) {
            self.load(cb::SUMS, 0, sums::S1);
            self.load(cb::SUMS, 1, sums::S2);
        } else {
            self.clear(sums::S1);
            self.clear(sums::S2);
        }
        if first > 0 {
            k.cb_pop_front(cb::SUMS, 2);
        }
    }

    fn finish_sums(&self) {
        let k = self.k;
        for dst in [sums::S1, sums::S2] {
            k.binop_with_scalar_tile_init();
            k.mul_unary_tile(dst, self.one_over_n);
            k.sfpu_reduce_init();
            k.sfpu_reduce(ReduceDim::Row, dst);
        }
    }

    fn gradients(&self) {
        for first in (0..self.wt).step_by(self.block as usize) {
            let count = self.block.min(self.wt - first);
            self.normalize(count);
            for tile in 0..count {
                self.gradient(tile);
            }
            self.end_block();
        }
    }

    /// dx = rstd (g - (x_hat s2 + s1)), dgamma = dy x_hat, dbeta = dy.
    fn gradient(&self, tile: u32) {
        let k = self.k;
        k.tile_regs_acquire();
        self.load(cb::TOTALS_SPREAD, 0, grad::G); // MARK copied mean
        self.load(cb::TOTALS_SPREAD, 1, grad::S2);
        self.load(cb::X_HAT, tile, grad::DX);
        k.mul_binary_tile_init();
        k.mul_binary_tile(grad::DX, grad::S2, grad::DX);
        k.add_binary_tile_init();
        k.add_binary_tile(grad::DX, grad::G, grad::DX); // MARK mean used
        if !self.is(Specimen::AccumulatesOntoMean) {
            self.clear(grad::G);
        }
        self.add_product(tile, grad::G); // MARK accumulates
        k.sub_binary_tile_init();
        k.sub_binary_tile(grad::G, grad::DX, grad::DX);
        self.load(cb::STATS, 1, grad::RSTD);
        k.mul_binary_tile_init();
        k.mul_binary_tile(grad::DX, grad::RSTD, grad::DX);
        self.load(cb::DY, tile, grad::DY);
        self.load(cb::X_HAT, tile, grad::X_HAT);
        k.mul_binary_tile_init();
        k.mul_binary_tile(grad::X_HAT, grad::DY, grad::X_HAT);
        k.tile_regs_commit();
        for cb in [cb::DX, cb::DGAMMA, cb::DBETA] {
            k.cb_reserve_back(cb, 1);
        }
        k.tile_regs_wait();
        for (dst, cb) in [(grad::DX, cb::DX), (grad::X_HAT, cb::DGAMMA), (grad::DY, cb::DBETA)] {
            k.pack_reconfig_data_format(cb);
            k.pack_tile(dst, cb);
        }
        k.tile_regs_release();
        for cb in [cb::DX, cb::DGAMMA, cb::DBETA] {
            k.cb_push_back(cb, 1);
        }
    }
}
