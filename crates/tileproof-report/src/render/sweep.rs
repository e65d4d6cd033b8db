//! A sweep, and two of them compared, as text.
//!
//! It must never pass a list off as whole that is cut. Start at [`render_sweep`] and [`render_compare`].

use tileproof_model::wording::count;

use crate::json::sweep::{CompareDocument, ComparedOutput, SweepDocument};
use crate::style::{Ink, Style};

/// Lines of a list.
const LISTED: usize = 12;

/// What a sweep came to.
pub fn render_sweep(sweep: &SweepDocument, style: Style) -> String {
    let name = if sweep.name.is_empty() { "sweep" } else { &sweep.name };
    let mut text =
        format!("{}: {} of {} pass\n", style.paint(name, Ink::Head), sweep.passed, count(sweep.cells, "cell"));
    let by = |what: &str, all: &std::collections::BTreeMap<String, u64>| {
        let each: Vec<String> = all.iter().map(|(word, cells)| format!("{word} {cells}")).collect();
        if each.is_empty() { String::new() } else { format!("  {what:<9} {}\n", each.join(", ")) }
    };
    text += &by("ended", &sweep.statuses);
    text += &by("found", &sweep.codes);
    if sweep.ran < sweep.cells {
        text += &format!("  {:<9} {} of a run before\n", "kept", count(sweep.cells - sweep.ran, "cell"));
    }
    if !sweep.failing.is_empty() {
        text.push('\n');
    }
    for cell in sweep.failing.iter().take(LISTED) {
        let codes = if cell.codes.is_empty() { cell.status.clone() } else { cell.codes.join(" ") };
        let why = cell.message.as_ref().map_or(String::new(), |message| format!(": {message}"));
        text += &format!("  {}  {}{why}\n", style.paint(&codes, Ink::Bad), cell.what);
    }
    let failing = sweep.cells - sweep.passed;
    if failing > LISTED as u64 {
        text += &format!("  and {}\n", count(failing - LISTED as u64, "other cell"));
    }
    text + &format!("\nall of it: {}\n\n{}\n", sweep.file, verdict(sweep.pass, style))
}

pub(super) fn verdict(pass: bool, style: Style) -> String {
    if pass { style.paint("pass", Ink::Good) } else { style.paint("FAIL", Ink::Bad) }
}

/// Two sweeps, cell by cell.
pub fn render_compare(both: &CompareDocument, style: Style) -> String {
    let mut text = format!("{} in both", count(both.cells, "cell"));
    for (only, file) in [(both.only_a, &both.a), (both.only_b, &both.b)] {
        if only > 0 {
            text += &format!(", {only} in {file} alone");
        }
    }
    text.push('\n');
    for (missing, file) in [(both.missing_a, &both.a), (both.missing_b, &both.b)] {
        if missing > 0 {
            let missing = style.paint(&format!("{} missing", count(missing, "cell")), Ink::Bad);
            text += &format!(
                "{missing} in {file}, whose sweep was ended: start it again, or compare what is there with --partial\n"
            );
        }
    }
    let finding = |finding: &crate::json::sweep::ComparedFinding| {
        format!("{}  {}: {}", finding.code, finding.what, finding.message)
    };
    let cell = |cell: &crate::json::sweep::ComparedCell| format!("{}: {}, then {}", cell.what, cell.a, cell.b);
    let lists: [(&str, Vec<String>, Ink); 6] = [
        ("new findings", both.new.iter().map(finding).collect(), Ink::Bad),
        ("findings gone", both.gone.iter().map(finding).collect(), Ink::Good),
        ("cells that passed", both.broken.iter().map(cell).collect(), Ink::Bad),
        ("cells that pass now", both.mended.iter().map(cell).collect(), Ink::Good),
        ("less accurate", both.less_accurate.iter().map(output).collect(), Ink::Bad),
        ("more accurate", both.more_accurate.iter().map(output).collect(), Ink::Good),
    ];
    for (title, lines, ink) in lists {
        if lines.is_empty() {
            continue;
        }
        text += &format!("\n{} ({})\n", style.paint(title, ink), lines.len());
        lines.iter().take(LISTED).for_each(|line| text += &format!("  {line}\n"));
        if lines.len() > LISTED {
            text += &format!("  and {} more\n", lines.len() - LISTED);
        }
    }
    let cycles = &both.cycles;
    text += &format!(
        "\ncycles of {} that completed in both: {}, then {}; {} faster, {} slower\n",
        count(cycles.cells, "cell"),
        cycles.a,
        cycles.b,
        cycles.faster,
        cycles.slower
    );
    if let Some(slowest) = &cycles.slowest {
        text += &format!("  slower most: {}: {}, then {}\n", slowest.what, slowest.a, slowest.b);
    }
    text + &format!("\n{}\n", verdict(both.pass, style))
}

fn output(output: &ComparedOutput) -> String {
    format!("{} of {}: {:.3e}, then {:.3e}", output.output, output.what, output.a, output.b)
}
