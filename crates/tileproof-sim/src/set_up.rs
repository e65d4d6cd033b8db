//! The set-up of a launch: cores, semaphores, kernels and their arguments. `cb_memory.rs` has circular buffers.

use tileproof_model::kernel::SharedKernel;
use tileproof_model::observe::Observer;
use tileproof_model::program::{Argument, KernelConfig, KernelDescriptor, Launch};
use tileproof_model::thread::{CoreCoord, Thread};

use crate::core::{Core, MAX_ARGUMENTS, SEMAPHORES};
use crate::hart::{Hart, State};
use crate::l1_tensor::accessor_words;
use crate::launch_error::LaunchError;
use crate::looked_for::LookedFor;
use crate::machine::{Home, Machine, Tensor};
use crate::noc::address;
use crate::noc::outstanding::Transfers;

impl<O: Observer> Machine<O> {
    /// Prepares cores, circular buffers, semaphores and threads.
    pub(crate) fn set_up(&mut self, launch: &Launch, kernels: &[SharedKernel]) -> Result<(), LaunchError> {
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
            core.begin_launch();
        }
        self.allocate_cbs(&launch.cbs)?;
        self.set_semaphores(launch)?;
        for (descriptor, kernel) in launch.kernels.iter().zip(kernels) {
            self.set_kernel(descriptor, kernel)?;
        }
        Ok(())
    }

    fn set_semaphores(&mut self, launch: &Launch) -> Result<(), LaunchError> {
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
        Ok(())
    }

    /// Puts a kernel on the threads of its cores.
    fn set_kernel(&mut self, descriptor: &KernelDescriptor, kernel: &SharedKernel) -> Result<(), LaunchError> {
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
        Ok(())
    }

    /// The core at `coord`, made if it is not there yet.
    pub(crate) fn core(&mut self, coord: CoreCoord) -> Result<(), LaunchError> {
        let (columns, rows) = self.engine.arch.constants().grid;
        if coord.x >= columns || coord.y >= rows {
            return Err(LaunchError::NoSuchCore { core: coord, columns, rows });
        }
        if self.engine.core_at(coord.x, coord.y).is_none() {
            self.engine.cores.push(Core::new(self.engine.arch, coord, self.engine.dram.poison())?);
        }
        Ok(())
    }

    pub(crate) fn tensor(&self, name: &str) -> Result<&Tensor, LaunchError> {
        let found = self.names.get(name).map(|number| &self.tensors[*number]);
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
                Argument::L1(offset) => words.push(l1_base + offset),
                Argument::TensorAccessor(name) => {
                    words.extend(accessor_words(arch, &self.tensor(name)?.descriptor));
                }
                Argument::Semaphore(id) => words.push(*id),
                Argument::NocX(core) => words.push(address::core_coordinates(arch, core.x, core.y).0),
                Argument::NocY(core) => words.push(address::core_coordinates(arch, core.x, core.y).1),
                Argument::Cb(index) => words.push(u32::from(*index)),
            }
        }
        Ok(words)
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
            if !words.is_empty() {
                core.l1.prepare(core.argument_offset(thread, is_common), 4 * words.len() as u32);
            }
            for (index, word) in words.iter().enumerate() {
                core.l1.write_word(core.argument_offset(thread, is_common) + 4 * index as u32, *word);
            }
        }
        let cbs = core.interfaces(thread);
        core.harts[thread as usize] = Some(Hart {
            kernel,
            arguments: Some(arguments),
            fiber: None,
            suspender: std::ptr::null(),
            state: State::Ready,
            clock: 0,
            cycles: core.arch.constants().cycles,
            went_on: 0,
            site: Default::default(),
            cbs,
            argument_counts,
            stood: Default::default(),
            transfers: [Transfers::default(); 2],
            looks: 0,
            looked_for: LookedFor::default(),
        });
        Ok(())
    }
}
