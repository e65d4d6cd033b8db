//! Runs one call of an op and compares what comes out with its reference.
//!
//! It must never judge findings: that is for the gates. Start at [`prepare`] and [`run`].

use std::cell::RefCell;
use std::sync::Arc;

use serde::Serialize;
use tileproof_model::finding::Finding;
use tileproof_model::numerics::error::{measure, within};
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::record::Status;

use super::call::{Call, Refusal, dtype_name};
use super::{Input, Op, Values};
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::miss;
use crate::program_file::{Closeness, Expect, Expected, ProgramFile};
use crate::run_file::{RunError, RunOptions, RunResult, run_program};

/// Why a call cannot be run.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum OpError {
    #[error("{}", .0.message)]
    Refused(Refusal),
    #[error("{0}")]
    Data(String),
    #[error(transparent)]
    Run(#[from] RunError),
}

impl OpError {
    /// The same as data; none if no file has a part in it.
    pub fn findings(&self) -> Vec<Finding> {
        match self {
            OpError::Run(error) => error.findings(),
            OpError::Refused(_) | OpError::Data(_) => Vec::new(),
        }
    }
}

/// One output of one run beside its reference.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Accuracy {
    /// The call.
    pub call: String,
    /// Its data; empty where they are not those of the grid.
    pub data: String,
    /// Format of the output.
    pub dtype: &'static str,
    /// Its name.
    pub output: String,
    /// Largest |out - reference|.
    pub max_diff: f64,
    /// Mean |out - reference|.
    pub mean_diff: f64,
    /// Largest error in steps of the format.
    pub max_ulp: f64,
    /// Within tolerance everywhere.
    pub pass: bool,
    /// The element that is farthest outside, in words; `None` if all are within tolerance.
    pub worst: Option<String>,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct OpRun {
    /// The run.
    pub result: RunResult,
    /// Outputs beside their references; empty if the run did not complete.
    pub accuracy: Vec<Accuracy>,
}

impl OpRun {
    /// Completed, nothing found, all outputs within tolerance.
    pub fn pass(&self) -> bool {
        self.result.record.is_clean() && self.accuracy.iter().all(|a| a.pass)
    }
}

/// Where the inputs of a run come from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// What reports call it.
    pub data: &'a str,
    /// What random fills are drawn with.
    pub seed: u64,
    /// The fill of each input.
    pub fills: &'a dyn Fn(&Input<'_>) -> Fill,
}

/// The program of a call, its inputs filled, and what must come out.
///
/// # Errors
/// If the call is refused, or a fill does not fit.
pub fn prepare(op: &dyn Op, call: &Call, source: &Source<'_>) -> Result<(ProgramFile, Values), OpError> {
    op.validate(call).map_err(OpError::Refused)?;
    let mut file = op.program(call).map_err(OpError::Refused)?;
    file.seed = source.seed;
    let rounded = RefCell::new(Vec::new());
    let fills = |input: &Input<'_>| {
        let fill = (source.fills)(input);
        if let Some(file) = fill.rounded_file(input.format) {
            rounded.borrow_mut().push((input.name.to_string(), file.to_path_buf()));
        }
        fill
    };
    let inputs = op.inputs(call, source.seed, &fills).map_err(OpError::Data)?;
    let rounded = rounded.into_inner();
    for (name, values) in &inputs {
        if let Some(i) = file.program.tensors.iter().position(|tensor| tensor.name == *name) {
            file.tensors[i].fill = Some(Fill::Values(values.clone()));
            file.tensors[i].rounded = rounded.iter().find(|(of, _)| of == name).map(|(_, file)| file.clone());
        }
    }
    let outputs = op.reference(call, &inputs).map_err(OpError::Data)?;
    Ok((file, outputs))
}

/// The same as a program file that expects its outputs.
///
/// # Errors
/// As [`prepare`].
pub fn expecting(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    (rtol, atol): (f64, f64),
) -> Result<ProgramFile, OpError> {
    let (mut file, outputs) = prepare(op, call, source)?;
    for (name, values) in outputs {
        let tensor = file.program.tensors.iter().position(|tensor| tensor.name == name);
        let tensor = tensor.ok_or_else(|| OpError::Data(format!("output {name}: the program has none")))?;
        let closeness = Closeness::Within { rtol, atol };
        let line = file.tensors[tensor].line;
        file.expects.push(Expect { tensor, values: Expected::Fill(Fill::Values(values)), closeness, line });
    }
    Ok(file)
}

/// Runs a call on given data.
///
/// # Errors
/// If the call is refused, or its kernels cannot be built.
pub fn run(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    (rtol, atol): (f64, f64),
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<OpRun, OpError> {
    let (file, references) = prepare(op, call, source)?;
    let (result, values) = run_program(&file, options, builder)?;
    let mut accuracy = Vec::new();
    if result.record.status == Status::Completed {
        for (name, reference) in &references {
            let found = values.iter().find(|(n, _)| n == name);
            let (_, found) = found.ok_or_else(|| OpError::Data(format!("output {name}: the run gave none")))?;
            let tensor = file.program.tensors.iter().find(|tensor| tensor.name == *name);
            let (format, shape) = tensor.map_or((DataFormat::Float32, &[][..]), |t| (t.format, &t.shape[..]));
            let found: Vec<f32> = found.iter().map(|value| *value as f32).collect();
            accuracy.push(compare(
                (&call.to_string(), source.data),
                name,
                (format, shape),
                &found,
                reference,
                (rtol, atol),
            ));
        }
    }
    Ok(OpRun { result, accuracy })
}

fn compare(
    (call, data): (&str, &str),
    output: &str,
    (format, shape): (DataFormat, &[u32]),
    found: &[f32],
    reference: &Arc<[f64]>,
    (rtol, atol): (f64, f64),
) -> Accuracy {
    let measures = measure(format, found, reference).unwrap_or_default();
    let pass = within(found, reference, rtol, atol);
    Accuracy {
        call: call.to_string(),
        data: data.to_string(),
        dtype: dtype_name(format),
        output: output.to_string(),
        max_diff: measures.max_diff,
        mean_diff: measures.mean_diff,
        max_ulp: measures.max_ulp,
        pass,
        worst: if pass { None } else { miss::worst(output, shape, found, reference, (rtol, atol)) },
    }
}
