//! What an image was made of: the files that the compiler read, and those that would have been read in their place.
//!
//! An image stands for its text only as long as each of those files holds what it held, and none has appeared before another
//! in the search. A file that changes while the compiler runs leaves in doubt what was read, so it must never get into a
//! manifest: the kernel is compiled again. Start at [`Manifest::of`].

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use blake3::Hash;

use crate::glance::{Glance, Seen};
use crate::look_ups::{Looked, before_library, candidates, looked, names_of};
use crate::stamp::{Found, Stamp, found, is_young, read_regular, stamps};

/// What makes an image depend on more than the texts that are listed: files that the assembler reads, the time of a file.
const UNLISTED: &[&str] = &[".incbin", ".include", "__TIMESTAMP__"];

/// Beginnings of lines that are no input.
const ABSENT: &[u8] = b"absent ";
const PRESENT: &[u8] = b"present ";

/// Before a compilation.
pub(crate) struct Before {
    at: SystemTime,
    known: BTreeMap<PathBuf, (Vec<Stamp>, Option<Hash>)>,
    /// Where headers will be looked for, and what is there.
    places: BTreeMap<PathBuf, Found>,
}

impl Before {
    /// Now, with the state of files that the compiler will read, and of places where it will look, as far as they are known.
    /// The texts of files for which `is_text` holds are looked at too.
    pub(crate) fn now<'a>(
        known: impl IntoIterator<Item = &'a Path>,
        places: impl IntoIterator<Item = PathBuf>,
        is_text: &dyn Fn(&Path) -> bool,
    ) -> Before {
        let state = |path: &Path| {
            let digest =
                is_text(path).then(|| read_regular(path).ok().map(|(bytes, _)| blake3::hash(&bytes))).flatten();
            Some((path.to_path_buf(), (stamps(path)?, digest)))
        };
        // The time of day first: what changes from here on is younger.
        let at = SystemTime::now();
        let known = known.into_iter().filter_map(state).collect();
        let places = places.into_iter().map(|path| (path.clone(), found(&path))).collect();
        Before { at, known, places }
    }

    /// Whether what is at a place was there, or was not, all the time since; `read` says that the compiler found it.
    fn has_kept(&self, place: &Path, read: bool) -> bool {
        match self.places.get(place) {
            Some(was) => *was == found(place),
            // What was read is looked at as such.
            None => read || !is_young(place, self.at),
        }
    }

    /// Whether the known files are as they were.
    pub(crate) fn is_still(&self) -> bool {
        self.known.iter().all(|(path, (was, _))| stamps(path).as_ref() == Some(was))
    }
}

/// A file that the compiler read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Input {
    pub(crate) path: PathBuf,
    digest: Hash,
    /// Of a file that only an administrator changes, its state: as long as that is the same it is not read.
    stamp: Option<Stamp>,
    /// Its text can differ between the threads that it is compiled for.
    pub(crate) asks_for_thread: bool,
}

/// What an image was made of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Manifest {
    inputs: Vec<Input>,
    /// Where headers were looked for beside that.
    looked: Looked,
    /// It depends on more than that, and so is of no use to another build.
    pub(crate) is_partial: bool,
}

/// Why a compilation leaves no manifest.
#[derive(Debug)]
pub(crate) enum Doubt {
    /// A file has changed meanwhile, or is gone, or it is not known whether it has.
    Moved,
    /// A file has no text that could be looked at again.
    Unreadable(PathBuf, std::io::Error),
}

