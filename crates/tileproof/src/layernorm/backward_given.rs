//! LayerNorm backward with kernels that a user gives: written for the op's own host side, or for that of the public
//! layernorm_bw.
//!
//! Which of the two is asked of the kernels themselves, unless the user says it: the op's own take more compile-time arguments
//! than the public host side gives, and do not compile with those. It must never change what the kernels give. Start at
//! [`backward_given`].

use tileproof_build::BuildError;
use tileproof_model::arch::Arch;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_ops::layernorm_bw::public_layout::{self, Kernels};
use tileproof_ops::layernorm_bw::{Arguments, OpKernels, PathChoice};

use super::backward::{BackwardRequest, backward_op};
use super::given_kernels::{GivenKernels, backward_with};
use super::{LayerNormError, LayerNormResult};
use crate::cpp_kernels::BuildKernels;
use crate::device::{Device, DeviceError};

/// A host side that kernels of backward can be written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackwardHost {
    /// The op's own.
    Op,
    /// The public one.
    Public,
}

/// The kernels of a folder for the op's own host side. A second program that is not given is the shipped one.
impl From<GivenKernels> for OpKernels {
    fn from(given: GivenKernels) -> Self {
        let finish = given.folder.finish.clone().map(|folder| {
            let include_dirs = given.include_dirs.clone();
            Kernels::from(GivenKernels { folder: *folder, include_dirs })
        });
        OpKernels { rows: given.into(), finish: finish.unwrap_or_else(|| OpKernels::shipped().finish) }
    }
}

/// Runs LayerNorm backward with kernels for a host side, or for the one that they fit, and compares it with float64.
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
    let host = match host {
        Some(host) => host,
        None => host_of(request, &kernels.clone().into(), builder)?,
    };
    match host {
        BackwardHost::Op => backward_op(request, &kernels.into(), builder),
        BackwardHost::Public => backward_with(request, kernels, builder),
    }
}

/// The host side whose arguments the kernels compile with.
fn host_of(
    request: &BackwardRequest,
    kernels: &Kernels,
    builder: &dyn BuildKernels,
) -> Result<BackwardHost, LayerNormError> {
    // A request that the public host side refuses says nothing of the kernels.
    let smallest = Arguments {
        shape: vec![1, 1, 32, 32],
        format: DataFormat::Float16_b,
        path: PathChoice::Auto,
        arch: Arch::Wormhole,
        ..request.arguments()
    };
    let plan = public_layout::plan(&request.arguments()).or_else(|_| public_layout::plan(&smallest))?;
    let program = public_layout::program(&plan, kernels);
    match Device::<Unobserved>::new(&program, 1)?.build(&program, builder) {
        Err(DeviceError::Build(BuildError::CompileTimeArgument { .. })) => Ok(BackwardHost::Op),
        _ => Ok(BackwardHost::Public),
    }
}
