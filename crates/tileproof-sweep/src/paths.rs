//! Paths as a sweep says them: from the folder of its file, wherever that lies on a host.
//!
//! It must never change a path that the sweep itself gives as an absolute one. Start at [`as_given`].

use std::path::{Path, PathBuf};

use crate::cell::{Cell, Outcome};

/// A folder, wherever a worker may be started; the empty path is the folder of this process. Without links, so that the way up
/// from it is what its name says.
pub(crate) fn absolute(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.to_path_buf())
}

/// An outcome whose paths begin at `folder`, as the sweep's own do.
pub(crate) fn as_given(outcome: Outcome, cell: &Cell, folder: &Path) -> Outcome {
    let own = absolute_ones(cell);
    let said = |text: String| from(folder, text, &own);
    let mut outcome = Outcome { message: outcome.message.map(&said), ..outcome };
    // What of a finding a table keeps.
    for finding in &mut outcome.findings {
        finding.file = said(std::mem::take(&mut finding.file));
        finding.message = said(std::mem::take(&mut finding.message));
    }
    outcome
}

/// Where the absolute paths of a cell begin. The kernels of a program file may lie beside it.
fn absolute_ones(cell: &Cell) -> Vec<String> {
    let program = Path::new(&cell.program).parent().unwrap_or(Path::new(""));
    let named = [Path::new(&cell.op), program, Path::new(&cell.kernels)];
    named.into_iter().filter(|path| path.is_absolute()).map(|path| path.display().to_string()).collect()
}

/// A text whose paths begin at `folder`, those beside it with a way up, but for those that begin with one of `own`.
fn from(folder: &Path, text: String, own: &[String]) -> String {
    let above = folder.ancestors().take_while(|above| above.parent().is_some());
    above
        .enumerate()
        .fold(text, |text, (up, above)| replaced(&text, &format!("{}/", above.display()), &"../".repeat(up), own))
}

/// A text with `instead` where a path begins with `folder`.
fn replaced(text: &str, folder: &str, instead: &str, own: &[String]) -> String {
    let (mut said, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(folder) {
        let (before, path) = rest.split_at(at);
        said.push_str(before);
        let within = said.ends_with(|before: char| before.is_alphanumeric() || "/._-".contains(before));
        let stays = within || own.iter().any(|own| path.starts_with(own.as_str()));
        said.push_str(if stays { folder } else { instead });
        rest = &path[folder.len()..];
    }
    said + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_that_begin_with_the_folder_or_one_above_are_seen_from_there() {
        let from = |text: &str| from(Path::new("/a/b"), text.into(), &["/a/b/own".into()]);
        assert_eq!(from("/a/b/k.cpp:3: in /a/b/../c/h.h, \"/a/b/x\""), "k.cpp:3: in ../c/h.h, \"x\"");
        assert_eq!(from("/a/c/k.cpp and /b/a/k.cpp"), "../c/k.cpp and /b/a/k.cpp");
        assert_eq!(from("/c/a/b/k.cpp and 1/a/b/2"), "/c/a/b/k.cpp and 1/a/b/2");
        assert_eq!(from("/a/b/own/k.cpp"), "/a/b/own/k.cpp");
    }
}
