//! Probes of a user's op: for each condition a call that meets it and one that it alone refuses.
//!
//! They are changes of the first call of the grid, so that a refusal has one reason. Start at [`of`].

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::Layout;

use super::call::{Call, Setting};
use super::file::UserOp;
use super::spec::ProbeSpec;
use super::user::words::Words;
use super::{Attempt, Op, Probe};

/// The probes of all conditions, in the order in which they are checked.
pub(super) fn of(op: &UserOp) -> Vec<Probe> {
    let mut probes = Vec::new();
    let Some(first) = op.inputs.first() else { return probes };
    let shape = op.grid.shapes.first().cloned().unwrap_or(vec![32; op.ranks.0 as usize]);
    let base = Call::new(&shape, op.dtypes()[0], op.layouts()[0]);
    let attempt = |call: Call| Attempt { call: call.to_string(), refusal: op.validate(&call).err() };
    let mut probe = |condition: String, inside: Call, outside: Call| {
        probes.push(Probe { condition, inside: attempt(inside), outside: attempt(outside) });
    };
    let with_shape = |shape: Vec<u32>| Call { shape, ..base.clone() };
    // A rank that is not allowed: one more than the most, with dimensions of 1 in front.
    let too_many = [vec![1; op.ranks.1 as usize + 1 - shape.len().min(op.ranks.1 as usize)], shape.clone()].concat();
    probe(Words::rank(op), base.clone(), with_shape(too_many));
    let mut empty = shape.clone();
    if let Some(last) = empty.last_mut() {
        *last = 0;
    }
    probe(Words::DIMENSIONS.into(), base.clone(), with_shape(empty));
    let other = [DataFormat::Float32, DataFormat::Float16_b, DataFormat::Bfp8_b];
    if let Some(dtype) = other.into_iter().find(|format| !op.dtypes().contains(format)) {
        probe(Words::dtype(op.dtypes()), base.clone(), Call { dtype, ..base.clone() });
    }
    if let Some(layout) = [Layout::Tile, Layout::RowMajor].into_iter().find(|l| !op.layouts().contains(l)) {
        probe(Words::layout(op.layouts()), base.clone(), Call { layout, ..base.clone() });
    }
    for attribute in &op.attributes {
        let set = |value: f64| base.clone().with(&attribute.name, Setting::Number(value));
        // Beyond each end that the range has; where it has none, something that is no number. Inside is the default: the
        // ends need not meet the description's own conditions.
        let (min, max) = (attribute.min, attribute.max);
        let ends = [(min, min - min.abs().max(1.0)), (max, max + max.abs().max(1.0))];
        let mut outside: Vec<f64> =
            ends.into_iter().filter(|(end, _)| end.is_finite()).map(|(_, beyond)| beyond).collect();
        if outside.is_empty() {
            outside.push(f64::NAN);
        }
        for outside in outside {
            probe(Words::attribute(attribute), set(attribute.default), set(outside));
        }
    }
    let mut large = shape.clone();
    if let Some(last) = large.last_mut() {
        *last = 1 << 30;
    }
    probe(Words::SIZE.into(), base.clone(), with_shape(large));
    let descriptors = op.resolve(&base).map(|resolved| resolved.tensors).unwrap_or_default();
    for (input, descriptor) in op.inputs.iter().zip(&descriptors).skip(1) {
        let mut wrong = descriptor.shape.clone();
        match wrong.last_mut() {
            Some(last) => *last += 1,
            None => wrong.push(1),
        }
        let inside = Call { shapes: vec![(input.name.clone(), descriptor.shape.clone())], ..base.clone() };
        probe(Words::shape(input), inside, Call { shapes: vec![(input.name.clone(), wrong)], ..base.clone() });
    }
    let changed = |change: &ProbeSpec| {
        let mut call = base.clone();
        for (name, shape) in &change.shapes {
            if *name == first.name {
                call.shape.clone_from(shape);
            } else {
                call.shapes.push((name.clone(), shape.clone()));
            }
        }
        call.attributes.clone_from(&change.attributes);
        call
    };
    for condition in &op.conditions {
        if let (Some(inside), Some(outside)) = (&condition.inside, &condition.outside) {
            probe(condition.that.text.clone(), changed(inside), changed(outside));
        }
    }
    probes
}
