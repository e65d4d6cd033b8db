//! Two runs side by side, for people.
//!
//! Start at [`render_compare_runs`].

use tileproof_model::wording::figure;

use super::sweep::verdict;
use crate::json::compare_runs::CompareRunsDocument;
use crate::style::Style;

/// Rows of the path that are told.
const ROWS: usize = 8;

/// The text of a comparison of two runs.
pub fn render_compare_runs(both: &CompareRunsDocument, style: Style) -> String {
    let [a, b] = both.cycles;
    let times = b as f64 / a.max(1) as f64;
    let word = if b < a { "fewer" } else { "more" };
    let change = if a == b { "as many".into() } else { format!("{:.1} % {word}", 100.0 * (times - 1.0).abs()) };
    let mut text =
        format!("{}: {}, {a} cycles\n{}: {}, {b} cycles, {change}\n", both.a, both.status[0], both.b, both.status[1]);
    for (name, bound) in [("first", &both.bound[0]), ("second", &both.bound[1])] {
        if !bound.is_empty() {
            text += &format!("\n{name}: {bound}\n");
        }
    }
    if !both.path.is_empty() {
        text += "\nthe critical path goes to\n";
        for entry in both.path.iter().take(ROWS) {
            text += &format!("  {:<24} {:>10}, then {:>10}\n", entry.resource, entry.a, entry.b);
        }
    }
    if !both.threads.is_empty() {
        text += "\nthreads wait\n";
    }
    for thread in &both.threads {
        let told = |run: usize| match thread.waits[run] {
            None => "runs no kernel".into(),
            Some(_) if thread.waits_for[run].is_empty() => "0 %".into(),
            Some(part) => format!("{:.0} %, most for {}", 100.0 * part, thread.waits_for[run]),
        };
        text += &format!("  {:<7} {}; then {}\n", thread.thread, told(0), told(1));
    }
    for output in &both.outputs {
        let told = |run: usize| output.max_diff[run].map_or("not compared".into(), figure);
        text += &format!("\n{}: off by {}, then {}", output.name, told(0), told(1));
    }
    if !both.outputs.is_empty() {
        text += "\n";
    }
    for (what, codes) in [("new findings", &both.new), ("findings gone", &both.gone)] {
        if !codes.is_empty() {
            text += &format!("\n{what}: {}\n", codes.join(", "));
        }
    }
    text + &format!("\n{}\n", verdict(both.pass, style))
}
