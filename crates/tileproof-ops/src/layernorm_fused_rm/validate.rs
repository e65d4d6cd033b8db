//! What the op accepts, and what it says when it does not.
//!
//! Tensors are described as a host API sees them before anything is allocated for the call: where they live, in which
//! layout, with which shape. Each condition has its own message, which names the tensor, its value and what is allowed.
//! Start at [`validate`].

use tileproof_kernel::model::arch::Arch;
use tileproof_kernel::model::numerics::format::DataFormat;
use tileproof_kernel::model::program::Layout;

use crate::memory::Memory;
use crate::path::PathChoice;

/// Where the data of a tensor are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storage {
    /// On the host.
    Host,
    /// On a device, by its number; a buffer that was freed is no longer allocated.
    Device {
        /// Number of the device.
        id: u32,
        /// Whether it still has its buffer.
        allocated: bool,
    },
}

/// A tensor that is handed to the op, or the kind of tensor that it shall return.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// Shape, outermost dimension first.
    pub shape: Vec<u32>,
    /// Element format.
    pub format: DataFormat,
    /// Layout.
    pub layout: Layout,
    /// Memory.
    pub memory: Memory,
    /// Host or device.
    pub storage: Storage,
}

impl Argument {
    /// A tensor in the DRAM of device 0, interleaved.
    pub fn new(shape: &[u32], format: DataFormat, layout: Layout) -> Argument {
        let storage = Storage::Device { id: 0, allocated: true };
        Argument { shape: shape.to_vec(), format, layout, memory: Memory::InterleavedDram, storage }
    }
}

/// Arguments of one call.
#[derive(Clone, Debug)]
pub struct Arguments {
    /// x.
    pub x: Argument,
    /// gamma, one row; `None` for 1.
    pub gamma: Option<Argument>,
    /// beta, one row; `None` for 0.
    pub beta: Option<Argument>,
    /// Added to the variance.
    pub eps: f64,
    /// The form of the op: row-major sticks in and out, or tiles in and out.
    pub layout: Layout,
    /// Element format of y.
    pub output_format: DataFormat,
    /// Memory of y.
    pub output_memory: Memory,
    /// Whether mean and rstd are returned, as fp32.
    pub statistics: bool,
    /// Bits of Dst (`fp32_dest_acc_en`).
    pub fp32_dest_acc_en: bool,
    /// Whether a row stays in L1 or is streamed.
    pub path: PathChoice,
    /// Cores to use at most; `None` for the whole grid.
    pub cores: Option<u32>,
    /// Chip.
    pub arch: Arch,
}

impl Arguments {
    /// The usual call: `x` with gamma and beta of its width, everything of one format.
    pub fn new(shape: &[u32], format: DataFormat, layout: Layout) -> Arguments {
        let row = [1, 1, 1, shape.last().copied().unwrap_or(1)];
        Arguments {
            x: Argument::new(shape, format, layout),
            gamma: Some(Argument::new(&row, format, layout)),
            beta: Some(Argument::new(&row, format, layout)),
            eps: 1e-5,
            layout,
            output_format: format,
            output_memory: Memory::InterleavedDram,
            statistics: false,
            fp32_dest_acc_en: true,
            path: PathChoice::Auto,
            cores: None,
            arch: Arch::DEFAULT,
        }
    }
}

