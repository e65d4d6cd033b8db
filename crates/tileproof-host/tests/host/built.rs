//! Builds a host program with the headers as they are laid out, against the library that cargo has made for these tests.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The library: among what was built together with this test.
pub(crate) fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let library = test.parent().unwrap().join(tileproof_sdk::LIBRARY);
    assert!(library.is_file(), "{}", library.display());
    library
}

/// No variables beside those of the test.
pub(crate) const PLAIN: &[(&str, &str)] = &[];

/// A program that was built.
pub(crate) struct Program(PathBuf);

impl Program {
    /// Compiles a file of the workspace, and others that are among the options.
    pub(crate) fn build(source: &str, name: &str, options: &[&str]) -> Program {
        let sdk = tileproof_sdk::lay_out(&library()).unwrap();
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host-{name}-{}", std::process::id()));
        let folder = library().parent().unwrap().display().to_string();
        let (further, options): (Vec<&str>, Vec<&str>) = options.iter().partition(|option| option.ends_with(".cpp"));
        let flags: Vec<String> = ["-O0", "-Wall", "-Wextra", "-Werror"].into_iter().map(String::from).collect();
        let options = options.into_iter().map(String::from);
        let flags: Vec<String> = flags.into_iter().chain(sdk.compile_flags()).chain(options).collect();
        let sources = further.into_iter().map(PathBuf::from).chain([root().join(source)]);
        let mut link = Command::new("g++");
        link.args(&flags).args(sources.map(|source| object(&source, &flags))).arg(library());
        succeed(link.arg(format!("-Wl,-rpath,{folder}")).arg("-o").arg(&out));
        Program(out)
    }

    /// Runs it, with what its environment says beside the test's own.
    pub(crate) fn run<Value: AsRef<OsStr>>(&self, arguments: &[&str], variables: &[(&str, Value)]) -> Ran {
        let of_tests = [
            "CLICOLOR_FORCE",
            "NO_COLOR",
            "TILEPROOF_CHECKS",
            "TILEPROOF_DEVICES",
            "TILEPROOF_EXIT",
            "TILEPROOF_EXPLORE",
            "TILEPROOF_FORMAT",
            "TILEPROOF_RECORD",
            "TILEPROOF_REPORT",
        ];
        let mut command = Command::new(&self.0);
        for name in of_tests {
            command.env_remove(name);
        }
        Ran::of(&command.args(arguments).envs(variables.iter().map(|(name, value)| (name, value))).output().unwrap())
    }
}

/// The object of a source, kept from one test to the next under a digest of what the preprocessor makes of it: that takes a
/// fiftieth of the time of a compilation.
fn object(source: &Path, flags: &[String]) -> PathBuf {
    let digest = |of: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        of(&mut hasher);
        format!("{:016x}", hasher.finish())
    };
    let compiler = || {
        let mut command = Command::new("g++");
        command.args(flags).arg(source);
        command
    };
    let text = succeed(compiler().arg("-E")).stdout;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host-objects");
    std::fs::create_dir_all(&folder).unwrap();
    let which = digest(&|hasher| (source, flags).hash(hasher));
    let kept = folder.join(format!("{which}-{}.o", digest(&|hasher| text.hash(hasher))));
    if !kept.is_file() {
        // Another test may want the same, and finds it whole or not at all.
        let made = folder.join(format!("{which}-{}.new", std::process::id()));
        succeed(compiler().arg("-c").arg("-o").arg(&made));
        let is_older = |path: &PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with(&which) && name.ends_with(".o") && *path != kept
        };
        let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        files.filter(is_older).for_each(|path| drop(std::fs::remove_file(path)));
        std::fs::rename(made, &kept).unwrap();
    }
    kept
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// What a program came to.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn of(output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}
