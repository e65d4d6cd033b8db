//! What of the environment a compiler heeds.
//!
//! A variable that changes what is compiled must never be missing here: it is a part of every key. Start at [`facts`].

use std::env;
use std::path::PathBuf;

/// Variables that g++, clang++, the linker and the wrappers of distributions read.
const HEEDED: &[&str] = &[
    "CCC_ADD_ARGS",
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "CONDA_BUILD_SYSROOT",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
    "LPATH",
    "NIX_CFLAGS_COMPILE",
    "NIX_CXXSTDLIB_COMPILE",
    "NIX_LDFLAGS",
    "SDKROOT",
    "SOURCE_DATE_EPOCH",
];

/// Variables that would have the compiler write what it read elsewhere than it is told.
pub const TAKEN_AWAY: [&str; 3] = ["DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "GCC_COMPARE_DEBUG"];

/// Variables with folders in which a compiler looks for its own parts, or its loader does.
pub(crate) const OF_COMPILERS: &[&str] =
    &["COMPILER_PATH", "LIBRARY_PATH", "LD_LIBRARY_PATH", "GCC_EXEC_PREFIX", "CONDA_BUILD_SYSROOT", "SDKROOT"];

/// Folders that the compiler searches for headers beside those that it is told.
const SEARCHED: &[&str] = &["CPATH", "CPLUS_INCLUDE_PATH"];

/// The variables that compilers heed, sorted.
pub fn heeded_variables() -> Vec<&'static str> {
    let mut names = [HEEDED, SEARCHED, OF_COMPILERS].concat();
    names.sort_unstable();
    names.dedup();
    names
}

/// The variables that are set, as text for a key.
pub(crate) fn facts() -> String {
    let set = HEEDED.iter().filter_map(|name| Some((name, env::var_os(name)?)));
    let mut text: String = set.map(|(name, value)| format!("{name}={value:?}\n")).collect();
    // An empty or a relative folder among them is one seen from here.
    if searched().iter().any(|folder| folder.is_relative()) {
        text += &format!("{:?}\n", env::current_dir());
    }
    text
}

/// The folders of the environment, as they are written there.
fn searched() -> Vec<PathBuf> {
    let set = SEARCHED.iter().filter_map(env::var_os).filter(|value| !value.is_empty());
    set.flat_map(|value| env::split_paths(&value).collect::<Vec<_>>()).collect()
}

/// The folders of the environment in which headers are looked for.
pub(crate) fn folders() -> Vec<PathBuf> {
    let here = env::current_dir().unwrap_or_default();
    searched().into_iter().map(|folder| here.join(folder)).collect()
}
