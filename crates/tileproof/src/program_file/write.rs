//! A program back to the text of a program file, for programs whose kernels are all in C++.
//!
//! What it writes, [`ProgramFile::parse`] reads back as the same program. Values of tensors go to files beside the text. It must
//! never leave anything out that a kernel can see. Start at [`text`], then [`data_files`].

use std::fmt::Write;
use std::path::PathBuf;

use tileproof_model::program::{
    Argument, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor, KernelSource, Launch, MemoryConfig,
    NocMode, TensorDescriptor,
};
use tileproof_model::thread::{CoreCoord, CoreRange, Thread};

use super::file::ProgramFile;
use super::tensor::{Closeness, Expected};
use super::value::quoted;
use crate::fill::Fill;
use crate::op::call::layout_name;

/// Where the values of a tensor are, seen from the program file.
pub(crate) fn values_file(tensor: &TensorDescriptor, expected: bool) -> String {
    format!("{}/{}.npy", if expected { "expected" } else { "inputs" }, tensor.name)
}

/// The values that the text refers to: file, tensor and values.
pub(crate) fn data_files(file: &ProgramFile) -> Vec<(PathBuf, &TensorDescriptor, &Fill)> {
    let tensors = &file.program.tensors;
    let inputs = tensors.iter().zip(&file.tensors).filter_map(|(tensor, data)| {
        data.fill.as_ref().map(|fill| (PathBuf::from(values_file(tensor, false)), tensor, fill))
    });
    let expected = file.expects.iter().filter_map(|expect| {
        let Expected::Fill(fill) = &expect.values else { return None };
        let tensor = &tensors[expect.tensor];
        Some((PathBuf::from(values_file(tensor, true)), tensor, fill))
    });
    inputs.chain(expected).collect()
}

/// The text of a program file.
pub(crate) fn text(file: &ProgramFile) -> String {
    let mut text = format!("arch = \"{}\"\n", file.program.arch.name());
    if let Some(api) = file.api {
        let _ = writeln!(text, "api = \"{api}\"");
    }
    for (tensor, data) in file.program.tensors.iter().zip(&file.tensors) {
        let _ = write!(
            text,
            "\n[[tensor]]\nname = {}\nshape = {:?}\ndtype = \"{}\"\nlayout = \"{}\"\n",
            quoted(&tensor.name),
            tensor.shape,
            tensor.format.dtype_name(),
            layout_name(tensor.layout)
        );
        match &tensor.memory {
            MemoryConfig::Dram => {}
            MemoryConfig::L1 => text.push_str("memory = \"l1\"\n"),
            MemoryConfig::Sharded(sharding) => {
                let ranges: Vec<CoreRange> = sharding.cores.iter().map(|core| CoreRange::single(*core)).collect();
                let _ = writeln!(
                    text,
                    "memory = {{ buffer = \"l1\", shard_shape = {:?}, core_ranges = {} }}",
                    sharding.shard_shape,
                    core_ranges(&ranges)
                );
            }
        }
        if data.fill.is_some() {
            let _ = writeln!(text, "fill = {}", quoted(&format!("npy:{}", values_file(tensor, false))));
        }
        if let Some(padding) = data.padding {
            let _ = writeln!(text, "padding = {padding:?}");
        }
        if let Some(address) = data.address {
            let _ = writeln!(text, "address = {address}");
        }
        if !data.undefined_pages.is_empty() {
            let pages: Vec<String> =
                data.undefined_pages.iter().map(|(first, last)| format!("[{first}, {last}]")).collect();
            let _ = writeln!(text, "undefined_pages = [{}]", pages.join(", "));
        }
        if data.output {
            text.push_str("output = true\n");
        }
        if data.scratch {
            text.push_str("scratch = true\n");
        }
    }
    let several = file.program.launches.len() > 1;
    for launch in &file.program.launches {
        if several {
            text.push_str("\n[[launch]]\n");
        }
        write_launch(&mut text, launch, if several { "launch." } else { "" });
    }
    for expect in &file.expects {
        let tensor = &file.program.tensors[expect.tensor];
        let closeness = match expect.closeness {
            Closeness::Bits => "bits = true".to_string(),
            Closeness::Derived => "tolerance = \"derived\"".to_string(),
            Closeness::Within { rtol, atol } => format!("rtol = {rtol:?}\natol = {atol:?}"),
        };
        let values = match &expect.values {
            Expected::Fill(_) => format!("file = {}", quoted(&values_file(tensor, true))),
            Expected::Formula(formula) => format!("formula = {}", quoted(&formula.text)),
            Expected::SameAs(other) => format!("same_as = {}", quoted(&file.program.tensors[*other].name)),
        };
        let _ = write!(text, "\n[[expect]]\ntensor = {}\n{values}\n{closeness}\n", quoted(&tensor.name));
    }
    text
}

