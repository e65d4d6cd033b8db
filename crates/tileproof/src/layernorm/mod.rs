//! LayerNorm from arguments to verdict: a face of the two ops that [`crate::op`] has, in words of their own.
//!
//! A request becomes a call of the op, which fills the inputs and has the reference. [`forward`] and [`backward`] have a file
//! each, which says on which host side kernels run; what they share is in `carry_out.rs`.

mod backward;
mod carry_out;
mod error;
mod forward;
mod given_kernels;
mod of_call;
mod request;
mod result;
mod suite;

pub use backward::{
    BackwardHost, adversarial_backward, audit_backward, backward, backward_given, backward_specimen, backward_with,
};
pub use error::LayerNormError;
pub use forward::{ForwardHost, adversarial_forward, audit_forward, forward, forward_given};
pub use given_kernels::GivenKernels;
pub use of_call::{CallTerms, call_given};
pub use request::{BackwardRequest, ForwardRequest};
pub use result::LayerNormResult;
pub use suite::{PUBLIC, PublicTest, SuiteKernels, TestResult, public_suite};
