//! One file a format; each turns data into text and decides nothing else.
//!
//! They must never compute a figure or drop a fact in silence. Start at [`human`], the format that people see.

pub mod analysis;
pub mod concise;
pub mod github;
pub mod grid;
pub mod human;
pub mod junit;
pub mod layernorm;
pub mod ledger;
pub mod op;
pub mod op_check;
pub mod op_markdown;
pub mod run;
mod snippet;
pub mod summary;
pub mod table;

use tileproof_model::finding::{Certainty, Class, Finding};
use tileproof_model::wording::count;

/// How loud a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Severity {
    Error,
    Warning,
    Note,
}

/// A heuristic's suspicion and lost time warn; what happened, or can, is an error.
pub(crate) fn severity(finding: &Finding) -> Severity {
    if finding.certainty == Certainty::Suspect || finding.code.class() == Class::Slow {
        Severity::Warning
    } else {
        Severity::Error
    }
}

/// " (and on 2 other cores)"; empty for a finding of one core.
pub(crate) fn also_on(finding: &Finding) -> String {
    match finding.also_on.len() {
        0 => String::new(),
        n => format!(" (and on {})", count(n as u64, "other core")),
    }
}
