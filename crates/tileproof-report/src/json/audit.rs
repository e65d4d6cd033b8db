//! The document of `tileproof audit`: which faults the test of a program would miss.
//!
//! The caller fills it; nothing is worked out here. `wall_s` is the only field that differs between equal audits without a budget.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::document::Document;
use super::layernorm::LayerNormOutput;

/// What an audit came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AuditDocument {
    /// What was audited: the program file, or the call of an op.
    pub program: String,
    /// How the program as it is ended.
    pub status: String,
    /// Its outputs beside what is expected.
    pub outputs: Vec<LayerNormOutput>,
    /// The tolerances of the test, the widest of several; `null` where bits are compared.
    pub rtol: Option<f64>,
    /// See `rtol`.
    pub atol: Option<f64>,
    /// The mutants, in the order in which their lines are reached.
    pub mutants: Vec<MutantEntry>,
    /// Mutants that the test finds.
    pub found: usize,
    /// Those that it lets pass.
    pub missed: usize,
    /// Those that change no bit of an output on any data that was tried.
    pub unchanged: usize,
    /// Those that ask for something of which no source says what the hardware does.
    pub not_modelled: usize,
    /// Those that were not run, or not to their end.
    pub not_run: usize,
    /// What would find more, the best first.
    pub advice: Vec<AdviceEntry>,
    /// Settings with which the outputs come nearer to what is expected.
    pub what_if: Vec<WhatIfEntry>,
    /// Why no other order of sums is among them, where none could be tried; `null` otherwise.
    pub order_not_tried: Option<String>,
    /// Seconds on the host.
    pub wall_s: f64,
    /// The program passes its own test, and the test finds all mutants.
    pub pass: bool,
}

impl Document for AuditDocument {
    const SCHEMA: &'static str = "tileproof-audit";
}

/// A program with one thing wrong.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MutantEntry {
    /// What is wrong, by its name.
    pub change: String,
    /// The same in words.
    pub text: String,
    /// What the calls do that it befalls; empty for a setting.
    pub what: String,
    /// The kernel; empty for a setting.
    pub kernel: String,
    /// The file of the line; empty for a setting.
    pub file: String,
    /// The line; 0 for a setting.
    pub line: u32,
    /// The call of each core that it befalls, from 1; 0 for all of them.
    pub call: u64,
    /// `found`, `ended`, `missed`, `unchanged`, `not_modelled` or `not_run`.
    pub result: String,
    /// How it ended, or why it was not run; `null` otherwise.
    pub reason: Option<String>,
    /// An output changes in some bit, on the data of the test.
    pub changes: bool,
    /// The least absolute tolerance with which the test would let it pass; `null` where none does.
    #[serde(with = "super::figure")]
    pub needed_atol: f64,
}

/// Settings of the compute kernels, and what a run with them gives.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct WhatIfEntry {
    /// The settings, as a program file has them, or another order of sums in words.
    pub settings: String,
    /// The largest difference from what is expected as it is.
    #[serde(with = "super::figure")]
    pub max_diff_before: f64,
    /// The same with these settings.
    #[serde(with = "super::figure")]
    pub max_diff: f64,
    /// Cycles as it is.
    pub cycles_before: u64,
    /// The same with these settings.
    pub cycles: u64,
    /// All outputs are as expected then.
    pub pass: bool,
}

/// A test that finds more.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AdviceEntry {
    /// Data of inputs; empty where those of the test stay.
    pub data: BTreeMap<String, String>,
    /// The absolute tolerance.
    pub atol: f64,
    /// Missed mutants that it finds, of those that the advice before leaves.
    pub finds: usize,
    /// How many those are.
    pub of: usize,
}
