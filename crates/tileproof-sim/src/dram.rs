//! DRAM: interleaved buffers in banks, with a lock-step allocator as the device's.
//!
//! A buffer has the same base in every bank, and its page p lies in bank p mod N. Each buffer keeps its pages one after
//! the other, so that the host hands a tensor over without a copy; bank addresses are translated. A page that nobody has
//! written reads as poison. Cores on several host threads reach it at once: then each page must be claimed first, see
//! [`crate::claims`].

#![allow(unsafe_code)]

use std::borrow::Cow;
use std::cell::UnsafeCell;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use tileproof_model::arch::Chip;
use tileproof_model::layout::DramLayout;

use crate::claims::{Before, Claim, Claimant};
use crate::host_pages::ask_for_huge_pages;
use crate::noc::address;
use crate::page_set::PageSet;

/// Byte that undefined memory is filled with: a NaN in every float format, so that its use shows.
pub(crate) const POISON: u8 = 0xff;
/// Bytes of a page that nobody has written are read in pieces of so many.
const PIECE: usize = 4096;

/// Nodes that an address on the NoC can name, and what stands for one that is none of DRAM's.
const NODES: usize = address::NODES;
const NO_BANK: u8 = u8::MAX;

/// A line of its caches.
const HOST_LINE: usize = 64;

/// The bytes of a buffer's pages.
enum Bytes {
    Own(Box<[UnsafeCell<u8>]>),
    /// Memory that processes to come share.
    Shared(Mapping),
}

// SAFETY: bytes are reached through `Bytes::slice` and `Bytes::slice_mut` alone, whose callers keep two host threads from
// the same page unless both read it.
unsafe impl Sync for Bytes {}
// SAFETY: memory belongs to no host thread.
unsafe impl Send for Bytes {}

/// Memory of the host that a process shares with those that it starts; zero until it is written.
struct Mapping {
    at: NonNull<UnsafeCell<u8>>,
    bytes: usize,
}

impl Mapping {
    fn new(bytes: usize) -> std::io::Result<Mapping> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the host's choice.
        let at = unsafe { libc::mmap(ptr::null_mut(), bytes.max(1), protection, flags | libc::MAP_NORESERVE, -1, 0) };
        match NonNull::new(at.cast()).filter(|_| at != libc::MAP_FAILED) {
            Some(at) => Ok(Mapping { at, bytes }),
            None => Err(std::io::Error::last_os_error()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.bytes.max(1)) };
    }
}

impl Bytes {
    fn new(bytes: Vec<u8>) -> Bytes {
        let raw = Box::into_raw(bytes.into_boxed_slice());
        // SAFETY: `UnsafeCell<u8>` has the layout of `u8`, and the box is taken over whole.
        Bytes::Own(unsafe { Box::from_raw(raw as *mut [UnsafeCell<u8>]) })
    }

    /// Memory that costs nothing until it is touched, and then little.
    fn zeroed(size: usize) -> Bytes {
        let mut bytes = vec![0; size];
        ask_for_huge_pages(&mut bytes);
        Bytes::new(bytes)
    }

    fn cells(&self) -> &[UnsafeCell<u8>] {
        match self {
            Bytes::Own(cells) => cells,
            // SAFETY: the mapping lives as long as this value, and has so many bytes.
            Bytes::Shared(mapping) => unsafe { std::slice::from_raw_parts(mapping.at.as_ptr(), mapping.bytes) },
        }
    }

    fn range(&self, at: usize, bytes: usize) -> *mut u8 {
        let cells = &self.cells()[at..][..bytes];
        UnsafeCell::raw_get(cells.as_ptr())
    }

