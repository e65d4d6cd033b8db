//! Which addresses of a device are taken between programs: DRAM fills from below, L1 from above, each in lock step over its
//! banks as tt-metal's allocator does it (`bank_manager.cpp`).
//!
//! It must never hold the bytes of a tensor. Start at [`Memory`].

use std::collections::BTreeMap;
use std::ops::Range;

use tileproof_model::arch::{Arch, Chip};
use tileproof_model::program::{Argument, MemoryConfig, TensorDescriptor};
use tileproof_sim::bytes_of_a_bank;

/// A kind of memory, and the pieces of each bank of it that are taken, by address.
struct Banks {
    base: u64,
    end: u64,
    alignment: u64,
    taken: Vec<(u64, u64)>,
}

impl Banks {
    /// The pieces that are free, from below.
    fn free(&self) -> impl DoubleEndedIterator<Item = (u64, u64)> {
        let starts = std::iter::once(self.base).chain(self.taken.iter().map(|(_, end)| *end));
        let ends = self.taken.iter().map(|(start, _)| *start).chain([self.end]);
        let pieces: Vec<(u64, u64)> = starts.zip(ends).filter(|(start, end)| start < end).collect();
        pieces.into_iter()
    }

    fn take(&mut self, address: u64, bytes: u64) -> u32 {
        let end = (address + bytes).next_multiple_of(self.alignment).max(address + self.alignment);
        let at = self.taken.partition_point(|(start, _)| *start < address);
        self.taken.insert(at, (address, end));
        address as u32
    }
}

/// The memory of a device.
pub(super) struct Memory {
    arch: Arch,
    dram: Banks,
    l1: Banks,
}

/// Why there is no room, in the figures that tt-metal's message has.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[error(
    "out of memory: a tensor of {bytes} B needs {of_a_bank} B in each of {banks} banks of {memory}, where {free} B of {bank} B are free, {largest} B in one piece"
)]
#[allow(missing_docs, reason = "the message says it")]
pub struct OutOfMemory {
    pub bytes: u64,
    pub of_a_bank: u64,
    pub banks: u32,
    pub memory: &'static str,
    pub bank: u64,
    pub free: u64,
    pub largest: u64,
}

impl Memory {
    pub(super) fn new(arch: Arch) -> Memory {
        let Chip { dram_alignment, dram_unreserved_base, dram_bank_bytes, l1_unreserved_base, l1_bytes, .. } =
            *arch.constants();
        let banks = |base, end| Banks { base, end, alignment: u64::from(dram_alignment), taken: Vec::new() };
        Memory {
            arch,
            dram: banks(u64::from(dram_unreserved_base), dram_bank_bytes),
            // Tensors in L1 are aligned as in DRAM, so that reads of DRAM fit.
            l1: banks(u64::from(l1_unreserved_base), u64::from(l1_bytes)),
        }
    }

    /// Takes room for a tensor, and gives its address.
    pub(super) fn take(&mut self, tensor: &TensorDescriptor) -> Result<u32, OutOfMemory> {
        let of_a_bank = bytes_of_a_bank(self.arch, tensor);
        let in_dram = tensor.memory == MemoryConfig::Dram;
        let banks = if in_dram { &mut self.dram } else { &mut self.l1 };
        let alignment = banks.alignment;
        let fits = |(start, end): (u64, u64)| {
            if in_dram {
                return (end - start >= of_a_bank).then_some(start);
            }
            let address = end.checked_sub(of_a_bank)? / alignment * alignment;
            (address >= start).then_some(address)
        };
        let found = if in_dram { banks.free().find_map(fits) } else { banks.free().rev().find_map(fits) };
        match found {
            Some(address) => Ok(banks.take(address, of_a_bank)),
            None => {
                let chip = self.arch.constants();
                let sizes: Vec<u64> = banks.free().map(|(start, end)| end - start).collect();
                Err(OutOfMemory {
                    bytes: tensor.bytes() as u64,
                    of_a_bank,
                    banks: if in_dram { chip.dram_banks } else { chip.grid.0 * chip.grid.1 },
                    memory: if in_dram { "DRAM" } else { "L1" },
                    bank: banks.end - banks.base,
                    free: sizes.iter().sum(),
                    largest: sizes.into_iter().max().unwrap_or(0),
                })
            }
        }
    }

