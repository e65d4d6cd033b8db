//! Tiles of row-major tensors: read from sticks and written to them, a face row at a time.
//!
//! A face row is 16 datums, 32 or 64 bytes: as long in a stick as in a tile, and aligned alike in both, so that compute sees
//! no difference between the forms of the op. It must never leave a datum of a tile unwritten. Start at [`Sticks::read_tile`].

use tileproof_kernel::{DataMovement, TensorAccessor};

/// Rows of a face, and datums in one.
const FACE: u32 = 16;

/// A matrix of sticks: all rows of a tensor, whatever its outer dimensions are.
#[derive(Clone, Copy)]
pub(super) struct Sticks {
    /// Sticks.
    pub(super) height: u32,
    /// Datums of a stick.
    pub(super) width: u32,
    /// Bytes of a datum.
    pub(super) datum: u32,
}

impl Sticks {
    /// Bytes of a stick: the page size of the tensor.
    pub(super) fn page_bytes(self) -> u32 {
        self.width * self.datum
    }

    /// Rows that tile row `row` has.
    pub(super) fn rows_of(self, row: u32) -> u32 {
        (self.height - 32 * row).min(32)
    }

    /// Bytes of a face row in faces of half `half` of tile column `column` that the sticks have, and where in a stick they are.
    fn piece(self, column: u32, half: u32) -> (u32, u32) {
        let first = 32 * column + FACE * half;
        (FACE.min(self.width.saturating_sub(first)) * self.datum, first * self.datum)
    }

    /// Byte of a tile where row `row` of its left or right faces begins.
    fn face_row(self, row: u32, half: u32) -> u32 {
        ((row / FACE * 2 + half) * FACE + row % FACE) * FACE * self.datum
    }

    /// Reads the tile at `row` and `column` to `to`, zeros where the tensor ends; a barrier is up to the caller.
    #[track_caller]
    pub(super) fn read_tile(self, dm: &DataMovement<'_>, tensor: &TensorAccessor, row: u32, column: u32, to: u32) {
        let rows = self.rows_of(row);
        let face_row = FACE * self.datum;
        for half in 0..2 {
            let (bytes, at) = self.piece(column, half);
            for stick in 0..rows {
                let to = to + self.face_row(stick, half);
                // The last word may be half covered; the read comes after.
                zeros(dm, to + bytes / 4 * 4, face_row - bytes / 4 * 4);
                if bytes > 0 {
                    dm.noc_async_read(tensor.get_noc_addr(dm, 32 * row + stick, at), to, bytes);
                }
            }
            for face in 0..2 {
                let from = rows.clamp(FACE * face, FACE * (face + 1));
                zeros(
                    dm,
                    to + self.face_row(FACE * face, half) + from % FACE * face_row,
                    (FACE * (face + 1) - from) * face_row,
                );
            }
        }
    }

    /// Writes the tile at `from` to the sticks at `row` and `column`; a barrier is up to the caller.
    #[track_caller]
    pub(super) fn write_tile(self, dm: &DataMovement<'_>, tensor: &TensorAccessor, row: u32, column: u32, from: u32) {
        for half in 0..2 {
            let (bytes, at) = self.piece(column, half);
            for stick in 0..if bytes > 0 { self.rows_of(row) } else { 0 } {
                let to = tensor.get_noc_addr(dm, 32 * row + stick, at);
                dm.noc_async_write(from + self.face_row(stick, half), to, bytes);
            }
        }
    }

    /// Reads column 0 of tile row `row` to the tile at `to`; the tensor has one column. A barrier is up to the caller.
    #[track_caller]
    pub(super) fn read_column(self, dm: &DataMovement<'_>, tensor: &TensorAccessor, row: u32, to: u32) {
        for stick in 0..self.rows_of(row) {
            let from = tensor.get_noc_addr(dm, 32 * row + stick, 0);
            dm.noc_async_read(from, to + self.face_row(stick, 0), self.datum);
        }
    }
}

/// Writes zeros to `bytes` bytes at `at`, a multiple of 4 each.
#[track_caller]
fn zeros(dm: &DataMovement<'_>, at: u32, bytes: u32) {
    const ZEROS: [u32; 256] = [0; 256];
    if bytes > 0 {
        dm.l1_store(at, &ZEROS[..bytes as usize / 4]);
    }
}
