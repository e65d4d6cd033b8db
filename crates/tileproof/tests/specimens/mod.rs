//! Where the specimens are, who builds them, and which of their lines are marked.

#![allow(dead_code, reason = "each test takes what it needs")]

pub(crate) mod recorded;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tileproof::build::Builder;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::GivenKernels;
use tileproof::model::finding::{Code, Finding};
use tileproof::model::record::RunRecord;

/// A folder of `specimens/layernorm_bw`.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specimens/layernorm_bw").join(name)
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

/// The line of a text on which `// MARK mark` stands.
pub(crate) fn marked_in(text: &str, mark: &str) -> u32 {
    let wanted = format!("// MARK {mark}");
    let at = text.lines().position(|line| line.trim_end().ends_with(&wanted));
    at.map(|i| i as u32 + 1).unwrap_or_else(|| panic!("no line is marked {mark}"))
}

/// [`marked_in`] a file of `specimens/layernorm_bw`.
pub(crate) fn marked(file: &str, mark: &str) -> u32 {
    marked_in(&std::fs::read_to_string(folder(file)).expect(file), mark)
}

/// The findings with a code.
pub(crate) fn with(run: &RunRecord, code: Code) -> Vec<&Finding> {
    run.findings.iter().filter(|finding| finding.code == code).collect()
}

/// The line that a finding is on.
pub(crate) fn line_of(finding: &Finding) -> u32 {
    finding.primary.location.as_ref().map_or(0, |location| location.line)
}

/// The lines of a finding's labels.
pub(crate) fn labels_of(finding: &Finding) -> Vec<u32> {
    finding.labels.iter().filter_map(|label| label.place.location.as_ref().map(|l| l.line)).collect()
}
