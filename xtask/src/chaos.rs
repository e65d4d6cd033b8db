//! The tests of the cache with many rounds: kernels that are saved while they are built, damage, processes that share it or are
//! killed, full disks.
//!
//! It must never have a test of its own: each of these runs in `ci` too, a few rounds long. Start at [`run`].

use anyhow::Result;

use crate::workspace::cargo;

/// True if all hold.
pub(crate) fn run() -> Result<bool> {
    let mut command = cargo();
    command.args(["test", "-p", "tileproof-cli", "--test", "command", "--", "cache::", "killed::", "--nocapture"]);
    Ok(command.env("TILEPROOF_CHAOS", "1").status()?.success())
}
