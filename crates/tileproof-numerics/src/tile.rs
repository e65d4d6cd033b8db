//! The tile as the engine holds it: 64 rows of 16 datums, four faces one after the other.
//!
//! SrcA, SrcB and Dst hold a 32x32 tile in 64 consecutive rows, face k in rows 16k to 16k+15
//! (ISA documentation, `TensixCoprocessor/SrcASrcB.md`). Every datum is a 32-bit word here: an fp32
//! pattern for the float formats (narrower formats have zero low bits), the raw word for integers.

/// Datums in a 32x32 tile.
pub const TILE_DATUMS: usize = 1024;
/// Datums in a 16x16 face.
pub const FACE_DATUMS: usize = 256;
/// Datums in one register row.
pub const ROW_DATUMS: usize = 16;

/// One 32x32 tile in face order, a 32-bit word a datum.
#[derive(Clone, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Tile(pub [u32; TILE_DATUMS]);

impl Tile {
    /// A tile of zeros.
    pub const ZERO: Tile = Tile([0; TILE_DATUMS]);

    /// Builds a tile from a function of the logical row and column.
    pub fn from_fn(mut f: impl FnMut(usize, usize) -> u32) -> Tile {
        let mut tile = Tile::ZERO;
        for row in 0..32 {
            for col in 0..32 {
                tile.0[face_index(row, col)] = f(row, col);
            }
        }
        tile
    }

    /// True if every datum is +0.
    pub fn is_zero(&self) -> bool {
        // 64 words at a time: no branch a word, and an early end where there is something.
        self.0.as_chunks::<64>().0.iter().all(|words| words.iter().fold(0, |any, word| any | word) == 0)
    }

    /// The datum at a logical row and column (0 to 31).
    pub fn at(&self, row: usize, col: usize) -> u32 {
        self.0[face_index(row, col)]
    }
}

/// Index of the logical element (row, col) of a tile in face order.
pub const fn face_index(row: usize, col: usize) -> usize {
    let face = 2 * (row / 16) + col / 16;
    FACE_DATUMS * face + ROW_DATUMS * (row % 16) + col % 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_follow_each_other_row_of_faces_by_row() {
        assert_eq!(face_index(0, 15), 15);
        assert_eq!(face_index(0, 16), 256);
        assert_eq!(face_index(16, 0), 512);
        assert_eq!(face_index(31, 31), 1023);
    }
}
