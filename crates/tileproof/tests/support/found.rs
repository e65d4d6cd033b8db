//! Looking for findings by code and line, for tests whose kernels mark lines with comments.

use tileproof_model::finding::{Code, Finding, Label, Place};
use tileproof_model::record::{RunRecord, Status};

fn line(place: &Place) -> u32 {
    place.location.as_ref().map_or(0, |l| l.line)
}

/// The line to blame.
pub(crate) fn line_of(finding: &Finding) -> u32 {
    line(&finding.primary)
}

/// The lines of the labels.
pub(crate) fn labelled(finding: &Finding) -> Vec<u32> {
    finding.labels.iter().map(|Label { place, .. }| line(place)).collect()
}

/// The line of the test's own file that ends in the comment `mark`.
#[track_caller]
pub(crate) fn marked(mark: &str) -> u32 {
    let file = super::root().join(std::panic::Location::caller().file());
    marked_in(&std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())), mark)
}

/// The line of `text` that ends in the comment `mark`.
#[track_caller]
pub(crate) fn marked_in(text: &str, mark: &str) -> u32 {
    let wanted = format!("// {mark}");
    let at = text.lines().position(|l| l.trim_end().ends_with(&wanted));
    at.map(|i| i as u32 + 1).unwrap_or_else(|| panic!("no line is marked {mark}"))
}

/// The one finding with a code.
pub(crate) fn only(run: &RunRecord, code: Code) -> &Finding {
    let found: Vec<&Finding> = run.findings.iter().filter(|f| f.code == code).collect();
    assert_eq!(found.len(), 1, "{code}: {:#?}", run.findings);
    found[0]
}

/// Completed, and nothing found.
pub(crate) fn silent(run: &RunRecord) {
    assert_eq!(run.status, Status::Completed);
    assert!(run.findings.is_empty(), "{:#?}", run.findings);
}
