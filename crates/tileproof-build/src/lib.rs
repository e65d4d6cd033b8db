//! C++ kernels written for the device become images that the machine can run.
//!
//! A kernel is compiled against shim headers that turn each call of the kernel API into a call of the ABI table, loaded, and
//! wrapped as a [`Kernel`](tileproof_model::kernel::Kernel); this crate must never do a call's work itself. Start at
//! [`Builder::build`]; the headers are in `shim/`.

mod abi_table;
mod builder;
mod cache;
mod compiler;
mod config;
mod diagnostics;
mod image;
mod load;
mod manifest;
mod request;
mod sfpu_codes;
mod shim;
mod symbolize;

pub use builder::Builder;
pub use request::{BuildError, CircularBufferFormat, CompileRequest, Diagnostic};