    /// Has the host fetch bytes that are likely to be read soon, as far as there are any. Nothing shows but the time.
    #[inline]
    fn look_ahead(&self, at: usize, bytes: usize) {
        #[cfg(target_arch = "x86_64")]
        for line in self.cells().get(at..).unwrap_or_default().chunks(HOST_LINE).take(bytes / HOST_LINE) {
            use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
            // SAFETY: a hint, which reads nothing as far as the program can see.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(line.as_ptr().cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (at, bytes);
    }

    /// # Safety
    /// Nobody writes these bytes while the slice lives.
    unsafe fn slice(&self, at: usize, bytes: usize) -> &[u8] {
        // SAFETY: `range` checked the bounds; the caller's promise.
        unsafe { std::slice::from_raw_parts(self.range(at, bytes), bytes) }
    }

    /// # Safety
    /// Nobody else reaches these bytes while the slice lives.
    #[allow(clippy::mut_from_ref, reason = "the bytes are cells; the caller promises what a borrow would")]
    unsafe fn slice_mut(&self, at: usize, bytes: usize) -> &mut [u8] {
        // SAFETY: as in `slice`.
        unsafe { std::slice::from_raw_parts_mut(self.range(at, bytes), bytes) }
    }
}

/// Counts bytes; other host threads count too where that is said.
#[inline]
fn count(total: &AtomicU64, bytes: u32, beside_others: bool) {
    if beside_others {
        total.fetch_add(u64::from(bytes), Relaxed);
    } else {
        // A locked instruction takes longer than both.
        total.store(total.load(Relaxed) + u64::from(bytes), Relaxed);
    }
}

/// How an access ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    Done,
    /// The range lies outside every buffer.
    Nowhere,
    /// Another core has touched a page, and one of the two writes it.
    Conflict,
}

/// An interleaved buffer, and what became of its pages.
pub(crate) struct Region {
    /// The tensor.
    name: String,
    /// Base in every bank, and the end of its part of every bank.
    address: u32,
    end: u32,
    pages: u32,
    page_bytes: u32,
    /// Distance of pages in a bank.
    stride: u32,
    /// All pages, `page_bytes` apart; a page counts only if it is in `defined`.
    bytes: Bytes,
    pub(crate) defined: PageSet,
    /// What the kernels of this launch did.
    read: PageSet,
    written: PageSet,
    bytes_read: AtomicU64,
    bytes_written: AtomicU64,
    /// The core that wrote each page last, by its number in its launch; it counts for pages in `written`.
    writers: Box<[AtomicU32]>,
}

impl Region {
    /// Where it lies, for observers.
    pub(crate) fn layout(&self) -> DramLayout {
        DramLayout { name: self.name.clone(), bytes: self.address..self.end, stride: self.stride }
    }

    pub(crate) fn pages(&self) -> u32 {
        self.pages
    }

    /// Pages read and pages written at all in this launch.
    pub(crate) fn touched(&self) -> (u32, u32) {
        (self.read.len(), self.written.len())
    }

    /// Whether a kernel of this launch has read or written any.
    pub(crate) fn is_touched(&self) -> bool {
        self.traffic() != (0, 0) || self.touched() != (0, 0)
    }

    /// Bytes read and bytes written in this launch.
    pub(crate) fn traffic(&self) -> (u64, u64) {
        (self.bytes_read.load(Relaxed), self.bytes_written.load(Relaxed))
    }

    /// The pages that kernels of this launch wrote, each with the number of the core that wrote it last.
    pub(crate) fn writers(&self) -> impl Iterator<Item = (u32, usize)> {
        let writer = |page: u32| self.writers[page as usize].load(Relaxed) as usize;
        (0..self.pages).filter(|page| self.written.contains(*page)).map(move |page| (page, writer(page)))
    }

    /// A launch begins.
    pub(crate) fn forget(&self) {
        self.read.fill(0);
        self.written.fill(0);
        self.bytes_read.store(0, Relaxed);
        self.bytes_written.store(0, Relaxed);
    }

    /// Where part of a page lies in `bytes`.
    fn at(&self, page: u32, offset: u32) -> usize {
        page as usize * self.page_bytes as usize + offset as usize
    }
}

/// A piece of a transfer: part of one page.
struct Piece {
    region: usize,
    page: u32,
    offset: u32,
    bytes: u32,
}

pub(crate) struct Dram {
    banks: u32,
    /// The bank at each node of the NoC, or [`NO_BANK`].
    at_nodes: Box<[u8; NODES]>,
    bank_bytes: u64,
    /// In the order of their addresses.
    pub(crate) regions: Vec<Region>,
    /// The end of each: one line of the host's cache, where a transfer looks for its region.
    ends: Vec<u32>,
    /// First free byte of every bank.
    next: u32,
    alignment: u32,
    /// Buffers to come lie in memory that processes to come share.
    is_shared: bool,
    /// What a page that nobody has written reads as, in pieces.
    undefined: Box<[u8; PIECE]>,
}

