//! What tt-metal host programs in C++ are built against: headers of our own under the paths of tt-metal, and a CMake package.
//!
//! Both are embedded, and put into the cache when they are asked for. It must never hold the machine: that is the library of
//! `tileproof-host`, which the headers call. Start at [`lay_out`]; `include/headers.txt` lists the headers.

use std::io;
use std::path::{Path, PathBuf};

macro_rules! embedded {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../include/tileproof/", $name)))),*]
    };
}

/// Our own headers.
const FILES: &[(&str, &str)] = embedded![
    "accessor.hpp",
    "assert.hpp",
    "buffer.hpp",
    "cores.hpp",
    "create.hpp",
    "detail.hpp",
    "device.hpp",
    "difference.hpp",
    "door.hpp",
    "enums.hpp",
    "fmt.hpp",
    "global_semaphore.hpp",
    "host.hpp",
    "mesh.hpp",
    "mesh_coord.hpp",
    "numbers.hpp",
    "profiler.hpp",
    "program.hpp",
    "queues.hpp",
    "run.hpp",
    "stl.hpp",
    "tiles.hpp",
    "types.hpp",
    "verdict.hpp",
    "work_split.hpp",
    "ttnn/compute_kernel_config.hpp",
    "ttnn/device_operation.hpp",
    "ttnn/elements.hpp",
    "ttnn/fields.hpp",
    "ttnn/hash.hpp",
    "ttnn/memory_config.hpp",
    "ttnn/operations.hpp",
    "ttnn/register_operation.hpp",
    "ttnn/several_chips.hpp",
    "ttnn/shape.hpp",
    "ttnn/tensor.hpp",
    "ttnn/tensor_spec.hpp",
    "ttnn/ttnn.hpp",
];

/// The headers that host programs name; the file says how to read it.
const HEADERS: &str = include_str!("../include/headers.txt");

/// The CMake package.
const PACKAGE: &str = include_str!("../cmake/tt-metalium-config.cmake");

/// The name of the library's file.
pub const LIBRARY: &str = "libtileproof_host.so";

/// What headers and library must agree on: a digest of the functions and structs between them.
pub fn interface() -> String {
    let door = FILES.iter().find(|(name, _)| *name == "door.hpp").map_or("", |(_, text)| text);
    // FNV-1a, which needs nothing.
    let digest = door
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{digest:016x}")
}

/// The package, laid out.
pub struct Sdk {
    /// The folder for `CMAKE_PREFIX_PATH`.
    pub prefix: PathBuf,
}

impl Sdk {
    /// The folder for `-isystem`.
    pub fn include(&self) -> PathBuf {
        self.prefix.join("include")
    }

    /// What a compiler needs: where the headers are, and to be as lenient with sizes as the CMake package has it be.
    pub fn compile_flags(&self) -> [String; 4] {
        let include = self.include().display().to_string();
        ["-std=c++20".to_string(), "-Wno-narrowing".to_string(), "-isystem".to_string(), include]
    }

    /// The folder for `TT-Metalium_DIR`.
    pub fn cmake(&self) -> PathBuf {
        self.prefix.join("lib/cmake/tt-metalium")
    }
}

/// Puts headers and package into the cache, for programs that are linked with `library`.
///
/// # Errors
/// If the cache cannot be used.
pub fn lay_out(library: &Path) -> io::Result<Sdk> {
    let prefix = tileproof_build::lay_out("sdk", files(library))?;
    Ok(Sdk { prefix })
}

fn files(library: &Path) -> Vec<(String, String)> {
    let own = FILES.iter().map(|(name, text)| (format!("include/tileproof/{name}"), (*text).to_string()));
    let interface = format!("#pragma once\n#define TP_HOST_INTERFACE \"{}\"\n", interface());
    let package = PACKAGE.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    let package = package.replace("@LIBRARY@", &bracketed(&library.display().to_string()));
    let generated = [
        ("include/tileproof/interface.hpp".to_string(), interface),
        ("lib/cmake/tt-metalium/tt-metalium-config.cmake".to_string(), package),
    ];
    own.chain(generated).chain(forwarders()).collect()
}

/// A text as a bracket argument of CMake, where nothing stands for anything else, with as many `=` as end at no bracket of its own.
fn bracketed(text: &str) -> String {
    let mut equals = String::new();
    while format!("{text}]").contains(&format!("]{equals}]")) {
        equals.push('=');
    }
    format!("[{equals}[{text}]{equals}]")
}

/// The headers that only bring one of ours.
fn forwarders() -> Vec<(String, String)> {
    let mut section = "";
    let mut forwarders = Vec::new();
    for line in HEADERS.lines().filter(|line| !line.starts_with('#')) {
        if line == "2024" || line == "ttnn" {
            section = line;
            continue;
        }
        let all = if section == "ttnn" { "tileproof/ttnn/ttnn.hpp" } else { "tileproof/host.hpp" };
        let (path, to) = line.split_once(' ').unwrap_or((line, all));
        let generation = if section == "2024" { "#ifndef TP_HOST_2024\n#define TP_HOST_2024\n#endif\n" } else { "" };
        forwarders.push((format!("include/{path}"), format!("#pragma once\n{generation}#include <{to}>\n")));
    }
    forwarders
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_header_is_there_once_and_brings_one_that_is_there() {
        let files = files(Path::new("/lib.so"));
        let paths: BTreeSet<&String> = files.iter().map(|(path, _)| path).collect();
        assert_eq!(paths.len(), files.len());
        for (path, text) in &files {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include ")) {
                let name = line.trim_matches(['<', '>', '"']);
                let folder = Path::new(path).parent().unwrap();
                let beside = match name.strip_prefix("../") {
                    Some(above) => folder.parent().unwrap().join(above),
                    None => folder.join(name),
                };
                let beside = beside.display().to_string();
                let is_ours = line.starts_with('"') || name.starts_with("tileproof/") || name.starts_with("fmt/");
                let is_there = paths.contains(&format!("include/{name}")) || paths.contains(&beside);
                assert!(!is_ours || is_there, "{path}: {line}");
            }
        }
    }

    #[test]
    fn the_path_of_the_library_stays_as_it_is() {
        for (path, argument) in [
            ("/a b/${c}/\"d\\e\".so", "[[/a b/${c}/\"d\\e\".so]]"),
            ("/a[[b]].so", "[=[/a[[b]].so]=]"),
            ("/a]=", "[[/a]=]]"),
            ("/a]]=]", "[==[/a]]=]]==]"),
        ] {
            let files = files(Path::new(path));
            let (_, package) = files.iter().find(|(name, _)| name.ends_with(".cmake")).unwrap();
            assert!(package.contains(&format!("IMPORTED_LOCATION {argument}\n")), "{path}: {package}");
        }
    }

    #[test]
    fn every_file_of_the_folder_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/tileproof");
        let files = |within: &Path, before: &str| -> Vec<String> {
            let all = std::fs::read_dir(within).unwrap().map(Result::unwrap);
            all.filter(|file| file.path().is_file())
                .map(|file| format!("{before}{}", file.file_name().to_str().unwrap()))
                .collect()
        };
        let there: BTreeSet<String> =
            files(&folder, "").into_iter().chain(files(&folder.join("ttnn"), "ttnn/")).collect();
        let embedded: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_string()).collect();
        assert_eq!(there, embedded);
    }
}
