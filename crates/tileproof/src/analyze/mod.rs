//! What a kernel does, read from its text before anything runs: circular buffers, operations, arguments, helpers.
//!
//! The text is read, not compiled. Loops and helper functions are followed where their form is plain; whatever depends on
//! something else is said to be unknown, with what it depends on. It must never guess a count. Start at [`file`]; the
//! steps are `tokens`, `functions`, `symbols` (values) and `walk`.

mod calls;
mod functions;
mod symbols;
mod tokens;
mod walk;

use std::path::{Path, PathBuf};

use tileproof_model::program::{Argument, KernelDescriptor};

/// What is known of a kernel beside its text.
#[derive(Clone, Default, Debug)]
pub struct Given {
    /// Compile-time arguments; `None` for those that are no plain words.
    pub compile_time_args: Vec<Option<u32>>,
    /// Preprocessor definitions.
    pub defines: Vec<(String, String)>,
}

impl Given {
    /// What a program gives a kernel. Words behind those of an accessor are not known: how many it has is not said here.
    pub fn of_kernel(kernel: &KernelDescriptor) -> Given {
        let word = |argument: &Argument| if let Argument::Word(word) = argument { Some(*word) } else { None };
        let plain = |argument: &&Argument| matches!(argument, Argument::Word(_));
        let compile_time_args = kernel.compile_time_args.iter().take_while(plain).map(word).collect();
        Given { compile_time_args, defines: kernel.defines.clone() }
    }
}

/// What a kernel does.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The kernel.
    pub file: PathBuf,
    /// `compute` or `data movement`.
    pub kind: &'static str,
    /// Arguments that it reads, in order.
    pub arguments: Vec<ArgumentRead>,
    /// Circular buffers, by index, unknown ones last.
    pub buffers: Vec<Buffer>,
    /// Calls of the API in the order of the text, helpers followed.
    pub operations: Vec<Operation>,
    /// Functions of the kernel's own files that it calls.
    pub helpers: Vec<Helper>,
    /// Calls that are neither of its own files nor known here.
    pub other_calls: Vec<String>,
    /// Headers that it includes.
    pub includes: Vec<String>,
    /// What cannot be known from the text.
    pub unknown: Vec<String>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArgumentRead {
    /// `runtime`, `compile-time`, `common` or `accessor`.
    pub kind: &'static str,
    /// Which one.
    pub index: String,
    /// The name that it gets, or of what it is part; empty if it gets none.
    pub name: String,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
}

/// A circular buffer.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// `c_0`, or what it depends on.
    pub name: String,
    /// Its index, if it is known.
    pub index: Option<u32>,
    /// `producer`, `consumer`, both, or neither.
    pub roles: Vec<&'static str>,
    /// Pages that are pushed in all.
    pub pushed: Option<String>,
    /// Pages that are popped in all.
    pub popped: Option<String>,
    /// What is done with it, line by line.
    pub uses: Vec<Use>,
}

/// What a line does with a circular buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// The call.
    pub call: String,
    /// `reserve`, `push`, `wait`, `pop`, `read`, `write` or `program`.
    pub action: &'static str,
    /// Threads.
    pub threads: Vec<&'static str>,
    /// Pages of one call, where it counts pages.
    pub pages: Option<String>,
    /// Pages of all calls, or `unknown: depends on ..`.
    pub total: Option<String>,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
}

/// A call of the API.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Threads that it acts on; empty for the one thread of a data-movement kernel.
    pub threads: Vec<&'static str>,
    /// Its name with template arguments.
    pub call: String,
    /// Its arguments as written.
    pub arguments: String,
    /// It programs a unit and moves no data.
    pub init: bool,
    /// Loops and conditions around it, the outermost first.
    pub within: Vec<String>,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
}

/// A function of the kernel's own files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Helper {
    /// Its name.
    pub name: String,
    /// Where.
    pub file: String,
    /// Where, from 1.
    pub line: u32,
    /// Places that call it.
    pub calls: usize,
}

/// Why there is nothing to analyse.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum AnalyzeError {
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{}: there is no kernel_main and no MAIN; is it a kernel?", path.display())]
    NoKernel { path: PathBuf },
    #[error("{}: there is no .cpp file with a kernel in this folder", folder.display())]
    Empty { folder: PathBuf },
}

/// Reads a kernel.
///
/// # Errors
/// If it cannot be read, or has no entry.
pub fn file(path: &Path, given: &Given) -> Result<Analysis, AnalyzeError> {
    let source = tokens::Source::read(path).map_err(|error| AnalyzeError::Read { path: path.to_path_buf(), error })?;
    walk::analyse(path, &source, given).ok_or_else(|| AnalyzeError::NoKernel { path: path.to_path_buf() })
}

/// Reads a kernel, or all kernels in a folder and below it.
///
/// # Errors
/// As [`file`]; files of a folder that are no kernels are left out, but one must be.
pub fn path(path: &Path) -> Result<Vec<Analysis>, AnalyzeError> {
    if !path.is_dir() {
        return Ok(vec![file(path, &Given::default())?]);
    }
    let mut files = Vec::new();
    list(path, &mut files).map_err(|error| AnalyzeError::Read { path: path.to_path_buf(), error })?;
    files.sort();
    let mut analyses = Vec::new();
    for path in files {
        match file(&path, &Given::default()) {
            Ok(analysis) => analyses.push(analysis),
            Err(AnalyzeError::NoKernel { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    if analyses.is_empty() { Err(AnalyzeError::Empty { folder: path.to_path_buf() }) } else { Ok(analyses) }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "cpp") {
            files.push(path);
        }
    }
    Ok(())
}
