//! Where the workspace and its tools are.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// `$XDG_CACHE_HOME/tileproof/NAME`, else `~/.cache/tileproof/NAME`: for what a chore downloads. It may not exist yet.
pub(crate) fn cache_folder(name: &str) -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    Ok(base.or_else(home).context("neither XDG_CACHE_HOME nor HOME is set")?.join("tileproof").join(name))
}

/// The cargo that runs this.
pub(crate) fn cargo() -> std::process::Command {
    let mut command = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}
