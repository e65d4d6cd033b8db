//! Where a compiler looks for the headers of a kernel, before it has run and after.
//!
//! Texts are looked through without regard to comments and conditions, so that more is found than is read and never less; what
//! only a macro names is known when the compiler has named it. Start at [`Ahead::of`].

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::environment;
use crate::stamp::{read_regular, special};

/// How many headers of a kernel are looked through ahead of the compiler.
const MOST_FILES: usize = 4096;

/// Bytes of a name in a definition, which may be any text.
const LONGEST: usize = 256;

/// A name that a text has looked for, and the line that does.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Name {
    pub(crate) path: PathBuf,
    pub(crate) line: u32,
}

/// The names in a text that a compiler looks for: of `#include`, `#include_next`, `#import`, `#embed` and `__has_include`.
pub(crate) fn names_of(text: &str) -> Vec<Name> {
    let mut names = Vec::new();
    let mut lines = text.lines().zip(1..);
    while let Some((line, number)) = lines.next() {
        let mut whole = line.to_string();
        while whole.ends_with('\\')
            && let Some((next, _)) = lines.next()
        {
            whole.pop();
            whole.push_str(next);
        }
        // What a macro stands for may be asked for by its name.
        if whole.trim_start().strip_prefix('#').is_some_and(|directive| directive.trim_start().starts_with("define")) {
            let quoted = whole.split('"').skip(1).step_by(2).chain(whole.split('<').skip(1).filter_map(before_angle));
            let quoted = quoted.filter(|name| !name.is_empty() && name.len() < LONGEST);
            names.extend(quoted.map(|name| Name { path: name.into(), line: number }));
            continue;
        }
        for word in ["include", "import", "embed"] {
            let mut rest = whole.as_str();
            while let Some(at) = rest.find(word) {
                rest = &rest[at + word.len()..];
                let Some(open) = rest.find(['"', '<']) else { break };
                let close = if rest.as_bytes()[open] == b'"' { '"' } else { '>' };
                let Some(length) = rest[open + 1..].find(close) else { break };
                let name = &rest[open + 1..open + 1 + length];
                if !name.is_empty() {
                    names.push(Name { path: name.into(), line: number });
                }
                rest = &rest[open + 1 + length..];
            }
        }
    }
    names
}

/// What stands before the bracket that closes a name.
fn before_angle(text: &str) -> Option<&str> {
    Some(text.split_once('>')?.0)
}

/// A name that leads to what is no text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Special {
    /// The file that names it, and the line.
    pub(crate) file: PathBuf,
    pub(crate) line: u32,
    /// What it leads to, and what that is.
    pub(crate) path: PathBuf,
    pub(crate) what: &'static str,
}

/// What a compiler can be expected to read of the user's.
#[derive(Default)]
pub(crate) struct Ahead {
    pub(crate) files: BTreeSet<PathBuf>,
    pub(crate) special: Vec<Special>,
    /// The names that all of them look for.
    names: BTreeSet<PathBuf>,
}

impl Ahead {
    /// From a kernel's file through all that it includes; `folders` are searched for headers, `given` names that options may
    /// have it look for.
    pub(crate) fn of(source: &Path, folders: &[PathBuf], given: &BTreeSet<PathBuf>) -> Ahead {
        let mut ahead = Ahead { names: given.clone(), ..Ahead::default() };
        let mut next = vec![source.to_path_buf()];
        while let Some(file) = next.pop() {
            if ahead.files.len() >= MOST_FILES || !ahead.files.insert(file.clone()) {
                continue;
            }
            let Ok((bytes, _)) = read_regular(&file) else { continue };
            for name in names_of(&String::from_utf8_lossy(&bytes)) {
                ahead.names.insert(name.path.clone());
                let beside = file.parent().into_iter();
                let candidates =
                    beside.chain(folders.iter().map(PathBuf::as_path)).map(|folder| folder.join(&name.path));
                let mut facts = candidates.filter_map(|path| Some((path.metadata().ok()?, path)));
                let Some((facts, path)) = facts.find(|(facts, _)| !facts.is_dir()) else { continue };
                match special(&facts) {
                    Some(what) => ahead.special.push(Special { file: file.clone(), line: name.line, path, what }),
                    None => next.push(path),
                }
            }
        }
        ahead
    }

    /// The places where headers will be looked for.
    pub(crate) fn places(&self, folders: &[PathBuf]) -> Vec<PathBuf> {
        let files: Vec<&Path> = self.files.iter().map(PathBuf::as_path).collect();
        candidates(&self.names, &files, folders)
    }
}

/// The files that a kernel is made of, as far as texts tell: its own, those that it includes from beside it, from `folders`, from
/// those of the environment, or by the name in one of its `defines`, and what `.incbin` takes in. What none of them holds, as the
/// shipped headers, is not among them.
pub fn sources(kernel: &Path, folders: &[PathBuf], defines: &[(String, String)]) -> BTreeSet<PathBuf> {
    let (none, folders) = (BTreeSet::new(), [folders, &environment::folders()].concat());
    let found = |from: Option<&Path>, name: &Path| {
        let mut places = from.into_iter().chain(folders.iter().map(PathBuf::as_path));
        places.find_map(|folder| Some(folder.join(name)).filter(|path| path.is_file()))
    };
    let mut files = Ahead::of(kernel, &folders, &none).files;
    for name in defines.iter().flat_map(|(name, value)| names_of(&format!("#define {name} {value}"))) {
        if let Some(header) = found(kernel.parent(), &name.path) {
            files.append(&mut Ahead::of(&header, &folders, &none).files);
        }
    }
    let texts = files.iter().filter_map(|file| Some((file, read_regular(file).ok()?.0)));
    let taken = texts.flat_map(|(file, text)| {
        let names = taken_in(&String::from_utf8_lossy(&text));
        names.into_iter().filter_map(|name| found(file.parent(), &name)).collect::<Vec<_>>()
    });
    let taken: Vec<PathBuf> = taken.collect();
    files.extend(taken);
    files
}

