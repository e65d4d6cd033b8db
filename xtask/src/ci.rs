//! Everything that has to hold before a change goes in.
//!
//! All steps run even after one has failed, so that one run tells everything. Start at [`run`]; its last line is the count
//! of tests over all steps, each lint and wall counting as one.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::Result;

use crate::tally::{Tally, run_tests};
use crate::workspace::cargo;
use crate::{determinism, instructions, walls};

/// True if nothing failed.
pub(crate) fn run() -> Result<bool> {
    let mut total = Tally::default();
    let mut failed = Vec::new();
    let mut step = |name: &'static str, work: &dyn Fn() -> Result<Tally>| {
        println!("\n==== {name}");
        let begin = Instant::now();
        let tally = work().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            Tally { passed: 0, failed: 1 }
        });
        println!(
            "---- {name}: {} passed, {} failed, {:.0} s",
            tally.passed,
            tally.failed,
            begin.elapsed().as_secs_f64()
        );
        if tally.failed > 0 {
            failed.push(name);
        }
        total.add(tally);
    };
    step("fmt", &|| check(&["fmt", "--all", "--check"]));
    step("tidy", &walls::tally);
    step("clippy", &|| check(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]));
    step("tests", &tests);
    step("doctests", &|| run_tests(cargo_with(&["test", "--workspace", "--doc", "--quiet"])));
    step("determinism", &determinism::tally);
    step("instructions", &instructions::tally);
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
    Ok(total.failed == 0)
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

fn tests() -> Result<Tally> {
    let mut probe = cargo_with(&["nextest", "--version"]);
    let has_nextest = probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    run_tests(if has_nextest {
        cargo_with(&[
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--status-level",
            "fail",
            "--final-status-level",
            "fail",
        ])
    } else {
        cargo_with(&["test", "--workspace", "--lib", "--bins", "--tests", "--no-fail-fast"])
    })
}
