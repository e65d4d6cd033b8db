//! Runs a cell in this process: a call of an op, or a program file.
//!
//! It must never fail: what cannot be run is an outcome too. Start at [`carry_out`].

use std::path::Path;
use std::time::Duration;

use tileproof::build::Builder;
use tileproof::device::DeviceError;
use tileproof::fill::Fill;
use tileproof::kernel_folder::KernelFolder;
use tileproof::layernorm::{CallTerms, GivenKernels, LayerNormError, call_given};
use tileproof::model::record::RunRecord;
use tileproof::model::schedule::{DEFAULT_SCHEDULE, Schedule};
use tileproof::op::call::CallWords;
use tileproof::op::call_file::default_fill;
use tileproof::op::registry::{self, FindError};
use tileproof::op::run::{OpError, Source, run};
use tileproof::op::{Call, Op};
use tileproof::output::OutputResult;
use tileproof::run_file::{ChosenChecks, RunError, RunOptions, run_program_file};
use tileproof::{Isolation, built_by};
use tileproof_report::json::FindingDocument;

use crate::cell::{Cell, CellOutput, Outcome, each_once, status};
use crate::paths::as_given;

/// How long kernels of one run may take: the worker's own limit comes first.
const KERNELS: Isolation = Isolation { limit: Duration::from_secs(24 * 3600) };

/// Runs a cell, whose paths begin at `folder`.
pub fn carry_out(cell: &Cell, folder: &Path) -> Outcome {
    let outcome = if cell.op.is_empty() { program(cell, folder) } else { op(cell, folder) };
    let outcome = outcome.unwrap_or_else(|why| match why {
        Cannot::Cell(why) => Outcome::without_record(status::REFUSED, why),
        Cannot::Host(why) => Outcome::without_record(status::HOST, why),
    });
    as_given(outcome, cell, folder)
}

/// Why a cell gives no record.
enum Cannot {
    /// It can be run on no host.
    Cell(String),
    /// It cannot be run on this one.
    Host(String),
}

impl Cannot {
    fn of(is_host: bool, why: &impl ToString) -> Cannot {
        if is_host { Cannot::Host(why.to_string()) } else { Cannot::Cell(why.to_string()) }
    }
}

impl From<String> for Cannot {
    fn from(why: String) -> Cannot {
        Cannot::Cell(why)
    }
}

impl From<RunError> for Cannot {
    fn from(error: RunError) -> Cannot {
        let is_host = matches!(&error, RunError::Build { source, .. } if source.is_host());
        Cannot::of(is_host || error.is_host(), &error)
    }
}

impl From<OpError> for Cannot {
    fn from(error: OpError) -> Cannot {
        match error {
            OpError::Run(error) => error.into(),
            other => Cannot::Cell(other.to_string()),
        }
    }
}

impl From<LayerNormError> for Cannot {
    fn from(error: LayerNormError) -> Cannot {
        let is_host = matches!(&error, LayerNormError::Device(DeviceError::Build(error)) if error.is_host());
        match error {
            LayerNormError::Op(error) => error.into(),
            other => Cannot::of(is_host || other.is_host(), &other),
        }
    }
}

fn options(cell: &Cell) -> Result<RunOptions, String> {
    Ok(RunOptions {
        checks: ChosenChecks::parse(&cell.checks)?,
        // Workers are what runs side by side.
        threads: Some(1),
        schedule: Schedule::parse(if cell.schedule.is_empty() { DEFAULT_SCHEDULE } else { &cell.schedule })
            .map_err(|error| error.to_string())?,
        explore: cell.explore,
        isolation: Some(KERNELS),
        ..RunOptions::default()
    })
}

fn program(cell: &Cell, folder: &Path) -> Result<Outcome, Cannot> {
    let options = RunOptions { parameters: cell.settings.clone(), ..options(cell)? };
    let result = run_program_file(&folder.join(&cell.program), &options)?;
    let schedule = result.explored.as_ref().and_then(|explored| explored.failed.as_ref()).unwrap_or(&result.schedule);
    Ok(outcome(&result.record, &result.outputs, result.pass(), &schedule.to_string()))
}

fn op(cell: &Cell, folder: &Path) -> Result<Outcome, Cannot> {
    let found = registry::find(&cell.op, folder);
    let op = found.map_err(|error| Cannot::of(matches!(error, FindError::Host(_)), &error))?.op;
    let call = call(cell, op.as_ref())?;
    let first = op.describe().inputs.into_iter().next().map(|input| input.name).unwrap_or_default();
    let mut fills = Vec::new();
    for (name, fill) in &cell.data {
        let name = if name.is_empty() { &first } else { name };
        let fill = Fill::parse(fill).map_err(|error| error.to_string())?.relative_to(folder);
        fills.push((name.clone(), fill));
    }
    let builder = Builder::new(None).map_err(|error| Cannot::of(error.is_host(), &error))?;
    let builder = built_by(builder, Some(KERNELS));
    let grid = op.grid();
    let tolerances = (cell.rtol.unwrap_or(grid.rtol), cell.atol.unwrap_or(grid.atol));
    let options = options(cell)?;
    if !cell.kernels.is_empty() {
        let kernels = KernelFolder::find(&folder.join(&cell.kernels)).map_err(|error| error.to_string())?;
        let kernels = GivenKernels { folder: kernels, include_dirs: Vec::new() };
        let RunOptions { checks, threads, .. } = options;
        let terms = CallTerms { fills: &fills, seed: cell.seed, tolerances, checks, threads, save: None };
        let result = call_given(&cell.op, &call, &terms, kernels, &*builder)?;
        return Ok(outcome(&result.record, &result.outputs, result.pass(), DEFAULT_SCHEDULE));
    }
    let source = Source { seed: cell.seed, fills: &|input| default_fill(&fills, input) };
    let result = run(op.as_ref(), &call, &source, tolerances, &options, &*builder)?;
    Ok(outcome(&result.record, &result.outputs, result.pass(), &result.schedule.to_string()))
}

/// The call; what is left out is as in the first call of the op's grid.
fn call(cell: &Cell, op: &dyn Op) -> Result<Call, String> {
    let usual = op.calls().first().map(Call::words).unwrap_or_default();
    let or = |given: &str, usual: String, none: &str| match (given, usual) {
        ("", usual) if usual.is_empty() => none.into(),
        ("", usual) => usual,
        (given, _) => given.to_string(),
    };
    Call::from_words(&CallWords {
        shape: cell.shape.clone(),
        dtype: or(&cell.dtype, usual.dtype, "bfloat16"),
        layout: or(&cell.layout, usual.layout, "tile"),
        settings: cell.settings.clone(),
    })
}

fn outcome(record: &RunRecord, outputs: &[OutputResult], pass: bool, schedule: &str) -> Outcome {
    let output = |output: &OutputResult| CellOutput {
        name: output.name.clone(),
        max_diff: output.max_diff,
        mean_diff: output.mean_diff,
        max_ulp: output.max_ulp,
        pass: output.pass,
    };
    let notes: Vec<String> = record.notes.iter().map(|note| note.code.to_string()).collect();
    Outcome {
        status: record.status.name().into(),
        pass,
        cycles: record.cycles,
        message: None,
        outputs: outputs.iter().map(output).collect(),
        findings: FindingDocument::all(&record.findings, schedule),
        notes: each_once(notes.iter().map(String::as_str)),
    }
}
