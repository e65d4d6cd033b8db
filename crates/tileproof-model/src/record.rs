//! What a run leaves behind.

use serde::Serialize;

use crate::finding::{Finding, Place};

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All kernels returned.
    Completed,
    /// Nothing could run any more.
    Deadlock,
    /// A kernel ended abnormally.
    Crashed,
    /// The model did not know what the hardware does, or the step limit was reached.
    Stopped,
}

/// A line that a kernel printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Print {
    /// Where.
    pub place: Place,
    /// When, in cycles of the launch.
    pub cycle: u64,
    /// What.
    pub text: String,
}

/// Everything that a run says, apart from the contents of tensors. It depends on the program and the schedule token only:
/// not on host threads, host speed or build profile.
#[derive(Clone, Debug)]
pub struct RunRecord {
    /// How it ended.
    pub status: Status,
    /// Cycles from the first launch to the end of the last.
    pub cycles: u64,
    /// Errors and warnings, folded over cores.
    pub findings: Vec<Finding>,
    /// Remarks that do not fail a run.
    pub notes: Vec<Finding>,
    /// What kernels printed, by time, then core and thread.
    pub prints: Vec<Print>,
}

impl RunRecord {
    /// True if the run ended and nothing was found.
    pub fn is_clean(&self) -> bool {
        self.status == Status::Completed && self.findings.is_empty()
    }
}
