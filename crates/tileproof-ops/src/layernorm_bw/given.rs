//! The kernels that the op's two programs are made of: the shipped ones in Rust, those in C++, or a user's.
//!
//! It must never look into a kernel. Start at [`OpKernels`].

use std::path::Path;

use tileproof_kernel::model::program::{KernelSource, Layout};
use tileproof_kernel::{compute_kernel, data_movement_kernel};

use super::kernels::{compute, finish, reader, writer};
use crate::kernels::Kernels;

/// Kernels for the op's own host side.
#[derive(Clone)]
pub struct OpKernels {
    /// Of the first program: dx, and partial dgamma and dbeta.
    pub rows: Kernels,
    /// Of the second, which adds up the partial sums.
    pub finish: Kernels,
}

impl OpKernels {
    /// The shipped kernels in Rust, for tiles or for sticks: the forms differ in what data movement does with pages, and in
    /// nothing else.
    pub fn shipped(layout: Layout) -> OpKernels {
        let moves = |name, kernel| KernelSource::Native(data_movement_kernel(name, kernel));
        let (reader, writer, finish_writer) = match layout {
            Layout::Tile => (
                moves("layernorm_bw/reader", reader::kernel),
                moves("layernorm_bw/writer", writer::kernel),
                moves("layernorm_bw/finish_writer", finish::writer),
            ),
            Layout::RowMajor => (
                moves("layernorm_bw/reader_row_major", reader::row_major_kernel),
                moves("layernorm_bw/writer_row_major", writer::row_major_kernel),
                moves("layernorm_bw/finish_writer_row_major", finish::row_major_writer),
            ),
        };
        OpKernels {
            rows: Kernels {
                reader,
                compute: KernelSource::Native(compute_kernel("layernorm_bw/compute", compute::kernel)),
                writer,
                include_dirs: Vec::new(),
            },
            finish: Kernels {
                reader: moves("layernorm_bw/finish_reader", finish::reader),
                compute: KernelSource::Native(compute_kernel("layernorm_bw/finish_compute", finish::compute)),
                writer: finish_writer,
                include_dirs: Vec::new(),
            },
        }
    }

    /// Kernels in C++ for tiles, in a folder that holds [`CPP_FILES`].
    pub fn in_cpp(folder: &Path) -> OpKernels {
        OpKernels { rows: Kernels::in_cpp(folder), finish: Kernels::in_cpp(&folder.join("finish")) }
    }
}

/// The shipped kernels in C++: path within their folder, and text.
pub const CPP_FILES: &[(&str, &str)] = &[
    ("call.h", include_str!("cpp/call.h")),
    ("compute.cpp", include_str!("cpp/compute.cpp")),
    ("finish/compute.cpp", include_str!("cpp/finish/compute.cpp")),
    ("finish/reader.cpp", include_str!("cpp/finish/reader.cpp")),
    ("finish/writer.cpp", include_str!("cpp/finish/writer.cpp")),
    ("reader.cpp", include_str!("cpp/reader.cpp")),
    ("tiles.h", include_str!("cpp/tiles.h")),
    ("writer.cpp", include_str!("cpp/writer.cpp")),
];
