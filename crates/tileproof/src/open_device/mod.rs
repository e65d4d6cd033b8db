//! A device that stays open: tensors that a host program makes, fills, hands to one program after the other, and reads.
//!
//! Each program runs on a machine of its own with the tensors where they lie, so that the same call gives the same record
//! whatever ran before. It must never guess a value: what nobody has written is undefined. Start at [`OpenDevice::run`];
//! `memory.rs` says which addresses are taken, `recording.rs` keeps launches as program files, `kept.rs` knows
//! addresses of earlier launches.

mod held;
mod kept;
mod memory;
mod recording;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use tileproof_build::Builder;
use tileproof_model::arch::Arch;
use tileproof_model::finding::Finding;
use tileproof_model::numerics::format::DataFormat;
use tileproof_model::program::{Argument, Launch, MemoryConfig, Program, TensorDescriptor};
use tileproof_model::thread::CoreCoord;
use tileproof_sim::bytes_of_a_bank;

use crate::audit::{self, Fault};
use crate::cpp_kernels::{BuildKernels, aligned_page_size, built_by};
use crate::elements;
use crate::launch_rules;
pub use crate::launch_rules::no_such_tile;
use crate::pages::Padding;
use crate::program_file::{Api, LaunchLines, ProgramFile, Standing, TensorData};
use crate::run_file::{Place, RunError, RunOptions, RunResult, run_standing};
use crate::server::Servers;
pub use held::TensorId;
use held::{Held, did};
use kept::Kept;
use memory::Memory;
pub use memory::{L1Ranges, OutOfMemory};
use recording::Recording;
pub use recording::{NotRecorded, RECORD_VARIABLE};

