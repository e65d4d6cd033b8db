//! The device operation: what it takes, what it refuses, what it makes.

use std::fmt::Write;

use super::words::cpp;
use super::{all_outputs, camel, dtype, filled, first_with_several, layout};
use crate::op::expression::Expression;
use crate::op::file::UserOp;
use crate::op::spec::TensorSpec;
use crate::op::user::words::{Words, shape_text};
use crate::program_file::value::quoted;

pub(super) fn header(op: &UserOp) -> String {
    let (name, types) = (&op.name, camel(&op.name));
    let attributes: String = op
        .attributes
        .iter()
        .map(|attribute| {
            let kind = if attribute.integer { "std::int32_t" } else { "float" };
            format!("    {kind} {} = {};\n", attribute.name, number(attribute.default, attribute.integer))
        })
        .collect();
    let inputs: String = op.inputs.iter().map(|input| format!("    ttnn::Tensor {};\n", input.name)).collect();
    let doubles: String = op.attributes.iter().map(|attribute| format!("    double {};\n", attribute.name)).collect();
    let sizes: String =
        op.inputs.iter().chain(&op.outputs).map(|tensor| format!("    Sizes {};\n", tensor.name)).collect();
    let (specs, tensors) = (all_outputs(op, "ttnn::TensorSpec"), all_outputs(op, "ttnn::Tensor"));
    filled(
        include_str!("templates/device_operation.hpp.in"),
        &[
            ("name", name),
            ("types", &types),
            ("attributes", &attributes),
            ("inputs", &inputs),
            ("doubles", &doubles),
            ("sizes", &sizes),
            ("specs", &specs),
            ("tensors", &tensors),
            ("parameters", &parameters(op, false)),
        ],
    )
}

/// A number as C++ writes it.
pub(super) fn number(value: f64, integer: bool) -> String {
    if integer { format!("{value}") } else { format!("{value:?}f") }
}

/// The parameters of a function that calls the op.
pub(super) fn parameters(op: &UserOp, with_defaults: bool) -> String {
    let mut parameters: Vec<String> =
        op.inputs.iter().map(|input| format!("const ttnn::Tensor& {}", input.name)).collect();
    for attribute in &op.attributes {
        let kind = if attribute.integer { "std::int32_t" } else { "float" };
        let default =
            if with_defaults { format!(" = {}", number(attribute.default, attribute.integer)) } else { String::new() };
        parameters.push(format!("{kind} {}{default}", attribute.name));
    }
    let default = if with_defaults { " = std::nullopt" } else { "" };
    parameters.push(format!("const std::optional<tt::tt_metal::MemoryConfig>& memory_config{default}"));
    format!("\n    {}", parameters.join(",\n    "))
}

pub(super) fn source(op: &UserOp) -> String {
    let (name, types) = (&op.name, camel(&op.name));
    let outputs: String = op.outputs.iter().map(|output| spec_of(op, output)).collect();
    let first = &op.inputs[0].name;
    let specs: Vec<String> =
        op.outputs.iter().map(|output| format!("spec_of_{}(attributes, tensors, of)", output.name)).collect();
    let (specs, made) = if let [spec] = &specs[..] {
        (
            spec.clone(),
            format!("create_device_tensor(compute_output_specs(attributes, tensors), tensors.{first}.device())"),
        )
    } else {
        let made: Vec<String> = (0..specs.len())
            .map(|index| format!("create_device_tensor(specs[{index}], tensors.{first}.device())"))
            .collect();
        (format!("{{{}}}", specs.join(", ")), format!("{{{}}}", made.join(", ")))
    };
    let before = if op.outputs.len() == 1 {
        String::new()
    } else {
        "    const spec_return_value_t specs = compute_output_specs(attributes, tensors);\n".into()
    };
    let mut of_call: Vec<String> = op
        .attributes
        .iter()
        .map(|attribute| format!("{0}(attributes.{0})", attribute.name))
        .chain(op.inputs.iter().map(|input| format!("{0}(tensors.{0}.tensor_spec())", input.name)))
        .collect();
    of_call
        .extend(op.outputs.iter().map(|output| format!("{0}(spec_of_{0}(attributes, tensors, *this))", output.name)));
    let given: Vec<String> = op.inputs.iter().map(|input| input.name.clone()).collect();
    let attributes: Vec<String> = op.attributes.iter().map(|attribute| attribute.name.clone()).collect();
    let attributes = attributes.into_iter().chain(["memory_config".to_string()]).collect::<Vec<_>>().join(", ");
    filled(
        include_str!("templates/device_operation.cpp.in"),
        &[
            ("name", name),
            ("types", &types),
            ("outputs", &outputs),
            ("of_call", &of_call.join(",\n    ")),
            ("conditions", &conditions(op)),
            ("specs", &specs),
            ("before", &before),
            ("made", &made),
            ("parameters", &parameters(op, false)),
            ("attributes", &attributes),
            ("given", &given.join(", ")),
        ],
    )
}

/// The function that gives the spec of an output.
fn spec_of(op: &UserOp, output: &TensorSpec) -> String {
    let first = &op.inputs[0].name;
    let shape = match &output.shape {
        None => format!("tensors.{first}.logical_shape()"),
        Some(sides) => shape(sides, &output.name),
    };
    let several = first_with_several(op, |tensor| &tensor.dtypes);
    let format = if let [one] = output.dtypes[..] { dtype(one) } else { format!("tensors.{}.dtype()", several.name) };
    let several = first_with_several(op, |tensor| &tensor.layouts);
    let lies =
        if let [one] = output.layouts[..] { layout(one).into() } else { format!("tensors.{}.layout()", several.name) };
    format!(
        "ttnn::TensorSpec spec_of_{0}(const operation_attributes_t& attributes, const tensor_args_t& tensors, [[maybe_unused]] const Call& of) {{
    const MemoryConfig memory = attributes.memory_config.value_or(tensors.{first}.memory_config());
    return {{{shape}, TensorLayout({format}, PageConfig({lies}), memory)}};
}}

