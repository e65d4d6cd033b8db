//! Tileproof as a library: the only crate that sees all stages.
//!
//! [`layernorm`] runs the shipped LayerNorm ops and compares them with their references; [`fill`] makes input data. It
//! describes nothing and renders nothing itself.

pub mod fill;
pub mod npy;
