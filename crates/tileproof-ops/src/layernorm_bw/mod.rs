//! LayerNorm backward: dx, dgamma and dbeta from x, gamma, mean, rstd and dy.
//!
//! For each row of N features, with x_hat = (x - mean) rstd and g = dy gamma:
//! `dx = rstd (g - s1 - x_hat s2)`, `s1 = mean(g)`, `s2 = mean(g x_hat)`, `dgamma = sum over rows of dy x_hat`,
//! `dbeta = sum over rows of dy`. All sums and all arithmetic behind the product dy gamma run on the vector unit in fp32: sums of
//! the matrix unit keep about 11 bits, and a truncated bf16 1/N costs up to 0.4 %. The first program leaves one row of
//! partial dgamma and dbeta for each group of tile rows; the second adds them up, so that the cores of the first stay
//! independent. Tensors are tiles or sticks; the same bits come out of both forms. Start at [`plan`], then `kernels`.

mod buffers;
mod given;
mod kernels;
mod plan;
mod program;
pub mod public_layout;
pub mod reference;
pub mod specimens;
mod tensors;
mod validate;

pub use crate::memory::Memory;
pub use crate::path::PathChoice;
pub use given::{CPP_FILES, OpKernels};
pub use plan::{Plan, plan};
pub use program::{program, program_with};
pub use tensors::Tensors;
pub use validate::{ArgumentError, Arguments, validate};

/// The name in the registry of ops.
pub const NAME: &str = "layernorm_bw";
