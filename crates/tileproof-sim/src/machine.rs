//! The machine as its users see it: allocate tensors, launch kernels, read results.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use tileproof_model::abi::CbInterface;
use tileproof_model::arch::{Arch, Chip};
use tileproof_model::finding::{Code, Finding};
use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::{Observer, Raised, Unobserved};
use tileproof_model::program::{
    Argument, CbDescriptor, ComputeConfig, KernelConfig, Launch, MemoryConfig, TensorDescriptor,
};
use tileproof_model::record::{Ledger, Print, Status};
use tileproof_model::schedule::Schedule;
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::wording::cb_name;

use crate::buffer::CircularBuffer;
use crate::claims::Claimant;
use crate::core::{Core, FreeL1, MAX_ARGUMENTS, SEMAPHORES};
use crate::dram::{Dram, POISON};
use crate::explore::Explorer;
use crate::hart::{Hart, State, Transfers};
use crate::l1::L1Window;
use crate::l1_tensor::L1Tensor;
use crate::mailbox::Mailboxes;
use crate::noc;
use crate::report::Sink;
use crate::signals::Signals;
use crate::tensix::Tensix;

/// Why a launch cannot begin.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LaunchError {
    #[error("no memory for another core: {0}")]
    Host(#[from] std::io::Error),
    #[error("tensor {name}: {bytes} bytes do not fit in {memory}")]
    TensorTooLarge { name: String, bytes: u64, memory: &'static str },
    #[error("circular buffer {index}: tensor {name} is not sharded over all cores of the buffer")]
    NotBacked { index: u8, name: String },
    #[error(
        "circular buffer {index}: {total} bytes from byte {offset} on are more than the {shard} that tensor {name} has on a core"
    )]
    BeyondShard { index: u8, name: String, total: u32, offset: u32, shard: u32 },
    #[error("argument names tensor {name}, which does not exist")]
    NoSuchTensor { name: String },
    #[error("circular buffers end at {end} on core {core}, their room at {limit}: {over} bytes too many\n{map}")]
    L1Overflow { core: CoreCoord, index: u8, end: u64, limit: u32, over: u64, map: String },
    #[error("circular buffer {index}: total_size {total} is not a multiple of page_size {page}")]
    UnevenPages { index: u8, total: u32, page: u32 },
    #[error("circular buffer {index}: {arch} has buffers 0 to {last}")]
    NoSuchBuffer { index: u8, arch: &'static str, last: u32 },
    #[error("core {core} is outside the compute grid of {columns} x {rows} cores")]
    NoSuchCore { core: CoreCoord, columns: u32, rows: u32 },
    #[error("semaphore {id}: ids are 0 to 15")]
    NoSuchSemaphore { id: u32 },
    #[error("two kernels on {thread} of core {core}")]
    TwoKernels { core: CoreCoord, thread: Thread },
    #[error("kernel {kernel}: {count} runtime arguments, a kernel can have {MAX_ARGUMENTS} with the common ones")]
    TooManyArguments { kernel: String, count: usize },
}

/// A tensor on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorHandle(usize);

pub(crate) struct Tensor {
    pub(crate) descriptor: TensorDescriptor,
    pub(crate) home: Home,
}

/// The memory of a tensor.
pub(crate) enum Home {
    /// A region of DRAM, by index, and its address.
    Dram {
        region: usize,
        address: u32,
    },
    L1(L1Tensor),
}

/// What one launch came to.
#[derive(Debug)]
pub struct LaunchOutcome {
    /// How it ended.
    pub status: Status,
    /// Cycles from launch to the end of the last kernel.
    pub cycles: u64,
    /// What was found, not yet folded over cores.
    pub findings: Vec<Finding>,
    /// Remarks of observers that do not fail a run, not yet folded over cores.
    pub notes: Vec<Finding>,
    /// What kernels printed, by time, then core and thread.
    pub prints: Vec<Print>,
    /// What was done with circular buffers and tensors.
    pub ledger: Ledger,
}

