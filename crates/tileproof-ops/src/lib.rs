//! The ops that Tileproof ships: host side, Rust kernels and float64 references.
//!
//! An op validates its arguments, plans (path, cores, circular buffers) and describes a program; it never runs one. Start
//! at [`layernorm_bw`] or [`layernorm_fused_rm`].

mod describe;
mod kernels;
pub mod layernorm_bw;
pub mod layernorm_fused_rm;
mod memory;
mod path;
mod split;
mod table;

pub use kernels::Kernels;
pub use memory::Memory;
pub use path::PathChoice;
pub use split::{CoreRows, split_rows};
pub use table::CbRow;
