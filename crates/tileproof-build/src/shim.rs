//! The shim headers: embedded in the program, written out to the cache once.
//!
//! A header of the kernel API is a one-line file at the device's path that includes the shim; what an API header declares
//! beyond its own area must do no harm. What lies on the disk must never be taken for what is embedded without a look.
//! `shim/headers.txt` lists the headers. Start at [`Shim::write_out`].

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io};

use crate::bound::mark_use;
use crate::cache::{Cache, Scratch};
use crate::folder::{self, read_own};
use crate::note::note;
use crate::{abi_table, sfpu_codes};

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../shim/tp/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = embedded![
    "abi.h",
    "api_dates.h",
    "arguments.h",
    "bindings.h",
    "buffer_objects.h",
    "circular_buffer.h",
    "compute.h",
    "copies.h",
    "dataflow.h",
    "dprint.h",
    "endpoints.h",
    "exp_by_pieces.h",
    "fpu.h",
    "kernel_api.h",
    "int_sums.h",
    "l1_access.h",
    "l1_memory.h",
    "llk.h",
    "noc.h",
    "noc_objects.h",
    "noc_registers.h",
    "noc_state.h",
    "objects.h",
    "older_llk.h",
    "older_names.h",
    "pack.h",
    "prefix.h",
    "quantization.h",
    "random.h",
    "remainders.h",
    "rows_of_dst.h",
    "runtime.cpp",
    "semaphore_objects.h",
    "sfpi.h",
    "sfpi_faces.h",
    "sfpi_functions.h",
    "sfpi_lines.h",
    "sfpi_raw_words.h",
    "sfpi_registers.h",
    "sfpi_run.h",
    "sfpi_steps.h",
    "sfpi_words.h",
    "sfpu.h",
    "sfpu_macros.h",
    "sfpu_tiles.h",
    "split_includes.h",
    "startup.h",
    "tensor_accessor.h",
    "topk.h",
    "transpose_dest.h",
    "types.h",
    "unmodelled.h",
    "unmodelled_dataflow.h",
    "unmodelled_names.h",
    "unmodelled_sockets.h",
    "vector_library.h",
];

/// The headers that kernels can include; `shim/headers.txt` says how to read it.
const HEADERS: &str = include_str!("../shim/headers.txt");

/// Folders that have had the headers of compute kernels and of debugging aids: of compute kernels, the first since generation 0.68.
const FOLDERS: [(&str, &[&str]); 2] = [
    ("<compute>", &["api/compute", "compute_kernel_api", "tt_metal/include/compute_kernel_api"]),
    ("<debug>", &["debug", "api/debug"]),
];

/// Files that are embedded, below the folder for `-I`: the shim, or others that are kept beside it.
pub(crate) struct Shim {
    /// What its folder is called, before the digest.
    name: &'static str,
    /// Digest of all of it.
    pub(crate) digest: String,
    files: Vec<(String, String)>,
}

/// The shim of this program.
pub(crate) static SHIM: LazyLock<Shim> = LazyLock::new(|| {
    let files = all_files();
    Shim { name: "shim", digest: digest(&files), files }
});

/// Puts files of another kind into the cache that the environment names, as far as they are not there and whole; the folder that
/// they are below. `name` is one of `names::LAID_OUT`.
///
/// # Errors
/// If the cache cannot be used.
pub fn lay_out(name: &'static str, files: Vec<(String, String)>) -> io::Result<PathBuf> {
    let folder = std::path::absolute(folder::wanted())?;
    let cache = Cache::open(folder)?;
    let all = Shim { name, digest: digest(&files), files };
    all.write_out(&cache)?;
    Ok(all.include(&cache))
}

/// A header that kernels can include, and the one of the shim that it brings.
struct Forwarder {
    path: String,
    to: &'static str,
}

fn forwarders() -> Vec<Forwarder> {
    let mut forwarders = Vec::new();
    for line in HEADERS.lines().filter(|line| !line.starts_with('#')) {
        let (path, to) = line.split_once(' ').unwrap_or((line, "kernel_api.h"));
        match FOLDERS.iter().find_map(|(name, folders)| Some((path.strip_prefix(name)?, folders))) {
            Some((rest, folders)) => {
                forwarders.extend(folders.iter().map(|folder| Forwarder { path: format!("{folder}{rest}"), to }));
            }
            None => forwarders.push(Forwarder { path: path.into(), to }),
        }
    }
    forwarders
}

