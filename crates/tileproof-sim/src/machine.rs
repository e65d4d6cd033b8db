//! The machine as its users see it: allocate tensors, launch kernels, read results.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use tileproof_model::arch::Arch;
use tileproof_model::event::NocPlace;
use tileproof_model::kernel::SharedKernel;
use tileproof_model::layout::{DramLayout, MemoryLayout};
use tileproof_model::mutant::{Mutant, Spot};
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{Launch, TensorDescriptor};
use tileproof_model::schedule::Schedule;
use tileproof_model::thread::Thread;

use crate::black_box;
use crate::dram::{Dram, Region};
use crate::engine::{Engine, LaunchOutcome};
use crate::l1;
use crate::l1_tensor::L1Tensor;
use crate::launch_error::LaunchError;
use crate::mutation::Mutation;
use crate::noc::pending::Deliveries;
use crate::order::Order;
use crate::standby::Standby;
use crate::trap;

/// A tensor on the device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TensorHandle(pub(crate) usize);

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

impl Home {
    fn in_l1(&self) -> Option<&L1Tensor> {
        match self {
            Home::Dram { .. } => None,
            Home::L1(tensor) => Some(tensor),
        }
    }
}

/// A chip with tensors on it, on which programs run one after the other.
pub struct Machine<O: Observer = Unobserved> {
    pub(crate) engine: Box<Engine<O>>,
    pub(crate) tensors: Vec<Tensor>,
    /// The number of each, by its name: of several of one name, the first.
    pub(crate) names: BTreeMap<String, usize>,
    /// What observers are told of those in DRAM.
    in_dram: Arc<[DramLayout]>,
    /// Ledgers speak of tensors alone that their launch has touched.
    pub(crate) has_short_ledgers: bool,
    pub(crate) threads: usize,
    /// Launches may be tried with their cores apart.
    may_run_apart: bool,
    launches_apart: u32,
    schedule: Option<Schedule>,
    points: u64,
    /// Tensors in L1 begin here.
    pub(crate) l1_top: u32,
    /// Host threads that are there already.
    pub(crate) standby: Option<Standby>,
}

impl<O: Observer> Drop for Machine<O> {
    fn drop(&mut self) {
        // The last first: windows of L1 that were given back last are taken first, and those of the first cores fit the next machine's best.
        while self.engine.cores.pop().is_some() {}
    }
}

/// What launches have left in a machine, as far as its users look at it: DRAM itself is shared with whoever ran them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Left {
    /// Which pages hold something, a bit each, by buffer in DRAM.
    pub defined: Vec<Vec<u64>>,
    /// The bytes of the tensors in L1, in their order.
    pub in_l1: Vec<Vec<u8>>,
    /// Points that have passed.
    pub points: u64,
    /// Launches whose cores ran apart.
    pub launches_apart: u32,
    /// What the observer has to say.
    pub observed: Vec<u64>,
}

impl<O: Observer> Machine<O> {
    /// A chip that was just set up: nothing allocated, memory undefined.
    pub fn new(arch: Arch) -> Machine<O> {
        let dram = Arc::new(Dram::new(arch.constants()));
        Machine {
            engine: Engine::new(arch, Vec::new(), dram),
            tensors: Vec::new(),
            names: BTreeMap::new(),
            in_dram: Arc::default(),
            has_short_ledgers: false,
            threads: 1,
            may_run_apart: true,
            launches_apart: 0,
            schedule: None,
            points: 0,
            l1_top: arch.constants().l1_bytes,
            standby: None,
        }
    }

    /// Fills undefined memory with another byte than all others do: before anything is allocated. What a program gives must not
    /// depend on it. Cores run together: memory that is taken back after a trial would hold the usual byte.
    pub fn fill_undefined_with(&mut self, byte: u8) {
        self.may_run_apart = false;
        self.dram().poison_with(byte);
    }

    /// Has DRAM lie in memory that processes to come share.
    ///
    /// # Errors
    /// If the host has none.
    pub fn share_memory(&mut self) -> std::io::Result<()> {
        self.dram().share()
    }

