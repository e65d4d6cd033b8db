//! Outside crates have the same features whatever is built, or all crates of ours are compiled once more for it.
//!
//! It compares what cargo resolves and builds nothing. Start at [`breaches`]; `tileproof-features` asks for what differs.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use crate::workspace::cargo;

/// What is built beside the command, which comes first.
const SELECTIONS: [&[&str]; 4] = [
    &["-p", "tileproof-cli", "-e", "normal,build"],
    &["-p", "tileproof-python", "--features", "mcp", "-e", "normal,build"],
    &["-p", "tileproof", "-e", "normal,build,dev"],
    &["--workspace", "-e", "normal,build,dev"],
];

/// Crates of the command that another selection has with other features alone.
pub(super) fn breaches() -> Result<Vec<String>> {
    let [command, others @ ..] = SELECTIONS;
    let command = tree(command)?;
    let mut found = Vec::new();
    for selection in others {
        let crates = by_name(&tree(selection)?);
        found.extend(differing(&command, &crates).map(|line| format!("{line}, but with {}", selection.join(" "))));
    }
    Ok(found)
}

/// Lines `NAME VERSION [FEATURES]`.
fn tree(selection: &[&str]) -> Result<String> {
    let output =
        cargo().args(["tree", "--prefix", "none", "--no-dedupe", "-f", "{p} [{f}]"]).args(selection).output()?;
    ensure!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?)
}

fn name(line: &str) -> &str {
    line.match_indices(' ').nth(1).map_or(line, |(at, _)| &line[..at])
}

/// One that is part of macros and of a program has two lines.
fn by_name(tree: &str) -> BTreeMap<String, Vec<String>> {
    let mut crates: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in tree.lines() {
        let lines = crates.entry(name(line).to_string()).or_default();
        if !lines.iter().any(|known| known == line) {
            lines.push(line.to_string());
        }
    }
    crates
}

/// Lines of outside crates that others have as well, and none of whose is the same.
fn differing<'a>(tree: &'a str, others: &'a BTreeMap<String, Vec<String>>) -> impl Iterator<Item = &'a str> {
    let mut lines: Vec<&str> = tree.lines().filter(|line| !line.starts_with("tileproof")).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.into_iter().filter(|line| others.get(name(line)).is_some_and(|own| own.iter().all(|other| other != line)))
}

#[cfg(test)]
mod tests {
    use super::{by_name, differing};

    #[test]
    fn a_crate_with_other_features_elsewhere_is_a_breach() {
        let command =
            "tileproof v0.1.0 (here) []\nserde v1.0.1 [std]\nmemchr v2.8.3 [std]\nsyn v3.0.1 (proc-macro) [full]\n";
        let found = |others| differing(command, &by_name(others)).count();
        assert_eq!(
            found(
                "serde v1.0.1 [std]\nserde v2.0.0 [rc]\nsyn v3.0.1 (proc-macro) [visit]\nsyn v3.0.1 (proc-macro) [full]\n"
            ),
            0
        );
        assert_eq!(found("tileproof v0.1.0 (here) [other]\n"), 0);
        assert_eq!(found("serde v1.0.1 [std,rc]\nmemchr v2.8.3 [std]\n"), 1);
    }
}
