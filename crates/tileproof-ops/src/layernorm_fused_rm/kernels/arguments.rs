//! Compile-time arguments that all kernels share, behind the accessors.

/// What the host told the kernels about the call.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    /// Tile columns.
    pub(crate) wt: u32,
    /// Tile columns that move together.
    pub(crate) chunk: u32,
    /// Tile columns of a Dst window.
    pub(crate) block: u32,
    /// The tiles of a row stay in L1.
    pub(crate) l1_path: bool,
    /// Tiles in and out, instead of sticks.
    pub(crate) is_tile: bool,
    pub(crate) is_fp32: bool,
    pub(crate) has_gamma: bool,
    pub(crate) has_beta: bool,
    pub(crate) statistics: bool,
    /// Tile rows of one matrix.
    pub(crate) ht: u32,
    /// Valid rows of the last tile row of a matrix, 32 when it is full.
    pub(crate) last_rows: u32,
    /// Valid columns of the last tile column, 32 when it is full.
    pub(crate) last_columns: u32,
}

/// Words of [`Shared`].
pub(crate) const WORDS: usize = 12;

impl Shared {
    /// Reads the words with `argument`, which counts from the first of them.
    pub(crate) fn new(argument: impl Fn(usize) -> u32) -> Shared {
        let flag = |index| argument(index) != 0;
        Shared {
            wt: argument(0),
            chunk: argument(1),
            block: argument(2),
            l1_path: flag(3),
            is_tile: flag(4),
            is_fp32: flag(5),
            has_gamma: flag(6),
            has_beta: flag(7),
            statistics: flag(8),
            ht: argument(9),
            last_rows: argument(10),
            last_columns: argument(11),
        }
    }

    /// First tile column and number of tile columns of each chunk of a row.
    pub(crate) fn chunks(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.wt).step_by(self.chunk as usize).map(move |first| (first, self.chunk.min(self.wt - first)))
    }

    /// First tile column within a chunk of `count`, and number of tile columns, of each block.
    pub(crate) fn blocks(self, count: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..count).step_by(self.block as usize).map(move |first| (first, self.block.min(count - first)))
    }

    /// Valid rows of tile row `row`.
    pub(crate) fn rows_of(self, row: u32) -> u32 {
        if row % self.ht == self.ht - 1 { self.last_rows } else { 32 }
    }

    /// Bytes of a datum of x and y.
    pub(crate) fn datum(self) -> u32 {
        if self.is_fp32 { 4 } else { 2 }
    }
}
