//! What a sweep or an audit is of: its cells or its program, and the files that they name. A table that was begun for another is not gone on with.
//!
//! It must never take in what the sweep does not name, as the file of the sweep itself. Start at [`digest`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tileproof::audit::Subject;
use tileproof::build::sources;
use tileproof::fill::Fill;
use tileproof::model::program::KernelSource;
use tileproof::op::{UserOp, registry};
use tileproof::program_file::{Expected, ProgramFile};

use crate::cell::Cell;
use crate::paths::absolute;
use crate::spec::Spec;
use crate::tables::CREATE;

/// Files of these kinds in the folder of an op, or in one of kernels, are what it is made of.
const KINDS: [&str; 7] = ["cpp", "cc", "h", "hpp", "inc", "inl", "npy"];

/// A name for the cells, and the text of the kernels, ops, program files and arrays that they name.
pub(crate) fn digest(spec: &Spec, cells: &[Cell]) -> String {
    let mut hasher = blake3::Hasher::new();
    // A table of other columns is gone on with as little as one of another version.
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(CREATE.as_bytes());
    let folder = absolute(&spec.folder);
    let mut named = Named::default();
    let mut seen = BTreeSet::new();
    for cell in cells {
        // A cell of plain data can be written.
        hasher.update(serde_json::to_string(cell).unwrap_or_default().as_bytes());
        if seen.insert((&cell.op, &cell.kernels, &cell.program, program_settings(cell))) {
            named.add(cell, &folder);
        }
        for (_, fill) in &cell.data {
            named.add_fill(Fill::parse(fill).ok().map(|fill| fill.relative_to(&folder)).as_ref());
        }
    }
    named.add_to(&mut hasher, &folder);
    hasher.finalize().to_hex()[..32].to_string()
}

/// A name for what an audit's runs depend on: the program, its data, what is expected, and the text of the files that it names. They are kept
/// in `tables`.
pub(crate) fn digest_of_audit(subject: &Subject<'_>, tables: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CARGO_PKG_VERSION").as_bytes()).update(tables.as_bytes());
    hasher.update(&subject.bytes);
    let mut named = Named::default();
    named.add_file(subject.file);
    named.add_to(&mut hasher, &absolute(Path::new("")));
    hasher.finalize().to_hex()[..32].to_string()
}

/// What a program file may name other files by.
fn program_settings(cell: &Cell) -> &[(String, String)] {
    if cell.program.is_empty() { &[] } else { &cell.settings }
}

/// The files that cells name, directly or not.
#[derive(Default)]
struct Named {
    files: BTreeSet<PathBuf>,
    folders: BTreeSet<PathBuf>,
}

impl Named {
    fn add(&mut self, cell: &Cell, folder: &Path) {
        if !cell.kernels.is_empty() {
            self.add_folder(&folder.join(&cell.kernels));
        }
        if !cell.program.is_empty() {
            self.add_program(&folder.join(&cell.program), &cell.settings);
        }
        if !cell.op.is_empty()
            && let Ok(found) = registry::find(&cell.op, folder)
            && let Some(op) = found.folder
        {
            self.files.insert(op.join(UserOp::FILE));
            self.add_folder(&op);
            for (_, kernel) in found.op.kernel_files() {
                self.files.append(&mut sources(&kernel, &[], &[]));
            }
        }
    }

    fn add_program(&mut self, path: &Path, parameters: &[(String, String)]) {
        self.files.insert(path.to_path_buf());
        // What is refused reads no other file.
        if let Ok(file) = ProgramFile::read(path, parameters) {
            self.add_file(&file);
        }
    }

    fn add_file(&mut self, file: &ProgramFile) {
        for kernel in file.program.launches.iter().flat_map(|launch| &launch.kernels) {
            if let KernelSource::Cpp(source) = &kernel.source {
                self.files.append(&mut sources(source, &kernel.include_dirs, &kernel.defines));
            }
        }
        for tensor in &file.tensors {
            self.add_fill(tensor.fill.as_ref());
        }
        for expect in &file.expects {
            if let Expected::Fill(fill) = &expect.values {
                self.add_fill(Some(fill));
            }
        }
    }

    fn add_fill(&mut self, fill: Option<&Fill>) {
        if let Some(Fill::Npy(path)) = fill {
            self.files.insert(path.clone());
        }
    }

    /// Adds the text of the files; outside `folder` a file's place is the host's matter.
    fn add_to(&self, hasher: &mut blake3::Hasher, folder: &Path) {
        let below = |file: &Path| file.strip_prefix(folder).ok().or(file.file_name().map(Path::new)).map(PathBuf::from);
        let mut texts: Vec<(Option<PathBuf>, blake3::Hash)> =
            self.files.iter().map(|file| (below(file), blake3::hash(&fs::read(file).unwrap_or_default()))).collect();
        texts.sort_by(|(a, x), (b, y)| a.cmp(b).then(x.as_bytes().cmp(y.as_bytes())));
        for (file, text) in texts {
            let file = file.unwrap_or_default();
            hasher.update(file.as_os_str().as_encoded_bytes()).update(b"\0").update(text.as_bytes());
        }
    }

    /// The files of a folder and of those below it, each folder once: a link may lead back.
    fn add_folder(&mut self, folder: &Path) {
        if !fs::canonicalize(folder).is_ok_and(|folder| self.folders.insert(folder)) {
            return;
        }
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        for path in entries.collect::<BTreeSet<PathBuf>>() {
            let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
            if path.is_dir() {
                self.add_folder(&path);
            } else if kind == "cpp" {
                self.files.append(&mut sources(&path, &[], &[]));
            } else if KINDS.contains(&kind) {
                self.files.insert(path);
            }
        }
    }
}
