//! NCRISC: everything that compute reads.

use tileproof_kernel::{DataMovement, TensorAccessor};

use super::fill::{mask, spread_column, spread_row};
use super::sticks::Sticks;
use crate::layernorm_bw::buffers::cb;

/// Compile-time arguments, after the five tensor accessors.
pub(crate) mod compile_time {
    pub(crate) const X: usize = 0;
    pub(crate) const GAMMA: usize = 1;
    pub(crate) const MEAN: usize = 2;
    pub(crate) const RSTD: usize = 3;
    pub(crate) const DY: usize = 4;
    pub(crate) const WT: usize = 5;
    pub(crate) const BLOCK: usize = 6;
    pub(crate) const GROUP: usize = 7;
    pub(crate) const L1_PATH: usize = 8;
    /// Valid columns of the last tile column, 32 when it is full.
    pub(crate) const LAST_COLUMNS: usize = 9;
    /// Valid rows of the last tile row of a matrix, 32 when it is full.
    pub(crate) const LAST_ROWS: usize = 10;
    pub(crate) const IS_FP32: usize = 11;
    /// Tile rows of one matrix.
    pub(crate) const HT: usize = 12;
}

/// Runtime arguments.
pub(crate) mod runtime {
    pub(crate) const X: usize = 0;
    pub(crate) const GAMMA: usize = 1;
    pub(crate) const MEAN: usize = 2;
    pub(crate) const RSTD: usize = 3;
    pub(crate) const DY: usize = 4;
    pub(crate) const START_ROW: usize = 5;
    pub(crate) const ROWS: usize = 6;
}

/// Bytes of an fp32 tile, and of a datum.
const FP32_TILE: u32 = 4096;
const FP32: u32 = 4;

struct Reader<'a> {
    dm: &'a DataMovement<'a>,
    x: TensorAccessor,
    gamma: TensorAccessor,
    mean: TensorAccessor,
    rstd: TensorAccessor,
    dy: TensorAccessor,
    wt: u32,
    ht: u32,
    block: u32,
    tile: u32,
    is_fp32: bool,
    /// x and dy where they are row-major.
    sticks: Option<Sticks>,
}

/// The kernel.
pub(crate) fn kernel(dm: &DataMovement<'_>) {
    read(dm, None);
}

/// The kernel for row-major tensors, whose rows are one matrix. Its arguments are the same.
pub(crate) fn row_major_kernel(dm: &DataMovement<'_>) {
    use compile_time as ct;
    let arg = |index| dm.get_compile_time_arg_val(index);
    let end = |tiles, last| 32 * (arg(tiles) - 1) + arg(last);
    let datum = dm.get_page_size(cb::X) / 1024;
    read(dm, Some(Sticks { height: end(ct::HT, ct::LAST_ROWS), width: end(ct::WT, ct::LAST_COLUMNS), datum }));
}

fn read(dm: &DataMovement<'_>, sticks: Option<Sticks>) {
    use compile_time as ct;
    let tile = dm.get_page_size(cb::X);
    let accessor = |word, base, bytes| TensorAccessor::new(dm, word, dm.get_arg_val(base), bytes);
    let (page, statistic) = sticks.map_or((tile, FP32_TILE), |sticks| (sticks.page_bytes(), FP32));
    let reader = Reader {
        dm,
        x: accessor(ct::X, runtime::X, page),
        gamma: accessor(ct::GAMMA, runtime::GAMMA, page),
        mean: accessor(ct::MEAN, runtime::MEAN, statistic),
        rstd: accessor(ct::RSTD, runtime::RSTD, statistic),
        dy: accessor(ct::DY, runtime::DY, page),
        wt: dm.get_compile_time_arg_val(ct::WT),
        ht: dm.get_compile_time_arg_val(ct::HT),
        block: dm.get_compile_time_arg_val(ct::BLOCK),
        tile,
        is_fp32: dm.get_compile_time_arg_val(ct::IS_FP32) != 0,
        sticks,
    };
    let group = dm.get_compile_time_arg_val(ct::GROUP);
    let start = dm.get_arg_val(runtime::START_ROW);
    let end = start + dm.get_arg_val(runtime::ROWS);
    reader.masks();
    if dm.get_compile_time_arg_val(ct::L1_PATH) != 0 {
        reader.gamma(0, reader.wt);
        for row in start..end {
            reader.statistics(row);
            reader.rows(row, 0, reader.wt);
        }
        return;
    }
    let mut first = start;
    while first < end {
        let last = (first + group).min(end);
        for row in first..last {
            reader.statistics(row);
            reader.blocks(|column, count| {
                reader.gamma(column, count);
                reader.rows(row, column, count);
            });
        }
        reader.blocks(|column, count| {
            reader.gamma(column, count);
            for row in first..last {
                reader.rows(row, column, count);
            }
        });
        first = last;
    }
}

