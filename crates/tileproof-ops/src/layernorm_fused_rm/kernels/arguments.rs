//! Compile-time arguments that all kernels share, behind the accessors.

/// What the host told the kernels about the call.
#[derive(Clone, Copy)]
pub(in crate::layernorm_fused_rm) struct Shared {
    /// Tile columns.
    pub(in crate::layernorm_fused_rm) wt: u32,
    /// Tile columns that move together.
    pub(in crate::layernorm_fused_rm) chunk: u32,
    /// Tile columns of a Dst window.
    pub(in crate::layernorm_fused_rm) block: u32,
    /// The tiles of a row stay in L1.
    pub(in crate::layernorm_fused_rm) l1_path: bool,
    /// Tiles in and out, instead of sticks.
    pub(in crate::layernorm_fused_rm) is_tile: bool,
    pub(in crate::layernorm_fused_rm) is_fp32: bool,
    pub(in crate::layernorm_fused_rm) has_gamma: bool,
    pub(in crate::layernorm_fused_rm) has_beta: bool,
    pub(in crate::layernorm_fused_rm) statistics: bool,
    /// Tile rows of one matrix.
    pub(in crate::layernorm_fused_rm) ht: u32,
    /// Valid rows of the last tile row of a matrix, 32 when it is full.
    pub(in crate::layernorm_fused_rm) last_rows: u32,
    /// Valid columns of the last tile column, 32 when it is full.
    pub(in crate::layernorm_fused_rm) last_columns: u32,
}

/// Words of [`Shared`].
pub(in crate::layernorm_fused_rm) const WORDS: usize = 12;

impl Shared {
    /// Reads the words with `argument`, which counts from the first of them.
    pub(in crate::layernorm_fused_rm) fn new(argument: impl Fn(usize) -> u32) -> Shared {
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
    pub(in crate::layernorm_fused_rm) fn chunks(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.wt).step_by(self.chunk as usize).map(move |first| (first, self.chunk.min(self.wt - first)))
    }

    /// First tile column within a chunk of `count`, and number of tile columns, of each block.
    pub(in crate::layernorm_fused_rm) fn blocks(self, count: u32) -> impl Iterator<Item = (u32, u32)> {
        (0..count).step_by(self.block as usize).map(move |first| (first, self.block.min(count - first)))
    }

    /// Valid rows of tile row `row`.
    pub(in crate::layernorm_fused_rm) fn rows_of(self, row: u32) -> u32 {
        if row % self.ht == self.ht - 1 { self.last_rows } else { 32 }
    }

    /// Bytes of a datum of x and y.
    pub(in crate::layernorm_fused_rm) fn datum(self) -> u32 {
        if self.is_fp32 { 4 } else { 2 }
    }
}