/// Why an open device cannot do what it is asked.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum OpenDeviceError {
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
    #[error("tensor is not allocated: it was freed")]
    Freed,
    #[error("{format} values cannot be converted by the host")]
    Format { format: &'static str },
    #[error("bytes {first} to {} are meant, of a buffer of {all} B", first.saturating_add(*bytes))]
    Beyond { first: usize, bytes: usize, all: usize },
    #[error("{0}")]
    Launch(String),
    #[error(transparent)]
    Run(Box<RunError>),
    #[error(transparent)]
    Record(#[from] NotRecorded),
}

impl From<RunError> for OpenDeviceError {
    fn from(error: RunError) -> OpenDeviceError {
        OpenDeviceError::Run(Box::new(error))
    }
}

/// A device, and what lies on it.
pub struct OpenDevice {
    arch: Arch,
    api: Option<Api>,
    memory: Memory,
    tensors: BTreeMap<TensorId, Held>,
    next: u64,
    /// Where launches are kept as program files.
    record: Option<PathBuf>,
    kept: Kept,
}

/// The words by which a kernel finds the pages of a tensor: what compile-time arguments hold of it.
pub fn accessor_words(arch: Arch, api: Option<Api>, tensor: &TensorDescriptor) -> Vec<u32> {
    let mut words = tileproof_sim::accessor_words(arch.constants(), tensor);
    if api.is_some_and(Api::has_page_words) {
        words.insert(1, aligned_page_size(arch, tensor));
    }
    words
}

/// The words where a kernel is compiled for a tensor that a launch does not have: no flag is set, as for one that lies in L1.
pub fn accessor_words_of_none(api: Option<Api>) -> Vec<u32> {
    if api.is_some_and(Api::has_page_words) { vec![0, 0] } else { vec![0] }
}

/// Bytes from one page of a tensor to the next in a bank.
pub fn page_stride(arch: Arch, tensor: &TensorDescriptor) -> u32 {
    aligned_page_size(arch, tensor)
}

/// The values of a tensor's elements as the device would hold them: block floats share exponents, others stay as they are.
///
/// # Errors
/// If the host does not encode the format.
pub fn as_held(tensor: &TensorDescriptor, words: &[u32]) -> Result<Vec<u32>, OpenDeviceError> {
    let format = || OpenDeviceError::Format { format: tensor.format.dtype_name() };
    let pages = elements::encode(tensor, words, Padding::UNDEFINED).ok_or_else(format)?;
    elements::decode(tensor, &pages).ok_or_else(format)
}

/// The elements of a format that are nearest to values: what lies beyond its range becomes infinity, or its last number.
pub fn nearest(format: DataFormat, values: &[f64]) -> Vec<u32> {
    values.iter().map(|value| elements::nearest(format, *value)).collect()
}

/// The values of elements, exactly.
pub fn values(format: DataFormat, words: &[u32]) -> Vec<f64> {
    words.iter().map(|word| elements::value(format, *word)).collect()
}

/// Whoever builds kernels as options say.
fn builder(options: &RunOptions) -> Result<Box<dyn BuildKernels>, OpenDeviceError> {
    let builder = Builder::new(options.cache.clone()).map_err(|error| OpenDeviceError::Launch(error.to_string()))?;
    Ok(built_by(builder, options.isolation))
}

impl OpenDevice {
    /// A device with nothing on it. Without an `api`, the headers that kernels include tell.
    pub fn new(arch: Arch, api: Option<Api>) -> OpenDevice {
        OpenDevice {
            arch,
            api,
            memory: Memory::new(arch),
            tensors: BTreeMap::new(),
            next: 0,
            record: None,
            kept: Kept::default(),
        }
    }

    /// Keeps each launch from now on in a folder, as a program file of its own with what its tensors hold and what comes out.
    pub fn record_into(&mut self, folder: PathBuf) {
        self.record = Some(folder);
    }

    /// The chip.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Makes a tensor; its contents are undefined. Its name with a number behind it is what is said of it, where a program has no
    /// other name for it; `place` is where the host program makes it.
    ///
    /// # Errors
    /// If there is no room.
    pub fn allocate(&mut self, tensor: TensorDescriptor, place: Option<Place>) -> Result<TensorId, OpenDeviceError> {
        let address = self.memory.take(&tensor)?;
        let defined = (tensor.memory == MemoryConfig::Dram).then(|| vec![0; tensor.pages().div_ceil(64) as usize]);
        // Memory that nobody has written reads as poison.
        let pages = vec![0xff; tensor.bytes()];
        let id = TensorId(self.next);
        self.next += 1;
        let standing = Arc::new(Standing { address, pages, defined });
        self.tensors.insert(
            id,
            Held { descriptor: tensor, standing, place, filled: false, filled_in: None, is_touched: false },
        );
        Ok(id)
    }

    /// Frees a tensor; one that is free stays so.
    pub fn free(&mut self, id: TensorId) {
        if let Some(held) = self.tensors.remove(&id) {
            self.memory.give_back(&held.descriptor, held.standing.address);
        }
    }

    /// What the next launch has of an earlier one was told already: it is not suspected of it as well.
    pub fn stale_is_told(&mut self) {
        self.kept.is_told = true;
    }

    /// What there is to say of its launches once nothing is launched any more: addresses that a program which is kept was not given
    /// anew.
    pub fn close(&mut self) -> Vec<Finding> {
        self.kept.end()
    }

    fn tensor(&self, id: TensorId) -> Result<&Held, OpenDeviceError> {
        self.tensors.get(&id).ok_or(OpenDeviceError::Freed)
    }

    /// Fills a tensor with elements, row-major, and its padding with a value.
    ///
    /// # Errors
    /// If it was freed, or the host does not encode its format.
    pub fn write(&mut self, id: TensorId, words: &[u32], padding: f64) -> Result<(), OpenDeviceError> {
        let held = self.tensors.get_mut(&id).ok_or(OpenDeviceError::Freed)?;
        let (tensor, standing) = (&held.descriptor, &held.standing);
        let padding = Padding::Stated(elements::nearest(tensor.format, padding));
        let format = || OpenDeviceError::Format { format: tensor.format.dtype_name() };
        let pages = elements::encode(tensor, words, padding).ok_or_else(format)?;
        let defined = standing.defined.as_ref().map(|words| vec![u64::MAX; words.len()]);
        held.standing = Arc::new(Standing { address: standing.address, pages, defined });
        held.filled = true;
        (held.filled_in, held.is_touched) = (Some(self.kept.launches), false);
        Ok(())
    }

    /// Puts bytes into the pages of a tensor, one page behind the other, from a byte on. Pages that they reach hold something then.
    ///
    /// # Errors
    /// If it was freed, or has no such bytes.
    pub fn write_bytes(&mut self, id: TensorId, from: usize, bytes: &[u8]) -> Result<(), OpenDeviceError> {
        let held = self.tensors.get_mut(&id).ok_or(OpenDeviceError::Freed)?;
        let page_bytes = held.descriptor.page_bytes().max(1) as usize;
        let standing = Arc::make_mut(&mut held.standing);
        let all = standing.pages.len();
        let written = part(&standing.pages, from, bytes.len())?;
        standing.pages[written.clone()].copy_from_slice(bytes);
        // No byte reaches no page, also in the middle of one.
        if let Some(defined) = standing.defined.as_mut().filter(|_| !bytes.is_empty()) {
            for page in from / page_bytes..written.end.div_ceil(page_bytes) {
                defined[page / 64] |= 1 << (page % 64);
            }
        }
        held.filled |= bytes.len() == all;
        (held.filled_in, held.is_touched) = (Some(self.kept.launches), false);
        Ok(())
    }

    /// So many bytes of a tensor's pages, one page behind the other, from a byte on.
    ///
    /// # Errors
    /// If it was freed, or has no such bytes.
    pub fn bytes(&self, id: TensorId, from: usize, count: usize) -> Result<&[u8], OpenDeviceError> {
        let pages = &self.tensor(id)?.standing.pages;
        Ok(&pages[part(pages, from, count)?])
    }

    /// The elements of a tensor, row-major, without padding.
    ///
    /// # Errors
    /// As [`OpenDevice::write`].
    pub fn read(&self, id: TensorId) -> Result<Vec<u32>, OpenDeviceError> {
        let Held { descriptor: tensor, standing, .. } = self.tensor(id)?;
        let format = OpenDeviceError::Format { format: tensor.format.dtype_name() };
        elements::decode(tensor, &standing.pages).ok_or(format)
    }

    /// How many pages of a tensor nobody has written, and the first of them; `None` if all are.
    ///
    /// # Errors
    /// If it was freed.
    pub fn undefined_pages(&self, id: TensorId) -> Result<Option<(u32, u32)>, OpenDeviceError> {
        let Held { descriptor: tensor, standing, filled, .. } = self.tensor(id)?;
        if *filled {
            return Ok(None);
        }
        let page_bytes = tensor.page_bytes() as usize;
        let is_undefined = |page: &u32| match &standing.defined {
            Some(words) => words[*page as usize / 64] >> (page % 64) & 1 == 0,
            None => standing.pages[*page as usize * page_bytes..][..page_bytes].iter().all(|byte| *byte == 0xff),
        };
        let mut undefined = (0..tensor.pages()).filter(is_undefined);
        Ok(undefined.next().map(|first| (1 + undefined.count() as u32, first)))
    }

    /// The address of a tensor in each bank of its memory.
    ///
    /// # Errors
    /// If it was freed.
    pub fn address(&self, id: TensorId) -> Result<u32, OpenDeviceError> {
        Ok(self.tensor(id)?.standing.address)
    }

    /// [`accessor_words`] of a tensor.
    ///
    /// # Errors
    /// If it was freed.
    pub fn accessor_words(&self, id: TensorId) -> Result<Vec<u32>, OpenDeviceError> {
        Ok(accessor_words(self.arch, self.api, &self.tensor(id)?.descriptor))
    }

    /// NoC coordinates of a logical core; `None` outside of the compute grid.
    pub fn noc_of(&self, core: CoreCoord) -> Option<(u32, u32)> {
        let chip = self.arch.constants();
        (core.x < chip.grid.0 && core.y < chip.grid.1).then(|| chip.noc.of_core(core.x, core.y))
    }

    /// The addresses of a tensor in each bank.
    fn extent(&self, held: &Held) -> Range<u64> {
        let begin = u64::from(held.standing.address);
        begin..begin + bytes_of_a_bank(self.arch, &held.descriptor)
    }

    /// The addresses of tensors in L1, by which the words of a launch are told apart.
    pub fn l1_ranges(&self) -> L1Ranges {
        let in_l1 = self.tensors.values().filter(|held| held.descriptor.memory != MemoryConfig::Dram);
        in_l1.map(|held| self.extent(held)).collect()
    }

    /// Runs a launch. `io` are the tensors that it is about, the last its output; a circular buffer names the tensor that backs it
    /// by its number. `path` stands for the program in what is said of it: a file of the host program, where `lines` are its.
    ///
    /// # Errors
    /// If the launch cannot begin. What is wrong with one that runs is in the result.
    pub fn run(
        &mut self,
        (path, lines): (PathBuf, LaunchLines),
        launch: Launch,
        io: &[TensorId],
        options: &RunOptions,
        builder: &dyn BuildKernels,
    ) -> Result<RunResult, OpenDeviceError> {
        self.run_with((path, lines), launch, io, |file| {
            run_standing(file, options, builder).map_err(OpenDeviceError::from)
        })
    }

    /// As [`OpenDevice::run`], with kernels as `options` have them built. Where they are to have a process of their own it is a fork
    /// of a server, where one can be had, and not of this process.
    ///
    /// # Errors
    /// As [`OpenDevice::run`].
    pub fn run_beside(
        &mut self,
        (path, lines): (PathBuf, LaunchLines),
        launch: Launch,
        io: &[TensorId],
        options: &RunOptions,
        servers: &Servers,
    ) -> Result<RunResult, OpenDeviceError> {
        self.run_with((path, lines), launch, io, |file| match servers.run(file, options) {
            Some(ran) => ran.map_err(OpenDeviceError::Launch),
            None => Ok(run_standing(file, options, &*builder(options)?)?),
        })
    }

    /// As [`OpenDevice::run_beside`], with one thing wrong, and nobody who observes it.
    ///
    /// # Errors
    /// As [`OpenDevice::run`], and if its kernels cannot be built so.
    pub fn run_with_fault(
        &mut self,
        (path, lines): (PathBuf, LaunchLines),
        launch: Launch,
        io: &[TensorId],
        options: &RunOptions,
        fault: &Fault,
    ) -> Result<RunResult, OpenDeviceError> {
        self.run_with((path, lines), launch, io, |file| Ok(audit::run_standing_with(fault, file, &*builder(options)?)?))
    }

    /// What can be wrong with a launch: what [`OpenDevice::run_with_fault`] can run it with.
    ///
    /// # Errors
    /// As [`OpenDevice::run`].
    pub fn faults(
        &self,
        (path, lines): (PathBuf, LaunchLines),
        launch: Launch,
        io: &[TensorId],
        options: &RunOptions,
    ) -> Result<Vec<Fault>, OpenDeviceError> {
        self.check(&launch, io)?;
        let (file, _) = self.program((path, lines), launch, io)?;
        Ok(audit::faults_of(&file, &*builder(options)?)?)
    }

    /// Refuses a launch that no device could run, and tensors that are not there.
    fn check(&self, launch: &Launch, io: &[TensorId]) -> Result<(), OpenDeviceError> {
        launch_rules::check(launch, self.arch.constants()).map_err(OpenDeviceError::Launch)?;
        io.iter().try_for_each(|id| self.tensor(*id).map(|_| ()))
    }

    /// Runs a launch by `run`, which gives what is on the tensors then.
    fn run_with(
        &mut self,
        (path, lines): (PathBuf, LaunchLines),
        launch: Launch,
        io: &[TensorId],
        run: impl FnOnce(&ProgramFile) -> Result<(RunResult, Vec<Standing>), OpenDeviceError>,
    ) -> Result<RunResult, OpenDeviceError> {
        self.check(&launch, io)?;
        let (file, ids) = self.program((path.clone(), lines.clone()), launch.clone(), io)?;
        let recording = self.record.as_deref().map(|folder| Recording::begin(folder, &file)).transpose()?;
        let (result, standing) = run(&file)?;
        if let Some(recording) = recording {
            recording.end(&file, &result, &standing)?;
        }
        let names: Vec<String> = file.program.tensors.iter().map(|tensor| tensor.name.clone()).collect();
        drop(file);
        for ((id, standing), name) in ids.into_iter().zip(standing).zip(names) {
            let Some(held) = self.tensors.get_mut(&id) else { continue };
            held.standing = Arc::new(standing);
            if did(&name, &result.record.ledgers, |tensor| tensor.pages_read + tensor.pages_written > 0) {
                held.is_touched = true;
                self.kept.touched(id);
            }
        }
        self.kept.launch((&path, &lines), &launch, &self.tensors, &|id, held| name_of(id, held, io));
        Ok(result)
    }

    /// The launch as a program, and which tensors it has.
    fn program(
        &self,
        (path, lines): (PathBuf, LaunchLines),
        mut launch: Launch,
        io: &[TensorId],
    ) -> Result<(ProgramFile, Vec<TensorId>), OpenDeviceError> {
        let mut backed = BTreeSet::new();
        for (tensor, _) in launch.cbs.iter_mut().filter_map(|cb| cb.tensor.as_mut()) {
            let id = tensor.parse().map(TensorId).map_err(|_| OpenDeviceError::Freed)?;
            *tensor = name_of(id, self.tensor(id)?, io);
            backed.insert(id);
        }
        let words = words(&launch);
        let is_reached = |(id, held): &(&TensorId, &Held)| {
            io.contains(id) || backed.contains(id) || words.range(self.extent(held)).next().is_some()
        };
        let mut tensors: Vec<_> = self.tensors.iter().filter(is_reached).collect();
        // Tensors in DRAM are placed from below, those in L1 from above.
        tensors.sort_by_key(|(_, held)| match held.descriptor.memory {
            MemoryConfig::Dram => (false, held.standing.address),
            _ => (true, u32::MAX - held.standing.address),
        });
        let ids = tensors.iter().map(|(id, _)| **id).collect();
        let named = |(id, held): &(&TensorId, &Held)| TensorDescriptor {
            name: name_of(**id, held, io),
            output: false,
            ..held.descriptor.clone()
        };
        let data = |(id, held): &(&TensorId, &Held)| TensorData {
            fill: None,
            rounded: None,
            standing: Some(held.standing.clone()),
            padding: None,
            address: None,
            undefined_pages: Vec::new(),
            output: io.last() == Some(*id),
            // Another program may write the rest of it.
            scratch: true,
            line: held.place.as_ref().filter(|place| place.path == path).map_or(0, |place| place.line),
        };
        let tensor_data = tensors.iter().map(data).collect();
        let file = ProgramFile {
            path,
            seed: 0,
            api: self.api,
            tensors: tensor_data,
            launches: vec![lines],
            expects: Vec::new(),
            suppressions: Vec::new(),
            program: Program { arch: self.arch, tensors: tensors.iter().map(named).collect(), launches: vec![launch] },
        };
        Ok((file, ids))
    }
}

/// The name of a tensor in what is said of a program.
fn name_of(id: TensorId, held: &Held, io: &[TensorId]) -> String {
    match io.iter().position(|known| *known == id) {
        Some(place) => format!("io_tensors[{place}]"),
        None => format!("{} {}", held.descriptor.name, id.0),
    }
}

/// Where so many bytes from one on are.
fn part(pages: &[u8], first: usize, bytes: usize) -> Result<Range<usize>, OpenDeviceError> {
    let all = pages.len();
    let end = first.checked_add(bytes).filter(|end| *end <= all);
    Ok(first..end.ok_or(OpenDeviceError::Beyond { first, bytes, all })?)
}

/// All words that the kernels of a launch get.
fn words(launch: &Launch) -> BTreeSet<u64> {
    let kernels = launch.kernels.iter();
    let arguments = kernels.clone().flat_map(|kernel| {
        let runtime = kernel.runtime_args.values().flatten();
        kernel.compile_time_args.iter().chain(&kernel.common_runtime_args).chain(runtime)
    });
    let named = kernels.flat_map(|kernel| kernel.named_compile_time_args.iter().map(|(_, word)| *word));
    let word = |argument: &Argument| match argument {
        Argument::Word(word) | Argument::L1(word) => Some(*word),
        _ => None,
    };
    arguments.filter_map(word).chain(named).map(u64::from).collect()
}

#[cfg(test)]
mod tests {
    use tileproof_model::program::Layout;

    use super::*;

    /// Rows of 64 bytes.
    fn rows(count: u32, memory: MemoryConfig) -> TensorDescriptor {
        let (format, layout) = (DataFormat::UInt8, Layout::RowMajor);
        TensorDescriptor { name: "x".into(), shape: vec![count, 64], format, layout, memory, output: false }
    }

    #[test]
    fn pages_hold_something_where_a_byte_was_written() {
        let mut device = OpenDevice::new(Arch::DEFAULT, None);
        let id = device.allocate(rows(4, MemoryConfig::Dram), None).unwrap();
        device.write_bytes(id, 10, &[]).unwrap();
        assert_eq!(device.undefined_pages(id).unwrap(), Some((4, 0)));
        device.write_bytes(id, 63, &[1, 2]).unwrap();
        assert_eq!(device.undefined_pages(id).unwrap(), Some((2, 2)));
        assert_eq!(device.bytes(id, 63, 2).unwrap(), [1, 2]);
        for (from, count) in [(255, 2), (usize::MAX, 1), (257, 0)] {
            assert!(matches!(device.bytes(id, from, count), Err(OpenDeviceError::Beyond { .. })), "{from}, {count}");
        }
    }
}
