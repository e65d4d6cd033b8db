//! C++ kernels written for the device become images that the machine can run.
//!
//! A kernel is compiled against shim headers that turn each call of the kernel API into a call of the ABI table, loaded, and
//! wrapped as a [`Kernel`](tileproof_model::kernel::Kernel); this crate must never do a call's work itself. Start at
//! [`Builder::build`]; the headers are in `shim/`.

mod abi_table;
mod bound;
mod builder;
mod cache;
mod compiler;
mod config;
mod declared;
mod diagnostics;
mod environment;
mod folder;
mod given;
mod glance;
mod host;
mod identity;
mod image;
mod limited;
mod load;
mod look_ups;
mod manifest;
mod missing_call;
mod names;
mod note;
mod request;
mod rule;
mod runtime;
mod sealed;
mod sfpu_codes;
mod shim;
mod stamp;
mod survey;
mod symbolize;
mod version;
mod work;

pub use builder::Builder;
pub use declared::{Declared, Kind, Support, declared, headers};
pub use environment::{TAKEN_AWAY, heeded_variables};
pub use look_ups::sources;
pub use note::listen;
pub use request::{BuildError, CircularBufferFormat, CompileRequest, Diagnostic};
pub use shim::lay_out;
pub use survey::{CacheCheck, CacheCleared, CacheSurvey, survey};
pub use version::compiler_version;
