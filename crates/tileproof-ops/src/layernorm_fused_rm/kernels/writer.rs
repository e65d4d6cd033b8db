//! BRISC: spreads the statistics of a tile row for compute, and writes y and the statistics.

use tileproof_kernel::{DataMovement, TensorAccessor};

use super::arguments::{Shared, WORDS};
use super::tiles::{FACE_BYTES, ROW_BYTES, spread_column};
use crate::layernorm_fused_rm::buffers::cb;

/// Compile-time arguments: three accessors, the shared words, the width.
mod compile_time {
    pub(super) const Y: usize = 0;
    pub(super) const MEAN: usize = 1;
    pub(super) const RSTD: usize = 2;
    pub(super) const SHARED: usize = 3;
    pub(super) const WIDTH: usize = SHARED + super::WORDS;
}

/// Runtime arguments.
mod runtime {
    pub(super) const Y: usize = 0;
    pub(super) const MEAN: usize = 1;
    pub(super) const RSTD: usize = 2;
    pub(super) const START_ROW: usize = 3;
    pub(super) const ROWS: usize = 4;
}

/// Bytes of an fp32 tile, and of a datum.
const FP32_TILE: u32 = 4096;
const FP32: u32 = 4;

struct Writer<'a> {
    dm: &'a DataMovement<'a>,
    y: TensorAccessor,
    width: u32,
    s: Shared,
}

/// The kernel.
pub(crate) fn kernel(dm: &DataMovement<'_>) {
    use compile_time as ct;
    let s = Shared::new(|index| dm.get_compile_time_arg_val(ct::SHARED + index));
    let width = dm.get_compile_time_arg_val(ct::WIDTH);
    let accessor = |word, base, page| TensorAccessor::new(dm, word, dm.get_arg_val(base), page);
    let page = if s.is_tile { dm.get_page_size(cb::OUT) } else { width * s.datum() };
    let writer = Writer { dm, y: accessor(ct::Y, runtime::Y, page), width, s };
    let per_row = if s.is_tile { FP32_TILE } else { FP32 };
    let start = dm.get_arg_val(runtime::START_ROW);
    for row in start..start + dm.get_arg_val(runtime::ROWS) {
        // m0, then r, then rstd.
        for to in [cb::CENTRE, cb::CENTRE, cb::RSTD] {
            writer.spread(to, || {
                if s.statistics && to == cb::RSTD {
                    writer.per_row(row, &accessor(ct::RSTD, runtime::RSTD, per_row));
                }
            });
        }
        if s.statistics {
            dm.cb_wait_front(cb::STATS, 1);
            writer.per_row(row, &accessor(ct::MEAN, runtime::MEAN, per_row));
            dm.cb_pop_front(cb::STATS, 1);
        }
        for (first, count) in s.chunks() {
            writer.y(row, first, count);
        }
    }
}

impl Writer<'_> {
    /// Column 0 of the next page of statistics, to all columns of a page of `to`.
    fn spread(&self, to: u32, before_pop: impl Fn()) {
        let dm = self.dm;
        dm.cb_wait_front(cb::STATS, 1);
        dm.cb_reserve_back(to, 1);
        spread_column(dm, dm.get_read_ptr(cb::STATS), dm.get_write_ptr(to));
        dm.cb_push_back(to, 1);
        before_pop();
        dm.cb_pop_front(cb::STATS, 1);
    }

    /// Column 0 of the page at the front of the statistics, to a tensor of one datum a row.
    fn per_row(&self, row: u32, tensor: &TensorAccessor) {
        let (dm, s) = (self.dm, self.s);
        let from = dm.get_read_ptr(cb::STATS);
        if s.is_tile {
            dm.noc_async_write_page(row, tensor, from);
        } else {
            for stick in 0..s.rows_of(row) {
                let at = from + stick / 16 * 2 * FACE_BYTES + stick % 16 * ROW_BYTES;
                dm.noc_async_write_page(32 * row + stick, tensor, at);
            }
        }
        dm.noc_async_write_barrier();
    }

    /// `count` tile columns of y from `first` on.
    fn y(&self, row: u32, first: u32, count: u32) {
        let (dm, s) = (self.dm, self.s);
        dm.cb_wait_front(cb::OUT, s.chunk);
        let from = dm.get_read_ptr(cb::OUT);
        if s.is_tile {
            let tile = dm.get_page_size(cb::OUT);
            for column in 0..count {
                dm.noc_async_write_page(row * s.wt + first + column, &self.y, from + column * tile);
            }
        } else {
            // Rows are a whole chunk long in L1, also where the chunk is short.
            let stride = s.chunk * 32 * s.datum();
            let bytes = (32 * count).min(self.width - 32 * first) * s.datum();
            for stick in 0..s.rows_of(row) {
                let to = self.y.get_noc_addr(dm, 32 * row + stick, first * 32 * s.datum());
                dm.noc_async_write(from + stick * stride, to, bytes);
            }
        }
        dm.noc_async_write_barrier();
        dm.cb_pop_front(cb::OUT, s.chunk);
    }
}
