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
/// Variables with folders in which a compiler looks for its own parts.
const OF_COMPILERS: &[&str] = &["COMPILER_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "CONDA_BUILD_SYSROOT", "SDKROOT"];

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
        let own = source.parent().filter(|folder| !is_too_much(folder)).map(Path::to_path_buf);
        let is_text = |path: &&PathBuf| path.extension().is_some_and(|end| TEXTS.iter().any(|text| end == *text));
        let named = files.iter().filter(is_text);
        let reads = own.into_iter().chain(folders.to_vec()).chain(named.cloned()).chain([source.to_path_buf()]);
        Given { reads: reads.collect() }
    }

    /// The walls for the compiler `program`, which was found as that and is really `real`, and writes in `folder`. None if they are
    /// switched off.
    pub(crate) fn reach(
        &self,
        [program, real]: [&Path; 2],
        shim: [&Path; 2],
        folder: &Path,
    ) -> std::io::Result<Option<Reach>> {
        if env::var_os(SWITCH).is_some_and(|value| value == "off") {
            return Ok(None);
        }
        let system = SYSTEM.iter().map(PathBuf::from);
        // A compiler in PREFIX/bin has its parts below PREFIX.
        let prefix = |path: &Path| path.parent().and_then(Path::parent).map(Path::to_path_buf);
        let prefixes = [prefix(program), prefix(real)].into_iter().flatten().filter(|folder| !is_too_much(folder));
        let listed = |name: &&str| env::var_os(name).map(|value| env::split_paths(&value).collect::<Vec<_>>());
        let listed = OF_COMPILERS.iter().filter_map(listed).flatten().filter(|path| path.is_absolute());
        let mut reads: Vec<PathBuf> = system.chain(prefixes).chain(listed).chain(environment::folders()).collect();
        reads.extend([program, real].into_iter().chain(shim).map(Path::to_path_buf));
        let reads = reads.iter().chain(&self.reads).map(PathBuf::as_path);
        Reach::of(reads, [folder, Path::new(SINK)]).map(Some)
    }
}

/// Whether a folder is a user's home or holds it: everything of a user lies below.
fn is_too_much(folder: &Path) -> bool {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(folder))
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
}
