//! Tiles that data-movement kernels write themselves: masks, and columns and rows spread over a tile.

use tileproof_kernel::DataMovement;

/// Words of a face row of 32-bit datums.
const FACE_ROW: usize = 16;
/// Bytes of a face of 32-bit datums.
pub(super) const FACE_BYTES: u32 = 1024;
/// Bytes of a face row of 32-bit datums.
pub(super) const ROW_BYTES: u32 = 64;

/// Writes column 0 of the fp32 tile at `from` to all columns of the tile at `to`, and zeros to the rows from `rows` on.
#[track_caller]
pub(super) fn spread_column(dm: &DataMovement<'_>, from: u32, to: u32, rows: u32) {
    for half in 0..2 {
        for row in 0..16 {
            // Column 0 lies in face 0 for the upper rows and in face 2 for the lower ones.
            let mut value = [0];
            if 16 * half + row < rows {
                dm.l1_load(from + 2 * half * FACE_BYTES + row * ROW_BYTES, &mut value);
            }
            let words = [value[0]; FACE_ROW];
            for face in [2 * half, 2 * half + 1] {
                dm.l1_store(to + face * FACE_BYTES + row * ROW_BYTES, &words);
            }
        }
    }
}

/// Writes row 0 of the fp32 tile at `at` to all its rows.
#[track_caller]
pub(super) fn spread_row(dm: &DataMovement<'_>, at: u32) {
    for face in 0..2 {
        let mut words = [0; FACE_ROW];
        dm.l1_load(at + face * FACE_BYTES, &mut words);
        for row in 0..16 {
            dm.l1_store(at + face * FACE_BYTES + row * ROW_BYTES, &words);
            dm.l1_store(at + (face + 2) * FACE_BYTES + row * ROW_BYTES, &words);
        }
    }
}

/// Writes a bf16 mask tile at `at`: 1 in the first `rows` rows and `columns` columns, else 0.
#[track_caller]
pub(super) fn mask(dm: &DataMovement<'_>, at: u32, rows: u32, columns: u32) {
    const ONE: u32 = 0x3f80;
    for face in 0..4 {
        for row in 0..16 {
            let inside = |column: u32| face / 2 * 16 + row < rows && face % 2 * 16 + column < columns;
            let datum = |column: u32| if inside(column) { ONE } else { 0 };
            let words: [u32; FACE_ROW / 2] =
                std::array::from_fn(|pair| datum(2 * pair as u32) | datum(2 * pair as u32 + 1) << 16);
            dm.l1_store(at + face * FACE_BYTES / 2 + row * ROW_BYTES / 2, &words);
        }
    }
}