/// Everything that a running kernel can reach.
pub(crate) struct Engine<O: Observer> {
    pub(crate) arch: Arch,
    pub(crate) cores: Vec<Core>,
    pub(crate) dram: Arc<Dram>,
    /// Set while the core runs on trial beside others.
    pub(crate) claimant: Option<Claimant>,
    pub(crate) sink: Sink,
    pub(crate) prints: Vec<Print>,
    pub(crate) stopped: bool,
    pub(crate) has_crashed: bool,
    /// The host could not give what a kernel needs to begin.
    pub(crate) host_error: Option<std::io::Error>,
    pub(crate) observer: O,
    /// What the observer has raised at the event in hand, and the notes of the launch.
    pub(crate) raised: Vec<Raised>,
    pub(crate) notes: Vec<Finding>,
    /// Turns of threads that are left, where they are limited.
    pub(crate) turns: Option<u64>,
    /// Set while a schedule other than the default is followed, or its points are counted.
    pub(crate) explorer: Option<Box<Explorer>>,
}

impl<O: Observer> Engine<O> {
    /// An engine on which nothing runs yet.
    pub(crate) fn new(arch: Arch, cores: Vec<Core>, dram: Arc<Dram>) -> Box<Engine<O>> {
        Box::new(Engine {
            arch,
            cores,
            dram,
            claimant: None,
            sink: Sink::default(),
            prints: Vec::new(),
            stopped: false,
            has_crashed: false,
            host_error: None,
            observer: O::default(),
            raised: Vec::new(),
            notes: Vec::new(),
            turns: None,
            explorer: None,
        })
    }

    /// Index of the core at logical (x, y), if the launch uses it.
    pub(crate) fn core_at(&self, x: u32, y: u32) -> Option<usize> {
        self.cores.iter().position(|c| c.coord == CoreCoord { x, y })
    }

    /// A kernel ended by a fault of its own, as by an access to the address `reached`.
    pub(crate) fn crashed(
        &mut self,
        core: usize,
        thread: Thread,
        site: tileproof_model::abi::Site,
        text: String,
        reached: Option<u64>,
    ) {
        let core = &self.cores[core];
        if let Some(cb) = reached.and_then(|address| core.unconfigured_at(address)) {
            core.no_such_buffer(&mut self.sink, thread, site, cb);
            return;
        }
        let mut finding =
            core.finding(Code::KERNEL_CRASHED, thread, site, format!("kernel on {thread} ended abnormally: {text}"));
        finding.primary_text = "last call before the end".into();
        self.sink.raise(site, finding);
        self.has_crashed = true;
    }
}

/// A chip with tensors on it, on which programs run one after the other.
pub struct Machine<O: Observer = Unobserved> {
    pub(crate) engine: Box<Engine<O>>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) threads: usize,
    launches_apart: u32,
    schedule: Option<Schedule>,
    points: u64,
    /// Tensors in L1 begin here.
    pub(crate) l1_top: u32,
}

impl<O: Observer> Machine<O> {
    /// A chip that was just set up: nothing allocated, memory undefined.
    pub fn new(arch: Arch) -> Machine<O> {
        let dram = Arc::new(Dram::new(arch.constants()));
        Machine {
            engine: Engine::new(arch, Vec::new(), dram),
            tensors: Vec::new(),
            threads: 1,
            launches_apart: 0,
            schedule: None,
            points: 0,
            l1_top: arch.constants().l1_bytes,
        }
    }

    /// Lets cores that never meet run on up to `threads` host threads; the results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Stops the launches to come when threads have had `turns` turns in all, on one host thread: for runs that only try
    /// whether something ends.
    pub fn limit_turns(&mut self, turns: u64) {
        self.threads = 1;
        self.engine.turns = Some(turns);
    }

    /// Follows a schedule from the next launch on, on one host thread. The default schedule gives the same record followed
    /// or not; followed, its points are counted.
    pub fn follow(&mut self, schedule: Schedule) {
        self.schedule = Some(schedule);
        self.points = 0;
    }

    /// Points of the launches since a schedule is followed: each call of a kernel is two, one before it and one after it.
    pub fn points(&self) -> u64 {
        self.points
    }

