//! The document of `--data adversarial`: what a call came to on one kind of data after the other.
//!
//! The caller fills it; nothing is worked out here. Start at [`AdversarialDocument`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::audit::WhatIfEntry;
use super::document::Document;

/// What a call came to, kind by kind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AdversarialDocument {
    /// The op and its call.
    pub call: String,
    /// Relative tolerance.
    pub rtol: f64,
    /// Absolute tolerance.
    pub atol: f64,
    /// The tolerance of each element is what its operations may lose, and the two above are 0.
    pub derived: bool,
    /// The kinds of data, the worst first.
    pub kinds: Vec<KindEntry>,
    /// Kinds of data that are not judged: what is expected there is no number, or no tolerance can be derived.
    pub unbounded: Vec<String>,
    /// The inputs of the worst that were saved, by name.
    pub saved: BTreeMap<String, String>,
    /// The options that give the worst data in place of `--data adversarial`; `null` where no text stands for them and nothing
    /// was saved.
    pub replay: Option<String>,
    /// Settings with which the worst come nearer to what is expected, each of them run; none where all kinds pass.
    pub what_if: Vec<WhatIfEntry>,
    /// All kinds pass.
    pub pass: bool,
}

impl Document for AdversarialDocument {
    const SCHEMA: &'static str = "tileproof-adversarial";
}

/// A kind of data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct KindEntry {
    /// Its name.
    pub name: String,
    /// How the run ended.
    pub status: String,
    /// The output that is farthest off; empty if the run ended early.
    pub output: String,
    /// Its largest absolute difference from float64.
    #[serde(with = "super::figure")]
    pub max_diff: f64,
    /// The mean of its absolute differences.
    #[serde(with = "super::figure")]
    pub mean_diff: f64,
    /// Its largest difference in steps of its format.
    #[serde(with = "super::figure")]
    pub max_ulp: f64,
    /// The largest difference as a share of what its operations may lose, where that is the tolerance.
    pub share_of_bound: Option<f64>,
    /// The run ended, and all outputs are within tolerance.
    pub pass: bool,
}
