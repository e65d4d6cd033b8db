//! Runs one call of an op and compares what comes out with its reference.
//!
//! It must never judge findings: that is for the gates. Start at [`prepare`] and [`run`].

use std::cell::RefCell;
use std::collections::BTreeMap;

use tileproof_check::values::shadow::Question;
use tileproof_model::finding::Finding;
use tileproof_model::program::TensorDescriptor;
use tileproof_numerics::format::DataFormat;

use super::call::{Call, Refusal};
use super::{Input, Inputs, Op};
use crate::cpp_kernels::BuildKernels;
use crate::device::Output;
use crate::error_map::ErrorMap;
use crate::fill::Fill;
use crate::output::{Allowed, Bounds, OutputResult};
use crate::program_file::{Closeness, Expect, Expected, ProgramFile};
use crate::run_file::{Compared, RunError, RunOptions, RunResult, bounds_of, check_call, run_compared};

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

/// Where the inputs of a run come from.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// What random fills are drawn with.
    pub seed: u64,
    /// The fill of each input.
    pub fills: &'a dyn Fn(&Input<'_>) -> Fill,
}

/// The program of a call, its inputs filled, and their values.
///
/// # Errors
/// If the call is refused, or a fill does not fit.
pub fn prepare(op: &dyn Op, call: &Call, source: &Source<'_>) -> Result<(ProgramFile, Inputs), OpError> {
    let mut file = op.program(call).map_err(OpError::Refused)?;
    check_call(&file)?;
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
            file.tensors[i].fill = Some(Fill::Rounded(values.clone()));
            file.tensors[i].rounded = rounded.iter().find(|(of, _)| of == name).map(|(_, file)| file.clone());
        }
    }
    Ok((file, inputs))
}

/// The same as a program file that expects its outputs.
///
/// # Errors
/// As [`prepare`].
pub fn expecting(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    closeness: impl Into<Closeness>,
) -> Result<ProgramFile, OpError> {
    let (mut file, inputs) = prepare(op, call, source)?;
    let closeness = closeness.into();
    for (name, values) in op.reference(call, &inputs).map_err(OpError::Data)? {
        let summed_up = op.summed_up_from(&name);
        let given = summed_up.unwrap_or(&name);
        let tensor = file.program.tensors.iter().position(|tensor| tensor.name == given);
        let tensor = tensor.ok_or_else(|| OpError::Data(format!("output {name}: the program has none")))?;
        let (of, line) = (&file.program.tensors[tensor], file.tensors[tensor].line);
        let shape = vec![1, 1, 1, values.len() as u32];
        // The host rounds what it sums up to bfloat16.
        let sums = || TensorDescriptor { name: name.clone(), shape, format: DataFormat::Float16_b, ..of.clone() };
        let sums = summed_up.map(|_| Box::new(sums()));
        let values = Expected::Fill(Fill::Values(values.into()));
        file.expects.push(Expect { tensor, sums, values, closeness, line });
    }
    Ok(file)
}

/// Whether what is expected of a call are numbers, or infinities, everywhere.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn expects_numbers(op: &dyn Op, call: &Call, source: &Source<'_>) -> Result<bool, OpError> {
    let (_, inputs) = prepare(op, call, source)?;
    let outputs = op.reference(call, &inputs).map_err(OpError::Data)?;
    Ok(outputs.iter().all(|(_, values)| values.iter().all(|value| !value.is_nan())))
}

