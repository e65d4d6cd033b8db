//! A cell, and what it came to: plain data, which goes to a worker and back as a line of JSON.
//!
//! It must never hold anything of the host, as a time or an absolute path. Start at [`Cell`] and [`Outcome`].

use serde::{Deserialize, Serialize};
use tileproof_report::json::FindingDocument;

use crate::figure;

/// One run of a sweep. A field that is left out has the default of the op, or of the program file.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Cell {
    /// Name of a shipped op, or folder of another; empty for a program file.
    pub op: String,
    /// Program file; empty for an op.
    pub program: String,
    /// Folder of the kernels that take the place of the shipped ones.
    pub kernels: String,
    /// Shape, as `1,1,32,64`.
    pub shape: String,
    /// Element format.
    pub dtype: String,
    /// Layout.
    pub layout: String,
    /// Fill of each input that is not filled by default.
    pub data: Vec<(String, String)>,
    /// Seed of random fills.
    pub seed: u64,
    /// Attributes of an op, or parameters of a program file.
    pub settings: Vec<(String, String)>,
    /// Schedule; empty for the default.
    pub schedule: String,
    /// Other schedules to try.
    pub explore: usize,
    /// What is looked for.
    pub checks: String,
    /// Tolerances, relative and absolute; those of the op when left out.
    pub rtol: Option<f64>,
    /// See `rtol`.
    pub atol: Option<f64>,
}

impl Cell {
    /// The op or the program file.
    pub(crate) fn subject(&self) -> &str {
        if self.op.is_empty() { &self.program } else { &self.op }
    }

    /// Pairs as one text, `x=normal:0,1 dy=constant:1`.
    pub(crate) fn pairs(pairs: &[(String, String)]) -> String {
        pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }
}

/// How a cell ended that gave no record.
pub mod status {
    /// It cannot be run, on any host.
    pub const REFUSED: &str = "refused";
    /// This host cannot run it, as without a compiler.
    pub const HOST: &str = "host";
    /// It took longer than it may.
    pub const TIMEOUT: &str = "timeout";
    /// It took more memory than it may.
    pub const OUT_OF_MEMORY: &str = "out_of_memory";
    /// Its worker died several times.
    pub const LOST: &str = "lost";

    /// Those that another start may end otherwise, or one with other limits: such a cell is run again.
    pub(crate) const AGAIN: [&str; 4] = [HOST, TIMEOUT, OUT_OF_MEMORY, LOST];
}

/// What a cell came to.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// `completed`, `deadlock`, `crashed`, `stopped`, or a word of [`status`].
    pub status: String,
    /// Nothing was found, and all outputs are as they should be.
    pub pass: bool,
    /// Cycles of the device.
    pub cycles: u64,
    /// Why there is no record.
    pub message: Option<String>,
    /// Outputs beside what they should be.
    pub outputs: Vec<CellOutput>,
    /// Errors and warnings.
    pub findings: Vec<FindingDocument>,
    /// Codes of remarks, each once.
    pub notes: String,
}

impl Outcome {
    /// One without a record.
    pub fn without_record(status: &str, message: impl Into<String>) -> Outcome {
        Outcome { status: status.into(), message: Some(message.into()), ..Outcome::default() }
    }

    /// Its codes, each once.
    pub(crate) fn codes(&self) -> String {
        each_once(self.findings.iter().map(|finding| finding.code.as_str()))
    }
}

/// Words, each once and in order, with spaces between.
pub(crate) fn each_once<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = words.collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

/// An output beside what it should be.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CellOutput {
    /// Its name.
    pub name: String,
    /// Largest absolute difference; `None` if nothing is expected.
    #[serde(with = "figure")]
    pub max_diff: Option<f64>,
    /// Mean absolute difference.
    #[serde(with = "figure")]
    pub mean_diff: Option<f64>,
    /// Largest difference in steps of the format.
    #[serde(with = "figure")]
    pub max_ulp: Option<f64>,
    /// As it should be, or nothing is expected.
    pub pass: bool,
}
