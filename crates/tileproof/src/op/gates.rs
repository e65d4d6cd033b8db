//! The seven gates: from a description to kernels that are proved, in order, stopping at the first that is red.
//!
//! A gate never passes what it did not look at, and says what it looked at. Start at [`check`]; each gate is a function
//! in `gates/`.

mod events;
mod log;
mod run_gates;
mod static_gates;

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::Serialize;
use tileproof_model::finding::{self, Finding};
use tileproof_model::record::Ledger;

pub use events::Event;
pub use log::{Clock, Line, Log};
pub(crate) use run_gates::STUB;

use super::description::Description;
use super::registry::{FindError, Found};
use super::{Op, registry};
use crate::cpp_kernels::BuildKernels;
use crate::output::OutputResult;

/// The gates by name, in order.
pub const NAMES: [&str; 7] = [
    "description complete",
    "validation rejects what it must",
    "registered and callable",
    "program builds",
    "circular buffers fit",
    "kernels run to the end",
    "kernels are right",
];

/// How a gate came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Green.
    Pass,
    /// Red.
    Fail,
    /// An earlier one is red.
    NotReached,
}

/// A gate.
#[derive(Clone, Debug)]
pub struct Gate {
    /// From 1.
    pub number: usize,
    /// Its name.
    pub name: &'static str,
    /// How it came out.
    pub state: State,
    /// What was looked at.
    pub detail: String,
    /// Why it is red.
    pub failure: Option<Failure>,
    /// Seconds.
    pub wall_s: f64,
}

/// Why a gate is red.
#[derive(Clone, Default, Debug)]
pub struct Failure {
    /// In a sentence or two.
    pub reason: String,
    /// What was found in the run that failed.
    pub findings: Vec<Finding>,
    /// What to do about it.
    pub help: Option<String>,
    /// This host is the reason, not the op.
    pub is_host: bool,
}

impl Failure {
    fn new(reason: impl Into<String>) -> Failure {
        Failure { reason: reason.into(), ..Failure::default() }
    }

    fn with_help(self, help: impl Into<String>) -> Failure {
        Failure { help: Some(help.into()), ..self }
    }
}

/// One output of one run of gate 7.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared {
    /// The call.
    pub call: String,
    /// What reports call the data.
    pub data: &'static str,
    /// The output beside its reference.
    pub output: OutputResult,
}

/// What came of all gates.
#[derive(Clone, Debug)]
pub struct Check {
    /// Name of the op, or its folder if its description cannot be read.
    pub op: String,
    /// Its description, if it can be read.
    pub description: Option<Description>,
    /// The gates in order, all seven.
    pub gates: Vec<Gate>,
    /// The call that `ledgers` are of.
    pub ledger_of: Option<String>,
    /// What was done with its circular buffers, launch by launch.
    pub ledgers: Vec<Ledger>,
    /// All outputs of all runs of gate 7.
    pub accuracy: Vec<Compared>,
    /// Tolerances of gate 7.
    pub tolerances: (f64, f64),
    /// Remarks of all runs that fail no gate.
    pub notes: Vec<Finding>,
    /// Runs in all.
    pub runs: usize,
    /// Seconds.
    pub wall_s: f64,
}

impl Check {
    /// All seven gates are green.
    pub fn pass(&self) -> bool {
        self.gates.iter().all(|gate| gate.state == State::Pass)
    }

    /// For each output, format and kind of data the run with the largest error.
    pub fn worst(&self) -> Vec<&Compared> {
        let mut worst: Vec<&Compared> = Vec::new();
        let kind = |row: &Compared| (row.data, row.output.format);
        for row in &self.accuracy {
            let same = |known: &&mut &Compared| known.output.name == row.output.name && kind(known) == kind(row);
            match worst.iter_mut().find(same) {
                None => worst.push(row),
                Some(known) if row.output.max_ulp > known.output.max_ulp => *known = row,
                Some(_) => {}
            }
        }
        worst
    }

    /// The gate that is red.
    pub fn red(&self) -> Option<&Gate> {
        self.gates.iter().find(|gate| gate.state == State::Fail)
    }
}

/// What gates share.
struct Context<'a> {
    op: &'a dyn Op,
    /// Where the op was found: `None` for a shipped one.
    folder: Option<PathBuf>,
    builder: &'a dyn BuildKernels,
    tell: &'a mut dyn FnMut(Event),
    /// The gate that is being looked at.
    gate: usize,
    /// The file with the op's description.
    about: String,
    ledger_of: Option<String>,
    ledgers: Vec<Ledger>,
    accuracy: Vec<Compared>,
    notes: Vec<Finding>,
    runs: usize,
}

