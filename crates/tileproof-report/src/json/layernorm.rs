//! The document of `tileproof layernorm`.
//!
//! The caller fills it; nothing is worked out here. `wall_s` is the only field that differs between equal runs.

use serde::{Deserialize, Serialize};

use super::derived::DerivedEntry;
use super::document::Document;
use super::finding::FindingDocument;

/// What a LayerNorm run came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayerNormDocument {
    /// Name in the registry of ops: `layernorm_bw`, `layernorm_fused_rm`.
    pub op: String,
    /// Logical shape, N C H W.
    pub shape: Vec<u32>,
    /// `wormhole` or `blackhole`.
    pub arch: String,
    /// `bf16` or `fp32`.
    pub dtype: String,
    /// The path that ran.
    pub path: String,
    /// Cores in use.
    pub cores: u32,
    /// Cycles of the device.
    pub cycles: u64,
    /// Seconds on the host.
    pub wall_s: f64,
    /// Outputs against the reference.
    pub outputs: Vec<LayerNormOutput>,
    /// Errors and warnings.
    pub findings: Vec<FindingDocument>,
    /// Remarks that do not fail a run.
    pub notes: Vec<FindingDocument>,
    /// No findings, and all outputs within tolerance.
    pub pass: bool,
}

impl Document for LayerNormDocument {
    const SCHEMA: &'static str = "tileproof-layernorm";
}

/// An output against its reference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LayerNormOutput {
    /// Name of the tensor.
    pub name: String,
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
    /// Why not: the element that misses most; left out where it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What its operations may lose, and what was lost; left out where tolerances are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived: Option<DerivedEntry>,
}
