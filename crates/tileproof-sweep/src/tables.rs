//! The tables of a sweep's file, and how a cell becomes a row.
//!
//! Start at [`CREATE`]. docs/sweep.md tells what the columns mean.

use rusqlite::types::Value;
use tileproof_report::json::FindingDocument;

use crate::cell::{Cell, Outcome};

/// Marks the file as one of ours: "tpsw".
pub(crate) const APPLICATION: i32 = 0x7470_7377;

pub(crate) const CREATE: &str = "
CREATE TABLE sweep (name TEXT NOT NULL, digest TEXT NOT NULL, tileproof TEXT NOT NULL, cells INTEGER NOT NULL, complete INTEGER NOT NULL);
CREATE TABLE cells (
    cell INTEGER PRIMARY KEY,
    op TEXT NOT NULL, program TEXT NOT NULL, kernels TEXT NOT NULL,
    shape TEXT NOT NULL, dtype TEXT NOT NULL, layout TEXT NOT NULL,
    data TEXT NOT NULL, seed INTEGER NOT NULL, settings TEXT NOT NULL,
    schedule TEXT NOT NULL, explore INTEGER NOT NULL, checks TEXT NOT NULL,
    rtol REAL, atol REAL,
    status TEXT NOT NULL, pass INTEGER NOT NULL, cycles INTEGER NOT NULL,
    max_diff REAL, mean_diff REAL, max_ulp REAL,
    codes TEXT NOT NULL, notes TEXT NOT NULL, message TEXT
);
CREATE TABLE outputs (
    cell INTEGER NOT NULL, output TEXT NOT NULL, max_diff REAL, mean_diff REAL, max_ulp REAL, pass INTEGER NOT NULL,
    PRIMARY KEY (cell, output)
) WITHOUT ROWID;
CREATE TABLE findings (
    cell INTEGER NOT NULL, number INTEGER NOT NULL,
    code TEXT NOT NULL, certainty TEXT NOT NULL, message TEXT NOT NULL,
    file TEXT NOT NULL, line INTEGER NOT NULL, core_x INTEGER NOT NULL, core_y INTEGER NOT NULL, thread TEXT NOT NULL,
    schedule TEXT NOT NULL,
    PRIMARY KEY (cell, number)
) WITHOUT ROWID;
";

/// What tells cells apart, in the order of the table.
pub(crate) const KEY: [&str; 14] = [
    "op", "program", "kernels", "shape", "dtype", "layout", "data", "seed", "settings", "schedule", "explore",
    "checks", "rtol", "atol",
];

pub(crate) fn cell_row(number: usize, cell: &Cell, outcome: &Outcome) -> Vec<Value> {
    let worst = |figure: fn(&crate::cell::CellOutput) -> Option<f64>| {
        outcome.outputs.iter().filter_map(figure).reduce(f64::max)
    };
    let text = |text: &str| Value::Text(text.into());
    let figure = |figure: Option<f64>| figure.map_or(Value::Null, Value::Real);
    let named = |pairs: &[(String, String)]| Value::Text(Cell::pairs(pairs));
    vec![
        Value::Integer(number as i64),
        text(&cell.op),
        text(&cell.program),
        text(&cell.kernels),
        text(&cell.shape),
        text(&cell.dtype),
        text(&cell.layout),
        named(&cell.data),
        Value::Integer(cell.seed as i64),
        named(&cell.settings),
        text(&cell.schedule),
        Value::Integer(cell.explore as i64),
        text(&cell.checks),
        figure(cell.rtol),
        figure(cell.atol),
        text(&outcome.status),
        Value::Integer(outcome.pass.into()),
        Value::Integer(outcome.cycles as i64),
        figure(worst(|output| output.max_diff)),
        figure(worst(|output| output.mean_diff)),
        figure(worst(|output| output.max_ulp)),
        Value::Text(outcome.codes()),
        text(&outcome.notes),
        outcome.message.clone().map_or(Value::Null, Value::Text),
    ]
}

pub(crate) fn finding_row(cell: usize, number: usize, finding: &FindingDocument) -> Vec<Value> {
    let text = |text: &str| Value::Text(text.into());
    vec![
        Value::Integer(cell as i64),
        Value::Integer(number as i64),
        text(&finding.code),
        text(&finding.certainty),
        text(&finding.message),
        text(&finding.file),
        Value::Integer(finding.line.into()),
        Value::Integer(finding.core[0].into()),
        Value::Integer(finding.core[1].into()),
        text(&finding.thread),
        text(&finding.schedule),
    ]
}
