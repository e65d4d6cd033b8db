//! Carries a request out as a call of an op: the op fills the inputs and has the reference, the device runs the program.
//!
//! It must never know a direction. Start at [`carry_out`].

use std::borrow::Cow;
use std::path::Path;

use tileproof_check::Checks;
use tileproof_check::values::shadow::Question;
use tileproof_model::arch::Arch;
use tileproof_model::finding::Finding;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::record::Status;
use tileproof_model::schedule::Schedule;

use super::error::LayerNormError;
use super::request::Terms;
use super::result::LayerNormResult;
use crate::audit::{Audit, AuditOptions, OfOp, RunKnown, audit};
use crate::cpp_kernels::BuildKernels;
use crate::device::{Output, execute_padded, host_threads};
use crate::fill::Fill;
use crate::npy::{self, SaveAs};
use crate::op::adversarial::{Chosen, Outcome, chosen};
use crate::op::on_kinds::run_kinds;
use crate::op::run::{HostBounds, OpError, Source, Tolerance, compare, expects_numbers, prepare};
use crate::op::shipped::Planned;
use crate::op::{Call, Input, Inputs, Op};
use crate::output::Bounds;
use crate::program_file::{Closeness, ProgramFile};
use crate::run_file::{ChosenChecks, Compared, RunError, RunOptions, bounds_of, explain_wrong, recorded};
use crate::tensor_findings::{nowhere, rounded};

/// An op, and a call of it with what no call says.
pub(super) struct Case<'a> {
    pub(super) op: &'a dyn Op,
    pub(super) name: &'static str,
    pub(super) arch: Arch,
    pub(super) call: &'a Call,
    pub(super) planned: Planned,
    pub(super) fills: &'a dyn Fn(&Input<'_>) -> Fill,
    /// The outputs of the op, from those of the program.
    pub(super) outputs: &'a Outputs<'a>,
    /// What is asked of outputs of the program that are parts of those of the op.
    pub(super) parts: &'a Parts<'a>,
    /// What those outputs may be off by that the host makes, where bounds of the program's are known.
    pub(super) bounds: &'a OfHost<'a>,
}

