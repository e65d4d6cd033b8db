//! The documents of `tileproof op`: a list of ops, one op, one run, and a check.
//!
//! The caller fills them. Start at [`OpDocument`] and [`OpCheckDocument`].

use serde::{Deserialize, Serialize};

use super::derived::DerivedEntry;
use super::document::Document;
use super::finding::FindingDocument;
use super::ledger::LedgerEntry;

/// An op in a list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpEntry {
    /// Name in the registry.
    pub name: String,
    /// `shipped`, or the folder that it is in.
    pub from: String,
    /// What it computes, in a sentence.
    pub summary: String,
}

impl Document for OpEntry {
    const SCHEMA: &'static str = "tileproof-op-entry";
}

/// An op.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpDocument {
    /// Name in the registry.
    pub name: String,
    /// What it computes, in a sentence.
    pub summary: String,
    /// Tensors that it takes.
    pub inputs: Vec<OpTensor>,
    /// Tensors that it makes.
    pub outputs: Vec<OpTensor>,
    /// Numbers and words that it takes.
    pub attributes: Vec<OpAttribute>,
    /// Everything that its validation refuses.
    pub conditions: Vec<String>,
    /// Circular buffers.
    pub cbs: Vec<OpBuffer>,
    /// The call that the pages of `cbs` are those of; `None` where they are expressions.
    pub cbs_of: Option<String>,
    /// Kernels.
    pub kernels: Vec<OpKernel>,
    /// Ways through the op, and when each is taken.
    pub paths: Vec<OpPath>,
    /// Outputs in float64, `name = expression`.
    pub reference: Vec<String>,
    /// How it is called.
    pub calls: Vec<String>,
    /// Files that it is made of.
    pub files: Vec<String>,
}

impl Document for OpDocument {
    const SCHEMA: &'static str = "tileproof-op";
}

/// A tensor argument.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpTensor {
    /// Name.
    pub name: String,
    /// Shape, in words.
    pub shape: String,
    /// Element formats that are allowed.
    pub dtypes: Vec<String>,
    /// Layouts that are allowed.
    pub layouts: Vec<String>,
}

/// Another argument.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpAttribute {
    /// Name.
    pub name: String,
    /// `float`, `integer` or `word`.
    pub kind: String,
    /// What it is when it is left out.
    pub default: String,
    /// What it may be.
    pub allowed: String,
}

/// A circular buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpBuffer {
    /// `c_0`.
    pub cb: String,
    /// What a page holds.
    pub content: String,
    /// Element format.
    pub format: String,
    /// Pages: a number or an expression.
    pub pages: String,
    /// Bytes of a page: a number or an expression.
    pub page_size: String,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpKernel {
    /// `reader`, `compute` or `writer`.
    pub role: String,
    /// File, or name of a kernel in Rust.
    pub source: String,
    /// Compile-time arguments.
    pub compile_time_args: Vec<String>,
    /// Runtime arguments.
    pub runtime_args: Vec<String>,
}

/// A way through the op.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct OpPath {
    /// Name.
    pub name: String,
    /// When it is taken.
    pub when: String,
}

/// One call, beside the op's reference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpRunDocument {
    /// Name of the op.
    pub op: String,
    /// The call.
    pub call: String,
    /// `completed`, `deadlock`, `crashed` or `stopped`.
    pub status: String,
    /// Cycles of the device.
    pub cycles: u64,
    /// Seconds on the host.
    pub wall_s: f64,
    /// Outputs beside their references.
    pub outputs: Vec<AccuracyEntry>,
    /// Errors and warnings.
    pub findings: Vec<FindingDocument>,
    /// Remarks that do not fail a run.
    pub notes: Vec<FindingDocument>,
    /// Circular buffers, by launch and index.
    pub ledger: Vec<LedgerEntry>,
    /// No findings, and all outputs within tolerance.
    pub pass: bool,
}

impl Document for OpRunDocument {
    const SCHEMA: &'static str = "tileproof-op-run";
}

/// One output of one run beside its reference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AccuracyEntry {
    /// The call.
    pub call: String,
    /// What its data are called.
    pub data: String,
    /// Element format of the output.
    pub dtype: String,
    /// Name of the output.
    pub output: String,
    /// Largest absolute difference.
    #[serde(with = "super::figure")]
    pub max_diff: f64,
    /// Mean absolute difference.
    #[serde(with = "super::figure")]
    pub mean_diff: f64,
    /// Largest difference in steps of the output's format.
    #[serde(with = "super::figure")]
    pub max_ulp: f64,
    /// Within tolerance everywhere.
    pub pass: bool,
    /// The element that misses most; `null` where it passes.
    pub worst: Option<String>,
    /// What its operations may lose, and what was lost; left out where tolerances are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<DerivedEntry>,
}

/// What the seven gates came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OpCheckDocument {
    /// Name of the op, or its folder if its description cannot be read.
    pub op: String,
    /// All gates are green.
    pub pass: bool,
    /// The first red gate, from 1.
    pub red: Option<usize>,
    /// The gates in order, all seven.
    pub gates: Vec<GateEntry>,
    /// The call that `ledger` is of.
    pub ledger_of: Option<String>,
    /// Circular buffers, by launch and index.
    pub ledger: Vec<LedgerEntry>,
    /// All outputs of all runs of gate 7.
    pub accuracy: Vec<AccuracyEntry>,
    /// Remarks of all runs that fail no gate.
    pub notes: Vec<FindingDocument>,
    /// Runs in all.
    pub runs: usize,
    /// Seconds on the host.
    pub wall_s: f64,
}

impl Document for OpCheckDocument {
    const SCHEMA: &'static str = "tileproof-op-check";
}

/// A gate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GateEntry {
    /// From 1.
    pub gate: usize,
    /// Its name.
    pub name: String,
    /// `pass`, `fail` or `not_reached`.
    pub state: String,
    /// What was looked at.
    pub detail: String,
    /// Why it is red.
    pub reason: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// What was found in the run that failed.
    pub findings: Vec<FindingDocument>,
    /// Seconds on the host.
    pub wall_s: f64,
}
