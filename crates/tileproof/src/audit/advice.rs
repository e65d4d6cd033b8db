//! Which other data, or which tolerance, would find more.
//!
//! Advice is tried before it is given: each number comes from runs. Start at [`advice`].

use std::collections::BTreeSet;

use tileproof_model::record::Status;

use super::data::{self, Data};
use super::faults::Fault;
use super::journal::Ran;
use super::result::{Advice, Audit, Verdict};
use super::trial::{Run, Runs, Test};
use crate::elements;
use crate::fill::Fill;
use crate::program_file::{Closeness, Expected, ProgramFile};
use crate::run_file::{Bench, RunError, Trial};

/// What is advised at most.
const MOST: usize = 3;

/// A test that could be, and the mutants that it finds, by their numbers.
struct Candidate {
    data: Vec<(String, Fill)>,
    atol: f64,
    finds: BTreeSet<usize>,
}

/// What would find more of what an audit's test misses, the best first; each further one of what is left then.
pub(super) fn advice(
    runs: &Runs<'_>,
    (audit, as_it_is): (&Audit, &Trial),
    is_over: &dyn Fn() -> bool,
) -> Result<Vec<Advice>, RunError> {
    let missed: Vec<usize> = (0..audit.tried.len()).filter(|i| audit.tried[*i].verdict == Verdict::Missed).collect();
    let mut left: BTreeSet<usize> = missed.iter().copied().collect();
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let mut candidates = vec![same_data(audit, &missed, as_it_is)];
    for data in data::others(runs.audited) {
        match known(runs, audit, &data, &missed)? {
            Some(before) => candidates.push(before),
            None if is_over() => break,
            None => candidates.extend(other_data(runs, audit, &data, (&missed, is_over))?),
        }
    }
    let mut given = Vec::new();
    while given.len() < MOST && !left.is_empty() {
        // Of several that find as many the first, which changes least.
        let finds = |candidate: &Candidate| candidate.finds.intersection(&left).count();
        let Some(best) = candidates.iter().rev().max_by_key(|candidate| finds(candidate)) else { break };
        if finds(best) == 0 {
            break;
        }
        given.push(Advice { data: best.data.clone(), atol: best.atol, finds: finds(best), of: left.len() });
        left = left.difference(&best.finds).copied().collect();
    }
    Ok(given)
}

/// The data of the test, with the least tolerance that the program as it is has room in.
fn same_data(audit: &Audit, missed: &[usize], as_it_is: &Trial) -> Candidate {
    let atol = tightened(audit, as_it_is.needed_atol());
    // Kernels of their own, with faults that are known, need a tolerance of their own too.
    let is_own = |number: &usize| !matches!(audit.tried[*number].fault, Fault::Known(_));
    let shows = |number: &usize| !is_derived(audit) && audit.tried[*number].needed_atol > atol;
    let finds = missed.iter().copied().filter(is_own).filter(shows).collect();
    Candidate { data: Vec::new(), atol, finds }
}

/// Whether the tolerance comes of the operations: then none is advised.
fn is_derived(audit: &Audit) -> bool {
    audit.outputs.iter().any(|output| output.derived.is_some())
}

/// Twice what the program as it is needs, and no less than a step of its formats at 1, as a round number, and not more than the test
/// allows.
fn tightened(audit: &Audit, needed: f64) -> f64 {
    let allowed = audit.tolerance.map_or(0.0, |(_, atol)| atol);
    let step = audit.outputs.iter().map(|output| elements::step(output.format)).fold(0.0, f64::max);
    round_up((2.0 * needed).max(step)).min(allowed)
}

/// The tolerance on other data. What the program needs nobody knows where it is its own reference.
fn atol_on(audit: &Audit, as_it_is: &Ran, is_known: bool) -> f64 {
    let allowed = audit.tolerance.map_or(0.0, |(_, atol)| atol);
    if is_known { tightened(audit, as_it_is.needed_atol) } else { allowed }
}

/// Whether a test with other data and that tolerance finds a fault, from what the run with it came to.
fn is_found(audit: &Audit, fault: &Fault, ran: &Ran, atol: f64) -> bool {
    let is_own = !matches!(fault, Fault::Known(_)) && !is_derived(audit);
    ran.is_fair && if is_own { ran.needed_atol > atol } else { !ran.passes }
}

