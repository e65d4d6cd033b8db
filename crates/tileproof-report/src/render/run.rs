//! A run as people read it: how it ended, its outputs, what was found, and the verdict.
//!
//! It judges nothing: what passes is said by whoever ran it. Start at [`render_run`].

use tileproof_model::record::RunRecord;
use tileproof_model::wording::{count, figure};

use super::human::render_human;
use super::summary::render_summary;
use crate::json::ExploredDocument;
use crate::source::Sources;
use crate::style::Style;
use tileproof_model::schedule::DEFAULT_SCHEDULE;

/// A run, and what is known of it beside its record.
pub struct RunText<'a> {
    /// What it left behind.
    pub record: &'a RunRecord,
    /// The token of its schedule.
    pub schedule: &'a str,
    /// Seconds on the host.
    pub wall_s: f64,
    /// Its outputs.
    pub outputs: Vec<OutputText<'a>>,
    /// What exploring came to, if that was asked for.
    pub explored: Option<&'a ExploredDocument>,
    /// The command that runs it again on the schedule that fails.
    pub replay: String,
    /// Nothing was found, and all outputs are as expected.
    pub pass: bool,
}

/// An output.
pub struct OutputText<'a> {
    /// Name of the tensor.
    pub name: &'a str,
    /// Largest difference from what is expected, if something is.
    pub max_diff: Option<f64>,
    /// Elements that differ.
    pub differing: usize,
    /// The first of them.
    pub first: Option<ElementText<'a>>,
    /// As expected, or nothing was expected.
    pub pass: bool,
}

/// An element that is not as expected: values, and their bits.
pub struct ElementText<'a> {
    /// Its place in the shape.
    pub place: &'a [u32],
    /// What came out.
    pub found: (f64, u32),
    /// What was expected.
    pub expected: (f64, u32),
}

/// The text of a run.
pub fn render_run(run: &RunText<'_>, sources: &dyn Sources, style: Style) -> String {
    let record = run.record;
    let mut text = run.explored.map_or(String::new(), |explored| explored_text(explored, &run.replay) + "\n");
    let schedule = if run.schedule == DEFAULT_SCHEDULE { "" } else { &format!(", schedule {}", run.schedule) };
    text += &format!("{}, {} cycles, {:.3} s{schedule}\n", record.status.name(), record.cycles, run.wall_s);
    text += &run.outputs.iter().map(output_text).collect::<String>();
    let findings = render_human(&record.findings, &record.notes, run.schedule, sources, style);
    let verdict = if run.pass { "pass" } else { "FAIL" };
    text + &format!("\n{findings}{}\n{verdict}\n", render_summary(record))
}

fn output_text(output: &OutputText<'_>) -> String {
    let name = output.name;
    match (output.max_diff, output.pass) {
        (None, true) => format!("{name}: nothing to compare with\n"),
        (None, false) => format!("{name}: not compared\n"),
        (Some(_), true) => format!("{name}: as expected\n"),
        (Some(max), false) => {
            let first = output.first.as_ref().map_or(String::new(), |ElementText { place, found, expected }| {
                let shown = |(value, bits): (f64, u32)| format!("{} ({bits:#x})", figure(value));
                format!(", first at {place:?}: {}, expected {}", shown(*found), shown(*expected))
            });
            let elements = count(output.differing as u64, "element");
            let differ = if output.differing == 1 { "differs" } else { "differ" };
            format!("{name}: {elements} {differ} by up to {max:.3e}{first}\n")
        }
    }
}

/// What exploring came to, in a few lines.
fn explored_text(explored: &ExploredDocument, replay: &str) -> String {
    let Some(failed) = &explored.failed else {
        let others = count(explored.schedules as u64, "other order");
        let runs = match explored.runs.saturating_sub(explored.schedules) {
            0 => String::new(),
            _ => format!(" in {} runs", explored.runs),
        };
        return match explored.all_orders {
            Some(1) => "explored: nothing is left open, so that the default order is the only one\n".into(),
            Some(all) => format!("explored all {all} orders{runs}: none fails as the default does not\n"),
            None => format!("explored {others}{runs}: none fails as the default does not\n"),
        };
    };
    let default = if explored.default_passes { "passes" } else { "fails too, in another way" };
    let departures: String = explored.departures.iter().map(|departure| format!("    {departure}\n")).collect();
    format!(
        "explored {} of {} other orders: {failed} fails, and the default {default}\n{departures}replay with: {replay}\n",
        explored.schedules, explored.of
    )
}
