//! The seven gates: from a description to kernels that are proved, in order, stopping at the first that is red.
//!
//! A gate never passes what it did not look at, and says what it looked at. Start at [`check`]; each gate is a function
//! in `gates/`.

mod context;
mod events;
mod gate;
mod log;
mod run_gates;
mod static_gates;

use std::path::Path;
use std::time::Instant;

use tileproof_model::finding;

use context::Context;
pub use events::Event;
pub use gate::{Check, Compared, Failure, Gate, NAMES, State};
pub use log::{Clock, Line, Log};
pub(crate) use run_gates::STUB;

use super::description::Description;
use super::registry;
use super::registry::{FindError, Found};
use crate::cpp_kernels::BuildKernels;

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
