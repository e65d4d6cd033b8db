//! DRAM: interleaved buffers in banks, with a lock-step allocator as the device's.
//!
//! A buffer has the same base in every bank, and its page p lies in bank p mod N. Each buffer keeps its pages one after
//! the other, so that the host hands a tensor over without a copy; bank addresses are translated. A page that nobody has
//! written reads as poison.

use std::borrow::Cow;

use tileproof_model::arch::ArchConstants;

/// Byte that undefined memory is filled with: a NaN in every float format, so that its use shows.
pub(crate) const POISON: u8 = 0xff;
/// Bytes of a DRAM bank (Wormhole; Blackhole has more).
const BANK_BYTES: u64 = 1 << 30;

/// One bit a page.
#[derive(Default)]
struct PageSet(Vec<u64>);

impl PageSet {
    fn new(pages: u32) -> PageSet {
        PageSet(vec![0; pages.div_ceil(64) as usize])
    }

    fn insert(&mut self, page: u32) {
        self.0[page as usize / 64] |= 1 << (page % 64);
    }

    fn contains(&self, page: u32) -> bool {
        self.0[page as usize / 64] >> (page % 64) & 1 == 1
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }
}

/// An interleaved buffer, and what became of its pages.
pub(crate) struct Region {
    /// Base in every bank, and the end of its part of every bank.
    address: u32,
    end: u32,
    pages: u32,
    page_bytes: u32,
    /// Distance of pages in a bank.
    stride: u32,
    /// All pages, `page_bytes` apart; a page counts only if it is in `defined`.
    bytes: Vec<u8>,
    defined: PageSet,
    /// What the kernels of this launch did.
    read: PageSet,
    written: PageSet,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
}

impl Region {
    /// Pages read and pages written at all in this launch.
    pub(crate) fn touched(&self) -> (u32, u32) {
        (self.read.len(), self.written.len())
    }

    /// A launch begins.
    pub(crate) fn forget(&mut self) {
        self.read.0.fill(0);
        self.written.0.fill(0);
        (self.bytes_read, self.bytes_written) = (0, 0);
    }

    fn page(&mut self, page: u32) -> &mut [u8] {
        let bytes = self.page_bytes as usize;
        &mut self.bytes[page as usize * bytes..][..bytes]
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
    /// In the order of their addresses.
    pub(crate) regions: Vec<Region>,
    /// First free byte of every bank.
    next: u32,
    alignment: u32,
}

impl Dram {
    pub(crate) fn new(arch: &ArchConstants) -> Dram {
        Dram {
            banks: arch.dram_banks,
            regions: Vec::new(),
            next: arch.dram_unreserved_base,
            alignment: arch.dram_alignment,
        }
    }

    /// Allocates an interleaved buffer with undefined contents; the address is the same in every bank.
    pub(crate) fn allocate(&mut self, pages: u32, page_bytes: u32) -> Option<u32> {
        let stride = page_bytes.next_multiple_of(self.alignment);
        let rows = pages.div_ceil(self.banks);
        let address = self.next;
        let end = u64::from(address) + u64::from(rows) * u64::from(stride);
        let end = u32::try_from(end).ok().filter(|end| u64::from(*end) <= BANK_BYTES)?;
        self.next = end;
        self.regions.push(Region {
            address,
            end,
            pages,
            page_bytes,
            stride,
            // Zeroed memory costs nothing until it is touched.
            bytes: vec![0; pages as usize * page_bytes as usize],
            defined: PageSet::new(pages),
            read: PageSet::new(pages),
            written: PageSet::new(pages),
            bytes_read: 0,
            bytes_written: 0,
        });
        Some(address)
    }

    /// The host fills buffer `index`; the bytes are those of all pages.
    pub(crate) fn fill(&mut self, index: usize, bytes: Vec<u8>) {
        let region = &mut self.regions[index];
        region.bytes = bytes;
        region.defined.0.fill(u64::MAX);
    }

    /// The bytes of all pages of buffer `index`.
    pub(crate) fn contents(&self, index: usize) -> Cow<'_, [u8]> {
        let region = &self.regions[index];
        let mut bytes = Cow::Borrowed(&region.bytes[..]);
        for page in (0..region.pages).filter(|page| !region.defined.contains(*page)) {
            let at = page as usize * region.page_bytes as usize;
            bytes.to_mut()[at..at + region.page_bytes as usize].fill(POISON);
        }
        bytes
    }

    /// How many pages of buffer `index` hold nothing, and the first of them.
    pub(crate) fn undefined(&self, index: usize) -> Option<(u32, u32)> {
        let region = &self.regions[index];
        let mut pages = (0..region.pages).filter(|page| !region.defined.contains(*page));
        pages.next().map(|first| (1 + pages.count() as u32, first))
    }