    /// Makes ready all that launches need of the host and that a box would refuse them: call it in the process that runs them,
    /// before it is boxed in.
    ///
    /// # Errors
    /// If the host refuses it.
    pub fn prepare_for_box(&mut self) -> std::io::Result<()> {
        trap::install_all();
        l1::prepare()?;
        if self.threads > 1 && self.may_run_apart {
            self.standby = Some(Standby::start((self.threads - 1).min(crate::black_box::SLOTS - 1))?);
        }
        Ok(())
    }

    /// What the launches have left, for [`Machine::take_over`] in another process.
    pub fn left(&self) -> Left {
        let in_l1 = |tensor: &Tensor| Some(tensor.home.in_l1()?.read(&self.engine.cores));
        Left {
            defined: self.engine.dram.regions.iter().map(|region| region.defined.words()).collect(),
            in_l1: self.tensors.iter().filter_map(in_l1).collect(),
            points: self.points,
            launches_apart: self.launches_apart,
            observed: self.engine.observer.left(),
        }
    }

    /// Takes over what launches have left that ran in another process on the same DRAM. False if it cannot be this machine's.
    #[must_use]
    pub fn take_over(&mut self, left: &Left) -> bool {
        let in_l1: Vec<&L1Tensor> = self.tensors.iter().filter_map(|t| t.home.in_l1()).collect();
        let fits = in_l1.len() == left.in_l1.len()
            && in_l1.iter().zip(&left.in_l1).all(|(tensor, bytes)| tensor.bytes() == bytes.len());
        if !fits || !self.engine.dram.has_pages(&left.defined) || !self.engine.observer.take_over(&left.observed) {
            return false;
        }
        for (tensor, bytes) in in_l1.iter().zip(&left.in_l1) {
            tensor.write(&self.engine.cores, bytes);
        }
        self.points = left.points;
        self.launches_apart = left.launches_apart;
        self.dram().define(&left.defined);
        true
    }

    /// Sets launches up that ran in another process, and runs none: the error that the other met.
    ///
    /// # Errors
    /// That one.
    pub fn try_set_up(&mut self, launch: &Launch, kernels: &[SharedKernel]) -> Result<(), LaunchError> {
        self.set_up(launch, kernels)
    }

    /// Lets cores run on up to `threads` host threads: where somebody observes, those that never meet; the results do not depend on it.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Stops the launches to come when threads have had `turns` turns in all, their cores together: for runs that only try
    /// whether something ends.
    pub fn limit_turns(&mut self, turns: u64) {
        self.may_run_apart = false;
        self.engine.turns = Some(turns);
    }

    /// Has ledgers speak of tensors alone that their launch has touched: for programs with many of both.
    pub fn shorten_ledgers(&mut self) {
        self.has_short_ledgers = true;
    }

    /// Follows a schedule from the next launch on, on one host thread. The default schedule gives the same record followed
    /// or not; followed, its points are counted.
    pub fn follow(&mut self, schedule: Schedule) {
        self.schedule = Some(schedule);
        self.points = 0;
    }

    /// Has the launches to come run with one thing wrong, or, without a mutant, counts the calls that one could befall. Their cores
    /// run together, and only where nobody observes.
    pub fn mutate(&mut self, mutant: Option<Mutant>) {
        self.may_run_apart = false;
        self.engine.mutation = Some(Box::new(Mutation::new(mutant)));
    }

    /// Has the launches to come make sums of tiles in up to `most` tiles of Dst, from 2 on, which are added up at their end. Their cores
    /// run together, and only where nobody observes.
    pub fn sum_in_parts(&mut self, most: usize) {
        self.may_run_apart = false;
        self.engine.mutation = Some(Box::new(Mutation::in_parts(most.max(2))));
    }

