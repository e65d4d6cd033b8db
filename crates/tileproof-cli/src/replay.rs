//! The command that runs a program again, as a shell takes it.
//!
//! It must never leave out what the result depends on. Start at [`command`].

use std::path::Path;

use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::run_file::{ChosenChecks, RunOptions};

/// The command that runs a program so again.
pub(crate) fn command(program: &Path, options: &RunOptions, cell: &[(String, String)], schedule: &str) -> String {
    let quoted = |text: &str| {
        let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:,=+%@".contains(c));
        if is_plain && !text.is_empty() { text.to_string() } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    let mut command = format!("tileproof run {}", quoted(&program.display().to_string()));
    if options.checks != ChosenChecks::All {
        command += &format!(" --checks {}", options.checks);
    }
    for (name, value) in options.parameters.iter().chain(cell) {
        command += &format!(" --param {}", quoted(&format!("{name}={value}")));
    }
    for (name, fill) in &options.fills {
        command += &format!(" --fill {}", quoted(&format!("{name}={fill}")));
    }
    if let Some(padding) = options.padding {
        command += &format!(" --padding {padding}");
    }
    if schedule != DEFAULT_SCHEDULE {
        command += &format!(" --schedule {}", quoted(schedule));
    }
    command
}
