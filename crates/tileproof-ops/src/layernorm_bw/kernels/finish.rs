//! The second program: adds up the rows of partial dgamma and dbeta, column by column.
//!
//! The reader makes tiles of 32 rows of partial sums; they are added tile by tile, and the 32 rows of what is left by a
//! reduce.

use tileproof_kernel::{Compute, DataMovement, ReduceDim, TensorAccessor};

use super::fill::{FACE_BYTES, ROW_BYTES, mask};
use super::sticks::Sticks;
use crate::layernorm_bw::buffers::finish_cb as cb;

/// Compile-time arguments of the reader, after the two tensor accessors.
pub(crate) mod reader_compile_time {
    pub(crate) const DGAMMA: usize = 0;
    pub(crate) const DBETA: usize = 1;
    pub(crate) const WT: usize = 2;
    pub(crate) const TILE_ROWS: usize = 3;
    /// Valid rows of the last tile of a column, 32 when it is full.
    pub(crate) const LAST_ROWS: usize = 4;
}

/// Compile-time arguments of the writer.
pub(crate) mod writer_compile_time {
    pub(crate) const DGAMMA: usize = 0;
    pub(crate) const DBETA: usize = 1;
    /// Of the row-major form alone: datums of the one stick.
    pub(crate) const WIDTH: usize = 2;
}

/// Runtime arguments of reader and writer.
pub(crate) mod runtime {
    pub(crate) const DGAMMA: usize = 0;
    pub(crate) const DBETA: usize = 1;
    pub(crate) const START_COLUMN: usize = 2;
    pub(crate) const COLUMNS: usize = 3;
}

/// Compile-time arguments of compute.
pub(crate) mod compute_compile_time {
    pub(crate) const TILE_ROWS: usize = 0;
    pub(crate) const HAS_MASK: usize = 1;
}

/// Runtime arguments of compute.
pub(crate) mod compute_runtime {
    pub(crate) const COLUMNS: usize = 0;
}

/// NCRISC.
pub(crate) fn reader(dm: &DataMovement<'_>) {
    use reader_compile_time as ct;
    let wt = dm.get_compile_time_arg_val(ct::WT);
    let tile_rows = dm.get_compile_time_arg_val(ct::TILE_ROWS);
    let last_rows = dm.get_compile_time_arg_val(ct::LAST_ROWS);
    let accessor = |word, base| TensorAccessor::new(dm, word, dm.get_arg_val(base), 2 * ROW_BYTES * wt);
    let partial = [accessor(ct::DGAMMA, runtime::DGAMMA), accessor(ct::DBETA, runtime::DBETA)];
    dm.cb_reserve_back(cb::MASK, 1);
    mask(dm, dm.get_write_ptr(cb::MASK), last_rows, 32);
    dm.cb_push_back(cb::MASK, 1);
    let start = dm.get_arg_val(runtime::START_COLUMN);
    for column in start..start + dm.get_arg_val(runtime::COLUMNS) {
        for tensor in &partial {
            for tile_row in 0..tile_rows {
                dm.cb_reserve_back(cb::PARTIAL, 1);
                let to = dm.get_write_ptr(cb::PARTIAL);
                for row in 0..if tile_row == tile_rows - 1 { last_rows } else { 32 } {
                    for half in 0..2 {
                        let from = tensor.get_noc_addr(dm, 32 * tile_row + row, (2 * column + half) * ROW_BYTES);
                        // Row r of a tile lies in faces 0 and 1, or 2 and 3 from row 16 on.
                        let face = row / 16 * 2 + half;
                        dm.noc_async_read(from, to + face * FACE_BYTES + row % 16 * ROW_BYTES, ROW_BYTES);
                    }
                }
                dm.noc_async_read_barrier();
                dm.cb_push_back(cb::PARTIAL, 1);
            }
        }
    }
}

/// UNPACK, MATH, PACK.
pub(crate) fn compute(k: &Compute<'_>) {
    const SUM: u32 = 0;
    const NEXT: u32 = 1;
    const NEXT_MASK: u32 = 2;
    let tile_rows = k.get_compile_time_arg_val(compute_compile_time::TILE_ROWS);
    let has_mask = k.get_compile_time_arg_val(compute_compile_time::HAS_MASK) != 0;
    k.compute_kernel_hw_startup(cb::PARTIAL, cb::PARTIAL, cb::OUT);
    k.cb_wait_front(cb::MASK, 1);
    // dgamma and dbeta of each column.
    for _ in 0..2 * k.get_arg_val(compute_runtime::COLUMNS) {
        k.tile_regs_acquire();
        k.fill_tile_init();
        k.fill_tile(SUM, 0.0);
        for row in 0..tile_rows {
            k.cb_wait_front(cb::PARTIAL, 1);
            k.reconfig_data_format_srca(cb::PARTIAL);
            k.copy_init(cb::PARTIAL);
            k.copy_tile(cb::PARTIAL, 0, NEXT);
            k.cb_pop_front(cb::PARTIAL, 1);
            if has_mask && row == tile_rows - 1 {
                k.reconfig_data_format_srca(cb::MASK);
                k.copy_init(cb::MASK);
                k.copy_tile(cb::MASK, 0, NEXT_MASK);
                k.mask_tile_init();
                k.mask_tile(NEXT, NEXT_MASK);
            }
            k.add_binary_tile_init();
            k.add_binary_tile(SUM, NEXT, SUM);
        }
        k.sfpu_reduce_init();
        k.sfpu_reduce(ReduceDim::Col, SUM);
        k.tile_regs_commit();
        k.cb_reserve_back(cb::OUT, 1);
        k.tile_regs_wait();
        k.pack_tile(SUM, cb::OUT);
        k.tile_regs_release();
        k.cb_push_back(cb::OUT, 1);
    }
    k.cb_pop_front(cb::MASK, 1);
}

/// BRISC.
pub(crate) fn writer(dm: &DataMovement<'_>) {
    write(dm, None);
}

/// BRISC, for row-major tensors.
pub(crate) fn row_major_writer(dm: &DataMovement<'_>) {
    let width = dm.get_compile_time_arg_val(writer_compile_time::WIDTH);
    write(dm, Some(Sticks { height: 1, width, datum: dm.get_page_size(cb::OUT) / 1024 }));
}

fn write(dm: &DataMovement<'_>, sticks: Option<Sticks>) {
    use writer_compile_time as ct;
    let page = sticks.map_or_else(|| dm.get_page_size(cb::OUT), Sticks::page_bytes);
    let out = [
        TensorAccessor::new(dm, ct::DGAMMA, dm.get_arg_val(runtime::DGAMMA), page),
        TensorAccessor::new(dm, ct::DBETA, dm.get_arg_val(runtime::DBETA), page),
    ];
    let start = dm.get_arg_val(runtime::START_COLUMN);
    for column in start..start + dm.get_arg_val(runtime::COLUMNS) {
        for tensor in &out {
            dm.cb_wait_front(cb::OUT, 1);
            let from = dm.get_read_ptr(cb::OUT);
            match sticks {
                None => dm.noc_async_write_page(column, tensor, from),
                Some(sticks) => sticks.write_tile(dm, tensor, 0, column, from),
            }
            dm.noc_async_write_barrier();
            dm.cb_pop_front(cb::OUT, 1);
        }
    }
}
