//! The targets of `fuzz/` for a while, led by which code an input reaches (libFuzzer).
//!
//! It must never need another compiler than the one that is here: what `cargo fuzz` asks of a nightly one, the sanitizers, looks for
//! faults of unsafe code, and readers have none. New inputs and finds go below the folder for build output. Start at [`run`].

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::{cargo, root, target_folder};

/// Seconds that each target gets where nothing else is said.
pub(crate) const SECONDS: u64 = 60;

/// Has the compiler count which edges of the code are passed, as libFuzzer reads it (its documentation, "Fuzzer-friendly build").
const COUNTED: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";
/// What an input may take, in seconds and MiB, and how long it may be.
const LIMITS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=8192"];

/// True if no input was found that a target fails on.
pub(crate) fn run(seconds: u64) -> Result<bool> {
    let fuzz = root().join("fuzz");
    let output = target_folder().join("fuzz");
    let host = host()?;
    let mut build = cargo();
    build.args(["build", "--release", "--target", &host, "--manifest-path"]).arg(fuzz.join("Cargo.toml"));
    build.env("CARGO_TARGET_DIR", &output).env("RUSTFLAGS", COUNTED);
    if !build.status()?.success() {
        bail!("the targets do not compile");
    }
    let mut targets: Vec<String> = std::fs::read_dir(fuzz.join("seeds"))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    targets.sort();
    let mut failed = Vec::new();
    for target in targets {
        println!("\n==== {target}");
        let binary = output.join(&host).join("release").join(&target);
        if !look(&binary, &fuzz.join("seeds").join(&target), &output, &target, seconds)? {
            failed.push(target);
        }
    }
    if !failed.is_empty() {
        println!("\nfailed: {}; the inputs are in {}", failed.join(", "), output.join("found").display());
    }
    Ok(failed.is_empty())
}

/// Lets a target look; false if it found something.
fn look(binary: &Path, seeds: &Path, output: &Path, name: &str, seconds: u64) -> Result<bool> {
    let (corpus, found) = (output.join("corpus").join(name), output.join("found"));
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&found)?;
    let mut command = Command::new(binary);
    command.args(LIMITS).arg(format!("-max_total_time={seconds}")).args(["-print_final_stats=1", "-verbosity=0"]);
    command.arg(format!("-artifact_prefix={}/{name}-", found.display())).arg(corpus).arg(seeds);
    Ok(command.status().with_context(|| format!("{} cannot be run", binary.display()))?.success())
}

/// The name of this host, as the compiler calls it.
fn host() -> Result<String> {
    let told = Command::new("rustc").arg("-vV").output()?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(String::from).context("rustc does not say what host this is")
}