    /// Launches whose cores ran apart from each other; nothing else tells.
    pub fn launches_apart(&self) -> u32 {
        self.launches_apart
    }

    /// DRAM, between launches.
    pub(crate) fn dram(&mut self) -> &mut Dram {
        Arc::get_mut(&mut self.engine.dram).expect("engines of a trial end with it")
    }

    /// Allocates a tensor; its contents are undefined.
    ///
    /// # Errors
    /// If the memory is too small or of a kind that is not modelled.
    pub fn allocate(&mut self, descriptor: &TensorDescriptor) -> Result<TensorHandle, LaunchError> {
        let home = if descriptor.memory == MemoryConfig::Dram {
            let address = self
                .dram()
                .allocate(&descriptor.name, descriptor.pages(), descriptor.page_bytes())
                .ok_or_else(|| LaunchError::TensorTooLarge {
                    name: descriptor.name.clone(),
                    bytes: descriptor.bytes() as u64,
                    memory: "DRAM",
                })?;
            Home::Dram { region: self.engine.dram.regions.len() - 1, address }
        } else {
            Home::L1(self.allocate_in_l1(descriptor)?)
        };
        self.tensors.push(Tensor { descriptor: descriptor.clone(), home });
        Ok(TensorHandle(self.tensors.len() - 1))
    }

    /// Fills a tensor with the bytes of its pages, one after the other.
    ///
    /// # Panics
    /// If `pages` has another length than the tensor.
    pub fn write(&mut self, tensor: TensorHandle, pages: Vec<u8>) {
        let Tensor { descriptor, home } = &self.tensors[tensor.0];
        assert_eq!(pages.len(), descriptor.bytes(), "tensor {}", descriptor.name);
        match home {
            Home::L1(tensor) => self.write_l1_tensor(tensor, &pages),
            Home::Dram { region, .. } => {
                let region = *region;
                self.dram().fill(region, pages);
            }
        }
    }

