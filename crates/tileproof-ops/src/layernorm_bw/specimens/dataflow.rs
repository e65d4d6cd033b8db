//! NCRISC and BRISC of the specimens. Neither has a fault; the writer spreads the totals of a row over their tiles.

use tileproof_kernel::{DataMovement, TensorAccessor};

use super::buffers::cb;

/// Bytes of an fp32 tile, a face of it, and a face row of it.
const FP32_TILE: u32 = 4096;
const FACE_BYTES: u32 = 1024;
const ROW_BYTES: u32 = 64;

/// Writes column 0 of the fp32 tile at `from` to all columns of the tile at `to`.
fn spread_column(dm: &DataMovement<'_>, from: u32, to: u32) {
    for row in 0..32 {
        let offset = row / 16 * 2 * FACE_BYTES + row % 16 * ROW_BYTES;
        let mut value = [0];
        dm.l1_load(from + offset, &mut value);
        dm.l1_store(to + offset, &[value[0]; 16]);
        dm.l1_store(to + offset + FACE_BYTES, &[value[0]; 16]);
    }
}

/// Writes a bf16 tile of 1 in the first `columns` columns and 0 in the others.
fn mask(dm: &DataMovement<'_>, at: u32, columns: u32) {
    for face in 0..4 {
        let datum = |column: u32| if face % 2 * 16 + column < columns { 0x3f80 } else { 0u32 };
        let row: [u32; 8] = std::array::from_fn(|pair| datum(2 * pair as u32) | datum(2 * pair as u32 + 1) << 16);
        for i in 0..16 {
            dm.l1_store(at + (face * 16 + i) * ROW_BYTES / 2, &row);
        }
    }
}

/// Starts reads of `count` pages into the next `reserved` pages of a circular buffer.
fn start_reads(dm: &DataMovement<'_>, cb: u32, tensor: &TensorAccessor, first: u32, count: u32, reserved: u32) {
    dm.cb_reserve_back(cb, reserved);
    let at = dm.get_write_ptr(cb);
    for tile in 0..count {
        dm.noc_async_read_page(first + tile, tensor, at + tile * dm.get_page_size(cb));
    }
}

/// NCRISC: the mask, then for each tile row its statistics and, once for each pass, its tiles in blocks.
pub(super) fn reader(dm: &DataMovement<'_>) {
    let tensor = |index: usize, bytes| TensorAccessor::new(dm, index, dm.get_arg_val(index), bytes);
    let (x, gamma, dy) = (
        tensor(0, dm.get_page_size(cb::X)),
        tensor(1, dm.get_page_size(cb::GAMMA)),
        tensor(4, dm.get_page_size(cb::DY)),
    );
    let (mean, rstd) = (tensor(2, FP32_TILE), tensor(3, FP32_TILE));
    let [wt, block, last_columns] = [5, 6, 7].map(|index| dm.get_compile_time_arg_val(index));
    let start = dm.get_arg_val(5);
    dm.cb_reserve_back(cb::MASK, 1);
    mask(dm, dm.get_write_ptr(cb::MASK), last_columns);
    dm.cb_push_back(cb::MASK, 1);
    for row in start..start + dm.get_arg_val(6) {
        dm.cb_reserve_back(cb::STATS, 2);
        let at = dm.get_write_ptr(cb::STATS);
        dm.noc_async_read_page(row, &mean, at);
        dm.noc_async_read_page(row, &rstd, at + FP32_TILE);
        dm.noc_async_read_barrier();
        spread_column(dm, at, at);
        spread_column(dm, at + FP32_TILE, at + FP32_TILE);
        dm.cb_push_back(cb::STATS, 2);
        for _pass in 0..2 {
            for column in (0..wt).step_by(block as usize) {
                let count = block.min(wt - column);
                start_reads(dm, cb::X, &x, row * wt + column, count, block);
                start_reads(dm, cb::DY, &dy, row * wt + column, count, block);
                start_reads(dm, cb::GAMMA, &gamma, column, count, block);
                dm.noc_async_read_barrier();
                for cb in [cb::X, cb::DY, cb::GAMMA] {
                    dm.cb_push_back(cb, block);
                }
            }
        }
    }
}

/// BRISC: the totals of a row back to compute, spread, then the row's results.
pub(super) fn writer(dm: &DataMovement<'_>) {
    let tensor = |index: usize, cb| TensorAccessor::new(dm, index, dm.get_arg_val(index), dm.get_page_size(cb));
    let results = [(cb::DX, tensor(0, cb::DX)), (cb::DGAMMA, tensor(1, cb::DGAMMA)), (cb::DBETA, tensor(2, cb::DBETA))];
    let wt = dm.get_compile_time_arg_val(3);
    let start = dm.get_arg_val(3);
    for row in start..start + dm.get_arg_val(4) {
        dm.cb_wait_front(cb::TOTALS, 2); // MARK waits for totals
        dm.cb_reserve_back(cb::TOTALS_SPREAD, 2);
        let (from, to) = (dm.get_read_ptr(cb::TOTALS), dm.get_write_ptr(cb::TOTALS_SPREAD));
        spread_column(dm, from, to);
        spread_column(dm, from + FP32_TILE, to + FP32_TILE);
        dm.cb_push_back(cb::TOTALS_SPREAD, 2);
        dm.cb_pop_front(cb::TOTALS, 2);
        for column in 0..wt {
            for (cb, tensor) in &results {
                dm.cb_wait_front(*cb, 1);
                dm.noc_async_write_page(row * wt + column, tensor, dm.get_read_ptr(*cb));
            }
            dm.noc_async_write_barrier();
            for (cb, _) in &results {
                dm.cb_pop_front(*cb, 1);
            }
        }
    }
}
