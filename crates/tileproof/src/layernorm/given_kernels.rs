//! LayerNorm backward with kernels that a user gives, written for the public layernorm_bw.
//!
//! The host side is the public one, so mean and rstd are bf16 and the sums over the rows are made here. It must never
//! change what the kernels give. Start at [`backward_with`].

use std::path::PathBuf;

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::numerics::host::{bf16_to_f32, f32_to_bf16};
use tileproof_model::program::KernelSource;
use tileproof_ops::layernorm_bw::{Tensors, public_layout};

use super::backward::{BackwardRequest, Data, Run, conclude};
use super::{LayerNormError, LayerNormResult, check_tolerances, save};
use crate::cpp_kernels::BuildKernels;
use crate::kernel_folder::KernelFolder;

/// Kernels in C++ and where they find what they include.
#[derive(Clone, Debug)]
pub struct GivenKernels {
    /// The files.
    pub folder: KernelFolder,
    /// Include directories.
    pub include_dirs: Vec<PathBuf>,
}

impl From<GivenKernels> for public_layout::Kernels {
    fn from(given: GivenKernels) -> Self {
        public_layout::Kernels {
            reader: KernelSource::Cpp(given.folder.reader),
            compute: KernelSource::Cpp(given.folder.compute),
            writer: KernelSource::Cpp(given.folder.writer),
            include_dirs: given.include_dirs,
        }
    }
}

/// Runs LayerNorm backward with other kernels and compares it with float64. dgamma and dbeta are the sums over the rows of
/// what the kernels give for each row, made in float64 and rounded to bf16; the reference takes mean and rstd as the kernels
/// do, in bf16. What the kernels give is saved too, as `dgamma_components.npy` and `dbeta_components.npy`.
///
/// # Errors
/// If the request is not one that can be carried out, or a kernel cannot be built. What is wrong with the kernels is in
/// the result.
pub fn backward_with(
    request: &BackwardRequest,
    kernels: impl Into<public_layout::Kernels>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    check_tolerances(request.rtol, request.atol)?;
    let plan = public_layout::plan(&request.arguments())?;
    let mut data = Data::new(request)?;
    for statistic in data.mean.iter_mut().chain(&mut data.rstd) {
        *statistic = to_bf16(*statistic);
    }
    let run = Run {
        program: public_layout::program(&plan, &kernels.into()),
        outputs: [Tensors::DX, public_layout::DGAMMA_COMPONENTS, public_layout::DBETA_COMPONENTS],
        builder: Some(builder),
    };
    let mut executed = run.execute(&data, request)?;
    if let Some(folder) = &request.save {
        for (name, values) in executed.outputs.iter().skip(1) {
            save(folder, name, &request.shape, request.format, values)?;
        }
    }
    let width = request.shape[3] as usize;
    for (output, name) in executed.outputs.iter_mut().skip(1).zip([Tensors::DGAMMA, Tensors::DBETA]) {
        let sums = public_layout::sum_rows(&output.1, width);
        *output = (name, sums.into_iter().map(|sum| to_bf16(sum as f32)).collect());
    }
    debug_assert_eq!(request.format, DataFormat::Float16_b, "the plan refuses other formats");
    conclude(request, &data, executed, plan.l1_path, plan.rows.len())
}

/// To nearest, ties to even.
fn to_bf16(value: f32) -> f32 {
    bf16_to_f32(f32_to_bf16(value))
}
