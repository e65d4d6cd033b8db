//! The golden vectors in `tests/golden` and their loader: kernels, inputs and the bits that came out.
//! It must never know the simulator or its numerics, and never compute an expected value: it hands out recorded bits.
//! Start reading at [`cases`] and [`Case`]; where the vectors come from is in `tests/golden/PROVENANCE.md`.
//!
//! ```
//! let case = tileproof_golden::case("base", "add_tiles__bf16_d32_fp32").unwrap();
//! assert_eq!(case.array("in0.npy").shape, [4, 32, 32]);
//! assert!(case.kernel_source().unwrap().contains("add_tiles"));
//! ```

mod archive;
mod case;
mod coding;
mod generate;
mod npy;
pub mod pack;
mod program;

pub use case::{Case, Mismatch, Sample, case, cases, group, groups};
pub use npy::{Array, Dtype};
