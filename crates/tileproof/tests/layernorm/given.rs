//! Where the specimens are, who builds them, and which of their lines are marked.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::support::{found, root};
use tileproof::build::Builder;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::GivenKernels;
use tileproof::model::finding::{Code, Finding};
use tileproof::model::record::RunRecord;

/// A folder of `specimens/layernorm_bw`.
pub(crate) fn folder(name: &str) -> PathBuf {
    root().join("specimens/layernorm_bw").join(name)
}

/// The kernels of a folder of `specimens/layernorm_bw`.
pub(crate) fn kernels(name: &str) -> GivenKernels {
    GivenKernels { folder: KernelFolder::find(&folder(name)).expect(name), include_dirs: Vec::new() }
}

/// Keeps what it builds from one run of the tests to the next.
pub(crate) fn builder() -> &'static Builder {
    static BUILDER: OnceLock<Builder> = OnceLock::new();
    let cache = || Path::new(env!("CARGO_TARGET_TMPDIR")).join("specimens");
    BUILDER.get_or_init(|| Builder::new(Some(cache())).expect("a cache"))
}

/// What a run of LayerNorm saves, by file name, when it is given a folder: all bits of its outputs.
pub(crate) fn saved(name: &str, run: impl FnOnce(PathBuf)) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("saved").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    run(folder.clone());
    let entries =
        std::fs::read_dir(&folder).expect("a run that completed").map(|entry| entry.expect("an entry").path());
    entries.map(|path| (path.file_name().unwrap().to_string_lossy().into(), std::fs::read(&path).unwrap())).collect()
}

/// The line of a kernel's file on which `// MARK mark` stands.
#[track_caller]
pub(crate) fn marked_in(file: &Path, mark: &str) -> u32 {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    found::marked_in(&text, &format!("MARK {mark}"))
}

/// The file of `tileproof-ops` with specimens in Rust.
pub(crate) fn of_ops(file: &str) -> PathBuf {
    root().join("crates/tileproof-ops/src").join(file)
}

/// The findings with a code.
pub(crate) fn with(run: &RunRecord, code: Code) -> Vec<&Finding> {
    run.findings.iter().filter(|finding| finding.code == code).collect()
}