impl Reader<'_> {
    /// Calls `f` with first column and number of columns of each block.
    fn blocks(&self, f: impl Fn(u32, u32)) {
        let mut column = 0;
        while column < self.wt {
            let count = self.block.min(self.wt - column);
            f(column, count);
            column += count;
        }
    }

    /// Page 0: mask of the last tile column; page 1: mask of the last tile row.
    fn masks(&self) {
        let dm = self.dm;
        dm.cb_reserve_back(cb::MASKS, 2);
        let at = dm.get_write_ptr(cb::MASKS);
        mask(dm, at, 32, dm.get_compile_time_arg_val(compile_time::LAST_COLUMNS));
        mask(dm, at + dm.get_page_size(cb::MASKS), dm.get_compile_time_arg_val(compile_time::LAST_ROWS), 32);
        dm.cb_push_back(cb::MASKS, 2);
    }

    /// `count` tiles of gamma from `column` on, as a whole block. The matrix unit spreads row 0 of a bf16 tile exactly; of an fp32 tile it
    /// would keep 11 bits, so that one is spread here.
    fn gamma(&self, column: u32, count: u32) {
        let dm = self.dm;
        // The last block may be short; pages go round the buffer in whole blocks all the same, or they would straddle its end.
        dm.cb_reserve_back(cb::GAMMA, self.block);
        let first = dm.get_write_ptr(cb::GAMMA);
        let tiles = || (0..count).map(|tile| (column + tile, first + tile * self.tile));
        for (column, to) in tiles() {
            match self.sticks {
                None => dm.noc_async_read_page(column, &self.gamma, to),
                Some(sticks) => Sticks { height: 1, ..sticks }.read_tile(dm, &self.gamma, 0, column, to),
            }
        }
        dm.noc_async_read_barrier();
        if self.is_fp32 {
            tiles().for_each(|(_, at)| spread_row(dm, at));
        }
        dm.cb_push_back(cb::GAMMA, self.block);
    }

    /// mean and rstd of a tile row, spread over the columns: a broadcast by the matrix unit would keep 11 bits of them.
    fn statistics(&self, row: u32) {
        let dm = self.dm;
        dm.cb_reserve_back(cb::STATS, 2);
        let at = dm.get_write_ptr(cb::STATS);
        for (tensor, at) in [(&self.mean, at), (&self.rstd, at + FP32_TILE)] {
            match self.sticks {
                None => dm.noc_async_read_page(row, tensor, at),
                Some(Sticks { height, .. }) => {
                    Sticks { height, width: 1, datum: FP32 }.read_column(dm, tensor, row, at);
                }
            }
        }
        dm.noc_async_read_barrier();
        let is_last = row % self.ht == self.ht - 1;
        let rows = if is_last { dm.get_compile_time_arg_val(compile_time::LAST_ROWS) } else { 32 };
        spread_column(dm, at, at, rows);
        spread_column(dm, at + FP32_TILE, at + FP32_TILE, rows);
        dm.cb_push_back(cb::STATS, 2);
    }

    /// `count` tiles of x and dy from `column` of tile row `row` on, as a whole block.
    fn rows(&self, row: u32, column: u32, count: u32) {
        let dm = self.dm;
        dm.cb_reserve_back(cb::X, self.block);
        dm.cb_reserve_back(cb::DY, self.block);
        let (x, dy) = (dm.get_write_ptr(cb::X), dm.get_write_ptr(cb::DY));
        for tile in 0..count {
            let column = column + tile;
            for (tensor, to) in [(&self.x, x + tile * self.tile), (&self.dy, dy + tile * self.tile)] {
                match self.sticks {
                    None => dm.noc_async_read_page(row * self.wt + column, tensor, to),
                    Some(sticks) => sticks.read_tile(dm, tensor, row, column, to),
                }
            }
        }
        dm.noc_async_read_barrier();
        dm.cb_push_back(cb::X, self.block);
        dm.cb_push_back(cb::DY, self.block);
    }
}
