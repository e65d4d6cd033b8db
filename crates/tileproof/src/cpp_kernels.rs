//! From the kernels of a launch to requests for the builder, and the door through which they are built.
//!
//! It must never run anything. Start at [`request`].

use std::path::PathBuf;

use tileproof_build::{BuildError, Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::program::{CbDescriptor, KernelDescriptor, Launch};

/// Turns C++ kernels into what the machine runs: [`Builder`], or whoever has kernels of those names already.
pub trait BuildKernels {
    /// The kernels of the requests, in their order.
    ///
    /// # Errors
    /// If one cannot be built; the error names its file.
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError>;
}

impl BuildKernels for Builder {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        Builder::build(self, requests)
    }
}

/// What the builder is asked for one kernel of a launch, whose text is in `source`. An index of a circular buffer that
/// differs between the kernel's cores is the error: the tables that it is compiled with have one place for each.
pub(crate) fn request(
    launch: &Launch,
    kernel: &KernelDescriptor,
    source: PathBuf,
    compile_time_args: Vec<u32>,
    arch: Arch,
) -> Result<CompileRequest, u8> {
    Ok(CompileRequest {
        source,
        config: kernel.config.clone(),
        compile_time_args,
        named_compile_time_args: kernel.named_compile_time_args.clone(),
        defines: kernel.defines.clone(),
        include_dirs: kernel.include_dirs.clone(),
        circular_buffers: cbs_of(launch, kernel)?,
        arch,
    })
}

/// The circular buffers of a kernel's cores by index, or an index that differs between its cores.
fn cbs_of(launch: &Launch, kernel: &KernelDescriptor) -> Result<Vec<CircularBufferFormat>, u8> {
    let on = |cb: &&CbDescriptor| {
        let theirs = cb.core_ranges.iter().flat_map(|range| range.cores());
        theirs.into_iter().any(|core| kernel.core_ranges.iter().any(|range| range.contains(core)))
    };
    let mut formats: Vec<CircularBufferFormat> = Vec::new();
    for descriptor in launch.cbs.iter().filter(on).flat_map(|cb| &cb.format_descriptors) {
        let format = CircularBufferFormat {
            index: descriptor.buffer_index,
            format: descriptor.data_format,
            page_size: descriptor.page_size,
        };
        match formats.iter().find(|other| other.index == format.index) {
            None => formats.push(format),
            Some(other) if *other == format => {}
            Some(_) => return Err(format.index),
        }
    }
    formats.sort_by_key(|format| format.index);
    Ok(formats)
}
