//! Where the workspace and its tools are.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

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

/// The folder for build output.
pub(crate) fn target_folder() -> PathBuf {
    let given = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    root().join(given.unwrap_or_else(|| "target".into()))
}

/// The cargo that runs this.
pub(crate) fn cargo() -> std::process::Command {
    let mut command = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The lines that an example of the crate `tileproof` prints.
pub(crate) fn example(name: &str, arguments: &[PathBuf]) -> Result<Vec<String>> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "-p", "tileproof", "--example", name, "--"]).args(arguments);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run the example {name}"))?;
    ensure!(output.status.success(), "{name} failed");
    Ok(String::from_utf8(output.stdout)?.lines().map(String::from).collect())
}
