//! The cache of compiled images, keyed by content.
//!
//! A first key covers the compiler, its options, the shim and the kernel's place; a manifest under it says what was read and
//! names the image by its digest. An image is given out only if the manifest holds and its own bytes are those that were kept.
//! Several processes may write at once, on several hosts: every file appears whole, by a rename. Start at [`Cache::find`].

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use blake3::Hash;

use crate::bound::mark_use;
use crate::folder::{self, IMAGES, WORK};
use crate::glance::Glance;
use crate::manifest::Manifest;
use crate::note::note;
use crate::sealed::{opened, sealed};

/// First line of a manifest.
const HEAD: &[u8] = b"tileproof image 2\n";
/// What it begins with in every version.
const ANY_HEAD: &[u8] = b"tileproof image ";

/// Folder of the cache.
pub(crate) struct Cache {
    pub(crate) folder: PathBuf,
    /// The process whose own it is, and goes with.
    private_to: Option<u32>,
}

/// A digest as a file name.
pub(crate) type Key = String;

pub(crate) fn key(hasher: &blake3::Hasher) -> Key {
    hasher.finalize().to_hex()[..32].to_string()
}

/// An image and what it was made of. Its bytes lie apart, since a process that has loaded it needs none: see [`Cache::image`].
pub(crate) struct Found {
    pub(crate) digest: Hash,
    pub(crate) manifest: Manifest,
}

/// What this process has read, by the file. A manifest says what an image was made of: that stays true whatever becomes of the
/// file, so that it is read again only where it does not hold.
static FOUND: Mutex<BTreeMap<PathBuf, Arc<Found>>> = Mutex::new(BTreeMap::new());

