//! Builds a host program with the headers as they are laid out, against the library that cargo has made for these tests.

use std::ffi::OsStr;
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
    /// Compiles a file of the workspace.
    pub(crate) fn build(source: &str, name: &str, options: &[&str]) -> Program {
        let sdk = tileproof_sdk::lay_out(&library()).unwrap();
        let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host-{name}-{}", std::process::id()));
        let folder = library().parent().unwrap().display().to_string();
        let built = Command::new("g++")
            .args(["-O0", "-Wall", "-Wextra", "-Werror"])
            .args(sdk.compile_flags())
            .args(options)
            .arg(root().join(source))
            .arg(library())
            .arg(format!("-Wl,-rpath,{folder}"))
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        assert!(built.status.success(), "{source}: {}", String::from_utf8_lossy(&built.stderr));
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