/// The names that `.incbin` has in a text of C++, where quotes of an instruction stand behind a backslash.
fn taken_in(text: &str) -> Vec<PathBuf> {
    let name = |rest: &str| {
        let rest = rest.trim_start_matches([' ', '\t', '\\']).strip_prefix('"')?;
        let end = rest.find(['"', '\\', '\n'])?;
        Some(PathBuf::from(&rest[..end])).filter(|_| (1..LONGEST).contains(&end))
    };
    text.split(".incbin").skip(1).filter_map(name).collect()
}

/// The places where names may be looked for: in the folders, and beside each of the files.
pub(crate) fn candidates(names: &BTreeSet<PathBuf>, files: &[&Path], folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut places: BTreeSet<&Path> = folders.iter().map(PathBuf::as_path).collect();
    places.extend(files.iter().filter_map(|path| path.parent()));
    // A header that a macro names is among the files.
    let found = files.iter().flat_map(|path| places.iter().filter_map(|place| path.strip_prefix(place).ok()));
    let names: BTreeSet<&Path> = names.iter().map(PathBuf::as_path).chain(found).collect();
    places.iter().flat_map(|place| names.iter().map(move |name| place.join(name))).collect()
}

/// Places where a compiler may have looked for a header, beside those that it read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Looked {
    /// Nothing was there. A header that is put there is found before the one that was read, or where none was.
    pub(crate) absent: BTreeSet<PathBuf>,
    /// Something was there, and was not read: `__has_include` has asked for it, or another was found first.
    pub(crate) present: BTreeSet<PathBuf>,
}

/// What is at `places`, of which `read` were read.
pub(crate) fn looked(places: &[PathBuf], read: &BTreeSet<&Path>) -> Looked {
    let mut looked = Looked::default();
    for place in places {
        match missing(place) {
            Some(way) => drop(looked.absent.insert(way)),
            None if !read.contains(place.as_path()) => drop(looked.present.insert(place.clone())),
            None => {}
        }
    }
    looked
}

/// Where in `folders` the headers of the library may be looked for, by the names that they have for each other: the ends of
/// their paths.
pub(crate) fn before_library(library: &[&Path], folders: &[PathBuf]) -> Vec<PathBuf> {
    let ends: BTreeSet<PathBuf> = library.iter().filter(|_| !folders.is_empty()).flat_map(|path| ends(path)).collect();
    folders.iter().flat_map(|folder| ends.iter().map(|end| folder.join(end))).collect()
}

/// Every end of a path, from the file's name to the whole of it.
fn ends(path: &Path) -> Vec<PathBuf> {
    let parts: Vec<Component<'_>> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    (0..parts.len()).map(|from| parts[from..].iter().collect()).collect()
}

/// The first part of the way to a path that is not there.
fn missing(path: &Path) -> Option<PathBuf> {
    if path.exists() {
        return None;
    }
    let mut way = PathBuf::new();
    path.components().find_map(|part| {
        way.push(part);
        (!way.exists()).then(|| way.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_assembler_takes_in_is_named_in_whichever_quotes() {
        let text = r#"asm(".incbin \"a/b.bin\", 4"); asm(R"(.incbin "c.bin")"); // .incbin of what
            asm(".incbin " NAME); .incbin "unclosed"#;
        assert_eq!(taken_in(text), [Path::new("a/b.bin"), Path::new("c.bin")]);
    }

    #[test]
    fn names_are_those_of_includes_and_of_questions_for_them() {
        let text = "#include \"a/b.h\" // and <this>\n  #  include <c.h>\n#if __has_include(\"d.h\") || __has_include(<e.h>)\n\
                    #include NAME\n#include \\\n  \"f.h\"\n#embed <g.bin>\n# define NAME \"h.h\"\n#define A < b\n";
        let names: Vec<(String, u32)> =
            names_of(text).into_iter().map(|name| (name.path.display().to_string(), name.line)).collect();
        let expected = [("a/b.h", 1), ("c.h", 2), ("d.h", 3), ("e.h", 3), ("f.h", 5), ("g.bin", 7), ("h.h", 8)];
        assert_eq!(names, expected.map(|(name, line)| (name.to_string(), line)));
    }

    #[test]
    fn the_part_of_the_way_that_is_missing_stands_for_what_is_behind_it() {
        assert_eq!(missing(Path::new("/dev/no/such/header.h")), Some("/dev/no".into()));
        assert_eq!(missing(Path::new("/dev/../dev/none.h")), Some("/dev/../dev/none.h".into()));
        assert_eq!(missing(Path::new("/dev/null")), None);
    }
}