/// A folder for the files of one compilation, which goes with it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is when it is a day old.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Cache {
    /// The cache in a folder.
    ///
    /// # Errors
    /// If it cannot be used.
    pub(crate) fn open(folder: PathBuf) -> io::Result<Cache> {
        folder::open(&folder)?;
        Ok(Cache { folder, private_to: None })
    }

    /// A cache that goes with this process.
    pub(crate) fn private() -> io::Result<Cache> {
        let folder = folder::drawn(&std::env::temp_dir(), "tileproof")?;
        folder::open(&folder)?;
        Ok(Cache { folder, private_to: Some(std::process::id()) })
    }

    pub(crate) fn is_private(&self) -> bool {
        self.private_to.is_some()
    }

    pub(crate) fn scratch(&self) -> io::Result<Scratch> {
        folder::drawn(&self.folder.join(WORK), "compile").map(Scratch)
    }

    /// Puts a finished file in its place, once its bytes are on the disk.
    pub(crate) fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::set_permissions(from, Permissions::from_mode(0o600))?;
        File::open(from)?.sync_all()?;
        fs::rename(from, to)
    }

    fn manifest(&self, first: &Key) -> PathBuf {
        self.folder.join(IMAGES).join(format!("{first}.manifest"))
    }

    /// Whether something was kept for `first`, be it of use or not.
    pub(crate) fn knows(&self, first: &Key) -> bool {
        self.manifest(first).is_file()
    }

    /// The image for `first`, if it was compiled from what the files hold now; with what it was made of.
    pub(crate) fn find(&self, first: &Key, glance: &Glance) -> Option<Arc<Found>> {
        let path = self.manifest(first);
        let known = FOUND.lock().expect("what was found").get(&path).cloned();
        if let Some(found) = known.filter(|found| found.manifest.holds(glance)) {
            return Some(found);
        }
        let text = match folder::read_own(&path) {
            Ok(text) => text,
            Err(error) => {
                self.refused(&path, &error);
                return None;
            }
        };
        let (digest, manifest) = match read(&text) {
            Read::Whole(digest, manifest) => (digest, manifest),
            Read::OfAnotherVersion => return None,
            Read::Damaged => {
                self.damaged(&path);
                return None;
            }
        };
        if !manifest.holds(glance) {
            return None;
        }
        mark_use(&path);
        mark_use(&image_in(&self.folder, &digest));
        let found = Arc::new(Found { digest, manifest });
        FOUND.lock().expect("what was found").insert(path, found.clone());
        Some(found)
    }

    /// The bytes of an image, if they are there and those that were kept.
    pub(crate) fn image(&self, digest: &Hash) -> Option<Vec<u8>> {
        let image = image_in(&self.folder, digest);
        match folder::read_own(&image) {
            Ok(bytes) if blake3::hash(&bytes) == *digest => return Some(bytes),
            Ok(_) => self.damaged(&image),
            Err(error) => self.refused(&image, &error),
        }
        None
    }

    fn refused(&self, path: &Path, error: &io::Error) {
        if error.kind() != ErrorKind::NotFound {
            note(&format!("cache {}: {error}; it is made again", path.display()));
        }
    }

    fn damaged(&self, path: &Path) {
        note(&format!("cache {}: it was damaged, and is made again", path.display()));
        let _ = fs::remove_file(path);
    }

    /// Forgets what was kept for `first`, if anything was.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn forget(&self, first: &Key) -> io::Result<()> {
        FOUND.lock().expect("what was found").remove(&self.manifest(first));
        match fs::remove_file(self.manifest(first)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Keeps an image, compiled under `first`.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn keep(&self, first: &Key, found: &Found, bytes: &[u8], scratch: &Scratch) -> io::Result<()> {
        let fresh = scratch.file("kept.so");
        fs::write(&fresh, bytes)?;
        self.publish(&fresh, &image_in(&self.folder, &found.digest))?;
        let fresh = scratch.file("kept.manifest");
        fs::write(&fresh, text(&found.digest, &found.manifest))?;
        self.publish(&fresh, &self.manifest(first))
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        // A child that was forked has a copy of this.
        if self.private_to == Some(std::process::id()) {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Where an image lies.
pub(crate) fn image_in(folder: &Path, digest: &Hash) -> PathBuf {
    folder.join(IMAGES).join(format!("{}.so", digest.to_hex()))
}

/// A manifest's file: the image's digest and the lines, sealed.
fn text(digest: &Hash, manifest: &Manifest) -> Vec<u8> {
    sealed([HEAD, format!("{digest}\n").as_bytes(), &manifest.lines()].concat())
}

/// A manifest's file, as it was found.
pub(crate) enum Read {
    /// The digest of its image, and what that was made of.
    Whole(Hash, Manifest),
    /// It is whole, and another version has written it.
    OfAnotherVersion,
    Damaged,
}

/// Reads a manifest's file. All versions seal it and begin it alike.
pub(crate) fn read(text: &[u8]) -> Read {
    match opened(text) {
        Some(body) if body.starts_with(ANY_HEAD) && !body.starts_with(HEAD) => Read::OfAnotherVersion,
        Some(body) => parse(body).map_or(Read::Damaged, |(digest, manifest)| Read::Whole(digest, manifest)),
        None => Read::Damaged,
    }
}

fn parse(body: &[u8]) -> Option<(Hash, Manifest)> {
    let (digest, lines) = body.strip_prefix(HEAD)?.split_at_checked(65)?;
    Some((Hash::from_hex(digest.get(..64)?).ok()?, Manifest::parse(lines)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_of_another_version_is_not_damaged_and_a_damaged_one_is_not_of_another_version() {
        let digest = blake3::hash(b"image");
        let whole = text(&digest, &Manifest::default());
        assert!(matches!(read(&whole), Read::Whole(found, _) if found == digest));
        let of_others =
            [&b"tileproof image 1\n"[..], b"tileproof image 10\nwhatever\n"].map(|text| sealed(text.into()));
        assert!(of_others.iter().all(|text| matches!(read(text), Read::OfAnotherVersion)));
        let mut flipped = whole.clone();
        flipped[HEAD.len() - 2] ^= 1;
        for damaged in
            [&flipped[..], &whole[..whole.len() - 1], b"", &sealed(b"another text\n".into()), &sealed(HEAD.into())]
        {
            assert!(matches!(read(damaged), Read::Damaged), "{}", String::from_utf8_lossy(damaged));
        }
    }
}
