//! Tileproof as a library: the only crate that sees all stages.
//!
//! [`layernorm`] runs the shipped LayerNorm ops and compares them with their references; [`device`] runs any program, [`open_device`] keeps tensors between programs;
//! [`fill`] makes input data; [`op`] takes any op through the gates of the workbench; [`audit`] says what a test would miss, [`other_data`] how a program does on other data; [`analyze`] reads kernels. Nothing here renders anything.

pub mod analyze;
mod apart;
pub mod audit;
mod bounded;
mod cpp_kernels;
pub mod described;
pub mod device;
mod draft;
mod dtypes;
mod elements;
pub mod error_map;
pub mod fill;
mod filling;
mod host_sums;
mod isolation;
pub mod kernel_folder;
mod launch_rules;
pub mod layernorm;
mod miss;
pub mod new_program;
pub mod npy;
pub mod op;
pub mod open_device;
pub mod other_data;
pub mod output;
pub mod pages;
pub mod phases;
mod place;
pub mod precision;
pub mod program_file;
pub mod refused;
pub mod run_file;
pub mod server;
pub mod stop;
mod tensor_findings;
mod wanted;
pub mod where_wrong;
mod who_wrote;
mod wire;

pub use cpp_kernels::{BuildKernels, Kernels, Nobody, built_by};
pub use dtypes::format_named;
pub use isolation::Isolation;
pub use tileproof_build as build;
pub use tileproof_check as check;
pub use tileproof_model as model;
pub use tileproof_ops as ops;
pub use tileproof_sim::LaunchError;
pub use tileproof_timing as timing;
pub use tileproof_worker::host as host_box;
