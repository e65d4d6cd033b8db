//! What people read of the workbench on a terminal.
//!
//! Numbers come out of the results as they are. Start at [`check`].

use tileproof::op::gates::{Check, State};
use tileproof_report::json::finding::DEFAULT_SCHEDULE;
use tileproof_report::{Ink, Style, render_human};

use super::accuracy;
use crate::source_files::SourceFiles;

/// The gates, and why the red one is red.
pub(super) fn check(check: &Check, style: Style) -> String {
    let mut text = format!("{}\n\n", check.op);
    for gate in &check.gates {
        let state = match gate.state {
            State::Pass => style.paint("green", Ink::Good),
            State::Fail => style.paint("RED  ", Ink::Bad),
            State::NotReached => "  -  ".to_string(),
        };
        let line = format!("  {} {state}  {:<32}  {}", gate.number, gate.name, gate.detail);
        text += line.trim_end();
        text.push('\n');
    }
    if let Some(failure) = check.red().and_then(|gate| gate.failure.as_ref()) {
        text += &format!("\n{}\n", failure.reason);
        // Of what never ran the reason has said it all.
        if failure.findings.iter().any(|finding| finding.code.is_of_a_run()) {
            text += &format!(
                "\n{}",
                render_human(&failure.findings, &[], DEFAULT_SCHEDULE, &SourceFiles::default(), style)
            );
        }
        if let Some(help) = &failure.help {
            text += &format!("\nhelp: {help}\n");
        }
    }
    let worst = accuracy::worst(&check.accuracy);
    if !worst.is_empty() && check.pass() {
        text += "\nThe largest error of each output, by data\n\n";
        text += &accuracy::table(&worst, style);
    }
    let runs = if check.runs == 1 { "run" } else { "runs" };
    let verdict = match check.red() {
        None => "pass: all seven gates are green".to_string(),
        Some(gate) => format!("FAIL at gate {}, \"{}\"", gate.number, gate.name),
    };
    text += &format!("\n{verdict} ({} {runs}, {:.1} s)\n", check.runs, check.wall_s);
    text
}
