//! What is written as a whole, on its way into its folder: a new op, a new program.
//!
//! It must never leave half of one behind. Start at [`Draft::beside`].

use std::path::{Path, PathBuf};

/// A folder for what is written, until all of it is; gone when dropped.
pub(crate) struct Draft {
    pub(crate) folder: PathBuf,
}

impl Draft {
    /// A new folder in the nearest one above `folder`, or `folder` itself, that exists.
    pub(crate) fn beside(folder: &Path) -> std::io::Result<Draft> {
        let place = std::path::absolute(folder)?;
        let place = place.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/"));
        let mut number = 0;
        loop {
            let folder = place.join(format!(".tileproof-new-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(Draft { folder }),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Puts what was written where it belongs. A folder that exists already stays: it may be the one that we are in.
    pub(crate) fn become_folder(self, folder: &Path) -> std::io::Result<()> {
        if !folder.is_dir() {
            std::fs::create_dir_all(folder.parent().unwrap_or(folder))?;
            return std::fs::rename(&self.folder, folder);
        }
        let parts: Vec<_> = std::fs::read_dir(&self.folder)?.collect::<Result<_, _>>()?;
        for part in parts {
            std::fs::rename(part.path(), folder.join(part.file_name()))?;
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
