//! The cache of compiled images, keyed by content.
//!
//! A first key covers the compiler, its options, the shim and the kernel's place; a manifest under it says what was read, and
//! its digest makes the second key, under which the image lies. An image is given out only if the manifest holds and its own
//! bytes are those that were kept. Several processes may write at once, on several hosts: every file appears whole, by a
//! rename. Start at [`Cache::find`].

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io};

use crate::manifest::Manifest;

/// Folder of the cache.
pub(crate) struct Cache {
    pub(crate) folder: PathBuf,
}

/// A digest as a file name.
pub(crate) type Key = String;

pub(crate) fn key(hasher: &blake3::Hasher) -> Key {
    hasher.finalize().to_hex()[..32].to_string()
}

impl Cache {
    /// `given`, else `$TILEPROOF_CACHE_DIR`, else the user's cache folder, else the temporary one.
    pub(crate) fn open(given: Option<PathBuf>) -> io::Result<Cache> {
        let folder = given.unwrap_or_else(default_folder);
        fs::create_dir_all(folder.join("images"))?;
        fs::create_dir_all(folder.join("work"))?;
        Ok(Cache { folder })
    }

    /// A path in the same file system that nobody else uses: containers and hosts that share a cache have the same process
    /// ids.
    pub(crate) fn scratch(&self, extension: &str) -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        static DRAWN: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        self.folder.join("work").join(format!("{}-{:016x}-{number}.{extension}", std::process::id(), *DRAWN))
    }

    /// Puts a finished file in its place, once its bytes are on the disk.
    pub(crate) fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        File::open(from)?.sync_data()?;
        fs::rename(from, to)
    }

    fn manifest(&self, first: &Key) -> PathBuf {
        self.folder.join("images").join(format!("{first}.inputs"))
    }

    fn image(&self, second: &Key) -> PathBuf {
        self.folder.join("images").join(format!("{second}.so"))
    }

    /// Whether something was kept for `first`, be it of use or not.
    pub(crate) fn knows(&self, first: &Key) -> bool {
        self.manifest(first).is_file()
    }

    /// The image for `first`, if it was compiled from what the files hold now; with what it was made of.
    pub(crate) fn find(&self, first: &Key) -> Option<(PathBuf, Manifest)> {
        let text = fs::read_to_string(self.manifest(first)).ok()?;
        let (digest, lines) = text.split_once('\n')?;
        let manifest = Manifest::parse(lines).filter(Manifest::holds)?;
        let image = self.image(&second_key(first, lines));
        let bytes = fs::read(&image).ok()?;
        (blake3::hash(&bytes).to_hex().as_str() == digest).then_some((image, manifest))
    }

    /// Keeps the image at `from`, compiled under `first` from what `manifest` says.
    pub(crate) fn keep(&self, first: &Key, manifest: &Manifest, from: &Path) -> io::Result<PathBuf> {
        let lines = manifest.lines();
        let image = self.image(&second_key(first, &lines));
        let digest = blake3::hash(&fs::read(from)?);
        self.publish(from, &image)?;
        let scratch = self.scratch("inputs");
        fs::write(&scratch, format!("{digest}\n{lines}"))?;
        self.publish(&scratch, &self.manifest(first))?;
        Ok(image)
    }
}

fn second_key(first: &Key, lines: &str) -> Key {
    let mut hasher = blake3::Hasher::new();
    hasher.update(first.as_bytes()).update(lines.as_bytes());
    key(&hasher)
}

fn default_folder() -> PathBuf {
    let set = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    set("TILEPROOF_CACHE_DIR")
        .or_else(|| set("XDG_CACHE_HOME").map(|p| p.join("tileproof")))
        .or_else(|| set("HOME").map(|p| p.join(".cache").join("tileproof")))
        .unwrap_or_else(|| env::temp_dir().join("tileproof-cache"))
}

/// The prerequisites in a makefile rule as `-MMD` writes it.
pub(crate) fn prerequisites(rule: &str) -> Vec<PathBuf> {
    let Some((_, list)) = rule.split_once(": ") else { return Vec::new() };
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut characters = list.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(escaped) => path.push(escaped),
            },
            '$' if characters.peek() == Some(&'$') => {
                characters.next();
                path.push('$');
            }
            c if c.is_whitespace() => {
                if !path.is_empty() {
                    paths.push(PathBuf::from(std::mem::take(&mut path)));
                }
            }
            c => path.push(c),
        }
    }
    if !path.is_empty() {
        paths.push(PathBuf::from(path));
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prerequisites_may_hold_blanks_and_go_over_lines() {
        let rule = "a.so: /k/my\\ kernel.cpp \\\n /k/b$$.h\n";
        assert_eq!(prerequisites(rule), [PathBuf::from("/k/my kernel.cpp"), PathBuf::from("/k/b$.h")]);
    }
}
