//! LayerNorm forward with kernels that a user gives: written for the host side of the public layernorm_fused_rm, or for
//! the op's own.
//!
//! Which of the two is asked of the kernels themselves, unless the user says it: the op's own take more compile-time arguments
//! than the public host side gives, and do not compile with those. It must never change what the kernels give. Start at
//! [`forward_given`].

use tileproof_build::BuildError;
use tileproof_check::Checks;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::{Layout, Program};
use tileproof_ops::layernorm_fused_rm::public_layout::{self, OutPages, PublicPlan};
use tileproof_ops::layernorm_fused_rm::{Arguments, Kernels};

use super::forward::{Data, ForwardRequest, arguments, conclude, execute, forward_with};
use super::{LayerNormError, LayerNormResult, check_tolerances};
use crate::cpp_kernels::BuildKernels;
use crate::device::{Device, DeviceError, host_threads};

/// A host side that kernels of forward can be written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForwardHost {
    /// The op's own.
    Op,
    /// The public one.
    Public(OutPages),
}

/// Runs LayerNorm forward with kernels for a host side, or for the one that they fit, and compares it with float64.
///
/// # Errors
/// If the request is not one that the host side can carry out, or a kernel cannot be built. What is wrong with the kernels is
/// in the result.
pub fn forward_given(
    request: &ForwardRequest,
    kernels: impl Into<Kernels>,
    host: Option<ForwardHost>,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    let kernels = kernels.into();
    let host = match host {
        Some(host) => host,
        None => host_of(request, &kernels, builder)?,
    };
    match host {
        ForwardHost::Op => forward_with(request, kernels, builder),
        ForwardHost::Public(out_pages) => forward_public(request, &kernels, out_pages, builder),
    }
}

/// The host side whose arguments the kernels compile with.
fn host_of(
    request: &ForwardRequest,
    kernels: &Kernels,
    builder: &dyn BuildKernels,
) -> Result<ForwardHost, LayerNormError> {
    // A request that the public host side refuses says nothing of the kernels.
    let smallest = Arguments::new(&[32, 32], DataFormat::Float16_b, Layout::RowMajor);
    let plan = public_layout::plan(&arguments(request), OutPages::Sticks)
        .or_else(|_| public_layout::plan(&smallest, OutPages::Sticks))
        .map_err(LayerNormError::ForwardArgument)?;
    let program = public_layout::program(&plan, kernels);
    match Device::<Unobserved>::new(&program, 1)?.build(&program, builder) {
        Err(DeviceError::Build(BuildError::CompileTimeArgument { .. })) => Ok(ForwardHost::Op),
        _ => Ok(ForwardHost::Public(OutPages::Sticks)),
    }
}

/// Runs kernels for the public host side.
fn forward_public(
    request: &ForwardRequest,
    kernels: &Kernels,
    out_pages: OutPages,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    check_tolerances(request.rtol, request.atol)?;
    let plan: PublicPlan =
        public_layout::plan(&arguments(request), out_pages).map_err(LayerNormError::ForwardArgument)?;
    let program: Program = public_layout::program(&plan, kernels);
    let data = Data::new(request)?;
    let run = if request.checks { execute::<Checks> } else { execute::<Unobserved> };
    let run = run(&program, false, &data.inputs(), host_threads(request.threads), builder)?;
    // The public kernels keep the tiles of a row in L1.
    conclude(request, &data, run, true, 1)
}
