//! NCRISC: everything that compute reads.

use tileproof_kernel::{DataMovement, TensorAccessor};

use super::arguments::{Shared, WORDS};
use super::tiles::{FACE_BYTES, mask, row_to_bf16_tile, row_to_fp32_tile, zeros};
use crate::layernorm_fused_rm::buffers::cb;

/// Compile-time arguments: three accessors, the shared words, the width.
mod compile_time {
    pub(super) const X: usize = 0;
    pub(super) const GAMMA: usize = 1;
    pub(super) const BETA: usize = 2;
    pub(super) const SHARED: usize = 3;
    pub(super) const WIDTH: usize = SHARED + super::WORDS;
}

/// Runtime arguments.
mod runtime {
    pub(super) const X: usize = 0;
    pub(super) const GAMMA: usize = 1;
    pub(super) const BETA: usize = 2;
    pub(super) const START_ROW: usize = 3;
    pub(super) const ROWS: usize = 4;
}

/// gamma or beta: the tensor, and where its piece and its tiles go.
struct Row {
    tensor: TensorAccessor,
    stick: u32,
    tiles: u32,
}

struct Reader<'a> {
    dm: &'a DataMovement<'a>,
    x: TensorAccessor,
    rows: Vec<Row>,
    width: u32,
    s: Shared,
}

/// The kernel.
pub(crate) fn kernel(dm: &DataMovement<'_>) {
    use compile_time as ct;
    let s = Shared::new(|index| dm.get_compile_time_arg_val(ct::SHARED + index));
    let width = dm.get_compile_time_arg_val(ct::WIDTH);
    // A page is a tile or a stick.
    let page = if s.is_tile { dm.get_page_size(cb::X) } else { width * s.datum() };
    let accessor = |word, base| TensorAccessor::new(dm, word, dm.get_arg_val(base), page);
    let mut rows = Vec::new();
    if s.has_gamma {
        rows.push(Row { tensor: accessor(ct::GAMMA, runtime::GAMMA), stick: cb::GAMMA_STICK, tiles: cb::GAMMA });
    }
    if s.has_beta {
        rows.push(Row { tensor: accessor(ct::BETA, runtime::BETA), stick: cb::BETA_STICK, tiles: cb::BETA });
    }
    let reader = Reader { dm, x: accessor(ct::X, runtime::X), rows, width, s };
    reader.constants();
    let start = dm.get_arg_val(runtime::START_ROW);
    for row in start..start + dm.get_arg_val(runtime::ROWS) {
        if s.l1_path {
            for (first, count) in s.chunks() {
                reader.x(row, first, count);
            }
            for (first, count) in s.chunks() {
                reader.gamma_and_beta(first, count);
            }
            continue;
        }
        // The mean, the variance, y.
        for pass in 0..3 {
            for (first, count) in s.chunks() {
                reader.x(row, first, count);
                if pass == 2 {
                    reader.gamma_and_beta(first, count);
                }
            }
        }
    }
}

