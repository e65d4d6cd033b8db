//! Workflow commands: what makes a CI log annotate the lines of a change.
//!
//! One command a finding, `::error file=..,line=..,title=..::message`. Values are escaped as the runner undoes it
//! (GitHub's toolkit, `command.ts`): `%` and line ends, in properties also `:` and `,`. Start at [`render_github`].

use tileproof_model::finding::Finding;

use crate::outside::for_log;
use crate::severity::{Severity, also_on, severity};
use crate::source::place_in_file;

/// Findings, then notes, one command each.
pub fn render_github(findings: &[Finding], notes: &[Finding]) -> String {
    let found = findings.iter().map(|f| command(f, severity(f)));
    found.chain(notes.iter().map(|n| command(n, Severity::Note))).collect()
}

fn command(finding: &Finding, severity: Severity) -> String {
    let level = match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let (file, line) = place_in_file(&finding.primary);
    let mut properties = vec![format!("file={}", property(file))];
    if line > 0 {
        properties.push(format!("line={line}"));
    }
    if let Some(column) = finding.primary.location.as_ref().map(|l| l.column).filter(|column| *column > 0) {
        properties.push(format!("col={column}"));
    }
    properties.push(format!("title={}", property(&format!("{}: {}", finding.code, finding.code.title()))));
    let mut text = finding.message.clone();
    for label in &finding.labels {
        let (file, line) = place_in_file(&label.place);
        text += &format!("\n{file}:{line}: {}", label.text);
    }
    if finding.code.is_of_a_run() {
        text += &format!("\ncore {}, {}{}", finding.primary.core, finding.primary.thread, also_on(finding));
    }
    for note in &finding.notes {
        text += &format!("\n{note}");
    }
    if let Some(help) = &finding.help {
        text += &format!("\nhelp: {help}");
    }
    format!("::{level} {}::{}\n", properties.join(","), data(&text))
}

fn data(text: &str) -> String {
    // A return is a control character, which is written out.
    for_log(text, false).replace('%', "%25").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
