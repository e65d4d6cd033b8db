//! A kernel that makes calls which the Rust API does not have.

use std::sync::Arc;

use tileproof_model::abi::{Abi, Site};
use tileproof_model::kernel::{Kernel, KernelArgs, SourceLocation};
use tileproof_model::program::KernelSource;

struct Raw(fn(&'static Abi, &KernelArgs<'_>));

impl Kernel for Raw {
    fn name(&self) -> &str {
        "raw"
    }

    fn run(&self, abi: &'static Abi, args: &KernelArgs<'_>) {
        (self.0)(abi, args);
    }

    #[allow(unsafe_code, reason = "a method of the trait; no site is looked at")]
    unsafe fn locate(&self, _site: Site) -> Option<SourceLocation> {
        None
    }
}

/// It, as a kernel of a program.
pub(crate) fn source(kernel: fn(&'static Abi, &KernelArgs<'_>)) -> KernelSource {
    KernelSource::Native(Arc::new(Raw(kernel)))
}
