//! Which crate may know which, and which outside crates are in use.
//!
//! The table is the architecture in short; changing it is a decision, written down in ARCHITECTURE.md too. Start at
//! [`TABLE`].

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::files::Files;
use crate::cargo;

/// Our crates, and those of ours that each may depend on. The order is that of the flow.
const TABLE: [(&str, &[&str]); 13] = [
    ("tileproof-numerics", &[]),
    ("tileproof-model", &["tileproof-numerics"]),
    ("tileproof-kernel", &["tileproof-model"]),
    ("tileproof-ops", &["tileproof-kernel"]),
    ("tileproof-build", &["tileproof-model"]),
    ("tileproof-sim", &["tileproof-model", "tileproof-numerics"]),
    ("tileproof-check", &["tileproof-model", "tileproof-numerics"]),
    ("tileproof-report", &["tileproof-model"]),
    (
        "tileproof",
        &[
            "tileproof-numerics",
            "tileproof-model",
            "tileproof-kernel",
            "tileproof-ops",
            "tileproof-build",
            "tileproof-sim",
            "tileproof-check",
            "tileproof-report",
        ],
    ),
    ("tileproof-cli", &["tileproof", "tileproof-report"]),
    ("tileproof-python", &["tileproof"]),
    ("tileproof-golden", &[]),
    ("xtask", &[]),
];
/// The recorded vectors serve the tests of every crate, and no crate itself.
const FOR_TESTS: &str = "tileproof-golden";

/// What cargo says of the workspace.
pub(super) fn metadata() -> Result<Value> {
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

/// Dependencies between our crates that the table does not allow, and crates that it does not have.
pub(super) fn between_crates(metadata: &Value) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().context("no packages")? {
        let name = package["name"].as_str().context("a package without a name")?;
        if !TABLE.iter().any(|(of, _)| *of == name) {
            found.push(format!("{name} is not in the table"));
        }
    }
    for dependency in dependencies(metadata)?.iter().filter(|d| d.is_ours) {
        let allowed = TABLE.iter().find(|(of, _)| *of == dependency.of).map_or(&[][..], |(_, on)| on);
        let for_tests = dependency.is_for_tests && dependency.on == FOR_TESTS;
        if !allowed.contains(&dependency.on) && !for_tests {
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
        let count = |name, on, kind| between_crates(&package(name, on, kind, ours.clone())).unwrap().len();
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
