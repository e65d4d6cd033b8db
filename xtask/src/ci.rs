//! Everything that has to hold before a change goes in, and the part of it for the inner loop.
//!
//! All steps run even after one has failed, so that one run tells everything. Start at [`run`]; its last line is the count
//! of tests over all steps, each lint and wall counting as one.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::tally::{Tally, run_tests};
use crate::workspace::cargo;
use crate::{determinism, instructions, walls};

/// How much is to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Whole,
    /// What needs neither a C++ compiler nor a release build.
    Quick,
}

/// Targets of the quick scope: unit tests, and the test crates whose kernels are in Rust.
const QUICK: &[&str] = &["--lib", "--bins", "--test", "checks", "--test", "machine", "--test", "texts"];

/// True if nothing failed.
pub(crate) fn run(scope: Scope) -> Result<bool> {
    let mut total = Tally::default();
    let mut failed = Vec::new();
    let mut step = |name: &'static str, work: &dyn Fn() -> Result<Tally>| {
        println!("\n==== {name}");
        let (begin, cpu) = (Instant::now(), cpu_seconds());
        let tally = work().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Tally { passed: 0, failed: 1 }
        });
        let cpu = cpu_seconds().zip(cpu).map_or(String::new(), |(end, begin)| format!(", {:.0} s of CPU", end - begin));
        let wall = begin.elapsed().as_secs_f64();
        println!("---- {name}: {} passed, {} failed, {wall:.0} s{cpu}", tally.passed, tally.failed);
        if tally.failed > 0 {
            failed.push(name);
        }
        total.add(tally);
    };
    step("fmt", &|| check(&["fmt", "--all", "--check"]));
    step("tidy", &walls::tally);
    // With what the wheel has beside the command; what it has in its place the tests compile.
    let features = ["--features", "tileproof-cli/mcp"];
    let clippy =
        [&["clippy", "--workspace", "--all-targets", "--quiet"][..], &features, &["--", "-D", "warnings"]].concat();
    step("clippy", &|| check(&clippy));
    step("tests", &|| tests(scope));
    if scope == Scope::Whole {
        step("doctests", &doctests);
        step("determinism", &determinism::tally);
        step("instructions", &instructions::tally);
    }
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    Ok(total.failed == 0)
}

/// Processor time of all commands that have ended, where the system tells it: what a step costs on a machine that others
/// load too.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in brackets: state is field 3, time of children in user and system mode fields 16 and 17, in ticks of
    // 10 ms.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some((ticks(16)? + ticks(17)?) as f64 / 100.0)
}

fn cargo_with(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments);
    command
}

/// A command that counts as one check.
fn check(arguments: &[&str]) -> Result<Tally> {
    Ok(Tally::check(cargo_with(arguments).status()?.success()))
}

/// Of the crates that have examples: cargo would have rustdoc read those with `doctest = false` as well.
fn doctests() -> Result<Tally> {
    let mut command = cargo_with(&["test", "--doc", "--quiet"]);
    let metadata = walls::metadata()?;
    let packages = metadata["packages"].as_array().context("no packages")?;
    let has_examples = |package: &&Value| {
        let mut targets = package["targets"].as_array().into_iter().flatten();
        targets.any(|target| target["doctest"] == true)
    };
    for name in packages.iter().filter(has_examples).filter_map(|package| package["name"].as_str()) {
        command.args(["-p", name]);
    }
    run_tests(command)
}

fn tests(scope: Scope) -> Result<Tally> {
    let mut probe = cargo_with(&["nextest", "--version"]);
    let has_nextest = probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    let mut command = match has_nextest {
        true => cargo_with(&["nextest", "run", "--status-level", "fail", "--final-status-level", "fail"]),
        false => cargo_with(&["test"]),
    };
    command.args(["--workspace", "--no-fail-fast"]);
    command.args(match (scope, has_nextest) {
        (Scope::Quick, _) => QUICK,
        (Scope::Whole, true) => &[],
        // Documentation tests are a step of their own.
        (Scope::Whole, false) => &["--lib", "--bins", "--tests"],
    });
    run_tests(command)
}

#[cfg(test)]
mod tests {
    use super::cpu_seconds;

    #[test]
    #[cfg(target_os = "linux")]
    fn the_time_of_a_command_that_ended_is_counted() {
        let before = cpu_seconds().unwrap();
        let loops = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        assert!(std::process::Command::new("sh").args(["-c", loops]).status().unwrap().success());
        assert!(cpu_seconds().unwrap() > before);
    }
}
