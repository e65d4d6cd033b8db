//! The document of what could not be run.
//!
//! It has all fields of a run, so that whoever reads runs can read it. Start at [`RefusedDocument::new`].

use serde::{Deserialize, Serialize};
use tileproof_model::finding::Finding;
use tileproof_model::record::RunRecord;

use super::document::Document;
use super::finding::FindingDocument;
use super::run::RunDocument;

/// What could not be run: bad usage or bad input, of any command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RefusedDocument {
    /// Why, in one text; the findings are the same piece by piece.
    pub error: String,
    /// Always false.
    pub pass: bool,
    /// A run with the status `refused`, of which nothing is known but its findings.
    #[serde(flatten)]
    pub run: RunDocument,
}

impl Document for RefusedDocument {
    const SCHEMA: &'static str = "tileproof-refused";
}

impl RefusedDocument {
    /// The document of an error.
    pub fn new(error: &str, findings: &[Finding], schedule: &str) -> RefusedDocument {
        let run = RunDocument {
            status: "refused".into(),
            findings: FindingDocument::all(findings, schedule),
            ..RunDocument::new(&RunRecord::default(), schedule, 0.0)
        };
        RefusedDocument { error: error.into(), pass: false, run }
    }
}
