//! The host side of the public layernorm_bw, for kernels that were written for it: c_0 to c_14, their arguments and defines.
//!
//! It must never differ from the public program factory in anything that a kernel can see: circular buffers, the L1 budget,
//! the order of arguments, the bf16 1/N cut off at 16 bits. The kernels give dgamma and dbeta for each row; the host sums
//! over the rows. Start at [`plan`], then [`program`]. Sources: tt-metal `tt-train/sources/ttml/metal/ops/layernorm_bw`,
//! program factory and reader, as of November 2025.

use std::collections::BTreeMap;

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{
    Argument, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor, KernelSource, Launch, Layout,
    MathFidelity, MemoryConfig, Program, TensorDescriptor,
};
use tileproof_kernel::model::thread::CoreCoord;

use super::tensors::Tensors;
use super::validate::{ArgumentError, Arguments, validate};
use crate::describe::{accessors, addresses, per_core, ranges, words};
use crate::kernels::Kernels;
use crate::memory::Memory;
use crate::path::PathChoice;
use crate::split::{CoreRows, split_rows};
use crate::table::{CbRow, table_bytes, table_map};

/// Tiles taken at a time: one of the four Dst tiles of a half with 32 bits is kept as scratch.
const BLOCK_SIZE: u32 = 3;

/// dgamma of each row.
pub const DGAMMA_COMPONENTS: &str = "dgamma_components";
/// dbeta of each row.
pub const DBETA_COMPONENTS: &str = "dbeta_components";

/// Path, cores and circular buffers of a call.
#[derive(Clone, Debug)]
pub struct PublicPlan {
    /// The arguments.
    pub arguments: Arguments,
    /// True if a whole row fits in L1 (`EVERYTHING_FITS_IN_L1`).
    pub l1_path: bool,
    /// Tile columns.
    pub wt: u32,
    /// Tile rows of each core.
    pub rows: Vec<CoreRows>,
    /// Circular buffers.
    pub cbs: Vec<CbRow>,
}

/// c_0 to c_14.
fn table(l1_path: bool, wt: u32) -> Vec<CbRow> {
    let (bf16, fp32) = (DataFormat::Float16_b, DataFormat::Float32);
    let stream = if l1_path { wt } else { 2 * BLOCK_SIZE };
    let x_hat = if l1_path { wt.next_multiple_of(BLOCK_SIZE) } else { 2 * BLOCK_SIZE };
    let row = |index, content, format, pages| CbRow { index, content, format, pages };
    vec![
        row(0, "1/N", bf16, 1),
        row(1, "mask of the last column", bf16, 1),
        row(2, "gamma", bf16, stream),
        row(3, "x_hat", bf16, x_hat),
        row(4, "rstd", bf16, 1),
        row(5, "dy", bf16, stream),
        row(6, "x", bf16, stream),
        row(7, "mean", bf16, 1),
        row(8, "mean, in all columns", bf16, 1),
        row(9, "dx", bf16, 2 * BLOCK_SIZE),
        row(10, "dgamma of each row", bf16, 2 * BLOCK_SIZE),
        row(11, "dbeta of each row", bf16, 2 * BLOCK_SIZE),
        row(12, "rstd, in all columns", bf16, 1),
        row(13, "s1", fp32, 1),
        row(14, "s2", fp32, 1),
    ]
}

/// Accepts what the public host side knows: tiles of bf16 in DRAM.
pub(super) fn known_in_public(arguments: &Arguments) -> Result<(), ArgumentError> {
    if arguments.format != DataFormat::Float16_b {
        return Err(ArgumentError::PublicFormat { format: arguments.format });
    }
    if arguments.layout != Layout::Tile {
        return Err(ArgumentError::PublicLayout);
    }
    if arguments.output_memory != Memory::InterleavedDram {
        return Err(ArgumentError::PublicMemory);
    }
    Ok(())
}

