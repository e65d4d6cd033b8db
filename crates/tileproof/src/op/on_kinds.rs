//! A call is run on one kind of data after the other, and the kind on which it does worst comes first.
//!
//! It must never leave a kind out that could be judged. Start at [`run_kinds`].

use tileproof_model::record::Status;

use super::adversarial::{Chosen, Kind, Outcome, Ran, chosen, kinds};
use super::call::Call;
use super::run::{OpError, Source, expects_numbers, run};
use super::search::search;
use super::{Input, Op};
use crate::cpp_kernels::BuildKernels;
use crate::program_file::Closeness;
use crate::run_file::{ChosenChecks, RunError, RunOptions};

/// Runs all kinds; the worst first, of those that are alike the one that was run first. Where tolerances come of the operations, a
/// search goes on from the kind that uses most of them. Kinds of which `run` gives nothing are left out.
///
/// # Errors
/// The first that a run meets.
pub fn run_kinds<E>(
    inputs: &[Chosen],
    run: &mut dyn FnMut(&Kind) -> Result<Option<Ran>, E>,
) -> Result<Vec<Outcome>, E> {
    let mut outcomes = Vec::new();
    for kind in kinds(inputs) {
        let Some(ran) = run(&kind)? else { continue };
        // What the hardware does with an infinity no source may say.
        if !(kind.is_infinite && ran.0 == Status::Stopped) {
            outcomes.push(Outcome::of(kind, ran));
        }
    }
    // Of data that the program has nobody has the fills.
    let can_begin =
        |outcome: &&Outcome| !outcome.kind.fills.is_empty() && !outcome.kind.is_infinite && outcome.share() > 0.0;
    let begin = outcomes.iter().filter(can_begin).max_by(|one, other| one.share().total_cmp(&other.share()));
    if let Some(found) = begin.map(|begin| search(inputs, begin, run)).transpose()?.flatten() {
        outcomes.push(found);
    }
    outcomes.sort_by(|one, other| other.grade().partial_cmp(&one.grade()).unwrap_or(std::cmp::Ordering::Equal));
    Ok(outcomes)
}

/// Runs a call on one kind of data after the other, with nothing looked for but its outputs; the worst first.
///
/// # Errors
/// As [`run()`].
pub fn run_adversarial(
    op: &dyn Op,
    call: &Call,
    source: &Source<'_>,
    closeness: Closeness,
    threads: Option<usize>,
    builder: &dyn BuildKernels,
) -> Result<(Vec<Chosen>, Vec<Outcome>), OpError> {
    let inputs = chosen(op, call)?;
    let outcomes = run_kinds(&inputs, &mut |kind| {
        let fills = |input: &Input<'_>| kind.fill(input.name).unwrap_or_else(|| (source.fills)(input));
        let source = Source { seed: source.seed, fills: &fills };
        if kind.is_infinite && !expects_numbers(op, call, &source)? {
            return Ok(None);
        }
        let options =
            RunOptions { checks: ChosenChecks::None, threads, padding: kind.padding, ..RunOptions::default() };
        match run(op, call, &source, closeness, &options, builder) {
            Err(OpError::Run(RunError::NoBound { .. })) => Ok(None),
            result => result.map(|result| Some((result.record.status, result.outputs))),
        }
    })?;
    Ok((inputs, outcomes))
}