fn write_launch(text: &mut String, launch: &Launch, prefix: &str) {
    for cb in &launch.cbs {
        let format = |f: &tileproof_model::program::CbFormatDescriptor| {
            let (index, format) = (f.buffer_index, f.data_format.dtype_name());
            format!("{{ buffer_index = {index}, data_format = \"{format}\", page_size = {} }}", f.page_size)
        };
        let formats: Vec<String> = cb.format_descriptors.iter().map(format).collect();
        let ranges = core_ranges(&cb.core_ranges);
        let _ = write!(text, "\n[[{prefix}cb]]\ntotal_size = {}\ncore_ranges = {ranges}\n", cb.total_size);
        let _ = writeln!(text, "format_descriptors = [{}]", formats.join(", "));
        if let Some((tensor, offset)) = &cb.tensor {
            let _ = writeln!(text, "tensor = {}\naddress_offset = {offset}", quoted(tensor));
        }
    }
    for semaphore in &launch.semaphores {
        let (id, value) = (semaphore.id, semaphore.initial_value);
        let ranges = core_ranges(&semaphore.core_ranges);
        let _ = write!(text, "\n[[{prefix}semaphore]]\nid = {id}\ncore_ranges = {ranges}\ninitial_value = {value}\n");
    }
    for kernel in &launch.kernels {
        write_kernel(text, kernel, prefix);
    }
}

fn write_kernel(text: &mut String, kernel: &KernelDescriptor, prefix: &str) {
    let source = match &kernel.source {
        KernelSource::Cpp(path) => path.display().to_string(),
        // Refused where it is read: nobody can have such a file.
        KernelSource::Native(kernel) => kernel.name().to_string(),
    };
    let list = |arguments: &[Argument]| arguments.iter().map(argument).collect::<Vec<_>>().join(", ");
    let _ = write!(
        text,
        "\n[[{prefix}kernel]]\nkernel_source = {}\ncore_ranges = {}\nconfig = {}\ncompile_time_args = [{}]\n",
        quoted(&source),
        core_ranges(&kernel.core_ranges),
        config(&kernel.config),
        list(&kernel.compile_time_args)
    );
    let pairs = |key: &str, pairs: Vec<String>| match pairs.is_empty() {
        true => String::new(),
        false => format!("{key} = [{}]\n", pairs.join(", ")),
    };
    let named = kernel.named_compile_time_args.iter().map(|(name, value)| format!("[{}, {value}]", quoted(name)));
    text.push_str(&pairs("named_compile_time_args", named.collect()));
    let defines = kernel.defines.iter().map(|(name, value)| format!("[{}, {}]", quoted(name), quoted(value)));
    text.push_str(&pairs("defines", defines.collect()));
    let include_dirs = kernel.include_dirs.iter().map(|dir| quoted(&dir.display().to_string()));
    text.push_str(&pairs("include_dirs", include_dirs.collect()));
    text.push_str(&pairs("common_runtime_args", kernel.common_runtime_args.iter().map(argument).collect()));
    if !kernel.runtime_args.is_empty() {
        text.push_str("runtime_args = [\n");
        for (at, arguments) in &kernel.runtime_args {
            let _ = writeln!(text, "    {{ core = {}, args = [{}] }},", core(*at), list(arguments));
        }
        text.push_str("]\n");
    }
}

fn core(core: CoreCoord) -> String {
    format!("[{}, {}]", core.x, core.y)
}

fn core_ranges(ranges: &[CoreRange]) -> String {
    let range = |range: &CoreRange| format!("[{}, {}]", core(range.start), core(range.end));
    format!("[{}]", ranges.iter().map(range).collect::<Vec<_>>().join(", "))
}

fn config(config: &KernelConfig) -> String {
    match config {
        KernelConfig::DataMovement(DataMovementConfig::READER) => "\"reader\"".into(),
        KernelConfig::DataMovement(DataMovementConfig::WRITER) => "\"writer\"".into(),
        KernelConfig::DataMovement(config) => {
            let processor = if config.processor == Thread::Brisc { "RISCV_0" } else { "RISCV_1" };
            let mode = match config.noc_mode {
                NocMode::Dedicated => "DM_DEDICATED_NOC",
                NocMode::Dynamic => "DM_DYNAMIC_NOC",
            };
            let noc = config.noc;
            format!("{{ data_movement = {{ processor = \"{processor}\", noc = {noc}, noc_mode = \"{mode}\" }} }}")
        }
        KernelConfig::Compute(config) => format!("{{ compute = {{ {} }} }}", compute(config)),
    }
}

/// What differs from the defaults, and the fidelity.
fn compute(config: &ComputeConfig) -> String {
    let mut options = vec![format!("math_fidelity = \"{:?}\"", config.math_fidelity)];
    let flags = [
        ("fp32_dest_acc_en", config.fp32_dest_acc_en),
        ("math_approx_mode", config.math_approx_mode),
        ("dst_full_sync_en", config.dst_full_sync_en),
        ("bfp8_pack_precise", config.bfp8_pack_precise),
    ];
    options.extend(flags.iter().filter(|(_, set)| *set).map(|(name, _)| format!("{name} = true")));
    if !config.unpack_to_dest_fp32.is_empty() {
        options.push(format!("unpack_to_dest_fp32 = {:?}", config.unpack_to_dest_fp32));
    }
    options.join(", ")
}

fn argument(argument: &Argument) -> String {
    match argument {
        Argument::Word(word) => word.to_string(),
        Argument::Address(tensor) => format!("{{ address = {} }}", quoted(tensor)),
        Argument::TensorAccessor(tensor) => format!("{{ tensor_accessor = {} }}", quoted(tensor)),
        Argument::Semaphore(id) => format!("{{ semaphore = {id} }}"),
        Argument::NocX(at) => format!("{{ noc_x = {} }}", core(*at)),
        Argument::NocY(at) => format!("{{ noc_y = {} }}", core(*at)),
        Argument::L1(address) => format!("{{ l1 = {address} }}"),
        Argument::Cb(index) => format!("{{ cb = {index} }}"),
    }
}
