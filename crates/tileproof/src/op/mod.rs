//! The op workbench: any op, ours or in a user's folder, from its description to kernels that are proved.
//!
//! An [`Op`] says what it is, what it accepts, which program a call becomes and what must come out; [`gates`] holds it to
//! that. [`registry`] knows the shipped ops, [`UserOp`] reads a folder with an `op.toml`. Nothing here renders anything.

pub mod adversarial;
pub mod call;
pub mod call_file;
pub mod data;
pub mod description;
pub mod export;
pub mod expression;
mod file;
pub mod gates;
pub mod in_cpp;
pub(crate) mod names;
pub mod on_kinds;
mod probes;
mod program;
pub mod registry;
pub mod run;
mod search;
pub(crate) mod shipped;
pub mod skeleton;
mod spec;
mod tables;
pub mod tensor;
mod user;

pub use call::{Call, Refusal, Setting};
pub use data::Data;
pub use description::Description;
pub use file::{OpFileError, UserOp};
pub use spec::Grid;

use std::sync::Arc;

use crate::fill::Fill;
use crate::program_file::ProgramFile;

/// Values of inputs, by name, rounded to their formats.
pub type Inputs = Vec<(String, Arc<[f32]>)>;
/// Values of outputs in float64, by name.
pub type References = Vec<(String, Vec<f64>)>;

/// An op, from its description to its reference.
pub trait Op {
    /// What is told of it.
    fn describe(&self) -> Description;

    /// What its description lacks; empty if nothing.
    fn missing(&self) -> Vec<String> {
        Vec::new()
    }

    /// The calls that it is proved on: each shape of the grid, in each format, layout and path that is allowed.
    fn calls(&self) -> Vec<Call>;

    /// Shapes, data and tolerances of the proof.
    fn grid(&self) -> Grid;

    /// One probe a condition, or several with the same words, one behind the other.
    fn probes(&self) -> Vec<Probe>;

    /// Accepts a call, or says which condition does not hold.
    ///
    /// # Errors
    /// The first condition that does not hold.
    fn validate(&self, call: &Call) -> Result<(), Refusal>;

    /// The program that a call becomes. Its inputs have no fills yet.
    ///
    /// # Errors
    /// What [`Op::validate`] refuses, or a program that cannot be made.
    fn program(&self, call: &Call) -> Result<ProgramFile, Refusal>;

    /// The program of a call with the op's kernels in C++, if it is shipped so.
    ///
    /// # Errors
    /// As [`Op::program`].
    fn in_cpp(&self, _call: &Call) -> Result<Option<InCpp>, Refusal> {
        Ok(None)
    }

    /// The inputs of a call, rounded to their formats; random fills are drawn with `seed`.
    ///
    /// # Errors
    /// If a fill does not fit.
    fn inputs(&self, call: &Call, seed: u64, fills: &dyn Fn(&Input<'_>) -> Fill) -> Result<Inputs, String>;

    /// The outputs of a call in float64.
    ///
    /// # Errors
    /// If the reference cannot be worked out.
    fn reference(&self, call: &Call, inputs: &Inputs) -> Result<References, String>;

    /// The tensor of the program whose rows the host sums up for an output that the program does not have.
    fn summed_up_from(&self, _output: &str) -> Option<&'static str> {
        None
    }

    /// Pages that go through a circular buffer on the core of `cores` with this index, where the description says so.
    fn moves(&self, _call: &Call) -> Result<Vec<Moves>, Refusal> {
        Ok(Vec::new())
    }

    /// The kernels that are text: those of a user's folder, which `analyze` can read.
    fn kernel_files(&self) -> Vec<(&'static str, std::path::PathBuf)> {
        Vec::new()
    }
}

/// An op's C++ kernels, and the program that a call becomes with them.
pub struct InCpp {
    /// Kernels and headers: path below [`in_cpp::KERNELS`], and text.
    pub files: &'static [(&'static str, &'static str)],
    /// The program; its kernels are below [`in_cpp::KERNELS`].
    pub program: tileproof_model::program::Program,
}

/// An input that needs data.
pub struct Input<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its shape.
    pub shape: &'a [u32],
    /// Its format.
    pub format: tileproof_model::numerics::format::DataFormat,
    /// The stream of its random fills, by which also those are told apart that are not random.
    pub stream: u64,
    /// The data that the description gives it, whatever the grid says.
    pub fixed: Option<&'a Fill>,
}

impl Input<'_> {
    /// Its values, rounded to its format.
    ///
    /// # Errors
    /// If the fill does not fit.
    pub(crate) fn filled(&self, seed: u64, fills: &dyn Fn(&Input<'_>) -> Fill) -> Result<Arc<[f32]>, String> {
        let values = match fills(self) {
            Fill::Rounded(values) => return Ok(values),
            fill => fill.values(self.shape, self.format, seed, self.stream),
        };
        values.map(Arc::from).map_err(|error| format!("{}: {error}", self.name))
    }
}

/// Pages through a circular buffer on a core, as a description says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moves {
    /// Index of the buffer.
    pub cb: u8,
    /// The core.
    pub core: tileproof_model::thread::CoreCoord,
    /// Pages.
    pub pages: u64,
    /// The expression.
    pub text: String,
}

/// A condition from both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The condition.
    pub condition: String,
    /// A call that is to be accepted.
    pub inside: Attempt,
    /// A call that this condition, and no other, is to refuse.
    pub outside: Attempt,
}

/// A call, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// The call.
    pub call: String,
    /// Why it was refused.
    pub refusal: Option<Refusal>,
}
