//! What a kernel does, read from its text before anything runs: circular buffers, operations, arguments, helpers.
//!
//! The text is read, not compiled. Loops and helper functions are followed where their form is plain; whatever depends on
//! something else is said to be unknown, with what it depends on. It must never guess a count. Start at [`file`]; the
//! steps are `tokens`, `functions`, `symbols` (values) and `walk`.

mod analysis;
mod calls;
mod functions;
mod symbols;
mod tokens;
mod walk;

use std::path::{Path, PathBuf};

pub use analysis::{Analysis, ArgumentRead, Buffer, Given, Helper, Operation, Use};

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
