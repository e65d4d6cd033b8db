//! Which file of a folder is which kernel.

use std::fs;
use std::path::{Path, PathBuf};

use tileproof::kernel_folder::{KernelFolder, KernelFolderError};

/// An empty folder with empty files in it.
fn folder(name: &str, files: &[&str]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel-folder").join(name);
    let _ = fs::remove_dir_all(&folder);
    for file in files {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    folder
}

#[test]
fn the_role_is_in_the_name_of_the_file_or_of_its_folder() {
    let at = folder(
        "public",
        &["compute/layernorm_bw_kernel.cpp", "dataflow/reader_bw.cpp", "dataflow/writer_bw.cpp", "dataflow/fill.hpp"],
    );
    let found = KernelFolder::find(&at).unwrap();
    assert_eq!(found.compute, at.join("compute/layernorm_bw_kernel.cpp"));
    assert_eq!(found.reader, at.join("dataflow/reader_bw.cpp"));
    assert_eq!(found.writer, at.join("dataflow/writer_bw.cpp"));
}

#[test]
fn a_missing_and_a_doubled_role_are_named() {
    let missing = KernelFolder::find(&folder("missing", &["reader.cpp", "writer.cpp"])).unwrap_err();
    assert!(missing.to_string().contains("no compute kernel"), "{missing}");
    let twice = folder("twice", &["reader.cpp", "writer.cpp", "compute.cpp", "compute/other.cpp"]);
    let twice = KernelFolder::find(&twice).unwrap_err();
    assert!(twice.to_string().contains("both look like the compute kernel"), "{twice}");
    assert!(matches!(KernelFolder::find(Path::new("no/such/folder")), Err(KernelFolderError::Read { .. })));
}

#[test]
fn the_kernels_of_a_second_program_are_those_of_a_folder_finish() {
    let first = ["reader.cpp", "compute.cpp", "writer.cpp"];
    let at = folder("both", &[first, ["finish/reader.cpp", "finish/compute.cpp", "finish/writer.cpp"]].concat());
    let found = KernelFolder::find(&at).unwrap();
    assert_eq!(found.compute, at.join("compute.cpp"));
    assert_eq!(found.finish.map(|finish| finish.compute), Some(at.join("finish/compute.cpp")));
    assert_eq!(KernelFolder::find(&folder("one", &first)).unwrap().finish, None);
    let short = folder("short", &["reader.cpp", "compute.cpp", "writer.cpp", "finish/compute.cpp"]);
    let error = KernelFolder::find(&short).unwrap_err().to_string();
    assert!(error.contains("finish: no reader kernel"), "{error}");
}