impl Reader<'_> {
    /// Masks, page 0 of the last tile column and page 1 of the last tile row; and the tile of zeros.
    fn constants(&self) {
        let dm = self.dm;
        dm.cb_reserve_back(cb::MASKS, 2);
        let at = dm.get_write_ptr(cb::MASKS);
        mask(dm, at, 32, self.s.last_columns);
        mask(dm, at + dm.get_page_size(cb::MASKS), self.s.last_rows, 32);
        dm.cb_push_back(cb::MASKS, 2);
        dm.cb_reserve_back(cb::ZERO, 1);
        zeros(dm, dm.get_write_ptr(cb::ZERO), dm.get_page_size(cb::ZERO));
        dm.cb_push_back(cb::ZERO, 1);
    }

    /// `count` tile columns of x from `first` on, of tile row `row`.
    fn x(&self, row: u32, first: u32, count: u32) {
        if self.s.is_tile {
            self.tiles(row, first, count);
        } else {
            self.sticks(row, first, count);
        }
    }

    fn tiles(&self, row: u32, first: u32, count: u32) {
        let (dm, s) = (self.dm, self.s);
        dm.cb_reserve_back(cb::X, s.chunk);
        let at = dm.get_write_ptr(cb::X);
        let tile = dm.get_page_size(cb::X);
        for column in 0..count {
            dm.noc_async_read_page(row * s.wt + first + column, &self.x, at + column * tile);
        }
        dm.noc_async_read_barrier();
        dm.cb_push_back(cb::X, s.chunk);
    }

    /// Pieces of 32 sticks, `count` tiles apart. What they do not cover is zero: it passes through arithmetic before it is
    /// masked or dropped, and must be finite.
    fn sticks(&self, row: u32, first: u32, count: u32) {
        let (dm, s) = (self.dm, self.s);
        let bytes = self.piece_bytes(first, count);
        let stride = count * 32 * s.datum();
        let rows = s.rows_of(row);
        dm.cb_reserve_back(cb::STICKS, s.chunk);
        let at = dm.get_write_ptr(cb::STICKS);
        for stick in 0..rows {
            let to = at + stick * stride;
            // The last word may be half covered; the read comes after.
            zeros(dm, to + bytes / 4 * 4, stride - bytes / 4 * 4);
            let from = self.x.get_noc_addr(dm, 32 * row + stick, first * 32 * s.datum());
            dm.noc_async_read(from, to, bytes);
        }
        zeros(dm, at + rows * stride, (32 - rows) * stride);
        dm.noc_async_read_barrier();
        dm.cb_push_back(cb::STICKS, s.chunk);
    }

    /// Bytes of a stick in `count` tile columns from `first` on.
    fn piece_bytes(&self, first: u32, count: u32) -> u32 {
        (32 * count).min(self.width - 32 * first) * self.s.datum()
    }

    /// gamma and beta of a chunk, in blocks.
    fn gamma_and_beta(&self, first: u32, count: u32) {
        for row in &self.rows {
            if !self.s.is_tile {
                self.stage(row, first, count);
            }
        }
        for (column, tiles) in self.s.blocks(count) {
            for row in &self.rows {
                self.block(row, first, column, tiles);
            }
        }
    }

    /// The piece of the stick goes to a page that nobody else reads.
    fn stage(&self, row: &Row, first: u32, count: u32) {
        let (dm, s) = (self.dm, self.s);
        let bytes = self.piece_bytes(first, count);
        dm.cb_reserve_back(row.stick, 1);
        let at = dm.get_write_ptr(row.stick);
        zeros(dm, at + bytes / 4 * 4, count * 32 * s.datum() - bytes / 4 * 4);
        dm.noc_async_read(row.tensor.get_noc_addr(dm, 0, first * 32 * s.datum()), at, bytes);
        dm.noc_async_read_barrier();
    }

    /// A block of tiles of gamma or beta. The matrix unit spreads row 0 of a bf16 tile exactly; of an fp32 tile it would keep
    /// 11 bits, so that one is spread here.
    fn block(&self, row: &Row, first: u32, column: u32, tiles: u32) {
        let (dm, s) = (self.dm, self.s);
        dm.cb_reserve_back(row.tiles, s.block);
        let at = dm.get_write_ptr(row.tiles);
        let page = dm.get_page_size(row.tiles);
        if s.is_tile {
            for tile in 0..tiles {
                dm.noc_async_read_page(first + column + tile, &row.tensor, at + tile * page);
            }
            dm.noc_async_read_barrier();
            if s.is_fp32 {
                for to in (0..tiles).map(|tile| at + tile * page) {
                    row_to_fp32_tile(dm, to, to + FACE_BYTES, to);
                }
            }
        } else {
            let stick = dm.get_write_ptr(row.stick);
            for tile in 0..tiles {
                let from = stick + (column + tile) * 32 * s.datum();
                if s.is_fp32 {
                    row_to_fp32_tile(dm, from, from + 64, at + tile * page);
                } else {
                    row_to_bf16_tile(dm, from, at + tile * page);
                }
            }
        }
        dm.cb_push_back(row.tiles, s.block);
    }
}
