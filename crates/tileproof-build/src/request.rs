//! What to compile, and what can go wrong.
//!
//! A request holds everything that a kernel's text can depend on beside the files it includes. It must never hold an
//! address or a runtime argument: those are the run's. Start at [`CompileRequest`].

use std::path::{Path, PathBuf};

use tileproof_model::arch::Arch;
use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::kernel::SourceLocation;
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

/// An error of the compiler or the linker in a file of the user's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The file, as the user names it.
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
    /// The column, from 1; 0 where it is not known.
    pub column: u32,
    /// What is wrong; of the linker, the name that nothing defines.
    pub message: String,
}

/// Why a kernel could not be built.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum BuildError {
    #[error("{}: cannot be read: {error}", file.display())]
    Source { file: PathBuf, error: std::io::Error },
    #[error(
        "no C++ compiler: set CXX, or install g++ (`apt install g++`, `dnf install gcc-c++`) or clang++ ({tried} cannot be run); \
         without one the shipped ops run, whose kernels are in Rust"
    )]
    NoCompiler { tried: String },
    #[error("{}: does not compile{}\n{text}", file.display(), missing.as_ref().map_or_else(String::new, |line| format!(": {line}")))]
    Compile { file: PathBuf, diagnostics: Vec<Diagnostic>, missing: Option<String>, text: String },
    #[error("{}: does not compile: {}. {YOUR_HEADERS}\n{text}", file.display(), no_header(header, alike))]
    Header { file: PathBuf, header: String, alike: Vec<String>, diagnostic: Box<Diagnostic>, text: String },
    #[error(
        "{}: compile-time argument {index} is asked for, the program gives {count}\n{text}",
        file.display()
    )]
    CompileTimeArgument { file: PathBuf, index: u32, count: u32, diagnostic: Option<Box<Diagnostic>>, text: String },
    #[error("{}: has no entry point: define `void kernel_main()` (or `void MAIN` in `namespace NAMESPACE`)", file.display())]
    NoEntryPoint { file: PathBuf },
    #[error("{}: {}", file.display(), diagnostic.message)]
    NotText { file: PathBuf, diagnostic: Box<Diagnostic> },
    #[error("{}: a file that it is made of was saved each time while it was compiled; run again when it rests", file.display())]
    Unsettled { file: PathBuf },
    #[error("{}: does not link: {}", file.display(), all_undefined(undefined))]
    Undefined { file: PathBuf, undefined: Vec<Diagnostic>, text: String },
    #[error("{}: the compiler failed: {text}", file.display())]
    Compiler { file: PathBuf, text: String },
    #[error("{}: the image cannot be loaded: {text}", file.display())]
    Load { file: PathBuf, text: String },
    #[error("cache {}: {error}", folder.display())]
    Cache { folder: PathBuf, error: std::io::Error },
}

/// What of a header is missing, and where others are looked for.
fn no_header(header: &str, alike: &[String]) -> String {
    let shipped = match alike {
        [] => "none of a like name is shipped".to_string(),
        names => format!("shipped are {}", names.join(", ")),
    };
    format!("there is no header {header}; {shipped}")
}

/// Where headers that are not shipped have to be.
const YOUR_HEADERS: &str = "Folders with headers of your own go into include_dirs of the [[kernel]], or to --include";

fn all_undefined(undefined: &[Diagnostic]) -> String {
    let place = |d: &Diagnostic| if d.line > 0 { format!("{}:{}", d.file, d.line) } else { d.file.clone() };
    let list: Vec<String> =
        undefined.iter().map(|d| format!("{} is used at {} and nothing defines it", d.message, place(d))).collect();
    list.join("; ")
}

impl BuildError {
    /// Whether this host is the reason, not the kernel: on another, or later, it may be built.
    pub fn is_host(&self) -> bool {
        match self {
            BuildError::NoCompiler { .. }
            | BuildError::Cache { .. }
            | BuildError::Compiler { .. }
            | BuildError::Unsettled { .. } => true,
            BuildError::Source { error, .. } => error.kind() != std::io::ErrorKind::NotFound,
            _ => false,
        }
    }

    /// The same as findings, one a place. `kernel` is who is asked to be built: where nothing better is known.
    pub fn findings(&self, place: &dyn Fn(&Path) -> Place) -> Vec<Finding> {
        let found = |code: Code, file: &Path, at: Option<&Diagnostic>, message: String, help: Option<&str>| {
            let location = at.filter(|d| d.line > 0).map(|d| SourceLocation {
                file: d.file.clone(),
                line: d.line,
                column: d.column,
            });
            let primary = Place { location, ..place(file) };
            Finding { help: help.map(str::to_string), ..Finding::new(code, primary, message) }
        };
        let each = |file: &Path, list: &[Diagnostic]| {
            list.iter().map(|d| found(Code::NOT_COMPILED, file, Some(d), d.message.clone(), None)).collect()
        };
        match self {
            BuildError::Compile { file, diagnostics, missing, .. } => {
                let mut findings: Vec<Finding> = each(file, diagnostics);
                if let Some(first) = findings.first_mut() {
                    first.help.clone_from(missing);
                }
                findings
            }
            BuildError::Header { file, header, alike, diagnostic, .. } => {
                let message = no_header(header, alike);
                vec![found(Code::NOT_COMPILED, file, Some(diagnostic), message, Some(YOUR_HEADERS))]
            }
            BuildError::CompileTimeArgument { file, index, count, diagnostic, .. } => {
                let message = format!("compile-time argument {index} is asked for, the program gives {count}");
                let help =
                    "give compile_time_args of the [[kernel]] one more, or compare their order with the kernel's";
                vec![found(Code::NOT_COMPILED, file, diagnostic.as_deref(), message, Some(help))]
            }
            BuildError::NotText { file, diagnostic } => {
                vec![found(Code::NOT_COMPILED, file, Some(diagnostic), diagnostic.message.clone(), None)]
            }
            BuildError::NoEntryPoint { file } => {
                let message = "has no entry point: define `void kernel_main()`".into();
                vec![found(Code::NOT_COMPILED, file, None, message, None)]
            }
            BuildError::Undefined { file, undefined, .. } => {
                let of = |d: &Diagnostic| {
                    let help = "define it, or include the file that does: a kernel is one file and what it includes";
                    let message = format!("{} is used here and nothing defines it", d.message);
                    found(Code::NOT_DEFINED, file, Some(d), message, Some(help))
                };
                undefined.iter().map(of).collect()
            }
            BuildError::Source { file, .. } | BuildError::Unsettled { file } => {
                vec![found(Code::REFUSED, file, None, self.to_string(), None)]
            }
            BuildError::Compiler { file, .. } | BuildError::Load { file, .. } => {
                vec![found(Code::COMPILER_FAILED, file, None, self.to_string(), None)]
            }
            BuildError::NoCompiler { .. } | BuildError::Cache { .. } => {
                vec![found(Code::COMPILER_FAILED, Path::new(""), None, self.to_string(), None)]
            }
        }
    }
}
