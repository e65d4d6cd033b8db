//! Gates 6 and 7: kernels that run.
//!
//! Gate 6 asks whether they end and whether their ledgers come out even, whatever they compute; gate 7 whether what they
//! compute is right. Each function is a gate.

use std::cell::Cell;

use tileproof_model::finding::{Code, Family, Finding};
use tileproof_model::record::{BufferAction, BufferLedger, Ledger, Status};
use tileproof_model::wording::cb_name;

use super::context::Context;
use super::events::{Event, to_blame};
use super::gate::{Compared, Failure};
use super::static_gates::counted;
use crate::op::call::Call;
use crate::op::run::{OpError, Source, run};
use crate::op::{Data, Input, Moves};
use crate::output::OutputResult;
use crate::run_file::{RunOptions, RunResult};

/// Families of findings that are about values, which stubs need not get right.
const OF_VALUES: [Family; 2] = [Family::Compute, Family::Numerics];

/// The line of a kernel that `op new` wrote and nobody has changed.
pub(crate) const STUB: &str = "// STUB:";

/// What to do about values that are wrong.
const ARITHMETIC: &str = "the ledger is right, so look at the arithmetic: print Dst tiles with DPRINT, or run `tileproof op run` with simpler data";
/// What to do about pages that flow otherwise than in gate 6.
const OF_DATA: &str = "pages flow as they must with the first kind of data, and not with this: look for loops and branches that depend on values";

/// What data are called when the description gives all of them.
const OWN: &str = "own";

/// Runs a call on data of the grid, and remembers its notes. What reports call the data is returned too.
fn run_on(context: &mut Context<'_>, call: &Call, data: Data) -> Result<(RunResult, &'static str), Failure> {
    let of_grid = Cell::new(false);
    let fills = |input: &Input<'_>| match input.fixed {
        Some(fill) => fill.clone(),
        None => {
            of_grid.set(true);
            data.fill(input.shape, input.format, input.stream)
        }
    };
    // A random fill of the description is drawn anew for each kind of data.
    let seed = Data::ALL.iter().position(|known| *known == data).unwrap_or_default() as u64;
    let grid = context.op.grid();
    let options = RunOptions::default();
    context.runs += 1;
    let run = run(context.op, call, &Source { seed, fills: &fills }, (grid.rtol, grid.atol), &options, context.builder);
    let run = run.map_err(|error| {
        let is_host = matches!(&error, OpError::Run(error) if error.is_host());
        let reason = format!("{call}, {}: {error}", data.name());
        Failure { is_host, findings: error.findings(), ..Failure::new(reason) }
    })?;
    context.notes.extend(run.record.notes.iter().cloned());
    Ok((run, if of_grid.get() { data.name() } else { OWN }))
}

fn tell(context: &mut Context<'_>, call: &Call, data: &str, run: &RunResult, pass: bool) {
    let record = &run.record;
    (context.tell)(Event::Run {
        gate: context.gate,
        call: call.to_string(),
        data: data.into(),
        file: to_blame(&record.findings, &context.about),
        status: record.status.name().into(),
        cycles: record.cycles,
        findings: record.findings.iter().map(|finding| finding.code.to_string()).collect(),
        max_ulp: run.outputs.iter().filter_map(|output| output.max_ulp).reduce(f64::max).filter(|ulp| ulp.is_finite()),
        pass,
    });
}

/// Gate 6.
pub(super) fn run_to_the_end(context: &mut Context<'_>) -> Result<String, Failure> {
    let calls = context.op.calls();
    let data = context.op.grid().data[0];
    let mut entries = 0;
    for call in &calls {
        let (run, data) = run_on(context, call, data)?;
        let problem = unfinished(context, call, &run);
        tell(context, call, data, &run, problem.is_none());
        if let Some(failure) = problem {
            return Err(failure);
        }
        let buffers = |ledgers: &[Ledger]| ledgers.iter().map(|ledger| ledger.buffers.len()).sum::<usize>();
        let ledgers = run.record.ledgers;
        entries += buffers(&ledgers);
        // The call that uses most of the op's buffers shows most of it.
        if buffers(&ledgers) > buffers(&context.ledgers) {
            context.ledger_of = Some(call.to_string());
            context.ledgers = ledgers;
        }
    }
    let runs = counted(calls.len(), "run", "runs");
    Ok(format!("{runs} completed; {} of circular buffers even", counted(entries, "ledger", "ledgers")))
}