/// The outputs of an op, from those of a program: the same, unless something is made of them.
pub(super) type Outputs<'a> = dyn for<'o> Fn(&'o [Output]) -> Result<Cow<'o, [Output]>, LayerNormError> + 'a;

/// What is asked of outputs of a program, given the values of its inputs and how those of the op came out.
pub(super) type Parts<'a> = dyn Fn(&ProgramFile, &Inputs, &Compared, &[Output]) -> Vec<Question> + 'a;

/// What outputs may be off by that the host makes of those of a program, given what these may be off by and all outputs of the op.
pub(super) type OfHost<'a> = dyn Fn(&ProgramFile, &Bounds, &[Output]) -> HostBounds + 'a;

/// Runs a call and compares it with float64.
pub(super) fn carry_out(
    case: &Case<'_>,
    terms: &Terms<'_>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    carry_out_on(case, case.fills, terms, builder)
}

/// Runs a call on one kind of data after the other, with nothing looked for but its outputs; the worst first.
pub(super) fn on_kinds(
    case: &Case<'_>,
    terms: &Terms<'_>,
    builder: &dyn BuildKernels,
) -> Result<(Vec<Chosen>, Vec<Outcome>), LayerNormError> {
    let inputs = chosen(case.op, case.call)?;
    let outcomes = run_kinds(&inputs, &mut |kind| {
        let padding = kind.padding.or(terms.padding);
        let quiet = Terms { save: None, timeline: false, checks: &ChosenChecks::None, padding, ..*terms };
        let fills = |input: &Input<'_>| kind.fill(input.name).unwrap_or_else(|| (case.fills)(input));
        let source = Source { seed: terms.seed, fills: &fills };
        if kind.is_infinite && !expects_numbers(case.op, case.call, &source)? {
            return Ok(None);
        }
        match carry_out_on(case, &fills, &quiet, builder) {
            Err(LayerNormError::Op(OpError::Run(RunError::NoBound { .. }))) => Ok(None),
            result => result.map(|result| Some((result.record.status, result.outputs))),
        }
    })?;
    Ok((inputs, outcomes))
}

/// Runs a call on data of its own.
fn carry_out_on(
    case: &Case<'_>,
    fills: &dyn Fn(&Input<'_>) -> Fill,
    terms: &Terms<'_>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    let source = Source { seed: terms.seed, fills };
    let (file, inputs) = prepare(case.op, case.call, &source)?;
    let values: Vec<(&str, &[f32])> = inputs.iter().map(|(name, values)| (&name[..], &values[..])).collect();
    let options = RunOptions {
        checks: terms.checks.clone(),
        threads: terms.threads,
        isolation: builder.isolation(),
        timeline: terms.timeline,
        ..RunOptions::default()
    };
    let run = if options.checks.observe() { execute_padded::<Checks> } else { execute_padded::<Unobserved> };
    let executed = run(&file.program, &values, terms.padding, host_threads(terms.threads), builder)?;
    let mut record = executed.record;
    // Without checks what the machine finds by itself is left.
    if options.checks.observe() {
        options.checks.choose(&mut record);
    }
    record.notes.extend(rounded_inputs(&file, &inputs));
    let mut compared = Compared::default();
    if record.status == Status::Completed {
        let values = (case.outputs)(&executed.outputs)?;
        if let Some(folder) = terms.save {
            values.iter().try_for_each(|output| save((folder, terms.save_as), output))?;
        }
        let bounds = match terms.closeness {
            Closeness::Derived => bounds_of(&file, &options, builder).map_err(OpError::from)?,
            _ => Bounds::new(),
        };
        let of_host = (case.bounds)(&file, &bounds, &values);
        let tolerance = Tolerance { closeness: terms.closeness, bounds: &bounds, of_host: &of_host };
        compared = compare(case.op, case.call, (&file, &inputs), &values, (tolerance, terms.timeline))?;
        compared.questions.extend((case.parts)(&file, &inputs, &compared, &executed.outputs));
        explain_wrong(&file, &options, builder, &compared, &mut record).map_err(OpError::from)?;
    }
    let default = Schedule::default();
    let timeline = options.timeline.then(|| recorded(&file, &options, builder, &default)).transpose();
    Ok(LayerNormResult {
        op: case.name,
        shape: case.call.shape.clone(),
        arch: case.arch,
        format: case.call.dtype,
        path: if case.planned.l1_path { "l1" } else { "block" },
        cores: case.planned.cores as u32,
        phases: executed.phases,
        outputs: compared.outputs,
        errors: compared.errors,
        record,
        timeline: timeline.map_err(OpError::from)?,
    })
}

/// Says what a test of a call with these data and tolerances would miss, of what could be wrong and of what is known to have been.
pub(super) fn audited(
    case: &Case<'_>,
    terms: &Terms<'_>,
    options: &AuditOptions<'_>,
    known: (&[&'static str], &RunKnown<'_>),
    builder: &dyn BuildKernels,
) -> Result<Audit, LayerNormError> {
    let source = Source { seed: terms.seed, fills: case.fills };
    let audited = OfOp::new(case.op, case.call, &source, terms.closeness)?.with_known(known.0, known.1);
    Ok(audit(&audited, options, builder).map_err(OpError::from)?)
}

/// A note for each input whose file was rounded to the format of its tensor.
fn rounded_inputs(file: &ProgramFile, inputs: &Inputs) -> Vec<Finding> {
    let note = |(name, _): &(String, _)| {
        let tensor = file.program.tensors.iter().position(|tensor| tensor.name == *name)?;
        Some(rounded(name, file.tensors[tensor].rounded.as_deref()?, nowhere()))
    };
    inputs.iter().filter_map(note).collect()
}

/// Refuses tolerances that are not numbers of 0 or above.
pub(super) fn check_tolerances(closeness: Closeness) -> Result<(), LayerNormError> {
    let Closeness::Within { rtol, atol } = closeness else { return Ok(()) };
    for (name, value) in [("rtol", rtol), ("atol", atol)] {
        if !value.is_finite() || value < 0.0 {
            return Err(LayerNormError::Tolerance { name, value });
        }
    }
    Ok(())
}

/// Writes an output to a folder as `name.npy`.
pub(super) fn save((folder, save_as): (&Path, SaveAs), (tensor, values): &Output) -> Result<(), LayerNormError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| LayerNormError::Folder { folder: folder.display().to_string(), source })?;
    let word = |value: &f32| match tensor.format {
        DataFormat::Float16_b => value.to_bits() >> 16,
        _ => value.to_bits(),
    };
    let words: Vec<u32> = values.iter().map(word).collect();
    npy::save_elements(&folder.join(format!("{}.npy", tensor.name)), &tensor.shape, tensor.format, &words, save_as)
        .map_err(|source| LayerNormError::Save { name: tensor.name.clone(), source })
}
