//! One launch: what ttnn calls a program descriptor.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tileproof_numerics::format::DataFormat;

use crate::kernel::SharedKernel;
use crate::thread::{CoreCoord, CoreRange, Thread};

/// Circular buffers, kernels and semaphores that run together.
#[derive(Clone, Default)]
pub struct Launch {
    /// Circular buffers, allocated in this order.
    pub cbs: Vec<CbDescriptor>,
    /// Kernels.
    pub kernels: Vec<KernelDescriptor>,
    /// Semaphores.
    pub semaphores: Vec<SemaphoreDescriptor>,
}

/// L1 memory of one or several circular buffers (`CBDescriptor`).
#[derive(Clone, Debug)]
pub struct CbDescriptor {
    /// Bytes.
    pub total_size: u32,
    /// The sharded tensor whose memory it is, and from which byte of a shard on; `None` if it has its own.
    pub tensor: Option<(String, u32)>,
    /// Cores that have it.
    pub core_ranges: Vec<CoreRange>,
    /// The buffers that share this memory.
    pub format_descriptors: Vec<CbFormatDescriptor>,
}

/// One circular buffer index (`CBFormatDescriptor`).
#[derive(Clone, Debug)]
pub struct CbFormatDescriptor {
    /// Index, c_0 to c_31.
    pub buffer_index: u8,
    /// Element format.
    pub data_format: DataFormat,
    /// Bytes a page.
    pub page_size: u32,
}

/// A kernel and where it runs (`KernelDescriptor`).
#[derive(Clone)]
pub struct KernelDescriptor {
    /// The text or the Rust object.
    pub source: KernelSource,
    /// Cores that run it.
    pub core_ranges: Vec<CoreRange>,
    /// Processor and options.
    pub config: KernelConfig,
    /// Compile-time arguments.
    pub compile_time_args: Vec<Argument>,
    /// Compile-time arguments with names.
    pub named_compile_time_args: Vec<(String, u32)>,
    /// Preprocessor definitions of a C++ kernel.
    pub defines: Vec<(String, String)>,
    /// Further include directories of a C++ kernel.
    pub include_dirs: Vec<PathBuf>,
    /// Runtime arguments by core.
    pub runtime_args: BTreeMap<CoreCoord, Vec<Argument>>,
    /// Runtime arguments common to all cores.
    pub common_runtime_args: Vec<Argument>,
}

/// Where a kernel comes from.
#[derive(Clone)]
pub enum KernelSource {
    /// A C++ file, compiled at run time.
    Cpp(PathBuf),
    /// A kernel in Rust.
    Native(SharedKernel),
}

impl KernelSource {
    /// The file, of a kernel in C++.
    pub fn file(&self) -> Option<&Path> {
        match self {
            KernelSource::Cpp(path) => Some(path),
            KernelSource::Native(_) => None,
        }
    }
}

/// An argument word, or what becomes words when addresses are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A plain word.
    Word(u32),
    /// Base address of a tensor.
    Address(String),
    /// An offset in L1, as an address of the core that gets it.
    L1(u32),
    /// Words of the tensor's accessor (`TensorAccessorArgs`).
    TensorAccessor(String),
    /// A semaphore's id.
    Semaphore(u32),
    /// NoC column of a logical core.
    NocX(CoreCoord),
    /// NoC row of a logical core.
    NocY(CoreCoord),
    /// A circular buffer index.
    Cb(u8),
}

/// Processor and options of a kernel.
#[derive(Clone, Debug)]
pub enum KernelConfig {
    /// On BRISC or NCRISC.
    DataMovement(DataMovementConfig),
    /// On the three compute threads.
    Compute(ComputeConfig),
}

impl KernelConfig {
    /// The threads that run such a kernel.
    pub fn threads(&self) -> &'static [Thread] {
        match self {
            KernelConfig::DataMovement(c) if c.processor == Thread::Brisc => &[Thread::Brisc],
            KernelConfig::DataMovement(_) => &[Thread::Ncrisc],
            KernelConfig::Compute(_) => &[Thread::Unpack, Thread::Math, Thread::Pack],
        }
    }
}

/// `DataMovementConfigDescriptor`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataMovementConfig {
    /// [`Thread::Brisc`] (RISCV_0) or [`Thread::Ncrisc`] (RISCV_1).
    pub processor: Thread,
    /// NoC that its calls use by default.
    pub noc: u8,
    /// How the two data movement processors share the NoCs.
    pub noc_mode: NocMode,
}

/// How the two data movement processors of a core share the NoCs (tt-metal `NOC_MODE`).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NocMode {
    /// Each has one to itself (`DM_DEDICATED_NOC`).
    #[default]
    Dedicated,
    /// Each call may use either (`DM_DYNAMIC_NOC`).
    Dynamic,
}

impl DataMovementConfig {
    /// `ReaderConfigDescriptor`: NCRISC on NoC 0.
    pub const READER: DataMovementConfig =
        DataMovementConfig { processor: Thread::Ncrisc, noc: 0, noc_mode: NocMode::Dedicated };
    /// `WriterConfigDescriptor`: BRISC on NoC 1.
    pub const WRITER: DataMovementConfig =
        DataMovementConfig { processor: Thread::Brisc, noc: 1, noc_mode: NocMode::Dedicated };
}

/// How many passes the matrix unit makes over the mantissas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "spelled as MathFidelity spells them")]
pub enum MathFidelity {
    LoFi,
    HiFi2,
    HiFi3,
    HiFi4,
}

impl MathFidelity {
    /// All of them, under the names of `MathFidelity`.
    pub const NAMED: [(&'static str, MathFidelity); 4] = [
        ("LoFi", MathFidelity::LoFi),
        ("HiFi2", MathFidelity::HiFi2),
        ("HiFi3", MathFidelity::HiFi3),
        ("HiFi4", MathFidelity::HiFi4),
    ];
}

/// `ComputeConfigDescriptor`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComputeConfig {
    /// Fidelity of matrix-unit multiplies.
    pub math_fidelity: MathFidelity,
    /// 32-bit Dst.
    pub fp32_dest_acc_en: bool,
    /// Approximate vector-unit functions.
    pub math_approx_mode: bool,
    /// One Dst section instead of two halves.
    pub dst_full_sync_en: bool,
    /// Pack block floats from 32-bit Dst with one rounding.
    pub bfp8_pack_precise: bool,
    /// Circular buffers that unpack straight to Dst (`UnpackToDestFp32`).
    pub unpack_to_dest_fp32: Vec<u8>,
}

impl Default for ComputeConfig {
    fn default() -> Self {
        ComputeConfig {
            math_fidelity: MathFidelity::HiFi4,
            fp32_dest_acc_en: false,
            math_approx_mode: false,
            dst_full_sync_en: false,
            bfp8_pack_precise: false,
            unpack_to_dest_fp32: Vec::new(),
        }
    }
}

impl ComputeConfig {
    /// Dst tiles that a section holds: 8, 4, 16 or 8 (ISA documentation, `TensixCoprocessor/Dst.md`).
    pub fn dst_capacity(&self) -> u32 {
        let full = if self.dst_full_sync_en { 16 } else { 8 };
        if self.fp32_dest_acc_en { full / 2 } else { full }
    }
}

/// A semaphore (`SemaphoreDescriptor`).
#[derive(Clone, Debug)]
pub struct SemaphoreDescriptor {
    /// Id, 0 to 15.
    pub id: u32,
    /// Cores that have it.
    pub core_ranges: Vec<CoreRange>,
    /// Value at launch.
    pub initial_value: u32,
}