/// The path of a header that brings what not every one does, and has `name` in its text by `has`: the one that is called as the name
/// begins, else the first.
pub(crate) fn header_with(name: &str, has: impl Fn(&str) -> bool) -> Option<String> {
    let brings = |text: &str| FILES.iter().any(|(file, own)| text.contains(&format!("\"tp/{file}\"")) && has(own));
    let files = FILES.iter().filter(|(file, text)| *file != "kernel_api.h" && (has(text) || brings(text)));
    let all = forwarders();
    let mut paths: Vec<&str> =
        files.flat_map(|(file, _)| all.iter().filter(|to| to.to == *file)).map(|to| to.path.as_str()).collect();
    // A type is spelled in other letters than its header.
    let plain = |name: &str| name.to_ascii_lowercase().replace('_', "");
    let stem = |path: &str| plain(path.rsplit('/').next().unwrap_or(path).trim_end_matches(".h"));
    paths.sort_by_key(|path| !plain(name).starts_with(&stem(path)));
    paths.first().map(|path| path.to_string())
}

/// The paths of headers that kernels can include.
pub(crate) fn headers() -> Vec<String> {
    forwarders().into_iter().map(|forwarder| forwarder.path).collect()
}

impl Forwarder {
    /// What it says. Headers of generation 0.66 say so, unless the program has said which it is.
    fn text(&self) -> String {
        // The header of the same name below api/compute is of a later generation.
        let below = self.path.strip_prefix("tt_metal/include/").unwrap_or(&self.path);
        let is_older = below.starts_with("compute_kernel_api");
        let generation = if is_older { "#ifndef TP_API\n#define TP_API 20260122\n#endif\n" } else { "" };
        format!("#pragma once\n{generation}#include \"tp/{}\"\n", self.to)
    }
}

/// Paths and texts of all files of the shim.
fn all_files() -> Vec<(String, String)> {
    let of_operations = FILES.iter().filter(|(name, _)| name.starts_with("sfpu")).map(|(_, text)| *text);
    let generated = [
        ("abi_table.h", abi_table::header()),
        ("instructions.h", sfpu_codes::instructions()),
        ("sfpu_codes.h", sfpu_codes::header(of_operations)),
        ("sfpu_older_names.h", sfpu_codes::older_names()),
    ];
    let own = FILES.iter().map(|(name, text)| (*name, text.to_string())).chain(generated);
    let own = own.map(|(name, text)| (format!("tp/{name}"), text));
    own.chain(forwarders().into_iter().map(|forwarder| (forwarder.path.clone(), forwarder.text()))).collect()
}

/// What images are known by, beside what is the kernel's own.
fn digest(files: &[(String, String)]) -> String {
    let mut hasher = blake3::Hasher::new();
    for (path, text) in files {
        hasher.update(path.as_bytes()).update(&[0]).update(text.as_bytes()).update(&[0]);
    }
    hasher.finalize().to_hex()[..24].to_string()
}

impl Shim {
    /// The folder for `-I` in a cache.
    pub(crate) fn include(&self, cache: &Cache) -> PathBuf {
        self.root(&cache.folder).join("include")
    }