/// Validates and plans.
///
/// # Errors
/// What [`validate`] refuses, anything but tiles of bf16 in DRAM, or a row that does not fit in L1 on the L1 path.
pub fn plan(arguments: &Arguments) -> Result<PublicPlan, ArgumentError> {
    validate(arguments)?;
    known_in_public(arguments)?;
    let arch = arguments.arch.constants();
    let [n, c, h, w] = [arguments.shape[0], arguments.shape[1], arguments.shape[2], arguments.shape[3]];
    let wt = w.div_ceil(32);
    let cores = arguments.cores.unwrap_or(arch.grid.0 * arch.grid.1);
    let available = u64::from(arch.l1_bytes - arch.l1_unreserved_base);
    let needed = table_bytes(&table(true, wt));
    let l1_path = match arguments.path {
        PathChoice::Auto => needed <= available,
        PathChoice::Block => false,
        PathChoice::L1 if needed > available => {
            return Err(ArgumentError::DoesNotFit { needed, available, map: table_map(&table(true, wt)) });
        }
        PathChoice::L1 => true,
    };
    Ok(PublicPlan {
        arguments: arguments.clone(),
        l1_path,
        wt,
        rows: split_rows(n * c * h.div_ceil(32), cores, arch.grid.1),
        cbs: table(l1_path, wt),
    })
}

/// 1/N in bf16, twice in a word. The host cuts the lower half off, it does not round (`pack_two_bfloat16_to_uint32`).
pub fn packed_scaler(features: u32) -> u32 {
    let upper = (1.0 / features as f32).to_bits() >> 16;
    upper | upper << 16
}

fn tensors(plan: &PublicPlan) -> Vec<TensorDescriptor> {
    let shape = &plan.arguments.shape;
    let tensor = |name: &str, shape: Vec<u32>, output| TensorDescriptor {
        name: name.into(),
        shape,
        format: DataFormat::Float16_b,
        layout: Layout::Tile,
        memory: MemoryConfig::Dram,
        output,
    };
    let per_row = vec![shape[0], shape[1], shape[2], 1];
    vec![
        tensor(Tensors::GAMMA, vec![1, 1, 1, shape[3]], false),
        tensor(Tensors::X, shape.clone(), false),
        tensor(Tensors::MEAN, per_row.clone(), false),
        tensor(Tensors::RSTD, per_row, false),
        tensor(Tensors::DY, shape.clone(), false),
        tensor(Tensors::DX, shape.clone(), true),
        tensor(DGAMMA_COMPONENTS, shape.clone(), true),
        tensor(DBETA_COMPONENTS, shape.clone(), true),
    ]
}

