//! What lies where in memory, in one launch.
//!
//! Start at [`MemoryLayout`]; whose a byte is, [`CoreLayout::owner`] and [`MemoryLayout::in_dram`] say.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::arch::Arch;
use crate::thread::CoreCoord;
use crate::wording::cb_name;

/// What observers are told when a launch begins.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MemoryLayout {
    /// The chip.
    pub arch: Arch,
    /// The cores, by their index.
    pub cores: Vec<CoreLayout>,
    /// DRAM banks, over which pages of tensors go round.
    pub banks: u32,
    /// The tensors in DRAM, in the order of their addresses.
    pub dram: Arc<[DramLayout]>,
}

/// A tensor in DRAM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DramLayout {
    /// Its name.
    pub name: String,
    /// Its addresses, the same in every bank.
    pub bytes: Range<u32>,
    /// Distance of pages in a bank.
    pub stride: u32,
}

/// A core of a launch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreLayout {
    /// Which.
    pub coord: CoreCoord,
    /// Where semaphores lie, one every 16 bytes.
    pub semaphores: Range<u32>,
    /// Those that the launch has: number, and value at the beginning.
    pub begins: Vec<(u32, u32)>,
    /// Circular buffers, by index.
    pub buffers: Vec<BufferLayout>,
    /// The bytes of tensors, with their names.
    pub tensors: Vec<(Range<u32>, String)>,
}

/// A circular buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferLayout {
    /// Its index.
    pub cb: u32,
    /// Its bytes of L1.
    pub bytes: Range<u32>,
    /// Bytes of a page.
    pub page_bytes: u32,
}

impl BufferLayout {
    /// How many pages it holds.
    pub fn pages(&self) -> u32 {
        (self.bytes.end - self.bytes.start) / self.page_bytes.max(1)
    }
}

/// Whose a byte of L1 is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner<'a> {
    /// A semaphore, by its number.
    Semaphore(u32),
    /// A page of a circular buffer: of several that share memory, of the first.
    Buffer {
        /// Buffer.
        cb: u32,
        /// Page, from its first byte on.
        page: u32,
    },
    /// A tensor.
    Tensor(&'a str),
    /// A page of a tensor in DRAM.
    Page {
        /// The tensor.
        tensor: &'a str,
        /// Page.
        page: u32,
    },
    /// Nothing that the program names: its offset.
    Nobody(u32),
}

impl MemoryLayout {
    /// What an observer is told that follows one core alone.
    pub fn of_core(&self, index: usize) -> MemoryLayout {
        let MemoryLayout { arch, ref cores, banks, ref dram } = *self;
        MemoryLayout { arch, cores: cores.get(index).cloned().into_iter().collect(), banks, dram: dram.clone() }
    }

    /// The tensor that an address of a bank belongs to.
    pub fn tensor_in_dram(&self, address: u32) -> Option<&DramLayout> {
        let behind = self.dram.partition_point(|tensor| tensor.bytes.start <= address);
        self.dram[..behind].last().filter(|tensor| tensor.bytes.contains(&address))
    }

    /// Whose the byte at an address of a DRAM bank is.
    pub fn in_dram(&self, bank: u32, address: u32) -> Owner<'_> {
        match self.tensor_in_dram(address) {
            Some(DramLayout { name, bytes, stride }) => {
                Owner::Page { tensor: name, page: (address - bytes.start) / (*stride).max(1) * self.banks + bank }
            }
            None => Owner::Nobody(address),
        }
    }
}

impl CoreLayout {
    /// Whether another circular buffer has bytes of this one.
    pub fn shares_memory(&self, cb: u32) -> bool {
        let overlap = |a: &Range<u32>, b: &Range<u32>| a.start < b.end && b.start < a.end;
        let own = self.buffers.iter().find(|buffer| buffer.cb == cb);
        own.is_some_and(|own| self.buffers.iter().any(|other| other.cb != cb && overlap(&own.bytes, &other.bytes)))
    }

    /// Whether a semaphore begins at an offset.
    pub fn is_semaphore(&self, offset: u32) -> bool {
        self.semaphores.contains(&offset) && (offset - self.semaphores.start).is_multiple_of(16)
    }

    /// Whose the byte at an offset is.
    pub fn owner(&self, offset: u32) -> Owner<'_> {
        if self.semaphores.contains(&offset) {
            return Owner::Semaphore((offset - self.semaphores.start) / 16);
        }
        if let Some(BufferLayout { cb, bytes, page_bytes }) = self.buffers.iter().find(|b| b.bytes.contains(&offset)) {
            return Owner::Buffer { cb: *cb, page: (offset - bytes.start) / (*page_bytes).max(1) };
        }
        match self.tensors.iter().find(|(bytes, _)| bytes.contains(&offset)) {
            Some((_, name)) => Owner::Tensor(name),
            None => Owner::Nobody(offset),
        }
    }
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Owner::Semaphore(id) => write!(f, "semaphore {id}"),
            Owner::Buffer { cb, page } => write!(f, "page {page} of {}", cb_name(*cb)),
            Owner::Tensor(name) => write!(f, "tensor {name}"),
            Owner::Page { tensor, page } => write!(f, "page {page} of tensor {tensor}"),
            Owner::Nobody(offset) => write!(f, "L1 at {offset}"),
        }
    }
}
