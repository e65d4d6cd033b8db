//! The document of `tileproof layernorm backward --suite`: the public tests, and what each came to.
//!
//! The caller fills it; nothing is worked out here. Start at [`SuiteDocument`].

use serde::{Deserialize, Serialize};

use super::document::Document;

/// What a suite came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuiteDocument {
    /// Its name.
    pub suite: String,
    /// `wormhole` or `blackhole`.
    pub arch: String,
    /// The folder of the kernels; empty for the shipped ones.
    pub kernels: String,
    /// The folder of the kernels that they are compared with; `null` if there are none.
    pub before: Option<String>,
    /// The tests, in their order.
    pub tests: Vec<SuiteEntry>,
    /// Seconds on the host.
    pub wall_s: f64,
    /// All pass, on the kernels that are asked about.
    pub pass: bool,
}

impl Document for SuiteDocument {
    const SCHEMA: &'static str = "tileproof-suite";
}

/// A test.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuiteEntry {
    /// Its name.
    pub name: String,
    /// The shape of x, N C H W.
    pub shape: Vec<u32>,
    /// `random`, or the constants: `dy=1, gamma=1, x=0.5`.
    pub data: String,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// How often it was run, on other random data each time.
    pub runs: u64,
    /// What it came to.
    pub result: SuiteResult,
    /// What it came to on the kernels before; `null` if there are none.
    pub before: Option<SuiteResult>,
}

/// What a test came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuiteResult {
    /// How the run ended: `completed`, ..
    pub status: String,
    /// The output that is farthest off; empty if a run ended early.
    pub output: String,
    /// Its largest absolute difference from float64.
    #[serde(with = "super::figure")]
    pub max_diff: f64,
    /// The mean of its absolute differences.
    #[serde(with = "super::figure")]
    pub mean_diff: f64,
    /// Within tolerance everywhere, in every run.
    pub pass: bool,
}
