//! The shim headers: embedded in the program, written out to the cache once.
//!
//! A header of the kernel API is a one-line file at the device's path that includes the shim; what an API header declares
//! beyond its own area must do no harm. `shim/headers.txt` lists them. Start at [`Shim::write_out`].

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::{abi_table, sfpu_codes};

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../shim/tp/", $name)))),*]
    };
}

const FILES: &[(&str, &str)] = embedded![
    "abi.h",
    "arguments.h",
    "bindings.h",
    "buffer_objects.h",
    "circular_buffer.h",
    "compute.h",
    "copies.h",
    "dataflow.h",
    "dprint.h",
    "endpoints.h",
    "fpu.h",
    "kernel_api.h",
    "l1_access.h",
    "l1_memory.h",
    "llk.h",
    "noc.h",
    "noc_objects.h",
    "noc_state.h",
    "objects.h",
    "pack.h",
    "prefix.h",
    "runtime.cpp",
    "semaphore_objects.h",
    "sfpu.h",
    "sfpu_tiles.h",
    "startup.h",
    "tensor_accessor.h",
    "types.h",
    "unmodelled.h",
    "unmodelled_dataflow.h",
    "unmodelled_names.h",
    "unmodelled_sockets.h",
];

/// The headers that kernels can include; `shim/headers.txt` says how to read it.
const HEADERS: &str = include_str!("../shim/headers.txt");

/// Folders that have had the headers of compute kernels and of debugging aids: of compute kernels, the first since generation 0.68.
const FOLDERS: [(&str, &[&str]); 2] = [
    ("<compute>", &["api/compute", "compute_kernel_api", "tt_metal/include/compute_kernel_api"]),
    ("<debug>", &["debug", "api/debug"]),
];

/// The shim on disk.
pub(crate) struct Shim {
    /// Folder for `-I`.
    pub(crate) include: PathBuf,
    /// Digest of all of it.
    pub(crate) digest: String,
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
        let generation = if is_older { "#ifndef TP_GENERATION\n#define TP_GENERATION 66\n#endif\n" } else { "" };
        format!("#pragma once\n{generation}#include \"tp/{}\"\n", self.to)
    }
}

/// Paths and texts of all files of the shim.
fn all_files() -> Vec<(String, String)> {
    let of_operations = FILES.iter().filter(|(name, _)| name.starts_with("sfpu")).map(|(_, text)| *text);
    let generated = [
        ("abi_table.h", abi_table::header()),
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
    /// Puts the shim into `folder`, unless it is there.
    pub(crate) fn write_out(folder: &Path) -> io::Result<Shim> {
        let files = all_files();
        let digest = digest(&files);
        let root = folder.join(format!("shim-{digest}"));
        let include = root.join("include");
        if !include.is_dir() {
            let fresh = folder.join(format!("shim-{digest}.{}.{:?}", std::process::id(), std::thread::current().id()));
            for (path, text) in &files {
                let path = fresh.join("include").join(path);
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(path, text)?;
            }
            // Another process may have been faster: then its copy, which is the same, stays.
            if fs::rename(&fresh, &root).is_err() {
                let _ = fs::remove_dir_all(&fresh);
            }
        }
        Ok(Shim { include, digest })
    }
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
            forwarder.text().contains("TP_GENERATION 66")
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
