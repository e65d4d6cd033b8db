//! What an audit came to.
//!
//! Start at [`Audit`].

use tileproof_model::record::Status;

use super::faults::Fault;
use super::what_if::WhatIf;
use crate::fill::Fill;
use crate::output::OutputResult;

/// What a test makes of a program with one thing wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// An output is not as expected.
    Found,
    /// The program did not come to its end.
    Ended(Status),
    /// All is as expected.
    Missed,
    /// No output changes in any bit, on any data that was tried: there is nothing to find.
    Unchanged,
    /// It asks for something of which no source says what the hardware does.
    NotModelled,
    /// It was not run, or not to its end: why.
    NotRun(&'static str),
}

/// A mutant, and what came of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What is wrong.
    pub fault: Fault,
    /// Whether the test sees it.
    pub verdict: Verdict,
    /// Whether an output changes in any bit, on the data of the test.
    pub changes: bool,
    /// The least absolute tolerance with which it would pass.
    pub needed_atol: f64,
}

/// What an audit came to.
#[derive(Debug)]
pub struct Audit {
    /// The outputs of the program as it is.
    pub outputs: Vec<OutputResult>,
    /// How the program as it is ended.
    pub status: Status,
    /// The mutants, in the order in which their lines are reached.
    pub tried: Vec<Tried>,
    /// The relative and absolute tolerance of the test: of several the widest; `None` if all outputs are compared bit by bit.
    pub tolerance: Option<(f64, f64)>,
    /// What would find more, the best first.
    pub advice: Vec<Advice>,
    /// What other settings would give, those alone that bring the outputs nearer.
    pub what_if: Vec<WhatIf>,
    /// Why no other order of sums is among these, where none could be tried.
    pub order_not_tried: Option<&'static str>,
    /// Seconds that it took.
    pub wall_s: f64,
}

impl Audit {
    /// Mutants of a verdict.
    pub fn count(&self, is_meant: impl Fn(Verdict) -> bool) -> usize {
        self.tried.iter().filter(|tried| is_meant(tried.verdict)).count()
    }

    /// Whether the program as it is passes its own test: else there is nothing to audit.
    pub fn baseline_passes(&self) -> bool {
        self.status == Status::Completed && self.outputs.iter().all(|output| output.pass)
    }

    /// Mutants that the test finds, and those that it could.
    pub fn power(&self) -> (usize, usize) {
        let found = self.count(|verdict| matches!(verdict, Verdict::Found | Verdict::Ended(_)));
        (found, found + self.count(|verdict| verdict == Verdict::Missed))
    }

    /// True if the test finds all that was tried, and something was.
    pub fn pass(&self) -> bool {
        let left = self.count(|verdict| matches!(verdict, Verdict::Missed | Verdict::NotRun(_)));
        self.baseline_passes() && !self.tried.is_empty() && left == 0
    }
}

/// A change of the test, and what it finds of what the test misses.
#[derive(Clone, PartialEq, Debug)]
pub struct Advice {
    /// Other data; none if those of the test stay.
    pub data: Vec<(String, Fill)>,
    /// The absolute tolerance.
    pub atol: f64,
    /// Mutants that it finds, of those that the test and the advice before miss.
    pub finds: usize,
    /// How many those are.
    pub of: usize,
}
