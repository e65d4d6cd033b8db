//! Findings as a compiler prints its errors: place, source line, labels, remarks, help.
//!
//! It adds no opinion and leaves nothing out but repetition. Start at [`render_human`]; the look itself is in `snippet`.

use tileproof_model::finding::{Certainty, Finding, Label, Place};
use tileproof_model::schedule::DEFAULT_SCHEDULE;
use tileproof_model::wording::count;

use super::snippet::{Block, Mark};
use crate::outside::visible;
use crate::severity::{Severity, severity};
use crate::source::Sources;
use crate::style::Style;

/// Cores that are listed by name.
const LISTED_CORES: usize = 12;

/// Findings, then notes, each as a block, then one line that counts them. Empty when there are none.
///
/// `schedule` is the token of the run.
pub fn render_human(
    findings: &[Finding],
    notes: &[Finding],
    schedule: &str,
    sources: &dyn Sources,
    style: Style,
) -> String {
    let mut text = String::new();
    for finding in findings {
        text += &block(finding, severity(finding), schedule).render(sources, style);
        text.push('\n');
    }
    for note in notes {
        text += &block(note, Severity::Note, schedule).render(sources, style);
        text.push('\n');
    }
    if !text.is_empty() {
        text += &summary(findings, notes);
        text.push('\n');
    }
    text
}

/// "2 errors, 1 note", or "0 findings, 1 note".
fn summary(findings: &[Finding], notes: &[Finding]) -> String {
    let of = |kind| findings.iter().filter(|f| severity(f) == kind).count();
    let counts = [(of(Severity::Error), "error"), (of(Severity::Warning), "warning"), (notes.len(), "note")];
    let none = findings.is_empty().then(|| "0 findings".to_string());
    let parts: Vec<String> =
        none.into_iter().chain(counts.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| count(*n as u64, noun))).collect();
    parts.join(", ")
}

fn block<'a>(finding: &'a Finding, severity: Severity, schedule: &str) -> Block<'a> {
    Block {
        severity,
        id: finding.code.to_string(),
        title: visible(&finding.message),
        primary: mark(&finding.primary, &finding.primary_text),
        labels: finding.labels.iter().filter_map(|l| mark(&l.place, &l.text)).collect(),
        notes: remarks(finding, schedule).iter().map(|remark| visible(remark).into_owned()).collect(),
        help: finding.help.as_deref().map(visible),
    }
}

fn mark<'a>(place: &'a Place, text: &'a str) -> Option<Mark<'a>> {
    let location = place.location.as_ref()?;
    Some(Mark { file: &location.file, line: location.line, column: location.column, text: visible(text) })
}

/// Where it happened in the machine, what the numbers were, and how to see it again.
fn remarks(finding: &Finding, schedule: &str) -> Vec<String> {
    let mut remarks = Vec::new();
    let Place { location, kernel, core, thread } = &finding.primary;
    // A C++ kernel bears the name of its file, which stands above already.
    let is_named = kernel.is_empty() || location.as_ref().is_some_and(|l| l.file == *kernel);
    let of_kernel = if is_named { String::new() } else { format!(", kernel {kernel}") };
    let facts: Vec<String> = finding.facts.iter().map(|(key, value)| format!("{key} {value}")).collect();
    // What is of no kernel and of no file is about the call itself.
    let is_of_call = kernel.is_empty() && location.is_none();
    if is_of_call {
        remarks.extend((!facts.is_empty()).then(|| facts.join(", ")));
    } else {
        let facts = if facts.is_empty() { String::new() } else { format!("; {}", facts.join(", ")) };
        remarks.push(format!("core {core}, {thread}{of_kernel}{facts}"));
    }
    if location.is_none() {
        if !finding.primary_text.is_empty() {
            remarks.push(finding.primary_text.clone());
        }
        remarks.extend((!is_of_call).then(|| "the source line is not known".into()));
    }
    let homeless = |l: &&Label| l.place.location.is_none();
    remarks.extend(finding.labels.iter().filter(homeless).map(|l| format!("{} (source line not known)", l.text)));
    remarks.extend(finding.notes.iter().cloned());
    if !finding.also_on.is_empty() {
        let listed: Vec<String> = finding.also_on.iter().take(LISTED_CORES).map(|c| c.to_string()).collect();
        let more = finding.also_on.len() - listed.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let others = count(finding.also_on.len() as u64, "other core");
        remarks.push(format!("and on {others}: {}{more}", listed.join(" ")));
    }
    match finding.certainty {
        Certainty::Happened => {}
        Certainty::CanHappen => remarks.push("not in this run: another order of the threads brings it out".into()),
        Certainty::Suspect => remarks.push("a suspicion, not a proof".into()),
    }
    if schedule != DEFAULT_SCHEDULE {
        remarks.push(format!("replay with `--schedule {schedule}`"));
    }
    remarks.push(format!("for more: `tileproof explain {}`", finding.code));
    remarks
}