/// Other data of which a journal has every run.
fn known(runs: &Runs<'_>, audit: &Audit, data: &Data, missed: &[usize]) -> Result<Option<Candidate>, RunError> {
    let Some(as_it_is) = runs.known_as_it_is(data)?.filter(|as_it_is| as_it_is.passes) else { return Ok(None) };
    let atol = atol_on(audit, &as_it_is, runs.audited.knows_other_data());
    let test = Test { fills: data, atol: Some(atol) };
    let mut finds = BTreeSet::new();
    for number in missed {
        let fault = &audit.tried[*number].fault;
        let Some(ran) = runs.known(fault, test)? else { return Ok(None) };
        if is_found(audit, fault, &ran, atol) {
            finds.insert(*number);
        }
    }
    Ok(Some(Candidate { data: data.clone(), atol, finds }))
}

/// The next of 1, 2 and 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return value.max(0.0);
    }
    let power = 10f64.powi(value.log10().floor() as i32);
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|round| *round >= value).unwrap_or(value)
}

/// Of data for which no tolerance can be derived, nothing.
fn bounded(bench: Result<Bench<'_>, RunError>) -> Result<Option<Bench<'_>>, RunError> {
    match bench {
        Err(RunError::NoBound { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// Other data, with the least tolerance there; `None` where the program as it is does not keep the tolerance of the test.
fn other_data(
    runs: &Runs<'_>,
    audit: &Audit,
    data: &Data,
    (missed, is_over): (&[usize], &dyn Fn() -> bool),
) -> Result<Option<Candidate>, RunError> {
    let Some((mut file, is_known)) = data::program(runs.audited, data) else { return Ok(None) };
    if !is_known {
        let Some(bench) = bounded(Bench::new(&file, runs.builder))? else { return Ok(None) };
        let as_it_is = bench.run(None)?;
        if as_it_is.status != Status::Completed {
            return Ok(None);
        }
        file = expecting_itself(file, &as_it_is);
    }
    let Some(bench) = bounded(Bench::new(&file, runs.builder))? else { return Ok(None) };
    let as_it_is = bench.run(None)?;
    if !as_it_is.passes() {
        return Ok(None);
    }
    let atol = atol_on(audit, &runs.keep_as_it_is(data, &as_it_is)?, is_known);
    let test = Test { fills: data, atol: Some(atol) };
    let mut finds = BTreeSet::new();
    for number in missed {
        let fault = &audit.tried[*number].fault;
        if is_over() && runs.known(fault, test)?.is_none() {
            break;
        }
        if let Run::Ran(ran) = runs.run(fault, test, (&bench, &as_it_is))?
            && is_found(audit, fault, &ran, atol)
        {
            finds.insert(*number);
        }
    }
    Ok(Some(Candidate { data: data.clone(), atol, finds }))
}

/// A program that is expected to give what it gives.
fn expecting_itself(mut file: ProgramFile, as_it_is: &Trial) -> ProgramFile {
    for expect in &mut file.expects {
        // What is expected to be as an input follows the data by itself.
        if matches!(expect.values, Expected::SameAs(_)) {
            continue;
        }
        let format = file.program.tensors[expect.tensor].format;
        let words = as_it_is.elements[expect.tensor].as_deref().unwrap_or_default();
        let values: Vec<f64> = words.iter().map(|word| elements::value(format, *word)).collect();
        expect.values = Expected::Fill(Fill::Values(values.into()));
        // A tolerance that is there stays: it is what the test allows.
        if let Closeness::Within { rtol, .. } = expect.closeness {
            expect.closeness = Closeness::Within { rtol, atol: f64::MAX };
        }
    }
    file
}

#[cfg(test)]
mod tests {
    use super::round_up;

    #[test]
    fn tolerances_are_rounded_up_to_1_2_or_5() {
        assert_eq!([0.0, 0.3, 1.0, 0.0021].map(round_up), [0.0, 0.5, 1.0, 0.005]);
    }
}
