//! The checks: each on kernels that do what it is about, and on the nearest right ones.
//!
//! Kernels are in Rust; a line that must be blamed ends in a comment, which the test names.

mod buffers;
mod dst;
mod lost;
mod meeting;
mod memory;
mod order;
mod packer;
mod part;
mod planted;
mod rows;
mod shared;
#[path = "../support/mod.rs"]
mod support;
mod transfers;
mod unfinished;
mod windows;
mod words;
