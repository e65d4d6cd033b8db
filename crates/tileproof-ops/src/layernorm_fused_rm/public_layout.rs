//! The host side of the public layernorm_fused_rm, for kernels that were written for it: one core, c_0 to c_7, c_16 and c_24
//! to c_27, their arguments.
//!
//! It must never differ from the public program factory in anything that a kernel can see. The pages of c_0 are sticks; those
//! of c_16 were sticks at first and became tiles with the untilize helper. Start at [`plan`], then [`program`]. Sources:
//! tt-metal `ttnn/cpp/ttnn/operations/normalization/layernorm_fused_rm`, program factory, readers and writer, January 2026.

use std::collections::BTreeMap;

use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, Layout, MathFidelity, MemoryConfig, Program, TensorDescriptor,
};
use tileproof_kernel::model::thread::{CoreCoord, CoreRange};

use super::tensors::Tensors;
use super::validate::{ArgumentError, Arguments, validate};
use crate::describe::{addresses, words};
use crate::kernels::Kernels;
use crate::memory::Memory;

/// Rows of a tile.
const TILE_HEIGHT: u32 = 32;
/// The circular buffer that the writer empties.
const OUT: u8 = 16;

/// What a page of c_16 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutPages {
    /// A row of the output: 32 pages a tile row.
    Sticks,
    /// A tile's worth of the 32 rows: as many pages a tile row as it has tiles.
    Tiles,
}

/// A call that the public host side can carry out.
#[derive(Clone, Debug)]
pub struct PublicPlan {
    /// The arguments.
    pub arguments: Arguments,
    /// Pages of c_16.
    pub out_pages: OutPages,
    /// Features.
    pub width: u32,
    /// Tile columns.
    pub wt: u32,
    /// Tile rows.
    pub ht: u32,
}

/// Validates and plans.
///
/// # Errors
/// What the op itself refuses, and what the public host side does not look at but takes for granted: bf16 sticks, gamma and
/// beta, one matrix of whole tiles; and more than it gives: mean and rstd.
pub fn plan(arguments: &Arguments, out_pages: OutPages) -> Result<PublicPlan, ArgumentError> {
    validate(arguments)?;
    let shape = &arguments.x.shape;
    let (width, height) = (shape[shape.len() - 1], shape.iter().rev().nth(1).copied().unwrap_or(1));
    let refused = |what, value: String| Err(ArgumentError::PublicLayout { what, value });
    if arguments.x.format != DataFormat::Float16_b {
        return refused("dtype bfloat16", format!("dtype is {:?}", arguments.x.format));
    }
    if arguments.layout != Layout::RowMajor {
        return refused("layout row_major", "layout is tile".into());
    }
    if arguments.gamma.is_none() || arguments.beta.is_none() {
        let missing = if arguments.gamma.is_none() { "gamma" } else { "beta" };
        return refused("gamma and beta", format!("{missing} is none"));
    }
    if arguments.statistics {
        return refused("y alone", "mean and rstd are asked for".into());
    }
    let memories = [Some(&arguments.x), arguments.gamma.as_ref(), arguments.beta.as_ref()].into_iter().flatten();
    if memories.map(|of| of.memory).chain([arguments.output_memory]).any(|of| of != Memory::InterleavedDram) {
        return refused("tensors in DRAM", "memory_config is l1".into());
    }
    if !width.is_multiple_of(32) || !height.is_multiple_of(32) || shape.iter().rev().skip(2).any(|d| *d != 1) {
        return refused(
            "one matrix whose H and W are multiples of 32, all other dimensions 1",
            format!("shape is {shape:?}"),
        );
    }
    let plan = PublicPlan { arguments: arguments.clone(), out_pages, width, wt: width / 32, ht: height / TILE_HEIGHT };
    let arch = arguments.arch.constants();
    let available = u64::from(arch.l1_bytes - arch.l1_unreserved_base);
    let needed: u64 = cbs(&plan).iter().map(|cb| u64::from(cb.total_size)).sum();
    if needed > available {
        let value = format!("W is {width}: {needed} bytes of circular buffers, L1 has room for {available}");
        return refused("rows whose circular buffers fit in L1", value);
    }
    Ok(plan)
}

impl PublicPlan {
    /// Bytes of a row.
    fn stick(&self) -> u32 {
        2 * self.width
    }
}

const CORE: CoreCoord = CoreCoord { x: 0, y: 0 };

fn cbs(plan: &PublicPlan) -> Vec<CbDescriptor> {
    let cb = |buffer_index: u8, page_size: u32, pages: u32| CbDescriptor {
        total_size: page_size * pages,
        tensor: None,
        core_ranges: vec![CoreRange::single(CORE)],
        format_descriptors: vec![CbFormatDescriptor { buffer_index, data_format: DataFormat::Float16_b, page_size }],
    };
    let (tile, stick, wt) = (DataFormat::Float16_b.tile_bytes(), plan.stick(), plan.wt);
    // The later factory doubles c_0 and halves the scaler's buffer.
    let (rows, scalers, out) = match plan.out_pages {
        OutPages::Sticks => (TILE_HEIGHT, 2, cb(OUT, stick, TILE_HEIGHT)),
        OutPages::Tiles => (2 * TILE_HEIGHT, 1, cb(OUT, tile, wt)),
    };
    vec![
        cb(0, stick, rows),
        cb(1, tile, 2 * wt),
        cb(2, tile, scalers),
        cb(3, tile, 1),
        cb(4, stick, 1),
        cb(5, stick, 1),
        cb(6, tile, wt),
        cb(7, tile, wt),
        out,
        cb(24, tile, wt),
        cb(25, tile, 1),
        cb(26, tile, 1),
        cb(27, tile, 1),
    ]
}

