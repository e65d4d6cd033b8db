//! Words that threads reach by themselves: semaphores, mailboxes, L1.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;

use tileproof_model::abi::Site;
use tileproof_model::event::What;
use tileproof_model::observe::Observer;

use crate::core::SEMAPHORES;
use crate::cost::Costs;
use crate::engine::Engine;
use crate::observe::{Did, Loaded, Stored};
use crate::turns::{call, look, turn, with};

pub(super) extern "C-unwind" fn semaphore_address<O: Observer>(site: Site, id: u32) -> u32 {
    with::<O, _>(site, |engine, by| {
        if id >= SEMAPHORES {
            engine.no_such_semaphore(by, by.core, id);
        }
        let core = &engine.cores[by.core];
        core.l1.base() + core.semaphore_base + 16 * (id % SEMAPHORES)
    })
}

pub(super) extern "C-unwind" fn semaphore_wait<O: Observer>(site: Site, address: u32, how: u32, value: u32) {
    look::<O, _>(site, |engine, by| engine.semaphore_wait(by, address, how, value));
}

pub(super) extern "C-unwind" fn semaphore_set<O: Observer>(site: Site, address: u32, value: u32) {
    call::<O, _>(site, |engine, by| engine.semaphore_set(by, address, value));
}

pub(super) extern "C-unwind" fn mailbox_write<O: Observer>(site: Site, to: u32, value: u32) {
    call::<O, _>(site, |engine, by| {
        let Engine { cores, sink, .. } = engine;
        cores[by.core].mailbox_write(sink, by.thread, by.site, to, value)
    });
}

pub(super) extern "C-unwind" fn mailbox_read<O: Observer>(site: Site, from: u32) -> u32 {
    let value = Cell::new(0);
    call::<O, _>(site, |engine, by| {
        let Engine { cores, sink, .. } = engine;
        let (word, read) = cores[by.core].mailbox_read(sink, by.thread, by.site, from)?;
        value.set(word);
        Ok(read)
    });
    value.get()
}

pub(super) extern "C-unwind" fn mailbox_poll<O: Observer>(site: Site, from: u32) -> u32 {
    turn::<O>(site);
    with::<O, _>(site, |engine, by| {
        engine.observe(by, What::Polled);
        u32::from(engine.cores[by.core].mailbox_has(by.thread, from))
    })
}

pub(super) unsafe extern "C-unwind" fn l1_store<O: Observer>(site: Site, address: u32, from: *const u32, words: u32) {
    call::<O, _>(site, |engine, by| {
        let Engine { cores, sink, .. } = engine;
        let core = &mut cores[by.core];
        let (offset, bytes) = (core.l1.offset(address), words.saturating_mul(4));
        if !core.l1.contains(offset, bytes) {
            return Err(core.out_of_l1(sink, by.thread, by.site, "store".into(), offset, bytes));
        }
        // SAFETY: the caller gives `words` readable words outside every L1 window.
        unsafe { ptr::copy_nonoverlapping(from.cast(), core.l1.pointer(offset, bytes), bytes as usize) };
        core.hart(by.thread).spend(|cycles| cycles.l1_words(words));
        let value = (words == 1).then(|| core.l1.read_word(offset));
        Ok(Stored { offset, bytes, value })
    });
}

pub(super) unsafe extern "C-unwind" fn l1_load<O: Observer>(site: Site, address: u32, to: *mut u32, words: u32) {
    look::<O, _>(site, |engine, by| {
        let Engine { cores, sink, .. } = engine;
        let core = &mut cores[by.core];
        let (offset, bytes) = (core.l1.offset(address), words.saturating_mul(4));
        if !core.l1.contains(offset, bytes) {
            return Err(core.out_of_l1(sink, by.thread, by.site, "load".into(), offset, bytes));
        }
        // SAFETY: the caller gives `words` writable words outside every L1 window.
        unsafe { ptr::copy_nonoverlapping(core.l1.pointer(offset, bytes), to.cast(), bytes as usize) };
        core.hart(by.thread).spend(|cycles| cycles.l1_words(words));
        Ok(Loaded { offset, bytes })
    });
}

/// The machine's loads see what is there: this tells observers.
pub(super) extern "C-unwind" fn l1_invalidate<O: Observer>(site: Site) {
    with::<O, _>(site, |engine, by| engine.observe(by, What::CacheInvalidated));
}

/// A kernel's own load or store, through a pointer. Its arguments aside: no check looks at them, and `get_arg_val` reads them.
pub(super) extern "C-unwind" fn l1_access<O: Observer>(site: Site, address: u32, bytes: u32, store: u32) {
    with::<O, _>(site, |engine, by| {
        let core = &engine.cores[by.core];
        let offset = core.l1.offset(address);
        if address != core.l1.base() + offset || !core.l1.contains(offset, bytes) || core.is_argument(offset) {
            return;
        }
        engine.uses_semaphore(by, by.core, offset);
        engine.accesses = engine.accesses.saturating_add(1);
        if store == 0 {
            Loaded { offset, bytes }.show(engine, by);
        } else {
            Stored { offset, bytes, value: None }.show(engine, by);
        }
    });
}
