//! The document of `tileproof run`.
//!
//! The caller fills it; nothing is worked out here. `wall_s` is the only field that differs between equal runs.

use serde::{Deserialize, Serialize};
use tileproof_model::record::Status;

use super::FindingDocument;

/// What a run of a program came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunDocument {
    /// `completed`, `deadlock`, `crashed` or `stopped`.
    pub status: String,
    /// Cycles of the device.
    pub cycles: u64,
    /// Seconds on the host.
    pub wall_s: f64,
    /// Outputs.
    pub outputs: Vec<RunOutput>,
    /// Errors and warnings.
    pub findings: Vec<FindingDocument>,
    /// Remarks that do not fail a run.
    pub notes: Vec<FindingDocument>,
    /// Circular buffers, by core and index.
    pub ledger: Vec<LedgerEntry>,
}

/// An output of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunOutput {
    /// Name of the tensor.
    pub name: String,
    /// Largest absolute difference from what is expected; `null` when nothing is.
    #[serde(with = "super::figure::optional")]
    pub max_diff: Option<f64>,
    /// Mean absolute difference; `null` when nothing is expected.
    #[serde(with = "super::figure::optional")]
    pub mean_diff: Option<f64>,
    /// As expected, or nothing was expected.
    pub pass: bool,
}

/// A circular buffer on one core, over the whole launch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Logical core, `[x, y]`.
    pub core: [u32; 2],
    /// `c_0` to `c_63`.
    pub cb: String,
    /// Pages that it holds.
    pub capacity: u32,
    /// Bytes a page.
    pub page_size: u32,
    /// Pages pushed.
    pub pushed: u64,
    /// Pages popped.
    pub popped: u64,
    /// Thread that pushed last.
    pub producer: Option<String>,
    /// Thread that popped last.
    pub consumer: Option<String>,
}

/// The word for a status.
pub fn status(status: Status) -> &'static str {
    match status {
        Status::Completed => "completed",
        Status::Deadlock => "deadlock",
        Status::Crashed => "crashed",
        Status::Stopped => "stopped",
    }
}
