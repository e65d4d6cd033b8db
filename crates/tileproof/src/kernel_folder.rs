//! The three kernels of an op in a folder that a user gives: which file is the reader, the compute kernel and the writer.
//!
//! The role stands in the name of the file, or of the folder that it is in; it must never be guessed from what the file
//! says. A folder named `finish` holds the kernels of an op's second program. Start at [`KernelFolder::find`].

use std::fs;
use std::path::{Path, PathBuf};

/// Kernels by role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelFolder {
    /// NCRISC.
    pub reader: PathBuf,
    /// UNPACK, MATH, PACK.
    pub compute: PathBuf,
    /// BRISC.
    pub writer: PathBuf,
    /// Those of the second program, where there is a folder for them.
    pub finish: Option<Box<KernelFolder>>,
}

/// The folder of the kernels of a second program.
const FINISH: &str = "finish";

/// Why the kernels in a folder cannot be told apart.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum KernelFolderError {
    #[error("kernels {}: {error}", folder.display())]
    Read { folder: PathBuf, error: std::io::Error },
    #[error(
        "kernels {}: no {role} kernel; its file, or the folder that it is in, must have \"{role}\" in its name and end in .cpp",
        folder.display()
    )]
    Missing { folder: PathBuf, role: &'static str },
    #[error("kernels {}: {} and {} both look like the {role} kernel; leave one", folder.display(), first.display(), second.display())]
    Several { folder: PathBuf, role: &'static str, first: PathBuf, second: PathBuf },
}

impl KernelFolder {
    /// Looks through a folder and those below it.
    ///
    /// # Errors
    /// If a role has no file or several, here or in the folder of the second program, or a folder cannot be read.
    pub fn find(folder: &Path) -> Result<KernelFolder, KernelFolderError> {
        let mut files = Vec::new();
        list(folder, &mut files).map_err(|error| KernelFolderError::Read { folder: folder.to_path_buf(), error })?;
        files.sort();
        let role = |role: &'static str| {
            let mut matching = files.iter().filter(|file| role_of(folder, file) == Some(role));
            let first = matching.next().ok_or(KernelFolderError::Missing { folder: folder.to_path_buf(), role })?;
            match matching.next() {
                None => Ok(first.clone()),
                Some(second) => Err(KernelFolderError::Several {
                    folder: folder.to_path_buf(),
                    role,
                    first: first.clone(),
                    second: second.clone(),
                }),
            }
        };
        let second = folder.join(FINISH);
        let finish = if second.is_dir() { Some(Box::new(KernelFolder::find(&second)?)) } else { None };
        Ok(KernelFolder { reader: role("reader")?, compute: role("compute")?, writer: role("writer")?, finish })
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with(FINISH) {
                list(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "cpp") {
            files.push(path);
        }
    }
    Ok(())
}

/// The role in the name of a file, else in that of the nearest folder below `root`.
fn role_of(root: &Path, file: &Path) -> Option<&'static str> {
    let below = file.strip_prefix(root).unwrap_or(file);
    below.iter().rev().find_map(|part| {
        let name = part.to_string_lossy().to_lowercase();
        ["reader", "writer", "compute"].into_iter().find(|role| name.contains(role))
    })
}
