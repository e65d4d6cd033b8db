//! What people read of the workbench on a terminal.
//!
//! Numbers come out of the results as they are. Start at [`check`].

use tileproof::op::gates::{Check, State};
use tileproof_report::json::finding::DEFAULT_SCHEDULE;
use tileproof_report::{Style, render_human};

use super::accuracy;

/// The gates, and why the red one is red.
pub(super) fn check(check: &Check, style: Style) -> String {
    let paint = |text: &str, color: &str| {
        if style.color { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_string() }
    };
    let mut text = format!("{}\n\n", check.op);
    for gate in &check.gates {
        let state = match gate.state {
            State::Pass => paint("green", "32"),
            State::Fail => paint("RED  ", "1;31"),
            State::NotReached => "  -  ".to_string(),
        };
        let line = format!("  {} {state}  {:<32}  {}", gate.number, gate.name, gate.detail);
        text += line.trim_end();
        text.push('\n');
    }
    if let Some(failure) = check.red().and_then(|gate| gate.failure.as_ref()) {
        text += &format!("\n{}\n", failure.reason);
        let sources = |file: &str| std::fs::read_to_string(file).ok();
        // Of what never ran the reason has said it all.
        if failure.findings.iter().any(|finding| finding.code.is_of_a_run()) {
            text += &format!("\n{}", render_human(&failure.findings, &[], DEFAULT_SCHEDULE, &sources, style));
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
