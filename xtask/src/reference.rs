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
    for kind in ["program", "op", "sweep"] {
        std::fs::write(root().join(format!("docs/schema/{kind}-file.json")), printed(&["schema", kind])?)?;
    }
    list_codes()?;
    println!("read before you keep it: git diff docs");
    Ok(true)
}

/// Writes the codes into the summary of the book, below their page.
fn list_codes() -> Result<()> {
    const PAGE: &str = "    - [TP";
    let path = root().join("docs/SUMMARY.md");
    let summary = std::fs::read_to_string(&path)?;
    let mut codes = Vec::new();
    for entry in std::fs::read_dir(root().join("docs/explain"))? {
        let entry = entry?;
        let page = std::fs::read_to_string(entry.path())?;
        let title = page.lines().next().unwrap_or_default().trim_start_matches("# ").replace(['[', ']'], "");
        codes.push(format!("    - [{title}](explain/{})\n", entry.file_name().to_string_lossy()));
    }
    codes.sort();
    let mut text = String::new();
    for line in summary.lines().filter(|line| !line.starts_with(PAGE)) {
        text += &format!("{line}\n");
        if line.starts_with("- [Codes]") {
            text.extend(codes.iter().map(String::as_str));
        }
    }
    std::fs::write(path, text)?;
    Ok(())
}

fn printed(arguments: &[&str]) -> Result<String> {
    let mut command = cargo();
    command.args(["run", "--quiet", "-p", "tileproof-cli", "--"]).args(arguments).stderr(Stdio::inherit());
    let output = command.output()?;
    ensure!(output.status.success(), "tileproof {}: {}", arguments.join(" "), output.status);
    Ok(String::from_utf8(output.stdout)?)
}