    /// The bytes of a tensor's pages, one after the other.
    pub fn read(&self, tensor: TensorHandle) -> Cow<'_, [u8]> {
        match &self.tensors[tensor.0].home {
            Home::Dram { region, .. } => self.engine.dram.contents(*region),
            Home::L1(tensor) => Cow::Owned(self.read_l1_tensor(tensor)),
        }
    }

    /// How many pages of a tensor neither the host nor a kernel has written, and the first of them; `None` if all are.
    pub fn undefined_pages(&self, tensor: TensorHandle) -> Option<(u32, u32)> {
        match &self.tensors[tensor.0].home {
            Home::Dram { region, .. } => self.engine.dram.undefined(*region),
            Home::L1(tensor) => self.undefined_in_l1(tensor),
        }
    }

    fn tensor(&self, name: &str) -> Result<&Tensor, LaunchError> {
        let found = self.tensors.iter().find(|t| t.descriptor.name == name);
        found.ok_or_else(|| LaunchError::NoSuchTensor { name: name.to_string() })
    }

    /// The words that arguments become on this device; the address of a tensor in L1 is its offset, the same on every core.
    ///
    /// # Errors
    /// If an argument names a tensor that does not exist.
    pub fn resolve(&self, arguments: &[Argument]) -> Result<Vec<u32>, LaunchError> {
        self.resolve_in(0, arguments)
    }

    /// As [`Machine::resolve`], for a core whose L1 begins at an address: a kernel may use what lies on its own core as it is.
    fn resolve_in(&self, l1_base: u32, arguments: &[Argument]) -> Result<Vec<u32>, LaunchError> {
        let mut words = Vec::with_capacity(arguments.len());
        let arch = self.engine.arch.constants();
        for argument in arguments {
            match argument {
                Argument::Word(word) => words.push(*word),
                Argument::Address(name) => words.push(match &self.tensor(name)?.home {
                    Home::Dram { address, .. } => *address,
                    Home::L1(tensor) => l1_base + tensor.address,
                }),
                Argument::TensorAccessor(name) => words.extend(self.accessor_words(&self.tensor(name)?.descriptor)),
                Argument::Semaphore(id) => words.push(*id),
                Argument::NocX(core) => words.push(noc::core_coordinates(arch, core.x, core.y).0),
                Argument::NocY(core) => words.push(noc::core_coordinates(arch, core.x, core.y).1),
                Argument::Cb(index) => words.push(u32::from(*index)),
            }
        }
        Ok(words)
    }

    /// Runs one launch to its end. `kernels` are the loaded kernels of `launch.kernels`, in order.
    ///
    /// # Errors
    /// If the launch cannot begin; what goes wrong while it runs is a finding.
    pub fn launch(&mut self, launch: &Launch, kernels: &[SharedKernel]) -> Result<LaunchOutcome, LaunchError> {
        self.set_up(launch, kernels)?;
        self.begin_schedule();
        self.engine.observer.launch(self.engine.cores.len());
        let apart = self.run_apart(launch, kernels)?;
        self.launches_apart += u32::from(apart.is_some());
        let mut outcome = match apart {
            Some(outcome) => outcome,
            None => self.run_together()?,
        };
        if let Some(explorer) = self.engine.explorer.take() {
            self.points = explorer.points;
        }
        outcome.ledger = self.ledger();
        for core in &mut self.engine.cores {
            core.is_used |= core.harts.iter().any(Option::is_some);
        }
        Ok(outcome)
    }

    fn begin_schedule(&mut self) {
        let Some(schedule) = &self.schedule else { return };
        let explorer = Box::new(Explorer::new(schedule, &self.engine.cores, self.points));
        for core in &mut self.engine.cores {
            for thread in Thread::ALL {
                let Some(hart) = &mut core.harts[thread as usize] else { continue };
                for (noc, transfers) in hart.transfers.iter_mut().enumerate() {
                    transfers.latencies = explorer.latency_seed(core.coord, thread, noc);
                }
            }
        }
        self.engine.explorer = Some(explorer);
    }

    /// Runs all cores on this host thread.
    fn run_together(&mut self) -> Result<LaunchOutcome, LaunchError> {
        let status = self.engine.run();
        self.engine.end_kernels();
        if let Some(error) = self.engine.host_error.take() {
            return Err(error.into());
        }
        let mut outcome = self.engine.outcome(status);
        let (findings, notes) = self.engine.observe_end(status);
        outcome.findings.extend(findings);
        outcome.notes.extend(notes);
        outcome.prints.sort_by_key(|p| (p.cycle, p.place.core, p.place.thread));
        Ok(outcome)
    }

    /// Runs each core on a host thread of its own, if that is allowed and the cores do not meet.
    fn run_apart(&mut self, launch: &Launch, kernels: &[SharedKernel]) -> Result<Option<LaunchOutcome>, LaunchError> {
        // Semaphores are there for cores to meet.
        if self.threads == 1 || !launch.semaphores.is_empty() || self.schedule.is_some() {
            return Ok(None);
        }
        let outcome = self.trial();
        if outcome.is_none() {
            self.set_up(launch, kernels)?;
        }
        Ok(outcome)
    }

    /// Prepares cores, circular buffers, semaphores and threads.
    fn set_up(&mut self, launch: &Launch, kernels: &[SharedKernel]) -> Result<(), LaunchError> {
        let arch = self.engine.arch.constants();
        for region in &self.engine.dram.regions {
            region.forget();
        }
        let mut coords: Vec<CoreCoord> =
            launch.kernels.iter().flat_map(|k| &k.core_ranges).flat_map(|r| r.cores()).collect();
        coords.sort();
        coords.dedup();
        for coord in &coords {
            self.core(*coord)?;
        }
        self.engine.cores.sort_by_key(|c| c.coord);
        for core in &mut self.engine.cores {
            core.harts = [const { None }; 5];
            core.arrivals.clear();
            core.reached_at = 0;
            core.semaphores = 0;
            core.signals.clear();
            core.cbs = (0..arch.circular_buffers).map(|_| None).collect();
            core.tensix.reset();
            core.mailboxes = Mailboxes::default();
        }
        self.allocate_cbs(&launch.cbs)?;
        for semaphore in &launch.semaphores {
            if semaphore.id >= SEMAPHORES {
                return Err(LaunchError::NoSuchSemaphore { id: semaphore.id });
            }
            for core in &mut self.engine.cores {
                if semaphore.core_ranges.iter().any(|r| r.contains(core.coord)) {
                    core.semaphores |= 1 << semaphore.id;
                    let offset = core.semaphore_base + 16 * semaphore.id;
                    core.l1.write_word(offset, semaphore.initial_value);
                    core.signals.begins(offset, semaphore.initial_value);
                }
            }
        }
        for (descriptor, kernel) in launch.kernels.iter().zip(kernels) {
            let compile_time = self.resolve(&descriptor.compile_time_args)?;
            for index in 0..self.engine.cores.len() {
                let coord = self.engine.cores[index].coord;
                if !descriptor.core_ranges.iter().any(|r| r.contains(coord)) {
                    continue;
                }
                let base = self.engine.cores[index].l1.base();
                let common = self.resolve_in(base, &descriptor.common_runtime_args)?;
                let runtime = match descriptor.runtime_args.get(&coord) {
                    Some(arguments) => self.resolve_in(base, arguments)?,
                    None => Vec::new(),
                };
                if let KernelConfig::Compute(config) = &descriptor.config {
                    self.engine.cores[index].config = config.clone();
                }
                for thread in descriptor.config.threads() {
                    let arguments = [compile_time.clone(), runtime.clone(), common.clone()];
                    self.start(index, *thread, kernel.clone(), arguments)?;
                }
            }
        }
        Ok(())
    }

    /// The core at `coord`, made if it is not there yet.
    pub(crate) fn core(&mut self, coord: CoreCoord) -> Result<(), LaunchError> {
        let arch = self.engine.arch.constants();
        let (columns, rows) = arch.grid;
        if coord.x >= columns || coord.y >= rows {
            return Err(LaunchError::NoSuchCore { core: coord, columns, rows });
        }
        if self.engine.core_at(coord.x, coord.y).is_some() {
            return Ok(());
        }
        let l1 = L1Window::new(arch.l1_bytes)?;
        self.engine.cores.push(Core {
            arch: self.engine.arch,
            coord,
            l1,
            cbs: Vec::new(),
            harts: [const { None }; 5],
            tensix: Tensix::default(),
            mailboxes: Mailboxes::default(),
            config: ComputeConfig::default(),
            semaphore_base: arch.kernel_config_base,
            semaphores: 0,
            arrivals: BTreeMap::new(),
            reached_at: 0,
            signals: Signals::default(),
            free: None,
            is_used: false,
            outputs: BTreeMap::new(),
        });
        Ok(())
    }

    /// Where the memory of a circular buffer lies that a tensor backs; `None` for one with memory of its own.
    fn backing(&self, cb: &CbDescriptor) -> Result<Option<u32>, LaunchError> {
        let Some((name, offset)) = &cb.tensor else { return Ok(None) };
        let index = cb.format_descriptors.first().map_or(0, |f| f.buffer_index);
        let Tensor { descriptor, home } = self.tensor(name)?;
        let (MemoryConfig::Sharded(sharding), Home::L1(tensor)) = (&descriptor.memory, home) else {
            return Err(LaunchError::NotBacked { index, name: name.clone() });
        };
        if cb.core_ranges.iter().flat_map(|r| r.cores()).any(|core| !sharding.cores.contains(&core)) {
            return Err(LaunchError::NotBacked { index, name: name.clone() });
        }
        let shard = tensor.bytes_on_a_core;
        if u64::from(*offset) + u64::from(cb.total_size) > u64::from(shard) {
            let (total, offset) = (cb.total_size, *offset);
            return Err(LaunchError::BeyondShard { index, name: name.clone(), total, offset, shard });
        }
        Ok(Some(tensor.address + offset))
    }

    /// Allocates circular buffers in the order of their descriptors, in lock-step over the cores that share one.
    fn allocate_cbs(&mut self, descriptors: &[CbDescriptor]) -> Result<(), LaunchError> {
        let arch = self.engine.arch.constants();
        let mut tops = vec![u64::from(arch.l1_unreserved_base); self.engine.cores.len()];
        for descriptor in descriptors {
            let on = |core: &Core| descriptor.core_ranges.iter().any(|r| r.contains(core.coord));
            let backed = self.backing(descriptor)?;
            let tops_here = self.engine.cores.iter().zip(&tops).filter(|(c, _)| on(c)).map(|(_, top)| *top);
            let Some(top) = tops_here.max() else { continue };
            let base = backed.map_or(top, u64::from);
            let end = (base + u64::from(descriptor.total_size)).next_multiple_of(u64::from(arch.l1_alignment));
            let limit = self.l1_top;
            for (core, top) in self.engine.cores.iter_mut().zip(&mut tops).filter(|(c, _)| on(c)) {
                if backed.is_none() {
                    if end > u64::from(limit) {
                        let in_l1 = self.tensors.iter().filter_map(|tensor| match &tensor.home {
                            Home::L1(home) => Some((tensor.descriptor.name.as_str(), home)),
                            Home::Dram { .. } => None,
                        });
                        return Err(l1_overflow(core.coord, descriptors, arch, limit, in_l1));
                    }
                    *top = end;
                    if core.is_used {
                        core.l1.fill(base as u32, descriptor.total_size, POISON);
                    } else {
                        core.l1.prepare(base as u32, descriptor.total_size);
                    }
                }
                for format in &descriptor.format_descriptors {
                    let index = format.buffer_index;
                    if u32::from(index) >= arch.circular_buffers {
                        let last = arch.circular_buffers - 1;
                        return Err(LaunchError::NoSuchBuffer { index, arch: self.engine.arch.name(), last });
                    }
                    if format.page_size == 0 || descriptor.total_size % format.page_size != 0 {
                        let (total, page) = (descriptor.total_size, format.page_size);
                        return Err(LaunchError::UnevenPages { index, total, page });
                    }
                    let (size, page) = (descriptor.total_size, format.page_size);
                    let mut buffer = CircularBuffer::new(base as u32, size, page, format.data_format);
                    buffer.is_backed = backed.is_some();
                    core.cbs[usize::from(index)] = Some(buffer);
                }
            }
        }
        if O::ACTIVE {
            self.note_free_l1();
        }
        Ok(())
    }

    /// Notes where free L1 begins on each core.
    fn note_free_l1(&mut self) {
        let top = self.l1_top;
        for core in &mut self.engine.cores {
            let ends = core.cbs.iter().enumerate().filter_map(|(cb, buffer)| {
                let buffer = buffer.as_ref()?;
                // Those that a tensor backs lie above.
                (buffer.base < top).then_some((buffer.base + buffer.size, cb as u32))
            });
            core.free = ends.max().map(|(start, cb)| FreeL1 { start, end: top, cb });
        }
    }

    /// The observer, between launches.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.engine.observer
    }

    /// Puts a kernel on a thread, ready to run.
    fn start(
        &mut self,
        index: usize,
        thread: Thread,
        kernel: SharedKernel,
        arguments: [Vec<u32>; 3],
    ) -> Result<(), LaunchError> {
        let core = &mut self.engine.cores[index];
        if core.harts[thread as usize].is_some() {
            return Err(LaunchError::TwoKernels { core: core.coord, thread });
        }
        let [_, runtime, common] = &arguments;
        if runtime.len() + common.len() > MAX_ARGUMENTS {
            let count = runtime.len() + common.len();
            return Err(LaunchError::TooManyArguments { kernel: kernel.name().to_string(), count });
        }
        let argument_counts = [runtime.len() as u32, common.len() as u32];
        for (words, is_common) in [(runtime, false), (common, true)] {
            for (index, word) in words.iter().enumerate() {
                core.l1.write_word(core.argument_offset(thread, is_common) + 4 * index as u32, *word);
            }
        }
        let base = core.l1.base();
        let nowhere = |cb: usize| base + crate::buffer::nowhere(cb as u32);
        let interfaces = core.cbs.iter().enumerate().map(|(index, cb)| match cb {
            None => CbInterface { fifo_rd_ptr: nowhere(index), fifo_wr_ptr: nowhere(index), ..CbInterface::default() },
            Some(cb) => CbInterface {
                fifo_size: cb.size,
                fifo_limit: base + cb.base + cb.size,
                fifo_page_size: cb.page_size,
                fifo_num_pages: cb.num_pages,
                fifo_rd_ptr: base + cb.base,
                fifo_wr_ptr: base + cb.base,
                fifo_wr_tile_ptr: 0,
                data_format: cb.format as u32,
            },
        });
        let cbs = interfaces.collect();
        core.harts[thread as usize] = Some(Hart {
            kernel,
            arguments: Some(arguments),
            fiber: None,
            suspender: std::ptr::null(),
            state: State::Ready,
            clock: 0,
            site: Default::default(),
            cbs,
            argument_counts,
            transfers: [Transfers::default(); 2],
            looks: 0,
            looked_at: None,
        });
        Ok(())
    }
}

