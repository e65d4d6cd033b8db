//! How the op is called: from C++, from Python, and what the build has of it.

use super::device_operation::{number, parameters};
use super::{all_outputs, filled};
use crate::op::file::UserOp;
use crate::program_file::value::quoted;

pub(super) fn header(op: &UserOp) -> String {
    filled(
        include_str!("templates/op.hpp.in"),
        &[
            ("name", &op.name),
            ("tensors", &all_outputs(op, "ttnn::Tensor")),
            ("summary", &op.summary),
            ("parameters", &parameters(op, true)),
        ],
    )
}

pub(super) fn source(op: &UserOp) -> String {
    filled(
        include_str!("templates/op.cpp.in"),
        &[
            ("name", &op.name),
            ("tensors", &all_outputs(op, "ttnn::Tensor")),
            ("parameters", &parameters(op, false)),
            ("given", &given(op).join(", ")),
        ],
    )
}

/// The names of everything that the op is given.
fn given(op: &UserOp) -> Vec<String> {
    let tensors = op.inputs.iter().map(|input| input.name.clone());
    let attributes = op.attributes.iter().map(|attribute| attribute.name.clone());
    tensors.chain(attributes).chain(["memory_config".to_string()]).collect()
}

pub(super) fn nanobind_header(op: &UserOp) -> String {
    filled(include_str!("templates/nanobind.hpp.in"), &[("name", &op.name)])
}

pub(super) fn nanobind(op: &UserOp) -> String {
    let inputs: String = op.inputs.iter().map(|input| format!("        nb::arg(\"{}\"),\n", input.name)).collect();
    let attributes: String = op
        .attributes
        .iter()
        .map(|attribute| {
            format!("        nb::arg(\"{}\") = {},\n", attribute.name, number(attribute.default, attribute.integer))
        })
        .collect();
    filled(
        include_str!("templates/nanobind.cpp.in"),
        &[("name", &op.name), ("inputs", &inputs), ("attributes", &attributes), ("summary", &quoted(&op.summary))],
    )
}

pub(super) fn cmake(op: &UserOp) -> String {
    filled(include_str!("templates/CMakeLists.txt.in"), &[("name", &op.name)])
}
