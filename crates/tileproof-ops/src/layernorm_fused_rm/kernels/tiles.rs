//! Tiles that data-movement kernels write themselves: masks, and columns and rows spread over a tile.

use tileproof_kernel::DataMovement;

/// Words of a face of 32-bit datums, and of a row of it.
const FACE: usize = 256;
const FACE_ROW: usize = 16;
/// Bytes of a face of 32-bit datums, and of a row of it.
pub(super) const FACE_BYTES: u32 = 1024;
pub(super) const ROW_BYTES: u32 = 64;
/// Bytes of a face of bf16 datums.
const BF16_FACE_BYTES: u32 = 512;

/// Writes column 0 of the fp32 tile at `from` to all columns of the tile at `to`.
#[track_caller]
pub(super) fn spread_column(dm: &DataMovement<'_>, from: u32, to: u32) {
    for half in [0, 2] {
        // Column 0 lies in face 0 for the upper rows and in face 2 for the lower ones.
        let mut face = [0; FACE];
        for row in 0..FACE_ROW as u32 {
            let mut first = [0];
            dm.l1_load(from + half * FACE_BYTES + row * ROW_BYTES, &mut first);
            face[row as usize * FACE_ROW..][..FACE_ROW].fill(first[0]);
        }
        dm.l1_store(to + half * FACE_BYTES, &face);
        dm.l1_store(to + (half + 1) * FACE_BYTES, &face);
    }
}

/// Writes the 32 datums of a stick at `from` to row 0 of the bf16 tile at `to`.
#[track_caller]
pub(super) fn row_to_bf16_tile(dm: &DataMovement<'_>, from: u32, to: u32) {
    let mut words = [0; FACE_ROW];
    dm.l1_load(from, &mut words);
    dm.l1_store(to, &words[..8]);
    dm.l1_store(to + BF16_FACE_BYTES, &words[8..]);
}

/// Writes 32 fp32 datums, 16 at `left` and 16 at `right`, to all rows of the tile at `to`.
#[track_caller]
pub(super) fn row_to_fp32_tile(dm: &DataMovement<'_>, left: u32, right: u32, to: u32) {
    for (half, from) in [left, right].into_iter().enumerate() {
        let mut row = [0; FACE_ROW];
        dm.l1_load(from, &mut row);
        let mut face = [0; FACE];
        for to in face.chunks_exact_mut(FACE_ROW) {
            to.copy_from_slice(&row);
        }
        dm.l1_store(to + half as u32 * FACE_BYTES, &face);
        dm.l1_store(to + (half as u32 + 2) * FACE_BYTES, &face);
    }
}

/// Writes a bf16 mask tile at `at`: 1 in the first `rows` rows and `columns` columns, else 0.
#[track_caller]
pub(super) fn mask(dm: &DataMovement<'_>, at: u32, rows: u32, columns: u32) {
    const ONE: u32 = 0x3f80;
    for face in 0..4 {
        let mut words = [0; FACE / 2];
        for (index, word) in words.iter_mut().enumerate() {
            let row = face / 2 * 16 + index as u32 / 8;
            let column = face % 2 * 16 + index as u32 % 8 * 2;
            let datum = |column| if row < rows && column < columns { ONE } else { 0 };
            *word = datum(column) | datum(column + 1) << 16;
        }
        dm.l1_store(at + face * BF16_FACE_BYTES, &words);
    }
}

/// Writes zeros to `bytes` bytes at `at`, a multiple of 4 each.
#[track_caller]
pub(super) fn zeros(dm: &DataMovement<'_>, at: u32, bytes: u32) {
    const ZEROS: [u32; FACE] = [0; FACE];
    let mut words = bytes as usize / 4;
    let mut at = at;
    while words > 0 {
        let some = words.min(FACE);
        dm.l1_store(at, &ZEROS[..some]);
        at += 4 * some as u32;
        words -= some;
    }
}
