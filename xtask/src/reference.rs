//! Writes the pages of `docs/book/reference` and the schemas of files anew, as the command prints them.
//!
//! A test of the command compares them. It must never make text of its own. Start at [`run`].

use std::process::Stdio;

use anyhow::{Result, ensure};

use crate::workspace::{cargo, root};

/// True once all are written.
pub(crate) fn run() -> Result<bool> {
    let pages = printed(&["reference"])?;
    for page in pages.lines().filter_map(|line| line.split_whitespace().next()) {
        std::fs::write(root().join(format!("docs/book/reference/{page}.md")), printed(&["reference", page])?)?;
    }
    for kind in ["program", "op"] {
        std::fs::write(root().join(format!("docs/schema/{kind}-file.json")), printed(&["schema", kind])?)?;
    }
    println!("read before you keep it: git diff docs");
    Ok(true)
}

fn printed(arguments: &[&str]) -> Result<String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "-p", "tileproof-cli", "--"]).args(arguments).stderr(Stdio::inherit());
    let output = command.output()?;
    ensure!(output.status.success(), "tileproof {}: {}", arguments.join(" "), output.status);
    Ok(String::from_utf8(output.stdout)?)
}