/// The circular buffers of a core, one a line, when they do not fit.
fn l1_overflow<'a>(
    core: CoreCoord,
    descriptors: &[CbDescriptor],
    arch: &Chip,
    limit: u32,
    tensors: impl Iterator<Item = (&'a str, &'a L1Tensor)>,
) -> LaunchError {
    let (end_of_room, limit) =
        (if limit < arch.l1_bytes { "the tensors in L1" } else { "the end of L1" }, u64::from(limit));
    let mut top = u64::from(arch.l1_unreserved_base);
    let mut lines = vec![format!("{:>10}  {:>9}  {:<12} pages", "address", "bytes", "buffer")];
    for descriptor in
        descriptors.iter().filter(|d| d.tensor.is_none() && d.core_ranges.iter().any(|r| r.contains(core)))
    {
        let end = top + u64::from(descriptor.total_size);
        let names: Vec<String> = descriptor.format_descriptors.iter().map(|f| cb_name(f.buffer_index)).collect();
        let pages = descriptor.format_descriptors.first().map_or_else(String::new, |f| {
            let count = descriptor.total_size / f.page_size.max(1);
            format!("{count} x {} bytes, {:?}", f.page_size, f.data_format)
        });
        let beyond = match end.checked_sub(limit) {
            None | Some(0) => String::new(),
            Some(_) if top >= limit => format!("  <- beyond {end_of_room}"),
            Some(_) => format!("  <- runs into {end_of_room}"),
        };
        lines.push(format!("{top:>10}  {:>9}  {:<12} {pages}{beyond}", descriptor.total_size, names.join(", ")));
        top = end.next_multiple_of(u64::from(arch.l1_alignment));
    }
    let (end, over) = (top, top - limit);
    // Tensors are allocated from the top down: the last one lies lowest.
    let mut tensors: Vec<(&str, &L1Tensor)> = tensors.collect();
    tensors.reverse();
    for (name, tensor) in tensors {
        lines.push(format!("{:>10}  {:>9}  tensor {name}", tensor.address, tensor.bytes_on_a_core));
    }
    // The buffer that could give the most.
    let own = descriptors.iter().filter(|d| d.tensor.is_none() && d.core_ranges.iter().any(|r| r.contains(core)));
    let largest = own.max_by_key(|d| d.total_size);
    let index = largest.and_then(|d| d.format_descriptors.first()).map_or(0, |f| f.buffer_index);
    if let Some((descriptor, format)) = largest.and_then(|d| Some((d, d.format_descriptors.first()?))) {
        let fewer = over.div_ceil(u64::from(format.page_size.max(1)));
        if fewer * u64::from(format.page_size) < u64::from(descriptor.total_size) {
            lines.push(format!("they fit if {} has {fewer} pages fewer", cb_name(index)));
        }
    }
    let room = limit - u64::from(arch.l1_unreserved_base);
    lines.push(format!("{room} bytes can be used, from {} to {limit}", arch.l1_unreserved_base));
    LaunchError::L1Overflow { core, index, end, limit: limit as u32, over, map: lines.join("\n") }
}
