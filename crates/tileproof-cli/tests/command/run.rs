//! Running the command, and folders with programs for it. Start at [`tileproof`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Runs the command where the tests run.
pub(crate) fn tileproof(arguments: &[&str]) -> Output {
    tileproof_in(Path::new("."), arguments)
}

pub(crate) fn tileproof_in(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tileproof"));
    command.args(arguments).current_dir(folder).output().expect("the command runs")
}

/// The only document on stdout.
pub(crate) fn json_of(output: &Output) -> serde_json::Value {
    let said = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"))
}

/// An empty folder, by a name that is one test's own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("command").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for a test");
    folder
}

/// The example that adds, in a folder of its own, with texts of its files replaced: the path of its program file.
pub(crate) fn changed_add(name: &str, changes: &[(&str, &str, &str)]) -> PathBuf {
    let folder = folder(name);
    for file in ["program.toml", "reader.cpp", "add.cpp", "writer.cpp", "out.npy"] {
        fs::copy(Path::new(ROOT).join("examples/programs/add").join(file), folder.join(file)).unwrap();
    }
    for (file, from, to) in changes {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        assert!(text.contains(from), "{file} has {from}");
        fs::write(folder.join(file), text.replace(from, to)).unwrap();
    }
    folder.join("program.toml")
}
