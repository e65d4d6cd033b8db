//! The program factory: circular buffers, kernels and arguments of both launches.

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{
    ComputeConfig, DataMovementConfig, KernelConfig, Launch, Layout, MathFidelity, Program,
};

use super::buffers::{cb, finish_cb};
use super::given::OpKernels;
use super::plan::Plan;
use super::tensors::{Tensors, tensors};
use crate::describe::{accessors, addresses, kernel, last, per_core, ranges, words};
use crate::kernels::Kernels;

fn compute_config(unpack_to_dest_fp32: Vec<u8>) -> KernelConfig {
    KernelConfig::Compute(ComputeConfig {
        math_fidelity: MathFidelity::HiFi4,
        fp32_dest_acc_en: true,
        // Eight tiles: four constants of a row beside the four that a tile needs.
        dst_full_sync_en: true,
        unpack_to_dest_fp32,
        ..ComputeConfig::default()
    })
}

/// The first program: dx, and partial dgamma and dbeta.
fn rows_launch(plan: &Plan, kernels: &Kernels) -> Launch {
    let shape = &plan.arguments.shape;
    let (last_rows, last_columns) = (last(plan.height), last(shape[3]));
    let is_fp32 = plan.arguments.format == DataFormat::Float32;
    let cores = ranges(&plan.rows);
    let inputs = [Tensors::X, Tensors::GAMMA, Tensors::MEAN, Tensors::RSTD, Tensors::DY];
    let outputs = [Tensors::DX, Tensors::PARTIAL_DGAMMA, Tensors::PARTIAL_DBETA];
    let shared = [plan.wt, plan.block, plan.group, u32::from(plan.l1_path)];

    let mut reader_args = accessors(&inputs);
    reader_args.extend(words(&shared));
    reader_args.extend(words(&[last_columns, last_rows, u32::from(is_fp32), plan.ht]));
    let mut writer_args = accessors(&outputs);
    writer_args.extend(words(&shared));
    if plan.arguments.layout == Layout::RowMajor {
        writer_args.extend(words(&[shape[3], plan.height]));
    }
    let mut compute_args = words(&shared);
    compute_args.extend(words(&[
        u32::from(last_columns != 32),
        u32::from(last_rows != 32),
        plan.ht,
        u32::from(is_fp32),
        ((1.0 / f64::from(shape[3])) as f32).to_bits(),
    ]));

    let mut partial_row = 0;
    let partial_rows: Vec<u32> = plan
        .rows
        .iter()
        .map(|part| {
            let first = partial_row;
            partial_row += part.count.div_ceil(plan.group);
            first
        })
        .collect();
    let read = per_core(&plan.rows, |_, part| {
        let mut args = addresses(&inputs);
        args.extend(words(&[part.start, part.count]));
        args
    });
    let write = per_core(&plan.rows, |index, part| {
        let mut args = addresses(&outputs);
        args.extend(words(&[part.start, part.count, partial_rows[index]]));
        args
    });
    let run = per_core(&plan.rows, |_, part| words(&[part.start, part.count]));

    // What the vector unit needs in full goes straight to Dst.
    let mut exact = vec![cb::STATS, cb::SUMS_BROADCAST, cb::DGAMMA_SUM, cb::DBETA_SUM];
    if is_fp32 {
        exact.extend([cb::X, cb::GAMMA, cb::DY]);
    }
    let exact = exact.into_iter().map(|cb| cb as u8).collect();
    Launch {
        cbs: plan.cbs.iter().map(|row| row.descriptor(&cores)).collect(),
        kernels: vec![
            kernel(
                (&kernels.reader, &kernels.include_dirs),
                &cores,
                KernelConfig::DataMovement(DataMovementConfig::READER),
                reader_args,
                read,
            ),
            kernel((&kernels.compute, &kernels.include_dirs), &cores, compute_config(exact), compute_args, run),
            kernel(
                (&kernels.writer, &kernels.include_dirs),
                &cores,
                KernelConfig::DataMovement(DataMovementConfig::WRITER),
                writer_args,
                write,
            ),
        ],
        semaphores: Vec::new(),
    }
}

/// The second program: dgamma and dbeta from their partial sums.
fn finish_launch(plan: &Plan, kernels: &Kernels) -> Launch {
    let cores = ranges(&plan.columns);
    let partial = [Tensors::PARTIAL_DGAMMA, Tensors::PARTIAL_DBETA];
    let outputs = [Tensors::DGAMMA, Tensors::DBETA];
    let tile_rows = plan.partial_rows.div_ceil(32);
    let last_rows = last(plan.partial_rows);
    let mut reader_args = accessors(&partial);
    reader_args.extend(words(&[plan.wt, tile_rows, last_rows]));
    let mut writer_args = accessors(&outputs);
    if plan.arguments.layout == Layout::RowMajor {
        writer_args.extend(words(&[plan.arguments.shape[3]]));
    }
    let with_columns = |tensors: &[&str]| {
        per_core(&plan.columns, |_, part| {
            let mut args = addresses(tensors);
            args.extend(words(&[part.start, part.count]));
            args
        })
    };
    Launch {
        cbs: plan.finish_cbs.iter().map(|row| row.descriptor(&cores)).collect(),
        kernels: vec![
            kernel(
                (&kernels.reader, &kernels.include_dirs),
                &cores,
                KernelConfig::DataMovement(DataMovementConfig::READER),
                reader_args,
                with_columns(&partial),
            ),
            kernel(
                (&kernels.compute, &kernels.include_dirs),
                &cores,
                compute_config(vec![finish_cb::PARTIAL as u8]),
                words(&[tile_rows, u32::from(last_rows != 32)]),
                per_core(&plan.columns, |_, part| words(&[part.count])),
            ),
            kernel(
                (&kernels.writer, &kernels.include_dirs),
                &cores,
                KernelConfig::DataMovement(DataMovementConfig::WRITER),
                writer_args,
                with_columns(&outputs),
            ),
        ],
        semaphores: Vec::new(),
    }
}

/// The whole op as a program of two launches.
pub fn program(plan: &Plan) -> Program {
    program_with(plan, &OpKernels::shipped(plan.arguments.layout))
}

/// The same with other kernels, written for this host side: `cpp` beside this file holds such in C++.
pub fn program_with(plan: &Plan, kernels: &OpKernels) -> Program {
    Program {
        arch: plan.arguments.arch,
        tensors: tensors(&plan.arguments, plan.partial_rows, plan.wt),
        launches: vec![rows_launch(plan, &kernels.rows), finish_launch(plan, &kernels.finish)],
    }
}
