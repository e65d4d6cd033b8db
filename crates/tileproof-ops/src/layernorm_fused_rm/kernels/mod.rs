//! The kernels of LayerNorm forward.
//!
//! | kernel | thread | does |
//! |---|---|---|
//! | [`reader`] | NCRISC | masks, x as sticks or tiles, gamma and beta as tiles |
//! | [`compute`] | UNPACK, MATH, PACK | tilize, the statistics of a tile row, y, untilize |
//! | [`writer`] | BRISC | spreads the statistics over a tile for compute, writes y and the statistics |
//!
//! A tile row is taken chunk by chunk of columns, a chunk block by block. Buffers turn in whole chunks and blocks, also where
//! the last one is short, or their pages would straddle the buffer's end.

mod arguments;
pub(crate) mod compute;
pub(crate) mod reader;
mod tiles;
pub(crate) mod writer;

pub(super) use arguments::{Shared, WORDS};
