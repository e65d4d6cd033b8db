//! How loud a finding is, and on how many cores it was found: what all formats say alike.
//!
//! Start at [`severity`].

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
    of(finding.code.class(), finding.certainty == Certainty::Suspect)
}

/// The same of what is known of a finding.
pub(crate) fn of(class: Class, is_suspect: bool) -> Severity {
    if is_suspect || class == Class::Slow { Severity::Warning } else { Severity::Error }
}

/// " (and on 2 other cores)"; empty for a finding of one core.
pub(crate) fn also_on(finding: &Finding) -> String {
    match finding.also_on.len() {
        0 => String::new(),
        n => format!(" (and on {})", count(n as u64, "other core")),
    }
}
