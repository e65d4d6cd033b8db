//! `tileproof run --grid`: a program over values of its parameters, and a table of what each came to.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use tileproof::build::Builder;
use tileproof::built_by;
use tileproof::model::finding::Finding;
use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::program_file::ProgramFile;
use tileproof::run_file::grid::{Axis, Parameters, Verdict, cells};
use tileproof::run_file::{RunError, RunOptions, RunResult, run_program_file_with};
use tileproof::stop;
use tileproof_report::json::{CellDocument, list_to_text};
use tileproof_report::render_grid;

use crate::arguments::RunFormat;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::pictures::PageOption;
use crate::program::refused;
use crate::replay::command;
use crate::results::document;
use crate::terminal::{self, progress_ends, say, tell};

/// Runs every cell; the outcome is clean only if all pass.
pub(crate) fn run(
    program: &Path,
    axes: &[Axis],
    options: &RunOptions,
    page: &PageOption,
    format: RunFormat,
) -> anyhow::Result<Outcome> {
    let bad = |text: String| anyhow::Error::from(BadInput::new(text));
    if !matches!(format, RunFormat::Human | RunFormat::Json) {
        let why = "--grid: the formats of a grid are human and json";
        return Err(BadInput::without_document(why).into());
    }
    if options.save.is_some() {
        return Err(bad("--grid: its cells would save over each other; give --save with one --param".into()));
    }
    let known = ProgramFile::parameter_names(program).map_err(|error| refused(&error.into()))?;
    if let Some((name, _)) = options.parameters.iter().find(|(name, _)| axes.iter().any(|axis| axis.name == *name)) {
        return Err(bad(format!("--grid {name}: --param gives {name} one value already")));
    }
    let cells = cells(axes, &known).map_err(bad)?;
    let builder = Builder::new(options.cache.clone()).map_err(|error| bad(error.to_string()))?;
    let builder = built_by(builder, options.isolation);
    let mut documents = Vec::new();
    let mut refusals = Vec::new();
    for (number, cell) in cells.iter().enumerate() {
        progress(number, cells.len(), cell);
        let parameters = [&options.parameters[..], &cell[..]].concat();
        // The grid shows its own progress.
        let of_cell = RunOptions { parameters, progress: None, ..options.clone() };
        let result = match run_program_file_with(program, &of_cell, &*builder) {
            Err(host) if host.is_host() => return Err(anyhow::Error::new(host)),
            result => result,
        };
        if stop::is_interrupted() {
            break;
        }
        if let Err(error) = &result {
            refusals.push(refused(error));
        }
        documents.push(cell_document(cell, result));
    }
    progress_ends();
    if stop::is_interrupted() {
        let passed = documents.iter().filter(|cell| cell.pass).count();
        tell(&format!("of {} cells {} were run, of which {passed} pass\n", cells.len(), documents.len()));
        return Ok(Outcome::Found);
    }
    // A file that no cell can be run of is bad input; a cell that cannot be run is a result like others.
    if refusals.len() == cells.len()
        && let Some(first) = refusals.into_iter().next()
    {
        return Err(first);
    }
    let pass = documents.iter().all(|cell| cell.pass);
    page.write(&format!("{} over a grid", program.display()), pass, &json!({ "cells": rows(&documents) }))?;
    match format {
        RunFormat::Json => say(list_to_text(&documents)?)?,
        _ => say(human(program, axes, options, &documents))?,
    }
    Ok(if pass { Outcome::Clean } else { Outcome::Found })
}

/// Cells as a page has them: a column a parameter, and what each came to.
fn rows(cells: &[CellDocument]) -> Vec<Value> {
    let row = |cell: &CellDocument| {
        let mut row: Map<String, Value> =
            cell.params.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        row.insert("result".into(), json!(cell.result));
        row.insert("codes".into(), json!(cell.codes.join(", ")));
        row.insert("cycles".into(), json!(cell.run.as_ref().map(|run| run.cycles)));
        row.insert("error".into(), json!(cell.error));
        Value::Object(row)
    };
    cells.iter().map(row).collect()
}

fn cell_document(cell: &Parameters, result: Result<RunResult, RunError>) -> CellDocument {
    let params: BTreeMap<String, String> = cell.iter().cloned().collect();
    let result = match result {
        Ok(result) => result,
        Err(error) => {
            let codes = codes(&error.findings());
            let error = Some(error.to_string());
            return CellDocument { params, result: "refused".into(), codes, pass: false, error, run: None };
        }
    };
    let verdict = match result.verdict() {
        Verdict::Pass => "pass",
        Verdict::Hang => "hang",
        Verdict::Found => "finding",
        Verdict::Wrong => "wrong",
    };
    let codes = codes(&result.record.findings);
    let run = document(&result);
    let pass = result.pass();
    CellDocument { params, result: verdict.into(), codes, pass, error: None, run: Some(run) }
}

/// The codes of findings, each once.
fn codes(findings: &[Finding]) -> Vec<String> {
    let mut codes: Vec<String> = Vec::new();
    for code in findings.iter().map(|finding| finding.code.to_string()) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    codes
}

fn human(program: &Path, axes: &[Axis], options: &RunOptions, cells: &[CellDocument]) -> String {
    let named: Vec<(String, Vec<String>)> = axes.iter().map(|axis| (axis.name.clone(), axis.values.clone())).collect();
    let see = |first: &CellDocument| {
        let cell: Parameters = first.params.clone().into_iter().collect();
        // Where another schedule than the default failed, its token leads there.
        let schedule = first.run.as_ref().map_or(DEFAULT_SCHEDULE, |run| &run.schedule);
        command(program, options, &cell, schedule)
    };
    let first = cells.iter().find(|cell| !cell.pass).map(see);
    render_grid(&named, cells, first.as_deref(), terminal::style())
}

fn progress(number: usize, of: usize, cell: &Parameters) {
    let values: Vec<String> = cell.iter().map(|(name, value)| format!(" {name}={value}")).collect();
    terminal::progress(&format!("cell {} of {of}:{}", number + 1, values.concat()));
}
