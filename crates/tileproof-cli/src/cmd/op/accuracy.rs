//! Outputs beside their references, a row an output: for JSON, tables and the report on an op.
//!
//! It must never measure anything: a row holds what the library gave. Start at [`Accuracy`].

use tileproof::op::call::Call;
use tileproof::op::gates::Compared;
use tileproof::output::OutputResult;
use tileproof_report::json::layernorm::LayerNormOutput;
use tileproof_report::{Style, render_outputs};

/// What the data of a call are called when the command line gives them.
const GIVEN: &str = "given";

/// One output of one run beside its reference.
#[derive(Clone, serde::Serialize)]
pub(super) struct Accuracy<'a> {
    pub(super) call: String,
    pub(super) data: &'a str,
    pub(super) dtype: &'static str,
    pub(super) output: &'a str,
    pub(super) max_diff: f64,
    pub(super) mean_diff: f64,
    pub(super) max_ulp: f64,
    pub(super) pass: bool,
    worst: Option<&'a str>,
}

impl<'a> Accuracy<'a> {
    fn new(call: String, data: &'a str, output: &'a OutputResult) -> Accuracy<'a> {
        Accuracy {
            call,
            data,
            dtype: output.format.dtype_name(),
            output: &output.name,
            max_diff: output.max_diff.unwrap_or_default(),
            mean_diff: output.mean_diff.unwrap_or_default(),
            max_ulp: output.max_ulp.unwrap_or_default(),
            pass: output.pass,
            worst: output.reason.as_deref(),
        }
    }

    /// Those of one call, whose data the command line gives.
    pub(super) fn of_call(call: &Call, outputs: &'a [OutputResult]) -> Vec<Accuracy<'a>> {
        outputs.iter().map(|output| Accuracy::new(call.to_string(), GIVEN, output)).collect()
    }

    /// Those of a check.
    pub(super) fn of_check(rows: &'a [Compared]) -> Vec<Accuracy<'a>> {
        rows.iter().map(|row| Accuracy::new(row.call.clone(), row.data, &row.output)).collect()
    }
}

/// For each output, format and kind of data the run with the largest error.
pub(super) fn worst(rows: &[Compared]) -> Vec<Accuracy<'_>> {
    let mut worst: Vec<Accuracy<'_>> = Vec::new();
    for row in Accuracy::of_check(rows) {
        let same = |known: &&mut Accuracy<'_>| {
            known.output == row.output && known.data == row.data && known.dtype == row.dtype
        };
        match worst.iter_mut().find(same) {
            None => worst.push(row),
            Some(known) if row.max_ulp > known.max_ulp => *known = row,
            Some(_) => {}
        }
    }
    worst
}

/// Rows as a table for people.
pub(super) fn table(rows: &[Accuracy<'_>], style: Style) -> String {
    let row = |a: &Accuracy<'_>| LayerNormOutput {
        name: if a.data == GIVEN { a.output.to_string() } else { format!("{} {} {}", a.output, a.dtype, a.data) },
        max_diff: a.max_diff,
        mean_diff: a.mean_diff,
        max_ulp: a.max_ulp,
        pass: a.pass,
        reason: a.worst.map(String::from),
    };
    render_outputs(&rows.iter().map(row).collect::<Vec<_>>(), style)
}
