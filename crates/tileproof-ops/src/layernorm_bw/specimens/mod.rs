//! A right LayerNorm backward of its own, and the same with one fault each: what checks and tests are tried on.
//!
//! It must never be what the op runs, and the right one must stay as right as the op: kernels of its own, so that those of
//! the op carry no switches. One structure for every width: blocks of columns, x_hat in windows of its own, the sum so far
//! in a circular buffer. dgamma and dbeta come out for each row. Kernels in C++ for the same program are in the folder
//! `specimens` of the repository. Start at [`Specimen`], then [`program`].

mod buffers;
mod compute;
mod dataflow;
mod fault;

use std::collections::BTreeMap;

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{
    Argument, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor, KernelSource, Launch, Layout,
    MemoryConfig, Program, TensorDescriptor,
};
use tileproof_kernel::{compute_kernel, data_movement_kernel};

use super::public_layout::{DBETA_COMPONENTS, DGAMMA_COMPONENTS, known_in_public};
use super::tensors::Tensors;
use super::validate::{ArgumentError, Arguments, validate};
use crate::describe::{accessors, addresses, last, per_core, ranges, words};
use crate::kernels::Kernels;
use crate::split::split_rows;
use buffers::{BLOCK, cb, table};
pub use fault::Specimen;

/// The kernels in Rust.
pub fn kernels() -> Kernels {
    Kernels {
        reader: KernelSource::Native(data_movement_kernel("specimens/reader", dataflow::reader)),
        compute: KernelSource::Native(compute_kernel("specimens/compute", compute::kernel)),
        writer: KernelSource::Native(data_movement_kernel("specimens/writer", dataflow::writer)),
        include_dirs: Vec::new(),
    }
}

fn tensors(shape: &[u32]) -> Vec<TensorDescriptor> {
    let (bf16, fp32) = (DataFormat::Float16_b, DataFormat::Float32);
    let tensor = |name: &str, shape: &[u32], format, output| TensorDescriptor {
        name: name.into(),
        shape: shape.to_vec(),
        format,
        layout: Layout::Tile,
        memory: MemoryConfig::Dram,
        output,
    };
    let per_row = [shape[0], shape[1], shape[2], 1];
    vec![
        tensor(Tensors::X, shape, bf16, false),
        tensor(Tensors::GAMMA, &[1, 1, 1, shape[3]], bf16, false),
        tensor(Tensors::MEAN, &per_row, fp32, false),
        tensor(Tensors::RSTD, &per_row, fp32, false),
        tensor(Tensors::DY, shape, bf16, false),
        tensor(Tensors::DX, shape, bf16, true),
        tensor(DGAMMA_COMPONENTS, shape, fp32, true),
        tensor(DBETA_COMPONENTS, shape, bf16, true),
    ]
}

/// The program with these kernels, and how many cores it takes. The path that the arguments ask for does not matter: there is
/// one.
///
/// # Errors
/// What [`validate`] refuses, or anything but tiles of bf16 in DRAM.
pub fn program(
    arguments: &Arguments,
    specimen: Specimen,
    kernels: &Kernels,
) -> Result<(Program, usize), ArgumentError> {
    validate(arguments)?;
    known_in_public(arguments)?;
    let shape = &arguments.shape;
    let grid = arguments.arch.constants().grid;
    let tile_rows = shape[0] * shape[1] * shape[2].div_ceil(32);
    let rows = split_rows(tile_rows, arguments.cores.unwrap_or(grid.0 * grid.1), grid.1);
    let cores = ranges(&rows);
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
    let with_rows = |tensors: &[&str]| -> BTreeMap<_, Vec<Argument>> {
        per_core(&rows, |_, part| {
            let mut args = addresses(tensors);
            args.extend(words(&[part.start, part.count]));
            args
        })
    };
    let wt = shape[3].div_ceil(32);
    let last_columns = last(shape[3]);
    let one_over_n = ((1.0 / f64::from(shape[3])) as f32).to_bits();
    let inputs = [Tensors::X, Tensors::GAMMA, Tensors::MEAN, Tensors::RSTD, Tensors::DY];
    let outputs = [Tensors::DX, DGAMMA_COMPONENTS, DBETA_COMPONENTS];
    let with_accessors = |tensors: &[&str], last: &[u32]| {
        let mut args = accessors(tensors);
        args.extend(words(last));
        args
    };
    // What the vector unit needs in full goes straight to Dst.
    let exact = [cb::STATS, cb::X_HAT, cb::SUMS, cb::TOTALS_SPREAD].map(|cb| cb as u8);
    let config = ComputeConfig {
        fp32_dest_acc_en: true,
        dst_full_sync_en: true,
        unpack_to_dest_fp32: exact.to_vec(),
        ..ComputeConfig::default()
    };
    let launch = Launch {
        cbs: table().iter().map(|row| row.descriptor(&cores)).collect(),
        kernels: vec![
            kernel(
                &kernels.reader,
                KernelConfig::DataMovement(DataMovementConfig::READER),
                with_accessors(&inputs, &[wt, BLOCK, last_columns]),
                with_rows(&inputs),
            ),
            kernel(
                &kernels.compute,
                KernelConfig::Compute(config),
                words(&[wt, BLOCK, u32::from(last_columns != 32), one_over_n, specimen as u32]),
                per_core(&rows, |_, part| words(&[part.count])),
            ),
            kernel(
                &kernels.writer,
                KernelConfig::DataMovement(DataMovementConfig::WRITER),
                with_accessors(&outputs, &[wt]),
                with_rows(&outputs),
            ),
        ],
        semaphores: Vec::new(),
    };
    Ok((Program { arch: arguments.arch, tensors: tensors(shape), launches: vec![launch] }, rows.len()))
}
