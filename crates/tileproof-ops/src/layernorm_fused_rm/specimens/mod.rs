//! A plain LayerNorm forward of its own, and the same with one fault each: what checks and tests are tried on.
//!
//! It must never be what the op runs. The compute kernel is built as the published fused one is: tilize, mean, variance,
//! rstd, y as tiles, untilize; reader and writer are those of the op. bf16, row-major, rows that fit in L1, gamma and beta
//! given. Start at [`Specimen`], then [`program`].

mod compute;

use tileproof_kernel::compute_kernel;
use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{Argument, KernelConfig, KernelSource, Program};

use super::plan::Plan;
use super::program::{kernels, program_with};
use crate::layernorm_bw::public_layout::Kernels;
use crate::table::CbRow;

/// What is wrong with the kernel. The number is its last compile-time argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Specimen {
    /// Nothing.
    Right = 0,
    /// No hardware start-up.
    MissingStartup = 1,
    /// gamma and beta are waited for and popped, and never used.
    AffineUnused = 2,
    /// Compute counts the pages of c_0 as sticks, where they are tiles.
    SticksForTiles = 3,
    /// A whole chunk is untilized in one window, which is more than Dst holds.
    WideUntilize = 4,
    /// The variance is E[x^2] - E[x]^2.
    SquaresMinusSquare = 5,
    /// The padding of the last tile counts as columns.
    PaddingCounts = 6,
    /// Dst has 16 bits.
    NarrowDst = 7,
}

/// y as tiles, before it is untilized.
const Y_TILES: u32 = 17;

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
