//! What test crates share: a program with any of its kernels replaced, folders, and looking for findings.
//!
//! A test crate declares it once, in its `main.rs`. Start at [`adding`].

#![allow(dead_code, reason = "each test crate takes what it needs")]

pub(crate) mod adding;
pub(crate) mod checked;
pub(crate) mod found;
pub(crate) mod raw;
pub(crate) mod steps;

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// An empty folder, by a name that is one test's own.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for a test");
    folder
}
