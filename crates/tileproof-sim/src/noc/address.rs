//! Addresses of a NoC.
//!
//! The ABI says how they hold a node ([`noc_address`]). Compute cores sit at the virtual coordinates of the chip, DRAM banks
//! at one node each.

use tileproof_model::abi::noc_address;
use tileproof_model::arch::{Arch, Chip};

const COORDINATE_MASK: u64 = (1 << (noc_address::Y_SHIFT - noc_address::X_SHIFT)) - 1;

/// Nodes that an address can name.
pub(crate) const NODES: usize = 1 << (2 * (noc_address::Y_SHIFT - noc_address::X_SHIFT));

/// What a NoC address points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// A DRAM bank.
    Dram { bank: u32, address: u64 },
    /// L1 of a core, by logical coordinates.
    L1 { x: u32, y: u32, address: u32 },
}

pub(crate) fn encode(x: u32, y: u32, offset: u64) -> u64 {
    u64::from(y) << noc_address::Y_SHIFT | u64::from(x) << noc_address::X_SHIFT | offset
}

/// NoC coordinates of a logical core.
pub(crate) fn core_coordinates(arch: &Chip, x: u32, y: u32) -> (u32, u32) {
    arch.noc.of_core(x, y)
}

/// NoC address of byte 0 of a DRAM bank.
pub(crate) fn dram_address(arch: Arch, bank: u32) -> Option<u64> {
    arch.constants().noc.dram_nodes.get(bank as usize).map(|(x, y)| encode(*x, *y, 0))
}

/// The number of the node of an address, below [`NODES`].
#[inline]
pub(crate) fn node_number(address: u64) -> usize {
    (address >> noc_address::X_SHIFT) as usize % NODES
}

/// Where an address is within its node.
#[inline]
pub(crate) fn offset(address: u64) -> u64 {
    address & ((1 << noc_address::X_SHIFT) - 1)
}

/// The node of an address.
pub(crate) fn node(address: u64) -> (u32, u32) {
    let x = (address >> noc_address::X_SHIFT & COORDINATE_MASK) as u32;
    let y = (address >> noc_address::Y_SHIFT & COORDINATE_MASK) as u32;
    (x, y)
}

pub(crate) fn decode(arch: Arch, address: u64) -> Option<Target> {
    let (x, y) = node(address);
    let offset = offset(address);
    let constants = arch.constants();
    // Nodes of DRAM may lie in the rectangle of the compute grid: they come first.
    if let Some(bank) = constants.noc.dram_nodes.iter().position(|node| *node == (x, y)) {
        return Some(Target::Dram { bank: bank as u32, address: offset });
    }
    let (x, y) = constants.noc.core_at(x, y)?;
    (x < constants.grid.0 && y < constants.grid.1).then_some(Target::L1 { x, y, address: offset as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_decodes_to_what_it_was_made_for() {
        for arch in Arch::ALL {
            let constants = arch.constants();
            for bank in 0..constants.dram_banks {
                let address = dram_address(arch, bank).unwrap() + 4096;
                assert_eq!(decode(arch, address), Some(Target::Dram { bank, address: 4096 }));
            }
            let (columns, rows) = constants.grid;
            for (x, y) in (0..columns).flat_map(|x| (0..rows).map(move |y| (x, y))) {
                let (column, row) = core_coordinates(constants, x, y);
                assert_eq!(decode(arch, encode(column, row, 0x100)), Some(Target::L1 { x, y, address: 0x100 }));
            }
            assert_eq!(dram_address(arch, constants.dram_banks), None);
        }
    }
}
