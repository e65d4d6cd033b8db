//! LayerNorm backward from arguments to verdict, on the op's own host side, or on that of the public layernorm_bw.
//!
//! Unless the user says which, a folder that has kernels for the second program is for the op's own: the public op is one
//! program, whose kernels take mean and rstd in bf16, and the sums over the rows are made here. It must never change what
//! kernels give. Start at [`backward`].

use std::borrow::Cow;

use tileproof_check::values::shadow::Question;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_ops::Kernels;
use tileproof_ops::layernorm_bw::specimens::{self, Specimen};
use tileproof_ops::layernorm_bw::{NAME, OpKernels, Tensors};

use super::carry_out::{Case, audited, carry_out, check_tolerances, on_kinds, save};
use super::error::LayerNormError;
use super::given_kernels::GivenKernels;
use super::request::{BackwardRequest, Terms};
use super::result::LayerNormResult;
use crate::audit::{Audit, AuditOptions, Seen};
use crate::cpp_kernels::{BuildKernels, Nobody};
use crate::device::Output;
use crate::fill::Fill;
use crate::host_sums;
use crate::op::Inputs;
use crate::op::adversarial::{Chosen, Outcome};
use crate::op::run::{HostBounds, OpError};
use crate::op::shipped::{BackwardSide, LayerNormBackward};
use crate::output::Bounds;
use crate::program_file::ProgramFile;
use crate::run_file::{ChosenChecks, Compared};

/// A host side that kernels of backward can be written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackwardHost {
    /// The op's own.
    Op,
    /// The public one.
    Public,
}

/// Runs LayerNorm backward on the simulated device and compares it with float64.
///
/// # Errors
/// If the request is not one that can be carried out. What is wrong with the kernels is in the result.
pub fn backward(request: &BackwardRequest) -> Result<LayerNormResult, LayerNormError> {
    on_side(request, BackwardSide::Own(None), |case, terms| carry_out(case, terms, &Nobody))
}

/// Runs LayerNorm backward with kernels for a host side, or for the one that their folder shows, and compares it with float64.
///
/// # Errors
/// If the request is not one that the host side can carry out, or a kernel cannot be built. What is wrong with the kernels is
/// in the result.
pub fn backward_given(
    request: &BackwardRequest,
    kernels: GivenKernels,
    host: Option<BackwardHost>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    on_side(request, side_of(request, kernels, host), |case, terms| carry_out(case, terms, builder))
}

/// Says what a test of LayerNorm backward with these data and tolerances would miss, on the shipped kernels or on others.
///
/// # Errors
/// As [`backward_given`].
pub fn audit_backward(
    request: &BackwardRequest,
    given: Option<(GivenKernels, Option<BackwardHost>)>,
    options: &AuditOptions<'_>,
    builder: &dyn BuildKernels,
) -> Result<Audit, LayerNormError> {
    let side = match given {
        None => BackwardSide::Own(None),
        Some((kernels, host)) => side_of(request, kernels, host),
    };
    // Published kernels take tiles of bf16.
    let is_published = request.format == DataFormat::Float16_b && request.layout == Layout::Tile;
    let known = if is_published { Specimen::WRONG.map(Specimen::words).to_vec() } else { Vec::new() };
    let run_known = |number: usize, fills: &[(String, Fill)], atol: Option<f64>| {
        let run = |specimen| run_published(request, specimen, fills, atol);
        Some([run(Specimen::WRONG[number])?, run(Specimen::Right)?])
    };
    on_side(request, side, |case, terms| audited(case, terms, options, (&known, &run_known), builder))
}

/// Runs LayerNorm backward on one kind of data after the other, on the shipped kernels or on others; the worst first.
///
/// # Errors
/// As [`backward_given`].
pub fn adversarial_backward(
    request: &BackwardRequest,
    given: Option<(GivenKernels, Option<BackwardHost>)>,
    builder: &dyn BuildKernels,
) -> Result<(Vec<Chosen>, Vec<Outcome>), LayerNormError> {
    let request = &BackwardRequest { save: None, ..request.clone() };
    let side = given.map_or(BackwardSide::Own(None), |(kernels, host)| side_of(request, kernels, host));
    on_side(request, side, |case, terms| on_kinds(case, terms, builder))
}

/// What a test sees of kernels with a fault that was published, on other data for some inputs.
fn run_published(
    request: &BackwardRequest,
    fault: Specimen,
    fills: &[(String, Fill)],
    atol: Option<f64>,
) -> Option<Seen> {
    let atol = atol.unwrap_or(request.atol);
    let mut request = BackwardRequest { save: None, checks: ChosenChecks::None, atol, ..request.clone() };
    for (name, fill) in fills {
        match name.as_str() {
            "x" => request.x = fill.clone(),
            "gamma" => request.gamma = fill.clone(),
            _ => request.dy = fill.clone(),
        }
    }
    let result = backward_specimen(&request, fault, specimens::kernels(), &Nobody).ok()?;
    Some(Seen { status: result.record.status, outputs: result.outputs })
}

/// The host side that kernels run on: one that is said, or the one that their folder shows.
fn side_of(request: &BackwardRequest, kernels: GivenKernels, host: Option<BackwardHost>) -> BackwardSide {
    let has_second_program = kernels.folder.finish.is_some();
    match host.unwrap_or(if has_second_program { BackwardHost::Op } else { BackwardHost::Public }) {
        BackwardHost::Op => BackwardSide::Own(Some(op_kernels(kernels, request.layout))),
        BackwardHost::Public => BackwardSide::Public(kernels.into()),
    }
}

