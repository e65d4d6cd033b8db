//! An op in a user's folder: what follows from its description.
//!
//! Sizes, validation and reference come from the expressions of `op.toml` alone; no kernel is looked at. Start at the
//! implementation of [`Op`].

mod describe;
pub(super) mod resolved;
pub(super) mod words;

use std::path::PathBuf;

use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{Layout, MemoryConfig, TensorDescriptor};

use self::resolved::{Resolved, refusal};
use self::words::{Words, shape_text};
use super::call::{Call, Refusal, Setting, layout_name, plain, shape_name};
use super::description::Description;
use super::expression::Expression;
use super::file::UserOp;
use super::spec::{Grid, TensorSpec};
use super::tensor::{self, Tensor};
use super::{Input, Inputs, Moves, Op, Probe, References, probes};
use crate::fill::Fill;
use crate::program_file::ProgramFile;

/// Elements that a tensor may have: those of all tensors fit in the memory of an ordinary host.
const MAX_ELEMENTS: u64 = 1 << 28;

impl UserOp {
    /// The formats and layouts that calls may choose: those of the first tensor that has several.
    pub(super) fn dtypes(&self) -> &[DataFormat] {
        let mut tensors = self.inputs.iter().chain(&self.outputs);
        let several = tensors.find(|t| t.dtypes.len() > 1).or(self.inputs.first());
        several.map_or(&[DataFormat::Float16_b], |tensor| &tensor.dtypes)
    }

    pub(super) fn layouts(&self) -> &[Layout] {
        let mut tensors = self.inputs.iter().chain(&self.outputs);
        let several = tensors.find(|t| t.layouts.len() > 1).or(self.inputs.first());
        several.map_or(&[Layout::Tile], |tensor| &tensor.layouts)
    }

    fn descriptor(&self, tensor: &TensorSpec, call: &Call, shape: Vec<u32>, output: bool) -> TensorDescriptor {
        TensorDescriptor {
            name: tensor.name.clone(),
            shape,
            format: if let [one] = tensor.dtypes[..] { one } else { call.dtype },
            layout: if let [one] = tensor.layouts[..] { one } else { call.layout },
            memory: MemoryConfig::Dram,
            output,
        }
    }

    /// The tensors and attributes of a call, if all conditions hold.
    pub(super) fn resolve(&self, call: &Call) -> Result<Resolved, Refusal> {
        let first = self.inputs.first().ok_or_else(|| refusal("input", "there is none"))?;
        let given = |name: &str| call.shapes.iter().find(|(n, _)| n == name).map(|(_, shape)| shape);
        let shape = given(&first.name).unwrap_or(&call.shape).clone();
        let (least, most) = self.ranks;
        let rank = shape.len();
        if !(least as usize..=most as usize).contains(&rank) {
            let message =
                format!("{}: shape {shape:?} has {rank} dimensions, {} takes {least} to {most}", first.name, self.name);
            return Err(Refusal::new(Words::rank(self), message));
        }
        for (name, shape) in [(&first.name, &shape)].into_iter().chain(call.shapes.iter().map(|(n, s)| (n, s))) {
            if let Some(place) = shape.iter().position(|side| *side == 0) {
                let message =
                    format!("{name}: shape {shape:?}: dimension {place} is 0, every dimension must be at least 1");
                return Err(Refusal::new(Words::DIMENSIONS, message));
            }
        }
        if !self.dtypes().contains(&call.dtype) {
            let words = Words::dtype(self.dtypes());
            return Err(Refusal::new(words.clone(), format!("dtype {:?}: {}: {words}", call.dtype, self.name)));
        }
        if !self.layouts().contains(&call.layout) {
            let words = Words::layout(self.layouts());
            let message = format!("layout {}: {}: {words}", layout_name(call.layout), self.name);
            return Err(Refusal::new(words, message));
        }
        let attributes = self.attributes_of(call)?;
        let mut resolved = Resolved { tensors: Vec::new(), attributes };
        let inputs = self.inputs.iter().map(|tensor| (tensor, false));
        for (tensor, output) in inputs.chain(self.outputs.iter().map(|tensor| (tensor, true))) {
            let wanted = match &tensor.shape {
                None => shape.clone(),
                Some(sides) => {
                    let side = |side| resolved.count(&format!("{}: shape", tensor.name), side, 1);
                    sides.iter().map(side).collect::<Result<Vec<u32>, _>>()?
                }
            };
            if let Some(given) = given(&tensor.name).filter(|given| **given != wanted) {
                let (name, text) = (&tensor.name, shape_text(tensor));
                let message = format!("{name}: shape is {given:?}, it must be {wanted:?}, which is {text}");
                return Err(Refusal::new(Words::shape(tensor), message));
            }
            // The last two dimensions are padded to tiles.
            let mut sides = wanted.iter().rev().enumerate().map(|(back, side)| {
                let side = u64::from(*side);
                if back < 2 { side.next_multiple_of(32) } else { side }
            });
            let padded = sides.try_fold(1u64, u64::checked_mul);
            if padded.is_none_or(|elements| elements > MAX_ELEMENTS) {
                let message =
                    format!("{}: shape {wanted:?} has more than {MAX_ELEMENTS} elements with padding", tensor.name);
                return Err(Refusal::new(Words::SIZE, message));
            }
            resolved.tensors.push(self.descriptor(tensor, call, wanted, output));
        }
        for condition in &self.conditions {
            if resolved.number("condition", &condition.that)? == 0.0 {
                let message = interpolate(&condition.message, &resolved);
                return Err(Refusal::new(condition.that.text.clone(), message));
            }
        }
        Ok(resolved)
    }

