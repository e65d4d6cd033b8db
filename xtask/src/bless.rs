//! Writes what `tests/ui` expects anew, for texts that have changed on purpose.
//!
//! It judges nothing: whoever runs it reads what `git diff` shows before keeping it. Start at [`run`].

use anyhow::Result;

use crate::workspace::cargo;

const TEST: &str = "public_bugs::each_public_bug_is_found_on_the_line_to_blame_and_nothing_else_is";

/// The cases whose names begin so, or all. True if each is still told what its files say.
pub(crate) fn run(case: &str) -> Result<bool> {
    let mut command = cargo();
    command.args(["test", "--quiet", "-p", "tileproof-cli", "--test", "command", "--", "--exact", TEST]);
    let status = command.env("BLESS", "1").env("CASE", case).status()?;
    println!("\nread before you keep it: git diff tests/ui");
    Ok(status.success())
}
