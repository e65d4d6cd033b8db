//! Tensors get their memory: in DRAM, or from the top of L1 downward.

use tileproof_model::observe::Observer;
use tileproof_model::program::{MemoryConfig, TensorDescriptor};
use tileproof_model::thread::CoreCoord;

use crate::dram::POISON;
use crate::l1_tensor::{L1Tensor, core_of_bank};
use crate::launch_error::LaunchError;
use crate::machine::{Home, Machine, Tensor, TensorHandle};

impl<O: Observer> Machine<O> {
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

    /// Allocates a tensor in L1; its contents are undefined.
    fn allocate_in_l1(&mut self, descriptor: &TensorDescriptor) -> Result<L1Tensor, LaunchError> {
        let arch = self.engine.arch.constants();
        let page = descriptor.page_bytes();
        let aligned = page.next_multiple_of(arch.l1_alignment);
        let count = descriptor.pages();
        // Core of each page and pages before it there; and pages that every core has room for, whole shards of them.
        let (places, on_a_core): (Vec<(CoreCoord, u32)>, u32) = match (&descriptor.memory, descriptor.page_grid()) {
            (MemoryConfig::Sharded(sharding), Some(grid)) => {
                let cores = sharding.cores.len() as u32;
                let volume = grid.shard[0] * grid.shard[1];
                let place = |page| {
                    let (shard, within) = grid.shard_of(page);
                    (sharding.cores[(shard % cores) as usize], shard / cores * volume + within)
                };
                ((0..count).map(place).collect(), grid.shards().div_ceil(cores) * volume)
            }
            _ => {
                let banks = arch.grid.0 * arch.grid.1;
                let place = |page| (core_of_bank(arch, page % banks), page / banks);
                ((0..count).map(place).collect(), count.div_ceil(banks))
            }
        };
        let bytes = u64::from(on_a_core) * u64::from(aligned);
        let free = self.l1_top - arch.l1_unreserved_base;
        let Some(bytes) = u32::try_from(bytes).ok().filter(|bytes| *bytes <= free) else {
            return Err(LaunchError::TensorTooLarge {
                name: descriptor.name.clone(),
                bytes,
                memory: "what is left of a core's L1",
            });
        };
        self.l1_top = (self.l1_top - bytes) & !(arch.dram_alignment - 1);
        let address = self.l1_top;
        for (core, _) in &places {
            self.core(*core)?;
        }
        self.engine.cores.sort_by_key(|core| core.coord);
        for core in &mut self.engine.cores {
            if core.is_used {
                core.l1.fill(address, bytes, POISON);
            }
            core.is_used = true;
        }
        let pages: Vec<_> = places.into_iter().map(|(core, before)| (core, address + before * aligned)).collect();
        if descriptor.output {
            for (coord, offset) in &pages {
                let core = self.engine.core_at(coord.x, coord.y).expect("cores of a tensor stay");
                self.engine.cores[core].outputs.insert(*offset, offset + page);
            }
        }
        Ok(L1Tensor { address, bytes_on_a_core: bytes, page_bytes: page, pages })
    }
}
