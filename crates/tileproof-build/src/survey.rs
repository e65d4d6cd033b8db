//! What lies in the cache: how much, whether it is whole, and away with it.
//!
//! It must never touch a file that is not the cache's, wherever `TILEPROOF_CACHE_DIR` points. Start at [`survey`].

use std::fs;
use std::path::{Path, PathBuf};

use crate::bound::{self, Entry, Kind, entries};
use crate::cache::{Read, image_in, read};
use crate::folder::{self, distrust, read_own};
use crate::glance::Glance;
use crate::runtime;
use crate::shim::SHIM;

/// A folder of the cache, as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CacheSurvey {
    /// Where it is wanted.
    pub folder: PathBuf,
    /// Why it is not used, if it is not.
    pub refused: Option<String>,
    /// Images that are kept.
    pub images: usize,
    /// Bytes of all that is kept.
    pub bytes: u64,
    /// Bytes above which the images that were used longest ago go.
    pub most_bytes: u64,
    /// Days after which what nobody has used goes.
    pub most_days: u64,
}

/// Whether what is kept is whole.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct CacheCheck {
    /// Entries of this version that are as they were kept.
    pub whole: usize,
    /// Those of them that were made of other texts than the files hold now.
    pub stale: usize,
    /// Files that are not as they were kept. Each is made again when it is needed.
    pub damaged: Vec<PathBuf>,
}

/// What was removed.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct CacheCleared {
    /// Files, and folders with all that was in them.
    pub entries: usize,
    /// Their bytes.
    pub bytes: u64,
    /// What could not be removed.
    pub left: usize,
}

/// The cache where the environment wants it; nothing is made.
pub fn survey() -> CacheSurvey {
    let folder = std::path::absolute(folder::wanted()).unwrap_or_else(|_| folder::wanted());
    let refused = refused(&folder);
    // Of what is not used nothing is counted: it is not ours to look into.
    let entries = if refused.is_some() { Vec::new() } else { entries(&folder) };
    CacheSurvey {
        images: entries.iter().filter(|entry| is_image(entry)).count(),
        bytes: entries.iter().map(|entry| entry.bytes).sum(),
        most_bytes: bound::most_bytes(),
        most_days: bound::DAYS,
        refused,
        folder,
    }
}

fn is_image(entry: &Entry) -> bool {
    entry.kind == Kind::Image && entry.path.extension().is_some_and(|extension| extension == "so")
}

fn refused(folder: &Path) -> Option<String> {
    let facts = fs::metadata(folder).ok()?;
    if facts.is_dir() { distrust(&facts) } else { Some("it is no folder".into()) }
}

impl CacheSurvey {
    /// Looks at every byte of what is kept.
    pub fn check(&self) -> CacheCheck {
        let mut check = CacheCheck::default();
        let glance = Glance::default();
        for entry in entries(&self.folder).iter().filter(|entry| entry.kind == Kind::Image) {
            if entry.path.extension().is_none_or(|extension| extension != "manifest") {
                continue;
            }
            match read_own(&entry.path).map_or(Read::Damaged, |text| read(&text)) {
                Read::Damaged => check.damaged.push(entry.path.clone()),
                // It is nothing to this one, and goes when it is old.
                Read::OfAnotherVersion => {}
                Read::Whole(digest, manifest) => {
                    let image = image_in(&self.folder, &digest);
                    match read_own(&image) {
                        Ok(bytes) if blake3::hash(&bytes) == digest => {
                            check.whole += 1;
                            check.stale += usize::from(!manifest.holds(&glance));
                        }
                        _ => check.damaged.push(image),
                    }
                }
            }
        }
        if SHIM.is_in(&self.folder) {
            check.damaged.extend(SHIM.damaged(&self.folder));
        }
        check.damaged.extend(runtime::damaged(&self.folder));
        check.damaged.sort();
        check.damaged.dedup();
        check
    }

    /// Removes all that is the cache's, but what a compilation of another process is using.
    pub fn clear(&self) -> CacheCleared {
        let mut cleared = CacheCleared::default();
        let all = entries(&self.folder);
        let is_in_work =
            |entry: &Entry| entry.kind == Kind::Work && entry.used.elapsed().unwrap_or_default() < bound::IN_WORK;
        // A compilation of another process goes on, with what it needs.
        let others = all.iter().any(is_in_work);
        let goes = |entry: &Entry| match entry.kind {
            Kind::Image => true,
            Kind::Work => !is_in_work(entry),
            Kind::Common => !others,
        };
        for entry in all.into_iter().filter(goes) {
            if bound::remove(&entry) {
                cleared.entries += 1;
                cleared.bytes += entry.bytes;
            } else {
                cleared.left += 1;
            }
        }
        cleared
    }
}
