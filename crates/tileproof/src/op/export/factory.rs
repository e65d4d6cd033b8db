//! The program factory: a description of the program, kernel by kernel.

use std::fmt::Write;

use super::words::cpp;
use super::{all_outputs, camel, filled, kernel_path, returned};
use crate::op::file::UserOp;
use crate::op::spec::{ArgumentSpec, KernelSpec, Role};
use crate::program_file::value::quoted;

pub(super) fn header(op: &UserOp) -> String {
    let (name, types) = (&op.name, camel(&op.name));
    let tensors = all_outputs(op, "ttnn::Tensor");
    filled(
        include_str!("templates/program_factory.hpp.in"),
        &[("name", name), ("types", &types), ("tensors", &tensors)],
    )
}

pub(super) fn source(op: &UserOp) -> String {
    let (name, types) = (&op.name, camel(&op.name));
    let tensors = all_outputs(op, "ttnn::Tensor");
    let units = op.units.as_ref().map_or_else(|| format!("of.{}.pages", op.outputs[0].name), cpp);
    let split = match op.cores {
        None => "split_work_to_cores(grid, units)".to_string(),
        Some(cores) => format!(
            "split_work_to_cores(num_cores_to_corerangeset(std::min<std::uint32_t>({cores}, grid.x * grid.y), grid), units)"
        ),
    };
    let mut body = String::new();
    for cb in &op.cbs {
        let format = match (&cb.dtype, &cb.of) {
            (Some(format), _) => format!("tt::DataFormat::{format:?}"),
            (None, Some(of)) => format!("datatype_to_dataformat_converter({}.dtype())", tensor(op, of)),
            (None, None) => "tt::DataFormat::Float16_b".into(),
        };
        let page = cb
            .page_size
            .as_ref()
            .map_or_else(|| format!("tt::tile_size({format})"), |size| format!("word({})", cpp(size)));
        let content = if cb.content.is_empty() { String::new() } else { format!("    // {}\n", cb.content) };
        let _ = writeln!(
            body,
            "{content}    add_cb(program, all_cores, {}, {format}, word({}), {page});",
            cb.index,
            cpp(&cb.pages)
        );
    }
    for kernel in &op.kernels {
        body.push_str(&kernel_text(op, kernel));
    }
    let runtime: String = op
        .kernels
        .iter()
        .map(|kernel| {
            let words: Vec<String> = kernel.runtime_args.iter().map(|argument| word(op, argument)).collect();
            format!(
                "        {}.runtime_args.push_back({{core_coord, {{{}}}}});\n",
                kernel.role.name(),
                words.join(", ")
            )
        })
        .collect();
    let added: String = op
        .kernels
        .iter()
        .map(|kernel| format!("    program.kernels.push_back(std::move({}));\n", kernel.role.name()))
        .collect();
    filled(
        include_str!("templates/program_factory.cpp.in"),
        &[
            ("name", name),
            ("types", &types),
            ("tensors", &tensors),
            ("first", &op.inputs[0].name),
            ("units", &units),
            ("split", &split),
            ("body", &body),
            ("runtime", &runtime),
            ("added", &added),
        ],
    )
}

/// A tensor of the call.
fn tensor(op: &UserOp, name: &str) -> String {
    match op.outputs.iter().position(|output| output.name == name) {
        Some(index) => returned(op, index),
        None => format!("tensors.{name}"),
    }
}

fn kernel_text(op: &UserOp, kernel: &KernelSpec) -> String {
    let role = kernel.role.name();
    let path = kernel_path(op, kernel.role).display().to_string();
    let mut text = format!(
        "\n    KernelDescriptor {role};\n    {role}.kernel_source = {};\n    {role}.core_ranges = all_cores;\n",
        quoted(&path)
    );
    for argument in &kernel.compile_time_args {
        let _ = match argument {
            ArgumentSpec::Accessor(name) => {
                writeln!(
                    text,
                    "    TensorAccessorArgs(*{}.buffer()).append_to({role}.compile_time_args);",
                    tensor(op, name)
                )
            }
            other => writeln!(text, "    {role}.compile_time_args.push_back({});", word(op, other)),
        };
    }
    for (name, value) in &kernel.defines {
        let _ = writeln!(text, "    {role}.defines.emplace_back({}, {});", quoted(name), quoted(value));
    }
    let config = match kernel.role {
        Role::Reader => "ReaderConfigDescriptor{}".to_string(),
        Role::Writer => "WriterConfigDescriptor{}".to_string(),
        Role::Compute => {
            text.push_str("    ComputeConfigDescriptor config;\n");
            for (key, value) in &kernel.compute {
                let _ = match key.as_str() {
                    "math_fidelity" => writeln!(text, "    config.{key} = MathFidelity::{};", value.trim_matches('"')),
                    "unpack_to_dest_fp32" => {
                        let indices = value.trim_matches(['[', ']']);
                        writeln!(
                            text,
                            "    config.unpack_to_dest_mode.assign(NUM_CIRCULAR_BUFFERS, UnpackToDestMode::Default);\n    \
                             for (const int index : {{{indices}}}) {{\n        \
                             config.unpack_to_dest_mode[index] = UnpackToDestMode::UnpackToDestFp32;\n    }}"
                        )
                    }
                    _ => writeln!(text, "    config.{key} = {value};"),
                };
            }
            "config".into()
        }
    };
    let _ = writeln!(text, "    {role}.config = {config};");
    text
}

/// An argument as a word.
fn word(op: &UserOp, argument: &ArgumentSpec) -> String {
    match argument {
        ArgumentSpec::Address(name) | ArgumentSpec::Accessor(name) => {
            format!("static_cast<std::uint32_t>({}.buffer()->address())", tensor(op, name))
        }
        ArgumentSpec::Bits(expression) => format!("bits({})", cpp(expression)),
        ArgumentSpec::Word(expression) => format!("word({})", cpp(expression)),
    }
}
