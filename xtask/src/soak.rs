//! Many small runs in one process and one cache, and what of the host they keep.
//!
//! The runs are an example of the library, `soak`, since the crates are not seen from here. Start at [`run`].

use anyhow::Result;

use crate::workspace::cargo;

/// Runs where nothing else is said.
pub(crate) const RUNS: u64 = 100_000;

/// True if nothing grew.
pub(crate) fn run(runs: u64) -> Result<bool> {
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "-p", "tileproof", "--example", "soak", "--", &runs.to_string()]);
    Ok(command.status()?.success())
}