    /// Has the launches to come bring a constant, all over a tile but where it is 0, to SrcA and SrcB as another number, as near as
    /// they hold it. Their cores run together, and only where nobody observes.
    pub fn replace_constant(&mut self, held: f32, other: f32) {
        self.may_run_apart = false;
        // To the nearest of TF32, which is what a register holds of a number (ISA documentation, `TensixTile/TensixCoprocessor/SrcASrcB.md`).
        let other = other.to_bits().saturating_add(0x1000) & 0xffff_e000;
        let constant = [held.to_bits(), other];
        self.engine.mutation = Some(Box::new(Mutation::of_constant(constant)));
    }

    /// The calls of the launches since [`Machine::mutate`] that a change could befall.
    pub fn spots(&self) -> &[Spot] {
        self.engine.mutation.as_ref().map_or(&[], |mutation| mutation.spots())
    }

    /// Points of the launches since a schedule is followed: each call of a kernel is at least two, one before it and one after it.
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

    /// Fills a tensor with the bytes of its pages, one after the other.
    ///
    /// # Panics
    /// If `pages` has another length than the tensor.
    pub fn write(&mut self, tensor: TensorHandle, pages: Vec<u8>) {
        let Tensor { descriptor, home } = &self.tensors[tensor.0];
        assert_eq!(pages.len(), descriptor.bytes(), "tensor {}", descriptor.name);
        match home {
            Home::L1(tensor) => tensor.write(&self.engine.cores, &pages),
            Home::Dram { region, .. } => {
                let region = *region;
                self.dram().fill(region, pages);
            }
        }
    }

    /// Fills part of a tensor in DRAM, from a byte of its pages on. The tensor counts as filled from the first part on.
    ///
    /// # Panics
    /// If the tensor is not in DRAM, or has not so many bytes.
    pub fn write_part(&mut self, tensor: TensorHandle, at: usize, bytes: &[u8]) {
        let Home::Dram { region, .. } = self.tensors[tensor.0].home else { panic!("a tensor in DRAM") };
        self.dram().fill_part(region, at, bytes);
    }

