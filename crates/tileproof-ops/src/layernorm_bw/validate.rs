//! What the op accepts, and what it says when it does not.

use tileproof_kernel::model::arch::Arch;
use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::Layout;

use crate::memory::Memory;
use crate::path::PathChoice;

/// Arguments of one call.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// Shape of x, outermost dimension first.
    pub shape: Vec<u32>,
    /// Layout of all tensors.
    pub layout: Layout,
    /// Memory of dx, dgamma and dbeta; the inputs are in DRAM.
    pub output_memory: Memory,
    /// Format of x, gamma, dy and the outputs.
    pub format: DataFormat,
    /// The epsilon that forward used.
    pub eps: f64,
    /// Path.
    pub path: PathChoice,
    /// Cores to use at most; `None` for the whole grid.
    pub cores: Option<u32>,
    /// Chip.
    pub arch: Arch,
}

impl Arguments {
    /// The usual call: tiles in DRAM, on the whole grid of a Wormhole.
    pub fn new(shape: &[u32], format: DataFormat) -> Arguments {
        Arguments {
            shape: shape.to_vec(),
            layout: Layout::Tile,
            output_memory: Memory::InterleavedDram,
            format,
            eps: 1e-6,
            path: PathChoice::Auto,
            cores: None,
            arch: Arch::DEFAULT,
        }
    }
}

/// Why arguments are refused. Each message names the argument, its value and what is allowed.
#[derive(thiserror::Error, Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ArgumentError {
    #[error("shape {shape:?}: has {rank} dimensions, layernorm_bw takes 4 (N,C,H,W)")]
    Rank { shape: Vec<u32>, rank: usize },
    #[error("shape {shape:?}: dimension {dimension} is 0, every dimension must be at least 1")]
    ZeroDimension { shape: Vec<u32>, dimension: &'static str },
    #[error("shape {shape:?}: {elements} elements, at most {limit} fit on the simulated device")]
    TooLarge { shape: Vec<u32>, elements: u64, limit: u64 },
    #[error("shape {shape:?}: W is {width}, at most {limit} features are supported")]
    TooWide { shape: Vec<u32>, width: u32, limit: u32 },
    #[error("dtype {format:?}: layernorm_bw takes bfloat16 or float32")]
    Format { format: DataFormat },
    #[error("dtype {format:?}: the public layernorm_bw takes bfloat16 only, and so do kernels that are given for it")]
    PublicFormat { format: DataFormat },
    #[error("layout row_major: the public layernorm_bw takes tile only, and so do kernels that are given for it")]
    PublicLayout,
    #[error("memory_config l1: the public layernorm_bw writes to DRAM only, and so do kernels that are given for it")]
    PublicMemory,
    #[error("memory_config sharded: layernorm_bw gives interleaved tensors; use dram or l1")]
    Sharded,
    #[error(
        "memory_config l1: tensors take {taken} bytes of each core's L1, and the {available} beside them are too few for the \
         {needed} bytes of circular buffers; use dram"
    )]
    NoRoom { taken: u64, needed: u64, available: u64 },
    #[error("eps {eps}: must be a finite number, 0 or above")]
    Eps { eps: f64 },
    #[error("cores {cores}: {arch} has a compute grid of {limit} cores, give 1 to {limit}")]
    Cores { cores: u32, arch: &'static str, limit: u32 },
    #[error(
        "path l1: {needed} bytes of circular buffers do not fit in the {available} bytes of L1; use path block or auto\n{map}"
    )]
    DoesNotFit { needed: u64, available: u64, map: String },
}

/// Elements that a tensor may have: four tensors of it fit in the memory of an ordinary host.
const MAX_ELEMENTS: u64 = 1 << 28;
/// Widest row.
const MAX_WIDTH: u32 = 1 << 20;

/// Checks the arguments, in the order in which a user would mend them.
///
/// # Errors
/// The first condition that does not hold.
pub fn validate(arguments: &Arguments) -> Result<(), ArgumentError> {
    let shape = &arguments.shape;
    if shape.len() != 4 {
        return Err(ArgumentError::Rank { shape: shape.clone(), rank: shape.len() });
    }
    for (size, dimension) in shape.iter().zip(["N", "C", "H", "W"]) {
        if *size == 0 {
            return Err(ArgumentError::ZeroDimension { shape: shape.clone(), dimension });
        }
    }
    if shape[3] > MAX_WIDTH {
        return Err(ArgumentError::TooWide { shape: shape.clone(), width: shape[3], limit: MAX_WIDTH });
    }
    // What counts is the padded size; dimensions are u32, so a checked product in u64 can still overflow.
    let padded = [shape[0], shape[1], shape[2].div_ceil(32), shape[3].div_ceil(32)];
    let tiles = padded.iter().try_fold(1024u64, |n, d| n.checked_mul(u64::from(*d)));
    if tiles.is_none_or(|n| n > MAX_ELEMENTS) {
        let elements = tiles.unwrap_or(u64::MAX);
        return Err(ArgumentError::TooLarge { shape: shape.clone(), elements, limit: MAX_ELEMENTS });
    }
    if !matches!(arguments.format, DataFormat::Float16_b | DataFormat::Float32) {
        return Err(ArgumentError::Format { format: arguments.format });
    }
    if arguments.output_memory == Memory::Sharded {
        return Err(ArgumentError::Sharded);
    }
    if !arguments.eps.is_finite() || arguments.eps < 0.0 {
        return Err(ArgumentError::Eps { eps: arguments.eps });
    }
    let (columns, rows) = arguments.arch.constants().grid;
    if let Some(cores) = arguments.cores
        && (cores == 0 || cores > columns * rows)
    {
        return Err(ArgumentError::Cores { cores, arch: arguments.arch.name(), limit: columns * rows });
    }
    Ok(())
}
