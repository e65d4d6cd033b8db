//! A search for data on which outputs are off by the largest share of what their operations may lose, or by more.
//!
//! From the kind of data that is worst so far it goes on by small changes, and keeps those that make it worse: the same on every host.
//! It must never leave the numbers that the formats of the inputs hold. Start at [`search`].

use tileproof_model::mixed::mixed;

use super::adversarial::{Chosen, Kind, Outcome, Ran};
use crate::elements;
use crate::fill::Fill;

/// Changes that are tried.
const STEPS: u64 = 32;
/// Numbers stay below.
const LARGEST: f64 = 1e30;

/// An input and its values.
type Values = Vec<(String, Vec<f64>)>;

/// A number between -1 and 1 for a step and an element.
fn drawn(step: u64, element: usize) -> f64 {
    (mixed(mixed(step) ^ element as u64) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// What a step makes of the values of an input; rows have that many columns.
fn changed(values: &mut [f64], columns: usize, step: u64) {
    let most = values.iter().fold(0.0f64, |most, value| most.max(value.abs())).max(2f64.powi(-20));
    let how = mixed(step);
    let power = 2f64.powi([-4, -1, 1, 4][(how >> 8) as usize % 4]);
    for (at, value) in values.iter_mut().enumerate() {
        let drawn = drawn(step, at);
        let new = match how % 6 {
            0 => *value * power,
            // A mean beside what there is.
            1 => *value + most * power,
            2 if drawn > 0.5 => most * (4.0 * drawn - 3.0),
            // Steps of a few bits more.
            3 => *value * (1.0 + drawn / 64.0),
            // The second half of a row cancels the first.
            4 if at % columns >= columns / 2 => -*value,
            5 if at % columns == (how >> 16) as usize % columns => most * 16.0,
            _ => *value,
        };
        *value = new.clamp(-LARGEST, LARGEST);
    }
}

/// Goes on from an outcome whose tolerance comes of its operations; `None` if no change made it worse.
///
/// # Errors
/// The first that a run meets.
pub(super) fn search<E>(
    inputs: &[Chosen],
    from: &Outcome,
    run: &mut dyn FnMut(&Kind) -> Result<Option<Ran>, E>,
) -> Result<Option<Outcome>, E> {
    let start = |input: &Chosen| {
        let words = from.kind.fill(&input.name)?.words(&input.shape, input.format, 0, input.stream).ok()?;
        let values = words.into_iter().map(|word| elements::value(input.format, word));
        Some((input.name.clone(), values.collect()))
    };
    let (mut best, mut found): (Values, Option<Outcome>) = (inputs.iter().filter_map(start).collect(), None);
    if best.is_empty() {
        return Ok(None);
    }
    for step in 0..STEPS {
        let mut values = best.clone();
        let number = (mixed(step) >> 32) as usize % values.len();
        let name = values[number].0.clone();
        let columns = inputs.iter().find(|input| input.name == name).and_then(|input| input.shape.last().copied());
        changed(&mut values[number].1, columns.unwrap_or(1).max(1) as usize, step);
        let fill = |(name, values): &(String, Vec<f64>)| (name.clone(), Fill::Values(values.clone().into()));
        let kind = Kind::of("search", values.iter().map(fill).collect());
        let Some(ran) = run(&kind)? else { continue };
        let outcome = Outcome::of(kind, ran);
        if outcome.share() > found.as_ref().map_or_else(|| from.share(), Outcome::share) {
            (best, found) = (values, Some(outcome));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::{Derived, OutputResult};
    use tileproof_model::numerics::format::DataFormat;
    use tileproof_model::program::{Layout, MemoryConfig, TensorDescriptor};
    use tileproof_model::record::Status;

    #[test]
    fn a_search_ends_on_data_that_are_worse_than_those_it_began_with_and_says_which() {
        let (shape, format) = (vec![2, 8], DataFormat::Float16_b);
        let input = Chosen { name: "x".into(), shape: shape.clone(), format, stream: 0, is_padded: false };
        // The farther the mean is from 0 beside what varies, the worse.
        let worse = |kind: &Kind| {
            let values = kind.fill("x").unwrap().values(&shape, format, 0, 0).unwrap();
            let mean = values.iter().sum::<f32>() / values.len() as f32;
            let largest = values.iter().fold(0.0f32, |most, value| most.max((value - mean).abs()));
            f64::from(mean.abs() / (mean.abs() + largest).max(1e-9))
        };
        let mut run = |kind: &Kind| {
            let (layout, memory) = (Layout::Tile, MemoryConfig::Dram);
            let tensor =
                TensorDescriptor { name: "y".into(), shape: shape.clone(), format, layout, memory, output: true };
            let derived = Some(Derived { largest_bound: 1.0, share: worse(kind) });
            Ok::<_, ()>(Some((Status::Completed, vec![OutputResult { derived, ..OutputResult::of(&tensor, true) }])))
        };
        let kind = Kind::of("given", vec![("x".into(), Fill::Uniform { lo: -1.0, hi: 1.0 })]);
        let ran = run(&kind).unwrap().unwrap();
        let from = Outcome::of(kind, ran);
        let found = search(&[input], &from, &mut run).unwrap().expect("worse data");
        assert!(found.share() > 2.0 * from.share() && found.share() == worse(&found.kind), "{:?}", found.share());
    }
}