/// Why arguments are refused.
#[derive(thiserror::Error, Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ArgumentError {
    #[error("{tensor}: is on the host, layernorm_fused_rm takes tensors on a device")]
    OnHost { tensor: &'static str },
    #[error("{tensor}: its buffer is not allocated; it was freed or never written")]
    NotAllocated { tensor: &'static str },
    #[error("{tensor}: is on device {device}, x is on device {of_x}; all tensors must be on one device")]
    OtherDevice { tensor: &'static str, device: u32, of_x: u32 },
    #[error("{tensor}: memory is sharded, layernorm_fused_rm takes interleaved tensors")]
    Sharded { tensor: &'static str },
    #[error("{tensor}: layout is {}, this form of layernorm_fused_rm takes {}", layout_name(*.given), layout_name(*.allowed))]
    WrongLayout { tensor: &'static str, given: Layout, allowed: Layout },
    #[error("shape {shape:?}: has {rank} dimensions, layernorm_fused_rm takes 1 to 8 (the last is W)")]
    Rank { shape: Vec<u32>, rank: usize },
    #[error("shape {shape:?}: dimension {dimension} is 0, every dimension must be at least 1")]
    ZeroDimension { shape: Vec<u32>, dimension: usize },
    #[error("shape {shape:?}: W is {width}, at most {limit} features are supported")]
    TooWide { shape: Vec<u32>, width: u32, limit: u32 },
    #[error("shape {shape:?}: {elements} elements, at most {limit} fit on the simulated device")]
    TooLarge { shape: Vec<u32>, elements: u64, limit: u64 },
    #[error("dtype {format:?}: layernorm_fused_rm takes bfloat16 or float32")]
    Format { format: DataFormat },
    #[error("{tensor}: dtype {format:?}, x has {of_x:?}; gamma and beta must have the dtype of x")]
    OtherFormat { tensor: &'static str, format: DataFormat, of_x: DataFormat },
    #[error("{tensor}: shape {shape:?} has {rank} dimensions, allowed are 1 to 8")]
    RowRank { tensor: &'static str, shape: Vec<u32>, rank: usize },
    #[error("{tensor}: shape {shape:?} has several rows, allowed is one row; all dimensions but the last must be 1")]
    ManyRows { tensor: &'static str, shape: Vec<u32> },
    #[error("{tensor}: the last dimension is {width}, x has {of_x}; they must be equal")]
    OtherWidth { tensor: &'static str, width: u32, of_x: u32 },
    #[error("eps {eps}: must be a finite number")]
    EpsNotFinite { eps: f64 },
    #[error("eps {eps}: must be 0 or above")]
    EpsNegative { eps: f64 },
    #[error("output: dtype {format:?}, x has {of_x:?}; y has the dtype of x")]
    OutputFormat { format: DataFormat, of_x: DataFormat },
    #[error("memory_config sharded: layernorm_fused_rm gives interleaved tensors; use dram or l1")]
    ShardedOutput,
    #[error("fp32_dest_acc_en false: must be true; a 16-bit Dst loses rows whose mean is large beside their deviation")]
    NarrowDst,
    #[error("cores 0: {arch} has a compute grid of {limit} cores, give 1 to {limit}")]
    NoCores { arch: &'static str, limit: u32 },
    #[error("cores {cores}: {arch} has a compute grid of {limit} cores, give 1 to {limit}")]
    TooManyCores { cores: u32, arch: &'static str, limit: u32 },
    #[error(
        "path l1: {needed} bytes of circular buffers do not fit in the {available} bytes of L1; use path block or auto"
    )]
    DoesNotFit { needed: u64, available: u64 },
    #[error(
        "memory_config l1: tensors take {taken} bytes of each core's L1, and the {available} beside them are too few for the \
         {needed} bytes of circular buffers; use dram"
    )]
    NoRoom { taken: u64, needed: u64, available: u64 },
    #[error("{value}; kernels for the public layernorm_fused_rm take {what}")]
    PublicLayout { what: &'static str, value: String },
}

fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Tile => "tile",
        Layout::RowMajor => "row_major",
    }
}

/// Elements that a tensor may have: its tensors fit in the memory of an ordinary host.
const MAX_ELEMENTS: u64 = 1 << 28;
/// Widest row.
const MAX_WIDTH: u32 = 1 << 20;

/// Checks the arguments, in the order in which a user would mend them.
///
/// # Errors
/// The first condition that does not hold.
pub fn validate(arguments: &Arguments) -> Result<(), ArgumentError> {
    let x = &arguments.x;
    let device = placed("x", x, arguments.layout)?;
    shape_of_x(x)?;
    if !matches!(x.format, DataFormat::Float16_b | DataFormat::Float32) {
        return Err(ArgumentError::Format { format: x.format });
    }
    for (tensor, row) in [("gamma", &arguments.gamma), ("beta", &arguments.beta)] {
        if let Some(row) = row {
            let on = placed(tensor, row, arguments.layout)?;
            if on != device {
                return Err(ArgumentError::OtherDevice { tensor, device: on, of_x: device });
            }
            shape_of_row(tensor, row, x)?;
            if row.format != x.format {
                return Err(ArgumentError::OtherFormat { tensor, format: row.format, of_x: x.format });
            }
        }
    }
    if !arguments.eps.is_finite() {
        return Err(ArgumentError::EpsNotFinite { eps: arguments.eps });
    }
    if arguments.eps < 0.0 {
        return Err(ArgumentError::EpsNegative { eps: arguments.eps });
    }
    if arguments.output_format != x.format {
        return Err(ArgumentError::OutputFormat { format: arguments.output_format, of_x: x.format });
    }
    if arguments.output_memory == Memory::Sharded {
        return Err(ArgumentError::ShardedOutput);
    }
    if !arguments.fp32_dest_acc_en {
        return Err(ArgumentError::NarrowDst);
    }
    let arch = arguments.arch.name();
    let (columns, rows) = arguments.arch.constants().grid;
    let limit = columns * rows;
    match arguments.cores {
        Some(0) => Err(ArgumentError::NoCores { arch, limit }),
        Some(cores) if cores > limit => Err(ArgumentError::TooManyCores { cores, arch, limit }),
        _ => Ok(()),
    }
}

/// Dimensions that a tensor may have, as ttnn's may.
const RANKS: std::ops::RangeInclusive<usize> = 1..=8;

/// Where a tensor is; its device.
fn placed(tensor: &'static str, argument: &Argument, allowed: Layout) -> Result<u32, ArgumentError> {
    let Storage::Device { id, allocated } = argument.storage else { return Err(ArgumentError::OnHost { tensor }) };
    if !allocated {
        return Err(ArgumentError::NotAllocated { tensor });
    }
    if argument.memory == Memory::Sharded {
        return Err(ArgumentError::Sharded { tensor });
    }
    if argument.layout != allowed {
        return Err(ArgumentError::WrongLayout { tensor, given: argument.layout, allowed });
    }
    Ok(id)
}

fn shape_of_x(x: &Argument) -> Result<(), ArgumentError> {
    let shape = &x.shape;
    let rank = shape.len();
    if !RANKS.contains(&rank) {
        return Err(ArgumentError::Rank { shape: shape.clone(), rank });
    }
    if let Some(dimension) = shape.iter().position(|d| *d == 0) {
        return Err(ArgumentError::ZeroDimension { shape: shape.clone(), dimension });
    }
    let width = shape[rank - 1];
    if width > MAX_WIDTH {
        return Err(ArgumentError::TooWide { shape: shape.clone(), width, limit: MAX_WIDTH });
    }
    // What counts is the padded size; dimensions are u32, so a checked product in u64 can still overflow.
    let sides: Vec<u64> = shape.iter().map(|d| u64::from(*d)).collect();
    let rows = if rank >= 2 { sides[rank - 2] } else { 1 };
    let matrix = [rows.next_multiple_of(32), u64::from(width).next_multiple_of(32)];
    let outer = sides.iter().take(rank.saturating_sub(2));
    let elements = outer.chain(&matrix).try_fold(1u64, |n, d| n.checked_mul(*d));
    if elements.is_none_or(|n| n > MAX_ELEMENTS) {
        let elements = elements.unwrap_or(u64::MAX);
        return Err(ArgumentError::TooLarge { shape: shape.clone(), elements, limit: MAX_ELEMENTS });
    }
    Ok(())
}

/// gamma and beta: one row, as wide as x.
fn shape_of_row(tensor: &'static str, row: &Argument, x: &Argument) -> Result<(), ArgumentError> {
    let shape = &row.shape;
    let rank = shape.len();
    if !RANKS.contains(&rank) {
        return Err(ArgumentError::RowRank { tensor, shape: shape.clone(), rank });
    }
    if shape[..rank - 1].iter().any(|d| *d != 1) {
        return Err(ArgumentError::ManyRows { tensor, shape: shape.clone() });
    }
    let (width, of_x) = (shape[rank - 1], x.shape[x.shape.len() - 1]);
    if width != of_x {
        return Err(ArgumentError::OtherWidth { tensor, width, of_x });
    }
    Ok(())
}
