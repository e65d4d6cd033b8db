//! `tileproof new`: folders with a program that runs and passes, to change.
//!
//! They are kept as they are written, in `new_program/`. It must never write over anything. Start at [`create`].

use std::path::{Path, PathBuf};

use crate::draft::Draft;

/// What a new program shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Tiles of two tensors multiplied, on two cores.
    Eltwise,
    /// Sums of rows.
    Reduce,
    /// A matrix multiplied by another.
    Matmul,
    /// A tile that one core reads and hands to others.
    Multicast,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Eltwise, Kind::Reduce, Kind::Matmul, Kind::Multicast];
}

/// The name of the file that describes the program.
pub const PROGRAM: &str = "program.toml";

macro_rules! files {
    ($kind:literal, $($name:literal),*) => {
        &[$(($name, include_bytes!(concat!("new_program/", $kind, "/", $name)))),*]
    };
}

/// The files of a kind.
fn files(kind: Kind) -> &'static [(&'static str, &'static [u8])] {
    match kind {
        Kind::Eltwise => files!(
            "eltwise",
            "program.toml",
            "reader.cpp",
            "compute.cpp",
            "writer.cpp",
            "data.py",
            "a.npy",
            "b.npy",
            "out.npy"
        ),
        Kind::Reduce => {
            files!("reduce", "program.toml", "reader.cpp", "compute.cpp", "writer.cpp", "data.py", "x.npy", "out.npy")
        }
        Kind::Matmul => files!(
            "matmul",
            "program.toml",
            "reader.cpp",
            "compute.cpp",
            "writer.cpp",
            "data.py",
            "a.npy",
            "b.npy",
            "out.npy"
        ),
        Kind::Multicast => files!(
            "multicast",
            "program.toml",
            "reader.cpp",
            "compute.cpp",
            "writer.cpp",
            "data.py",
            "shared.npy",
            "x.npy",
            "out.npy"
        ),
    }
}

/// Why no program is written.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NewError {
    #[error("{}: exists already and is no empty folder; new overwrites nothing", folder.display())]
    Exists { folder: PathBuf },
    #[error("{}: {error}", folder.display())]
    Write { folder: PathBuf, error: std::io::Error },
}

/// Writes a program into `folder`, and beside it the schema that its first line names; the files that were written.
///
/// # Errors
/// If the folder is there and not empty, or cannot be written.
pub fn create(kind: Kind, folder: &Path, schema: (&'static str, &str)) -> Result<Vec<PathBuf>, NewError> {
    let is_free = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => folder.symlink_metadata().is_err(),
    };
    if !is_free {
        return Err(NewError::Exists { folder: folder.to_path_buf() });
    }
    let failed = |error| NewError::Write { folder: folder.to_path_buf(), error };
    let draft = Draft::beside(folder).map_err(failed)?;
    let all = files(kind).iter().copied().chain([(schema.0, schema.1.as_bytes())]);
    for (name, bytes) in all.clone() {
        std::fs::write(draft.folder.join(name), bytes).map_err(failed)?;
    }
    draft.become_folder(folder).map_err(failed)?;
    Ok(all.map(|(name, _)| folder.join(name)).collect())
}
