//! From what the library gives to what the report crate takes: a run as a document, as text, and in each format for programs.
//!
//! It must never work out a figure: fields go over as they are. Start at [`for_programs`].

use std::path::Path;

use tileproof::audit::WhatIf;
use tileproof::error_map::{ErrorMap, Recipe};
use tileproof::model::record::RunRecord;
use tileproof::model::schedule::Schedule;
use tileproof::output::{Derived, Difference, OutputResult};
use tileproof::run_file::{Explored, RunResult};
use tileproof_report::json::{
    self, DerivedEntry, ExploredDocument, LayerNormOutput, RunDocument, RunOutput, SarifDocument, WhatIfEntry,
};
use tileproof_report::{
    ElementText, MapText, OutputText, RunText, Style, render_concise, render_concise_suppressed, render_github,
    render_human, render_junit, render_run,
};

pub use crate::arguments::RunFormat;
use crate::source_files::SourceFiles;
pub use crate::terminal::style_on_stderr;
use crate::terminal::{self, Unwritable, pass_on, say};

/// A run as programs read it; `None` for the format of people.
pub fn for_programs(result: &RunResult, program: &Path, format: RunFormat) -> anyhow::Result<Option<String>> {
    let RunRecord { findings, notes, suppressed, .. } = &result.record;
    Ok(Some(match format {
        RunFormat::Human => return Ok(None),
        RunFormat::Json => json::to_text(&document(result))?,
        RunFormat::Concise => render_concise(findings, notes) + &render_concise_suppressed(suppressed),
        RunFormat::Sarif => {
            let (version, schedule) = (env!("CARGO_PKG_VERSION"), result.schedule.to_string());
            SarifDocument::new(version, findings, notes, suppressed, &schedule).to_text()?
        }
        RunFormat::Junit => render_junit(&program.display().to_string(), &document(result), findings, notes),
        RunFormat::Github => render_github(findings, notes),
    }))
}

/// Says a result in a format. Workflow commands are what they are; everywhere else they have no place.
pub(crate) fn say_in(format: RunFormat, text: &str) -> Result<(), Unwritable> {
    if format == RunFormat::Github { pass_on(text.as_bytes()) } else { say(text) }
}

/// A run as people read it; `replay` is the command that runs it again on the schedule that was found to fail.
pub(crate) fn for_people(result: &RunResult, replay: String) -> String {
    for_people_in(terminal::style(), result, replay)
}

/// The same, in a style.
pub fn for_people_in(style: Style, result: &RunResult, replay: String) -> String {
    let explored = result.explored.as_ref().map(explored_document);
    let run = RunText {
        record: &result.record,
        schedule: &result.schedule.to_string(),
        wall_s: result.wall_s,
        outputs: result.outputs.iter().map(output_text).collect(),
        explored: explored.as_ref(),
        replay,
        pass: result.pass(),
    };
    render_run(&run, &SourceFiles::default(), style)
}

/// What was found where nothing ran, as people read it, in a style.
pub fn findings_for_people_in(style: Style, result: &RunResult) -> String {
    let RunRecord { findings, notes, .. } = &result.record;
    let schedule = result.schedule.to_string();
    render_human(findings, notes, &schedule, &SourceFiles::default(), style) + "\nFAIL\n"
}

/// The JSON document of a run.
pub fn document(result: &RunResult) -> RunDocument {
    let output = |o: &OutputResult| RunOutput {
        name: o.name.clone(),
        max_diff: o.max_diff,
        mean_diff: o.mean_diff,
        pass: o.pass,
        derived: o.derived.map(derived),
    };
    RunDocument {
        outputs: result.outputs.iter().map(output).collect(),
        explored: result.explored.as_ref().map(explored_document),
        ..RunDocument::new(&result.record, &result.schedule.to_string(), result.wall_s)
    }
}

fn explored_document(explored: &Explored) -> ExploredDocument {
    let departures = explored.failed.iter().flat_map(|schedule| &schedule.departures);
    ExploredDocument {
        schedules: explored.schedules,
        of: explored.of,
        runs: explored.runs,
        all_orders: explored.are_all.then_some(explored.schedules + 1),
        failed: explored.failed.as_ref().map(Schedule::to_string),
        departures: departures.map(|departure| departure.describe()).collect(),
        default_passes: explored.default_passes,
    }
}

/// How far off an output is, as pages take it.
pub(crate) fn error_map(map: &ErrorMap) -> tileproof_report::ErrorMap {
    let ErrorMap { name, cells, cell, largest, worst, tile, tile_at, recipes, calls } = map.clone();
    let recipe = |recipe: Recipe| (recipe.at, recipe.element, recipe.text);
    let recipes = recipes.into_iter().map(recipe).collect();
    tileproof_report::ErrorMap { name, cells, cell, largest, worst, tile, tile_at, recipes, calls }
}

/// Settings that were tried.
pub(crate) fn what_if(entry: &WhatIf) -> WhatIfEntry {
    WhatIfEntry {
        settings: entry.settings.clone(),
        max_diff_before: entry.max_diff[0],
        max_diff: entry.max_diff[1],
        cycles_before: entry.cycles[0],
        cycles: entry.cycles[1],
        pass: entry.pass,
    }
}

/// What the operations of an output may lose, and what was lost.
pub(crate) fn derived(of: Derived) -> DerivedEntry {
    DerivedEntry { largest_bound: of.largest_bound, share: of.share }
}

/// An output beside its reference in float64.
pub(crate) fn beside_reference(output: &OutputResult) -> LayerNormOutput {
    LayerNormOutput {
        name: output.name.clone(),
        max_diff: output.max_diff.unwrap_or(f64::NAN),
        mean_diff: output.mean_diff.unwrap_or(f64::NAN),
        max_ulp: output.max_ulp.unwrap_or(f64::NAN),
        pass: output.pass,
        reason: output.reason.clone(),
        derived: output.derived.map(derived),
    }
}

pub(crate) fn output_text(output: &OutputResult) -> OutputText<'_> {
    OutputText {
        name: &output.name,
        max_diff: output.max_diff,
        differing: output.differing,
        first: output.first.as_ref().map(element_text),
        most: output.most.as_ref().map(element_text),
        place: output.place.words.as_deref(),
        cores: output.place.cores.as_deref(),
        map: output.place.map.as_ref().map(|map| MapText {
            columns: map.columns,
            first_row: map.first_row,
            faces: &map.faces,
            more_rows: map.more_rows,
        }),
        derived: output.derived.map(derived),
        pass: output.pass,
    }
}

fn element_text(first: &Difference) -> ElementText<'_> {
    ElementText {
        place: &first.place,
        found: (first.value, first.bits),
        expected: (first.expected, first.expected_bits),
    }
}
