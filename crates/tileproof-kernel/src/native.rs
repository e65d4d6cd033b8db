//! Kernels in Rust: a function becomes something that the machine can run.
//!
//! A call's site is the address of the caller's `Location`, which `#[track_caller]` hands down for free.

#![allow(unsafe_code)]

use std::panic::Location;
use std::sync::Arc;

use tileproof_model::abi::{Abi, Site};
use tileproof_model::kernel::{Kernel, KernelArgs, SharedKernel, SourceLocation};

use crate::compute::Compute;
use crate::data_movement::DataMovement;

enum Body {
    DataMovement(fn(&DataMovement<'_>)),
    Compute(fn(&Compute<'_>)),
}

/// A kernel made of a Rust function.
pub struct NativeKernel {
    name: &'static str,
    body: Body,
}

/// A reader or writer kernel.
pub fn data_movement_kernel(name: &'static str, body: fn(&DataMovement<'_>)) -> SharedKernel {
    Arc::new(NativeKernel { name, body: Body::DataMovement(body) })
}

/// A compute kernel.
pub fn compute_kernel(name: &'static str, body: fn(&Compute<'_>)) -> SharedKernel {
    Arc::new(NativeKernel { name, body: Body::Compute(body) })
}

impl Kernel for NativeKernel {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&self, abi: &'static Abi, args: &KernelArgs<'_>) {
        match self.body {
            Body::DataMovement(body) => body(&DataMovement::new(abi, args)),
            Body::Compute(body) => body(&Compute::new(abi, args)),
        }
    }

    unsafe fn locate(&self, site: Site) -> Option<SourceLocation> {
        let location = site.0 as *const Location<'static>;
        if location.is_null() {
            return None;
        }
        // SAFETY: the caller promises that this kernel made the call, and every call of this crate passes `call::here()`,
        // the address of a `&'static Location`.
        let location = unsafe { &*location };
        Some(SourceLocation { file: location.file().to_string(), line: location.line(), column: location.column() })
    }
}
