//! What the compiler says of itself, for people.
//!
//! It must never decide anything: that is `identity.rs`. Start at [`compiler_version`].

use std::env;
use std::process::Command;
use std::time::Duration;

use crate::compiler::candidates;
use crate::folder;
use crate::limited::{self, Ended, Limits};

const LIMITS: Limits = Limits { time: Duration::from_secs(10), memory: 4 << 30 };

/// The first line of `--version` of the first compiler that answers.
///
/// # Errors
/// If none does, with what came of asking each.
pub fn compiler_version() -> Result<String, String> {
    let folder = folder::drawn(&env::temp_dir(), "tileproof").map_err(|error| error.to_string())?;
    let mut why = Vec::new();
    let answer = candidates().iter().find_map(|name| {
        let mut command = Command::new(name);
        match limited::run(command.arg("--version").env("LC_ALL", "C"), &folder, LIMITS, None) {
            Ok(Ended::Well(said)) => return Some(said.lines().next().unwrap_or("unknown version").to_string()),
            Ok(Ended::Badly(status, _)) => why.push(format!("{name} ended with {status}")),
            Ok(Ended::TooLate) => why.push(format!("{name} did not answer within {} s", LIMITS.time.as_secs())),
            Err(error) => why.push(format!("{name}: {error}")),
        }
        None
    });
    let _ = std::fs::remove_dir_all(&folder);
    answer.ok_or_else(|| why.join(", "))
}
