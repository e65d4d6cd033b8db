//! What a compiler is given: what the system has for programs, the folders that a kernel names, and a folder to write in.
//!
//! Whatever else a source asks for, with `#include` or `.incbin`, is refused, and the refusal said in words. It must never give a
//! folder in which everything of a user lies. Start at [`Given::reach`].

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use tileproof_worker::Reach;

use crate::environment;
use crate::request::Diagnostic;

/// Folders and files of a system that compilers and their programs read.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/etc/alternatives",
    "/etc/clang",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/proc/meminfo",
    "/proc/cpuinfo",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// What is written to wherever it lies.
const SINK: &str = "/dev/null";
/// Folders of a prefix in which parts of a compiler lie.
const OF_PREFIX: &[&str] = &["include", "lib", "lib64", "libexec"];

/// Ends of names that texts of programs have. A file of such a name may be included wherever it lies.
const TEXTS: &[&str] =
    &["h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tpp", "tcc", "def", "c", "cc", "cpp", "cxx", "cu", "cuh"];

/// Switches the walls off.
const SWITCH: &str = "TILEPROOF_COMPILER_BOX";

/// What stands behind the message of a file that may not be read.
const REFUSED: &str = ": Permission denied";

/// What a compilation may read beside the system.
#[derive(Default)]
pub(crate) struct Given {
    reads: Vec<PathBuf>,
}

impl Given {
    /// For a kernel at a path, with folders that are searched for headers, and the files that it was seen to include.
    pub(crate) fn of_kernel(source: &Path, folders: &[PathBuf], files: &BTreeSet<PathBuf>) -> Given {
        let home = home();
        let own = source.parent().filter(|folder| !is_too_much(folder, home.as_deref())).map(Path::to_path_buf);
        let is_text = |path: &&PathBuf| path.extension().is_some_and(|end| TEXTS.iter().any(|text| end == *text));
        let named = files.iter().filter(is_text);
        let reads = own.into_iter().chain(folders.to_vec()).chain(named.cloned()).chain([source.to_path_buf()]);
        Given { reads: reads.collect() }
    }

    /// The walls for a compiler that was found as `program`, consists of `parts`, and writes in `folder`. None if they are
    /// switched off.
    pub(crate) fn reach(
        &self,
        program: &Path,
        parts: &[PathBuf],
        shim: [&Path; 2],
        folder: &Path,
    ) -> std::io::Result<Option<Reach>> {
        if env::var_os(SWITCH).is_some_and(|value| value == "off") {
            return Ok(None);
        }
        let system = SYSTEM.iter().map(PathBuf::from);
        let home = home();
        let is_too_much = |folder: &Path| is_too_much(folder, home.as_deref());
        let programs = || [program].into_iter().chain(parts.iter().map(PathBuf::as_path));
        let prefixes = programs().flat_map(|program| of_prefix(program, &is_too_much));
        let beside = programs().filter_map(Path::parent).filter(|folder| !is_too_much(folder)).map(Path::to_path_buf);
        let listed = |name: &&str| env::var_os(name).map(|value| env::split_paths(&value).collect::<Vec<_>>());
        let listed = environment::OF_COMPILERS.iter().filter_map(listed).flatten();
        let listed = listed.filter(|path| path.is_absolute() && !is_too_much(path));
        let mut reads: Vec<PathBuf> =
            system.chain(prefixes).chain(beside).chain(listed).chain(environment::folders()).collect();
        reads.extend(programs().chain(shim).map(Path::to_path_buf));
        let reads = reads.iter().chain(&self.reads).map(PathBuf::as_path);
        Reach::of(reads, [folder, Path::new(SINK)]).map(Some)
    }
}

/// The prefix that a program of a compiler was installed below, as PREFIX/bin/g++ and PREFIX/libexec/gcc/TARGET/12/cc1plus; where
/// too much lies there, the folders of it that hold parts of compilers.
fn of_prefix(program: &Path, is_too_much: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let is_of_prefix = |folder: &&Path| {
        folder.file_name().is_some_and(|name| name == "bin" || OF_PREFIX.iter().any(|of_prefix| name == *of_prefix))
    };
    let folder = program.ancestors().skip(1).find(is_of_prefix).or(program.parent());
    match folder.and_then(Path::parent) {
        Some(prefix) if is_too_much(prefix) => OF_PREFIX.iter().map(|name| prefix.join(name)).collect(),
        prefix => prefix.map(Path::to_path_buf).into_iter().collect(),
    }
}

/// What a compiler said that came to nothing, and that its walls may be the reason.
pub(crate) fn of_walls(text: String, is_likely: bool) -> String {
    if !is_likely {
        return text;
    }
    format!(
        "{}\nit runs behind walls; if they keep it from parts of its own, {SWITCH}=off takes them away",
        text.trim_end()
    )
}

/// The home of who runs this, also where the environment does not tell.
fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| home.is_absolute())
}

/// Folders in which homes lie, where it is not known which is this user's.
const HOMES: &[&str] = &["/home", "/Users"];

/// Whether a folder is a user's home or holds it: everything of a user lies below. However it is spelt, and whatever links lead
/// there.
fn is_too_much(folder: &Path, home: Option<&Path>) -> bool {
    let really = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = really(folder);
    if folder.parent().is_none() {
        return true;
    }
    match home {
        Some(home) => really(home).starts_with(&folder),
        None => HOMES.iter().any(|homes| {
            let homes = Path::new(homes);
            folder == homes || folder.parent() == Some(homes) || folder == Path::new("/root")
        }),
    }
}

