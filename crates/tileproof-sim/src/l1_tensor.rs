//! Tensors in L1: interleaved over the grid, or in shards.
//!
//! Their memory comes from the top of L1 downward, at the same address on every core and aligned as in DRAM (tt-metal's
//! lock-step allocator, `bank_manager.cpp`), so that reads of DRAM fit; circular buffers grow toward it from below. A page
//! that holds nothing but poison counts as not written.

use tileproof_model::arch::Chip;
use tileproof_model::program::{MemoryConfig, TensorDescriptor};
use tileproof_model::thread::CoreCoord;

use crate::core::Core;
use crate::l1::L1Window;
use crate::noc::address;

/// Where the pages of a tensor lie.
pub(crate) struct L1Tensor {
    pub(crate) address: u32,
    pub(crate) bytes_on_a_core: u32,
    pub(crate) page_bytes: u32,
    /// Core and offset in L1, by page.
    pub(crate) pages: Vec<(CoreCoord, u32)>,
}

/// The core of L1 bank `bank`: row by row.
pub(crate) fn core_of_bank(arch: &Chip, bank: u32) -> CoreCoord {
    CoreCoord { x: bank % arch.grid.0, y: bank / arch.grid.0 }
}

fn window(cores: &[Core], coord: CoreCoord) -> &L1Window {
    &cores.iter().find(|core| core.coord == coord).expect("cores of a tensor stay").l1
}

impl L1Tensor {
    /// Bytes of all its pages.
    pub(crate) fn bytes(&self) -> usize {
        self.pages.len() * self.page_bytes as usize
    }

    /// Fills it with the bytes of its pages.
    pub(crate) fn write(&self, cores: &[Core], bytes: &[u8]) {
        for ((core, offset), page) in self.pages.iter().zip(bytes.chunks_exact(self.page_bytes as usize)) {
            window(cores, *core).write(*offset, page);
        }
    }

    /// The bytes of its pages.
    pub(crate) fn read(&self, cores: &[Core]) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes()];
        for ((core, offset), page) in self.pages.iter().zip(bytes.chunks_exact_mut(self.page_bytes as usize)) {
            window(cores, *core).read(*offset, page);
        }
        bytes
    }

    /// How many pages nobody has written, and the first of them.
    pub(crate) fn undefined(&self, cores: &[Core]) -> Option<(u32, u32)> {
        let (bytes, poison) = (self.read(cores), window(cores, self.pages.first()?.0).poison());
        let pages = bytes.chunks_exact(self.page_bytes as usize).enumerate();
        let mut undefined =
            pages.filter(|(_, page)| page.iter().all(|byte| *byte == poison)).map(|(page, _)| page as u32);
        undefined.next().map(|first| (1 + undefined.count() as u32, first))
    }
}

/// The words by which a kernel finds the pages of a tensor: what it is, and for a sharded one its rank of 2, the number
/// of its cores, the tensor and the shard in pages, and the cores, two to a word, x above y
/// (tt-metal `tensor_accessor_args.hpp`).
pub fn accessor_words(arch: &Chip, descriptor: &TensorDescriptor) -> Vec<u32> {
    const SHARDED: u32 = 1;
    const IS_DRAM: u32 = 2;
    let (MemoryConfig::Sharded(sharding), Some(grid)) = (&descriptor.memory, descriptor.page_grid()) else {
        return vec![if descriptor.memory == MemoryConfig::Dram { IS_DRAM } else { 0 }];
    };
    let mut words = vec![SHARDED, 2, sharding.cores.len() as u32];
    words.extend(grid.tensor);
    words.extend(grid.shard);
    let packed: Vec<u32> = sharding
        .cores
        .iter()
        .map(|core| {
            let (x, y) = address::core_coordinates(arch, core.x, core.y);
            x << 8 | y
        })
        .collect();
    words.extend(packed.chunks(2).map(|pair| pair[0] | pair.get(1).unwrap_or(&0) << 16));
    words
}
