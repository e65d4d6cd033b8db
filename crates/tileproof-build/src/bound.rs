//! How large and how old the cache may become, and what goes when it does.
//!
//! It must never remove a file that is not the cache's, nor one that was used a moment ago. Start at [`after_keeping`].

use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::folder::{COMPILERS, IMAGES, WORK};
use crate::names;
use crate::note::note;

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

/// Bytes that the cache may have. It is told once where the environment gives no number.
pub(crate) fn most_bytes() -> u64 {
    static MOST: LazyLock<u64> = LazyLock::new(|| {
        let given = env::var_os(SIZE);
        let mib = given.as_deref().map_or(Ok(DEFAULT_MIB), mib).unwrap_or_else(|why| {
            note(&format!("{why}; {DEFAULT_MIB} is taken"));
            DEFAULT_MIB
        });
        mib.saturating_mul(1 << 20)
    });
    *MOST
}

/// The size that a text gives.
fn mib(text: &OsStr) -> Result<u64, String> {
    let number = text.to_str().and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| format!("{SIZE} is {text:?}; give it whole MiB, 0 or more"))
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

/// All that is the cache's, by its name: everything else in the folder is somebody's. A link is neither followed nor taken for a
/// part of it.
pub(crate) fn entries(folder: &Path) -> Vec<Entry> {
    type IsOurs = fn(&str, &Metadata) -> bool;
    let places: [(PathBuf, Kind, IsOurs); 4] = [
        (folder.join(IMAGES), Kind::Image, |name, facts| facts.is_file() && names::of_image(name)),
        (folder.join(COMPILERS), Kind::Common, |name, facts| facts.is_file() && names::of_compiler(name)),
        (folder.join(WORK), Kind::Work, |name, facts| names::of_work(name, facts.is_dir())),
        (folder.to_path_buf(), Kind::Common, |name, facts| {
            let is_mark = name == MARK && facts.len() == 0;
            if facts.is_dir() { names::of_shim(name) } else { facts.is_file() && (is_mark || names::of_runtime(name)) }
        }),
    ];
    let in_place = |(place, kind, is_ours): (PathBuf, Kind, IsOurs)| {
        listed(&place).into_iter().filter_map(move |path| entry(path, kind, is_ours))
    };
    places.into_iter().flat_map(in_place).collect()
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}

fn entry(path: PathBuf, kind: Kind, is_ours: fn(&str, &Metadata) -> bool) -> Option<Entry> {
    let facts = fs::symlink_metadata(&path).ok().filter(|facts| !facts.is_symlink())?;
    if !is_ours(path.file_name()?.to_str()?, &facts) {
        return None;
    }
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

/// Has the time of a file or a folder tell that it was used, to a day.
pub(crate) fn mark_use(path: &Path) {
    let age = fs::metadata(path).and_then(|facts| facts.modified()).map(|time| time.elapsed().unwrap_or_default());
    if age.is_ok_and(|age| age > DAY) {
        // A folder that can only be read has nobody to remove what is old.
        let _ = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
    }
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
    mark_now(&mark);
    sweep(entries(folder), most, SystemTime::now());
}

/// Has the mark tell the time. What a file of that name holds is not ours to take.
fn mark_now(mark: &Path) {
    let file = File::options().create(true).append(true).open(mark);
    let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
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

    /// A folder of the cache, with what was used so many days ago.
    struct Place {
        root: PathBuf,
        now: SystemTime,
    }

    impl Place {
        fn new() -> Place {
            let root = folder::drawn(&env::temp_dir(), "tileproof-test").unwrap();
            folder::open(&root).unwrap();
            Place { root, now: SystemTime::now() }
        }

        fn put(&self, name: &str, days: u32) {
            let path = self.root.join(name);
            fs::write(&path, vec![0; 1000]).unwrap();
            self.age(&path, days);
        }

        fn put_folder(&self, name: &str, days: u32) {
            let path = self.root.join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("within"), "").unwrap();
            self.age(&path, days);
        }

        fn age(&self, path: &Path, days: u32) {
            File::open(path).unwrap().set_modified(self.now - days * DAY).unwrap();
        }

        fn sweep(&self, most: u64) {
            sweep(entries(&self.root), most, self.now);
        }

        /// What is left of these.
        fn left<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
            names.iter().copied().filter(|name| self.root.join(name).symlink_metadata().is_ok()).collect()
        }
    }

    impl Drop for Place {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.root);
        }
    }

    #[test]
    fn a_size_is_a_number_of_mib_and_nothing_else() {
        assert_eq!([mib("0".as_ref()), mib(" 512 ".as_ref())], [Ok(0), Ok(512)]);
        for text in ["", "2G", "-1", "1.5", "much"] {
            let why = mib(text.as_ref()).unwrap_err();
            assert_eq!(why, format!("TILEPROOF_CACHE_MIB is {text:?}; give it whole MiB, 0 or more"));
        }
    }

    #[test]
    fn what_is_old_or_too_much_goes() {
        let place = Place::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|digit| format!("images/{}.so", digit.repeat(64)));
        for (name, days) in [(&a, 1), (&b, 3), (&c, 2), (&d, 100)] {
            place.put(name, days);
        }
        let left = format!("work/compile-12-{}", "e".repeat(16));
        place.put_folder(&left, 2);
        let runtime = format!("runtime-{}.o", "f".repeat(32));
        place.put(&runtime, 90);
        place.sweep(10_000);
        let all = [&a, &b, &c, &d, &left, &runtime].map(String::as_str);
        assert_eq!(place.left(&all), [&a, &b, &c]);
        place.sweep(2_500);
        assert_eq!(place.left(&all), [&a, &c], "the one that was used longest ago");
    }

    #[test]
    fn what_is_old_and_was_used_just_now_stays() {
        let place = Place::new();
        let key = "a".repeat(32);
        let [image, compiler, runtime, digest] = [
            format!("images/{key}.so"),
            format!("compilers/{key}"),
            format!("runtime-{key}.o"),
            format!("runtime-{key}.digest"),
        ];
        let files = [&image, &compiler, &runtime, &digest].map(String::as_str);
        files.iter().for_each(|name| place.put(name, 90));
        let [used, unused] = ["b", "c"].map(|digit| format!("shim-{}", digit.repeat(24)));
        place.put_folder(&used, 90);
        place.put_folder(&unused, 90);
        let of_use = [&files[..], &[&used]].concat();
        of_use.iter().for_each(|name| mark_use(&place.root.join(name)));
        place.sweep(u64::MAX);
        assert_eq!(place.left(&of_use), of_use);
        assert_eq!(place.left(&[&unused]), [""; 0]);
    }

    #[test]
    fn what_is_not_ours_stays() {
        let place = Place::new();
        let image = format!("images/{}.so", "a".repeat(64));
        place.put(&image, 1000);
        let files = ["mine", "swept", "runtime-notes.o", "images/mine.png", "images/mine.so", "compilers/mine"];
        let folders = ["work/mine", "shim-mine", &format!("images/{}.so", "b".repeat(64))];
        files.iter().for_each(|name| place.put(name, 1000));
        folders.iter().for_each(|name| place.put_folder(name, 1000));
        let link = format!("shim-{}", "c".repeat(24));
        std::os::unix::fs::symlink("/", place.root.join(&link)).unwrap();
        place.sweep(0);
        let mine = [&files[..], &folders, &[&link]].concat();
        assert_eq!(place.left(&mine), mine);
        assert_eq!(place.left(&[&image]), [""; 0]);
        mark_now(&place.root.join(MARK));
        assert_eq!(fs::metadata(place.root.join(MARK)).unwrap().len(), 1000);
    }
}
