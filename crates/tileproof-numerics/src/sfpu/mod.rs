//! The vector unit (SFPU): what the kernel API's unary and binary tile calls do to Dst.
//!
//! Each operation follows, instruction by instruction, the LLK kernels that ship with ttnn 0.79;
//! nothing may be computed by a host function that the unit does not have. Start at [`execute`],
//! then `op` for the table, [`fma`] for the arithmetic and `lreg` for the other instructions.
//!
//! | file | holds |
//! |---|---|
//! | `op`, `row` | the table of operations; its columns |
//! | `mode`, `missing` | how a kernel was compiled; what is not modelled |
//! | `lreg`, `fma`, `arith`, `unit` | the register and the instructions |
//! | `tiles`, `call` | loads and stores; one call and its loops over tiles |
//! | `hot`, `iterations` | faster loops with the same results for ordinary numbers |
//! | `run` | from a call to the family of its operation |
//! | `bounds` | which steps of a polynomial the host rounds as the unit |
//! | `lane`, `swift` | one lane in host arithmetic, with a doubt; loops of them over tiles |
//! | `word_tables` | results that were worked out before, for 16-bit words |
//! | the others | one family each: its operations' steps, and its `run` |

#![allow(
    clippy::approx_constant,
    clippy::excessive_precision,
    clippy::needless_range_loop,
    reason = "constants as the kernels spell them; lanes are indexed in step"
)]

mod activation;
mod arcsine;
mod arith;
mod basic;
mod bessel;
mod bounds;
mod call;
mod compare;
mod compiled;
mod constants;
mod convert;
mod custom;
mod division;
mod exponential;
pub mod fma;
mod folded;
mod gaussian;
mod hot;
mod hyperbolic;
mod instruction;
mod integer;
mod iterations;
mod lane;
mod limits;
mod logarithm;
mod lreg;
mod missing;
mod mode;
mod op;
mod power;
mod program;
mod reciprocal;
mod reduce;
mod root;
mod rounding;
mod row;
mod run;
mod running;
mod shrink;
mod swift;
mod ternary;
mod tiles;
mod trigonometry;
mod unit;
mod word_tables;

pub use constants::{Constants, Programmable};
pub use custom::{VectorRegisters, run_steps};
pub use instruction::{Instruction, VectorStep};
pub use missing::Unimplemented;
pub use mode::{Faces, SfpuMode};
pub use op::SfpuOp;
pub use program::{Program, Touched};
pub use row::{Keeps, Macros, Row, Width};
pub use run::{execute, execute_faces};
pub use running::{Moments, RunningSum, cumsum};
