//! The NoC: transfers, barriers, and what banks and cores are called there.

use tileproof_model::abi::{Site, bank, direction, noc_flag};
use tileproof_model::observe::Observer;

use crate::core::Core;
use crate::noc::address;
use crate::noc::ends::{Kind, Transfer};
use crate::turns::{call, changed, look, turn, with};

/// Reads of so few bytes may be looks at a word of another core, or of DRAM: they count where they bring something new.
const LOOK_BYTES: usize = 64;

impl Core {
    /// What L1 holds where a read goes that may be a look; `None` for one that is none.
    fn held(&self, address: u32, bytes: u32) -> Option<[u8; LOOK_BYTES]> {
        let mut held = [0; LOOK_BYTES];
        let offset = self.l1.offset(address);
        let piece = held.get_mut(..bytes as usize).filter(|_| self.l1.contains(offset, bytes))?;
        self.l1.read(offset, piece);
        Some(held)
    }
}

pub(super) extern "C-unwind" fn noc_read<O: Observer>(site: Site, noc: u32, from: u64, to: u32, bytes: u32) {
    look::<O, _>(site, |engine, by| {
        let held = engine.cores[by.core].held(to, bytes);
        engine.transfer(by, Transfer::new(Kind::Read, noc, to, from, bytes))?;
        if held.is_none() || held != engine.cores[by.core].held(to, bytes) {
            changed();
        }
        Ok(())
    });
}

pub(super) extern "C-unwind" fn noc_write<O: Observer>(
    site: Site,
    noc: u32,
    from: u32,
    to: u64,
    bytes: u32,
    posted: u32,
) {
    let kind = Kind::Write { posted: posted != 0 };
    call::<O, _>(site, |engine, by| engine.transfer(by, Transfer::new(kind, noc, from, to, bytes)));
}

pub(super) extern "C-unwind" fn noc_multicast<O: Observer>(
    site: Site,
    noc: u32,
    from: u32,
    to: u64,
    bytes: u32,
    dests: u32,
    loopback: u32,
) {
    let kind = Kind::Multicast { dests, loopback: loopback != 0 };
    call::<O, _>(site, |engine, by| engine.transfer(by, Transfer::new(kind, noc, from, to, bytes)));
}

pub(super) extern "C-unwind" fn noc_inline_write<O: Observer>(site: Site, noc: u32, value: u32, to: u64) {
    let kind = Kind::InlineWrite { value };
    call::<O, _>(site, |engine, by| engine.transfer(by, Transfer::word(kind, noc, to)));
}

pub(super) extern "C-unwind" fn noc_semaphore_inc<O: Observer>(site: Site, noc: u32, to: u64, value: u32) {
    let kind = Kind::Increment { value, posted: noc & noc_flag::POSTED != 0 };
    call::<O, _>(site, |engine, by| engine.transfer(by, Transfer::word(kind, noc, to)));
}

pub(super) extern "C-unwind" fn noc_barrier<O: Observer>(site: Site, noc: u32, kind: u32) {
    look::<O, _>(site, |engine, by| engine.noc_barrier(by, noc as u8 & 1, kind));
}

pub(super) extern "C-unwind" fn noc_set_trid<O: Observer>(site: Site, noc: u32, way: u32, trid: u32) {
    with::<O, _>(site, |engine, by| {
        engine.cores[by.core].hart(by.thread).site = site;
        engine.noc_set_trid(by, noc as u8 & 1, way == direction::WRITES, trid);
    });
}

pub(super) extern "C-unwind" fn noc_trid_barrier<O: Observer>(site: Site, noc: u32, kind: u32, trid: u32) {
    look::<O, _>(site, |engine, by| engine.noc_trid_barrier(by, noc as u8 & 1, kind, trid));
}

pub(super) extern "C-unwind" fn noc_trid_poll<O: Observer>(site: Site, noc: u32, kind: u32, trid: u32) -> u32 {
    turn::<O>(site);
    with::<O, _>(site, |engine, by| u32::from(engine.noc_trid_poll(by, noc as u8 & 1, kind, trid)))
}

pub(super) extern "C-unwind" fn bank_alignment<O: Observer>(kind: u32) -> u32 {
    with::<O, _>(Site::default(), |engine, _| {
        let arch = engine.arch.constants();
        if kind == bank::DRAM { arch.dram_alignment } else { arch.l1_alignment }
    })
}

pub(super) extern "C-unwind" fn bank_address<O: Observer>(site: Site, kind: u32, number: u32, _noc: u32) -> u64 {
    with::<O, _>(site, |engine, _| {
        if kind == bank::DRAM {
            return address::dram_address(engine.arch, number).unwrap_or(u64::MAX);
        }
        // L1 banks are the cores of the grid, row by row.
        let arch = engine.arch.constants();
        let (x, y) = address::core_coordinates(arch, number % arch.grid.0, number / arch.grid.0);
        address::encode(x, y, 0)
    })
}

pub(super) extern "C-unwind" fn bank_count<O: Observer>(kind: u32) -> u32 {
    with::<O, _>(Site::default(), |engine, _| {
        let arch = engine.arch.constants();
        if kind == bank::DRAM { arch.dram_banks } else { arch.grid.0 * arch.grid.1 }
    })
}

pub(super) extern "C-unwind" fn my_coordinates<O: Observer>(_noc: u32) -> u32 {
    with::<O, _>(Site::default(), |engine, by| {
        let coord = engine.cores[by.core].coord;
        let (x, y) = address::core_coordinates(engine.arch.constants(), coord.x, coord.y);
        y << 16 | x
    })
}
