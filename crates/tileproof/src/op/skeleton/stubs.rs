//! The kernels that `op new` writes: every page read, passed on and written, and nothing computed.
//!
//! They are written for people to change: one name a tensor, no cleverness. Start at [`reader`].

use std::fmt::Write;

use super::bound::Bound;
use crate::op::file::UserOp;
use crate::op::gates::STUB;

/// Compile-time and runtime arguments.
type Arguments = (Vec<String>, Vec<String>);

fn inputs<'a, 'b>(bound: &'a [Bound<'b>], op: &UserOp) -> impl Iterator<Item = &'a Bound<'b>> + use<'a, 'b> {
    bound.iter().take(op.inputs.len())
}

fn outputs<'a, 'b>(bound: &'a [Bound<'b>], op: &UserOp) -> impl Iterator<Item = &'a Bound<'b>> + use<'a, 'b> {
    bound.iter().skip(op.inputs.len())
}

/// What a tensor needs beside its address: how many pages there are, how large they are, tiles of the buffer for one.
fn sizes(bound: &Bound<'_>, with_bytes: bool) -> Vec<String> {
    let name = &bound.tensor.name;
    let mut sizes = Vec::new();
    if !bound.streamed {
        sizes.push(format!("{name}.pages"));
    }
    if bound.sticks {
        sizes.push(format!("ceil({name}.page_size / {name}.tile_size)"));
        if with_bytes {
            sizes.push(format!("{name}.page_size"));
        }
    }
    sizes
}

/// The pages of a core: a piece of work may be several, if the configuration says what a piece is.
fn range(op: &UserOp) -> Vec<String> {
    let x = &op.inputs[0].name;
    match &op.units {
        None => vec!["first".into(), "count".into()],
        Some(units) => {
            let each = format!("{x}.pages / ({})", units.text);
            vec![format!("first * {each}"), format!("count * {each}")]
        }
    }
}

fn data_movement_arguments<'a, 'b: 'a>(tensors: impl Iterator<Item = &'a Bound<'b>>, op: &UserOp) -> Arguments {
    let tensors: Vec<&Bound<'_>> = tensors.collect();
    let accessors = tensors.iter().map(|b| format!("accessor({})", b.tensor.name)).collect();
    let mut runtime = range(op);
    for bound in tensors {
        runtime.push(format!("address({})", bound.tensor.name));
        runtime.extend(sizes(bound, true));
    }
    (accessors, runtime)
}