    fn attributes_of(&self, call: &Call) -> Result<Vec<(String, f64)>, Refusal> {
        let known: Vec<&str> = self.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        call.check_attributes(&self.name, &known)?;
        let mut attributes = Vec::new();
        for attribute in &self.attributes {
            let value = match call.attribute(&attribute.name) {
                None => attribute.default,
                Some(Setting::Number(number)) => *number,
                Some(Setting::Word(_)) => f64::NAN,
            };
            let whole = !attribute.integer || value.fract() == 0.0;
            if !(value.is_finite() && whole && (attribute.min..=attribute.max).contains(&value)) {
                let given = call.attribute(&attribute.name).map_or(String::new(), Setting::to_string);
                let words = Words::attribute(attribute);
                return Err(Refusal::new(words.clone(), format!("{} {given}: {words}", attribute.name)));
            }
            attributes.push((attribute.name.clone(), value));
        }
        Ok(attributes)
    }
}

/// A message with the values of the expressions in its braces.
fn interpolate(message: &str, resolved: &Resolved) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        out += before;
        let Some((inner, after)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        let value = Expression::parse(inner).ok().and_then(|e| resolved.number("message", &e).ok());
        out += &value.map_or_else(|| format!("{{{inner}}}"), plain);
        rest = after;
    }
    out + rest
}

impl Op for UserOp {
    fn describe(&self) -> Description {
        self.described()
    }

    fn missing(&self) -> Vec<String> {
        self.whats_missing()
    }

    fn calls(&self) -> Vec<Call> {
        let mut calls = Vec::new();
        for dtype in self.dtypes() {
            for layout in self.layouts() {
                calls.extend(self.grid.shapes.iter().map(|shape| Call::new(shape, *dtype, *layout)));
            }
        }
        calls
    }

    fn grid(&self) -> Grid {
        self.grid.clone()
    }

    fn probes(&self) -> Vec<Probe> {
        probes::of(self)
    }

    fn validate(&self, call: &Call) -> Result<(), Refusal> {
        self.resolve(call).map(|_| ())
    }

    fn program(&self, call: &Call) -> Result<ProgramFile, Refusal> {
        self.derive(call)
    }

    fn inputs(&self, call: &Call, seed: u64, fills: &dyn Fn(&Input<'_>) -> Fill) -> Result<Inputs, String> {
        let resolved = self.resolve(call).map_err(|refusal| refusal.message)?;
        let mut values = Inputs::new();
        for (stream, (spec, tensor)) in self.inputs.iter().zip(&resolved.tensors).enumerate() {
            let (format, shape, stream) = (tensor.format, &tensor.shape, stream as u64);
            let input = Input { name: &spec.name, shape, format, stream, fixed: spec.fill.as_ref() };
            values.push((spec.name.clone(), input.filled(seed, fills)?));
        }
        Ok(values)
    }

    fn reference(&self, call: &Call, inputs: &Inputs) -> Result<References, String> {
        let resolved = self.resolve(call).map_err(|refusal| refusal.message)?;
        let shape_of = |name: &str| resolved.tensors.iter().find(|t| t.name == name).map(|t| &t.shape);
        let sides = |shape: &[u32]| shape.iter().map(|side| *side as usize).collect::<Vec<usize>>();
        let mut known: Vec<(String, Tensor)> = Vec::new();
        for (name, values) in inputs {
            let shape = shape_of(name).map(|shape| sides(shape)).unwrap_or_default();
            known
                .push((name.clone(), Tensor { shape, values: values.iter().map(|value| f64::from(*value)).collect() }));
        }
        for (name, value) in &resolved.attributes {
            known.push((name.clone(), Tensor::number(*value)));
        }
        let mut outputs = References::new();
        for step in &self.reference {
            let lookup = |name: &str| known.iter().find(|(n, _)| n == name).map(|(_, tensor)| tensor.clone());
            let value = tensor::evaluate(&step.value, &lookup).map_err(|m| format!("reference: {}: {m}", step.name))?;
            if let Some(wanted) = shape_of(&step.name) {
                let full = if value.shape.is_empty() { sides(wanted) } else { value.shape.clone() };
                // A row of [1, 1, 1, w] gives four dimensions to what has two: leading ones mean nothing.
                let plain = |shape: &[usize]| shape.iter().copied().skip_while(|side| *side == 1).collect::<Vec<_>>();
                if plain(&full) != plain(&sides(wanted)) {
                    let (name, found) = (&step.name, shape_name(&full.iter().map(|s| *s as u32).collect::<Vec<_>>()));
                    let wanted = shape_name(wanted);
                    return Err(format!("reference: {name}: its shape is {found}, the output has {wanted}"));
                }
                let elements = full.iter().product();
                let scalar = value.shape.is_empty();
                let values = if scalar { vec![value.values[0]; elements] } else { value.values.clone() };
                outputs.push((step.name.clone(), values));
            }
            known.push((step.name.clone(), value));
        }
        Ok(outputs)
    }

    fn moves(&self, call: &Call) -> Result<Vec<Moves>, Refusal> {
        self.pages_moved(call)
    }

    fn kernel_files(&self) -> Vec<(&'static str, PathBuf)> {
        self.kernels.iter().map(|kernel| (kernel.role.name(), self.folder.join(&kernel.file))).collect()
    }
}
