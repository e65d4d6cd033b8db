//! Data that find things, kind by kind, and what a call came to on each.
//!
//! It must never judge a kind by anything but the outputs. Start at [`kinds`]; `on_kinds.rs` runs them.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_model::record::Status;

use super::call::Call;
use super::data::Data;
use super::run::OpError;
use super::{Input, Op};
use crate::fill::Fill;
use crate::npy::{self, NpyError, SaveAs};
use crate::output::OutputResult;

/// An input whose data can be chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<u32>,
    /// Its format.
    pub format: DataFormat,
    /// The stream of its random fills.
    pub stream: u64,
    /// It has tile padding of which nothing says what it holds.
    pub is_padded: bool,
}

/// A kind of data: what each input is filled with. An input that it does not name keeps its own data.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// Fills by input.
    pub fills: Vec<(String, Fill)>,
    /// What tile padding holds of which nothing says it; NaN if it is left out.
    pub padding: Option<f64>,
    /// It has infinities: where what is expected then is no number nobody can judge it.
    pub is_infinite: bool,
}

impl Kind {
    /// One of finite numbers.
    pub(super) fn of(name: impl Into<String>, fills: Vec<(String, Fill)>) -> Kind {
        Kind { name: name.into(), fills, ..Kind::default() }
    }

    /// What it fills an input with.
    pub fn fill(&self, name: &str) -> Option<Fill> {
        self.fills.iter().find(|(known, _)| known == name).map(|(_, fill)| fill.clone())
    }
}

/// What a call came to on a kind of data.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The data.
    pub kind: Kind,
    /// How the run ended.
    pub status: Status,
    /// The output that is farthest off, one that misses before others; `None` if the run ended early.
    pub worst: Option<OutputResult>,
    /// The run ended, and all outputs are within tolerance.
    pub pass: bool,
}

impl Outcome {
    /// Of a run on a kind of data.
    pub(super) fn of(kind: Kind, (status, outputs): Ran) -> Outcome {
        let completed = status == Status::Completed;
        let pass = completed && outputs.iter().all(|output| output.pass);
        let far = |output: &OutputResult| (!output.pass, far(output));
        let farther = |one: OutputResult, other: OutputResult| if far(&other) > far(&one) { other } else { one };
        let worst = outputs.into_iter().filter(|_| completed).reduce(farther);
        Outcome { kind, status, worst, pass }
    }

    /// What is worse comes first: runs that end early, outputs that miss, then those that are the farthest off.
    pub(super) fn grade(&self) -> (bool, bool, f64) {
        (self.worst.is_none(), !self.pass, self.worst.as_ref().map_or(f64::INFINITY, far))
    }

    /// The largest difference as a share of what the operations may lose; 0 where the tolerance is another.
    pub(super) fn share(&self) -> f64 {
        self.worst.as_ref().and_then(|worst| worst.derived).map_or(0.0, |derived| derived.share)
    }
}

/// How far an output is off: as a share of what its operations may lose where that is its tolerance, else in steps of its format.
fn far(output: &OutputResult) -> f64 {
    output.derived.map_or_else(|| steps(output), |derived| derived.share)
}

/// How far an output is off, in steps of its format; a NaN is as far as can be.
fn steps(output: &OutputResult) -> f64 {
    output.max_ulp.filter(|steps| !steps.is_nan()).unwrap_or(f64::INFINITY)
}

/// The inputs of a call whose data can be chosen: those that the op does not work out itself.
///
/// # Errors
/// If the call is refused.
pub fn chosen(op: &dyn Op, call: &Call) -> Result<Vec<Chosen>, OpError> {
    let known: RefCell<Vec<Chosen>> = RefCell::default();
    let tensors = op.program(call).map_err(OpError::Refused)?.program.tensors;
    let is_padded = |name: &str| tensors.iter().any(|tensor| tensor.name == name && is_padded(tensor));
    let note = |input: &Input<'_>| {
        if let Some(fixed) = input.fixed {
            return fixed.clone();
        }
        let Input { name, shape, format, stream, .. } = *input;
        let is_padded = is_padded(name);
        let one = Chosen { name: name.into(), shape: shape.to_vec(), format, stream, is_padded };
        if !known.borrow().contains(&one) {
            known.borrow_mut().push(one);
        }
        Fill::Uniform { lo: -1.0, hi: 1.0 }
    };
    op.inputs(call, 0, &note).map_err(OpError::Data)?;
    Ok(known.into_inner())
}