",
        output.name
    )
}

/// A shape whose sides are expressions.
fn shape(sides: &[Expression], tensor: &str) -> String {
    let sides: Vec<String> = sides
        .iter()
        .map(|side| format!("side({}, {})", cpp(side), quoted(&format!("{tensor}: {}", side.text))))
        .collect();
    format!("ttnn::Shape({{{}}})", sides.join(", "))
}

/// Everything that validation refuses, in the order of the description.
fn conditions(op: &UserOp) -> String {
    let mut text = String::new();
    let first = &op.inputs[0];
    for input in &op.inputs {
        let name = &input.name;
        let _ = writeln!(
            text,
            "    TT_FATAL(tensors.{name}.storage_type() == StorageType::DEVICE, \"{name} must be on the device\");\n    \
             TT_FATAL(tensors.{name}.buffer() != nullptr, \"{name} must be allocated\");\n    \
             TT_FATAL(!tensors.{name}.is_sharded(), \"{name} must be interleaved\");"
        );
    }
    let (least, most) = op.ranks;
    let _ = writeln!(
        text,
        "    const auto rank = tensors.{0}.logical_shape().rank();\n    \
         TT_FATAL(rank >= {least} && rank <= {most}, \"{0} has {{}} dimensions, it must have {least} to {most}\", rank);",
        first.name
    );
    op.inputs.iter().for_each(|input| text.push_str(&kinds(op, input)));
    for attribute in &op.attributes {
        let name = &attribute.name;
        let mut within = vec![format!("std::isfinite(static_cast<double>(attributes.{name}))")];
        if attribute.min.is_finite() {
            within.push(format!("attributes.{name} >= {}", number(attribute.min, attribute.integer)));
        }
        if attribute.max.is_finite() {
            within.push(format!("attributes.{name} <= {}", number(attribute.max, attribute.integer)));
        }
        let words = Words::attribute(attribute);
        let _ = writeln!(text, "    TT_FATAL({}, \"{name} {{}}: {words}\", attributes.{name});", within.join(" && "));
    }
    let shaped: Vec<&TensorSpec> = op.inputs.iter().filter(|input| input.shape.is_some()).collect();
    if !(shaped.is_empty() && op.conditions.is_empty()) {
        text.push_str("    [[maybe_unused]] const Call of(attributes, tensors);\n");
    }
    for input in shaped {
        let (name, sides) = (&input.name, input.shape.as_deref().unwrap_or_default());
        let _ = writeln!(
            text,
            "    const {wanted} = {};\n    \
             TT_FATAL(tensors.{name}.logical_shape() == shape_of_{name}, \"{name}: shape is {{}}, it must be {{}}, which is {}\", tensors.{name}.logical_shape(), shape_of_{name});",
            shape(sides, name),
            shape_text(input),
            wanted = format_args!("auto shape_of_{name}"),
        );
    }
    for condition in &op.conditions {
        let (message, values) = formatted(&condition.message);
        let _ = writeln!(text, "    TT_FATAL({}, {}{values});", cpp(&condition.that), quoted(&message));
    }
    text
}

/// Formats and layouts that an input may have.
fn kinds(op: &UserOp, input: &TensorSpec) -> String {
    let mut text = String::new();
    let (name, several) = (&input.name, first_with_several(op, |tensor| &tensor.dtypes));
    let _ =
        writeln!(text, "    TT_FATAL(tensors.{name}.logical_shape().volume() > 0, \"{name}: {}\");", Words::DIMENSIONS);
    let allowed: Vec<String> =
        input.dtypes.iter().map(|format| format!("tensors.{name}.dtype() == {}", dtype(*format))).collect();
    let words = Words::dtype(&input.dtypes);
    let _ = writeln!(
        text,
        "    TT_FATAL({}, \"{name}: dtype {{}}: {words}\", tensors.{name}.dtype());",
        allowed.join(" || ")
    );
    if input.dtypes.len() > 1 && input.name != several.name {
        let _ = writeln!(
            text,
            "    TT_FATAL(tensors.{name}.dtype() == tensors.{0}.dtype(), \"{name}: its dtype is not that of {0}\");",
            several.name
        );
    }
    let allowed: Vec<String> =
        input.layouts.iter().map(|lies| format!("tensors.{name}.layout() == {}", layout(*lies))).collect();
    let words = Words::layout(&input.layouts);
    let _ = writeln!(
        text,
        "    TT_FATAL({}, \"{name}: layout {{}}: {words}\", tensors.{name}.layout());",
        allowed.join(" || ")
    );
    text
}

/// A message of the description as a format, and the values for it.
fn formatted(message: &str) -> (String, String) {
    let (mut format, mut values, mut rest) = (String::new(), String::new(), message);
    while let Some((before, after)) = rest.split_once('{') {
        format += &before.replace('}', "}}");
        match after.split_once('}') {
            Some((inner, after)) if Expression::parse(inner).is_ok() => {
                format += "{}";
                values +=
                    &Expression::parse(inner).map_or_else(|_| String::new(), |inner| format!(", {}", cpp(&inner)));
                rest = after;
            }
            _ => {
                format += "{{";
                rest = after;
            }
        }
    }
    format += &rest.replace('}', "}}");
    (format, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_becomes_a_format_and_its_values() {
        let (format, values) = formatted("x: the last dimension is {x.w}, of {1 +} and {x.h}");
        assert_eq!(format, "x: the last dimension is {}, of {{1 +}} and {}");
        assert_eq!(values, ", of.x.w, of.x.h");
    }
}
