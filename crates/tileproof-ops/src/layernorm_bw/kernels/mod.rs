//! The kernels of LayerNorm backward.
//!
//! | kernel | thread | does |
//! |---|---|---|
//! | [`reader`] | NCRISC | masks, gamma, statistics spread over a tile, x and dy |
//! | [`compute`] | UNPACK, MATH, PACK | s1 and s2 of a row, then dx and the sums of dgamma and dbeta |
//! | [`writer`] | BRISC | spreads s1 and s2 over a tile, writes dx and the partial sums |
//! | [`finish`] | all | adds up the partial sums |
//!
//! Reader and writers have a form for row-major tensors, which makes tiles of sticks and back ([`sticks`]); compute has one form.

pub(crate) mod compute;
mod fill;
pub(crate) mod finish;
pub(crate) mod reader;
mod sticks;
pub(crate) mod writer;
