//! What concerns a thread alone: its arguments, its time, what it prints, and its end.

#![allow(unsafe_code)]

use std::ptr;

use tileproof_model::abi::{Site, arguments};
use tileproof_model::observe::Observer;

use crate::black_box;
use crate::engine::Engine;
use crate::looked_for::LookedFor;
use crate::step::Halt;
use crate::turns::{call, turn, with};

pub(super) extern "C-unwind" fn spend<O: Observer>(site: Site, cycles: u32) {
    with::<O, _>(site, |engine, by| {
        let hart = engine.cores[by.core].hart(by.thread);
        hart.site = site;
        hart.clock += u64::from(cycles);
    });
}

/// A kernel has gone on by itself for a while: it may look at words of L1, and it may compute. What arrives in the turn of others is
/// seen no sooner than it arrives, whoever ran first; who has looked at nothing sees nothing.
pub(super) extern "C-unwind" fn poll<O: Observer>(site: Site) {
    let (looks, reached) = with::<O, _>(site, |engine, by| {
        // Where transfers wait for each other threads go in the order of time: what came in a turn belongs before what is done next.
        let is_by_time = engine.deliveries.traffic.is_some();
        let core = &mut engine.cores[by.core];
        (is_by_time || core.hart(by.thread).looked_for.may_look(), core.reached_at)
    });
    turn::<O>(site);
    if !looks {
        return;
    }
    with::<O, _>(site, |engine, by| {
        let core = &mut engine.cores[by.core];
        let at = core.reached_at;
        let hart = core.hart(by.thread);
        if at != reached {
            hart.clock = hart.clock.max(at);
        }
    });
}

pub(super) unsafe extern "C-unwind" fn watch<O: Observer>(looked_for: *mut u32) -> *mut u64 {
    with::<O, _>(Site::default(), |engine, by| {
        // SAFETY: the caller gives a word that is its own until it ends; `finish` forgets it then.
        engine.cores[by.core].hart(by.thread).looked_for = unsafe { LookedFor::new(looked_for) };
    });
    black_box::block_cell()
}

pub(super) unsafe extern "C-unwind" fn fail<O: Observer>(site: Site, text: *const u8, len: usize) {
    call::<O, ()>(site, |engine, by| {
        // SAFETY: the caller gives `len` readable bytes.
        let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, len) }).into_owned();
        engine.crashed(by, text, None);
        Err(Halt::Stop)
    });
}

pub(super) unsafe extern "C-unwind" fn unsupported<O: Observer>(site: Site, text: *const u8, len: usize) {
    call::<O, ()>(site, |engine, by| {
        // SAFETY: the caller gives `len` readable bytes.
        let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, len) }).into_owned();
        let Engine { cores, sink, .. } = engine;
        Err(cores[by.core].unimplemented(sink, by.thread, by.site, text))
    });
}

pub(super) extern "C-unwind" fn argument_address<O: Observer>(whose: u32) -> u32 {
    with::<O, _>(Site::default(), |engine, by| {
        let core = &engine.cores[by.core];
        core.l1.base() + core.argument_offset(by.thread, whose == arguments::COMMON)
    })
}

pub(super) extern "C-unwind" fn argument_count<O: Observer>(whose: u32) -> u32 {
    with::<O, _>(Site::default(), |engine, by| {
        engine.cores[by.core].hart(by.thread).argument_counts[usize::from(whose == arguments::COMMON)]
    })
}

pub(super) unsafe extern "C-unwind" fn print<O: Observer>(site: Site, text: *const u8, len: usize) {
    with::<O, _>(site, |engine, by| {
        // SAFETY: the caller gives `len` readable bytes.
        let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, len) }).into_owned();
        let core = &mut engine.cores[by.core];
        let cycle = core.hart(by.thread).clock;
        let place = || core.place(by.thread, site);
        engine.prints.add(place, cycle, text);
        engine.printed += 1;
    });
}

pub(super) unsafe extern "C-unwind" fn format_tile<O: Observer>(
    site: Site,
    source: u32,
    index: u32,
    tile: u32,
    slice: u64,
    to: *mut u8,
    capacity: u32,
) -> u32 {
    let text = with::<O, _>(site, |engine, by| engine.cores[by.core].tile_text(by.thread, source, index, tile, slice));
    let bytes = text.len().min(capacity as usize);
    // SAFETY: the caller gives `capacity` writable bytes outside every L1 window; nothing suspends here.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), to, bytes) };
    bytes as u32
}