/// The program with these kernels.
pub fn program(plan: &PublicPlan, kernels: &Kernels) -> Program {
    let features = plan.arguments.shape[3];
    let mask_w = features % 32;
    let mut defines = Vec::new();
    for (name, is_set) in [("DO_MASK_W", mask_w != 0), ("EVERYTHING_FITS_IN_L1", plan.l1_path)] {
        if is_set {
            defines.push((name.to_string(), "1".to_string()));
        }
    }
    let kernel =
        |source: &KernelSource, parts: &[CoreRows], config, compile_time_args, runtime_args| KernelDescriptor {
            source: source.clone(),
            core_ranges: ranges(parts),
            config,
            compile_time_args,
            named_compile_time_args: Vec::new(),
            defines: defines.clone(),
            include_dirs: kernels.include_dirs.clone(),
            runtime_args,
            common_runtime_args: Vec::new(),
        };
    let with_rows = |tensors: &[&str]| -> BTreeMap<CoreCoord, Vec<Argument>> {
        per_core(&plan.rows, |_, part| {
            let mut args = addresses(tensors);
            args.extend(words(&[part.start, part.count]));
            args
        })
    };
    let inputs = [Tensors::GAMMA, Tensors::X, Tensors::MEAN, Tensors::RSTD, Tensors::DY];
    let outputs = [Tensors::DX, DGAMMA_COMPONENTS, DBETA_COMPONENTS];
    let mut reader_args = words(&[packed_scaler(features), BLOCK_SIZE, mask_w, plan.wt]);
    reader_args.extend(accessors(&inputs));
    let mut writer_args = words(&[BLOCK_SIZE, plan.wt]);
    writer_args.extend(accessors(&outputs));
    let mut list = vec![
        kernel(
            &kernels.reader,
            &plan.rows,
            KernelConfig::DataMovement(DataMovementConfig::READER),
            reader_args,
            with_rows(&inputs),
        ),
        kernel(
            &kernels.writer,
            &plan.rows,
            KernelConfig::DataMovement(DataMovementConfig::WRITER),
            writer_args,
            with_rows(&outputs),
        ),
    ];
    // The number of rows is a compile-time argument: cores with one more have a kernel of their own.
    for group in plan.rows.chunk_by(|a, b| a.count == b.count) {
        let config =
            ComputeConfig { math_fidelity: MathFidelity::HiFi4, fp32_dest_acc_en: true, ..ComputeConfig::default() };
        let args = words(&[group[0].count, BLOCK_SIZE, mask_w, plan.wt]);
        list.push(kernel(&kernels.compute, group, KernelConfig::Compute(config), args, BTreeMap::new()));
    }
    let cores = ranges(&plan.rows);
    Program {
        arch: plan.arguments.arch,
        tensors: tensors(plan),
        launches: vec![Launch {
            cbs: plan.cbs.iter().map(|row| row.descriptor(&cores)).collect(),
            kernels: list,
            semaphores: Vec::new(),
        }],
    }
}

/// The sum over the rows of a result with `width` columns, in float64.
pub fn sum_rows(components: &[f32], width: usize) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    for row in components.chunks_exact(width) {
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += f64::from(*value);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(rows: u32, width: u32) -> Arguments {
        Arguments::new(&[1, 1, rows, width], DataFormat::Float16_b)
    }

    #[test]
    fn the_budget_is_that_of_the_public_factory() {
        // 57,344 bytes beside the rows, and 5,216 features refused with ttnn 0.79.
        let plan_of = |width| plan(&arguments(32, width)).unwrap();
        assert_eq!(table_bytes(&table(true, 163)), 57_344 + 2048 * (3 * 163 + 165));
        assert!(plan_of(162 * 32).l1_path);
        assert!(!plan_of(163 * 32).l1_path);
    }

    #[test]
    fn the_scaler_is_cut_off() {
        // Recorded with the golden vectors.
        assert_eq!(packed_scaler(33), 1_022_901_496);
        assert_eq!(packed_scaler(20), 1_028_406_604);
        assert_eq!(packed_scaler(8448), 955_791_608);
    }

    #[test]
    fn cores_with_one_row_more_have_a_kernel_of_their_own() {
        let source = KernelSource::Cpp("kernel.cpp".into());
        let kernels =
            Kernels { reader: source.clone(), compute: source.clone(), writer: source, include_dirs: Vec::new() };
        let launch = |rows| program(&plan(&arguments(rows, 64)).unwrap(), &kernels).launches.remove(0);
        let rows_per_core = |rows| -> Vec<(Argument, usize)> {
            let of = |k: &KernelDescriptor| (k.compile_time_args[0].clone(), k.core_ranges.len());
            launch(rows).kernels[2..].iter().map(of).collect()
        };
        assert_eq!(rows_per_core(65 * 32), [(Argument::Word(2), 1), (Argument::Word(1), 63)]);
        assert_eq!(rows_per_core(64 * 32), [(Argument::Word(1), 64)]);
        assert!(launch(32).kernels.iter().all(|k| k.defines == [("EVERYTHING_FITS_IN_L1".into(), "1".into())]));
    }
}
