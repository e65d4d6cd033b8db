//! Where a datum comes from, and where it lies: words for the others. Must never hold a value. Start at [`Origin`].

/// Where a datum comes from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) enum Origin {
    /// Nobody knows.
    #[default]
    Unknown,
    /// A thread's own store, by its number among those.
    Stored { by: u32 },
    /// A byte that several datums share: whose, nobody keeps.
    Shared,
    /// A byte of a tensor, as it was filled.
    Tensor { number: u16, byte: u32 },
    /// A datum of what an operation gave.
    Datum { node: u32, at: u16 },
}

/// A piece of memory: the L1 of a core, or a bank of DRAM.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Piece {
    L1(usize),
    Bank(u32),
}