/// Where a compilation asked for a file that it was not given, in its messages; in words.
pub(crate) fn refusal(text: &str, errors: &[Diagnostic]) -> Option<Diagnostic> {
    let refused = |path: &str, at: Diagnostic| {
        // One that nobody may read is another's.
        std::fs::File::open(path).ok()?;
        let given =
            "the folder of the kernel, its include_dirs, headers by their names, and what the system has for programs";
        Some(Diagnostic { message: format!("it reads {path}, and a compiler is given {given}"), ..at })
    };
    let of_include = |error: &Diagnostic| refused(error.message.strip_suffix(REFUSED)?, error.clone());
    errors
        .iter()
        .find_map(of_include)
        .or_else(|| text.lines().find_map(|line| of_assembler(line).and_then(|(path, at)| refused(path, at))))
}

/// What an assembler could not open, and where it says that: in the kernel's text, or in a file that is gone.
fn of_assembler(line: &str) -> Option<(&str, Diagnostic)> {
    let (place, message) = line.split_once(": Error: ")?;
    let (file, number) = place.rsplit_once(':')?;
    let path = message
        .strip_prefix("file not found: ")
        .or_else(|| message.strip_suffix(REFUSED)?.strip_prefix("can't open ")?.strip_suffix(" for reading"))?;
    let line = if file.ends_with(".s") { 0 } else { number.parse().ok()? };
    Some((path, Diagnostic { file: file.into(), line, column: 0, message: String::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_told_of_includes_and_of_assemblers_where_the_file_is_there() {
        let error = |message: &str| Diagnostic { file: "k.cpp".into(), line: 3, column: 10, message: message.into() };
        let of = |text: &str, errors: &[Diagnostic]| refusal(text, errors).map(|d| (d.line, d.message));
        let told = of("", &[error("/etc/passwd: Permission denied")]).expect("a refusal");
        assert!(told.0 == 3 && told.1.starts_with("it reads /etc/passwd, and"), "{told:?}");
        for (text, line) in [
            ("k.cpp:2: Error: file not found: /etc/passwd\n", 2),
            ("/tmp/x.s:16: Error: can't open /etc/passwd for reading: Permission denied\n", 0),
        ] {
            assert_eq!(of(text, &[]).map(|(line, _)| line), Some(line), "{text}");
        }
        for text in ["k.cpp:2: Error: file not found: /no/such/file\n", "k.cpp:2: Error: no such instruction\n", ""] {
            assert_eq!(of(text, &[error("/no/such/file.h: Permission denied"), error("expected ';'")]), None, "{text}");
        }
    }

    #[test]
    fn headers_are_given_by_their_names_and_other_files_are_not() {
        let files = ["/a/b.h", "/etc/passwd", "/a/d.cpp", "/a/.git/config"].map(PathBuf::from).into();
        let given = Given::of_kernel(Path::new("/k/k.cpp"), &["/i".into()], &files);
        assert_eq!(given.reads, ["/k", "/i", "/a/b.h", "/a/d.cpp", "/k/k.cpp"].map(PathBuf::from));
        // A kernel that lies beside everything is given alone.
        assert_eq!(Given::of_kernel(Path::new("/k.cpp"), &[], &BTreeSet::new()).reads, [PathBuf::from("/k.cpp")]);
    }

    #[test]
    fn a_home_is_too_much_by_any_name_and_whoever_has_none_is_taken_for_a_user() {
        let folder = env::temp_dir().join(format!("tileproof-homes-{}", std::process::id()));
        let (home, link) = (folder.join("homes/me"), folder.join("link"));
        std::fs::create_dir_all(home.join("tools")).expect("a folder");
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(&home, &link).expect("a link");
        for (path, by) in [(&home, &link), (&link, &home), (&folder, &link), (&home.join("tools/.."), &link)] {
            assert!(is_too_much(path, Some(by)), "{} of {}", path.display(), by.display());
        }
        assert!(!is_too_much(&link.join("tools"), Some(&home)));
        std::fs::remove_dir_all(&folder).expect("no folder");
        for path in ["/", "/root", "/home"] {
            assert!(is_too_much(Path::new(path), None), "{path}");
        }
        let nobodys = Path::new("/home").join("nobody-of-this-name");
        assert!(is_too_much(&nobodys, None) && !is_too_much(&nobodys.join("kernels"), None));
        assert!(!is_too_much(Path::new("/usr"), None));
    }

    #[test]
    fn the_prefix_of_a_compiler_is_that_of_its_parts_and_of_a_home_only_what_compilers_have() {
        let is_home = |folder: &Path| folder == Path::new("/h/me");
        let of = |program: &str| of_prefix(Path::new(program), &is_home);
        assert_eq!(of("/opt/gcc/bin/g++"), [PathBuf::from("/opt/gcc")]);
        assert_eq!(of("/opt/gcc/libexec/gcc/x86_64-linux-gnu/12/cc1plus"), [PathBuf::from("/opt/gcc")]);
        assert_eq!(of("/opt/tools/g++"), [PathBuf::from("/opt")]);
        let of_home = ["/h/me/include", "/h/me/lib", "/h/me/lib64", "/h/me/libexec"].map(PathBuf::from);
        assert_eq!(of("/h/me/bin/g++"), of_home);
        assert_eq!(of("/h/me/libexec/gcc/x86_64-linux-gnu/12/cc1plus"), of_home);
    }
}
