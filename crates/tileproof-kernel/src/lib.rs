//! The Tensix kernel API in Rust.
//!
//! A kernel is a function over [`DataMovement`] (reader, writer) or [`Compute`], with the calls of tt-metal's kernel API
//! under their names. A compute kernel runs three times, once a thread, and each call acts on the threads that own it,
//! exactly as a C++ kernel compiled three times. Start at [`native`], which makes a kernel of a function.

mod call;
mod compute;
mod data_movement;
mod fpu;
pub mod native;
mod row_major;
mod sfpu;

pub use compute::Compute;
pub use data_movement::{DataMovement, TensorAccessor};
pub use fpu::{Broadcast, Pool, ReduceDim};
pub use native::{NativeKernel, compute_kernel, data_movement_kernel};
pub use tileproof_model as model;
