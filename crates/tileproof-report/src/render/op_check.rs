//! A check of an op as people read it on a terminal: the gates, and why the red one is red.
//!
//! Numbers are those of the document. Start at [`render_op_check`].

use tileproof_model::finding::Finding;
use tileproof_model::wording::count;

use super::human::render_human;
use super::table::render_accuracy;
use crate::json::op::{AccuracyEntry, GateEntry, OpCheckDocument, OpDocument};
use crate::source::Sources;
use crate::style::{Ink, Style};
use tileproof_model::schedule::DEFAULT_SCHEDULE;

/// A check, and what is known of it beside its document.
pub struct OpCheckText<'a> {
    /// What the gates came to.
    pub document: &'a OpCheckDocument,
    /// The op, if its description can be read.
    pub description: Option<&'a OpDocument>,
    /// Findings of the run that made a gate red.
    pub findings: &'a [Finding],
    /// For each output, format and kind of data the run with the largest error.
    pub worst: &'a [AccuracyEntry],
    /// Tolerances of gate 7, relative and absolute.
    pub tolerances: (f64, f64),
}

impl OpCheckText<'_> {
    /// The gate that is red.
    pub(super) fn red(&self) -> Option<&GateEntry> {
        self.document.gates.iter().find(|gate| gate.state == "fail")
    }
}

/// The gates, and why the red one is red.
pub fn render_op_check(check: &OpCheckText<'_>, sources: &dyn Sources, style: Style) -> String {
    let document = check.document;
    let mut text = format!("{}\n\n", document.op);
    for gate in &document.gates {
        let state = match gate.state.as_str() {
            "pass" => style.paint("green", Ink::Good),
            "fail" => style.paint("RED  ", Ink::Bad),
            _ => "  -  ".to_string(),
        };
        let line = format!("  {} {state}  {:<32}  {}", gate.gate, gate.name, gate.detail);
        text += line.trim_end();
        text.push('\n');
    }
    if let Some((red, reason)) = check.red().and_then(|red| Some((red, red.reason.as_ref()?))) {
        text += &format!("\n{reason}\n");
        // Of what never ran the reason has said it all.
        if check.findings.iter().any(|finding| finding.code.is_of_a_run()) {
            text += &format!("\n{}", render_human(check.findings, &[], DEFAULT_SCHEDULE, sources, style));
        }
        if let Some(help) = &red.help {
            text += &format!("\nhelp: {help}\n");
        }
    }
    if !check.worst.is_empty() && document.pass {
        text += "\nThe largest error of each output, by data\n\n";
        text += &render_accuracy(check.worst, style);
    }
    let verdict = match check.red() {
        None => "pass: all seven gates are green".to_string(),
        Some(gate) => format!("FAIL at gate {}, \"{}\"", gate.gate, gate.name),
    };
    text + &format!("\n{verdict} ({}, {:.1} s)\n", count(document.runs as u64, "run"), document.wall_s)
}
