//! What an image was made of: the files that the compiler read, and those that would have been read in their place.
//!
//! An image stands for its text only as long as each of those files holds what it held, and none has appeared before another
//! in the search. A file that changes while the compiler runs leaves in doubt what was read, so it must never get into a
//! manifest: the kernel is compiled again. Start at [`Manifest::of`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use blake3::Hash;

/// How far behind the time of day a file's may be: the host stamps files by its ticks.
const TICK: Duration = Duration::from_millis(20);

/// A file as it was at a moment: device, inode, size, and when it changed last, in seconds and nanoseconds.
type Stamp = (u64, u64, u64, i64, i64);

fn stamp(facts: &Metadata) -> Stamp {
    (facts.dev(), facts.ino(), facts.size(), facts.ctime(), facts.ctime_nsec())
}

/// Before a compilation.
pub(crate) struct Before {
    at: SystemTime,
    known: BTreeMap<PathBuf, Stamp>,
}

impl Before {
    /// Now, with the state of files that the compiler will read as far as they are known.
    pub(crate) fn now<'a>(known: impl IntoIterator<Item = &'a Path>) -> Before {
        let known = known.into_iter().filter_map(|path| Some((path.to_path_buf(), stamp(&fs::metadata(path).ok()?))));
        let known = known.collect();
        Before { at: SystemTime::now(), known }
    }

    /// True of a file that was the same all the time since: as it was before, or too old to have changed.
    fn has(&self, path: &Path, facts: &Metadata) -> bool {
        let changed = UNIX_EPOCH + Duration::new(facts.ctime().max(0) as u64, facts.ctime_nsec() as u32);
        self.known.get(path) == Some(&stamp(facts)) || changed + TICK < self.at
    }
}

/// What an image was made of.
#[derive(PartialEq, Eq, Debug, Default)]
pub(crate) struct Manifest {
    /// Files of the user that the compiler read, and the digest of each.
    pub(crate) inputs: Vec<(PathBuf, Hash)>,
    /// Files that were not there.
    absent: BTreeSet<PathBuf>,
}

impl Manifest {
    /// The manifest of a compilation that has read `inputs`; `folders` are those that it searched for headers, beside those of
    /// the files themselves. `None` if one of the files has changed meanwhile, or is gone.
    pub(crate) fn of(inputs: Vec<PathBuf>, folders: &[PathBuf], before: &Before) -> Option<Manifest> {
        let mut manifest = Manifest::default();
        let mut names = BTreeSet::new();
        for path in inputs {
            let facts = fs::metadata(&path).ok()?;
            let text = fs::read(&path).ok()?;
            let again = fs::metadata(&path).ok()?;
            if !before.has(&path, &facts) || stamp(&facts) != stamp(&again) {
                return None;
            }
            names.extend(names_of(&String::from_utf8_lossy(&text)));
            manifest.inputs.push((path, blake3::hash(&text)));
        }
        let mut places: BTreeSet<&Path> = folders.iter().map(PathBuf::as_path).collect();
        places.extend(manifest.inputs.iter().filter_map(|(path, _)| path.parent()));
        // A header that a macro names is among the inputs.
        let found =
            manifest.inputs.iter().flat_map(|(path, _)| places.iter().filter_map(|p| path.strip_prefix(p).ok()));
        names.extend(found.map(Path::to_path_buf));
        let candidates = places.iter().flat_map(|place| names.iter().map(move |name| place.join(name)));
        manifest.absent = candidates.filter(|path| !path.exists()).collect();
        Some(manifest)
    }

    /// Whether all is as it was.
    pub(crate) fn holds(&self) -> bool {
        let same = |(path, digest): &(PathBuf, Hash)| fs::read(path).is_ok_and(|text| blake3::hash(&text) == *digest);
        self.inputs.iter().all(same) && !self.absent.iter().any(|path| path.exists())
    }

    /// Whether no file holds one thing here and another there.
    pub(crate) fn agrees(&self, other: &Manifest) -> bool {
        let theirs: BTreeMap<&PathBuf, &Hash> = other.inputs.iter().map(|(path, digest)| (path, digest)).collect();
        self.inputs.iter().all(|(path, digest)| theirs.get(path).is_none_or(|other| *other == digest))
    }

