//! The folder of the cache: where it lies, who else could write to it, and where to go instead.
//!
//! An image is code that is run, so a folder that anybody else could have put one into must never be used. Start at
//! [`wanted`].

use std::env;
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::host::user;

/// Folders of the cache.
pub(crate) const IMAGES: &str = "images";
pub(crate) const WORK: &str = "work";
pub(crate) const COMPILERS: &str = "compilers";

/// Modes of what lies in it: nobody else's.
const OF_FOLDERS: u32 = 0o700;
/// Bits of a mode that let others write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// Where the environment wants the cache: `$TILEPROOF_CACHE_DIR`, `$XDG_CACHE_HOME/tileproof`, `~/.cache/tileproof`.
pub(crate) fn wanted() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("TILEPROOF_CACHE_DIR")
        .or_else(|| set("XDG_CACHE_HOME").map(|p| p.join("tileproof")))
        .or_else(|| set("HOME").map(|p| p.join(".cache").join("tileproof")))
        .unwrap_or_else(of_last_resort)
}

/// Where it goes when it cannot be there: the user's own below the folder for temporary files.
pub(crate) fn of_last_resort() -> PathBuf {
    env::temp_dir().join(format!("tileproof-{}", user()))
}

/// A new folder in `parent` that nobody else has, on whichever host or in whichever container: the end of its name is drawn,
/// and it is made or refused at once.
pub(crate) fn drawn(parent: &Path, name: &str) -> io::Result<PathBuf> {
    loop {
        let number = RandomState::new().hash_one(std::process::id());
        let path = parent.join(format!("{name}-{}-{number:016x}", std::process::id()));
        match DirBuilder::new().mode(OF_FOLDERS).create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
}

/// Makes the cache's folder and those in it, where they are not there.
///
/// # Errors
/// If it cannot be, or if others could have written to it.
pub(crate) fn open(folder: &Path) -> io::Result<()> {
    for path in [folder.to_path_buf(), folder.join(IMAGES), folder.join(WORK), folder.join(COMPILERS)] {
        let facts = match fs::metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(OF_FOLDERS).create(&path)?;
                fs::metadata(&path)?
            }
            facts => facts?,
        };
        // There anybody may put a link, and have us write elsewhere.
        let is_link = path == of_last_resort() && path.is_symlink();
        if !facts.is_dir() || is_link {
            return Err(ErrorKind::NotADirectory.into());
        }
        if let Some(why) = distrust(&facts) {
            let which = if path == folder { String::new() } else { format!("{}: ", path.display()) };
            return Err(io::Error::new(ErrorKind::PermissionDenied, format!("{which}{why}")));
        }
    }
    Ok(())
}

/// Why a file or a folder may hold what somebody else has put there.
pub(crate) fn distrust(facts: &Metadata) -> Option<String> {
    if facts.uid() != user() {
        return Some(format!("it belongs to another user (number {})", facts.uid()));
    }
    let mode = facts.mode() & 0o7777;
    (mode & WRITABLE_BY_OTHERS != 0).then(|| format!("others can write to it (mode {mode:o})"))
}

/// The bytes of a file of the cache, which must be a file of this user's; a link to one is none.
///
/// # Errors
/// If there is none, or it is something else.
pub(crate) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    let facts = file.metadata()?;
    let why = if facts.is_file() { distrust(&facts) } else { Some("it is no file".into()) };
    if let Some(why) = why {
        return Err(io::Error::new(ErrorKind::PermissionDenied, why));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(facts.size()).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        let folder = drawn(&env::temp_dir(), "tileproof-test").unwrap();
        open(&folder).unwrap();
        open(&folder).unwrap();
        for (path, name) in [(folder.clone(), ""), (folder.join(IMAGES), IMAGES)] {
            for mode in [0o770, 0o707, 0o777] {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                let why = open(&folder).unwrap_err().to_string();
                assert!(
                    why.contains(&format!("others can write to it (mode {mode:o})")) && why.contains(name),
                    "{why}"
                );
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            open(&folder).unwrap();
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_others_can_write_to_and_a_link_are_not_read() {
        let folder = drawn(&env::temp_dir(), "tileproof-test").unwrap();
        let file = folder.join("file");
        fs::write(&file, "text").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_own(&file).unwrap(), b"text");
        std::os::unix::fs::symlink(&file, folder.join("link")).unwrap();
        assert!(read_own(&folder.join("link")).is_err());
        fs::set_permissions(&file, fs::Permissions::from_mode(0o620)).unwrap();
        assert!(read_own(&file).is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}
