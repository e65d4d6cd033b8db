//! The program factory: tensors, circular buffers, kernels and arguments of the one launch.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{
    Argument as Word, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor, KernelSource, Launch, Layout,
    MathFidelity, MemoryConfig, Program, TensorDescriptor,
};
use tileproof_kernel::{compute_kernel, data_movement_kernel};

use super::kernels::{compute, reader, writer};
use super::plan::{Plan, cb};
use super::validate::{Argument, Arguments};
use crate::describe::{last, per_core, ranges, words};
use crate::layernorm_bw::public_layout::Kernels;
use crate::memory::Memory;

/// Names of the program's tensors.
#[allow(missing_docs, reason = "the names are the documentation")]
pub struct Tensors;

#[allow(missing_docs, reason = "the names are the documentation")]
impl Tensors {
    pub const X: &'static str = "x";
    pub const GAMMA: &'static str = "gamma";
    pub const BETA: &'static str = "beta";
    pub const Y: &'static str = "y";
    pub const MEAN: &'static str = "mean";
    pub const RSTD: &'static str = "rstd";
}

/// The tensors that a call has, valid arguments given.
pub(super) fn tensors(arguments: &Arguments) -> Vec<TensorDescriptor> {
    let tensor = |name: &str, shape: &[u32], format, memory: Memory, output| TensorDescriptor {
        name: name.into(),
        shape: shape.to_vec(),
        format,
        layout: arguments.layout,
        memory: memory.config().unwrap_or(MemoryConfig::Dram),
        output,
    };
    let input = |name, of: &Argument| tensor(name, &of.shape, of.format, of.memory, false);
    let output = |name, shape: &[u32], format| tensor(name, shape, format, arguments.output_memory, true);
    let shape = &arguments.x.shape;
    let mut tensors = vec![input(Tensors::X, &arguments.x)];
    for (name, row) in [(Tensors::GAMMA, &arguments.gamma), (Tensors::BETA, &arguments.beta)] {
        if let Some(row) = row {
            tensors.push(input(name, row));
        }
    }
    tensors.push(output(Tensors::Y, shape, arguments.output_format));
    if arguments.statistics {
        let mut per_row = shape.clone();
        *per_row.last_mut().expect("a valid shape has dimensions") = 1;
        tensors.push(output(Tensors::MEAN, &per_row, DataFormat::Float32));
        tensors.push(output(Tensors::RSTD, &per_row, DataFormat::Float32));
    }
    tensors
}

/// The accessor words and the base addresses of tensors, 0 for those that the call does not have.
fn accessors_and_addresses(names: &[(&str, bool)]) -> (Vec<Word>, Vec<Word>) {
    let word = |f: fn(String) -> Word| {
        names.iter().map(|(name, given)| if *given { f((*name).into()) } else { Word::Word(0) }).collect()
    };
    (word(Word::TensorAccessor), word(Word::Address))
}

/// The shipped kernels.
pub fn kernels() -> Kernels {
    Kernels {
        reader: KernelSource::Native(data_movement_kernel("layernorm_fused_rm/reader", reader::kernel)),
        compute: KernelSource::Native(compute_kernel("layernorm_fused_rm/compute", compute::kernel)),
        writer: KernelSource::Native(data_movement_kernel("layernorm_fused_rm/writer", writer::kernel)),
        include_dirs: Vec::new(),
    }
}

/// The same in C++: path within their folder, and text. [`Kernels::in_cpp`] takes them from there.
pub const CPP_FILES: &[(&str, &str)] = &[
    ("call.h", include_str!("cpp/call.h")),
    ("compute.cpp", include_str!("cpp/compute.cpp")),
    ("reader.cpp", include_str!("cpp/reader.cpp")),
    ("tiles.h", include_str!("cpp/tiles.h")),
    ("writer.cpp", include_str!("cpp/writer.cpp")),
];