impl Dram {
    pub(crate) fn new(arch: &Chip) -> Dram {
        let mut at_nodes = Box::new([NO_BANK; NODES]);
        for (bank, (x, y)) in arch.noc.dram_nodes.iter().enumerate() {
            at_nodes[address::node_number(address::encode(*x, *y, 0))] = bank as u8;
        }
        Dram {
            banks: arch.dram_banks,
            at_nodes,
            bank_bytes: arch.dram_bank_bytes,
            regions: Vec::new(),
            ends: Vec::new(),
            next: arch.dram_unreserved_base,
            alignment: arch.dram_alignment,
            is_shared: false,
            undefined: Box::new([POISON; PIECE]),
        }
    }

    /// The bank that an address on the NoC lies in, and the address there; `None` where its node is none of DRAM's.
    #[inline]
    pub(crate) fn target(&self, far: u64) -> Option<(u32, u64)> {
        let bank = self.at_nodes[address::node_number(far)];
        (bank != NO_BANK).then_some((u32::from(bank), address::offset(far)))
    }

    /// The byte that undefined memory is filled with.
    pub(crate) fn poison(&self) -> u8 {
        self.undefined[0]
    }

    /// Fills undefined memory with another byte from here on.
    pub(crate) fn poison_with(&mut self, byte: u8) {
        self.undefined.fill(byte);
    }

    /// Has all buffers lie in memory that processes to come share, those to come too.
    pub(crate) fn share(&mut self) -> std::io::Result<()> {
        self.is_shared = true;
        for region in &mut self.regions {
            if let Bytes::Own(_) = &region.bytes {
                let bytes = region.bytes.cells().len();
                let shared = Bytes::Shared(Mapping::new(bytes)?);
                // SAFETY: nobody else reaches either while the machine is borrowed.
                unsafe { shared.slice_mut(0, bytes).copy_from_slice(region.bytes.slice(0, bytes)) };
                region.bytes = shared;
            }
        }
        Ok(())
    }

    /// Whether sets of pages can be those of the buffers.
    pub(crate) fn has_pages(&self, pages: &[Vec<u64>]) -> bool {
        pages.len() == self.regions.len()
            && pages.iter().zip(&self.regions).all(|(p, r)| p.len() == r.defined.count_words())
    }

    /// Says which pages hold something, by buffer.
    pub(crate) fn define(&mut self, pages: &[Vec<u64>]) {
        for (index, words) in pages.iter().enumerate() {
            self.define_buffer(index, words);
        }
    }

    /// Allocates an interleaved buffer with undefined contents; the address is the same in every bank.
    pub(crate) fn allocate(&mut self, name: &str, pages: u32, page_bytes: u32) -> Option<u32> {
        let stride = page_bytes.next_multiple_of(self.alignment);
        let rows = pages.div_ceil(self.banks);
        let address = self.next;
        let end = u64::from(address) + u64::from(rows) * u64::from(stride);
        let end = u32::try_from(end).ok().filter(|end| u64::from(*end) <= self.bank_bytes)?;
        let size = pages as usize * page_bytes as usize;
        // Zeroed memory costs nothing until it is touched. Where none can be shared, `share` says so later.
        let shared = if self.is_shared { Mapping::new(size).ok() } else { None };
        let bytes = shared.map_or_else(|| Bytes::zeroed(size), Bytes::Shared);
        self.next = end;
        self.ends.push(end);
        self.regions.push(Region {
            name: name.into(),
            address,
            end,
            pages,
            page_bytes,
            stride,
            bytes,
            defined: PageSet::new(pages),
            read: PageSet::new(pages),
            written: PageSet::new(pages),
            bytes_read: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            writers: (0..pages).map(|_| AtomicU32::new(0)).collect(),
        });
        Some(address)
    }

    /// Leaves what lies below an address to nobody, so that the next buffer begins there. False if it is taken or not aligned.
    #[must_use]
    pub(crate) fn skip_to(&mut self, address: u32) -> bool {
        let is_free = address >= self.next && address.is_multiple_of(self.alignment);
        self.next = if is_free { address } else { self.next };
        is_free
    }

