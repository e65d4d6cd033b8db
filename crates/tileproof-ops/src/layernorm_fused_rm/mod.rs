//! LayerNorm forward, fused, for row-major tensors: y, and on request mean and rstd, from x, gamma and beta.
//!
//! For each row of N features: `y = (x - mean) rstd gamma + beta`, `rstd = 1 / sqrt(variance + eps)`. Rows are tilized on the
//! device, normalised and untilized again; a tile-layout form skips both. The statistics take two passes and a shift:
//! x is centred by m0, the mean of the first columns, which is near the mean but rounded; the mean of what is left, r,
//! completes it, so that x - m0 - r keeps its bits where x is large and varies little. All sums and differences run on
//! the vector unit in fp32: sums of the matrix unit keep about 11 bits. Start at [`plan`], then `kernels`.

mod buffers;
mod kernels;
mod plan;
mod program;
pub mod public_layout;
pub mod reference;
pub mod specimens;
mod tensors;
mod validate;

pub use crate::kernels::Kernels;
pub use crate::memory::Memory;
pub use crate::path::PathChoice;
pub use plan::{Plan, plan};
pub use program::{CPP_FILES, kernels, program, program_with};
pub use tensors::Tensors;
pub use validate::{Argument, ArgumentError, Arguments, Storage, validate};

/// The name in the registry of ops.
pub const NAME: &str = "layernorm_fused_rm";
