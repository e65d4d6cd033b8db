//! `op new`: from a configuration to a complete op whose kernels are stubs.
//!
//! It must never overwrite anything, and writes nothing unless all of it is right. Start at [`create`];
//! `skeleton/description.rs` writes the `op.toml`, `skeleton/stubs.rs` the kernels.

mod bound;
mod description;
mod stubs;

use std::path::{Path, PathBuf};

use super::file::{OpFileError, UserOp};
use super::registry;
use super::spec::is_name;
use crate::draft::Draft;
use bound::bind;

/// What `op new` makes without a configuration.
const DEFAULT: &str = r#"ranks = [2, 4]

[[input]]
name = "x"
dtypes = ["bfloat16"]
layouts = ["tile"]

[[output]]
name = "y"
dtypes = ["bfloat16"]
layouts = ["tile"]
"#;

/// Why no op is written.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NewError {
    #[error("op new: the name {0} must be letters, digits and _, a letter first")]
    Name(String),
    #[error("op new: the name {0} is that of a shipped op; give another")]
    Shipped(String),
    #[error(transparent)]
    Config(#[from] OpFileError),
    #[error("{}: {problem}", path.display())]
    Incomplete { path: PathBuf, problem: String },
    #[error("{}: exists already and is not empty; op new overwrites nothing", folder.display())]
    Exists { folder: PathBuf },
    #[error("{}: {error}", path.display())]
    Write { path: PathBuf, error: std::io::Error },
}

/// Writes the op `name` into `folder`; the files that were written.
///
/// # Errors
/// If the configuration is wrong, or the folder is not empty.
pub fn create(name: &str, config: Option<&Path>, folder: &Path) -> Result<Vec<PathBuf>, NewError> {
    if !is_name(name) {
        return Err(NewError::Name(name.into()));
    }
    if registry::shipped(name).is_some() {
        return Err(NewError::Shipped(name.into()));
    }
    let (path, text) = match config {
        None => (folder.join(UserOp::FILE), DEFAULT.to_string()),
        Some(path) => {
            let text =
                std::fs::read_to_string(path).map_err(|error| NewError::Write { path: path.to_path_buf(), error })?;
            (path.to_path_buf(), text)
        }
    };
    let near = path.parent().unwrap_or(Path::new(""));
    let op = UserOp::parse_named(&path, near, &text, Some(name))?;
    let incomplete = |problem: String| NewError::Incomplete { path: path.clone(), problem };
    if !op.kernels.is_empty() {
        return Err(incomplete("it has [[kernel]] tables, which op new writes".into()));
    }
    if op.inputs.is_empty() || op.outputs.is_empty() {
        return Err(incomplete("it needs at least one [[input]] and one [[output]]".into()));
    }
    if std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(NewError::Exists { folder: folder.to_path_buf() });
    }
    let (bound, new_cbs) = bind(&op).map_err(incomplete)?;
    let description = description::write(&op, &text, (near, folder), &bound, &new_cbs).map_err(incomplete)?;
    let files = [
        (UserOp::FILE, description),
        ("kernels/reader.cpp", stubs::reader(&bound, &op)),
        ("kernels/compute.cpp", stubs::compute(&bound, &op)),
        ("kernels/writer.cpp", stubs::writer(&bound, &op)),
    ];
    let failed = |error| NewError::Write { path: folder.to_path_buf(), error };
    let draft = Draft::beside(folder).map_err(failed)?;
    for (file, text) in &files {
        let path = draft.folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed)?;
        std::fs::write(&path, text).map_err(failed)?;
    }
    // Nothing is kept that `op check` cannot read.
    UserOp::read(&draft.folder).map_err(|OpFileError { line, column, message, .. }| {
        incomplete(format!("the op.toml that it makes cannot be read, at its line {line}, column {column}: {message}"))
    })?;
    draft.become_folder(folder).map_err(failed)?;
    Ok(files.iter().map(|(file, _)| folder.join(file)).collect())
}