    /// The bytes of a tensor's pages, one after the other.
    pub fn read(&self, tensor: TensorHandle) -> Cow<'_, [u8]> {
        match &self.tensors[tensor.0].home {
            Home::Dram { region, .. } => self.engine.dram.contents(*region),
            Home::L1(tensor) => Cow::Owned(tensor.read(&self.engine.cores)),
        }
    }

    /// Which pages of a tensor in DRAM hold something, a bit each. `None` for one in L1, where a page of poison holds nothing.
    pub fn defined(&self, tensor: TensorHandle) -> Option<Vec<u64>> {
        match &self.tensors[tensor.0].home {
            Home::Dram { region, .. } => Some(self.engine.dram.defined(*region)),
            Home::L1(_) => None,
        }
    }

    /// Says which pages of a tensor in DRAM hold something; of one in L1 its bytes say it.
    pub fn define(&mut self, tensor: TensorHandle, pages: &[u64]) {
        if let Home::Dram { region, .. } = self.tensors[tensor.0].home {
            self.dram().define_buffer(region, pages);
        }
    }

    /// Where each page of a tensor lies; a core by its number among those of the next launch.
    pub fn pages(&self, tensor: TensorHandle) -> Vec<NocPlace> {
        let Tensor { descriptor, home } = &self.tensors[tensor.0];
        match home {
            Home::L1(tensor) => {
                let core = |coord| self.engine.cores.iter().position(|core| core.coord == coord);
                let place = |(coord, offset): &(_, u32)| {
                    core(*coord).map_or(NocPlace::Nowhere, |core| NocPlace::L1(core, *offset))
                };
                tensor.pages.iter().map(place).collect()
            }
            Home::Dram { address, .. } => {
                let arch = self.engine.arch.constants();
                let stride = descriptor.page_bytes().next_multiple_of(arch.dram_alignment);
                let place = |page: u32| NocPlace::Dram {
                    bank: page % arch.dram_banks,
                    address: address + page / arch.dram_banks * stride,
                };
                (0..descriptor.pages()).map(place).collect()
            }
        }
    }

    /// How many pages of a tensor neither the host nor a kernel has written, and the first of them; `None` if all are.
    pub fn undefined_pages(&self, tensor: TensorHandle) -> Option<(u32, u32)> {
        match &self.tensors[tensor.0].home {
            Home::Dram { region, .. } => self.engine.dram.undefined(*region),
            Home::L1(tensor) => tensor.undefined(&self.engine.cores),
        }
    }

    /// Runs one launch to its end. `kernels` are the loaded kernels of `launch.kernels`, in order.
    ///
    /// # Errors
    /// If the launch cannot begin; what goes wrong while it runs is a finding.
    pub fn launch(&mut self, launch: &Launch, kernels: &[SharedKernel]) -> Result<LaunchOutcome, LaunchError> {
        self.set_up(launch, kernels)?;
        self.begin_schedule();
        if let Some(mutation) = &mut self.engine.mutation {
            mutation.begin_launch();
        }
        let layout = self.layout();
        self.engine.show_launch(&layout);
        let apart = self.run_apart(launch, kernels, &layout)?;
        self.launches_apart += u32::from(apart.is_some());
        let mut outcome = match apart {
            Some(outcome) => outcome,
            None => self.run_together()?,
        };
        if let Some(points) = std::mem::take(&mut self.engine.order).points() {
            self.points = points;
        }
        outcome.ledger = self.ledger();
        for core in &mut self.engine.cores {
            core.is_used |= core.has_kernels();
        }
        Ok(outcome)
    }

    /// What lies where, for observers that are active.
    fn layout(&mut self) -> MemoryLayout {
        if !O::ACTIVE {
            return MemoryLayout::default();
        }
        let tensors = || {
            self.tensors.iter().filter_map(|Tensor { descriptor, home }| match home {
                Home::L1(tensor) => Some((descriptor.name.as_str(), tensor)),
                Home::Dram { .. } => None,
            })
        };
        let cores = self.engine.cores.iter().map(|core| core.layout(tensors())).collect();
        let Dram { regions, .. } = &*self.engine.dram;
        if self.in_dram.len() != regions.len() {
            self.in_dram = regions.iter().map(Region::layout).collect();
        }
        MemoryLayout {
            arch: self.engine.arch,
            cores,
            banks: self.engine.arch.constants().dram_banks,
            dram: self.in_dram.clone(),
        }
    }

    /// Who goes next in the launch to come, and when its transfers land.
    fn begin_schedule(&mut self) {
        (self.engine.order, self.engine.deliveries) = (Order::default(), Deliveries::default());
        let Some(schedule) = &self.schedule else { return };
        let deliveries = Deliveries::of(schedule, self.engine.arch.constants());
        for core in &mut self.engine.cores {
            for thread in Thread::ALL {
                let Some(hart) = &mut core.harts[thread as usize] else { continue };
                for (noc, transfers) in hart.transfers.iter_mut().enumerate() {
                    transfers.latencies = deliveries.latency_seed(core.coord, thread, noc);
                }
            }
        }
        self.engine.order = Order::of(schedule, &self.engine.cores, self.points);
        self.engine.deliveries = deliveries;
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

    /// Runs each core by itself, if that is allowed: those of a launch with semaphores meet, in epochs, where nobody observes.
    fn run_apart(
        &mut self,
        launch: &Launch,
        kernels: &[SharedKernel],
        layout: &MemoryLayout,
    ) -> Result<Option<LaunchOutcome>, LaunchError> {
        // Semaphores are there for cores to meet; on one host thread those that do not may as well run together.
        let meet = !launch.semaphores.is_empty();
        let is_worth_it = if meet { !O::ACTIVE } else { self.threads > 1 };
        if !is_worth_it || !self.may_run_apart || self.schedule.is_some() {
            return Ok(None);
        }
        let before = black_box::kept();
        let outcome = self.trial(layout, meet);
        if outcome.is_none() {
            black_box::forget_from(before);
            self.set_up(launch, kernels)?;
        }
        Ok(outcome)
    }

    /// The observer, between launches.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.engine.observer
    }
}
