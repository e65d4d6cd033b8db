//! LayerNorm backward with kernels that a user gives: written for the op's own host side, or for that of the public
//! layernorm_bw.
//!
//! Unless the user says which, a folder that has kernels for the second program is for the op's own: the public op is one
//! program. It must never change what the kernels give. Start at [`backward_given`].

use tileproof_model::program::Layout;
use tileproof_ops::Kernels;
use tileproof_ops::layernorm_bw::OpKernels;

use super::backward::{BackwardRequest, backward_op};
use super::given_kernels::{GivenKernels, backward_with};
use super::{LayerNormError, LayerNormResult};
use crate::cpp_kernels::BuildKernels;

/// A host side that kernels of backward can be written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackwardHost {
    /// The op's own.
    Op,
    /// The public one.
    Public,
}

/// The kernels of a folder for the op's own host side. A second program that is not given is the shipped one.
fn op_kernels(given: GivenKernels, layout: Layout) -> OpKernels {
    let finish = given.folder.finish.clone().map(|folder| {
        let include_dirs = given.include_dirs.clone();
        Kernels::from(GivenKernels { folder: *folder, include_dirs })
    });
    OpKernels { rows: given.into(), finish: finish.unwrap_or_else(|| OpKernels::shipped(layout).finish) }
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
        BackwardHost::Op => backward_op(request, &op_kernels(kernels, request.layout), builder),
        BackwardHost::Public => backward_with(request, kernels, builder),
    }
}
