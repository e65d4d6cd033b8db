//! An audit as text: what the test would miss, by source line, and what would find it.
//!
//! Start at [`render_audit`].

use tileproof_model::wording::count;

use super::table::{figure, render_outputs};
use crate::json::AuditDocument;
use crate::json::audit::{AdviceEntry, MutantEntry, WhatIfEntry};
use crate::style::{Ink, Style};

/// An audit: the mutants that are missed, a line each, the power of the test, and advice.
pub fn render_audit(audit: &AuditDocument, style: Style) -> String {
    let passes = audit.status == "completed" && audit.outputs.iter().all(|output| output.pass);
    if !passes {
        let outputs = render_outputs(&audit.outputs, style);
        return format!(
            "{outputs}\nthe program does not pass its own test ({}): an audit asks what a passing test misses\n{}\nFAIL\n",
            audit.status,
            what_if(&audit.what_if)
        );
    }
    let mut text = String::new();
    let mut last = String::new();
    for mutant in audit.mutants.iter().filter(|mutant| mutant.result == "missed") {
        let place = place(mutant);
        if place != last {
            text += &format!("{}\n", style.paint(&place, Ink::Head));
            last = place;
        }
        text += &format!("  {}  {}\n", style.paint("missed", Ink::Bad), told(mutant));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text += &summary(audit);
    text += &advice(audit);
    text += &what_if(&audit.what_if);
    if !audit.what_if.is_empty()
        && let Some(why) = &audit.order_not_tried
    {
        text += &format!("  another order of sums was not tried: {why}\n");
    }
    text + if audit.pass { "\npass\n" } else { "\nFAIL\n" }
}

/// Where a mutant is.
fn place(mutant: &MutantEntry) -> String {
    match mutant.line {
        0 if mutant.change == "known" => "published kernels of this op".into(),
        0 => "compute kernels".into(),
        line => format!("{}:{line}", mutant.file),
    }
}

/// What is wrong in it, and how near the test comes to seeing it.
fn told(mutant: &MutantEntry) -> String {
    let what = if mutant.what.is_empty() { String::new() } else { format!("{}: ", mutant.what) };
    let call = if mutant.call == 0 { String::new() } else { format!(" (call {} of each core)", mutant.call) };
    let needed = match mutant.needed_atol {
        _ if !mutant.changes => "no difference on these data".into(),
        0.0 => "what differs is within rtol, or expected nowhere".into(),
        needed => format!("seen below atol {}", figure(needed)),
    };
    format!("{what}{}{call}; {needed}", mutant.text)
}

fn summary(audit: &AuditDocument) -> String {
    let could = audit.found + audit.missed;
    let share = (100 * audit.found).checked_div(could).unwrap_or(100);
    let tolerance = match (audit.rtol, audit.atol) {
        (Some(rtol), Some(atol)) => format!("rtol {rtol}, atol {atol}"),
        _ if audit.outputs.iter().any(|output| output.derived.is_some()) => "tolerance derived".into(),
        _ => "compared bit by bit".into(),
    };
    let mut text = format!(
        "{} ({tolerance}): the test finds {} of {}, {share} %\n",
        audit.program,
        audit.found,
        count(could as u64, "mutant")
    );
    if audit.unchanged > 0 {
        text += &format!(
            "{} more change no bit of any output, on any data that was tried: there is nothing to find\n",
            audit.unchanged
        );
    }
    if audit.not_modelled > 0 {
        text += &format!("{} more stop where no source says what the hardware does\n", audit.not_modelled);
    }
    let mut reasons: Vec<&str> = Vec::new();
    for mutant in audit.mutants.iter().filter(|mutant| mutant.result == "not_run") {
        let why = mutant.reason.as_deref().unwrap_or_default();
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    if audit.not_run > 0 {
        text += &format!("{} more are not settled: {}\n", audit.not_run, reasons.join("; "));
    }
    if audit.mutants.is_empty() {
        text += "no line of a kernel is known at which anything could be wrong: nothing was asked\n";
    }
    text
}

fn advice(audit: &AuditDocument) -> String {
    if audit.advice.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nwhat finds more\n");
    for (number, advice) in audit.advice.iter().enumerate() {
        let also = if number == 0 { "" } else { "and " };
        text += &format!("  {also}{}: {} of {}\n", change(advice), advice.finds, left(advice, number));
    }
    text
}

/// Settings that were run, and what they give.
pub(super) fn what_if(entries: &[WhatIfEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let cost = 100.0 * (entry.cycles as f64 / entry.cycles_before.max(1) as f64 - 1.0);
        let passes = if entry.pass { "" } else { "; it does not pass all the same" };
        text += &format!(
            "  {}: the largest difference goes from {} to {}, cycles {cost:+.0} %{passes}\n",
            entry.settings,
            figure(entry.max_diff_before),
            figure(entry.max_diff)
        );
    }
    if text.is_empty() { text } else { format!("\nwhat is more exact\n{text}") }
}

fn change(advice: &AdviceEntry) -> String {
    let data: Vec<String> = advice.data.iter().map(|(name, fill)| format!("{name} = {fill}")).collect();
    let data = if data.is_empty() { "the same data".into() } else { data.join(", ") };
    // Where bits are compared there is no tolerance to change.
    if advice.atol == 0.0 { data } else { format!("{data} and atol {}", advice.atol) }
}

fn left(advice: &AdviceEntry, number: usize) -> String {
    if number == 0 { format!("the {} missed", advice.of) } else { format!("the {} left", advice.of) }
}
