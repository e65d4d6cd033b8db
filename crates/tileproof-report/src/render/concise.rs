//! One finding a line, as editors and CI logs take it: `file:line:column: severity CODE message`.
//!
//! Never more than one line a finding, and no colour. Start at [`render_concise`].

use tileproof_model::finding::Finding;
use tileproof_model::record::Suppressed;

use crate::outside::{for_log, in_one_line};
use crate::severity::{Severity, also_on, severity};
use crate::source::place_in_file;

/// Findings, then notes, one a line. An unknown column is left out; an unknown line is 0.
pub fn render_concise(findings: &[Finding], notes: &[Finding]) -> String {
    let mut text = String::new();
    for finding in findings {
        text += &line(finding, severity(finding));
    }
    for note in notes {
        text += &line(note, Severity::Note);
    }
    text
}

/// What the program suppresses, one a line, each with its reason.
pub fn render_concise_suppressed(suppressed: &[Suppressed]) -> String {
    let line =
        |s: &Suppressed| format!("{}, because {}\n", text(&s.finding, "suppressed").trim_end(), in_one_line(&s.reason));
    suppressed.iter().map(line).collect()
}

fn line(finding: &Finding, severity: Severity) -> String {
    let severity = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    text(finding, severity)
}

fn text(finding: &Finding, severity: &str) -> String {
    let (file, line) = place_in_file(&finding.primary);
    let column = match &finding.primary.location {
        Some(location) if location.column > 0 => format!(":{}", location.column),
        _ => String::new(),
    };
    let also = also_on(finding);
    let line = format!("{file}:{line}{column}: {severity} {} {}{also}", finding.code, finding.message);
    for_log(&in_one_line(&line), false).into_owned() + "\n"
}
