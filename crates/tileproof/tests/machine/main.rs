//! The machine, run by itself: results, threads and cores, schedules.
//!
//! Kernels are in Rust.

mod accessors;
mod bounds;
mod end_to_end;
mod epochs;
mod many_cores;
mod mutants;
mod orders;
pub(crate) mod random_programs;
mod schedules;
#[path = "../support/mod.rs"]
mod support;
mod threads;
mod values;
