//! Why a program file cannot be run, and the line that is to blame.
//!
//! It must never hold what is wrong with a program that runs: that is in its result. Start at [`RunError`].

use std::path::PathBuf;

use tileproof_build::BuildError;
use tileproof_model::finding::{self, Finding};
use tileproof_sim::LaunchError;

use crate::fill::FillError;
use crate::npy::NpyError;
use crate::program_file::ProgramFileError;
use crate::refused;

/// Why a program cannot be run.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RunError {
    #[error(transparent)]
    ProgramFile(#[from] ProgramFileError),
    #[error("{place}: tensor \"{tensor}\": {source}")]
    Fill { place: Place, tensor: String, source: Box<FillError> },
    #[error("{place}: expect: {source}")]
    Expect { place: Place, source: Box<FillError> },
    #[error("{place}: {source}")]
    Allocate { place: Place, source: Box<LaunchError> },
    #[error("{place}: kernel: {source}")]
    Kernel { place: Place, source: Box<LaunchError> },
    #[error("{place}: kernel: its cores have different circular buffers {cb}; give them kernels of their own")]
    CbsDiffer { place: Place, cb: u8 },
    #[error("{}: {source}", path.display())]
    Build { path: PathBuf, source: Box<BuildError>, places: Vec<finding::Place> },
    #[error("{}: {source}", path.display())]
    Launch { path: PathBuf, source: Box<LaunchError> },
    #[error("{}: {text}", path.display())]
    Memory { path: PathBuf, text: String },
    #[error("{place}: {source}")]
    Buffer { place: Place, source: Box<LaunchError> },
    #[error("{}: follow: {why}", path.display())]
    Follow { path: PathBuf, why: String },
    #[error("{}: why: {why}", path.display())]
    Why { path: PathBuf, why: String },
    #[error("{}: {tensor}: no tolerance can be derived: {why}; give rtol and atol", path.display())]
    NoBound { path: PathBuf, tensor: String, why: String },
    #[error("save: {}: {error}", folder.display())]
    SaveFolder { folder: PathBuf, error: std::io::Error },
    #[error("save: {0}")]
    Save(Box<NpyError>),
    #[error("journal: {0}")]
    Journal(String),
}

impl RunError {
    /// Whether this host is the reason, not the program.
    pub fn is_host(&self) -> bool {
        let (RunError::Allocate { source, .. } | RunError::Launch { source, .. }) = self else { return false };
        matches!(**source, LaunchError::Host(_))
    }

    /// The same as data: one finding, or one for each place in a kernel that cannot be built.
    pub fn findings(&self) -> Vec<Finding> {
        let text = self.to_string();
        let (path, line) = match self {
            RunError::Build { source, places, .. } => return refused::kernels(source, places),
            RunError::ProgramFile(error) => (&error.path, error.line),
            RunError::Fill { place, .. }
            | RunError::Expect { place, .. }
            | RunError::Allocate { place, .. }
            | RunError::Kernel { place, .. }
            | RunError::CbsDiffer { place, .. }
            | RunError::Buffer { place, .. } => (&place.path, place.line),
            RunError::Launch { path, .. }
            | RunError::Memory { path, .. }
            | RunError::Follow { path, .. }
            | RunError::NoBound { path, .. }
            | RunError::Why { path, .. } => (path, 0),
            RunError::SaveFolder { folder, .. } => (folder, 0),
            RunError::Save(_) | RunError::Journal(_) => {
                return vec![refused::finding(refused::COMMAND_LINE, None, text)];
            }
        };
        let place = Place { path: path.clone(), line }.to_string();
        let message = text.strip_prefix(&format!("{place}: ")).unwrap_or(&text);
        vec![refused::finding(&path.display().to_string(), Some(line), message)]
    }
}

/// A line of a program file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.path.display()),
            line => write!(f, "{}:{line}", self.path.display()),
        }
    }
}