fn tensors(plan: &PublicPlan) -> Vec<TensorDescriptor> {
    let tensor = |name: &str, shape: &[u32], output| TensorDescriptor {
        name: name.into(),
        shape: shape.to_vec(),
        format: DataFormat::Float16_b,
        layout: Layout::RowMajor,
        memory: MemoryConfig::Dram,
        output,
    };
    let (shape, row) = (&plan.arguments.x.shape, [1, 1, 1, plan.width]);
    vec![
        tensor(Tensors::X, shape, false),
        tensor(Tensors::GAMMA, &row, false),
        tensor(Tensors::BETA, &row, false),
        tensor(Tensors::Y, shape, true),
    ]
}

/// The accessor words of tensors. An interleaved accessor was two words in the release of these kernels and is one here, and
/// one reader counts the words by itself: each is given twice, so that an accessor stands wherever one is looked for.
fn accessors(names: &[&str]) -> Vec<Argument> {
    names.iter().flat_map(|name| [*name, *name]).map(|name| Argument::TensorAccessor(name.into())).collect()
}

/// The program with these kernels.
pub fn program(plan: &PublicPlan, kernels: &Kernels) -> Program {
    let kernel = |source: &KernelSource, config, compile_time_args, args: Vec<Argument>| KernelDescriptor {
        source: source.clone(),
        core_ranges: vec![CoreRange::single(CORE)],
        config,
        compile_time_args,
        named_compile_time_args: Vec::new(),
        defines: Vec::new(),
        include_dirs: kernels.include_dirs.clone(),
        runtime_args: BTreeMap::from([(CORE, args)]),
        common_runtime_args: Vec::new(),
    };
    let after = |mut first: Vec<Argument>, more: Vec<Argument>| {
        first.extend(more);
        first
    };
    let inputs = [Tensors::X, Tensors::GAMMA, Tensors::BETA];
    // 1/W and epsilon travel as fp32; the reader cuts them off to bf16.
    let scalars = [(1.0 / plan.width as f32).to_bits(), (plan.arguments.eps as f32).to_bits()];
    let first_stick = 0;
    let config = ComputeConfig { math_fidelity: MathFidelity::HiFi4, ..ComputeConfig::default() };
    let launch = Launch {
        cbs: cbs(plan),
        kernels: vec![
            kernel(
                &kernels.reader,
                KernelConfig::DataMovement(DataMovementConfig::READER),
                after(words(&[plan.stick(), plan.wt]), accessors(&inputs)),
                after(addresses(&inputs), words(&[plan.ht, first_stick, scalars[0], scalars[1]])),
            ),
            kernel(
                &kernels.compute,
                KernelConfig::Compute(config),
                words(&[plan.wt, plan.ht, plan.width]),
                words(&[plan.ht]),
            ),
            kernel(
                &kernels.writer,
                KernelConfig::DataMovement(DataMovementConfig::WRITER),
                after(words(&[OUT.into(), plan.stick(), TILE_HEIGHT, plan.wt]), accessors(&[Tensors::Y])),
                after(addresses(&[Tensors::Y]), words(&[plan.ht, first_stick])),
            ),
        ],
        semaphores: Vec::new(),
    };
    Program { arch: plan.arguments.arch, tensors: tensors(plan), launches: vec![launch] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(shape: &[u32]) -> Arguments {
        Arguments::new(shape, DataFormat::Float16_b, Layout::RowMajor)
    }

    #[test]
    fn what_the_public_kernels_take_for_granted_is_demanded() {
        let refused = |arguments: Arguments, words: &str| {
            let error = plan(&arguments, OutPages::Sticks).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        assert!(plan(&of(&[1, 1, 64, 96]), OutPages::Sticks).is_ok());
        refused(of(&[32, 33]), "shape is [32, 33]");
        refused(of(&[40, 32]), "shape is [40, 32]");
        refused(of(&[2, 32, 32]), "shape is [2, 32, 32]");
        refused(Arguments { beta: None, ..of(&[32, 32]) }, "beta is none");
        refused(Arguments { statistics: true, ..of(&[32, 32]) }, "mean and rstd");
        refused(Arguments::new(&[32, 32], DataFormat::Float32, Layout::RowMajor), "dtype is Float32");
        refused(Arguments::new(&[32, 32], DataFormat::Float16_b, Layout::Tile), "layout is tile");
        // 14,464 bytes for each tile column and 6 tiles.
        assert!(plan(&of(&[32, 32 * 90]), OutPages::Sticks).is_ok());
        refused(of(&[32, 32 * 100]), "W is 3200: 1458688 bytes of circular buffers");
    }

    #[test]
    fn the_table_is_that_of_the_public_factory() {
        let pages = |out_pages| -> Vec<(u8, u32, u32)> {
            let plan = plan(&of(&[128, 64]), out_pages).unwrap();
            let of = |cb: &CbDescriptor| {
                let format = &cb.format_descriptors[0];
                (format.buffer_index, format.page_size, cb.total_size / format.page_size)
            };
            cbs(&plan).iter().map(of).collect()
        };
        let (sticks, tiles) = (pages(OutPages::Sticks), pages(OutPages::Tiles));
        assert_eq!(sticks.len(), 13);
        // Of the factory at the commit of the hang, and of the last one.
        assert_eq!((sticks[0], sticks[2], sticks[8]), ((0, 128, 32), (2, 2048, 2), (16, 128, 32)));
        assert_eq!((tiles[0], tiles[2], tiles[8]), ((0, 128, 64), (2, 2048, 1), (16, 2048, 2)));
    }
}
