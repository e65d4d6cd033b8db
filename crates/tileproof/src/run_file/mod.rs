//! Runs a program file from its text to its verdict: fill, build, launch, decode, compare, save.
//! It must never print: a wrong kernel is in the result, an error means that the program could not be run.
//! Start reading at [`run_program_file`].

mod bench;
mod compared;
mod deeper;
mod derived;
mod diagnose;
mod error;
mod explain;
mod explore;
mod formula;
mod fraction;
mod from_path;
pub mod grid;
mod judge;
mod loaded;
mod needs;
mod not_checked;
mod not_finite;
mod open_day;
mod options;
mod order_shows;
mod outputs;
mod reason;
mod recipes;
mod result;
mod runs;
mod stale;
mod suppressed;
mod tensors;
mod timeline;
mod undefined;
mod why;

pub(crate) use bench::{Bench, Trial, needed_atol};
pub(crate) use compared::Compared;
pub(crate) use derived::bounds_of;
pub use error::{Place, RunError};
pub use from_path::{run_program_file, run_program_file_with};
pub(crate) use needs::check_call;
pub use options::{ChosenChecks, Element, Line, RunOptions};
pub use result::{Explored, RunResult};
pub(crate) use runs::{build_program, explain_wrong, run_compared, run_standing};
pub(crate) use timeline::recorded;

pub use crate::cpp_kernels::BuildKernels;
