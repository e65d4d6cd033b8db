//! The document of `tileproof run`.
//!
//! `wall_s` is the only field that differs between equal runs. Start at [`RunDocument::new`].

use serde::{Deserialize, Serialize};
use tileproof_model::record::{Print, RunRecord};

use super::derived::DerivedEntry;
use super::document::Document;
use super::finding::{FindingDocument, SuppressedDocument};
use super::ledger::{LedgerDocument, LedgerEntry, TensorEntry};
use crate::source::place_in_file;

/// What a run of a program came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunDocument {
    /// `completed`, `deadlock`, `crashed` or `stopped`; `refused` if it did not begin.
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
    /// Findings and notes that the program suppresses, each with its reason.
    #[serde(default)]
    pub suppressed: Vec<SuppressedDocument>,
    /// What no check of this run could see, a phrase each.
    #[serde(default)]
    pub not_checked: Vec<String>,
    /// Circular buffers, by launch and index.
    pub ledger: Vec<LedgerEntry>,
    /// Tensors, by launch and in the order of their allocation.
    pub tensors: Vec<TensorEntry>,
    /// What kernels printed, by time.
    pub prints: Vec<PrintEntry>,
    /// The schedule that gave all this.
    #[serde(default)]
    pub schedule: String,
    /// What exploring came to; left out where it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explored: Option<ExploredDocument>,
}

impl Document for RunDocument {
    const SCHEMA: &'static str = "tileproof-run";
}

impl RunDocument {
    /// What a record says on the schedule `schedule`; outputs and what was explored are for the caller to add.
    pub fn new(record: &RunRecord, schedule: &str, wall_s: f64) -> RunDocument {
        let LedgerDocument { status, ledger, tensors } = LedgerDocument::new(record);
        RunDocument {
            status,
            cycles: record.cycles,
            wall_s,
            outputs: Vec::new(),
            findings: FindingDocument::all(&record.findings, schedule),
            notes: FindingDocument::all(&record.notes, schedule),
            suppressed: SuppressedDocument::all(&record.suppressed, schedule),
            not_checked: record.not_checked.clone(),
            ledger,
            tensors,
            prints: PrintEntry::all(&record.prints),
            schedule: schedule.into(),
            explored: None,
        }
    }
}

/// What `--explore` came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExploredDocument {
    /// Other orders than the default's that were run.
    pub schedules: usize,
    /// How many of them were asked for.
    pub of: usize,
    /// Runs that it took: some give an order that another has given.
    pub runs: usize,
    /// How many orders the program leaves open, the default's among them, where all were run; `null` where others may be left.
    pub all_orders: Option<usize>,
    /// The token of the schedule that fails as the default does not; `null` when none does.
    pub failed: Option<String>,
    /// In what that schedule departs from the default.
    pub departures: Vec<String>,
    /// Whether the default schedule passes.
    pub default_passes: bool,
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
    /// What its operations may lose, and what was lost; left out where tolerances are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<DerivedEntry>,
}

/// A line that a kernel printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrintEntry {
    /// Logical core, `[x, y]`.
    pub core: [u32; 2],
    /// Thread.
    pub thread: String,
    /// Source file; the kernel's name where it is not known.
    pub file: String,
    /// Line, from 1; 0 where it is not known.
    pub line: u32,
    /// When, in cycles.
    pub cycle: u64,
    /// What.
    pub text: String,
}

impl PrintEntry {
    /// The entries of a run.
    pub fn all(prints: &[Print]) -> Vec<PrintEntry> {
        let entry = |p: &Print| {
            let (file, line) = place_in_file(&p.place);
            PrintEntry {
                core: [p.place.core.x, p.place.core.y],
                thread: p.place.thread.name().into(),
                file: file.into(),
                line,
                cycle: p.cycle,
                text: p.text.clone(),
            }
        };
        prints.iter().map(entry).collect()
    }
}
