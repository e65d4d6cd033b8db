//! What a host program in C++ tells of a program, as the structs of `tileproof/door.hpp`, and the launch that they become.
//!
//! It must never check what the library checks. Start at [`Program::read`].

#![allow(unsafe_code)]

use std::path::PathBuf;

use tileproof::model::finding::{Code, Finding, Place as FindingPlace};
use tileproof::model::kernel::SourceLocation;
use tileproof::model::numerics::format::DataFormat;
use tileproof::model::program::{
    Argument, CbDescriptor, CbFormatDescriptor, ComputeConfig, DataMovementConfig, KernelConfig, KernelDescriptor,
    KernelSource, Launch, MathFidelity, NocMode, SemaphoreDescriptor,
};
use tileproof::model::thread::{CoreCoord, CoreRange, Thread};
use tileproof::open_device::{OpenDevice, TensorId, no_such_tile};
use tileproof::program_file::LaunchLines;
use tileproof::run_file::Place;

/// Some values in a row.
#[repr(C)]
pub(crate) struct Row<T> {
    first: *const T,
    count: usize,
}

impl<T> Row<T> {
    pub(crate) fn get(&self) -> &[T] {
        if self.count == 0 {
            return &[];
        }
        assert!(!self.first.is_null(), "a row of {} values lies at null, which the headers refuse", self.count);
        // SAFETY: a row comes from the headers of `tileproof-sdk` alone, which make it of a vector or a string that outlives the
        // call that it is given to.
        unsafe { std::slice::from_raw_parts(self.first, self.count) }
    }
}

/// Some text.
pub(crate) type Text = Row<u8>;

impl Text {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.get()).into_owned()
    }
}

/// A line of the host program.
#[repr(C)]
pub(crate) struct Where {
    file: Text,
    line: u32,
}

impl Where {
    pub(crate) fn place(&self) -> Place {
        Place { path: PathBuf::from(self.file.text()), line: self.line as usize }
    }
}

/// What a program that is kept has of an earlier call.
#[repr(C)]
pub(crate) struct Stale {
    operation: Text,
    what: Text,
    kept: Text,
    made: Text,
    is_given_anew: bool,
    core: [u32; 2],
    place: Where,
}

impl Stale {
    pub(crate) fn finding(&self) -> Finding {
        let Place { path, line } = self.place.place();
        let file = path.display().to_string();
        let place = FindingPlace {
            location: (line > 0).then(|| SourceLocation { file: file.clone(), line: line as u32, column: 0 }),
            kernel: file,
            core: CoreCoord { x: self.core[0], y: self.core[1] },
            thread: Thread::Brisc,
        };
        let (operation, what) = (self.operation.text(), self.what.text());
        let (kept, made) = (self.kept.text(), self.made.text());
        let message = format!(
            "{operation} runs a program that it kept, in which {what} is left of an earlier call: {kept}, and a program made \
             for this call has {made}"
        );
        let help = if self.is_given_anew {
            "set it in override_runtime_arguments, or let compute_program_hash depend on what it is made of"
        } else {
            "let compute_program_hash depend on what it is made of: a program that is kept has it once for all"
        };
        Finding {
            primary_text: format!("{what} stays as it was"),
            help: Some(help.into()),
            ..Finding::new(Code::STALE_ADDRESS, place, message)
        }
        .fact("kept", kept)
        .fact("made", made)
        .fact("operation", operation)
    }
}

/// A rectangle of cores, from its first column and row to its last.
#[repr(C)]
pub(crate) struct Range {
    x0: u32,
    y0: u32,
    x1: u32,
    y1: u32,
}

/// Circular buffers that share memory.
#[repr(C)]
pub(crate) struct Cb {
    total_size: u32,
    address_offset: u32,
    /// The number of the buffer whose memory it is, plus one; 0 without.
    buffer: u64,
    cores: Row<Range>,
    formats: Row<Format>,
    place: Where,
}

/// One index of them.
#[repr(C)]
pub(crate) struct Format {
    index: u8,
    data_format: u8,
    page_size: u32,
    tile: [u32; 2],
}

#[repr(C)]
pub(crate) struct Semaphore {
    id: u32,
    initial_value: u32,
    cores: Row<Range>,
    place: Where,
}

#[repr(C)]
pub(crate) struct Named {
    name: Text,
    value: u32,
}

#[repr(C)]
pub(crate) struct Define {
    name: Text,
    value: Text,
}

/// Runtime arguments of a core.
#[repr(C)]
pub(crate) struct OfCore {
    x: u32,
    y: u32,
    words: Row<u32>,
}

#[repr(C)]
pub(crate) struct Kernel {
    source: Text,
    include_dirs: Row<Text>,
    cores: Row<Range>,
    is_compute: bool,
    processor: u8,
    noc: u8,
    is_dynamic: bool,
    math_fidelity: u8,
    fp32_dest_acc_en: bool,
    math_approx_mode: bool,
    dst_full_sync_en: bool,
    bfp8_pack_precise: bool,
    /// Circular buffers that unpack straight to Dst.
    unpack_to_dest_fp32: Row<u8>,
    compile_args: Row<u32>,
    named_compile_args: Row<Named>,
    defines: Row<Define>,
    runtime_args: Row<OfCore>,
    common_runtime_args: Row<u32>,
    place: Where,
}

#[repr(C)]
pub(crate) struct Program {
    cbs: Row<Cb>,
    semaphores: Row<Semaphore>,
    kernels: Row<Kernel>,
}

