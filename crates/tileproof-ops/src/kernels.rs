//! The three kernels of a program.
//!
//! It must never look into one. Start at [`Kernels`].

use std::path::{Path, PathBuf};

use tileproof_kernel::model::program::KernelSource;

/// Where the three kernels are.
#[derive(Clone)]
pub struct Kernels {
    /// NCRISC.
    pub reader: KernelSource,
    /// UNPACK, MATH, PACK.
    pub compute: KernelSource,
    /// BRISC.
    pub writer: KernelSource,
    /// Include directories of those in C++.
    pub include_dirs: Vec<PathBuf>,
}

impl Kernels {
    /// Three in C++ that lie in a folder as reader.cpp, compute.cpp and writer.cpp.
    pub fn in_cpp(folder: &Path) -> Kernels {
        let source = |file: &str| KernelSource::Cpp(folder.join(file));
        Kernels {
            reader: source("reader.cpp"),
            compute: source("compute.cpp"),
            writer: source("writer.cpp"),
            include_dirs: Vec::new(),
        }
    }
}
