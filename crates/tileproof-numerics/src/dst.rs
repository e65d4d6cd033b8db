//! The Dst register file: 1024 rows of 16 datums with a valid flag each, cleared by flag.
//!
//! With 32-bit Dst only 512 rows exist; a tile takes 64 rows in either mode. A 16-bit datum is kept
//! as the high half of a 32-bit word, so that the arithmetic sees one layout. ZEROACC clears the flags, not
//! the data (ISA documentation, `TensixCoprocessor/ZEROACC.md`): what an undefined row reads as is
//! the reader's business, and whether it may be read at all is the checker's.

use crate::tile::{ROW_DATUMS, TILE_DATUMS, Tile};

/// Rows of the 16-bit view.
pub const DST_ROWS: usize = 1024;
/// Rows that one tile takes.
pub const TILE_ROWS: usize = 64;

/// The accumulator of one core.
#[derive(Clone)]
pub struct Dst {
    datums: Box<[Tile; DST_ROWS / TILE_ROWS]>,
    /// One bit a row; word k covers tile k.
    valid: [u64; DST_ROWS / TILE_ROWS],
}

impl Default for Dst {
    fn default() -> Self {
        Dst { datums: Box::new([const { Tile::ZERO }; DST_ROWS / TILE_ROWS]), valid: [0; DST_ROWS / TILE_ROWS] }
    }
}

impl Dst {
    /// The valid flags of tile `index` (bit r is row r of the tile).
    pub fn valid_rows(&self, index: usize) -> u64 {
        self.valid[index]
    }

    /// Marks rows of tile `index` valid.
    pub fn set_valid(&mut self, index: usize, rows: u64) {
        self.valid[index] |= rows;
    }

    /// ZEROACC over tiles `first..first + count`: the rows become undefined.
    pub fn clear(&mut self, first: usize, count: usize) {
        self.valid[first..first + count].fill(0);
    }

    /// The datums of tile `index`; undefined rows hold whatever was there.
    pub fn tile(&self, index: usize) -> &Tile {
        &self.datums[index]
    }

    /// The datums of tile `index` for writing. The caller keeps the valid flags.
    pub fn tile_mut(&mut self, index: usize) -> &mut Tile {
        &mut self.datums[index]
    }

    /// Writes `fill` into the undefined rows of tile `index` and leaves their flags alone: FPU and
    /// packer read them as 0, GMPOOL as all ones.
    #[inline]
    pub fn materialize(&mut self, index: usize, fill: u32) {
        match self.valid[index] {
            u64::MAX => {}
            0 => self.datums[index].0.fill(fill),
            valid => self.fill_rows(index, !valid, fill),
        }
    }

    fn fill_rows(&mut self, index: usize, rows: u64, fill: u32) {
        let tile = &mut self.datums[index].0;
        for row in 0..TILE_ROWS {
            if rows >> row & 1 == 1 {
                tile[row * ROW_DATUMS..(row + 1) * ROW_DATUMS].fill(fill);
            }
        }
        debug_assert_eq!(tile.len(), TILE_DATUMS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_forgets_the_flags_and_materialize_supplies_the_value_read() {
        let mut dst = Dst::default();
        dst.tile_mut(3).0.fill(7);
        dst.set_valid(3, 0b10);
        dst.materialize(3, 0);
        assert_eq!(dst.tile(3).0[0], 0);
        assert_eq!(dst.tile(3).0[16], 7);
        dst.clear(0, 16);
        assert_eq!(dst.valid_rows(3), 0);
    }
}
