//! BRISC: spreads the sums of a row for compute, and writes the results.

use tileproof_kernel::{DataMovement, TensorAccessor};

use super::fill::{FACE_BYTES, ROW_BYTES, spread_column};
use super::sticks::Sticks;
use crate::layernorm_bw::buffers::cb;

/// Compile-time arguments, after the three tensor accessors.
pub(crate) mod compile_time {
    pub(crate) const DX: usize = 0;
    pub(crate) const DGAMMA: usize = 1;
    pub(crate) const DBETA: usize = 2;
    pub(crate) const WT: usize = 3;
    pub(crate) const BLOCK: usize = 4;
    pub(crate) const GROUP: usize = 5;
    pub(crate) const L1_PATH: usize = 6;
    /// Of the row-major form alone: datums of a stick, and sticks of dx.
    pub(crate) const WIDTH: usize = 7;
    pub(crate) const HEIGHT: usize = 8;
}

/// Runtime arguments.
pub(crate) mod runtime {
    pub(crate) const DX: usize = 0;
    pub(crate) const DGAMMA: usize = 1;
    pub(crate) const DBETA: usize = 2;
    pub(crate) const START_ROW: usize = 3;
    pub(crate) const ROWS: usize = 4;
    /// First row of partial sums of this core.
    pub(crate) const PARTIAL_ROW: usize = 5;
}

/// Bytes of an fp32 tile.
const FP32_TILE: u32 = 4096;

struct Writer<'a> {
    dm: &'a DataMovement<'a>,
    dx: TensorAccessor,
    dgamma: TensorAccessor,
    dbeta: TensorAccessor,
    wt: u32,
    block: u32,
    /// dx where it is row-major.
    sticks: Option<Sticks>,
}

/// The kernel.
pub(crate) fn kernel(dm: &DataMovement<'_>) {
    write(dm, None);
}

/// The kernel for row-major tensors.
pub(crate) fn row_major_kernel(dm: &DataMovement<'_>) {
    use compile_time as ct;
    let arg = |index| dm.get_compile_time_arg_val(index);
    write(dm, Some(Sticks { height: arg(ct::HEIGHT), width: arg(ct::WIDTH), datum: dm.get_page_size(cb::DX) / 1024 }));
}

fn write(dm: &DataMovement<'_>, sticks: Option<Sticks>) {
    use compile_time as ct;
    let accessor = |word, base, bytes| TensorAccessor::new(dm, word, dm.get_arg_val(base), bytes);
    let wt = dm.get_compile_time_arg_val(ct::WT);
    let writer = Writer {
        dm,
        dx: accessor(ct::DX, runtime::DX, sticks.map_or_else(|| dm.get_page_size(cb::DX), Sticks::page_bytes)),
        dgamma: accessor(ct::DGAMMA, runtime::DGAMMA, 2 * ROW_BYTES * wt),
        dbeta: accessor(ct::DBETA, runtime::DBETA, 2 * ROW_BYTES * wt),
        wt,
        block: dm.get_compile_time_arg_val(ct::BLOCK),
        sticks,
    };
    let group = dm.get_compile_time_arg_val(ct::GROUP);
    let start = dm.get_arg_val(runtime::START_ROW);
    let end = start + dm.get_arg_val(runtime::ROWS);
    let mut partial_row = dm.get_arg_val(runtime::PARTIAL_ROW);
    if dm.get_compile_time_arg_val(ct::L1_PATH) != 0 {
        if end - start == 1 {
            writer.sums();
            writer.only_row(start, partial_row, 0, writer.wt);
            return;
        }
        for row in start..end {
            writer.sums();
            writer.dx(row, 0, writer.wt);
        }
        writer.partial(partial_row, 0, writer.wt);
        return;
    }
    let mut first = start;
    while first < end {
        let last = (first + group).min(end);
        for _ in first..last {
            writer.sums();
        }
        let mut column = 0;
        while column < writer.wt {
            let count = writer.block.min(writer.wt - column);
            if last - first == 1 {
                writer.only_row(first, partial_row, column, count);
            } else {
                for row in first..last {
                    writer.dx(row, column, count);
                }
                writer.partial(partial_row, column, count);
            }
            column += count;
        }
        partial_row += 1;
        first = last;
    }
}

impl Writer<'_> {
    /// s1 and s2 of a tile row, spread over the columns.
    fn sums(&self) {
        let dm = self.dm;
        dm.cb_wait_front(cb::SUMS, 2);
        dm.cb_reserve_back(cb::SUMS_BROADCAST, 2);
        let (from, to) = (dm.get_read_ptr(cb::SUMS), dm.get_write_ptr(cb::SUMS_BROADCAST));
        spread_column(dm, from, to, 32);
        spread_column(dm, from + FP32_TILE, to + FP32_TILE, 32);
        dm.cb_push_back(cb::SUMS_BROADCAST, 2);
        dm.cb_pop_front(cb::SUMS, 2);
    }

    /// `count` tiles of dx.
    fn dx(&self, row: u32, column: u32, count: u32) {
        for column in column..column + count {
            self.start_dx(row, column);
            self.dm.noc_async_write_barrier();
            self.dm.cb_pop_front(cb::DX, 1);
        }
    }

    /// Starts to write the next tile of dx.
    fn start_dx(&self, row: u32, column: u32) {
        let dm = self.dm;
        dm.cb_wait_front(cb::DX, 1);
        let from = dm.get_read_ptr(cb::DX);
        match self.sticks {
            None => dm.noc_async_write_page(row * self.wt + column, &self.dx, from),
            Some(sticks) => sticks.write_tile(dm, &self.dx, row, column, from),
        }
    }

    /// `count` tiles of a row that is alone, whose parts of dgamma and dbeta come with each.
    fn only_row(&self, row: u32, partial_row: u32, column: u32, count: u32) {
        let dm = self.dm;
        for column in column..column + count {
            self.start_dx(row, column);
            self.start_partial(cb::DGAMMA, &self.dgamma, partial_row, column);
            self.start_partial(cb::DBETA, &self.dbeta, partial_row, column);
            dm.noc_async_write_barrier();
            for cb in [cb::DX, cb::DGAMMA, cb::DBETA] {
                dm.cb_pop_front(cb, 1);
            }
        }
    }

    /// Row 0 of `count` tiles of dgamma and dbeta, to row `row` of the partial sums.
    fn partial(&self, row: u32, column: u32, count: u32) {
        let dm = self.dm;
        for column in column..column + count {
            for (cb, tensor) in [(cb::DGAMMA, &self.dgamma), (cb::DBETA, &self.dbeta)] {
                self.start_partial(cb, tensor, row, column);
                dm.noc_async_write_barrier();
                dm.cb_pop_front(cb, 1);
            }
        }
    }

    /// Starts to write row 0 of the next tile of `cb`.
    fn start_partial(&self, cb: u32, tensor: &TensorAccessor, row: u32, column: u32) {
        let dm = self.dm;
        dm.cb_wait_front(cb, 1);
        let from = dm.get_read_ptr(cb);
        for half in 0..2 {
            let to = tensor.get_noc_addr(dm, row, (2 * column + half) * ROW_BYTES);
            dm.noc_async_write(from + half * FACE_BYTES, to, ROW_BYTES);
        }
    }
}
