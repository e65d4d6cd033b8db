//! The test of the op in Python, by stages: what it refuses, what it makes, what it computes, and that a kept program does too.

use std::fmt::Write;

use super::filled;
use super::words::torch;
use crate::fill::Fill;
use crate::op::call::Setting;
use crate::op::file::UserOp;
use crate::op::spec::{ProbeSpec, TensorSpec};
use crate::program_file::value::quoted;

pub(super) fn test(op: &UserOp) -> String {
    let shapes: Vec<String> = op.grid.shapes.iter().map(|shape| format!("{shape:?}")).collect();
    let attributes: Vec<String> =
        op.attributes.iter().map(|attribute| format!("{}={:?}", attribute.name, attribute.default)).collect();
    let defaults = attributes.iter().map(|attribute| format!(", {attribute}")).collect::<String>();
    let inputs: Vec<&str> = op.inputs.iter().map(|input| input.name.as_str()).collect();
    let mut steps = String::new();
    for step in &op.reference {
        let _ = writeln!(steps, "    {} = t({})", step.name, torch(&step.value));
    }
    let outputs: Vec<&str> = op.outputs.iter().map(|output| output.name.as_str()).collect();
    let made: String = op.inputs.iter().map(making).collect();
    filled(
        include_str!("templates/test.py.in"),
        &[
            ("name", &op.name),
            ("shapes", &shapes.join(", ")),
            ("parameters", &inputs.join(", ")),
            ("defaults", &defaults),
            ("steps", &steps),
            ("outputs", &outputs.join(", ")),
            ("made", &made),
            ("names", &inputs.join(", ")),
            ("refused", &refused(op)),
            ("rtol", &format!("{:?}", op.grid.rtol)),
            ("atol", &format!("{:?}", op.grid.atol)),
        ],
    )
}

/// The line that makes an input.
fn making(input: &TensorSpec) -> String {
    let shape = match &input.shape {
        None => "shape".to_string(),
        Some(sides) => {
            let sides: Vec<String> = sides.iter().map(|side| format!("int({})", torch(side))).collect();
            format!("[{}]", sides.join(", "))
        }
    };
    let format = input.dtypes[0].dtype_name();
    let values = match input.fill {
        Some(Fill::Uniform { lo, hi }) => format!("torch.empty({shape}).uniform_({lo:?}, {hi:?})"),
        Some(Fill::Normal { mean, std }) => format!("torch.empty({shape}).normal_({mean:?}, {std:?})"),
        Some(Fill::Constant(value)) => format!("torch.full({shape}, {value:?})"),
        _ => format!("values({shape}, kind)"),
    };
    format!("    {} = {values}.to(torch.{format})\n", input.name)
}

/// A test for each condition that has a call on either side of it.
fn refused(op: &UserOp) -> String {
    let first = &op.inputs[0].name;
    let mut text = String::new();
    for (number, condition) in op.conditions.iter().enumerate() {
        let Some(outside) = &condition.outside else { continue };
        let shape = outside.shapes.iter().find(|(name, _)| name == first).map(|(_, shape)| format!("{shape:?}"));
        let shape = shape.unwrap_or_else(|| "SHAPES[0]".into());
        let _ = writeln!(
            text,
            "def test_it_refuses_a_call_outside_of_condition_{number}(device):\n    # {}\n    with pytest.raises(RuntimeError):\n        \
             ttnn.{}(*on(device, inputs({shape}, \"normal\")){})\n\n",
            condition.that.text,
            op.name,
            attributes(outside)
        );
    }
    text
}

fn attributes(probe: &ProbeSpec) -> String {
    let given = |(name, setting): &(String, Setting)| match setting {
        Setting::Number(number) => format!(", {name}={number:?}"),
        Setting::Word(word) => format!(", {name}={}", quoted(word)),
    };
    probe.attributes.iter().map(given).collect()
}