/// What a gate does: what it looked at, or why it is red.
type Step = fn(&mut Context<'_>) -> Result<String, Failure>;

/// Takes an op through the gates. `tell` is told of each step.
///
/// # Errors
/// If there is no such op, or this host cannot run it. A description that is wrong is a red gate.
pub fn check(name: &str, builder: &dyn BuildKernels, tell: &mut dyn FnMut(Event)) -> Result<Check, FindError> {
    let begin = Instant::now();
    let Found { op, folder } = match registry::find(name, Path::new("")) {
        Ok(found) => found,
        Err(FindError::File(error)) => {
            let about = error.path.display().to_string();
            tell(Event::CheckStarted { op: name.into(), file: about.clone() });
            tell(Event::GateStarted { gate: 1, name: NAMES[0] });
            let findings = FindError::File(error.clone()).findings();
            let failure = Failure { findings, ..Failure::new(error.to_string()) };
            let failure = failure.with_help("mend the description at this place");
            return Ok(finish(name.into(), None, vec![gate(0, Err(failure), &about, begin, tell)], begin, tell));
        }
        Err(other) => return Err(other),
    };
    let description = op.describe();
    let about = description.files.first().map_or_else(|| name.into(), |file| file.display().to_string());
    tell(Event::CheckStarted { op: description.name.clone(), file: about.clone() });
    let mut context = Context {
        op: op.as_ref(),
        folder,
        builder,
        tell,
        gate: 0,
        about,
        ledger_of: None,
        ledgers: Vec::new(),
        accuracy: Vec::new(),
        notes: Vec::new(),
        runs: 0,
    };
    let steps: [Step; 7] = [
        static_gates::description,
        static_gates::validation,
        static_gates::registration,
        static_gates::program,
        static_gates::circular_buffers,
        run_gates::run_to_the_end,
        run_gates::right,
    ];
    let mut gates = Vec::new();
    for (index, step) in steps.into_iter().enumerate() {
        let begin = Instant::now();
        context.gate = index + 1;
        (context.tell)(Event::GateStarted { gate: index + 1, name: NAMES[index] });
        let result = step(&mut context);
        if let Err(Failure { is_host: true, reason, .. }) = result {
            return Err(FindError::Host(reason));
        }
        let failed = result.is_err();
        gates.push(gate(index, result, &context.about, begin, context.tell));
        if failed {
            break;
        }
    }
    let Context { ledger_of, ledgers, accuracy, notes, runs, tell, .. } = context;
    let grid = op.grid();
    let check = finish(description.name.clone(), Some(description), gates, begin, tell);
    let notes = finding::fold(notes);
    Ok(Check { ledger_of, ledgers, accuracy, notes, runs, tolerances: (grid.rtol, grid.atol), ..check })
}

fn gate(
    index: usize,
    result: Result<String, Failure>,
    about: &str,
    begin: Instant,
    tell: &mut dyn FnMut(Event),
) -> Gate {
    let (state, detail, failure) = match result {
        Ok(detail) => (State::Pass, detail, None),
        Err(failure) => (State::Fail, String::new(), Some(failure)),
    };
    let gate =
        Gate { number: index + 1, name: NAMES[index], state, detail, failure, wall_s: begin.elapsed().as_secs_f64() };
    tell(Event::gate_ended(&gate, about));
    gate
}

/// A check with its gates; those behind the red one were not reached.
fn finish(
    op: String,
    description: Option<Description>,
    mut gates: Vec<Gate>,
    begin: Instant,
    tell: &mut dyn FnMut(Event),
) -> Check {
    for (index, name) in NAMES.into_iter().enumerate().skip(gates.len()) {
        gates.push(Gate {
            number: index + 1,
            name,
            state: State::NotReached,
            detail: String::new(),
            failure: None,
            wall_s: 0.0,
        });
    }
    let check = Check {
        op,
        description,
        gates,
        ledger_of: None,
        ledgers: Vec::new(),
        accuracy: Vec::new(),
        tolerances: (0.0, 0.0),
        notes: Vec::new(),
        runs: 0,
        wall_s: begin.elapsed().as_secs_f64(),
    };
    let green = check.gates.iter().filter(|gate| gate.state == State::Pass).count();
    tell(Event::CheckEnded { op: check.op.clone(), pass: check.pass(), green });
    check
}
