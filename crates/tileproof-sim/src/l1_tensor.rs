//! Tensors in L1: interleaved over the grid, or in shards.
//!
//! Their memory comes from the top of L1 downward, at the same address on every core and aligned as in DRAM (tt-metal's
//! lock-step allocator, `bank_manager.cpp`), so that reads of DRAM fit; circular buffers grow toward it from below. A page
//! that holds nothing but poison counts as not written.

use tileproof_model::arch::Chip;
use tileproof_model::observe::Observer;
use tileproof_model::program::{MemoryConfig, TensorDescriptor};
use tileproof_model::thread::CoreCoord;

use crate::dram::POISON;
use crate::machine::{LaunchError, Machine};
use crate::noc;

/// Where the pages of a tensor lie.
pub(crate) struct L1Tensor {
    pub(crate) address: u32,
    pub(crate) bytes_on_a_core: u32,
    page_bytes: u32,
    /// Core and offset in L1, by page.
    pages: Vec<(CoreCoord, u32)>,
}

/// The core of L1 bank `bank`: row by row.
fn core_of_bank(arch: &Chip, bank: u32) -> CoreCoord {
    CoreCoord { x: bank % arch.grid.0, y: bank / arch.grid.0 }
}

impl<O: Observer> Machine<O> {
    /// Allocates a tensor in L1; its contents are undefined.
    pub(crate) fn allocate_in_l1(&mut self, descriptor: &TensorDescriptor) -> Result<L1Tensor, LaunchError> {
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

    fn with_page<R>(&self, (core, offset): (CoreCoord, u32), use_it: impl FnOnce(&crate::l1::L1Window, u32) -> R) -> R {
        let core = self.engine.core_at(core.x, core.y).expect("cores of a tensor stay");
        use_it(&self.engine.cores[core].l1, offset)
    }

    pub(crate) fn write_l1_tensor(&self, tensor: &L1Tensor, bytes: &[u8]) {
        for (place, page) in tensor.pages.iter().zip(bytes.chunks_exact(tensor.page_bytes as usize)) {
            self.with_page(*place, |l1, offset| l1.write(offset, page));
        }
    }

    pub(crate) fn read_l1_tensor(&self, tensor: &L1Tensor) -> Vec<u8> {
        let mut bytes = vec![0; tensor.pages.len() * tensor.page_bytes as usize];
        for (place, page) in tensor.pages.iter().zip(bytes.chunks_exact_mut(tensor.page_bytes as usize)) {
            self.with_page(*place, |l1, offset| l1.read(offset, page));
        }
        bytes
    }

    /// How many pages nobody has written, and the first of them.
    pub(crate) fn undefined_in_l1(&self, tensor: &L1Tensor) -> Option<(u32, u32)> {
        let bytes = self.read_l1_tensor(tensor);
        let pages = bytes.chunks_exact(tensor.page_bytes as usize).enumerate();
        let mut undefined =
            pages.filter(|(_, page)| page.iter().all(|byte| *byte == POISON)).map(|(page, _)| page as u32);
        undefined.next().map(|first| (1 + undefined.count() as u32, first))
    }

    /// The words by which a kernel finds the pages of a tensor: what it is, and for a sharded one its rank of 2, the number
    /// of its cores, the tensor and the shard in pages, and the cores, two to a word, x above y
    /// (tt-metal `tensor_accessor_args.hpp`).
    pub(crate) fn accessor_words(&self, descriptor: &TensorDescriptor) -> Vec<u32> {
        const SHARDED: u32 = 1;
        const IS_DRAM: u32 = 2;
        let (MemoryConfig::Sharded(sharding), Some(grid)) = (&descriptor.memory, descriptor.page_grid()) else {
            return vec![if descriptor.memory == MemoryConfig::Dram { IS_DRAM } else { 0 }];
        };
        let arch = self.engine.arch.constants();
        let mut words = vec![SHARDED, 2, sharding.cores.len() as u32];
        words.extend(grid.tensor);
        words.extend(grid.shard);
        let packed: Vec<u32> = sharding
            .cores
            .iter()
            .map(|core| {
                let (x, y) = noc::core_coordinates(arch, core.x, core.y);
                x << 8 | y
            })
            .collect();
        words.extend(packed.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 16));
        words
    }
}
