//! From the descriptors of Python to a launch.
//!
//! It must never check what the library checks. Start at [`Described::read`].

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tileproof::model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, MathFidelity, NocMode, SemaphoreDescriptor,
};
use tileproof::model::thread::{CoreCoord, CoreRange, Thread};
use tileproof::open_device::no_such_tile;

use crate::options::cannot;

/// Start and end of a rectangle of cores.
type Range = (u32, u32, u32, u32);

/// A program, as Python describes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Described {
    kernels: Vec<Kernel>,
    cbs: Vec<Cb>,
    semaphores: Vec<(u32, Vec<Range>, u32)>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Kernel {
    source: PathBuf,
    core_ranges: Vec<Range>,
    data_movement: Option<(u32, u8, bool)>,
    compute: Option<Compute>,
    compile_time_args: Vec<u64>,
    named_compile_time_args: Vec<(String, u32)>,
    defines: Vec<(String, String)>,
    include_dirs: Vec<PathBuf>,
    runtime_args: Vec<(u32, u32, Vec<u64>)>,
    common_runtime_args: Vec<u64>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Compute {
    math_fidelity: String,
    fp32_dest_acc_en: bool,
    math_approx_mode: bool,
    dst_full_sync_en: bool,
    bfp8_pack_precise: bool,
    unpack_to_dest_fp32: Vec<u8>,
}

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Cb {
    total_size: u32,
    core_ranges: Vec<Range>,
    /// The number of the tensor whose memory it is, and from which byte of a shard on.
    tensor: Option<(u64, u32)>,
    /// Index, format, bytes of a page, and rows and columns of a tile.
    formats: Vec<(u8, String, u32, [u32; 2])>,
}

fn ranges(ranges: Vec<Range>) -> Vec<CoreRange> {
    let core = |x, y| CoreCoord { x, y };
    ranges.into_iter().map(|(x0, y0, x1, y1)| CoreRange { start: core(x0, y0), end: core(x1, y1) }).collect()
}

/// Words; one with bit 32 set is an offset in L1, which a kernel gets as an address of its core.
fn arguments(words: Vec<u64>) -> Vec<Argument> {
    let argument = |word: u64| match word >> 32 {
        0 => Argument::Word(word as u32),
        _ => Argument::L1(word as u32),
    };
    words.into_iter().map(argument).collect()
}

impl Described {
    pub(crate) fn read(self) -> PyResult<Launch> {
        Ok(Launch {
            kernels: self.kernels.into_iter().map(Kernel::read).collect::<PyResult<_>>()?,
            cbs: self.cbs.into_iter().map(Cb::read).collect::<PyResult<_>>()?,
            semaphores: self
                .semaphores
                .into_iter()
                .map(|(id, core_ranges, initial_value)| SemaphoreDescriptor {
                    id,
                    core_ranges: ranges(core_ranges),
                    initial_value,
                })
                .collect(),
        })
    }
}

impl Kernel {
    fn read(self) -> PyResult<KernelDescriptor> {
        let config = match (self.data_movement, self.compute) {
            (Some((processor, noc, is_dynamic)), None) => KernelConfig::DataMovement(DataMovementConfig {
                processor: if processor == 0 { Thread::Brisc } else { Thread::Ncrisc },
                noc,
                noc_mode: if is_dynamic { NocMode::Dynamic } else { NocMode::Dedicated },
            }),
            (None, Some(compute)) => KernelConfig::Compute(compute.read()?),
            _ => return Err(PyValueError::new_err("kernel: config is of data movement or of compute")),
        };
        let by_core = |(x, y, words)| (CoreCoord { x, y }, arguments(words));
        Ok(KernelDescriptor {
            source: KernelSource::Cpp(self.source),
            core_ranges: ranges(self.core_ranges),
            config,
            compile_time_args: arguments(self.compile_time_args),
            named_compile_time_args: self.named_compile_time_args,
            defines: self.defines,
            include_dirs: self.include_dirs,
            runtime_args: self.runtime_args.into_iter().map(by_core).collect(),
            common_runtime_args: arguments(self.common_runtime_args),
        })
    }
}

impl Compute {
    fn read(self) -> PyResult<ComputeConfig> {
        let known = MathFidelity::NAMED.into_iter().find(|(name, _)| *name == self.math_fidelity);
        let (_, math_fidelity) = known
            .ok_or_else(|| PyValueError::new_err(format!("math_fidelity {}: there is none", self.math_fidelity)))?;
        Ok(ComputeConfig {
            math_fidelity,
            fp32_dest_acc_en: self.fp32_dest_acc_en,
            math_approx_mode: self.math_approx_mode,
            dst_full_sync_en: self.dst_full_sync_en,
            bfp8_pack_precise: self.bfp8_pack_precise,
            unpack_to_dest_fp32: self.unpack_to_dest_fp32,
        })
    }
}

impl Cb {
    fn read(self) -> PyResult<CbDescriptor> {
        let format = |(buffer_index, word, page_size, tile): (u8, String, u32, [u32; 2])| {
            if let Some(why) = no_such_tile(buffer_index, tile) {
                return Err(cannot(why));
            }
            let format = tileproof::format_named(&word);
            let data_format =
                format.ok_or_else(|| PyValueError::new_err(format!("data_format {word}: there is none")))?;
            Ok(CbFormatDescriptor { buffer_index, data_format, page_size })
        };
        Ok(CbDescriptor {
            total_size: self.total_size,
            tensor: self.tensor.map(|(id, offset)| (id.to_string(), offset)),
            core_ranges: ranges(self.core_ranges),
            format_descriptors: self.formats.into_iter().map(format).collect::<PyResult<_>>()?,
        })
    }
}
