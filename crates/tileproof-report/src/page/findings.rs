//! Findings with their source: the place to blame and what belongs to it, side by side.
//!
//! Start at [`findings`].

use maud::{Markup, html};
use tileproof_model::finding::{Certainty, Finding, Place};
use tileproof_model::record::RunRecord;
use tileproof_model::wording::count;

use super::drawing::file_name;
use crate::outside::visible;
use crate::source::{Sources, place_in_file};

/// Lines before and behind the one that is shown.
const AROUND: usize = 3;
/// Places that a finding shows with their lines.
const PLACES: usize = 6;

/// All that was found, what was noted, and what nobody looked for.
pub(super) fn findings(record: &RunRecord, sources: &dyn Sources) -> Markup {
    html! {
        @if record.findings.is_empty() { p { "Nothing was found." } }
        @for (number, finding) in record.findings.iter().enumerate() {
            (one(finding, &format!("finding-{}", number + 1), false, sources))
        }
        @if !record.notes.is_empty() {
            details open[record.findings.is_empty()] {
                summary { (count(record.notes.len() as u64, "note")) }
                @for (number, note) in record.notes.iter().enumerate() {
                    (one(note, &format!("note-{}", number + 1), true, sources))
                }
            }
        }
        @if !record.suppressed.is_empty() {
            details {
                summary { (count(record.suppressed.len() as u64, "finding")) " that the program suppresses" }
                ul { @for one in &record.suppressed { li { code { (one.finding.code.to_string()) } " " (visible(&one.finding.message)) ": " (visible(&one.reason)) } } }
            }
        }
        @if !record.not_checked.is_empty() {
            details {
                summary { "Not checked" }
                ul { @for what in &record.not_checked { li { (visible(what)) } } }
            }
        }
    }
}

fn one(finding: &Finding, id: &str, is_note: bool, sources: &dyn Sources) -> Markup {
    let certainty = match finding.certainty {
        Certainty::Happened => "happened",
        Certainty::CanHappen => "can happen",
        Certainty::Suspect => "suspected",
    };
    let places = finding.labels.iter().take(PLACES - 1).map(|label| (&label.place, label.text.as_str()));
    let places: Vec<(&Place, &str)> =
        std::iter::once((&finding.primary, finding.primary_text.as_str())).chain(places).collect();
    html! {
        article id=(id) class=(if is_note { "finding is-note" } else { "finding is-error" }) {
            h3 {
                a href={ "#" (id) } { (finding.code.to_string()) } " " (visible(&finding.message))
                " " span.tag { (if is_note { "note" } else { certainty }) }
            }
            div.places { @for (place, text) in &places { (snippet(place, text, sources)) } }
            @if finding.labels.len() >= PLACES {
                ul { @for label in &finding.labels[PLACES - 1..] { li { code { (where_of(&label.place)) } " " (visible(&label.text)) } } }
            }
            @for note in &finding.notes { p { (visible(note)) } }
            @if let Some(help) = &finding.help { p.help { b { "help: " } (visible(help)) } }
            @if !finding.also_on.is_empty() {
                p { small { "also on " (count(finding.also_on.len() as u64, "other core")) } }
            }
            @if !finding.facts.is_empty() {
                details {
                    summary { "facts" }
                    dl.facts { @for (name, value) in &finding.facts { div { dt { (visible(name)) } dd { (visible(value)) } } } }
                }
            }
        }
    }
}

fn where_of(place: &Place) -> String {
    let (file, line) = place_in_file(place);
    format!("{}:{line}", visible(file_name(file)))
}

/// A place with the lines around it.
pub(super) fn snippet(place: &Place, text: &str, sources: &dyn Sources) -> Markup {
    let (file, line) = place_in_file(place);
    let source = sources.text(file).filter(|_| line > 0);
    let at = line as usize;
    let lines = |text: &str| {
        let first = at.saturating_sub(AROUND + 1);
        let lines = text.lines().enumerate().skip(first).take(2 * AROUND + 1);
        lines.map(|(number, line)| (number + 1, visible(line).into_owned())).collect::<Vec<_>>()
    };
    html! {
        figure.place {
            figcaption {
                code title=(visible(file)) { (where_of(place)) }
                " " (place.thread.name()) " of core " (place.core.to_string())
                @if !text.is_empty() { br; (visible(text)) }
            }
            @if let Some(source) = source {
                pre.source tabindex="0" {
                    @for (number, line) in lines(&source) {
                        span class=(if number == at { "line here" } else { "line" }) {
                            span.number { (format!("{number:>4} ")) }
                            (line) "\n"
                        }
                    }
                }
            }
        }
    }
}
