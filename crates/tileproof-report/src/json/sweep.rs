//! The documents of `tileproof sweep` and `tileproof compare`.
//!
//! The caller fills them; nothing is worked out here. Start at [`SweepDocument`] and [`CompareDocument`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::document::Document;

/// What a sweep came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SweepDocument {
    /// What it is called.
    pub name: String,
    /// The file with all of it.
    pub file: String,
    /// Cells in all.
    pub cells: u64,
    /// Cells that this run carried out; the others were there.
    pub ran: u64,
    /// Cells that pass.
    pub passed: u64,
    /// Cells by how they ended: `completed`, `deadlock`, `crashed`, `stopped`, `refused`, `host`, `timeout`,
    /// `out_of_memory`, `lost`.
    pub statuses: BTreeMap<String, u64>,
    /// Cells by the codes that were found in them.
    pub codes: BTreeMap<String, u64>,
    /// The first cells that do not pass.
    pub failing: Vec<SweepCell>,
    /// All cells pass.
    pub pass: bool,
}

impl Document for SweepDocument {
    const SCHEMA: &'static str = "tileproof-sweep";
}

/// A cell of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SweepCell {
    /// Its number in the file.
    pub cell: u64,
    /// What tells it apart.
    pub what: String,
    /// How it ended.
    pub status: String,
    /// Codes, each once.
    pub codes: Vec<String>,
    /// Why it gave no record; `null` where it did.
    pub message: Option<String>,
}

/// Two sweeps, cell by cell.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CompareDocument {
    /// File of the first.
    pub a: String,
    /// File of the second.
    pub b: String,
    /// Cells that are in both.
    pub cells: u64,
    /// Cells of the first alone.
    pub only_a: u64,
    /// Cells of the second alone.
    pub only_b: u64,
    /// Cells that the first has not come to: its sweep was ended.
    pub missing_a: u64,
    /// Cells that the second has not come to.
    pub missing_b: u64,
    /// Codes that were found in the second and not in the first.
    pub new: Vec<ComparedFinding>,
    /// Codes that were found in the first and not in the second.
    pub gone: Vec<ComparedFinding>,
    /// Cells that pass in the first alone.
    pub broken: Vec<ComparedCell>,
    /// Cells that pass in the second alone.
    pub mended: Vec<ComparedCell>,
    /// Outputs that are further from what they should be in the second, the worst first.
    pub less_accurate: Vec<ComparedOutput>,
    /// Outputs that are nearer, the most first.
    pub more_accurate: Vec<ComparedOutput>,
    /// Outputs that are compared.
    pub outputs: u64,
    /// Device time of the cells that completed in both.
    pub cycles: ComparedCycles,
    /// Nothing new is found, no cell is broken, and none is missing unless that was asked for.
    pub pass: bool,
}

impl Document for CompareDocument {
    const SCHEMA: &'static str = "tileproof-compare";
}

/// A code in a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ComparedFinding {
    /// What tells the cell apart.
    pub what: String,
    /// The code.
    pub code: String,
    /// The first message of it.
    pub message: String,
}

/// A cell whose verdict is another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ComparedCell {
    /// What tells it apart.
    pub what: String,
    /// How it ended in the first.
    pub a: String,
    /// How it ended in the second.
    pub b: String,
}

/// An output whose largest difference is another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ComparedOutput {
    /// What tells its cell apart.
    pub what: String,
    /// Name of the output.
    pub output: String,
    /// Largest difference in the first; `null` where it is infinite.
    #[serde(with = "super::figure")]
    pub a: f64,
    /// Largest difference in the second.
    #[serde(with = "super::figure")]
    pub b: f64,
}

/// Device time in two sweeps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ComparedCycles {
    /// Cells that completed in both.
    pub cells: u64,
    /// Their cycles in the first.
    pub a: u64,
    /// Their cycles in the second.
    pub b: u64,
    /// Cells that take fewer in the second.
    pub faster: u64,
    /// Cells that take more.
    pub slower: u64,
    /// The one whose cycles grew most, by the factor.
    pub slowest: Option<ComparedTime>,
}

/// Device time of a cell.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ComparedTime {
    /// What tells it apart.
    pub what: String,
    /// Cycles in the first.
    pub a: u64,
    /// Cycles in the second.
    pub b: u64,
}
