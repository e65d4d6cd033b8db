//! Tensix data formats, tiles and arithmetic, bit for bit.
//!
//! Pure functions over tiles: nothing here knows a core, a thread or a clock, nothing allocates on
//! the way of a tile operation, and nothing calls `libm`, so results are the same on every host.
//! Start at [`tile`] for the layout, [`fpu`] for the matrix unit, [`sfpu`] for the vector unit,
//! [`chip`] for what differs between chips, [`unpack`] and [`pack`] for the way in and out.

pub mod chip;
pub mod dst;
pub mod error;
pub mod format;
pub mod fpu;
pub mod host;
pub mod pack;
pub mod search;
pub mod sfpu;
pub mod simd;
pub mod tile;
pub mod unpack;
