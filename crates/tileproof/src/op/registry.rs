//! Which ops there are: the shipped ones in a table, and those in folders.
//!
//! It must never run one. Start at [`find`].

use std::path::{Path, PathBuf};

use tileproof_model::finding::Finding;

use super::Op;
use super::file::{OpFileError, UserOp};
use super::shipped::{LayerNormBackward, LayerNormForward};
use crate::refused;

/// An op of the table.
type Entry = (&'static str, fn() -> Box<dyn Op>);

/// The shipped ops by name.
const TABLE: [Entry; 2] = [
    (tileproof_ops::layernorm_bw::NAME, || Box::new(LayerNormBackward::default())),
    (tileproof_ops::layernorm_fused_rm::NAME, || Box::new(LayerNormForward::default())),
];

/// Why there is no such op.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FindError {
    #[error("there is no op {name}; known are {}, or give a folder with an op.toml", names().join(", "))]
    Unknown { name: String },
    #[error("{}: there is no op.toml in this folder; `tileproof op new NAME --into {}` writes one", folder.display(), folder.display())]
    NoDescription { folder: PathBuf },
    #[error(
        "{name} is both a shipped op and a folder with an op.toml; say ./{name} for the folder, or call the shipped op from elsewhere"
    )]
    Both { name: String },
    #[error(transparent)]
    File(#[from] OpFileError),
    #[error("{0}")]
    Host(String),
}

impl FindError {
    /// The same as data; none if no file has a part in it.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            FindError::File(OpFileError { path, line, message, .. }) => {
                vec![refused::finding(&path.display().to_string(), Some(*line), message.as_str())]
            }
            _ => Vec::new(),
        }
    }
}

/// The names of the shipped ops.
pub fn names() -> Vec<&'static str> {
    TABLE.iter().map(|(name, _)| *name).collect()
}

/// A shipped op.
pub fn shipped(name: &str) -> Option<Box<dyn Op>> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, make)| make())
}

/// An op, and where it is.
pub struct Found {
    /// The op.
    pub op: Box<dyn Op>,
    /// Its folder; `None` for a shipped one.
    pub folder: Option<PathBuf>,
}

/// A shipped op by its name, or that of a folder. Relative folders are seen from `from`.
///
/// # Errors
/// If there is none, if there are both, or if its description is wrong.
pub fn find(name: &str, from: &Path) -> Result<Found, FindError> {
    match (shipped(name), user_folder(name, from)) {
        (Some(_), Ok(_)) => Err(FindError::Both { name: name.into() }),
        (Some(op), Err(_)) => Ok(Found { op, folder: None }),
        (None, folder) => {
            let folder = folder?;
            Ok(Found { op: Box::new(UserOp::read(&folder)?), folder: Some(folder) })
        }
    }
}

/// The folder of a user's op: itself, or the `op.toml` in it.
///
/// # Errors
/// If there is no description.
fn user_folder(name: &str, from: &Path) -> Result<PathBuf, FindError> {
    let path = if from.as_os_str().is_empty() { PathBuf::from(name) } else { from.join(name) };
    if path.is_file() && path.file_name().is_some_and(|file| file == UserOp::FILE) {
        let folder = path.parent().unwrap_or(Path::new(""));
        return Ok(if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_path_buf() });
    }
    match (path.is_dir(), path.join(UserOp::FILE).is_file()) {
        (_, true) => Ok(path),
        (true, false) => Err(FindError::NoDescription { folder: path }),
        (false, false) => Err(FindError::Unknown { name: name.into() }),
    }
}
