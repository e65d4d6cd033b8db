//! Which program files there are below some folders, and which of them name a file: a kernel, or a header that it includes.
//!
//! It must never run one. Start at [`naming`].

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tileproof::model::program::KernelSource;
use tileproof::program_file::ProgramFile;

/// Entries of folders that are looked at; more is no folder of kernels.
const MOST_ENTRIES: usize = 50_000;
/// A larger file is not read to see whether it is a program.
const MOST_BYTES: u64 = 1 << 20;

/// Whether a text in TOML is a program file: it names the schema, or has kernels.
pub(super) fn is_program(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        line.starts_with("[[kernel]]")
            || line.starts_with("[[launch.kernel]]")
            || line.strip_prefix("#:schema").is_some_and(|schema| schema.contains("program"))
    })
}

/// A path without links and dots, if it is there.
pub(super) fn settled(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

/// The program files below the folders, or else in the folder of the file, that name it, the nearest first.
pub(super) fn naming(file: &Path, folders: &[PathBuf]) -> Vec<PathBuf> {
    let file = settled(file);
    let mut programs = BTreeSet::new();
    let mut left = MOST_ENTRIES;
    match file.parent().filter(|_| !folders.iter().any(|folder| file.starts_with(folder))) {
        Some(own) => list(own, &mut programs, &mut left),
        None => folders.iter().for_each(|folder| list(folder, &mut programs, &mut left)),
    }
    let named = programs.into_iter().filter(|program| *program == file || names(program, &file));
    let mut named: Vec<PathBuf> = named.collect();
    named.sort_by_key(|program| (*program != file, program.parent() != file.parent()));
    named
}

fn list(folder: &Path, programs: &mut BTreeSet<PathBuf>, left: &mut usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else { continue };
        // What is hidden or built holds no programs of the user's own.
        if kind.is_dir() && !name.to_string_lossy().starts_with('.') && !path.join("CACHEDIR.TAG").exists() {
            list(&path, programs, left);
        } else if kind.is_file()
            && path.extension().is_some_and(|end| end == "toml")
            && entry.metadata().is_ok_and(|meta| meta.len() <= MOST_BYTES)
            && fs::read_to_string(&path).is_ok_and(|text| is_program(&text))
        {
            programs.insert(path);
        }
    }
}

/// Whether a program that can be read has a file among those of its kernels.
fn names(program: &Path, file: &Path) -> bool {
    let Ok(program) = ProgramFile::read(program, &[]) else { return false };
    let mut read = BTreeSet::new();
    let mut kernels = program.program.launches.iter().flat_map(|launch| &launch.kernels);
    kernels.any(|kernel| match &kernel.source {
        KernelSource::Cpp(source) => includes(source, &kernel.include_dirs, file, &mut read),
        _ => false,
    })
}

/// Whether a source is a file, or includes it, by way of others too. `read` are the sources that were looked at.
fn includes(source: &Path, folders: &[PathBuf], file: &Path, read: &mut BTreeSet<PathBuf>) -> bool {
    let source = settled(source);
    if source == file {
        return true;
    }
    if !read.insert(source.clone()) {
        return false;
    }
    let Ok(text) = fs::read_to_string(&source) else { return false };
    let named = text.lines().filter_map(|line| {
        let line = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        line.split('"').nth(1)
    });
    let own = source.parent().map(Path::to_path_buf);
    let places = named.flat_map(|name| own.iter().chain(folders).map(move |folder| folder.join(name)));
    let there: Vec<PathBuf> = places.filter(|place| place.is_file()).collect();
    there.iter().any(|place| includes(place, folders, file, read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_from_other_files_in_toml() {
        assert!(is_program("#:schema ./program.schema.json\nop = \"x\"\n"));
        assert!(is_program("a = 1\n  [[kernel]]\n"));
        assert!(is_program("[[launch]]\n[[launch.kernel]]\n"));
        assert!(!is_program("#:schema ./pyproject.json\n[kernel]\n"));
        assert!(!is_program("[package]\nname = \"[[kernel]]\"\n"));
    }
}
