//! Where the file of a kernel is, from the path that a host program gives.
//!
//! Start at [`find`].

use std::path::{Path, PathBuf};

/// What the file of a kernel is called that was given as text.
const FILE: &str = "kernel.cpp";

/// A kernel's file, and the folder that its path is seen from, which kernels may include from as well.
pub(crate) struct Found {
    pub(crate) file: PathBuf,
    pub(crate) root: PathBuf,
}

/// Looks for a kernel: as it stands, below the folders that tt-metal's variables name, then below the folder of the host
/// program's file and those around it.
pub(crate) fn find(path: &Path, host_file: &Path) -> Result<Found, String> {
    let roots = roots(host_file);
    let found = roots.iter().find(|root| root.join(path).is_file());
    found.map(|root| Found { file: root.join(path), root: root.clone() }).ok_or_else(|| {
        let here = std::env::current_dir().unwrap_or_default();
        let around = host_file.parent().unwrap_or(Path::new(""));
        format!(
            "there is no kernel file {}: looked for it in the current folder {}, below $TT_METAL_KERNEL_PATH and \
             $TT_METAL_HOME, and in {} and the folders around it",
            path.display(),
            here.display(),
            around.display()
        )
    })
}

fn roots(host_file: &Path) -> Vec<PathBuf> {
    let here = std::env::current_dir().unwrap_or_default();
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let named = ["TT_METAL_KERNEL_PATH", "TT_METAL_HOME"].into_iter().filter_map(set);
    let host_file = std::path::absolute(host_file).unwrap_or_else(|_| host_file.into());
    let around: Vec<PathBuf> = host_file.ancestors().skip(1).map(Path::to_path_buf).collect();
    std::iter::once(here).chain(named).chain(around).collect()
}

/// Keeps the text of a kernel that has no file; it is named by what is in it.
pub(crate) fn keep(text: &str) -> Result<PathBuf, String> {
    let kept = tileproof::build::lay_out("source", vec![(FILE.into(), text.into())]);
    let folder = kept.map_err(|error| format!("the text of a kernel cannot be kept: {error}"))?;
    Ok(folder.join(FILE))
}
