//! C++ kernels: the calls of the kernel API, recorded cases, and kernels that end badly.
//!
//! [`case`] makes a launch of a few small kernels.

mod arguments;
mod by_hand;
mod case;
mod golden;
mod in_dst;
mod in_place;
mod names;
mod pointers;
mod pooled;
mod shim;
#[path = "../support/mod.rs"]
mod support;
mod survival;
mod vectors;
