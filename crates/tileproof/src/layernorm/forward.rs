//! LayerNorm forward from arguments to verdict, on the op's own host side or on that of the public layernorm_fused_rm.
//!
//! Which of the two is asked of the kernels themselves, unless the user says it: the op's own take more compile-time arguments
//! than the public host side gives, and do not compile with those. It must never change what kernels give. Start at
//! [`forward`].

use tileproof_build::BuildError;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::observe::Unobserved;
use tileproof_model::program::Layout;
use tileproof_ops::Kernels;
use tileproof_ops::layernorm_fused_rm::public_layout::OutPages;
use tileproof_ops::layernorm_fused_rm::{self, NAME};

use super::carry_out::{Case, audited, carry_out, check_tolerances, on_kinds};
use super::error::LayerNormError;
use super::given_kernels::GivenKernels;
use super::request::{ForwardRequest, Terms};
use super::result::LayerNormResult;
use crate::audit::{Audit, AuditOptions};
use crate::cpp_kernels::{BuildKernels, Nobody};
use crate::device::{Device, DeviceError};
use crate::op::adversarial::{Chosen, Outcome};
use crate::op::run::{HostBounds, OpError};
use crate::op::shipped::{ForwardSide, LayerNormForward};
use crate::op::{Call, Refusal};

/// A host side that kernels of forward can be written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForwardHost {
    /// The op's own.
    Op,
    /// The public one.
    Public(OutPages),
}

/// Runs LayerNorm forward on the simulated device and compares it with float64.
///
/// # Errors
/// If the request is not one that can be carried out. What is wrong with the kernels is in the result.
pub fn forward(request: &ForwardRequest) -> Result<LayerNormResult, LayerNormError> {
    on_side(request, ForwardSide::Own(layernorm_fused_rm::kernels()), |case, terms| carry_out(case, terms, &Nobody))
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
    let side = side_of(request, kernels.into(), host, builder)?;
    on_side(request, side, |case, terms| carry_out(case, terms, builder))
}

/// Says what a test of LayerNorm forward with these data and tolerances would miss, on the shipped kernels or on others.
///
/// # Errors
/// As [`forward_given`].
pub fn audit_forward(
    request: &ForwardRequest,
    given: Option<(GivenKernels, Option<ForwardHost>)>,
    options: &AuditOptions<'_>,
    builder: &dyn BuildKernels,
) -> Result<Audit, LayerNormError> {
    let side = match given {
        None => ForwardSide::Own(layernorm_fused_rm::kernels()),
        Some((kernels, host)) => side_of(request, kernels.into(), host, builder)?,
    };
    on_side(request, side, |case, terms| audited(case, terms, options, (&[], &|_, _, _| None), builder))
}

/// Runs LayerNorm forward on one kind of data after the other, on the shipped kernels or on others; the worst first.
///
/// # Errors
/// As [`forward_given`].
pub fn adversarial_forward(
    request: &ForwardRequest,
    given: Option<(GivenKernels, Option<ForwardHost>)>,
    builder: &dyn BuildKernels,
) -> Result<(Vec<Chosen>, Vec<Outcome>), LayerNormError> {
    let side = match given {
        None => ForwardSide::Own(layernorm_fused_rm::kernels()),
        Some((kernels, host)) => side_of(request, kernels.into(), host, builder)?,
    };
    on_side(request, side, |case, terms| on_kinds(case, terms, builder))
}

/// The host side that kernels run on: one that is said, or the one that they fit.
fn side_of(
    request: &ForwardRequest,
    kernels: Kernels,
    host: Option<ForwardHost>,
    builder: &dyn BuildKernels,
) -> Result<ForwardSide, LayerNormError> {
    let host = match host {
        Some(host) => host,
        None => host_of(request, &kernels, builder)?,
    };
    Ok(match host {
        ForwardHost::Op => ForwardSide::Own(kernels),
        ForwardHost::Public(out_pages) => ForwardSide::Public(kernels, out_pages),
    })
}

/// The op that is asked for, on a host side.
fn op(request: &ForwardRequest, side: ForwardSide) -> LayerNormForward {
    LayerNormForward { arch: request.arch, gamma: request.gamma.is_some(), beta: request.beta.is_some(), side }
}

fn on_side<T>(
    request: &ForwardRequest,
    side: ForwardSide,
    then: impl FnOnce(&Case<'_>, &Terms<'_>) -> Result<T, LayerNormError>,
) -> Result<T, LayerNormError> {
    let terms = request.terms();
    check_tolerances(terms.closeness)?;
    let (op, call) = (op(request, side), request.call());
    let case = Case {
        op: &op,
        name: NAME,
        arch: request.arch,
        call: &call,
        planned: op.planned(&call).map_err(OpError::Refused)?,
        fills: &|input| request.fill(input),
        outputs: &|outputs| Ok(outputs.into()),
        parts: &|_, _, _, _| Vec::new(),
        bounds: &|_, _, _| HostBounds::new(),
    };
    then(&case, &terms)
}

/// The host side whose arguments the kernels compile with.
fn host_of(
    request: &ForwardRequest,
    kernels: &Kernels,
    builder: &dyn BuildKernels,
) -> Result<ForwardHost, LayerNormError> {
    let public = || ForwardSide::Public(kernels.clone(), OutPages::Sticks);
    // A request that the public host side refuses says nothing of the kernels.
    let smallest = Call::new(&[32, 32], DataFormat::Float16_b, Layout::RowMajor);
    let planned = op(request, public()).planned(&request.call());
    let planned = planned
        .or_else(|_: Refusal| LayerNormForward { side: public(), ..LayerNormForward::default() }.planned(&smallest));
    let program = planned.map_err(OpError::Refused)?.program;
    match Device::<Unobserved>::new(&program, 1)?.build(&program, builder) {
        Err(DeviceError::Build(BuildError::CompileTimeArgument { .. })) => Ok(ForwardHost::Op),
        _ => Ok(ForwardHost::Public(OutPages::Sticks)),
    }
}
