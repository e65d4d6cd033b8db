//! The vector unit (SFPU): what the kernel API's unary and binary tile calls do to Dst.
//!
//! Each operation follows, instruction by instruction, the LLK kernels that ship with ttnn 0.79;
//! nothing may be computed by a host function that the unit does not have. Start at [`execute`],
//! then [`fma`] for the arithmetic and `lreg` for the other instructions.
//!
//! | file | holds |
//! |---|---|
//! | `op` | the operations: codes, names, inputs, cycles |
//! | `fma`, `arith`, `lreg` | the instructions |
//! | `tiles` | loads, stores and the loop over a tile |
//! | `hot`, `iterations` | faster loops with the same results for ordinary numbers |
//! | the others | one family of operations each |

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    clippy::needless_range_loop,
    reason = "constants as the kernels spell them; lanes are indexed in step"
)]

mod activation;
mod arith;
mod basic;
mod compare;
mod exponential;
pub mod fma;
mod gaussian;
mod hot;
mod integer;
mod iterations;
mod limits;
mod logarithm;
mod lreg;
mod op;
mod power;
mod reciprocal;
mod reduce;
mod root;
mod rounding;
mod run;
mod running;
mod ternary;
mod tiles;
mod trigonometry;

pub use op::SfpuOp;
pub use run::{Faces, execute, execute_faces};
pub use running::{Moments, RunningSum, cumsum};

/// The architecture of the vector unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SfpuArch {
    /// Wormhole B0.
    Wormhole,
    /// Blackhole.
    Blackhole,
}

/// How the kernel that calls was compiled and configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SfpuMode {
    /// `fp32_dest_acc_en`: Dst holds 32 bits a datum.
    pub dst_32: bool,
    /// `math_approx_mode`.
    pub approx: bool,
    /// The architecture.
    pub arch: SfpuArch,
    /// The ALU format of SrcB is Float16: a 16-bit Dst then holds e5m10 patterns, which no
    /// operation here reads yet.
    pub src_b_is_fp16: bool,
}

/// What was asked for is not modelled: no result was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unimplemented {
    /// The operation.
    pub op: SfpuOp,
    /// What of it is missing.
    pub what: &'static str,
}

impl std::fmt::Display for Unimplemented {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} is not modelled", self.op.name(), self.what)
    }
}

impl std::error::Error for Unimplemented {}