/// What is wrong with a run, values aside.
fn unfinished(context: &Context<'_>, call: &Call, run: &RunResult) -> Option<Failure> {
    let record = &run.record;
    if record.status != Status::Completed {
        let reason = format!("{call}: the run ended as {}", record.status.name());
        return Some(Failure { findings: record.findings.clone(), ..Failure::new(reason) });
    }
    let of_flow = |finding: &&Finding| !OF_VALUES.contains(&finding.code.family());
    let unread = |finding: &&Finding| finding.code == Code::INPUT_NOT_READ;
    let findings: Vec<Finding> =
        record.findings.iter().filter(of_flow).chain(record.notes.iter().filter(unread)).cloned().collect();
    if let Some(first) = findings.first() {
        let reason = format!("{call}: {}", first.message);
        return Some(Failure { findings, ..Failure::new(reason) });
    }
    let buffers = || record.ledgers.iter().flat_map(|ledger| &ledger.buffers);
    for buffer in buffers() {
        let (pushed, popped) = (pages(buffer, BufferAction::Push), pages(buffer, BufferAction::Pop));
        if pushed != popped || buffer.left != 0 {
            let on = buffer.cores.first().map_or(String::new(), |core| format!(" on core {core}"));
            let (cb, left) = (cb_name(buffer.cb), buffer.left);
            let reason = format!("{call}: {cb}{on}: {pushed} pages pushed, {popped} popped, {left} left");
            return Some(Failure::new(reason).with_help("pop as many pages as are pushed"));
        }
    }
    let moves = match context.op.moves(call) {
        Ok(moves) => moves,
        Err(refusal) => return Some(Failure::new(refusal.message)),
    };
    moves.iter().find_map(|wanted| {
        let of_core = |buffer: &&BufferLedger| buffer.cb == u32::from(wanted.cb) && buffer.cores.contains(&wanted.core);
        let found = buffers().find(of_core).map_or(0, |buffer| pages(buffer, BufferAction::Push));
        (found != wanted.pages).then(|| other_count(call, wanted, found))
    })
}

fn other_count(call: &Call, wanted: &Moves, found: u64) -> Failure {
    let Moves { cb, core, pages, text } = wanted;
    let reason = format!(
        "{call}: {} on core {core}: {found} pages pushed, the description says moves = \"{text}\", which is {pages}",
        cb_name(cb)
    );
    Failure::new(reason).with_help("mend the kernel's loop, or the description")
}

fn pages(buffer: &BufferLedger, action: BufferAction) -> u64 {
    buffer.calls.iter().filter(|call| call.action == action).map(|call| call.pages).sum()
}

/// Gate 7.
pub(super) fn right(context: &mut Context<'_>) -> Result<String, Failure> {
    let (calls, grid) = (context.op.calls(), context.op.grid());
    for call in &calls {
        for data in &grid.data {
            let (run, data) = run_on(context, call, *data)?;
            let pass = run.pass();
            tell(context, call, data, &run, pass);
            let compared = |output: &OutputResult| Compared { call: call.to_string(), data, output: output.clone() };
            context.accuracy.extend(run.outputs.iter().map(compared));
            if !pass {
                return Err(wrong(context, call, data, run));
            }
            // A kernel that computes nothing can be close enough all the same.
            if let Some(help) = stub(context) {
                let reason = format!("{call}, {data} data: nothing is wrong, but a kernel is still a stub");
                return Err(Failure::new(reason).with_help(help));
            }
        }
    }
    let runs = counted(calls.len() * grid.data.len(), "run", "runs");
    let mut dtypes: Vec<(&str, f64)> = Vec::new();
    for Compared { output, .. } in &context.accuracy {
        let (dtype, ulp) = (output.format.dtype_name(), output.max_ulp.unwrap_or(f64::NAN));
        match dtypes.iter_mut().find(|(known, _)| *known == dtype) {
            Some((_, worst)) => *worst = worst.max(ulp),
            None => dtypes.push((dtype, ulp)),
        }
    }
    let ulp = |worst: f64| if worst < 1000.0 { format!("{worst:.2}") } else { format!("{worst:.1e}") };
    let worst: Vec<String> =
        dtypes.iter().map(|(dtype, worst)| format!("{dtype} at most {} ulp", ulp(*worst))).collect();
    Ok(format!("{runs} within {:e} + {:e} |reference|, no finding; {}", grid.atol, grid.rtol, worst.join(", ")))
}

/// Why a run is not right.
fn wrong(context: &Context<'_>, call: &Call, data: &str, run: RunResult) -> Failure {
    // Gate 6 ran the call on the first kind of data alone: with this one its pages can go other ways.
    let flow = unfinished(context, call, &run);
    let record = run.record;
    let outside = run.outputs.iter().find(|output| !output.pass);
    let what = match (record.status, outside.and_then(|output| output.reason.as_ref()), record.findings.first()) {
        (Status::Completed, Some(worst), _) => worst.clone(),
        (Status::Completed, None, Some(finding)) => finding.message.clone(),
        (ended, ..) => format!("the run ended as {}", ended.name()),
    };
    let reason = format!("{call}, {data} data: {what}");
    let help = stub(context).unwrap_or_else(|| if flow.is_some() { OF_DATA } else { ARITHMETIC }.into());
    Failure { reason, findings: record.findings, help: Some(help), is_host: false }
}

/// The first kernel that is still as `op new` wrote it.
fn stub(context: &Context<'_>) -> Option<String> {
    context.op.kernel_files().into_iter().find_map(|(_, path)| {
        let text = std::fs::read_to_string(&path).ok()?;
        let line = text.lines().position(|line| line.trim_start().starts_with(STUB))?;
        Some(format!("{}:{} is still the stub that `op new` wrote: write the op there", path.display(), line + 1))
    })
}
