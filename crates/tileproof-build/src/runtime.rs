//! The shim's runtime, which is linked into every image: compiled once for each compiler.
//!
//! It must never be linked in a form that somebody or something has changed since. Start at [`runtime`].

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{fs, io};

use crate::bound::mark_use;
use crate::cache::{Cache, key};
use crate::compiler::Compiler;
use crate::folder::read_own;
use crate::names;
use crate::note::note;
use crate::request::BuildError;
use crate::shim::SHIM;

/// The object file, made if it is not there or not whole; the shim is whole then too. `file` is the kernel that wants it.
pub(crate) fn runtime(cache: &Cache, compiler: &Compiler, file: &Path) -> Result<PathBuf, BuildError> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let broken = |error: io::Error| BuildError::Cache { folder: cache.folder.clone(), error };
    let mut hasher = blake3::Hasher::new();
    hasher.update(compiler.identity.as_bytes()).update(compiler.options().join("\n").as_bytes());
    hasher.update(SHIM.digest.as_bytes());
    let name = format!("runtime-{}", key(&hasher));
    let [object, digest] = ["o", "digest"].map(|extension| cache.folder.join(format!("{name}.{extension}")));
    let _turn = ONE_AT_A_TIME.lock();
    SHIM.write_out(cache).map_err(broken)?;
    if is_whole(&object, &digest) {
        mark_use(&object);
        mark_use(&digest);
        return Ok(object);
    }
    if object.is_file() && digest.is_file() {
        note(&format!("cache {}: it was damaged, and is made again", object.display()));
    }
    let scratch = cache.scratch().map_err(broken)?;
    let fresh = scratch.file("runtime.o");
    compiler
        .compile_runtime(&SHIM.include(cache), &fresh, scratch.path())
        .map_err(|text| BuildError::Compiler { file: file.to_path_buf(), text })?;
    let bytes = fs::read(&fresh).map_err(broken)?;
    let noted = scratch.file("runtime.digest");
    fs::write(&noted, blake3::hash(&bytes).to_hex().as_str()).map_err(broken)?;
    cache.publish(&fresh, &object).and_then(|()| cache.publish(&noted, &digest)).map_err(broken)?;
    Ok(object)
}

fn is_whole(object: &Path, digest: &Path) -> bool {
    let (Ok(bytes), Ok(digest)) = (read_own(object), read_own(digest)) else { return false };
    blake3::hash(&bytes).to_hex().as_bytes() == digest
}

/// The runtimes in a cache's folder that are not as they were kept.
pub(crate) fn damaged(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let is_object = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_str().is_some_and(names::of_runtime))
            && path.extension().is_some_and(|extension| extension == "o")
    };
    files.filter(is_object).filter(|path| !is_whole(path, &path.with_extension("digest"))).collect()
}
