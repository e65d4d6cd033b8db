//! `op new`: from a configuration to a complete op whose kernels are stubs.
//!
//! It must never overwrite anything, and writes nothing unless all of it is right. Start at [`create`];
//! `skeleton/description.rs` writes the `op.toml`, `skeleton/stubs.rs` the kernels.

mod description;
mod stubs;

use std::path::{Path, PathBuf};

use tileproof_model::program::Layout;

use super::call::{Call, shape_name};
use super::file::{OpFileError, UserOp, is_name};
use super::registry;
use super::spec::{CbSpec, TensorSpec};

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

/// A tensor with its buffer, and how stubs go through it.
struct Bound<'a> {
    tensor: &'a TensorSpec,
    cb: u8,
    /// It is an output.
    output: bool,
    /// It has a page for each piece of work; else all of its pages are gone through at once.
    streamed: bool,
    /// Rows may be pages: then a page can be larger or smaller than a tile of the buffer.
    sticks: bool,
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

/// A folder for what is written, until all of it is; gone when dropped.
struct Draft {
    folder: PathBuf,
}

impl Draft {
    /// A new folder in the nearest one above `folder`, or `folder` itself, that exists.
    fn beside(folder: &Path) -> std::io::Result<Draft> {
        let place = std::path::absolute(folder)?;
        let place = place.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/"));
        let mut number = 0;
        loop {
            let folder = place.join(format!(".op-new-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Draft { folder }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts what was written where it belongs. A folder that exists already stays: it may be the one that we are in.
    fn become_folder(self, folder: &Path) -> std::io::Result<()> {
        if !folder.is_dir() {
            std::fs::create_dir_all(folder.parent().unwrap_or(folder))?;
            return std::fs::rename(&self.folder, folder);
        }
        for part in ["kernels", UserOp::FILE] {
            std::fs::rename(self.folder.join(part), folder.join(part))?;
        }
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Nothing can be done about it here, and nothing of it is in the way.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Buffers that the configuration does not have, with the tensors that they are for.
type NewBuffers<'a> = Vec<(u8, &'a TensorSpec)>;

/// A buffer for each tensor: the one that the configuration gives, or a new one.
fn bind(op: &UserOp) -> Result<(Vec<Bound<'_>>, NewBuffers<'_>), String> {
    let first = &op.inputs[0];
    let mut bound = Vec::new();
    let mut new = Vec::new();
    let mut taken: Vec<u8> = op.cbs.iter().map(|cb| cb.index).collect();
    let inputs = op.inputs.iter().map(|tensor| (tensor, 0));
    for (tensor, from) in inputs.chain(op.outputs.iter().map(|tensor| (tensor, 16))) {
        let of = |cb: &&CbSpec| cb.of.as_deref() == Some(tensor.name.as_str());
        let cb = match op.cbs.iter().find(of) {
            Some(cb) if cb.page_size.is_some() => {
                return Err(format!(
                    "cb {} of {} has a page_size: stubs go by tiles; leave it out, and write it into op.toml with the kernels",
                    cb.index, tensor.name
                ));
            }
            Some(cb) => cb.index,
            None => {
                let free = (from..32).find(|index| !taken.contains(index));
                let index = free.ok_or_else(|| format!("there is no circular buffer left for {}", tensor.name))?;
                taken.push(index);
                new.push((index, tensor));
                index
            }
        };
        let streamed = tensor.shape.is_none() && tensor.layouts == first.layouts;
        bound.push(Bound {
            tensor,
            cb,
            output: from != 0,
            streamed,
            sticks: tensor.layouts.contains(&Layout::RowMajor),
        });
    }
    Ok((bound, new))
}

/// Shapes that the configuration's own conditions accept.
fn shapes(op: &UserOp) -> Result<Vec<Vec<u32>>, String> {
    let with_rank = |sides: [u32; 2]| {
        let rank = op.ranks.0 as usize;
        let shape = [vec![1; rank.saturating_sub(2)], sides.to_vec()].concat();
        shape[shape.len() - rank.max(1)..].to_vec()
    };
    let candidates = [[32, 32], [64, 96], [96, 256], [32, 1024]].map(with_rank);
    let mut refusal = String::new();
    let accepted: Vec<Vec<u32>> = candidates
        .into_iter()
        .filter(|shape| {
            let call = Call::new(shape, op.dtypes()[0], op.layouts()[0]);
            match op.resolve(&call) {
                Ok(_) => true,
                Err(error) => {
                    refusal = format!("{} {}: {}", shape_name(shape), call.dtype.dtype_name(), error.message);
                    false
                }
            }
        })
        .take(3)
        .collect();
    if accepted.is_empty() {
        return Err(format!("give [grid] shapes: its conditions accept none of the usual ones ({refusal})"));
    }
    Ok(accepted)
}