/// Runs a call on given data. The outputs of the result are compared with their references; there are none if the run did not
/// complete.
///
/// # Errors
/// If the call is refused, or its kernels cannot be built.
pub fn run(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    closeness: impl Into<Closeness>,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<RunResult, OpError> {
    run_keeping(op, call, source, closeness.into(), options, builder, &|_| ())
}

/// As [`run`], with the outputs of the program beside the result; none if the run did not complete.
///
/// # Errors
/// As [`run`].
pub fn run_giving(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    closeness: impl Into<Closeness>,
    options: &RunOptions,
    builder: &dyn BuildKernels,
) -> Result<(RunResult, Vec<Output>), OpError> {
    let given = RefCell::new(Vec::new());
    let keep = |outputs: &[Output]| *given.borrow_mut() = outputs.to_vec();
    let result = run_keeping(op, call, source, closeness.into(), options, builder, &keep)?;
    Ok((result, given.into_inner()))
}

fn run_keeping(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    closeness: Closeness,
    options: &RunOptions,
    builder: &dyn BuildKernels,
    keep: &dyn Fn(&[Output]),
) -> Result<RunResult, OpError> {
    let (file, inputs) = prepare(op, call, source)?;
    let failed = RefCell::new(None);
    let bounds = if closeness == Closeness::Derived { bounds_of(&file, options, builder)? } else { Bounds::new() };
    let tolerance = Tolerance { closeness, bounds: &bounds, of_host: &HostBounds::new() };
    let compare = |outputs: &[Output]| {
        keep(outputs);
        compare(op, call, (&file, &inputs), outputs, (tolerance, options.timeline)).unwrap_or_else(|error| {
            *failed.borrow_mut() = Some(error);
            Compared::default()
        })
    };
    let result = run_compared(&file, options, builder, &compare)?;
    failed.into_inner().map_or(Ok(result), Err)
}

/// How close outputs must be to their references, and what their elements may be off by where it is that.
#[derive(Clone, Copy)]
pub(crate) struct Tolerance<'a> {
    pub(crate) closeness: Closeness,
    pub(crate) bounds: &'a Bounds,
    /// The same of outputs that the host makes of those of the program, by name.
    pub(crate) of_host: &'a HostBounds,
}

/// What each element of some outputs may be off by that are no tensors of a program, row-major; by their names.
pub(crate) type HostBounds = BTreeMap<String, Vec<f64>>;

/// The outputs of a call beside their references.
///
/// # Errors
/// If the reference cannot be worked out, or has an output that is not among them.
pub(crate) fn compare(
    op: &dyn Op,
    call: &Call,
    (file, inputs): (&ProgramFile, &Inputs),
    outputs: &[Output],
    (tolerance, maps): (Tolerance<'_>, bool),
) -> Result<Compared, OpError> {
    let mut compared = Compared::default();
    for (name, reference) in op.reference(call, inputs).map_err(OpError::Data)? {
        let output = outputs.iter().find(|(tensor, _)| tensor.name == name);
        let (tensor, values) = output.ok_or_else(|| OpError::Data(format!("output {name}: the run gave none")))?;
        if maps {
            let pairs = values.iter().map(|value| f64::from(*value)).zip(reference.iter().copied());
            compared.errors.extend(ErrorMap::of(tensor, pairs));
        }
        // What was made of outputs on the host is no tensor of the program.
        let number = file.program.tensors.iter().position(|tensor| tensor.name == name);
        let bounds = number.and_then(|number| tolerance.bounds.get(&number)).or_else(|| tolerance.of_host.get(&name));
        if tolerance.closeness == Closeness::Derived && bounds.is_none() {
            let why = "no tolerance can be derived: it is made of outputs on the host; give rtol and atol";
            return Err(OpError::Data(format!("output {name}: {why}")));
        }
        let allowed = Allowed::of_reference(tolerance.closeness, bounds.map(Vec::as_slice));
        let (result, wrong) = OutputResult::beside(tensor, values, &reference, allowed);
        if let Some(tensor) = number.filter(|_| !wrong.is_empty()) {
            let found = values.iter().map(|value| f64::from(*value)).collect();
            compared.questions.push(Question {
                tensor,
                expected: reference,
                found,
                wrong,
                tolerance: tolerance.closeness.within(),
            });
        }
        compared.outputs.push(result);
    }
    Ok(compared)
}
