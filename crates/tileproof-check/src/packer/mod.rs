//! The packer's state that outlives the call which set it: edge mask, ReLU, L1 accumulation.
//!
//! [`masked`], [`relu`] and [`sums`] look at packs that a state of an earlier operation reaches. None may speak of a pack
//! that the state was set for. What a unit is programmed with, operation and format, the machine compares by itself.

pub mod masked;
pub mod relu;
pub mod sums;
