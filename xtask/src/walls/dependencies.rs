//! Which crate may know which, and which outside crates are in use.
//!
//! The table is the one of ARCHITECTURE.md, which is read here: changing it is a decision, and this is where it is written
//! down. Start at [`between_crates`].

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::files::Files;
use crate::workspace::cargo;

/// The head of the table in ARCHITECTURE.md.
const HEAD: &str = "| crate | one line | may depend on |";
/// The library, after which the other crates are named.
const PROJECT: &str = "tileproof";
/// The recorded vectors serve the tests of every crate, and no crate itself.
const FOR_TESTS: &str = "tileproof-golden";

/// What cargo says of the workspace.
pub(crate) fn metadata() -> Result<Value> {
    let output = cargo().args(["metadata", "--no-deps", "--format-version", "1"]).output()?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(serde_json::from_slice(&output.stdout)?)
}

struct Dependency<'a> {
    of: &'a str,
    on: &'a str,
    is_ours: bool,
    is_for_tests: bool,
}

fn dependencies(metadata: &Value) -> Result<Vec<Dependency<'_>>> {
    let mut all = Vec::new();
    for package in metadata["packages"].as_array().context("no packages")? {
        let of = package["name"].as_str().context("a package without a name")?;
        for dependency in package["dependencies"].as_array().context("no dependencies")? {
            all.push(Dependency {
                of,
                on: dependency["name"].as_str().context("a dependency without a name")?,
                is_ours: dependency["path"].is_string(),
                is_for_tests: dependency["kind"] == "dev",
            });
        }
    }
    Ok(all)
}

/// Our crates in the order of the flow, and those of ours that each may depend on.
fn table(architecture: &str) -> Result<Vec<(String, Vec<String>)>> {
    let (_, after) = architecture.split_once(HEAD).with_context(|| format!("ARCHITECTURE.md lacks {HEAD:?}"))?;
    let mut table: Vec<(String, Vec<String>)> = Vec::new();
    // Behind the head and the line below it.
    for line in after.lines().skip(2).take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, on] = cells[..] else { bail!("a row of the table has not three cells: {line}") };
        let on = match on {
            "nothing of ours" => Vec::new(),
            "all of the above" => table.iter().map(|(name, _)| name.clone()).collect(),
            // The library has the name of the project; the others are named after it.
            list => {
                list.split(", ").map(|on| if on == PROJECT { on.into() } else { format!("{PROJECT}-{on}") }).collect()
            }
        };
        table.push((name.trim_matches('`').to_string(), on));
    }
    Ok(table)
}

/// Dependencies between our crates that the table does not allow, and crates that it does not have.
pub(super) fn between_crates(metadata: &Value, files: &Files) -> Result<Vec<String>> {
    let table = table(&files.get("ARCHITECTURE.md").context("there is no ARCHITECTURE.md")?.text)?;
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().context("no packages")? {
        let name = package["name"].as_str().context("a package without a name")?;
        if !table.iter().any(|(of, _)| of == name) {
            found.push(format!("{name} is not in the table"));
        }
    }
    for dependency in dependencies(metadata)?.iter().filter(|d| d.is_ours) {
        let row = table.iter().find(|(of, _)| of == dependency.of);
        let is_allowed = row.is_some_and(|(_, on)| on.iter().any(|on| on == dependency.on));
        let for_tests = dependency.is_for_tests && dependency.on == FOR_TESTS;
        if !is_allowed && !for_tests {
            found.push(format!("{} must not know {}", dependency.of, dependency.on));
        }
    }
    Ok(found)
}

/// Outside crates that ARCHITECTURE.md gives no reason for.
pub(super) fn outside(metadata: &Value, files: &Files) -> Result<Vec<String>> {
    let architecture = files.get("ARCHITECTURE.md").context("there is no ARCHITECTURE.md")?;
    let mut found = Vec::new();
    for dependency in dependencies(metadata)?.iter().filter(|d| !d.is_ours) {
        if !architecture.text.contains(&format!("`{}`", dependency.on)) {
            found.push(format!("{} uses {}, which ARCHITECTURE.md does not name", dependency.of, dependency.on));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::files::File;
    use super::*;

    fn package(name: &str, on: &str, kind: Value, path: Value) -> Value {
        serde_json::json!({"packages": [
            {"name": name, "dependencies": [{"name": on, "kind": kind, "path": path}]}
        ]})
    }

    #[test]
    fn a_stage_that_knows_another_stage_is_a_breach() {
        let ours = Value::from("somewhere");
        let text = format!(
            "{HEAD}\n|---|---|---|\n| `tileproof-model` | x | nothing of ours |\n| `tileproof-check` | x | model |\n\
             | `tileproof-sim` | x | model |\n| `tileproof` | x | all of the above |\n| `tileproof-cli` | x | tileproof |\n"
        );
        let files = Files(vec![File::new("ARCHITECTURE.md", text)]);
        let count = |name, on, kind| between_crates(&package(name, on, kind, ours.clone()), &files).unwrap().len();
        assert_eq!(count("tileproof", "tileproof-sim", Value::Null), 0);
        assert_eq!(count("tileproof-cli", "tileproof", Value::Null), 0);
        assert_eq!(count("tileproof-cli", "tileproof-sim", Value::Null), 1);
        assert_eq!(count("tileproof-check", "tileproof-sim", Value::Null), 1);
        assert_eq!(count("tileproof-check", "tileproof-model", Value::Null), 0);
        assert_eq!(count("tileproof-sim", "tileproof-golden", "dev".into()), 0);
        assert_eq!(count("tileproof-sim", "tileproof-golden", Value::Null), 1);
        assert_eq!(count("tileproof-new", "tileproof-model", Value::Null), 2);
    }

    #[test]
    fn an_outside_crate_without_a_reason_is_a_breach() {
        let files = Files(vec![File::new("ARCHITECTURE.md", "| `serde` | records |")]);
        let count = |on| outside(&package("xtask", on, Value::Null, Value::Null), &files).unwrap().len();
        assert_eq!(count("serde"), 0);
        assert_eq!(count("left-pad"), 1);
    }
}
