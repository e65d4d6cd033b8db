//! What stands below the findings of a run: how many, what was suppressed and why, and what was not looked at.
//!
//! It must never let "0 findings" stand alone where something was not checked. Start at [`render_summary`].

use crate::source::place_in_file;
use tileproof_model::record::{RunRecord, Suppressed};
use tileproof_model::wording::count;

/// Places that are listed of one suppression.
const LISTED_PLACES: usize = 4;

/// The count of a run without findings, a line for each reason to suppress, and one for what was not checked.
///
/// The counts of findings and notes stand below them already, made by [`super::human::render_human`].
pub fn render_summary(record: &RunRecord) -> String {
    let mut text = String::new();
    if record.findings.is_empty() && record.notes.is_empty() {
        text += "0 findings\n";
    }
    let mut rest: Vec<&Suppressed> = record.suppressed.iter().collect();
    while let Some(first) = rest.first().copied() {
        let alike = |s: &&Suppressed| s.finding.code == first.finding.code && s.reason == first.reason;
        let (these, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(alike);
        let place = |s: &Suppressed| {
            let (file, line) = place_in_file(&s.finding.primary);
            if line > 0 { format!("{file}:{line}") } else { file.to_string() }
        };
        let mut places: Vec<String> = these.iter().take(LISTED_PLACES).map(|s| place(s)).collect();
        places.dedup();
        if these.len() > LISTED_PLACES {
            places.push(count((these.len() - LISTED_PLACES) as u64, "other place"));
        }
        let (n, code, places) = (these.len(), first.finding.code, places.join(", "));
        text += &format!("suppressed: {n}, because {} ({code} at {places})\n", first.reason);
        rest = others;
    }
    if !record.not_checked.is_empty() {
        text += &format!("not checked: {}\n", record.not_checked.join("; "));
    }
    text
}