/// The kernels of a folder for the op's own host side. A second program that is not given is the shipped one.
fn op_kernels(given: GivenKernels, layout: Layout) -> OpKernels {
    let finish = given.folder.finish.clone().map(|folder| {
        let include_dirs = given.include_dirs.clone();
        Kernels::from(GivenKernels { folder: *folder, include_dirs })
    });
    OpKernels { rows: given.into(), finish: finish.unwrap_or_else(|| OpKernels::shipped(layout).finish) }
}

/// Runs LayerNorm backward with other kernels, written for the public op, and compares it with float64. As they do, the
/// reference takes mean and rstd in bf16. dgamma and dbeta are the sums over the rows of what the kernels give for each row,
/// made in float64 and rounded to bf16; what they give is saved too, as `dgamma_components.npy` and
/// `dbeta_components.npy`.
///
/// # Errors
/// If the request is not one that can be carried out, or a kernel cannot be built. What is wrong with the kernels is in
/// the result.
pub fn backward_with(
    request: &BackwardRequest,
    kernels: impl Into<Kernels>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    on_side(request, BackwardSide::Public(kernels.into()), |case, terms| carry_out(case, terms, builder))
}

/// Runs one of the specimens.
///
/// # Errors
/// As [`backward_with`].
pub fn backward_specimen(
    request: &BackwardRequest,
    specimen: Specimen,
    kernels: impl Into<Kernels>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    let side = BackwardSide::Specimens(specimen, kernels.into());
    on_side(request, side, |case, terms| carry_out(case, terms, builder))
}

fn on_side<T>(
    request: &BackwardRequest,
    side: BackwardSide,
    then: impl FnOnce(&Case<'_>, &Terms<'_>) -> Result<T, LayerNormError>,
) -> Result<T, LayerNormError> {
    let terms = request.terms();
    check_tolerances(terms.closeness)?;
    let sums_here = !matches!(side, BackwardSide::Own(_));
    let (op, call) = (LayerNormBackward { arch: request.arch, side }, request.call());
    let case = Case {
        op: &op,
        name: NAME,
        arch: request.arch,
        call: &call,
        planned: op.planned(&call).map_err(OpError::Refused)?,
        fills: &|input| request.fill(input),
        outputs: &|outputs| if sums_here { summed(request, outputs) } else { Ok(outputs.into()) },
        parts: &|file, inputs, compared, outputs| {
            if sums_here { parts(file, inputs, compared, outputs) } else { Vec::new() }
        },
        bounds: &|file, bounds, outputs| if sums_here { of_sums(file, bounds, outputs) } else { HostBounds::new() },
    };
    then(&case, &terms)
}

/// dx, and dgamma and dbeta from what a program gives of them for each row, which is saved.
fn summed<'o>(request: &BackwardRequest, outputs: &'o [Output]) -> Result<Cow<'o, [Output]>, LayerNormError> {
    let width = *request.shape.last().unwrap_or(&1);
    let names = [Tensors::DX, Tensors::DGAMMA, Tensors::DBETA];
    let sum = |(name, output): (&str, &Output)| {
        if output.0.name == name {
            return Ok(output.clone());
        }
        if let Some(folder) = &request.save {
            save((folder, request.save_as), output)?;
        }
        let (shape, format) = (vec![1, 1, 1, width], request.format);
        let tensor = TensorDescriptor { name: name.into(), shape, format, ..output.0.clone() };
        Ok((tensor, host_sums::sums(&output.1, width as usize)))
    };
    names.into_iter().zip(outputs).map(sum).collect::<Result<_, _>>().map(Cow::Owned)
}

/// What the sums of columns may be off by.
fn of_sums(file: &ProgramFile, bounds: &Bounds, outputs: &[Output]) -> HostBounds {
    let tensors = file.program.tensors.iter().enumerate().filter(|(_, tensor)| tensor.output);
    let of_sum = |((number, made_of), (tensor, values)): ((usize, &TensorDescriptor), &Output)| {
        let of_terms = bounds.get(&number).filter(|_| made_of.name != tensor.name);
        Some((tensor.name.clone(), host_sums::bounds(of_terms.map(Vec::as_slice), values)?))
    };
    tensors.zip(outputs).filter_map(of_sum).collect()
}

/// What is asked of the gradients of each row, where the sum of a column of them is wrong.
fn parts(file: &ProgramFile, inputs: &Inputs, compared: &Compared, outputs: &[Output]) -> Vec<Question> {
    let of = |name: &str| inputs.iter().find(|(known, _)| known == name).map_or(&[][..], |(_, values)| &values[..]);
    let (x, dy, mean, rstd) = (of("x"), of("dy"), of("mean"), of("rstd"));
    let width = x.len() / mean.len().max(1);
    let x_hat = |at: usize| (f64::from(x[at]) - f64::from(mean[at / width])) * f64::from(rstd[at / width]);
    let dgamma = |at: usize| f64::from(dy[at]) * x_hat(at);
    let dbeta = |at: usize| f64::from(dy[at]);
    let of_rows: [(&str, &dyn Fn(usize) -> f64); 2] = [(Tensors::DGAMMA, &dgamma), (Tensors::DBETA, &dbeta)];
    let question = |((name, exact), output): ((&str, &dyn Fn(usize) -> f64), &Output)| {
        compared.outputs.iter().find(|output| output.name == name && !output.pass)?;
        let tensor = file.program.tensors.iter().position(|tensor| tensor.name == output.0.name)?;
        Question::of(tensor, &output.1, (0..dy.len()).map(exact).collect(), (0.0, 0.0))
    };
    of_rows.into_iter().zip(outputs.iter().skip(1)).filter_map(question).collect()
}