    /// Gives the room of a tensor back.
    pub(super) fn give_back(&mut self, tensor: &TensorDescriptor, address: u32) {
        let banks = if tensor.memory == MemoryConfig::Dram { &mut self.dram } else { &mut self.l1 };
        banks.taken.retain(|(start, _)| *start != u64::from(address));
    }
}

/// The addresses of tensors in L1, of which no two share any: from the first to the one behind the last.
pub struct L1Ranges(BTreeMap<u64, u64>);

impl FromIterator<Range<u64>> for L1Ranges {
    fn from_iter<T: IntoIterator<Item = Range<u64>>>(ranges: T) -> L1Ranges {
        L1Ranges(ranges.into_iter().map(|range| (range.start, range.end)).collect())
    }
}

impl L1Ranges {
    /// A word among the arguments of kernels: what lies within a tensor in L1 is an address there, which each core gets as its own.
    pub fn argument(&self, word: u32) -> Argument {
        let below = self.0.range(..=u64::from(word)).next_back();
        if below.is_some_and(|(_, end)| u64::from(word) < *end) { Argument::L1(word) } else { Argument::Word(word) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::numerics::format::DataFormat;
    use tileproof_model::program::Layout;

    fn tensor(tiles: u32, memory: MemoryConfig) -> TensorDescriptor {
        let (format, layout) = (DataFormat::Float16_b, Layout::Tile);
        TensorDescriptor { name: "x".into(), shape: vec![tiles, 32, 32], format, layout, memory, output: false }
    }

    #[test]
    fn what_is_given_back_is_taken_again_and_nothing_twice() {
        let mut memory = Memory::new(Arch::Wormhole);
        let dram = [24, 1, 12].map(|tiles| tensor(tiles, MemoryConfig::Dram));
        let at: Vec<u32> = dram.iter().map(|tensor| memory.take(tensor).unwrap()).collect();
        assert_eq!([at[1] - at[0], at[2] - at[1]], [4096, 2048], "rows of 12 banks");
        memory.give_back(&dram[0], at[0]);
        assert_eq!(memory.take(&dram[2]).unwrap(), at[0]);
        assert_eq!(memory.take(&dram[0]).unwrap(), at[2] + 2048, "the gap of one row is too small");
        let l1 = tensor(1, MemoryConfig::L1);
        let (first, second) = (memory.take(&l1).unwrap(), memory.take(&l1).unwrap());
        assert_eq!(first - second, 2048, "from above");
        memory.give_back(&l1, first);
        assert_eq!(memory.take(&l1).unwrap(), first);
    }

    #[test]
    fn a_word_is_an_address_from_the_first_of_a_tensor_to_its_last() {
        let ranges: L1Ranges = [200..300, 100..150].into_iter().collect();
        let is_address = |word: &u32| matches!(ranges.argument(*word), Argument::L1(_));
        let words = [0, 99, 100, 149, 150, 199, 200, 299, 300, u32::MAX];
        assert!(words.into_iter().filter(is_address).eq([100, 149, 200, 299]));
    }

    #[test]
    fn a_tensor_that_does_not_fit_is_refused_with_the_figures_of_a_bank() {
        let mut memory = Memory::new(Arch::Wormhole);
        let error = memory.take(&tensor(65536, MemoryConfig::L1)).unwrap_err();
        assert_eq!((error.bytes, error.memory), (134_217_728, "L1"));
        assert!(error.of_a_bank > error.bank, "{error}");
    }
}
