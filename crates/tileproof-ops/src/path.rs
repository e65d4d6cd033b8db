//! The ways through an op: rows that stay in L1, or are read again.
//!
//! It must never decide: the plan of an op does. Start at [`PathChoice`].

/// Which path a user asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PathChoice {
    /// L1 when everything fits, else block.
    #[default]
    Auto,
    /// A whole row of x, dy and gamma stays in L1: each is read once.
    L1,
    /// Rows are streamed in blocks: any width, x and dy are read twice.
    Block,
}
