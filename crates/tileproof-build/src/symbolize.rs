//! From an address in an image to the user's file and line.
//!
//! Calls of the kernel API are inlined, so an address has several frames; the innermost one outside the shim and the standard
//! library is the user's. A place in the shim must never be reported. Start at [`Symbols::locate`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tileproof_model::kernel::SourceLocation;

use crate::compiler::SHIM;
use crate::image;

/// Debug information of one compiled file, read when it is first needed.
pub(crate) struct Symbols {
    image: Arc<[u8]>,
    /// Where the shim lay when the image was made, if its name could not be mapped.
    shim: PathBuf,
    /// The kernel's file as the compiler and as the user named it.
    source: (PathBuf, PathBuf),
    known: Mutex<Known>,
}

/// Debug information that shares the image's memory: who looks a place up may not be allowed to open files.
type Information = addr2line::Context<gimli::EndianArcSlice<gimli::LittleEndian>>;

/// What was looked up so far.
#[derive(Default)]
struct Known {
    places: BTreeMap<u64, Option<SourceLocation>>,
    /// The debug information; `Some(None)` if the image has none that can be read.
    information: Option<Option<Information>>,
}

impl Symbols {
    pub(crate) fn new(image: Arc<[u8]>, shim: &Path, absolute: &Path, given: &Path) -> Symbols {
        Symbols {
            image,
            shim: shim.to_path_buf(),
            source: (absolute.to_path_buf(), given.to_path_buf()),
            known: Mutex::default(),
        }
    }

    /// The place of the call at `offset`.
    pub(crate) fn locate(&self, offset: u64) -> Option<SourceLocation> {
        let mut known = self.known.lock().expect("known places");
        if let Some(place) = known.places.get(&offset) {
            return place.clone();
        }
        let information = known.information.get_or_insert_with(|| self.information());
        let place = information.as_ref().and_then(|information| self.look_up(information, offset));
        known.places.insert(offset, place.clone());
        place
    }

    /// The debug information of the image itself, whatever has become of the cache since.
    fn information(&self) -> Option<Information> {
        let whole = gimli::EndianArcSlice::new(self.image.clone(), gimli::LittleEndian);
        let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
            Ok(whole.range(image::section(&self.image, id.name())))
        };
        addr2line::Context::from_dwarf(gimli::Dwarf::load(section).ok()?).ok()
    }

    fn look_up(&self, information: &Information, offset: u64) -> Option<SourceLocation> {
        // A site is the address after the instruction that took it.
        let mut frames = information.find_frames(offset.checked_sub(1)?).skip_all_loads().ok()?;
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            let (Some(file), Some(line)) = (location.file, location.line) else { continue };
            let is_of_the_shim = [Path::new(SHIM), &self.shim].iter().any(|shim| Path::new(file).starts_with(shim));
            if line == 0 || is_of_the_shim || is_of_the_standard_library(file) {
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