    /// The texts of its own headers, without those that only bring one.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|(path, _)| path.starts_with("tp/")).map(|(_, text)| text.as_str())
    }

    fn root(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{}", self.name, self.digest))
    }

    /// Whether it was put into a cache's folder.
    pub(crate) fn is_in(&self, folder: &Path) -> bool {
        self.root(folder).is_dir()
    }

    /// The files of it in a cache's folder that are not as they were written, or not there.
    pub(crate) fn damaged(&self, folder: &Path) -> Vec<PathBuf> {
        let include = self.root(folder).join("include");
        let files = self.files.iter();
        files.filter(|(path, text)| !holds(&include.join(path), text)).map(|(path, _)| include.join(path)).collect()
    }

    /// Writes it into a folder that nobody else has.
    pub(crate) fn put_into(&self, folder: &Path) -> io::Result<()> {
        for (path, text) in &self.files {
            let path = folder.join(path);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&path, text)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        }
        Ok(())
    }

    /// The headers of its own that kernels bring by including others.
    pub(crate) fn brought(&self) -> Vec<&'static str> {
        let mut brought: Vec<&str> = forwarders().into_iter().map(|forwarder| forwarder.to).collect();
        brought.sort_unstable();
        brought.dedup();
        brought
    }

    /// Puts the shim into a cache, as far as it is not there and whole.
    pub(crate) fn write_out(&self, cache: &Cache) -> io::Result<()> {
        let (root, include) = (self.root(&cache.folder), self.include(cache));
        let scratch = cache.scratch()?;
        if include.is_dir() {
            mark_use(&root);
            return self.mend(&include, cache, &scratch);
        }
        let fresh = scratch.file("shim");
        self.put_into(&fresh.join("include"))?;
        // Another process may have been faster: then its copy, which is the same, stays.
        match fs::rename(&fresh, &root) {
            Err(_) if include.is_dir() => Ok(()),
            moved => moved,
        }
    }

    /// Puts back what of the shim was changed or is missing, file by file, since others may read it now.
    fn mend(&self, include: &Path, cache: &Cache, scratch: &Scratch) -> io::Result<()> {
        let fresh = scratch.file("header");
        let mut mended = Vec::new();
        for (path, text) in self.files.iter().map(|(path, text)| (include.join(path), text)) {
            if holds(&path, text) {
                continue;
            }
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(&fresh, text)?;
            cache.publish(&fresh, &path)?;
            mended.push(path);
        }
        match &mended[..] {
            [] => {}
            [one] => note(&format!("cache {}: it was damaged, and is made again", one.display())),
            all => note(&format!("cache {}: {} files were damaged, and are made again", include.display(), all.len())),
        }
        Ok(())
    }

    /// Whether of the files that a compiler has read those that lie in the shim's folder are the shim's, as they are
    /// embedded. A file that is none of it is taken away.
    pub(crate) fn was_read(&self, include: &Path, inputs: &[PathBuf]) -> bool {
        let files: BTreeMap<&str, &str> =
            self.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let mut all = true;
        for (input, path) in inputs.iter().filter_map(|input| Some((input, input.strip_prefix(include).ok()?))) {
            match path.to_str().and_then(|path| files.get(path)) {
                Some(text) => all &= holds(input, text),
                None => {
                    let _ = fs::remove_file(input);
                    all = false;
                }
            }
        }
        all
    }
}

/// Whether a file of ours holds a text.
fn holds(path: &Path, text: &str) -> bool {
    read_own(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_table_of_other_functions_makes_other_images() {
        let files = all_files();
        let mut exchanged = files.clone();
        for (_, text) in exchanged.iter_mut().filter(|(path, _)| path == "tp/abi_table.h") {
            *text =
                text.replace("cb_pop_front", "@").replace("cb_push_back", "cb_pop_front").replace('@', "cb_push_back");
        }
        assert_ne!(digest(&files), digest(&exchanged));
    }

    #[test]
    fn header_paths_are_unique() {
        let paths = headers();
        let unique: BTreeSet<&String> = paths.iter().collect();
        assert_eq!(unique.len(), paths.len());
    }

    #[test]
    fn every_header_brings_one_of_the_shim() {
        for forwarder in forwarders() {
            assert!(FILES.iter().any(|(name, _)| *name == forwarder.to), "{}: {}", forwarder.path, forwarder.to);
        }
    }

    #[test]
    fn headers_of_the_older_generation_say_so() {
        let forwarders = forwarders();
        let says = |path| {
            let forwarder = forwarders.iter().find(|f| f.path == path).unwrap_or_else(|| panic!("{path}"));
            forwarder.text().contains("TP_API 20260122")
        };
        for path in
            ["compute_kernel_api.h", "compute_kernel_api/reduce.h", "tt_metal/include/compute_kernel_api/bcast.h"]
        {
            assert!(says(path), "{path}");
        }
        for path in ["api/compute/compute_kernel_api.h", "api/compute/reduce.h", "api/dataflow/dataflow_api.h"] {
            assert!(!says(path), "{path}");
        }
    }
}
