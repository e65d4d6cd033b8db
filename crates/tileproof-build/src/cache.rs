//! The cache of compiled images, keyed by content.
//!
//! A first key covers the compiler, its options, the shim and the kernel's text; a manifest under it names the files that
//! the kernel included, and their contents make the second key, under which the image lies. Two processes may write at once:
//! every file appears by a rename. Start at [`Cache::find`].

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, io};

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

    /// A path in the same file system that nobody else uses.
    pub(crate) fn scratch(&self, extension: &str) -> PathBuf {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        self.folder.join("work").join(format!("{}-{number}.{extension}", std::process::id()))
    }

    /// Puts a finished file in its place.
    pub(crate) fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn manifest(&self, first: &Key) -> PathBuf {
        self.folder.join("images").join(format!("{first}.inputs"))
    }

    fn image(&self, second: &Key) -> PathBuf {
        self.folder.join("images").join(format!("{second}.so"))
    }

    /// The image for `first`, if it was compiled from what the included files hold now; with the files it was made of.
    pub(crate) fn find(&self, first: &Key) -> Option<(PathBuf, Vec<PathBuf>)> {
        let manifest = fs::read_to_string(self.manifest(first)).ok()?;
        let inputs: Vec<PathBuf> = manifest.lines().map(PathBuf::from).collect();
        let image = self.image(&second_key(first, &inputs).ok()?);
        image.is_file().then_some((image, inputs))
    }

    /// Keeps the image at `from`, compiled under `first` from `inputs`.
    pub(crate) fn keep(&self, first: &Key, inputs: &[PathBuf], from: &Path) -> io::Result<PathBuf> {
        let image = self.image(&second_key(first, inputs)?);
        self.publish(from, &image)?;
        let scratch = self.scratch("inputs");
        let lines: String = inputs.iter().map(|p| format!("{}\n", p.display())).collect();
        fs::write(&scratch, lines)?;
        self.publish(&scratch, &self.manifest(first))?;
        Ok(image)
    }
}

fn second_key(first: &Key, inputs: &[PathBuf]) -> io::Result<Key> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(first.as_bytes());
    for input in inputs {
        hasher.update(input.as_os_str().as_encoded_bytes()).update(&[0]);
        hasher.update(blake3::hash(&fs::read(input)?).as_bytes());
    }
    Ok(key(&hasher))
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
