//! A call of a shipped op as a program of C++ kernels: a program file, the kernels, the inputs, and what must come out.
//!
//! It must never differ from what the op's own host side describes but in the language of the kernels. Start at
//! [`CppProgram::of`].

use std::io;
use std::path::{Path, PathBuf};

use super::Op;
use super::call::Call;
use super::run::{OpError, Source, expecting};
use crate::npy::{self, NpyError};
use crate::program_file::{ProgramFile, write};

/// The folder of the kernels, beside the program file.
pub const KERNELS: &str = "kernels";
/// The name of the program file.
pub const PROGRAM: &str = "program.toml";

/// Why it cannot be written.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum WriteError {
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Npy(#[from] NpyError),
    #[error("{}: is there already; choose a folder of its own", .0.display())]
    Exists(PathBuf),
    #[error("{0}")]
    Values(String),
}

/// A call as a program file with everything that belongs to it.
pub struct CppProgram {
    file: ProgramFile,
    kernels: &'static [(&'static str, &'static str)],
}

impl CppProgram {
    /// The program of a call, or `None` if the op is not shipped in C++.
    ///
    /// # Errors
    /// If the call is refused, or a fill does not fit.
    pub fn of(
        op: &dyn Op,
        call: &Call,
        source: &Source<'_>,
        tolerances: (f64, f64),
    ) -> Result<Option<CppProgram>, OpError> {
        let Some(in_cpp) = op.in_cpp(call).map_err(OpError::Refused)? else { return Ok(None) };
        let mut file = expecting(op, call, source, tolerances)?;
        file.program = in_cpp.program;
        Ok(Some(CppProgram { file, kernels: in_cpp.files }))
    }

    /// The text of the program file.
    pub fn text(&self) -> String {
        write::text(&self.file)
    }

    /// Writes the program file, its kernels, inputs and expected outputs into a folder, which is made if it is not there.
    ///
    /// # Errors
    /// If there is a program file already, or something cannot be written.
    pub fn write_into(&self, folder: &Path) -> Result<(), WriteError> {
        let program = folder.join(PROGRAM);
        if program.exists() {
            return Err(WriteError::Exists(program));
        }
        for (path, tensor, fill) in write::data_files(&self.file) {
            let path = below(folder, &path)?;
            let words = fill
                .words(&tensor.shape, tensor.format, self.file.seed, 0)
                .map_err(|error| WriteError::Values(format!("{}: {error}", tensor.name)))?;
            npy::write_elements(&path, &tensor.shape, tensor.format, &words)?;
        }
        for (path, text) in self.kernels {
            save(&below(folder, &Path::new(KERNELS).join(path))?, text)?;
        }
        save(&program, &self.text())
    }
}

/// A path in `folder`, whose own folder is there.
fn below(folder: &Path, path: &Path) -> Result<PathBuf, WriteError> {
    let path = folder.join(path);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| WriteError::Io { path: parent.to_path_buf(), error })?;
    }
    Ok(path)
}

fn save(path: &Path, text: &str) -> Result<(), WriteError> {
    std::fs::write(path, text).map_err(|error| WriteError::Io { path: path.to_path_buf(), error })
}