/// Whether tiles of a tensor have room that none of its elements takes.
pub(crate) fn is_padded(tensor: &TensorDescriptor) -> bool {
    let sides = tensor.shape.iter().rev().copied().chain([1]).take(2);
    tensor.layout == Layout::Tile && sides.into_iter().any(|side| side % 32 != 0)
}

/// The kinds, from those that tests use to those that few think of.
pub fn kinds(inputs: &[Chosen]) -> Vec<Kind> {
    let mut kinds = vec![Kind::of("given", Vec::new())];
    let of = |name: &str, fill: &dyn Fn(&Chosen) -> Fill| {
        Kind::of(name, inputs.iter().map(|input| (input.name.clone(), fill(input))).collect())
    };
    for data in Data::ALL {
        kinds.push(of(data.name(), &|input| data.fill(&input.shape, input.format, input.stream)));
    }
    let uniform = Fill::Uniform { lo: -1.0, hi: 1.0 };
    let is_first = |input: &Chosen| inputs.first().is_some_and(|first| first.name == input.name);
    // A mean that grows beside its deviation: sums and differences of too few bits show at one of these.
    for mean in [10.0, 100.0, 1000.0] {
        let name = format!("offset_{mean}");
        let fill = |input: &Chosen| if is_first(input) { Fill::Normal { mean, std: 1.0 } } else { uniform.clone() };
        kinds.push(of(&name, &fill));
    }
    kinds.push(of("wide_exponents", &|input| each(input, |i| sign(i) * 2f64.powi((i * 7 % 41) as i32 - 20))));
    kinds.push(of("signed_zeros", &|input| each(input, |i| if i % 3 == 0 { sign(i) } else { 0.0 * sign(i) })));
    // Below the least normal number of bf16 and fp32: the matrix unit takes operands whose exponent field is 0 for
    // zero (ttsim `tensix.cpp`).
    let small = |i: usize| sign(i) * 2f64.powi(-130);
    kinds.push(of("subnormal", &|input| if is_first(input) { each(input, small) } else { uniform.clone() }));
    // A row of which half is taken out, as masks of attention do, and infinities of both signs among numbers.
    let masked =
        |i: usize, columns: usize| if i % columns >= columns.div_ceil(2) { f64::NEG_INFINITY } else { sign(i) };
    let mixed = |i: usize, _: usize| if i % 7 == 3 { f64::INFINITY * sign(i) } else { sign(i) };
    let columns = |input: &Chosen| input.shape.last().map_or(1, |side| *side as usize).max(1);
    let mut infinite = |name: &str, value: &dyn Fn(usize, usize) -> f64| {
        let fill = |input: &Chosen| {
            if is_first(input) { each(input, |i| value(i, columns(input))) } else { uniform.clone() }
        };
        kinds.push(Kind { is_infinite: true, ..of(name, &fill) });
    };
    infinite("masked", &masked);
    infinite("infinities", &mixed);
    // Undefined padding is a NaN by itself, which a maximum or a comparison may drop: numbers that no sum and no maximum can.
    if inputs.iter().any(|input| input.is_padded) {
        for (name, value) in [("padding_high", 1e30), ("padding_low", -1e30)] {
            kinds.push(Kind { padding: Some(value), ..Kind::of(name, Vec::new()) });
        }
    }
    kinds
}

/// A value for each element of an input.
fn each(input: &Chosen, value: impl Fn(usize) -> f64) -> Fill {
    let count = input.shape.iter().map(|side| *side as usize).product();
    Fill::Values((0..count).map(value).collect::<Vec<f64>>().into())
}

fn sign(i: usize) -> f64 {
    // Not in step with rows of any width.
    if (i ^ (i >> 3) ^ (i >> 7)) & 1 == 0 { 1.0 } else { -1.0 }
}

/// How a run on one kind ended, and its outputs.
pub type Ran = (Status, Vec<OutputResult>);

/// Writes the inputs that a kind fills to a folder, as `name.npy`, and returns where.
///
/// # Errors
/// If a fill does not fit, or a file cannot be written.
pub fn save(
    kind: &Kind,
    inputs: &[Chosen],
    seed: u64,
    (folder, save_as): (&Path, SaveAs),
) -> Result<Vec<(String, PathBuf)>, NpyError> {
    let mut saved = Vec::new();
    for (name, fill) in &kind.fills {
        let Some(input) = inputs.iter().find(|input| input.name == *name) else { continue };
        // It was run with this fill before.
        let Ok(words) = fill.words(&input.shape, input.format, seed, input.stream) else { continue };
        let path = folder.join(format!("{name}.npy"));
        npy::save_elements(&path, &input.shape, input.format, &words, save_as)?;
        saved.push((name.clone(), path));
    }
    Ok(saved)
}
