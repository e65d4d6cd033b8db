//! Input that cannot be run, as findings: what an error says, with the place that it names.
//!
//! It must never word an error anew: the message is the error's own. Start at [`finding`].

use std::path::Path;

use tileproof_build::BuildError;
use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::kernel::SourceLocation;
use tileproof_model::thread::{CoreCoord, Thread};

/// Stands for a file where the command line is to blame, or nothing that has a place.
pub const COMMAND_LINE: &str = "<command-line>";

/// Input that is refused, at a line of a file if one is to blame.
pub fn finding(file: &str, line: Option<usize>, message: impl Into<String>) -> Finding {
    let line = line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0);
    let location = line.map(|line| SourceLocation { file: file.into(), line, column: 0 });
    Finding::new(Code::REFUSED, Place { location, ..nowhere(file) }, message)
}

/// Kernels that cannot be built. `places` are those of the program's kernels, where they are known.
pub fn kernels(error: &BuildError, places: &[Place]) -> Vec<Finding> {
    error.findings(&|file: &Path| {
        let name = if file.as_os_str().is_empty() { COMMAND_LINE.into() } else { file.display().to_string() };
        places.iter().find(|place| place.kernel == name).cloned().unwrap_or_else(|| nowhere(&name))
    })
}

/// A place where nothing has run yet.
fn nowhere(file: &str) -> Place {
    Place { location: None, kernel: file.into(), core: CoreCoord { x: 0, y: 0 }, thread: Thread::Brisc }
}
