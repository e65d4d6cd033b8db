//! From the kernels of a program to requests for the builder, and the door through which they are built.
//!
//! It must never run anything. Start at [`request`].

use tileproof_build::{BuildError, Builder, CircularBufferFormat, CompileRequest};
use tileproof_model::arch::Arch;
use tileproof_model::finding::Place;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::program::{
    Argument, CbDescriptor, KernelDescriptor, KernelSource, Launch, MemoryConfig, Program, TensorDescriptor,
};
use tileproof_sim::LaunchError;

use crate::isolation::Isolation;
use crate::program_file::Api;

/// Turns C++ kernels into what the machine runs: [`Builder`], or whoever has kernels of those names already.
pub trait BuildKernels {
    /// The kernels of the requests, in their order.
    ///
    /// # Errors
    /// If one cannot be built; the error names its file.
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError>;

    /// How the kernels are kept apart from this process; not at all by default.
    fn isolation(&self) -> Option<Isolation> {
        None
    }
}

/// Kernels as a builder builds them, to run in a process of their own if there is an `isolation`, else in this one.
pub fn built_by(builder: Builder, isolation: Option<Isolation>) -> Box<dyn BuildKernels> {
    match isolation {
        Some(isolation) => Box::new(Apart { builder, isolation }),
        None => Box::new(builder),
    }
}

/// Builds kernels that run in a process of their own.
struct Apart {
    builder: Builder,
    isolation: Isolation,
}

impl BuildKernels for Apart {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        self.builder.build(requests)
    }

    fn isolation(&self) -> Option<Isolation> {
        Some(self.isolation)
    }
}

impl BuildKernels for Builder {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        Builder::build(self, requests)
    }
}

/// Builds nothing: for programs of Rust kernels.
pub struct Nobody;

impl BuildKernels for Nobody {
    fn build(&self, requests: &[CompileRequest]) -> Result<Vec<SharedKernel>, BuildError> {
        match requests.first() {
            None => Ok(Vec::new()),
            Some(request) => Err(BuildError::Load {
                file: request.source.clone(),
                text: "it is C++, and this program is run without a compiler".into(),
            }),
        }
    }
}

/// The kernels of a program, launch by launch.
pub struct Kernels {
    pub(crate) launches: Vec<Vec<SharedKernel>>,
    /// Whether they run in a process of their own, and how.
    pub(crate) isolation: Option<Isolation>,
}

/// Why the builder cannot be asked for a kernel.
pub(crate) enum NoRequest {
    /// A compile-time argument stands for nothing.
    Argument(LaunchError),
    /// A circular buffer that differs between the kernel's cores: the tables that it is compiled with have one place for each.
    CbsDiffer(u8),
}

/// What the builder is asked for a kernel of a launch, if it is in C++. `words` are those of an argument.
pub(crate) fn request(
    program: &Program,
    launch: &Launch,
    kernel: &KernelDescriptor,
    api: Option<Api>,
    words: impl Fn(&Argument) -> Result<Vec<u32>, LaunchError>,
) -> Result<Option<CompileRequest>, NoRequest> {
    let KernelSource::Cpp(source) = &kernel.source else { return Ok(None) };
    let paged = api.is_some_and(Api::has_page_words);
    let mut compile_time_args = Vec::new();
    for argument in &kernel.compile_time_args {
        let first = compile_time_args.len();
        compile_time_args.extend(words(argument).map_err(NoRequest::Argument)?);
        let accessed = |name: &String| program.tensors.iter().find(|tensor| tensor.name == *name);
        if paged
            && let Argument::TensorAccessor(name) = argument
            && let Some(tensor) = accessed(name)
        {
            compile_time_args.insert(first + 1, aligned_page_size(program.arch, tensor));
        }
    }
    let mut defines = kernel.defines.clone();
    if paged {
        defines.push(("TP_ACCESSOR_WORDS".into(), "2".into()));
    }
    if let Some(api) = api {
        defines.push(("TP_API".into(), api.day().to_string()));
    }
    Ok(Some(CompileRequest {
        source: source.clone(),
        config: kernel.config.clone(),
        compile_time_args,
        named_compile_time_args: kernel.named_compile_time_args.clone(),
        defines,
        include_dirs: kernel.include_dirs.clone(),
        circular_buffers: cbs_of(launch, kernel).map_err(NoRequest::CbsDiffer)?,
        arch: program.arch,
    }))
}

/// What an accessor's second word is since ttnn 0.79: its pages, as far apart as they lie (`tensor_accessor_args.h`).
pub(crate) fn aligned_page_size(arch: Arch, tensor: &TensorDescriptor) -> u32 {
    let arch = arch.constants();
    let alignment = if tensor.memory == MemoryConfig::Dram { arch.dram_alignment } else { arch.l1_alignment };
    tensor.page_bytes().next_multiple_of(alignment)
}

/// The kernels of all launches: those in C++ as `builder` makes them from `requests`, one for each in order, and those in
/// Rust, which are there already.
pub(crate) fn build(
    program: &Program,
    requests: &[CompileRequest],
    builder: &dyn BuildKernels,
) -> Result<Kernels, BuildError> {
    let built = builder.build(requests)?;
    if built.len() != requests.len() {
        let file = requests.first().map(|request| request.source.clone()).unwrap_or_default();
        let text = format!("{} kernels were asked for and {} built", requests.len(), built.len());
        return Err(BuildError::Load { file, text });
    }
    let mut built = built.into_iter();
    let mut of_launch = |kernels: &[KernelDescriptor]| {
        let kernel = |kernel: &KernelDescriptor| match &kernel.source {
            KernelSource::Native(kernel) => Some(kernel.clone()),
            KernelSource::Cpp(_) => built.next(),
        };
        kernels.iter().filter_map(kernel).collect()
    };
    let launches = program.launches.iter().map(|launch| of_launch(&launch.kernels)).collect();
    // Those in Rust are this program's own.
    let isolation = if requests.is_empty() { None } else { builder.isolation() };
    Ok(Kernels { launches, isolation })
}

/// Where the kernels in C++ of a program run first; a place bears the name of the kernel's file.
pub(crate) fn kernel_places(program: &Program) -> Vec<Place> {
    let kernels = program.launches.iter().flat_map(|launch| &launch.kernels);
    let place = |kernel: &KernelDescriptor| {
        let KernelSource::Cpp(source) = &kernel.source else { return None };
        let (core, thread) = (kernel.core_ranges.first()?.start, *kernel.config.threads().first()?);
        Some(Place { location: None, kernel: source.display().to_string(), core, thread })
    };
    kernels.filter_map(place).collect()
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
