//! The shipped ops, as the workbench sees them: adapters around `tileproof-ops`.
//!
//! They translate and add no rule of their own. One file an op; what both need is in `adapter.rs`.

mod adapter;
mod backward;
mod forward;

pub(crate) use adapter::{MEMORIES, PATHS, Planned, word_for};
pub(crate) use backward::{BackwardSide, LayerNormBackward};
pub(crate) use forward::{ForwardSide, LayerNormForward, STATISTICS};
