//! Where the tensors of a call lie, as a host API names it, and the L1 that they leave for circular buffers.
//!
//! It must never allocate: what it counts, the device takes. Start at [`Memory`].

use tileproof_kernel::model::arch::Chip;
use tileproof_kernel::model::program::{MemoryConfig, TensorDescriptor};

/// How the pages of a tensor lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Memory {
    #[default]
    InterleavedDram,
    InterleavedL1,
    Sharded,
}

impl Memory {
    /// As the device takes it; `None` for shards, which no op of ours makes.
    pub(crate) fn config(self) -> Option<MemoryConfig> {
        match self {
            Memory::InterleavedDram => Some(MemoryConfig::Dram),
            Memory::InterleavedL1 => Some(MemoryConfig::L1),
            Memory::Sharded => None,
        }
    }
}

/// Bytes of each core's L1 that tensors take: pages go round the banks, and every core has room for as many as any other
/// (the lock-step allocator of tt-metal).
fn taken(tensors: &[TensorDescriptor], arch: &Chip) -> u64 {
    let banks = arch.grid.0 * arch.grid.1;
    let of = |tensor: &TensorDescriptor| {
        let page = tensor.page_bytes().next_multiple_of(arch.l1_alignment);
        let bytes = u64::from(tensor.pages().div_ceil(banks)) * u64::from(page);
        // Tensors begin as aligned in L1 as in DRAM.
        bytes.next_multiple_of(arch.dram_alignment.into())
    };
    tensors.iter().filter(|tensor| tensor.memory == MemoryConfig::L1).map(of).sum()
}

/// L1 of a core beside the tensors of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// Bytes that tensors take.
    pub(crate) taken: u64,
    /// Bytes that are left for circular buffers.
    pub(crate) available: u64,
}

impl Room {
    /// The room beside `tensors`; none is left where they take more than there is.
    pub(crate) fn beside(tensors: &[TensorDescriptor], arch: &Chip) -> Room {
        let taken = taken(tensors, arch);
        Room { taken, available: u64::from(arch.l1_bytes - arch.l1_unreserved_base).saturating_sub(taken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_kernel::model::arch::Arch;
    use tileproof_kernel::model::numerics::format::DataFormat;
    use tileproof_kernel::model::program::Layout;

    #[test]
    fn tensors_in_l1_take_whole_rounds_of_the_banks_and_those_in_dram_nothing() {
        let tensor = |shape: &[u32], layout, memory| TensorDescriptor {
            name: "x".into(),
            shape: shape.to_vec(),
            format: DataFormat::Float16_b,
            layout,
            memory,
            output: true,
        };
        let arch = Arch::Wormhole.constants();
        // 65 tiles on 64 banks: two each.
        assert_eq!(taken(&[tensor(&[65 * 32, 32], Layout::Tile, MemoryConfig::L1)], arch), 2 * 2048);
        // Sticks of 40 bytes lie 48 apart, and the next tensor begins at a multiple of 32.
        assert_eq!(taken(&[tensor(&[64, 20], Layout::RowMajor, MemoryConfig::L1)], arch), 64);
        assert_eq!(taken(&[tensor(&[128, 20], Layout::RowMajor, MemoryConfig::L1)], arch), 96);
        assert_eq!(taken(&[tensor(&[64, 20], Layout::RowMajor, MemoryConfig::Dram)], arch), 0);
    }
}
