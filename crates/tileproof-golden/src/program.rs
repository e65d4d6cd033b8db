//! The program file of a golden case that comes without one: its kernel between the reader and the writer of the set.
//! It must never leave out a field that changes the result: fidelity, Dst width, approximation, unpack-to-Dst, defines.
//! Start reading at [`program`].
//!
//! Every circular buffer is as large as the whole tensor, because these kernels do not pop.

use std::fmt::Write;

use serde_json::Value;

use crate::npy::Array;

/// A program file and the arrays it needs beside those of the case, by file name.
pub(crate) struct Program {
    pub(crate) toml: String,
    pub(crate) files: Vec<(String, Array)>,
}

const ONE_CORE: &str = "[[[0, 0], [0, 0]]]";

struct Tensor {
    name: String,
    cb: u64,
    format: String,
    pages: usize,
}

/// The program of a case with `meta`; `array` finds a file of the case, and whether the case's folder holds it.
pub(crate) fn program(meta: &Value, array: &dyn Fn(&str) -> Option<(Array, bool)>) -> Result<Program, String> {
    let inputs = list(meta, "inputs")?;
    let [output] = list(meta, "outputs")? else {
        return Err("not exactly one output".into());
    };
    if output["cb"] != 16 {
        return Err("the writer drains circular buffer 16 only".into());
    }
    let mut toml = String::from("arch = \"wormhole\"\n\n");
    let mut files = Vec::new();
    let mut tensors = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        let (tensor, _) = tensor(&mut toml, &mut files, format!("in{i}"), input, true, array)?;
        tensors.push(tensor);
    }
    let (out, out_file) = tensor(&mut toml, &mut files, "out0".into(), output, false, array)?;
    for tensor in tensors.iter().chain([&out]) {
        circular_buffer(&mut toml, tensor.cb, &tensor.format, tensor.pages)?;
    }
    for extra in meta["extra_cbs"].as_array().map_or(&[][..], Vec::as_slice) {
        let number = |i: usize| extra[i].as_u64().ok_or("extra_cbs: not [cb, format, pages]");
        let format = extra[1].as_str().ok_or("extra_cbs: not [cb, format, pages]")?;
        circular_buffer(&mut toml, number(0)?, format, number(2)? as usize)?;
    }
    let mut arguments = tensors.len().to_string();
    for tensor in &tensors {
        let _ = write!(arguments, ", {{ address = \"{}\" }}, {}, {}", tensor.name, tensor.pages, tensor.cb);
    }
    let accessor = tensors.first().map_or("out0", |tensor| tensor.name.as_str());
    data_movement(&mut toml, "reader", accessor, &arguments);
    compute(&mut toml, meta)?;
    data_movement(&mut toml, "writer", "out0", &format!("{{ address = \"out0\" }}, {}", out.pages));
    let _ = writeln!(toml, "[[expect]]\ntensor = \"out0\"\nfile = \"{out_file}\"\nbits = true");
    Ok(Program { toml, files })
}

fn list<'a>(meta: &'a Value, key: &str) -> Result<&'a [Value], String> {
    meta[key].as_array().map(Vec::as_slice).ok_or_else(|| format!("meta without {key}"))
}

fn tensor(
    toml: &mut String,
    files: &mut Vec<(String, Array)>,
    name: String,
    io: &Value,
    is_input: bool,
    array: &dyn Fn(&str) -> Option<(Array, bool)>,
) -> Result<(Tensor, String), String> {
    let text = |key: &str| io[key].as_str().ok_or_else(|| format!("{name}: no {key}"));
    let file = text("file")?;
    let format = text("format")?.to_string();
    let (mut array, in_folder) = array(file).ok_or_else(|| format!("{name}: no {file}"))?;
    // A page of a raw layout is 1,024 elements as the device has them; else a page is a tile.
    let (shape, layout) = if text("layout")?.starts_with("raw") {
        (vec![array.len() / 1024, 1024], "row_major")
    } else {
        (vec![array.len() / 1024, 32, 32], "tile")
    };
    let mut path = file.to_string();
    let reshaped = array.shape != shape;
    if reshaped || !in_folder {
        path = format!("program.{file}");
        array.shape.clone_from(&shape);
        files.push((path.clone(), array));
    }
    let (dtype, _) = data_format(&format)?;
    let pages = shape[0];
    let _ =
        writeln!(toml, "[[tensor]]\nname = \"{name}\"\nshape = {shape:?}\ndtype = \"{dtype}\"\nlayout = \"{layout}\"");
    let _ = if is_input { writeln!(toml, "fill = \"npy:{path}\"\n") } else { writeln!(toml, "output = true\n") };
    let cb = io["cb"].as_u64().ok_or_else(|| format!("{name}: no cb"))?;
    Ok((Tensor { name, cb, format, pages }, path))
}

fn data_format(format: &str) -> Result<(&'static str, usize), String> {
    match format {
        "bf16" => Ok(("bfloat16", 2048)),
        "fp32" => Ok(("float32", 4096)),
        other => Err(format!("format {other}")),
    }
}

fn circular_buffer(toml: &mut String, cb: u64, format: &str, pages: usize) -> Result<(), String> {
    let (name, page) = data_format(format)?;
    let _ = writeln!(
        toml,
        "[[cb]]\ntotal_size = {}\ncore_ranges = {ONE_CORE}\n\
         format_descriptors = [{{ buffer_index = {cb}, data_format = \"{name}\", page_size = {page} }}]\n",
        page * pages.max(1)
    );
    Ok(())
}

fn data_movement(toml: &mut String, role: &str, accessor: &str, arguments: &str) {
    let _ = writeln!(
        toml,
        "[[kernel]]\nkernel_source = \"../kernels/{role}.cpp\"\ncore_ranges = {ONE_CORE}\nconfig = \"{role}\"\n\
         compile_time_args = [{{ tensor_accessor = \"{accessor}\" }}]\n\
         runtime_args = [{{ core = [0, 0], args = [{arguments}] }}]\n"
    );
}

fn compute(toml: &mut String, meta: &Value) -> Result<(), String> {
    let flag = |key: &str| meta[key].as_bool().ok_or_else(|| format!("meta without {key}"));
    let unpack_to_dest: Vec<u64> = list(meta, "unpack_to_dest_fp32_cbs")?.iter().filter_map(Value::as_u64).collect();
    let fidelity = meta["fidelity"].as_str().ok_or("meta without fidelity")?;
    let kernel = meta["kernel"].as_str().unwrap_or("kernel.cpp");
    let _ = writeln!(
        toml,
        "[[kernel]]\nkernel_source = \"{kernel}\"\ncore_ranges = {ONE_CORE}\n\
         config = {{ compute = {{ math_fidelity = \"{fidelity}\", fp32_dest_acc_en = {}, math_approx_mode = {}, \
         dst_full_sync_en = {}, unpack_to_dest_fp32 = {unpack_to_dest:?} }} }}\ncompile_time_args = []",
        flag("fp32_dest_acc_en")?,
        flag("math_approx_mode")?,
        flag("dst_full_sync")?,
    );
    if let Some(defines) = meta["defines"].as_array().filter(|defines| !defines.is_empty()) {
        let text = serde_json::to_string(defines).map_err(|e| e.to_string())?;
        let _ = writeln!(toml, "defines = {text}");
    }
    toml.push('\n');
    Ok(())
}