impl Manifest {
    /// The manifest of a compilation that has read `inputs`; `folders` are those that it searched for headers, beside those of
    /// the files themselves, `given` names that its options may have it look for, and `is_system` says which files are the
    /// compiler's own.
    ///
    /// # Errors
    /// If what it read is in doubt.
    pub(crate) fn of(
        inputs: &[PathBuf],
        (folders, given): (&[PathBuf], &BTreeSet<PathBuf>),
        before: &Before,
        is_system: &dyn Fn(&Path) -> bool,
    ) -> Result<Manifest, Doubt> {
        let mut manifest = Manifest::default();
        let mut names = given.clone();
        for path in inputs {
            let (bytes, facts) = read_regular(path).map_err(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Doubt::Moved,
                _ => Doubt::Unreadable(path.clone(), error),
            })?;
            let (stamp, seen) = (Stamp::of(&facts), Seen::of(&bytes));
            let now = stamps(path).ok_or(Doubt::Moved)?;
            let same = match before.known.get(path) {
                Some((was, digest)) => *was == now && digest.is_none_or(|digest| digest == seen.digest),
                // Of the compiler's own it is enough that they had rested; of the user's nothing is taken on trust.
                None => is_system(path) && now.iter().all(|stamp| stamp.rested(before.at)),
            };
            if !same || now[0] != stamp {
                return Err(Doubt::Moved);
            }
            let system = is_system(path);
            if !system {
                let text = String::from_utf8_lossy(&bytes);
                names.extend(names_of(&text).into_iter().map(|name| name.path));
                manifest.is_partial |= UNLISTED.iter().any(|word| text.contains(word));
            }
            manifest.inputs.push(Input {
                path: path.clone(),
                digest: seen.digest,
                stamp: (system && stamp.rested(before.at)).then_some(stamp),
                asks_for_thread: !system && seen.asks_for_thread,
            });
        }
        let (others, users): (Vec<&Path>, Vec<&Path>) =
            manifest.inputs.iter().map(|input| input.path.as_path()).partition(|path| is_system(path));
        let read: BTreeSet<&Path> = users.iter().copied().collect();
        let places = candidates(&names, &users, folders);
        let shadows = before_library(&others, folders);
        let mut all = places.iter().chain(&shadows);
        // A header may have come or gone while the compiler looked for it.
        if !all.all(|place| before.has_kept(place, read.contains(place.as_path()))) {
            return Err(Doubt::Moved);
        }
        let of_library = looked(&shadows, &read);
        let mut looked = looked(&places, &read);
        looked.absent.extend(of_library.absent);
        manifest.looked = looked;
        Ok(manifest)
    }

    /// Whether all is as it was.
    pub(crate) fn holds(&self, glance: &Glance) -> bool {
        self.inputs.iter().all(|input| {
            (input.stamp.is_some() && glance.stamp(&input.path) == input.stamp)
                || glance.text(&input.path).is_some_and(|seen| seen.digest == input.digest)
        }) && !self.looked.absent.iter().any(|path| glance.is_there(path))
            && self.looked.present.iter().all(|path| glance.is_there(path))
    }

    /// Whether no file holds one thing here and another there.
    pub(crate) fn agrees(&self, other: &Manifest) -> bool {
        let theirs: BTreeMap<&PathBuf, Hash> = other.inputs.iter().map(|input| (&input.path, input.digest)).collect();
        self.inputs.iter().all(|input| theirs.get(&input.path).is_none_or(|other| *other == input.digest))
    }

    /// Whether a text of it can differ between the threads that it is compiled for.
    pub(crate) fn asks_for_thread(&self) -> bool {
        self.inputs.iter().any(|input| input.asks_for_thread)
    }

    /// Lines for a file: one for each input, one for each place that was looked at.
    pub(crate) fn lines(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for Input { path, digest, stamp, asks_for_thread } in &self.inputs {
            let stamp = stamp.map_or("-".to_string(), |stamp| stamp.to_string());
            let asks = if *asks_for_thread { "asks" } else { "-" };
            lines.extend(format!("{digest} {stamp} {asks} ").into_bytes());
            lines.extend(on_one_line(path));
        }
        for (word, paths) in [(ABSENT, &self.looked.absent), (PRESENT, &self.looked.present)] {
            for path in paths {
                lines.extend(word);
                lines.extend(on_one_line(path));
            }
        }
        lines
    }

    /// Reads what [`Manifest::lines`] wrote; `None` of anything else.
    pub(crate) fn parse(lines: &[u8]) -> Option<Manifest> {
        let mut manifest = Manifest::default();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if let Some(path) = line.strip_prefix(ABSENT) {
                manifest.looked.absent.insert(from_one_line(path));
                continue;
            }
            if let Some(path) = line.strip_prefix(PRESENT) {
                manifest.looked.present.insert(from_one_line(path));
                continue;
            }
            let mut parts = line.splitn(4, |byte| *byte == b' ');
            let mut word = || std::str::from_utf8(parts.next()?).ok();
            let (digest, stamp, asks) = (word()?, word()?, word()?);
            manifest.inputs.push(Input {
                digest: Hash::from_hex(digest).ok()?,
                stamp: if stamp == "-" { None } else { Some(Stamp::parse(stamp)?) },
                asks_for_thread: asks == "asks",
                path: from_one_line(parts.next()?),
            });
        }
        Some(manifest)
    }
}

