//! What to compile, and what can go wrong.
//!
//! A request holds everything that a kernel's text can depend on beside the files it includes. It must never hold an
//! address or a runtime argument: those are the run's. Start at [`CompileRequest`].

use std::path::PathBuf;

use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::KernelConfig;

/// One kernel to compile.
#[derive(Clone, Debug)]
pub struct CompileRequest {
    /// The C++ file.
    pub source: PathBuf,
    /// Processor and options.
    pub config: KernelConfig,
    /// Compile-time arguments, tensor accessors expanded.
    pub compile_time_args: Vec<u32>,
    /// Compile-time arguments with names.
    pub named_compile_time_args: Vec<(String, u32)>,
    /// Preprocessor definitions.
    pub defines: Vec<(String, String)>,
    /// Further include directories.
    pub include_dirs: Vec<PathBuf>,
    /// Circular buffers of the program, for the tables by index.
    pub circular_buffers: Vec<CircularBufferFormat>,
    /// The chip.
    pub arch: Arch,
}

/// What the tables that kernels see say of one circular buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CircularBufferFormat {
    /// Index, c_0 to c_31.
    pub index: u8,
    /// Element format.
    pub format: DataFormat,
    /// Bytes a page.
    pub page_size: u32,
}

/// Why a kernel could not be built.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BuildError {
    #[error("{}: cannot be read: {error}", file.display())]
    Source { file: PathBuf, error: std::io::Error },
    #[error("no C++ compiler: set CXX, or install g++ or clang++ ({tried} cannot be run)")]
    NoCompiler { tried: String },
    #[error("{}: does not compile\n{text}", file.display())]
    Compile { file: PathBuf, text: String },
    #[error(
        "{}: compile-time argument {index} is asked for, the program gives {count}\n{text}",
        file.display()
    )]
    CompileTimeArgument { file: PathBuf, index: u32, count: u32, text: String },
    #[error("{}: has no entry point: define `void kernel_main()` (or `void MAIN` in `namespace NAMESPACE`)", file.display())]
    NoEntryPoint { file: PathBuf },
    #[error("{}: a file that it is made of was saved each time while it was compiled; run again when it rests", file.display())]
    Unsettled { file: PathBuf },
    #[error("{}: does not link\n{text}", file.display())]
    Link { file: PathBuf, text: String },
    #[error("{}: the image cannot be loaded: {text}", file.display())]
    Load { file: PathBuf, text: String },
    #[error("cache {}: {error}", folder.display())]
    Cache { folder: PathBuf, error: std::io::Error },
}
