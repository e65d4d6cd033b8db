//! Circular buffers: `cb_wait_front` and its kin.

use std::ptr;

use tileproof_model::abi::{CbInterface, Site, counter};
use tileproof_model::event::What;
use tileproof_model::observe::Observer;
use tileproof_model::record::BufferAction;

use crate::core::Core;
use crate::doors::core_door::core_door;
use crate::engine::Engine;
use crate::observe::Did;
use crate::step::Caller;
use crate::turns::{call, look, turn, with};

/// Shows that a thread is about to wait for pages.
fn ask<O: Observer>(site: Site, action: BufferAction, cb: u32, pages: u32) {
    if O::ACTIVE {
        with::<O, _>(site, |engine, by| {
            if let Some(what) = engine.cores[by.core].sees_ask(action, cb, pages) {
                engine.observe(by, what);
            }
        });
    }
}

/// Keeps where a thread stands before a call, if anybody looks.
#[inline]
fn stands<O: Observer>(core: &mut Core, by: Caller, cb: u32, is_producer: bool) {
    if O::ACTIVE {
        core.notes_standing(by.thread, cb, is_producer);
    }
}

core_door!(look, cb_wait(cb: u32, pages: u32) |core, sink, by| {
    stands::<O>(core, by, cb, false);
    core.cb_wait_front(sink, by, cb, pages)
});
core_door!(look, cb_reserve(cb: u32, pages: u32) |core, sink, by| {
    stands::<O>(core, by, cb, true);
    core.cb_reserve_back(sink, by, cb, pages)
});
core_door!(call, cb_pop_front(cb: u32, pages: u32) |core, sink, by| {
    stands::<O>(core, by, cb, false);
    core.cb_pop_front(sink, by, cb, pages)
});
core_door!(call, cb_push_back(cb: u32, pages: u32) |core, sink, by| {
    stands::<O>(core, by, cb, true);
    core.cb_push_back(sink, by, cb, pages)
});

pub(super) extern "C-unwind" fn cb_wait_front<O: Observer>(site: Site, cb: u32, pages: u32) {
    ask::<O>(site, BufferAction::Wait, cb, pages);
    cb_wait::<O>(site, cb, pages);
}

pub(super) extern "C-unwind" fn cb_reserve_back<O: Observer>(site: Site, cb: u32, pages: u32) {
    ask::<O>(site, BufferAction::Reserve, cb, pages);
    cb_reserve::<O>(site, cb, pages);
}

/// A poll that finds the pages is as good as a wait.
fn poll_pages<O: Observer>(site: Site, action: BufferAction, cb: u32, pages: u32) -> u32 {
    turn::<O>(site);
    with::<O, _>(site, |engine, by| {
        let Engine { cores, sink, .. } = &mut *engine;
        stands::<O>(&mut cores[by.core], by, cb, action == BufferAction::Reserve);
        let found = cores[by.core].cb_poll(sink, by, action, cb, pages);
        engine.observe(by, What::Polled);
        if O::ACTIVE
            && let Some(credit) = found
        {
            credit.show(engine, by);
        }
        u32::from(found.is_some())
    })
}

pub(super) extern "C-unwind" fn cb_pages_available_at_front<O: Observer>(site: Site, cb: u32, pages: u32) -> u32 {
    poll_pages::<O>(site, BufferAction::Wait, cb, pages)
}

pub(super) extern "C-unwind" fn cb_pages_reservable_at_back<O: Observer>(site: Site, cb: u32, pages: u32) -> u32 {
    poll_pages::<O>(site, BufferAction::Reserve, cb, pages)
}

pub(super) extern "C-unwind" fn cb_interface<O: Observer>(site: Site, cb: u32) -> *mut CbInterface {
    // From a mutable reference: kernels write through the pointer, between calls and on this host thread alone.
    with::<O, _>(site, |engine, by| {
        let cbs = &mut engine.cores[by.core].hart(by.thread).cbs;
        cbs.get_mut(cb as usize).map_or(ptr::null_mut(), ptr::from_mut)
    })
}

pub(super) extern "C-unwind" fn cb_counter<O: Observer>(site: Site, cb: u32, which: u32) -> u32 {
    turn::<O>(site);
    with::<O, _>(site, |engine, by| {
        let Engine { cores, sink, .. } = engine;
        let core = &cores[by.core];
        if core.configured_cb(sink, by.thread, by.site, cb).is_err() {
            return 0;
        }
        let buffer = core.cbs.get(cb as usize).and_then(|b| b.as_ref());
        // The counters are 16-bit stream registers (tt-metal `stream_interface.h`).
        buffer.map_or(0, |b| {
            u32::from(if which == counter::RECEIVED { b.producer.pages } else { b.consumer.pages } as u16)
        })
    })
}
