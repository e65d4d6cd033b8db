//! Writes what `tests/ui` expects anew, for texts that have changed on purpose.
//!
//! It judges nothing: whoever runs it reads what `git diff` shows before keeping it. Start at [`run`].

use anyhow::{Result, ensure};

use crate::workspace::{cargo, root};

const TEST: &str = "public_bugs::each_public_bug_is_found_on_the_line_to_blame_and_nothing_else_is";

/// The cases whose names begin so, or all. True if each is still told what its files say.
pub(crate) fn run(case: &str) -> Result<bool> {
    let mut folders = std::fs::read_dir(root().join("tests/ui"))?.flatten();
    ensure!(folders.any(|folder| folder.file_name().to_string_lossy().starts_with(case)), "no case begins with {case}");
    let mut command = cargo();
    command.args(["test", "--quiet", "-p", "tileproof-cli", "--test", "command", "--", "--exact", TEST]);
    let status = command.env("BLESS", "1").env("CASE", case).status()?;
    println!("\nread before you keep it: git diff tests/ui");
    Ok(status.success())
}
