//! How large and how old the cache may become, and what goes when it does.
//!
//! It must never remove a file that is not the cache's, nor one that was used a moment ago. Start at [`after_keeping`].

use std::env;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::folder::{COMPILERS, IMAGES, WORK};

/// Names the size that the cache may have, in MiB.
const SIZE: &str = "TILEPROOF_CACHE_MIB";
const DEFAULT_MIB: u64 = 2048;
/// Days after which what nobody has used goes.
pub(crate) const DAYS: u64 = 60;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long files of a compilation may be in use.
pub(crate) const IN_WORK: Duration = Duration::from_secs(10 * 60);
/// How often a folder is looked through, if little is kept.
const HOUR: Duration = Duration::from_secs(60 * 60);
/// Its time tells when that was done last.
const MARK: &str = "swept";

/// Bytes that the cache may have.
pub(crate) fn most_bytes() -> u64 {
    let mib = env::var(SIZE).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(DEFAULT_MIB);
    mib.saturating_mul(1 << 20)
}

/// Something in the folder that is the cache's.
pub(crate) struct Entry {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
    pub(crate) used: SystemTime,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// An image, or what it was made of.
    Image,
    /// What every build needs: shim, runtime, what is known of compilers.
    Common,
    /// Files of a compilation.
    Work,
}

/// All that is the cache's. A link is neither followed nor taken for a part of it.
pub(crate) fn entries(folder: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (place, kind) in [(IMAGES, Kind::Image), (COMPILERS, Kind::Common), (WORK, Kind::Work)] {
        entries.extend(listed(&folder.join(place)).into_iter().filter_map(|path| entry(path, kind)));
    }
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == MARK || name.starts_with("shim-") || name.starts_with("runtime-")
    };
    entries.extend(listed(folder).into_iter().filter(is_ours).filter_map(|path| entry(path, Kind::Common)));
    entries
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn entry(path: PathBuf, kind: Kind) -> Option<Entry> {
    let facts = fs::symlink_metadata(&path).ok().filter(|facts| !facts.is_symlink())?;
    let used = facts.modified().ok()?;
    Some(Entry { bytes: bytes(&path, &facts), path, kind, used })
}

/// Bytes of a file, or of all files in a folder.
fn bytes(path: &Path, facts: &Metadata) -> u64 {
    if !facts.is_dir() {
        return facts.len();
    }
    let inside = listed(path).into_iter().filter_map(|path| Some((fs::symlink_metadata(&path).ok()?, path)));
    inside.map(|(facts, path)| bytes(&path, &facts)).sum()
}

/// Removes an entry; whether it is gone.
pub(crate) fn remove(entry: &Entry) -> bool {
    fs::remove_file(&entry.path).is_ok() || fs::remove_dir_all(&entry.path).is_ok()
}

/// Looks through the folder from time to time, now that `bytes` more are in it.
pub(crate) fn after_keeping(folder: &Path, bytes: u64) {
    static KEPT: AtomicU64 = AtomicU64::new(0);
    let most = most_bytes();
    let kept = KEPT.fetch_add(bytes, Ordering::Relaxed) + bytes;
    let mark = folder.join(MARK);
    let age = fs::metadata(&mark).and_then(|facts| facts.modified()).map(|time| time.elapsed().unwrap_or_default());
    if kept < most / 16 && age.is_ok_and(|age| age < HOUR) {
        return;
    }
    KEPT.store(0, Ordering::Relaxed);
    let _ = fs::write(&mark, "");
    sweep(entries(folder), most, SystemTime::now());
}

/// Removes what is too old, and of the images those that were used longest ago where there are too many.
fn sweep(mut entries: Vec<Entry>, most: u64, now: SystemTime) {
    let age = |entry: &Entry| now.duration_since(entry.used).unwrap_or_default();
    entries.retain(|entry| {
        let keeps = match entry.kind {
            Kind::Work => DAY,
            Kind::Image | Kind::Common => DAYS as u32 * DAY,
        };
        !(age(entry) > keeps && remove(entry))
    });
    let mut bytes: u64 = entries.iter().map(|entry| entry.bytes).sum();
    if bytes <= most {
        return;
    }
    entries.sort_by_key(|entry| entry.used);
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Image) {
        // A little more, so that the next image does not bring it about again.
        if bytes <= most / 10 * 9 {
            break;
        }
        if remove(entry) {
            bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder;

    #[test]
    fn what_is_old_or_too_much_goes_and_what_is_not_ours_stays() {
        let root = folder::drawn(&env::temp_dir(), "tileproof-test").unwrap();
        folder::open(&root).unwrap();
        let now = SystemTime::now();
        let put = |name: &str, days: u32| {
            let path = root.join(name);
            fs::write(&path, vec![0; 1000]).unwrap();
            fs::File::options().append(true).open(path).unwrap().set_modified(now - days * DAY).unwrap();
        };
        for (name, days) in [("images/a", 1), ("images/b", 3), ("images/c", 2), ("images/d", 100), ("mine", 1000)] {
            put(name, days);
        }
        put("work/left", 2);
        put("runtime-x.o", 90);
        std::os::unix::fs::symlink("/", root.join("shim-link")).unwrap();
        sweep(entries(&root), 10_000, now);
        let left = || {
            let mut names: Vec<String> = [root.clone(), root.join("images"), root.join("work")]
                .iter()
                .flat_map(|folder| listed(folder))
                .filter(|path| fs::symlink_metadata(path).unwrap().is_file())
                .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
                .collect();
            names.sort();
            names
        };
        assert_eq!(left(), ["a", "b", "c", "mine"]);
        sweep(entries(&root), 2_500, now);
        assert_eq!(left(), ["a", "c", "mine"], "the one that was used longest ago");
        fs::remove_dir_all(root).unwrap();
    }
}
