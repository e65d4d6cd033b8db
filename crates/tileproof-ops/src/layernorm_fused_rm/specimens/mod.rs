//! A plain LayerNorm forward of its own, and the same with one fault each: what checks and tests are tried on.
//!
//! It must never be what the op runs. The compute kernel is built as the published fused one is: tilize, mean, variance,
//! rstd, y as tiles, untilize; reader and writer are those of the op. bf16, row-major, rows that fit in L1, gamma and beta
//! given. Start at [`Specimen`], then [`program`].

mod compute;
mod fault;

use tileproof_kernel::compute_kernel;
use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{Argument, KernelConfig, KernelSource, Program};

use super::plan::Plan;
use super::program::{kernels, program_with};
use crate::kernels::Kernels;
use crate::table::CbRow;
pub use fault::Specimen;
use fault::Y_TILES;

/// The program of a plan with this specimen.
///
/// # Panics
/// If the plan is not one for bf16 sticks in L1, without statistics, with gamma and beta.
pub fn program(plan: &Plan, specimen: Specimen) -> Program {
    let arguments = &plan.arguments;
    assert!(
        plan.l1_path
            && !arguments.statistics
            && arguments.x.format == DataFormat::Float16_b
            && arguments.gamma.is_some()
            && arguments.beta.is_some(),
        "the specimens take bf16 sticks that fit in L1, gamma and beta"
    );
    let compute = KernelSource::Native(compute_kernel("layernorm_fused_rm/specimen", compute::kernel));
    let mut program = program_with(plan, &Kernels { compute, ..kernels() });
    let launch = &mut program.launches[0];
    let tiles = CbRow { index: Y_TILES as u8, content: "y, tiles", format: DataFormat::Float16_b, pages: plan.chunk };
    let cores = launch.cbs[0].core_ranges.clone();
    launch.cbs.push(tiles.descriptor(&cores));
    for kernel in &mut launch.kernels {
        if let KernelConfig::Compute(config) = &mut kernel.config {
            // 1 over the padded width, for the fault that counts padding; then the fault.
            let padded = ((1.0 / f64::from(32 * plan.wt)) as f32).to_bits();
            kernel.compile_time_args.extend([padded, specimen as u32].map(Argument::Word));
            if specimen == Specimen::NarrowDst {
                config.fp32_dest_acc_en = false;
                config.unpack_to_dest_fp32.clear();
            }
        }
    }
    program
}
