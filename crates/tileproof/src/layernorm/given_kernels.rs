//! Kernels in C++ that a user gives.
//!
//! It must never look into one. Start at [`GivenKernels`].

use std::path::PathBuf;

use tileproof_model::program::KernelSource;
use tileproof_ops::Kernels;

use crate::kernel_folder::KernelFolder;

/// Kernels in C++ and where they find what they include.
#[derive(Clone, Debug)]
pub struct GivenKernels {
    /// The files.
    pub folder: KernelFolder,
    /// Include directories.
    pub include_dirs: Vec<PathBuf>,
}

impl From<GivenKernels> for Kernels {
    fn from(given: GivenKernels) -> Self {
        Kernels {
            reader: KernelSource::Cpp(given.folder.reader),
            compute: KernelSource::Cpp(given.folder.compute),
            writer: KernelSource::Cpp(given.folder.writer),
            include_dirs: given.include_dirs,
        }
    }
}
