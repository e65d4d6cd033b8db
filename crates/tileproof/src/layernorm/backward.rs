//! LayerNorm backward from arguments to verdict, on the op's own host side, or on that of the public layernorm_bw.
//!
//! Unless the user says which, a folder that has kernels for the second program is for the op's own: the public op is one
//! program, whose kernels take mean and rstd in bf16, and the sums over the rows are made here. It must never change what
//! kernels give. Start at [`backward`].

use std::borrow::Cow;

use tileproof_check::values::shadow::Question;
use tileproof_model::numerics::host::{bf16_to_f32, f32_to_bf16};
use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_ops::Kernels;
use tileproof_ops::layernorm_bw::public_layout::sum_rows;
use tileproof_ops::layernorm_bw::specimens::Specimen;
use tileproof_ops::layernorm_bw::{NAME, OpKernels, Tensors};

use super::carry_out::{Case, carry_out, check_tolerances, save};
use super::error::LayerNormError;
use super::given_kernels::GivenKernels;
use super::request::BackwardRequest;
use super::result::LayerNormResult;
use crate::cpp_kernels::{BuildKernels, Nobody};
use crate::device::Output;
use crate::op::Inputs;
use crate::op::run::OpError;
use crate::op::shipped::{BackwardSide, LayerNormBackward};
use crate::program_file::ProgramFile;
use crate::run_file::Compared;

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
    on_side(request, BackwardSide::Own(None), &Nobody)
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
    let has_second_program = kernels.folder.finish.is_some();
    match host.unwrap_or(if has_second_program { BackwardHost::Op } else { BackwardHost::Public }) {
        BackwardHost::Op => {
            let kernels = op_kernels(kernels, request.layout);
            on_side(request, BackwardSide::Own(Some(kernels)), builder)
        }
        BackwardHost::Public => backward_with(request, kernels, builder),
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
    on_side(request, BackwardSide::Public(kernels.into()), builder)
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
    on_side(request, BackwardSide::Specimens(specimen, kernels.into()), builder)
}

fn on_side(
    request: &BackwardRequest,
    side: BackwardSide,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    let terms = request.terms();
    check_tolerances(terms.tolerances)?;
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
    };
    carry_out(&case, &terms, builder)
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
        let sums = sum_rows(&output.1, width as usize);
        Ok((tensor, sums.into_iter().map(|sum| bf16_to_f32(f32_to_bf16(sum as f32))).collect()))
    };
    names.into_iter().zip(outputs).map(sum).collect::<Result<_, _>>().map(Cow::Owned)
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
