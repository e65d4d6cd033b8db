//! Tensors get their memory: in DRAM, or from the top of L1 downward.

use tileproof_model::arch::{Arch, Chip};
use tileproof_model::observe::Observer;
use tileproof_model::program::{MemoryConfig, TensorDescriptor};
use tileproof_model::thread::CoreCoord;

use crate::l1_tensor::{L1Tensor, core_of_bank};
use crate::launch_error::LaunchError;
use crate::machine::{Home, Machine, Tensor, TensorHandle};

/// Bytes that a tensor takes of every bank of its memory: of DRAM, or of the L1 of a core.
pub fn bytes_of_a_bank(arch: Arch, descriptor: &TensorDescriptor) -> u64 {
    let arch = arch.constants();
    let page = u64::from(descriptor.page_bytes());
    if descriptor.memory == MemoryConfig::Dram {
        let rows = u64::from(descriptor.pages().div_ceil(arch.dram_banks));
        return rows * page.next_multiple_of(u64::from(arch.dram_alignment));
    }
    u64::from(pages_on_a_core(arch, descriptor)) * page.next_multiple_of(u64::from(arch.l1_alignment))
}

/// Pages that every core has room for, whole shards of them.
fn pages_on_a_core(arch: &Chip, descriptor: &TensorDescriptor) -> u32 {
    match (&descriptor.memory, descriptor.page_grid()) {
        (MemoryConfig::Sharded(sharding), Some(grid)) => {
            grid.shards().div_ceil(sharding.cores.len() as u32) * grid.shard[0] * grid.shard[1]
        }
        _ => descriptor.pages().div_ceil(arch.grid.0 * arch.grid.1),
    }
}

/// Core of each page, and pages before it there.
fn places_in_l1(arch: &Chip, descriptor: &TensorDescriptor) -> Vec<(CoreCoord, u32)> {
    let count = descriptor.pages();
    match (&descriptor.memory, descriptor.page_grid()) {
        (MemoryConfig::Sharded(sharding), Some(grid)) => {
            let cores = sharding.cores.len() as u32;
            let volume = grid.shard[0] * grid.shard[1];
            let place = |page| {
                let (shard, within) = grid.shard_of(page);
                (sharding.cores[(shard % cores) as usize], shard / cores * volume + within)
            };
            (0..count).map(place).collect()
        }
        _ => {
            let banks = arch.grid.0 * arch.grid.1;
            (0..count).map(|page| (core_of_bank(arch, page % banks), page / banks)).collect()
        }
    }
}

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
            let arch = self.engine.arch.constants();
            let bytes = bytes_of_a_bank(self.engine.arch, descriptor);
            let free = self.l1_top - arch.l1_unreserved_base;
            let Some(bytes) = u32::try_from(bytes).ok().filter(|bytes| *bytes <= free) else {
                return Err(LaunchError::TensorTooLarge {
                    name: descriptor.name.clone(),
                    bytes,
                    memory: "what is left of a core's L1",
                });
            };
            let address = (self.l1_top - bytes) & !(arch.dram_alignment - 1);
            Home::L1(self.take_l1(descriptor, address, bytes)?)
        };
        Ok(self.add(descriptor, home))
    }

    /// Keeps a tensor, which launches find by its name.
    fn add(&mut self, descriptor: &TensorDescriptor, home: Home) -> TensorHandle {
        self.names.entry(descriptor.name.clone()).or_insert(self.tensors.len());
        self.tensors.push(Tensor { descriptor: descriptor.clone(), home });
        TensorHandle(self.tensors.len() - 1)
    }

    /// Allocates a tensor at an address, beyond all that are there: in DRAM above them, in L1 below. What lies between is left to
    /// nobody; the contents are undefined.
    ///
    /// # Errors
    /// As [`Machine::allocate`], and if the address is not free.
    pub fn place(&mut self, descriptor: &TensorDescriptor, address: u32) -> Result<TensorHandle, LaunchError> {
        let taken = || LaunchError::AddressTaken { name: descriptor.name.clone(), address };
        if descriptor.memory == MemoryConfig::Dram {
            return if self.dram().skip_to(address) { self.allocate(descriptor) } else { Err(taken()) };
        }
        let arch = self.engine.arch.constants();
        let bytes = bytes_of_a_bank(self.engine.arch, descriptor);
        let room = self.l1_top.checked_sub(address).filter(|room| u64::from(*room) >= bytes);
        if room.is_none() || address < arch.l1_unreserved_base || !address.is_multiple_of(arch.dram_alignment) {
            return Err(taken());
        }
        let home = Home::L1(self.take_l1(descriptor, address, bytes as u32)?);
        Ok(self.add(descriptor, home))
    }

    /// Gives a tensor in L1 its memory, with undefined contents.
    fn take_l1(&mut self, descriptor: &TensorDescriptor, address: u32, bytes: u32) -> Result<L1Tensor, LaunchError> {
        let arch = self.engine.arch.constants();
        let page = descriptor.page_bytes();
        let aligned = page.next_multiple_of(arch.l1_alignment);
        let places = places_in_l1(arch, descriptor);
        self.l1_top = address;
        for (core, _) in &places {
            self.core(*core)?;
        }
        self.engine.cores.sort_by_key(|core| core.coord);
        for core in &mut self.engine.cores {
            if core.is_used {
                core.l1.undefine(address, bytes);
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

#[cfg(test)]
mod tests {
    use tileproof_model::arch::Arch;
    use tileproof_model::observe::Unobserved;
    use tileproof_model::program::{Argument, Layout};
    use tileproof_numerics::format::DataFormat;

    use super::*;

    #[test]
    fn a_tensor_that_was_placed_is_found_by_its_name_in_either_memory() {
        for (memory, address) in [(MemoryConfig::Dram, 4 << 20), (MemoryConfig::L1, 1 << 20)] {
            let mut machine = Machine::<Unobserved>::new(Arch::Wormhole);
            let (name, shape) = ("t".to_string(), vec![1, 32, 32]);
            let (format, layout, output) = (DataFormat::Float16_b, Layout::Tile, false);
            machine.place(&TensorDescriptor { name, shape, format, layout, memory, output }, address).unwrap();
            assert_eq!(machine.resolve(&[Argument::Address("t".into())]).unwrap(), [address]);
        }
    }
}