    /// Lines for a file: a digest and a path for each input, a path for each that is absent.
    pub(crate) fn lines(&self) -> String {
        let inputs = self.inputs.iter().map(|(path, digest)| format!("{digest} {}\n", path.display()));
        let absent = self.absent.iter().map(|path| format!("- {}\n", path.display()));
        inputs.chain(absent).collect()
    }

    /// Reads what [`Manifest::lines`] wrote; `None` of anything else.
    pub(crate) fn parse(lines: &str) -> Option<Manifest> {
        let mut manifest = Manifest::default();
        for line in lines.lines() {
            let (digest, path) = line.split_once(' ')?;
            if digest == "-" {
                manifest.absent.insert(path.into());
            } else {
                manifest.inputs.push((path.into(), Hash::from_hex(digest).ok()?));
            }
        }
        Some(manifest)
    }
}

/// The names in a text that a compiler looks for: of `#include`, `#include_next` and `__has_include`.
fn names_of(text: &str) -> Vec<PathBuf> {
    let mut names = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        while let Some(at) = rest.find("include") {
            rest = &rest[at + "include".len()..];
            let Some(open) = rest.find(['"', '<']) else { break };
            let close = if rest.as_bytes()[open] == b'"' { '"' } else { '>' };
            let Some(length) = rest[open + 1..].find(close) else { break };
            names.push(PathBuf::from(&rest[open + 1..open + 1 + length]));
            rest = &rest[open + 1 + length..];
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tileproof-manifest-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("near")).unwrap();
        fs::create_dir_all(folder.join("far")).unwrap();
        folder
    }

    /// A kernel that includes `ops.h`, found in another folder, when both are old.
    fn settled(folder: &Path) -> (Vec<PathBuf>, Manifest) {
        let (kernel, header) = (folder.join("near/kernel.cpp"), folder.join("far/ops.h"));
        fs::write(&kernel, "#include \"ops.h\"\n").unwrap();
        fs::write(&header, "#define OP add\n").unwrap();
        let inputs = vec![kernel, header];
        let before = Before::now(inputs.iter().map(PathBuf::as_path));
        let manifest = Manifest::of(inputs.clone(), &[folder.join("far")], &before).unwrap();
        (inputs, manifest)
    }

    #[test]
    fn a_manifest_holds_until_a_file_changes_or_a_nearer_one_appears() {
        let folder = folder("holds");
        let (inputs, manifest) = settled(&folder);
        assert!(manifest.holds());
        assert_eq!(Manifest::parse(&manifest.lines()).as_ref(), Some(&manifest));
        fs::write(folder.join("near/ops.h"), "#define OP sub\n").unwrap();
        assert!(!manifest.holds(), "it shadows the one that was read");
        fs::remove_file(folder.join("near/ops.h")).unwrap();
        fs::write(&inputs[1], "#define OP mul\n").unwrap();
        assert!(!manifest.holds());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_changes_while_it_is_compiled_gets_into_no_manifest() {
        let folder = folder("moved");
        let (inputs, _) = settled(&folder);
        let before = Before::now(inputs.iter().map(PathBuf::as_path));
        fs::write(&inputs[1], "#define OP mul\n").unwrap();
        assert_eq!(Manifest::of(inputs.clone(), &[], &before), None);
        // Nor one of which it is not known what it was before, if it is that young.
        assert_eq!(Manifest::of(inputs.clone(), &[], &Before::now([])), None);
        std::thread::sleep(2 * TICK);
        assert!(Manifest::of(inputs, &[], &Before::now([])).is_some());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn names_are_those_of_includes_and_of_questions_for_them() {
        let text = "#include \"a/b.h\" // and <this>\n  #  include <c.h>\n#if __has_include(\"d.h\") || __has_include(<e.h>)\n#include NAME\n";
        assert_eq!(names_of(text), ["a/b.h", "c.h", "d.h", "e.h"].map(PathBuf::from));
    }
}