pub(super) fn reader_arguments(bound: &[Bound<'_>], op: &UserOp) -> Arguments {
    data_movement_arguments(inputs(bound, op), op)
}

pub(super) fn writer_arguments(bound: &[Bound<'_>], op: &UserOp) -> Arguments {
    data_movement_arguments(outputs(bound, op), op)
}

pub(super) fn compute_arguments(bound: &[Bound<'_>], op: &UserOp) -> Arguments {
    let mut runtime = range(op);
    runtime.extend(bound.iter().flat_map(|b| sizes(b, false)));
    (Vec::new(), runtime)
}

/// What the variables of a tensor begin with: its name alone may be a word of C++, or of the kernel.
fn variable(bound: &Bound<'_>) -> String {
    format!("{}_{}", if bound.output { "out" } else { "in" }, bound.tensor.name)
}

/// Names for the arguments, in the order in which they are given.
fn argument_lines(text: &mut String, tensors: &[&Bound<'_>], data_movement: bool) {
    let mut index = 0;
    let mut line = |name: String| {
        let _ = writeln!(text, "    const uint32_t {name} = get_arg_val<uint32_t>({index});");
        index += 1;
    };
    line("first".into());
    line("count".into());
    for bound in tensors {
        let name = variable(bound);
        if data_movement {
            line(format!("{name}_address"));
        }
        if !bound.streamed {
            line(format!("{name}_pages"));
        }
        if bound.sticks {
            line(format!("{name}_tiles"));
            if data_movement {
                line(format!("{name}_bytes"));
            }
        }
    }
}

fn buffer_lines(text: &mut String, tensors: &[&Bound<'_>]) {
    for bound in tensors {
        let _ = writeln!(text, "    constexpr uint32_t cb_{} = {};", variable(bound), bound.cb);
    }
}

fn accessor_lines(text: &mut String, tensors: &[&Bound<'_>]) {
    let mut offset = "0".to_string();
    for bound in tensors {
        let name = variable(bound);
        let bytes = if bound.sticks { format!("{name}_bytes") } else { format!("get_tile_size(cb_{name})") };
        let _ = writeln!(text, "    constexpr auto {name}_args = TensorAccessorArgs<{offset}>();");
        let _ =
            writeln!(text, "    const auto {name}_accessor = TensorAccessor({name}_args, {name}_address, {bytes});");
        offset = format!("{name}_args.next_compile_time_args_offset()");
    }
}

/// Tiles of the buffer that hold a page of the tensor.
fn tiles(bound: &Bound<'_>) -> String {
    if bound.sticks { format!("{}_tiles", variable(bound)) } else { "1".into() }
}

/// A loop over the pages of work, with the lines of each tensor in it, and one over all pages of the others.
fn loops(
    text: &mut String,
    tensors: &[&Bound<'_>],
    range: (&str, &str),
    whole_first: bool,
    lines: &dyn Fn(&Bound<'_>) -> String,
    whole_range: &dyn Fn(&Bound<'_>) -> String,
) {
    let streamed = |text: &mut String| {
        if tensors.iter().any(|b| b.streamed) {
            let (from, to) = range;
            let _ = writeln!(text, "    for (uint32_t page = {from}; page < {to}; page++) {{");
            tensors.iter().filter(|b| b.streamed).for_each(|b| text.push_str(&lines(b)));
            text.push_str("    }\n");
        }
    };
    if !whole_first {
        streamed(text);
    }
    for bound in tensors.iter().filter(|b| !b.streamed) {
        let _ = writeln!(text, "    for (uint32_t page = 0; page < {}; page++) {{", whole_range(bound));
        text.push_str(&lines(bound));
        text.push_str("    }\n");
    }
    if whole_first {
        streamed(text);
    }
}

/// The reader.
pub(super) fn reader(bound: &[Bound<'_>], op: &UserOp) -> String {
    let tensors: Vec<&Bound<'_>> = inputs(bound, op).collect();
    let mut text = "// Pages of the inputs to their circular buffers: those of this core's work, all pages of what has another shape.\n\
                    #include <cstdint>\n#include \"api/dataflow/dataflow_api.h\"\n\nvoid kernel_main() {\n"
        .to_string();
    argument_lines(&mut text, &tensors, true);
    buffer_lines(&mut text, &tensors);
    accessor_lines(&mut text, &tensors);
    let lines = |bound: &Bound<'_>| {
        let (name, tiles) = (variable(bound), tiles(bound));
        format!(
            "        cb_reserve_back(cb_{name}, {tiles});\n        noc_async_read_page(page, {name}_accessor, get_write_ptr(cb_{name}));\n        \
             noc_async_read_barrier();\n        cb_push_back(cb_{name}, {tiles});\n"
        )
    };
    let all = |bound: &Bound<'_>| format!("{}_pages", variable(bound));
    loops(&mut text, &tensors, ("first", "first + count"), true, &lines, &all);
    text + "}\n"
}

/// The compute kernel.
pub(super) fn compute(bound: &[Bound<'_>], op: &UserOp) -> String {
    let all: Vec<&Bound<'_>> = bound.iter().collect();
    let mut text = format!(
        "{STUB} takes every page of the inputs and packs zeros. Write {} here.\n\
         #include <cstdint>\n#include \"api/compute/compute_kernel_hw_startup.h\"\n\
         #include \"api/compute/eltwise_unary/fill.h\"\n#include \"api/compute/pack.h\"\n\
         #include \"api/compute/reconfig_data_format.h\"\n#include \"api/compute/reg_api.h\"\n\n\
         inline void pack_zero(uint32_t cb) {{\n    tile_regs_acquire();\n    fill_tile_init();\n    fill_tile(0, 0.0f);\n    \
         tile_regs_commit();\n    cb_reserve_back(cb, 1);\n    tile_regs_wait();\n    pack_reconfig_data_format(cb);\n    \
         pack_tile(0, cb);\n    tile_regs_release();\n    cb_push_back(cb, 1);\n}}\n\nvoid kernel_main() {{\n",
        op.name
    );
    argument_lines(&mut text, &all, false);
    buffer_lines(&mut text, &all);
    let (first_in, first_out) = (&op.inputs[0].name, &op.outputs[0].name);
    let _ = writeln!(text, "    compute_kernel_hw_startup(cb_in_{first_in}, cb_out_{first_out});");
    let takes = |bound: &Bound<'_>| {
        let (name, tiles) = (variable(bound), tiles(bound));
        format!("        cb_wait_front(cb_{name}, {tiles});\n        cb_pop_front(cb_{name}, {tiles});\n")
    };
    let packs = |bound: &Bound<'_>| {
        let name = variable(bound);
        if bound.sticks {
            format!(
                "        for (uint32_t tile = 0; tile < {name}_tiles; tile++) {{\n            pack_zero(cb_{name});\n        }}\n"
            )
        } else {
            format!("        pack_zero(cb_{name});\n")
        }
    };
    for bound in inputs(bound, op).filter(|b| !b.streamed) {
        let _ = writeln!(text, "    for (uint32_t page = 0; page < {}_pages; page++) {{", variable(bound));
        text.push_str(&takes(bound));
        text.push_str("    }\n");
    }
    text.push_str("    for (uint32_t page = 0; page < count; page++) {\n");
    inputs(bound, op).filter(|b| b.streamed).for_each(|b| text.push_str(&takes(b)));
    outputs(bound, op).filter(|b| b.streamed).for_each(|b| text.push_str(&packs(b)));
    text.push_str("    }\n");
    for bound in outputs(bound, op).filter(|b| !b.streamed) {
        let name = variable(bound);
        let _ = writeln!(text, "    // The first core alone makes {}.", bound.tensor.name);
        let _ = writeln!(text, "    for (uint32_t page = 0; first == 0 && page < {name}_pages; page++) {{");
        text.push_str(&packs(bound));
        text.push_str("    }\n");
    }
    if !outputs(bound, op).any(|b| !b.streamed) {
        text.push_str("    (void)first;\n");
    }
    text + "}\n"
}

/// The writer.
pub(super) fn writer(bound: &[Bound<'_>], op: &UserOp) -> String {
    let tensors: Vec<&Bound<'_>> = outputs(bound, op).collect();
    let mut text = "// Pages of the circular buffers to the outputs.\n\
                    #include <cstdint>\n#include \"api/dataflow/dataflow_api.h\"\n\nvoid kernel_main() {\n"
        .to_string();
    argument_lines(&mut text, &tensors, true);
    buffer_lines(&mut text, &tensors);
    accessor_lines(&mut text, &tensors);
    let lines = |bound: &Bound<'_>| {
        let (name, tiles) = (variable(bound), tiles(bound));
        format!(
            "        cb_wait_front(cb_{name}, {tiles});\n        noc_async_write_page(page, {name}_accessor, get_read_ptr(cb_{name}));\n        \
             noc_async_write_barrier();\n        cb_pop_front(cb_{name}, {tiles});\n"
        )
    };
    let of_first = |bound: &Bound<'_>| format!("(first == 0 ? {}_pages : 0)", variable(bound));
    loops(&mut text, &tensors, ("first", "first + count"), false, &lines, &of_first);
    text + "}\n"
}
