//! How much of the public kernels works: those of two `ttnn` wheels, compiled and run as they are.
//!
//! The wheels are installed with pip into a cache folder, once, and only when asked for; nothing of them enters the
//! repository, which holds paths and numbers alone. Start at [`run`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::workspace::{cache_folder, example, root};

/// Versions, and the generation of the kernel API that each stands for.
const WHEELS: [(&str, &str); 2] = [("0.66.0", "0.66"), ("0.79.0", "0.79")];
/// The generation whose LayerNorm is looked at by itself.
const LAYER_NORM: &str = "0.79";
/// Of each generation, in per cent.
const TARGET: usize = 90;

/// Runs tt-train's LayerNorm backward kernels of a checkout of tt-metal on the recorded cases.
pub(crate) fn run_checkout(checkout: &Path) -> Result<bool> {
    const KERNELS: &str = "tt-train/sources/ttml/metal/ops/layernorm_bw";
    let has_kernels = checkout.join(KERNELS).is_dir();
    ensure!(has_kernels, "--tt-metal {}: there is no {KERNELS} in it", checkout.display());
    let cache = cache_folder("compat")?.join("build");
    let lines = example("tt_train", &[std::path::absolute(checkout)?, cache])?;
    lines.iter().for_each(|line| println!("  {line}"));
    let recorded = lines.iter().filter(|line| line.starts_with("ok ")).count();
    println!("layernorm_bw of tt-train: {recorded} of {} cases give recorded bits; target all", lines.len());
    Ok(recorded == lines.len())
}

/// Runs LayerNorm of the wheel with a Dst of 16 bits and of 32 on rows with a mean: docs/numerics/layer_norm_16bit.md.
pub(crate) fn run_layer_norm() -> Result<bool> {
    let folder = cache_folder("compat")?;
    fs::create_dir_all(&folder)?;
    let version = WHEELS.iter().find(|(_, generation)| *generation == LAYER_NORM).context("no wheel of LayerNorm")?.0;
    layer_norm(&wheel(&folder, version)?, &folder)
}

fn layer_norm(wheel: &Path, folder: &Path) -> Result<bool> {
    let programs = root().join("xtask/compat/programs");
    let lines = example("layer_norm_16bit", &[programs, wheel.to_path_buf(), folder.join("build")])?;
    lines.iter().for_each(|line| println!("  {line}"));
    let claims = lines.iter().filter(|line| line.starts_with("ok ") || line.starts_with("no ")).count();
    let hold = lines.iter().filter(|line| line.starts_with("ok ")).count();
    let page = fs::read_to_string(root().join("docs/numerics/layer_norm_16bit.md"))?.replace("**", "");
    let rows: Vec<&String> = lines.iter().filter(|line| line.starts_with('|')).collect();
    let on_the_page = rows.iter().filter(|row| page.contains(row.as_str())).count();
    println!(
        "layer norm with a Dst of 16 bits: {hold} of {claims} claims hold, {on_the_page} of {} rows are those of its page; target all",
        rows.len()
    );
    Ok(claims > 0 && hold == claims && on_the_page == rows.len())
}

pub(crate) fn run() -> Result<bool> {
    let folder = cache_folder("compat")?;
    fs::create_dir_all(&folder)?;
    let mut good = true;
    for (version, generation) in WHEELS {
        let wheel = wheel(&folder, version)?;
        let lines = example(
            "compile_kernels",
            &[root().join("xtask/compat/kernels.toml"), wheel.clone(), generation.into(), folder.join("build")],
        )?;
        let (compiled, listed) = count(&lines, "kernels.toml", generation)?;
        let all = kernels_of(&wheel.join("ttnn/cpp/ttnn"), false)?;
        println!("ttnn {version}: {compiled} of {listed} kernels (of {all} in the wheel) compile; target {TARGET}%");
        good &= compiled * 100 >= listed * TARGET;

        let lines = example(
            "run_programs",
            &[root().join("xtask/compat/programs.toml"), wheel.clone(), generation.into(), folder.join("build")],
        )?;
        let (right, listed) = count(&lines, "programs.toml", generation)?;
        println!("ttnn {version}: {right} of {listed} programs give right results; target all");
        good &= right == listed;
        if generation == LAYER_NORM {
            good &= layer_norm(&wheel, &folder)?;
        }
    }
    Ok(good)
}

/// How many lines say that it went well, of how many; those that do not are printed. A list without entries for a generation
/// proves nothing and is an error.
fn count(lines: &[String], list: &str, generation: &str) -> Result<(usize, usize)> {
    ensure!(!lines.is_empty(), "xtask/compat/{list} has nothing for generation {generation}");
    lines.iter().filter(|line| line.starts_with("no ")).for_each(|line| println!("  {line}"));
    Ok((lines.iter().filter(|line| line.starts_with("ok ")).count(), lines.len()))
}

/// Source files of kernels below a folder: those in a folder whose name begins with `kernel`.
fn kernels_of(folder: &Path, inside: bool) -> Result<usize> {
    let mut found = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            found += kernels_of(&path, inside || name.starts_with("kernel"))?;
        } else if inside && name.ends_with(".cpp") {
            found += 1;
        }
    }
    Ok(found)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_list_is_an_error_and_lines_are_counted() {
        assert!(count(&[], "kernels.toml", "0.79").unwrap_err().to_string().contains("nothing for generation 0.79"));
        let lines = ["ok a.cpp", "no b.cpp: why", "ok c.cpp"].map(String::from);
        assert_eq!(count(&lines, "kernels.toml", "0.79").unwrap(), (2, 3));
    }
}
