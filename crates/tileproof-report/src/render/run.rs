//! A run as people read it: how it ended, its outputs, what was found, and the verdict.
//!
//! It judges nothing: what passes is said by whoever ran it. Start at [`render_run`].

use tileproof_model::record::RunRecord;
use tileproof_model::wording::{count, figure};

use super::human::render_human;
use super::summary::render_summary;
use super::table::lost;
use crate::json::ExploredDocument;
use crate::json::derived::DerivedEntry;
use crate::source::Sources;
use crate::style::{Ink, Style};
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
    /// The one that differs most.
    pub most: Option<ElementText<'a>>,
    /// Where they are, in words.
    pub place: Option<&'a str>,
    /// Which cores wrote them, in words.
    pub cores: Option<&'a str>,
    /// The places as a map of tiles.
    pub map: Option<MapText<'a>>,
    /// What its operations may lose, where that is its tolerance.
    pub derived: Option<DerivedEntry>,
    /// As expected, or nothing was expected.
    pub pass: bool,
}

/// The tiles of an output that is wrong.
pub struct MapText<'a> {
    /// Tiles in a row.
    pub columns: usize,
    /// The row of tiles that the map begins with.
    pub first_row: usize,
    /// Of each tile, row by row, a bit for each face in which something is wrong.
    pub faces: &'a [u8],
    /// Rows of tiles below those.
    pub more_rows: usize,
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
    text += &run.outputs.iter().map(|output| output_text(output, style)).collect::<String>();
    let findings = render_human(&record.findings, &record.notes, run.schedule, sources, style);
    let verdict = if run.pass { "pass" } else { "FAIL" };
    text + &format!("\n{findings}{}\n{verdict}\n", render_summary(record))
}

fn output_text(output: &OutputText<'_>, style: Style) -> String {
    let name = output.name;
    match (output.max_diff, output.pass) {
        (None, true) => format!("{name}: nothing to compare with\n"),
        (None, false) => format!("{name}: not compared\n"),
        (Some(_), true) => match output.derived {
            Some(derived) => format!("{name}: as expected, {}\n", lost(derived)),
            None => format!("{name}: as expected\n"),
        },
        (Some(max), false) => {
            let element = |ElementText { place, found, expected }: &ElementText<'_>| {
                let shown = |(value, bits): (f64, u32)| format!("{} ({bits:#x})", figure(value));
                format!("at {place:?}: {}, expected {}", shown(*found), shown(*expected))
            };
            let first = output.first.as_ref().map_or(String::new(), |first| format!(", first {}", element(first)));
            let elements = count(output.differing as u64, "element");
            let differ = if output.differing == 1 { "differs" } else { "differ" };
            let is_first =
                |most: &&ElementText<'_>| output.first.as_ref().is_none_or(|first| first.place != most.place);
            let most = output.most.as_ref().filter(is_first);
            let most = most.map_or(String::new(), |most| format!("    most {}\n", element(most)));
            let place = output.place.map_or(String::new(), |place| format!("    {place}\n"));
            let cores = output.cores.map_or(String::new(), |cores| format!("    {cores}\n"));
            let map = output.map.as_ref().map_or(String::new(), |map| map_text(map, style));
            let lost = output.derived.map_or_else(String::new, |derived| format!("{name}: {}\n", lost(derived)));
            format!("{name}: {elements} {differ} by up to {max:.3e}{first}\n{most}{place}{cores}{map}{lost}")
        }
    }
}

/// A sign a tile: its quarters are its faces, and those that are full have something wrong. Without colours a tile is `.` if it is
/// right, `#` if something is wrong in each face, else `+`.
fn map_text(map: &MapText<'_>, style: Style) -> String {
    const QUARTERS: [&str; 16] = ["·", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"];
    let sign = |faces: &u8| match (style.color, faces & 15) {
        (true, 0) => style.paint(QUARTERS[0], Ink::Plain),
        (true, faces) => style.paint(QUARTERS[usize::from(faces)], Ink::Bad),
        (false, 0) => ".".into(),
        (false, 15) => "#".into(),
        (false, _) => "+".into(),
    };
    let rows = map.faces.chunks(map.columns.max(1));
    let rows: String = rows.map(|row| format!("    {}\n", row.iter().map(sign).collect::<String>())).collect();
    let from = match map.first_row {
        0 => String::new(),
        first => format!("    from row {first} of tiles on\n"),
    };
    let more = match map.more_rows {
        0 => String::new(),
        more => format!("    and {} of tiles below\n", count(more as u64, "row")),
    };
    from + &rows + &more
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_that_are_wrong_are_signs_with_quarters_or_plain() {
        let element = |place: &'static [u32]| ElementText { place, found: (1.0, 0x3f80), expected: (2.0, 0x4000) };
        let mut output = OutputText {
            name: "y",
            max_diff: Some(1.0),
            differing: 2,
            first: Some(element(&[0, 1])),
            most: Some(element(&[0, 7])),
            place: Some("within 3 of 40 tiles"),
            cores: Some("one core's share"),
            map: Some(MapText { columns: 2, first_row: 0, faces: &[0, 15, 2, 0], more_rows: 1 }),
            derived: None,
            pass: false,
        };
        assert_eq!(
            output_text(&output, Style::PLAIN),
            "y: 2 elements differ by up to 1.000e0, first at [0, 1]: 1 (0x3f80), expected 2 (0x4000)\n    \
             most at [0, 7]: 1 (0x3f80), expected 2 (0x4000)\n    within 3 of 40 tiles\n    one core's share\n    .#\n    +.\n    and 1 row of tiles below\n"
        );
        let colour = output_text(&output, Style { color: true, width: 80 });
        assert!(colour.contains("    ·\u{1b}[1;31m█\u{1b}[0m\n    \u{1b}[1;31m▝\u{1b}[0m·\n"), "{colour:?}");
        output.map = output.map.map(|map| MapText { first_row: 20, ..map });
        let below = output_text(&output, Style::PLAIN);
        assert!(
            below.ends_with("    from row 20 of tiles on\n    .#\n    +.\n    and 1 row of tiles below\n"),
            "{below}"
        );
    }
}
