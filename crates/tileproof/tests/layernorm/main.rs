//! LayerNorm in both directions: in Rust and in C++, as published, and with one fault each.
//!
//! [`given`] knows where kernels in C++ are, and who builds them.

mod audited;
mod backward;
mod backward_cpp;
mod backward_public;
mod backward_specimens;
mod derived;
mod forward;
mod forward_cpp;
mod forward_public;
mod forward_recorded;
mod forward_specimens;
mod given;
mod moreh_recorded;
mod pair;
mod paths;
mod published;
mod recorded;
mod shadowed;
#[path = "../support/mod.rs"]
mod support;
