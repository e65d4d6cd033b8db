//! What a sweep is of: its cells, and the files that they name. A table that was begun for another is not gone on with.
//!
//! Start at [`digest`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tileproof::fill::Fill;

use crate::cell::Cell;
use crate::spec::Spec;

/// Files of these kinds are what kernels and ops are made of.
const SOURCES: [&str; 6] = ["cpp", "cc", "h", "hpp", "inc", "toml"];
/// Folders below a folder that are looked into.
const DEPTH: usize = 4;

/// A name for the cells, and the text of the kernels, ops, program files and arrays that they name.
pub(crate) fn digest(spec: &Spec, cells: &[Cell]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut files = BTreeSet::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
    let mut seen = BTreeSet::new();
    for cell in cells {
        // A cell of plain data can be written.
        hasher.update(serde_json::to_string(cell).unwrap_or_default().as_bytes());
        for (text, is_folder) in [(&cell.kernels, true), (&cell.op, true), (&cell.program, false)] {
            if !text.is_empty() && seen.insert(text.clone()) {
                let path = spec.folder.join(text);
                // The kernels of a program file lie beside it.
                let folder = if is_folder { Some(path.as_path()) } else { path.parent() };
                list(folder.unwrap_or(Path::new("")), DEPTH, &mut files);
            }
        }
        for (_, fill) in &cell.data {
            if let Ok(Fill::Npy(path)) = Fill::parse(fill).map(|fill| fill.relative_to(&spec.folder)) {
                files.insert(path);
            }
        }
    }
    for file in files {
        let below = file.strip_prefix(&spec.folder).unwrap_or(&file);
        hasher.update(below.to_string_lossy().as_bytes());
        let text = fs::read(&file).unwrap_or_default();
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(&text);
    }
    hasher.finalize().to_hex()[..32].to_string()
}

fn list(folder: &Path, depth: usize, files: &mut BTreeSet<PathBuf>) {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    for path in fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() && depth > 0 {
            list(&path, depth - 1, files);
        } else if path.extension().is_some_and(|kind| SOURCES.iter().any(|known| kind == *known)) {
            files.insert(path);
        }
    }
}
