//! The same command twice, in a debug and a release build: the JSON must be the same in every byte but `wall_s`.
//!
//! It compares runs with one another and knows no right answer. Start at [`tally`]. A difference between builds, or between
//! numbers of host threads, means that something of the host has crept into a result.

use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::tally::Tally;
use crate::workspace::cargo;

/// Small, but with a width that is no multiple of 32 and more than one core; both paths.
const COMMANDS: [&[&str]; 4] = [
    &["layernorm", "backward", "--shape", "1,1,100,70", "--path", "l1", "--format", "json"],
    &["layernorm", "backward", "--shape", "2,1,40,200", "--path", "block", "--dtype", "fp32", "--format", "json"],
    &["layernorm", "forward", "--shape", "1,1,100,70", "--format", "json"],
    &["layernorm", "forward", "--shape", "2,3,33,200", "--dtype", "fp32", "--format", "json"],
];

pub(crate) fn tally() -> Result<Tally> {
    let debug = binary("dev")?;
    let release = binary("release")?;
    let mut tally = Tally::default();
    for command in COMMANDS {
        let first = document(&debug, command, "1")?;
        for (name, build, threads) in
            [("debug again", &debug, "1"), ("release", &release, "1"), ("release, 2 threads", &release, "2")]
        {
            let other = document(build, command, threads)?;
            let same = first == other;
            println!("{} {}: {}", if same { "same   " } else { "DIFFERS" }, command.join(" "), name);
            tally.add(Tally::check(same));
        }
        let mut unchecked = command.to_vec();
        unchecked.extend(["--checks", "none"]);
        let other = document(&release, &unchecked, "2")?;
        let same = outcome(&first)? == outcome(&other)?;
        println!(
            "{} {}: outputs and cycles without checks",
            if same { "same   " } else { "DIFFERS" },
            command.join(" ")
        );
        tally.add(Tally::check(same));
    }
    Ok(tally)
}

/// Builds `tileproof` and returns its path.
pub(crate) fn binary(profile: &str) -> Result<String> {
    let output = cargo()
        .args(["build", "--quiet", "-p", "tileproof-cli", "--profile", profile])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(std::process::Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "tileproof-cli does not build");
    let messages = String::from_utf8(output.stdout)?;
    let mut executables = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(str::to_string)
    });
    executables.next_back().context("tileproof-cli has no binary")
}

/// The document of a command, without the time that it took.
fn document(binary: &str, arguments: &[&str], threads: &str) -> Result<Vec<u8>> {
    let output = Command::new(binary).args(arguments).args(["--threads", threads]).output()?;
    let code = output.status.code();
    // 1 means findings or a missed tolerance: still a document to compare.
    if !matches!(code, Some(0 | 1)) {
        bail!("{arguments:?}: exit code {code:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    without_wall(&output.stdout)
}

/// What checks must not change.
fn outcome(json: &[u8]) -> Result<(Value, Value)> {
    let document: Value = serde_json::from_slice(json)?;
    let field = |name: &str| document.get(name).cloned().with_context(|| format!("no {name} in the document"));
    Ok((field("outputs")?, field("cycles")?))
}

/// Blanks the only field that may differ; all other bytes stay.
fn without_wall(json: &[u8]) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(json)?;
    let value: Value = serde_json::from_str(text)?;
    let wall = value.get("wall_s").context("no wall_s in the document")?;
    ensure!(wall.is_number(), "wall_s is not a number");
    let at = text.find("\"wall_s\"").context("no wall_s in the document")?;
    let end = text[at..].find(['\n', ',', '}']).map_or(text.len(), |n| at + n);
    Ok([&json[..at], b"\"wall_s\": null", &json[end..]].concat())
}

#[cfg(test)]
mod tests {
    use super::without_wall;

    #[test]
    fn only_the_wall_time_may_differ() {
        let a = without_wall(b"{\n  \"cycles\": 7,\n  \"wall_s\": 0.25,\n  \"pass\": true\n}").unwrap();
        let b = without_wall(b"{\n  \"cycles\": 7,\n  \"wall_s\": 1.5e-3,\n  \"pass\": true\n}").unwrap();
        let c = without_wall(b"{\n  \"cycles\": 8,\n  \"wall_s\": 0.25,\n  \"pass\": true\n}").unwrap();
        assert_eq!(a, b);
        assert_ne!(a, c);
    }

    #[test]
    fn a_document_without_a_time_is_refused() {
        assert!(without_wall(b"{\"cycles\": 7}").is_err());
        assert!(without_wall(b"not json").is_err());
    }
}