/// A path as the end of a line: what would end it is written otherwise.
fn on_one_line(path: &Path) -> Vec<u8> {
    let mut line = Vec::new();
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'%' => line.extend(b"%25"),
            b'\n' => line.extend(b"%0A"),
            other => line.push(*other),
        }
    }
    line.push(b'\n');
    line
}

fn from_one_line(line: &[u8]) -> PathBuf {
    let mut path = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.first() {
        let (byte, length) = match rest {
            [b'%', b'2', b'5', ..] => (b'%', 3),
            [b'%', b'0', b'A', ..] => (b'\n', 3),
            _ => (*first, 1),
        };
        path.push(byte);
        rest = &rest[length..];
    }
    PathBuf::from(OsString::from_vec(path))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::look_ups::Ahead;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("tileproof-manifest-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("near")).unwrap();
        fs::create_dir_all(folder.join("far")).unwrap();
        folder
    }

    fn before(inputs: &[PathBuf]) -> Before {
        let root = inputs.first().and_then(|kernel| kernel.parent()?.parent());
        let folders: Vec<PathBuf> = root.map(|root| root.join("far")).into_iter().collect();
        let ahead = inputs.first().map(|kernel| Ahead::of(kernel, &folders, &BTreeSet::new())).unwrap_or_default();
        Before::now(inputs.iter().map(PathBuf::as_path), ahead.places(&folders), &|_| true)
    }

    fn of(inputs: &[PathBuf], folders: &[PathBuf], before: &Before) -> Option<Manifest> {
        Manifest::of(inputs, (folders, &BTreeSet::new()), before, &|path| path.starts_with("/usr/include")).ok()
    }

    /// A kernel that includes `ops.h`, found in another folder.
    fn settled(folder: &Path) -> (Vec<PathBuf>, Manifest) {
        let (kernel, header) = (folder.join("near/kernel.cpp"), folder.join("far/ops.h"));
        fs::write(&kernel, "#include \"ops.h\"\n").unwrap();
        fs::write(&header, "#define OP add\n").unwrap();
        let inputs = vec![kernel, header];
        let manifest = of(&inputs, &[folder.join("far")], &before(&inputs)).unwrap();
        (inputs, manifest)
    }

    fn holds(manifest: &Manifest) -> bool {
        manifest.holds(&Glance::default())
    }

    #[test]
    fn a_manifest_holds_until_a_file_changes_or_a_nearer_one_appears() {
        let folder = folder("holds");
        let (inputs, manifest) = settled(&folder);
        assert!(holds(&manifest));
        assert_eq!(Manifest::parse(&manifest.lines()).as_ref(), Some(&manifest));
        fs::write(folder.join("near/ops.h"), "#define OP sub\n").unwrap();
        assert!(!holds(&manifest), "it shadows the one that was read");
        fs::remove_file(folder.join("near/ops.h")).unwrap();
        fs::write(&inputs[1], "#define OP mul\n").unwrap();
        assert!(!holds(&manifest));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_changes_while_it_is_compiled_gets_into_no_manifest() {
        let folder = folder("moved");
        let (inputs, _) = settled(&folder);
        let earlier = before(&inputs);
        std::thread::sleep(Duration::from_millis(30));
        // To and fro: the text is the same again, and it is not known which of the two was read.
        fs::write(&inputs[1], "#define OP mul\n").unwrap();
        fs::write(&inputs[1], "#define OP add\n").unwrap();
        assert_eq!(of(&inputs, &[], &earlier), None);
        // Nor one of which it is not known what it was before.
        assert_eq!(of(&inputs, &[], &before(&[])), None);
        assert!(of(&inputs, &[], &before(&inputs)).is_some());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_header_that_comes_while_the_compiler_looks_for_it_leaves_in_doubt_what_was_read() {
        let folder = folder("comes");
        let (inputs, _) = settled(&folder);
        let far = [folder.join("far")];
        let earlier = before(&inputs);
        assert!(of(&inputs, &far, &earlier).is_some());
        fs::write(folder.join("near/ops.h"), "#define OP sub\n").unwrap();
        assert_eq!(of(&inputs, &far, &earlier), None);
        assert!(
            of(&inputs, &far, &before(&inputs)).is_some(),
            "it was there all the time, for a compiler that skips it"
        );
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_link_that_is_turned_to_another_file_and_back_is_seen() {
        let folder = folder("turned");
        fs::write(folder.join("far/ops.h"), "").unwrap();
        let link = folder.join("near/ops.h");
        std::os::unix::fs::symlink("../far/ops.h", &link).unwrap();
        let earlier = before(std::slice::from_ref(&link));
        assert!(of(std::slice::from_ref(&link), &[], &earlier).is_some());
        std::thread::sleep(Duration::from_millis(30));
        fs::remove_file(&link).unwrap();
        std::os::unix::fs::symlink("../far/ops.h", &link).unwrap();
        assert_eq!(of(&[link], &[], &earlier), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_header_that_would_shadow_one_of_the_library_is_looked_for() {
        let folder = folder("library");
        let library = PathBuf::from("/usr/include/stdio.h");
        let inputs = [folder.join("near/kernel.cpp"), library];
        fs::write(&inputs[0], "").unwrap();
        let manifest = of(&inputs, &[folder.join("far")], &before(&inputs)).unwrap();
        assert!(holds(&manifest));
        fs::write(folder.join("far/stdio.h"), "").unwrap();
        assert!(!holds(&manifest));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_header_that_was_only_asked_for_counts_too() {
        let folder = folder("asked");
        let (kernel, asked) = (folder.join("near/kernel.cpp"), folder.join("near/opt.h"));
        fs::write(&kernel, "#define H \"opt.h\"\n#if __has_include(H)\n#endif\n").unwrap();
        fs::write(&asked, "").unwrap();
        let inputs = [kernel];
        let manifest = of(&inputs, &[], &before(&inputs)).unwrap();
        assert!(holds(&manifest));
        fs::remove_file(&asked).unwrap();
        assert!(!holds(&manifest));
        assert_eq!(Manifest::parse(&manifest.lines()).unwrap(), manifest);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn any_path_and_what_makes_a_manifest_partial_are_kept() {
        let folder = folder("odd %25\n name");
        let kernel = folder.join("near/kernel.cpp");
        fs::write(&kernel, "asm(\".incbin \\\"data\\\"\");").unwrap();
        let inputs = [kernel];
        let manifest = of(&inputs, &[], &before(&inputs)).unwrap();
        assert!(manifest.is_partial);
        assert_eq!(Manifest::parse(&manifest.lines()).unwrap().inputs, manifest.inputs);
        fs::remove_dir_all(folder).unwrap();
    }
}
