//! What can be audited: a program file, or a call of an op, whose reference knows what other data should give.
//!
//! Start at [`Audited`].

use tileproof_model::record::Status;

use super::faults::Known;
use crate::fill::Fill;
use crate::op::adversarial::chosen;
use crate::op::run::{OpError, Source, expecting};
use crate::op::{Call, Input, Op};
use crate::other_data::{is_chosen, varied};
use crate::output::OutputResult;
use crate::program_file::{Closeness, ProgramFile};
use crate::run_file::needed_atol;

/// A program that is audited, and how it is made of other data.
pub trait Audited {
    /// The program, with what is expected of it.
    fn file(&self) -> &ProgramFile;

    /// The inputs that may hold other data: those that are no constants of the program.
    fn inputs(&self) -> Vec<String>;

    /// Whether it says itself what to expect on other data.
    fn knows_other_data(&self) -> bool {
        true
    }

    /// The same program on other data for some inputs.
    fn with(&self, fills: &[(String, Fill)]) -> Other;

    /// The faults that kernels of it are known for.
    fn known(&self) -> Vec<Known> {
        Vec::new()
    }

    /// Runs the kernels with a known fault, and the same without it, on other data for some inputs and with another absolute tolerance;
    /// `None` if they cannot be run so.
    fn run_known(&self, _known: Known, _fills: &[(String, Fill)], _atol: Option<f64>) -> Option<[Seen; 2]> {
        None
    }
}

/// What a test sees of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Seen {
    /// How it ended.
    pub status: Status,
    /// Its outputs beside what is expected.
    pub outputs: Vec<OutputResult>,
}

impl Seen {
    /// True if a test lets it pass.
    pub fn passes(&self) -> bool {
        self.status == Status::Completed && self.outputs.iter().all(|output| output.pass)
    }

    /// The least absolute tolerance with which it would; none lets a run pass that ended early.
    pub fn needed_atol(&self) -> f64 {
        needed_atol(self.status, &self.outputs)
    }
}

/// Runs kernels with a fault, by its number, and without: on other data for some inputs, with another absolute tolerance.
pub type RunKnown<'a> = dyn Fn(usize, &[(String, Fill)], Option<f64>) -> Option<[Seen; 2]> + 'a;

/// A program on other data.
pub enum Other {
    /// With what is to be expected then.
    Program(Box<ProgramFile>),
    /// Nobody knows what is to be expected but the program itself.
    Itself,
    /// It does not take such data.
    Refused,
}

/// A program file.
pub struct OfProgram {
    /// The file.
    pub file: ProgramFile,
}

impl Audited for OfProgram {
    fn file(&self) -> &ProgramFile {
        &self.file
    }

    fn inputs(&self) -> Vec<String> {
        varied(&self.file)
    }

    fn knows_other_data(&self) -> bool {
        self.file.expects_its_data().is_none()
    }

    fn with(&self, fills: &[(String, Fill)]) -> Other {
        if self.knows_other_data() {
            let other = self.file.clone().with_fills(fills);
            return other.map_or(Other::Refused, |file| Other::Program(Box::new(file)));
        }
        // Its expectations are written down as values.
        let is_written = |tensor: usize| is_chosen(self.file.program.tensors[tensor].format);
        let all = self.file.expects.iter().all(|expect| is_written(expect.tensor));
        if all { Other::Itself } else { Other::Refused }
    }
}

/// A call of an op.
pub struct OfOp<'a> {
    op: &'a dyn Op,
    call: &'a Call,
    seed: u64,
    fills: &'a dyn Fn(&Input<'_>) -> Fill,
    closeness: Closeness,
    file: ProgramFile,
    inputs: Vec<String>,
    known: Option<(&'a [&'static str], &'a RunKnown<'a>)>,
}

impl<'a> OfOp<'a> {
    /// A call of an op on given data, with the tolerances of its test.
    ///
    /// # Errors
    /// If the call is refused, or the data do not fit.
    pub fn new(
        op: &'a dyn Op,
        call: &'a Call,
        source: &Source<'a>,
        closeness: impl Into<Closeness>,
    ) -> Result<OfOp<'a>, OpError> {
        let closeness = closeness.into();
        let file = expecting(op, call, source, closeness)?;
        // What the op works out itself follows the others.
        let inputs = chosen(op, call)?.into_iter().map(|input| input.name).collect();
        Ok(OfOp { op, call, seed: source.seed, fills: source.fills, closeness, file, inputs, known: None })
    }

    /// Adds the faults that its kernels are known for, in words, and who runs them.
    pub fn with_known(mut self, words: &'a [&'static str], run: &'a RunKnown<'a>) -> OfOp<'a> {
        self.known = Some((words, run));
        self
    }
}

impl Audited for OfOp<'_> {
    fn file(&self) -> &ProgramFile {
        &self.file
    }

    fn inputs(&self) -> Vec<String> {
        self.inputs.clone()
    }

    fn with(&self, fills: &[(String, Fill)]) -> Other {
        let fill = |input: &Input<'_>| {
            let other = fills.iter().find(|(name, _)| name == input.name).map(|(_, fill)| fill.clone());
            other.unwrap_or_else(|| (self.fills)(input))
        };
        let source = Source { seed: self.seed, fills: &fill };
        expecting(self.op, self.call, &source, self.closeness)
            .map_or(Other::Refused, |file| Other::Program(Box::new(file)))
    }

    fn known(&self) -> Vec<Known> {
        let words = self.known.map_or(&[][..], |(words, _)| words);
        words.iter().enumerate().map(|(number, text)| Known { number, text }).collect()
    }

    fn run_known(&self, known: Known, fills: &[(String, Fill)], atol: Option<f64>) -> Option<[Seen; 2]> {
        self.known.and_then(|(_, run)| run(known.number, fills, atol))
    }
}
