//! The packer's state that outlives the call which set it: edge mask, ReLU, L1 accumulation.
//!
//! [`masked`], [`relu`], [`sums`] and [`undrained`] look at packs that a state of an earlier operation reaches. None may speak of a pack
//! that the state was set for; [`left_untilizing`] notes what a kernel leaves behind. What a unit is programmed with, operation and format, the machine compares by itself.

pub mod left_untilizing;
pub mod masked;
pub mod relu;
pub mod sums;
pub mod undrained;
