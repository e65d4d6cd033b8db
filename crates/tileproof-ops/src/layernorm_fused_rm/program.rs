//! The program factory: circular buffers, kernels and arguments of the one launch.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{
    Argument as Word, ComputeConfig, DataMovementConfig, KernelConfig, KernelSource, Launch, Layout, MathFidelity,
    Program,
};
use tileproof_kernel::{compute_kernel, data_movement_kernel};

use super::buffers::cb;
use super::kernels::{compute, reader, writer};
use super::plan::Plan;
use super::tensors::{Tensors, tensors};
use super::validate::Arguments;
use crate::describe::{kernel, last, per_core, ranges, words};
use crate::kernels::Kernels;

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
    let cores = ranges(&plan.rows);
    let (has_gamma, has_beta) = (arguments.gamma.is_some(), arguments.beta.is_some());
    let shared = shared_words(plan);
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
    let of = |source, config, compile_time_args, addresses: &[Word]| {
        kernel((source, &kernels.include_dirs), &cores, config, compile_time_args, rows_after(addresses))
    };
    let data_movement = KernelConfig::DataMovement;
    let reader = of(&kernels.reader, data_movement(DataMovementConfig::READER), with(read, &[plan.width]), &read_from);
    let compute = of(&kernels.compute, compute_config(arguments), with(Vec::new(), &scalars), &[]);
    let writer = of(&kernels.writer, data_movement(DataMovementConfig::WRITER), with(write, &[plan.width]), &write_to);
    let launch = Launch {
        cbs: plan.cbs.iter().map(|row| row.descriptor(&cores)).collect(),
        kernels: vec![reader, compute, writer],
        semaphores: Vec::new(),
    };
    Program { arch: arguments.arch, tensors: tensors(arguments), launches: vec![launch] }
}

/// The same words for all three kernels, after the accessors.
fn shared_words(plan: &Plan) -> Vec<Word> {
    let arguments = &plan.arguments;
    words(&[
        plan.wt,
        plan.chunk,
        plan.block,
        u32::from(plan.l1_path),
        u32::from(arguments.layout == Layout::Tile),
        u32::from(arguments.x.format == DataFormat::Float32),
        u32::from(arguments.gamma.is_some()),
        u32::from(arguments.beta.is_some()),
        u32::from(arguments.statistics),
        plan.ht,
        last(plan.height),
        last(plan.width),
    ])
}

fn compute_config(arguments: &Arguments) -> KernelConfig {
    // What the vector unit needs in full goes straight to Dst.
    let mut exact = vec![cb::SUMS, cb::CENTRE, cb::RSTD];
    if arguments.x.format == DataFormat::Float32 {
        exact.extend([cb::STICKS, cb::X, cb::GAMMA, cb::BETA]);
    }
    KernelConfig::Compute(ComputeConfig {
        math_fidelity: MathFidelity::HiFi4,
        fp32_dest_acc_en: arguments.fp32_dest_acc_en,
        // Eight tiles: a block of x beside the statistics of its rows.
        dst_full_sync_en: true,
        unpack_to_dest_fp32: exact.into_iter().map(|cb| cb as u8).collect(),
        ..ComputeConfig::default()
    })
}