    /// Which pages of buffer `index` hold something, a bit each.
    pub(crate) fn defined(&self, index: usize) -> Vec<u64> {
        self.regions[index].defined.words()
    }

    /// Says which pages of buffer `index` hold something.
    pub(crate) fn define_buffer(&mut self, index: usize, pages: &[u64]) {
        self.regions[index].defined.set(pages);
    }

    /// The host fills buffer `index`; the bytes are those of all pages.
    pub(crate) fn fill(&mut self, index: usize, bytes: Vec<u8>) {
        let region = &mut self.regions[index];
        match &region.bytes {
            Bytes::Own(_) => region.bytes = Bytes::new(bytes),
            // SAFETY: nobody else reaches it while the machine is borrowed.
            shared => unsafe { shared.slice_mut(0, bytes.len()) }.copy_from_slice(&bytes),
        }
        region.defined.fill(u64::MAX);
    }

    /// The host fills part of buffer `index`, from a byte on.
    pub(crate) fn fill_part(&mut self, index: usize, at: usize, bytes: &[u8]) {
        let region = &mut self.regions[index];
        // SAFETY: nobody else reaches it while the machine is borrowed.
        unsafe { region.bytes.slice_mut(at, bytes.len()) }.copy_from_slice(bytes);
        region.defined.fill(u64::MAX);
    }