/// The whole op as a program of one launch.
pub fn program(plan: &Plan) -> Program {
    program_with(plan, &kernels())
}

/// The same with other kernels, written for this host side: `cpp` beside this file holds such in C++.
pub fn program_with(plan: &Plan, kernels: &Kernels) -> Program {
    let arguments = &plan.arguments;
    let is_fp32 = arguments.x.format == DataFormat::Float32;
    let is_tile = arguments.layout == Layout::Tile;
    let has_gamma = arguments.gamma.is_some();
    let has_beta = arguments.beta.is_some();
    let cores = ranges(&plan.rows);
    let (last_rows, last_columns) = (last(plan.height), last(plan.width));
    // The same words for all three kernels, after the accessors.
    let shared = words(&[
        plan.wt,
        plan.chunk,
        plan.block,
        u32::from(plan.l1_path),
        u32::from(is_tile),
        u32::from(is_fp32),
        u32::from(has_gamma),
        u32::from(has_beta),
        u32::from(arguments.statistics),
        plan.ht,
        last_rows,
        last_columns,
    ]);
    let with = |mut first: Vec<Word>, more: &[u32]| {
        first.extend(shared.iter().cloned());
        first.extend(words(more));
        first
    };
    let (read, read_from) =
        accessors_and_addresses(&[(Tensors::X, true), (Tensors::GAMMA, has_gamma), (Tensors::BETA, has_beta)]);
    let (write, write_to) = accessors_and_addresses(&[
        (Tensors::Y, true),
        (Tensors::MEAN, arguments.statistics),
        (Tensors::RSTD, arguments.statistics),
    ]);
    let reciprocal = |n: u32| ((1.0 / f64::from(n)) as f32).to_bits();
    let scalars = [reciprocal(plan.shift_columns), reciprocal(plan.width), (arguments.eps as f32).to_bits()];
    let rows_after = |first: &[Word]| {
        per_core(&plan.rows, |_, part| {
            let mut args = first.to_vec();
            args.extend(words(&[part.start, part.count]));
            args
        })
    };
    // What the vector unit needs in full goes straight to Dst.
    let mut exact = vec![cb::SUMS, cb::CENTRE, cb::RSTD];
    if is_fp32 {
        exact.extend([cb::STICKS, cb::X, cb::GAMMA, cb::BETA]);
    }
    let config = KernelConfig::Compute(ComputeConfig {
        math_fidelity: MathFidelity::HiFi4,
        fp32_dest_acc_en: arguments.fp32_dest_acc_en,
        // Eight tiles: a block of x beside the statistics of its rows.
        dst_full_sync_en: true,
        unpack_to_dest_fp32: exact.into_iter().map(|cb| cb as u8).collect(),
        ..ComputeConfig::default()
    });
    let kernel = |source: &KernelSource, config, compile_time_args, runtime_args| KernelDescriptor {
        source: source.clone(),
        core_ranges: cores.clone(),
        config,
        compile_time_args,
        named_compile_time_args: Vec::new(),
        defines: Vec::new(),
        include_dirs: kernels.include_dirs.clone(),
        runtime_args,
        common_runtime_args: Vec::new(),
    };
    let data_movement = KernelConfig::DataMovement;
    let launch = Launch {
        cbs: plan.cbs.iter().map(|row| row.descriptor(&cores)).collect(),
        kernels: vec![
            kernel(
                &kernels.reader,
                data_movement(DataMovementConfig::READER),
                with(read, &[plan.width]),
                rows_after(&read_from),
            ),
            kernel(&kernels.compute, config, with(Vec::new(), &scalars), rows_after(&[])),
            kernel(
                &kernels.writer,
                data_movement(DataMovementConfig::WRITER),
                with(write, &[plan.width]),
                rows_after(&write_to),
            ),
        ],
        semaphores: Vec::new(),
    };
    Program { arch: arguments.arch, tensors: tensors(arguments), launches: vec![launch] }
}