fn ranges(cores: &Row<Range>) -> Vec<CoreRange> {
    let range = |range: &Range| CoreRange {
        start: CoreCoord { x: range.x0, y: range.y0 },
        end: CoreCoord { x: range.x1, y: range.y1 },
    };
    cores.get().iter().map(range).collect()
}

/// The lines of what stands in one file; others are not known there.
fn lines<'a>(file: &Place, places: impl Iterator<Item = &'a Where>) -> Vec<usize> {
    let line = |at: &Where| Some(at.place()).filter(|place| place.path == file.path).map_or(0, |place| place.line);
    places.map(line).collect()
}

impl Program {
    /// The launch on a device, with its lines as far as they are in the file of `at`.
    pub(crate) fn read(&self, at: &Place, device: &OpenDevice) -> Result<(Launch, LaunchLines), (Place, String)> {
        let [cbs, semaphores, kernels] = [self.cbs.get().len(), self.semaphores.get().len(), self.kernels.get().len()];
        let mut launch = Launch {
            cbs: Vec::with_capacity(cbs),
            semaphores: Vec::with_capacity(semaphores),
            kernels: Vec::with_capacity(kernels),
        };
        let l1 = device.l1_ranges();
        let argument = |word| l1.argument(word);
        for cb in self.cbs.get() {
            launch.cbs.push(cb.read(device).map_err(|why| (cb.place.place(), why))?);
        }
        for semaphore in self.semaphores.get() {
            let (id, initial_value) = (semaphore.id, semaphore.initial_value);
            launch.semaphores.push(SemaphoreDescriptor { id, initial_value, core_ranges: ranges(&semaphore.cores) });
        }
        for kernel in self.kernels.get() {
            launch.kernels.push(kernel.read(&argument).map_err(|why| (kernel.place.place(), why))?);
        }
        let lines = LaunchLines {
            cbs: lines(at, self.cbs.get().iter().map(|cb| &cb.place)),
            kernels: lines(at, self.kernels.get().iter().map(|kernel| &kernel.place)),
            semaphores: lines(at, self.semaphores.get().iter().map(|semaphore| &semaphore.place)),
        };
        Ok((launch, lines))
    }
}

impl Cb {
    fn read(&self, device: &OpenDevice) -> Result<CbDescriptor, String> {
        let buffer = self.buffer.checked_sub(1).map(TensorId);
        if buffer.is_some_and(|buffer| device.address(buffer).is_err()) {
            return Err("the buffer for a circular buffer's memory was deallocated before the program ran".into());
        }
        let format = |format: &Format| {
            if let Some(why) = no_such_tile(format.index, format.tile) {
                return Err(why);
            }
            let data_format = DataFormat::from_code(format.data_format).ok_or_else(|| {
                format!("cb {}: data_format {:#x}: there is none of that number", format.index, format.data_format)
            })?;
            Ok(CbFormatDescriptor { buffer_index: format.index, data_format, page_size: format.page_size })
        };
        Ok(CbDescriptor {
            total_size: self.total_size,
            tensor: buffer.map(|TensorId(id)| (id.to_string(), self.address_offset)),
            core_ranges: ranges(&self.cores),
            format_descriptors: self.formats.get().iter().map(format).collect::<Result<_, _>>()?,
        })
    }
}

impl Kernel {
    fn read(&self, argument: &dyn Fn(u32) -> Argument) -> Result<KernelDescriptor, String> {
        let words = |words: &Row<u32>| words.get().iter().map(|word| argument(*word)).collect::<Vec<_>>();
        let of_core = |of: &OfCore| (CoreCoord { x: of.x, y: of.y }, words(&of.words));
        Ok(KernelDescriptor {
            source: KernelSource::Cpp(PathBuf::from(self.source.text())),
            core_ranges: ranges(&self.cores),
            config: self.config()?,
            compile_time_args: words(&self.compile_args),
            named_compile_time_args: self
                .named_compile_args
                .get()
                .iter()
                .map(|named| (named.name.text(), named.value))
                .collect(),
            defines: self.defines.get().iter().map(|define| (define.name.text(), define.value.text())).collect(),
            include_dirs: self.include_dirs.get().iter().map(|dir| PathBuf::from(dir.text())).collect(),
            runtime_args: self.runtime_args.get().iter().map(of_core).collect(),
            common_runtime_args: words(&self.common_runtime_args),
        })
    }

    fn config(&self) -> Result<KernelConfig, String> {
        if !self.is_compute {
            return Ok(KernelConfig::DataMovement(DataMovementConfig {
                processor: if self.processor == 0 { Thread::Brisc } else { Thread::Ncrisc },
                noc: self.noc,
                noc_mode: if self.is_dynamic { NocMode::Dynamic } else { NocMode::Dedicated },
            }));
        }
        // The numbers of tt-metal's `MathFidelity` (`base_types.hpp`).
        let math_fidelity = match self.math_fidelity {
            0 => MathFidelity::LoFi,
            2 => MathFidelity::HiFi2,
            3 => MathFidelity::HiFi3,
            4 => MathFidelity::HiFi4,
            other => return Err(format!("math_fidelity {other}: expected LoFi, HiFi2, HiFi3 or HiFi4")),
        };
        Ok(KernelConfig::Compute(ComputeConfig {
            math_fidelity,
            fp32_dest_acc_en: self.fp32_dest_acc_en,
            math_approx_mode: self.math_approx_mode,
            dst_full_sync_en: self.dst_full_sync_en,
            bfp8_pack_precise: self.bfp8_pack_precise,
            unpack_to_dest_fp32: self.unpack_to_dest_fp32.get().to_vec(),
        }))
    }
}
