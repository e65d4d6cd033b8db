//! DRAM: banks with a lock-step allocator, as the device's.
//!
//! A buffer has the same base in every bank; page p of an interleaved buffer lies in bank p mod N.

use tileproof_model::arch::ArchConstants;

/// Byte that undefined memory is filled with: a NaN in every float format, so that its use shows.
pub(crate) const POISON: u8 = 0xff;

/// An interleaved buffer, and what became of its pages in this launch.
pub(crate) struct Region {
    address: u32,
    end: u32,
    stride: u32,
    pages: u32,
    /// One bit a page.
    read: Vec<u64>,
    written: Vec<u64>,
    pub(crate) bytes_read: u64,
    pub(crate) bytes_written: u64,
}

impl Region {
    /// Pages read and pages written at all.
    pub(crate) fn touched(&self) -> (u32, u32) {
        let ones = |bits: &[u64]| bits.iter().map(|w| w.count_ones()).sum();
        (ones(&self.read), ones(&self.written))
    }

    pub(crate) fn forget(&mut self) {
        self.read.fill(0);
        self.written.fill(0);
        (self.bytes_read, self.bytes_written) = (0, 0);
    }
}

pub(crate) struct Dram {
    banks: Vec<Vec<u8>>,
    pub(crate) regions: Vec<Region>,
    /// First free byte of every bank.
    next: u32,
    alignment: u32,
    base: u32,
}

impl Dram {
    pub(crate) fn new(arch: &ArchConstants) -> Dram {
        Dram {
            banks: vec![Vec::new(); arch.dram_banks as usize],
            regions: Vec::new(),
            next: arch.dram_unreserved_base,
            alignment: arch.dram_alignment,
            base: arch.dram_unreserved_base,
        }
    }

    /// Allocates an interleaved buffer and poisons it; the address is the same in every bank.
    pub(crate) fn allocate(&mut self, pages: u32, page_bytes: u32) -> Option<u32> {
        let rows = pages.div_ceil(self.banks.len() as u32);
        let bytes = u64::from(rows) * u64::from(page_bytes.next_multiple_of(self.alignment));
        let address = self.next;
        let end = u32::try_from(u64::from(address) + bytes).ok().filter(|end| *end <= 1 << 30)?;
        self.next = end;
        for bank in &mut self.banks {
            bank.resize((end - self.base) as usize, POISON);
        }
        let words = pages.div_ceil(64) as usize;
        self.regions.push(Region {
            address,
            end,
            stride: page_bytes.next_multiple_of(self.alignment),
            pages,
            read: vec![0; words],
            written: vec![0; words],
            bytes_read: 0,
            bytes_written: 0,
        });
        Some(address)
    }

    /// Notes a NoC transfer of `bytes` bytes at an address of a bank.
    pub(crate) fn note(&mut self, bank: u32, address: u64, bytes: u32, is_write: bool) {
        let banks = self.banks.len() as u32;
        let at = self.regions.partition_point(|r| u64::from(r.end) <= address);
        let Some(region) = self.regions.get_mut(at) else { return };
        let Some(offset) = address.checked_sub(u64::from(region.address)) else { return };
        let (bits, sum) = if is_write {
            (&mut region.written, &mut region.bytes_written)
        } else {
            (&mut region.read, &mut region.bytes_read)
        };
        *sum += u64::from(bytes);
        let first = offset / u64::from(region.stride);
        let last = (offset + u64::from(bytes) - 1) / u64::from(region.stride);
        for row in first..=last {
            let page = row as u32 * banks + bank;
            if page < region.pages {
                bits[page as usize / 64] |= 1 << (page % 64);
            }
        }
    }

    /// The bytes of a range of a bank, or `None` outside what is allocated.
    pub(crate) fn bytes(&self, bank: u32, address: u64, bytes: u32) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(u64::from(self.base))?).ok()?;
        self.banks.get(bank as usize)?.get(start..start.checked_add(bytes as usize)?)
    }

    /// The bytes of a range of a bank for writing.
    pub(crate) fn bytes_mut(&mut self, bank: u32, address: u64, bytes: u32) -> Option<&mut [u8]> {
        let start = usize::try_from(address.checked_sub(u64::from(self.base))?).ok()?;
        self.banks.get_mut(bank as usize)?.get_mut(start..start.checked_add(bytes as usize)?)
    }

    /// Bank and address of page `page` of an interleaved buffer at `base`.
    pub(crate) fn page(&self, base: u32, page: u32, page_bytes: u32) -> (u32, u64) {
        let banks = self.banks.len() as u32;
        let stride = u64::from(page_bytes.next_multiple_of(self.alignment));
        (page % banks, u64::from(base) + u64::from(page / banks) * stride)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::arch::Arch;

    #[test]
    fn pages_go_round_the_banks_and_undefined_bytes_are_poison() {
        let mut dram = Dram::new(Arch::Wormhole.constants());
        let base = dram.allocate(13, 2048).unwrap();
        assert_eq!(dram.page(base, 12, 2048), (0, u64::from(base) + 2048));
        let (bank, address) = dram.page(base, 11, 2048);
        assert_eq!(dram.bytes(bank, address, 1), Some(&[POISON][..]));
        assert_eq!(dram.bytes(bank, address + 8192, 1), None);
    }
}
