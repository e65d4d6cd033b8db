//! From an address in an image to the user's file and line.
//!
//! Calls of the kernel API are inlined, so an address has several frames; the innermost one outside the shim and the standard
//! library is the user's. A place in the shim must never be reported. Start at [`Symbols::locate`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tileproof_model::kernel::SourceLocation;

/// Debug information of one compiled file, read when it is first needed.
pub(crate) struct Symbols {
    path: PathBuf,
    shim: PathBuf,
    /// The kernel's file as the compiler and as the user named it.
    source: (PathBuf, PathBuf),
    known: Mutex<BTreeMap<u64, Option<SourceLocation>>>,
}

impl Symbols {
    pub(crate) fn new(path: PathBuf, shim: &Path, absolute: &Path, given: &Path) -> Symbols {
        Symbols {
            path,
            shim: shim.to_path_buf(),
            source: (absolute.to_path_buf(), given.to_path_buf()),
            known: Mutex::new(BTreeMap::new()),
        }
    }

    /// The place of the call at `offset`.
    pub(crate) fn locate(&self, offset: u64) -> Option<SourceLocation> {
        let mut known = self.known.lock().expect("known places");
        if let Some(place) = known.get(&offset) {
            return place.clone();
        }
        let place = self.look_up(offset);
        known.insert(offset, place.clone());
        place
    }

    fn look_up(&self, offset: u64) -> Option<SourceLocation> {
        let loader = addr2line::Loader::new(&self.path).ok()?;
        // A site is the address after the instruction that took it.
        let mut frames = loader.find_frames(offset.checked_sub(1)?).ok()?;
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            let (Some(file), Some(line)) = (location.file, location.line) else { continue };
            if line == 0 || Path::new(file).starts_with(&self.shim) || is_of_the_standard_library(file) {
                continue;
            }
            let file = self.as_given(Path::new(file)).display().to_string();
            return Some(SourceLocation { file, line, column: location.column.unwrap_or(0) });
        }
        None
    }

    /// The kernel's file as the user named it, and files in its folder beside it.
    fn as_given(&self, file: &Path) -> PathBuf {
        let (absolute, given) = &self.source;
        if file == absolute {
            return given.clone();
        }
        let beside = absolute.parent().and_then(|folder| file.strip_prefix(folder).ok());
        match (beside, given.parent()) {
            (Some(beside), Some(folder)) => folder.join(beside),
            _ => file.to_path_buf(),
        }
    }
}

/// Whether a file is a header of the C++ library: where g++ and clang++ keep them, on every distribution.
fn is_of_the_standard_library(file: &str) -> bool {
    file.contains("/include/c++/")
}
