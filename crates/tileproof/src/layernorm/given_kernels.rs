//! Kernels in C++ that a user gives, and LayerNorm backward with them, as they were written for the public layernorm_bw.
//!
//! The host side of backward is the public one, so mean and rstd are bf16 and the sums over the rows are made here. It must
//! never change what the kernels give. Start at [`backward_with`]; forward with given kernels is in `forward_given.rs`.

use std::path::PathBuf;

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::host::{bf16_to_f32, f32_to_bf16};
use tileproof_model::program::{KernelSource, Program};
use tileproof_ops::Kernels;
use tileproof_ops::layernorm_bw::specimens::{self, Specimen};
use tileproof_ops::layernorm_bw::{Tensors, public_layout};

use super::backward::{BackwardRequest, Data, Run, conclude};
use super::{LayerNormError, LayerNormResult, check_tolerances, rounded_inputs, save};
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::kernel_folder::KernelFolder;

/// Kernels in C++ and where they find what they include.
#[derive(Clone, Debug)]
pub struct GivenKernels {
    /// The files.
    pub folder: KernelFolder,
    /// Include directories.
    pub include_dirs: Vec<PathBuf>,
}

impl From<GivenKernels> for Kernels {
    fn from(given: GivenKernels) -> Self {
        Kernels {
            reader: KernelSource::Cpp(given.folder.reader),
            compute: KernelSource::Cpp(given.folder.compute),
            writer: KernelSource::Cpp(given.folder.writer),
            include_dirs: given.include_dirs,
        }
    }
}

/// A program that gives dx, and dgamma and dbeta for each row.
struct GivenProgram {
    /// With the tensors of [`public_layout`].
    program: Program,
    /// Whether it keeps whole rows in L1.
    l1_path: bool,
    /// Cores that it takes.
    cores: usize,
    /// Format of mean and rstd.
    statistics: DataFormat,
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
    let plan = public_layout::plan(&request.arguments())?;
    let given = GivenProgram {
        program: public_layout::program(&plan, &kernels.into()),
        l1_path: plan.l1_path,
        cores: plan.rows.len(),
        statistics: DataFormat::Float16_b,
    };
    backward_of(request, given, builder)
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
    let (program, cores) = specimens::program(&request.arguments(), specimen, &kernels.into())?;
    let given = GivenProgram { program, l1_path: false, cores, statistics: DataFormat::Float32 };
    backward_of(request, given, builder)
}

fn backward_of(
    request: &BackwardRequest,
    given: GivenProgram,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    check_tolerances(request.rtol, request.atol)?;
    let mut data = Data::new(request, given.statistics)?;
    if given.statistics == DataFormat::Float16_b {
        for statistic in data.mean.iter_mut().chain(&mut data.rstd) {
            *statistic = to_bf16(*statistic);
        }
    }
    let GivenProgram { program, l1_path, cores, statistics } = given;
    let outputs = [Tensors::DX, public_layout::DGAMMA_COMPONENTS, public_layout::DBETA_COMPONENTS];
    let formats = outputs.map(|name| program.tensors.iter().find(|t| t.name == name).map(|t| t.format));
    let mut executed = Run { program, outputs, builder }.execute(&data, request)?;
    // Kernels that take mean and rstd as bf16 take those of a file rounded.
    let given = [("mean", &request.mean), ("rstd", &request.rstd)];
    let given: Vec<(&str, &Fill)> = given.into_iter().filter_map(|(name, fill)| Some((name, fill.as_ref()?))).collect();
    executed.run.notes.extend(rounded_inputs(statistics, &given));
    if let Some(folder) = &request.save {
        for ((name, values), format) in executed.outputs.iter().zip(formats).skip(1) {
            save((folder, request.save_as), name, &request.shape, format.unwrap_or(request.format), values)?;
        }
    }
    let width = request.shape[3] as usize;
    for (output, name) in executed.outputs.iter_mut().skip(1).zip([Tensors::DGAMMA, Tensors::DBETA]) {
        let sums = public_layout::sum_rows(&output.1, width);
        *output = (name, sums.into_iter().map(|sum| to_bf16(sum as f32)).collect());
    }
    conclude(request, &data, executed, l1_path, cores)
}

/// To nearest, ties to even.
fn to_bf16(value: f32) -> f32 {
    bf16_to_f32(f32_to_bf16(value))
}
