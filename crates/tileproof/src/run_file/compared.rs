//! Outputs beside what they should be, whoever says what that is: the program file, or an op's reference.
//!
//! It must never hold why an output is wrong, only what is asked of it. Start at [`Compared`].

use tileproof_check::values::shadow::Question;

use crate::device::Output;
use crate::error_map::ErrorMap;
use crate::output::OutputResult;

/// The outputs of a run, and what is to be explained of those that are wrong.
#[derive(Default, Debug)]
pub(crate) struct Compared {
    /// Each beside what it should be.
    pub(crate) outputs: Vec<OutputResult>,
    /// Those that are wrong, element by element.
    pub(crate) questions: Vec<Question>,
    /// How far off each is tile by tile, where that was asked for.
    pub(crate) errors: Vec<ErrorMap>,
}

/// Compares the outputs of a program that says itself of none what it should be.
pub(crate) type Compare<'a> = &'a dyn Fn(&[Output]) -> Compared;
