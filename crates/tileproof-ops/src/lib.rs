//! The ops that Tileproof ships: host side, Rust kernels and float64 references.
//!
//! An op validates its arguments, plans (path, cores, circular buffers) and describes a program; it never runs one. Start
//! at [`layernorm_bw`].

mod describe;
pub mod layernorm_bw;
mod split;
mod table;

pub use split::{CoreRows, split_rows};
pub use table::CbRow;
