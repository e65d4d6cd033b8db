//! A call of either op, run with the kernels of a folder.
//!
//! It must never give an attribute or an input a default that the call of the op does not have. Start at [`call_given`].

use std::path::PathBuf;

use tileproof_ops::{layernorm_bw, layernorm_fused_rm};

use super::backward::backward_given;
use super::error::LayerNormError;
use super::forward::forward_given;
use super::given_kernels::GivenKernels;
use super::request::{BackwardRequest, ForwardRequest};
use super::result::LayerNormResult;
use crate::cpp_kernels::BuildKernels;
use crate::fill::Fill;
use crate::npy::SaveAs;
use crate::op::call_file::UNFILLED;
use crate::op::run::OpError;
use crate::op::shipped::{LayerNormBackward, LayerNormForward};
use crate::op::{Call, Refusal};
use crate::run_file::ChosenChecks;

/// What a call does not say.
pub struct CallTerms<'a> {
    /// Fills of inputs, by name.
    pub fills: &'a [(String, Fill)],
    /// What random fills are drawn with.
    pub seed: u64,
    /// Relative and absolute.
    pub tolerances: (f64, f64),
    /// What is looked for.
    pub checks: ChosenChecks,
    /// Host threads; all when left out.
    pub threads: Option<usize>,
    /// The folder that the values of the outputs are saved in.
    pub save: Option<PathBuf>,
}

impl CallTerms<'_> {
    fn fill(&self, name: &str) -> Option<Fill> {
        self.fills.iter().find(|(known, _)| known == name).map(|(_, fill)| fill.clone())
    }
}

/// Runs a call of a shipped op with kernels in C++, on the host side that they are for, and compares it with float64.
///
/// # Errors
/// If the call is refused, there is no such op, or a kernel cannot be built. What is wrong with the kernels is in the result.
pub fn call_given(
    op: &str,
    call: &Call,
    terms: &CallTerms<'_>,
    kernels: GivenKernels,
    builder: &dyn BuildKernels,
) -> Result<LayerNormResult, LayerNormError> {
    let refused = |refusal: Refusal| LayerNormError::Op(OpError::Refused(refusal));
    let fill = |name: &str| terms.fill(name).unwrap_or(UNFILLED);
    let (rtol, atol) = terms.tolerances;
    match op {
        layernorm_bw::NAME => {
            let arguments = LayerNormBackward::default().arguments(call).map_err(refused)?;
            let request = BackwardRequest {
                format: call.dtype,
                layout: call.layout,
                memory_config: arguments.output_memory,
                x: fill("x"),
                gamma: fill("gamma"),
                dy: fill("dy"),
                mean: terms.fill("mean"),
                rstd: terms.fill("rstd"),
                eps: arguments.eps,
                path: arguments.path,
                cores: arguments.cores,
                seed: terms.seed,
                rtol,
                atol,
                checks: terms.checks.clone(),
                threads: terms.threads,
                save: terms.save.clone(),
                save_as: SaveAs::Float32,
                ..BackwardRequest::new(call.shape.clone())
            };
            backward_given(&request, kernels, None, builder)
        }
        layernorm_fused_rm::NAME => {
            let arguments = LayerNormForward::default().arguments(call).map_err(refused)?;
            let request = ForwardRequest {
                format: call.dtype,
                layout: call.layout,
                memory_config: arguments.output_memory,
                x: fill("x"),
                gamma: Some(fill("gamma")),
                beta: Some(fill("beta")),
                eps: arguments.eps,
                statistics: arguments.statistics,
                path: arguments.path,
                cores: arguments.cores,
                seed: terms.seed,
                rtol,
                atol,
                checks: terms.checks.clone(),
                threads: terms.threads,
                save: terms.save.clone(),
                save_as: SaveAs::Float32,
                ..ForwardRequest::new(call.shape.clone())
            };
            forward_given(&request, kernels, None, builder)
        }
        _ => Err(refused(Refusal::new("", format!("op {op}: kernels of a folder are for the shipped LayerNorm ops")))),
    }
}
