//! Programs of C++ kernels: the first run, the cached one, the verdict on a hang; and a build of the workspace.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::measure::{Table, json};
use crate::workspace::{cargo, root};

/// A folder that is removed at the end.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Result<Scratch> {
        let folder = std::env::temp_dir().join(format!("tileproof-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is only litter.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

pub(super) fn run(table: &mut Table, binary: &str) -> Result<()> {
    table.heading("a program of three C++ kernels, process start to exit");
    let cache = Scratch::new("cache")?;
    let program = |name: &str| root().join("examples").join("programs").join(name).join("program.toml");
    let run = |name: &str| {
        let mut command = Command::new(binary);
        // The variable that comes before all others: with another, a user's own setting would warm the cold run.
        command.arg("run").arg(program(name)).args(["--format", "json"]).env("TILEPROOF_CACHE_DIR", &cache.0);
        json(&mut command)
    };
    let first = run("add")?.whole.as_secs_f64();
    table.row("first run", first, "s", (1.2, 0.5), false);
    let mut cached = f64::INFINITY;
    for _ in 0..5 {
        cached = cached.min(run("add")?.whole.as_secs_f64());
    }
    table.row("cached", cached, "s", (0.020, 0.005), false);
    run("hang")?;
    let mut hang = f64::INFINITY;
    for _ in 0..5 {
        let run = run("hang")?;
        ensure!(run.document["status"] == "deadlock", "the hanging example does not hang");
        hang = hang.min(run.document["wall_s"].as_f64().context("no wall_s in the document")?);
    }
    table.row("verdict on a hang, from the start of the run", hang, "s", (0.010, 0.001), false);
    Ok(())
}

/// Builds the workspace from nothing.
pub(super) fn build(table: &mut Table) -> Result<()> {
    table.heading("the workspace");
    let target = Scratch::new("target")?;
    let begin = Instant::now();
    let built = cargo().args(["build", "--workspace", "--quiet"]).env("CARGO_TARGET_DIR", &target.0).status()?;
    ensure!(built.success(), "the workspace does not build");
    table.row("build from nothing", begin.elapsed().as_secs_f64() / 60.0, "min", (4.0, 2.0), false);
    Ok(())
}
