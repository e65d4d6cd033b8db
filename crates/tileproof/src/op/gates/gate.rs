//! A gate, how it came out, and what came of all of them.
//!
//! It must never run anything. Start at [`Check`].

use serde::Serialize;
use tileproof_model::finding::Finding;
use tileproof_model::record::Ledger;

use crate::op::description::Description;
use crate::output::OutputResult;

/// The gates by name, in order.
pub const NAMES: [&str; 7] = [
    "description complete",
    "validation rejects what it must",
    "registered and callable",
    "program builds",
    "circular buffers fit",
    "kernels run to the end",
    "kernels are right",
];

/// How a gate came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Green.
    Pass,
    /// Red.
    Fail,
    /// An earlier one is red.
    NotReached,
}

/// A gate.
#[derive(Clone, Debug)]
pub struct Gate {
    /// From 1.
    pub number: usize,
    /// Its name.
    pub name: &'static str,
    /// How it came out.
    pub state: State,
    /// What was looked at.
    pub detail: String,
    /// Why it is red.
    pub failure: Option<Failure>,
    /// Seconds.
    pub wall_s: f64,
}

/// Why a gate is red.
#[derive(Clone, Default, Debug)]
pub struct Failure {
    /// In a sentence or two.
    pub reason: String,
    /// What was found in the run that failed.
    pub findings: Vec<Finding>,
    /// What to do about it.
    pub help: Option<String>,
    /// This host is the reason, not the op.
    pub is_host: bool,
}

impl Failure {
    pub(super) fn new(reason: impl Into<String>) -> Failure {
        Failure { reason: reason.into(), ..Failure::default() }
    }

    pub(super) fn with_help(self, help: impl Into<String>) -> Failure {
        Failure { help: Some(help.into()), ..self }
    }
}

/// One output of one run of gate 7.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The call.
    pub call: String,
    /// What reports call the data.
    pub data: &'static str,
    /// The output beside its reference.
    pub output: OutputResult,
}

/// What came of all gates.
#[derive(Clone, Debug)]
pub struct Check {
    /// Name of the op, or its folder if its description cannot be read.
    pub op: String,
    /// Its description, if it can be read.
    pub description: Option<Description>,
    /// The gates in order, all seven.
    pub gates: Vec<Gate>,
    /// The call that `ledgers` are of.
    pub ledger_of: Option<String>,
    /// What was done with its circular buffers, launch by launch.
    pub ledgers: Vec<Ledger>,
    /// All outputs of all runs of gate 7.
    pub accuracy: Vec<Compared>,
    /// Tolerances of gate 7.
    pub tolerances: (f64, f64),
    /// Remarks of all runs that fail no gate.
    pub notes: Vec<Finding>,
    /// Runs in all.
    pub runs: usize,
    /// Seconds.
    pub wall_s: f64,
}

impl Check {
    /// All seven gates are green.
    pub fn pass(&self) -> bool {
        self.gates.iter().all(|gate| gate.state == State::Pass)
    }

    /// For each output, format and kind of data the run with the largest error.
    pub fn worst(&self) -> Vec<&Compared> {
        let mut worst: Vec<&Compared> = Vec::new();
        let kind = |row: &Compared| (row.data, row.output.format);
        for row in &self.accuracy {
            let same = |known: &&mut &Compared| known.output.name == row.output.name && kind(known) == kind(row);
            match worst.iter_mut().find(same) {
                None => worst.push(row),
                Some(known) if row.output.max_ulp > known.output.max_ulp => *known = row,
                Some(_) => {}
            }
        }
        worst
    }

    /// The gate that is red.
    pub fn red(&self) -> Option<&Gate> {
        self.gates.iter().find(|gate| gate.state == State::Fail)
    }
}
