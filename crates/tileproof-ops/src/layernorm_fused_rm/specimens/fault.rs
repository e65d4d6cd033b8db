//! The faults, one a specimen.
//!
//! It must never do anything: compute looks at the number. Start at [`Specimen`].

/// What is wrong with the kernel. The number is its last compile-time argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Specimen {
    /// Nothing.
    Right = 0,
    /// No hardware start-up.
    MissingStartup = 1,
    /// gamma and beta are waited for and popped, and never used.
    AffineUnused = 2,
    /// Compute counts the pages of c_0 as sticks, where they are tiles.
    SticksForTiles = 3,
    /// A whole chunk is untilized in one window, which is more than Dst holds.
    WideUntilize = 4,
    /// The variance is E[x^2] - E[x]^2.
    SquaresMinusSquare = 5,
    /// The padding of the last tile counts as columns.
    PaddingCounts = 6,
    /// Dst has 16 bits.
    NarrowDst = 7,
}

/// y as tiles, before it is untilized.
pub(super) const Y_TILES: u32 = 17;