    /// The pieces of `bytes` bytes at an address of a bank, or `None` if they do not lie in a buffer's pages.
    fn pieces(&self, bank: u32, address: u64, bytes: u32) -> Option<impl Iterator<Item = Piece> + use<>> {
        let index = self.regions.partition_point(|r| u64::from(r.end) <= address);
        let region = self.regions.get(index)?;
        let start = address.checked_sub(u64::from(region.address))?;
        let end = start + u64::from(bytes);
        let (stride, page_bytes, banks) = (u64::from(region.stride), region.page_bytes, self.banks);
        let last_row = (end - 1) / stride;
        if bank >= banks || last_row * u64::from(banks) + u64::from(bank) >= u64::from(region.pages) {
            return None;
        }
        let piece = move |row: u64| {
            let first = start.max(row * stride) - row * stride;
            let past = (end.min((row + 1) * stride) - row * stride).min(u64::from(page_bytes));
            Piece {
                region: index,
                page: row as u32 * banks + bank,
                offset: first as u32,
                bytes: past.saturating_sub(first) as u32,
            }
        };
        // The gap that alignment leaves behind a page belongs to nobody.
        let fits = start % stride + u64::from(bytes) <= u64::from(page_bytes) || stride == u64::from(page_bytes);
        fits.then(|| (start / stride..=last_row).map(piece))
    }

    /// Hands the bytes of a range of a bank to `take`, piece by piece; false if the range lies outside every buffer.
    pub(crate) fn read(&mut self, bank: u32, address: u64, bytes: u32, mut take: impl FnMut(&[u8])) -> bool {
        let Some(pieces) = self.pieces(bank, address, bytes) else { return false };
        for Piece { region, page, offset, bytes } in pieces {
            let region = &mut self.regions[region];
            if !region.defined.contains(page) {
                region.page(page).fill(POISON);
            }
            region.read.insert(page);
            region.bytes_read += u64::from(bytes);
            take(&region.page(page)[offset as usize..][..bytes as usize]);
        }
        true
    }

    /// Lets `put` write the bytes of a range of a bank, piece by piece; false if the range lies outside every buffer.
    pub(crate) fn write(&mut self, bank: u32, address: u64, bytes: u32, mut put: impl FnMut(&mut [u8])) -> bool {
        let Some(pieces) = self.pieces(bank, address, bytes) else { return false };
        for Piece { region, page, offset, bytes } in pieces {
            let region = &mut self.regions[region];
            if !region.defined.contains(page) {
                if bytes < region.page_bytes {
                    region.page(page).fill(POISON);
                }
                region.defined.insert(page);
            }
            region.written.insert(page);
            region.bytes_written += u64::from(bytes);
            put(&mut region.page(page)[offset as usize..][..bytes as usize]);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::arch::Arch;

    fn read(dram: &mut Dram, bank: u32, address: u64, bytes: u32) -> Option<Vec<u8>> {
        let mut data = Vec::new();
        dram.read(bank, address, bytes, |piece| data.extend_from_slice(piece)).then_some(data)
    }

    #[test]
    fn pages_go_round_the_banks_and_undefined_bytes_are_poison() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = u64::from(dram.allocate(13, 2048).unwrap());
        dram.fill(0, (0..13 * 2048).map(|i| (i / 2048) as u8).collect());
        assert_eq!(read(&mut dram, 0, base + 2048, 1), Some(vec![12]));
        assert_eq!(read(&mut dram, 11, base, 1), Some(vec![11]));
        assert_eq!(read(&mut dram, 1, base + 2048, 1), None, "page 13 does not exist");
        let other = u64::from(dram.allocate(1, 64).unwrap());
        assert_eq!(read(&mut dram, 0, other, 2), Some(vec![POISON; 2]));
    }

    #[test]
    fn a_partial_write_leaves_the_rest_of_its_page_undefined() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = u64::from(dram.allocate(2, 64).unwrap());
        assert!(dram.write(1, base + 16, 4, |to| to.fill(7)));
        assert_eq!(dram.contents(0)[64 + 14..64 + 22], [POISON, POISON, 7, 7, 7, 7, POISON, POISON]);
        assert_eq!(dram.regions[0].touched(), (0, 1));
        assert_eq!(dram.undefined(0), Some((1, 0)));
    }

    #[test]
    fn a_transfer_may_run_through_pages_that_follow_each_other_in_a_bank() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = u64::from(dram.allocate(24, 32).unwrap());
        dram.fill(0, (0..24 * 32).map(|i| (i / 32) as u8).collect());
        let data = read(&mut dram, 3, base + 16, 32).unwrap();
        assert_eq!((data[15], data[16]), (3, 15));
        // Pages of 40 bytes are 64 apart: what lies between them is no memory of the buffer.
        let odd = u64::from(dram.allocate(24, 40).unwrap());
        assert!(read(&mut dram, 0, odd, 40).is_some());
        assert_eq!(read(&mut dram, 0, odd + 32, 16), None);
    }
}
