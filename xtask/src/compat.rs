//! How much of the public kernels works: those of two `ttnn` wheels, compiled and run as they are.
//!
//! The wheels are installed with pip into a cache folder, once, and only when asked for; nothing of them enters the
//! repository, which holds paths and numbers alone. Start at [`run`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::{cargo, root};

/// Versions, and the generation of the kernel API that each stands for.
const WHEELS: [(&str, &str); 2] = [("0.66.0", "0.66"), ("0.79.0", "0.79")];
/// Of each generation, in per cent.
const TARGET: usize = 90;

pub(crate) fn run() -> Result<bool> {
    let folder = cache()?;
    let mut good = true;
    for (version, generation) in WHEELS {
        let wheel = wheel(&folder, version)?;
        let lines = example(
            "compile_kernels",
            &[root().join("xtask/compat/kernels.toml"), wheel.clone(), generation.into(), folder.join("build")],
        )?;
        let compiled = lines.iter().filter(|line| line.starts_with("ok ")).count();
        lines.iter().filter(|line| line.starts_with("no ")).for_each(|line| println!("  {line}"));
        println!("ttnn {version}: {compiled} of {} kernels compile; target {TARGET}%", lines.len());
        good &= compiled * 100 >= lines.len() * TARGET;

        let lines = example(
            "run_programs",
            &[root().join("xtask/compat/programs.toml"), wheel, generation.into(), folder.join("build")],
        )?;
        let right = lines.iter().filter(|line| line.starts_with("ok ")).count();
        lines.iter().filter(|line| line.starts_with("no ")).for_each(|line| println!("  {line}"));
        println!("ttnn {version}: {right} of {} programs give right results; target all", lines.len());
        good &= right == lines.len();
    }
    Ok(good)
}

/// `$XDG_CACHE_HOME/tileproof/compat`, else `~/.cache/tileproof/compat`.
fn cache() -> Result<PathBuf> {
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let folder = base.or_else(home).context("neither XDG_CACHE_HOME nor HOME is set")?.join("tileproof/compat");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The folder of a version that holds `ttnn` and `tt_metal`, downloaded and unpacked if it is not there.
fn wheel(folder: &Path, version: &str) -> Result<PathBuf> {
    let unpacked = folder.join(version);
    if !unpacked.is_dir() {
        let archives = folder.join("wheels");
        let requirement = format!("ttnn=={version}");
        // A wheel for some Linux is all that is needed: the kernels in it are text.
        let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
        let platform = ["--python-version", "3.10", "--implementation", "cp", "--platform", "manylinux_2_34_x86_64"];
        let mut pip = Command::new("python3");
        pip.args(download).args(platform).arg(&requirement).arg("--dest").arg(&archives);
        ensure!(pip.status().context("cannot run python3")?.success(), "pip download {requirement} failed");
        let prefix = format!("ttnn-{version}-");
        let archive = fs::read_dir(&archives)?
            .filter_map(Result::ok)
            .map(|entry| entry.path())
            .find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)))
            .with_context(|| format!("no wheel {prefix}* in {}", archives.display()))?;
        let fresh = folder.join(format!("{version}.{}", std::process::id()));
        let unzip = Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&archive).arg(&fresh).status()?;
        ensure!(unzip.success(), "{} cannot be unpacked", archive.display());
        fs::rename(&fresh, &unpacked)?;
    }
    Ok(unpacked.join("ttnn"))
}

/// The lines that an example of the crate `tileproof` prints.
fn example(name: &str, arguments: &[PathBuf]) -> Result<Vec<String>> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "-p", "tileproof", "--example", name, "--"]).args(arguments);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run the example {name}"))?;
    ensure!(output.status.success(), "{name} failed");
    Ok(String::from_utf8(output.stdout)?.lines().map(String::from).collect())
}