    /// The bytes of all pages of buffer `index`, while no kernel runs.
    pub(crate) fn contents(&self, index: usize) -> Cow<'_, [u8]> {
        let region = &self.regions[index];
        // SAFETY: kernels run only while the machine is borrowed mutably.
        let mut bytes = Cow::Borrowed(unsafe { region.bytes.slice(0, region.bytes.cells().len()) });
        for page in (0..region.pages).filter(|page| !region.defined.contains(*page)) {
            let at = region.at(page, 0);
            bytes.to_mut()[at..at + region.page_bytes as usize].fill(self.poison());
        }
        bytes
    }

    /// Which pages hold something, by buffer, for [`Dram::undo`].
    pub(crate) fn definedness(&self) -> Vec<PageSet> {
        self.regions.iter().map(|region| region.defined.copy()).collect()
    }

    /// Takes the pages back to what they were before a trial.
    pub(crate) fn undo(&mut self, defined: Vec<PageSet>, before: impl Iterator<Item = Before>) {
        for Before { region, page, bytes } in before {
            let region = &self.regions[region];
            // SAFETY: the host threads of the trial have ended.
            unsafe { region.bytes.slice_mut(region.at(page, 0), bytes.len()) }.copy_from_slice(&bytes);
        }
        for (region, defined) in self.regions.iter_mut().zip(defined) {
            region.defined = defined;
        }
    }

    /// How many pages of buffer `index` hold nothing, and the first of them.
    pub(crate) fn undefined(&self, index: usize) -> Option<(u32, u32)> {
        let region = &self.regions[index];
        let mut pages = (0..region.pages).filter(|page| !region.defined.contains(*page));
        pages.next().map(|first| (1 + pages.count() as u32, first))
    }

    /// The pieces of `bytes` bytes at an address of a bank, or `None` if they do not lie in a buffer's pages.
    fn pieces(&self, bank: u32, address: u64, bytes: u32) -> Option<impl Iterator<Item = Piece> + use<>> {
        let index = self.ends.partition_point(|end| u64::from(*end) <= address);
        let region = self.regions.get(index)?;
        // Less than the part of a bank that the buffer has.
        let start = u32::try_from(address.checked_sub(u64::from(region.address))?).ok()?;
        let Region { stride, page_bytes, .. } = *region;
        let (first, offset) = (start / stride, start % stride);
        let end = u64::from(offset) + u64::from(bytes);
        // Most transfers have one page.
        let beyond = if end <= u64::from(stride) { 0 } else { (end - 1) / u64::from(stride) };
        let last = (u64::from(first) + beyond) * u64::from(self.banks) + u64::from(bank);
        if bank >= self.banks || last >= u64::from(region.pages) {
            return None;
        }
        // The gap that alignment leaves behind a page belongs to nobody.
        if end > u64::from(page_bytes) && stride != page_bytes {
            return None;
        }
        let (mut left, banks) = (bytes, self.banks);
        let mut next = Piece { region: index, page: first * banks + bank, offset, bytes: 0 };
        Some(std::iter::from_fn(move || {
            let Piece { region, page, offset, .. } = next;
            let bytes = left.min(page_bytes - offset);
            left -= bytes;
            next = Piece { region, page: page + banks, offset: 0, bytes: 0 };
            (bytes > 0).then_some(Piece { region, page, offset, bytes })
        }))
    }

    /// Whether a range of a bank lies in a buffer's pages.
    pub(crate) fn has(&self, bank: u32, address: u64, bytes: u32) -> bool {
        self.pieces(bank, address, bytes).is_some()
    }

    /// How a transfer that belongs to no buffer's pages lies to the buffer that it begins in or behind: the end of a
    /// sentence, and the tensor that it would reach beyond its own.
    pub(crate) fn describe(&self, bank: u32, address: u64, bytes: u32) -> Option<(String, Option<String>)> {
        let index = self.ends.partition_point(|end| u64::from(*end) <= address);
        let region = self.regions.get(index)?;
        let start = address.checked_sub(u64::from(region.address))?;
        let stride = u64::from(region.stride);
        let page = start / stride * u64::from(self.banks) + u64::from(bank);
        let Region { name, pages, page_bytes, .. } = region;
        if page >= u64::from(*pages) {
            return Some((format!("would be page {page} of tensor {name}, which has {pages}"), None));
        }
        let past = (start % stride + u64::from(bytes)).checked_sub(u64::from(*page_bytes))?;
        let beyond = self.regions.get(index + 1).filter(|r| u64::from(r.address) < address + u64::from(bytes));
        let text =
            format!("run {past} bytes past the end of page {page} of tensor {name}, whose pages have {page_bytes}");
        Some((text, beyond.map(|r| r.name.clone())))
    }

    /// Whether a range of a bank holds some bytes; on trial it is claimed for that, and where it cannot be nobody looks.
    pub(crate) fn holds(&self, claimant: Option<&Claimant>, bank: u32, address: u64, bytes: &[u8]) -> bool {
        let Some(mut pieces) = self.pieces(bank, address, bytes.len() as u32) else { return false };
        let mut rest = bytes;
        pieces.all(|Piece { region: index, page, offset, bytes }| {
            let region = &self.regions[index];
            let (piece, behind) = rest.split_at(bytes as usize);
            rest = behind;
            let is_refused = claimant.is_some_and(|c| c.claim(index, page, false) == Claim::Refused);
            // SAFETY: one host thread alone runs kernels, or the page was claimed: nobody else writes it.
            !is_refused
                && region.defined.contains(page)
                && unsafe { region.bytes.slice(region.at(page, offset), piece.len()) } == piece
        })
    }

    /// Hands the bytes of a range of a bank to `take`, piece by piece.
    pub(crate) fn read(
        &self,
        claimant: Option<&mut Claimant>,
        bank: u32,
        address: u64,
        bytes: u32,
        mut take: impl FnMut(&[u8]),
    ) -> Access {
        let Some(pieces) = self.pieces(bank, address, bytes) else { return Access::Nowhere };
        for Piece { region: index, page, offset, bytes } in pieces {
            let region = &self.regions[index];
            if claimant.as_ref().is_some_and(|c| c.claim(index, page, false) == Claim::Refused) {
                return Access::Conflict;
            }
            region.read.insert(page);
            count(&region.bytes_read, bytes, claimant.is_some());
            if region.defined.contains(page) {
                region.bytes.look_ahead(region.at(page, offset) + bytes as usize, bytes as usize);
                // SAFETY: one host thread alone runs kernels, or the page was claimed: nobody else writes it.
                take(unsafe { region.bytes.slice(region.at(page, offset), bytes as usize) });
            } else {
                let mut left = bytes as usize;
                while left > 0 {
                    let part = left.min(PIECE);
                    take(&self.undefined[..part]);
                    left -= part;
                }
            }
        }
        Access::Done
    }

    /// Lets `put` write the bytes of a range of a bank, piece by piece, for the core with a number; on trial a core knows its own
    /// by its claims.
    pub(crate) fn write(
        &self,
        core: usize,
        mut claimant: Option<&mut Claimant>,
        bank: u32,
        address: u64,
        bytes: u32,
        mut put: impl FnMut(&mut [u8]),
    ) -> Access {
        let Some(pieces) = self.pieces(bank, address, bytes) else { return Access::Nowhere };
        let core = claimant.as_ref().map_or(core, |claimant| claimant.core);
        for Piece { region: index, page, offset, bytes } in pieces {
            let region = &self.regions[index];
            let is_defined = region.defined.contains(page);
            let whole_page = || region.at(page, 0);
            if let Some(claimant) = claimant.as_deref_mut() {
                match claimant.claim(index, page, true) {
                    Claim::Refused => return Access::Conflict,
                    Claim::FirstWrite if is_defined => {
                        // SAFETY: the page was claimed.
                        let bytes = unsafe { region.bytes.slice(whole_page(), region.page_bytes as usize) }.into();
                        claimant.before.push(Before { region: index, page, bytes });
                    }
                    Claim::FirstWrite | Claim::Granted => {}
                }
            }
            if !is_defined {
                if bytes < region.page_bytes {
                    // SAFETY: one host thread alone runs kernels, or the page was claimed: nobody else reaches it.
                    unsafe { region.bytes.slice_mut(whole_page(), region.page_bytes as usize) }.fill(self.poison());
                }
                region.defined.insert(page);
            }
            region.written.insert(page);
            region.writers[page as usize].store(core as u32, Relaxed);
            count(&region.bytes_written, bytes, claimant.is_some());
            // SAFETY: as above.
            put(unsafe { region.bytes.slice_mut(region.at(page, offset), bytes as usize) });
        }
        Access::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::arch::Arch;

    fn read(dram: &mut Dram, bank: u32, address: u64, bytes: u32) -> Option<Vec<u8>> {
        let mut data = Vec::new();
        (dram.read(None, bank, address, bytes, |piece| data.extend_from_slice(piece)) == Access::Done).then_some(data)
    }

    #[test]
    fn pages_go_round_the_banks_and_undefined_bytes_are_poison() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = u64::from(dram.allocate("x", 13, 2048).unwrap());
        dram.fill(0, (0..13 * 2048).map(|i| (i / 2048) as u8).collect());
        assert_eq!(read(&mut dram, 0, base + 2048, 1), Some(vec![12]));
        assert_eq!(read(&mut dram, 11, base, 1), Some(vec![11]));
        assert_eq!(read(&mut dram, 1, base + 2048, 1), None, "page 13 does not exist");
        let other = u64::from(dram.allocate("x", 1, 64).unwrap());
        assert_eq!(read(&mut dram, 0, other, 2), Some(vec![POISON; 2]));
    }

    #[test]
    fn a_partial_write_leaves_the_rest_of_its_page_undefined() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = u64::from(dram.allocate("x", 2, 64).unwrap());
        assert_eq!(dram.write(0, None, 1, base + 16, 4, |to| to.fill(7)), Access::Done);
        assert_eq!(dram.contents(0)[64 + 14..64 + 22], [POISON, POISON, 7, 7, 7, 7, POISON, POISON]);
        assert_eq!(dram.regions[0].touched(), (0, 1));
        assert_eq!(dram.undefined(0), Some((1, 0)));
    }

    #[test]
    fn a_transfer_may_run_through_pages_that_follow_each_other_in_a_bank() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = u64::from(dram.allocate("x", 24, 32).unwrap());
        dram.fill(0, (0..24 * 32).map(|i| (i / 32) as u8).collect());
        let data = read(&mut dram, 3, base + 16, 32).unwrap();
        assert_eq!((data[15], data[16]), (3, 15));
        // Pages of 40 bytes are 64 apart: what lies between them is no memory of the buffer.
        let odd = u64::from(dram.allocate("x", 24, 40).unwrap());
        assert!(read(&mut dram, 0, odd, 40).is_some());
        assert_eq!(read(&mut dram, 0, odd + 32, 16), None);
    }
}
