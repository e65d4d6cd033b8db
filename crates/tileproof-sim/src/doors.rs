//! The ABI table: what happens when a kernel calls.
//!
//! Each function finds the engine and the calling thread, lets the engine do one step, and suspends the fiber while the step
//! says that it has to wait. No reference into the engine is alive while a fiber is suspended, and no value with a
//! destructor: a kernel that is ended here unwinds through these frames.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;

use tileproof_model::abi::{Abi, CbInterface, Site};
use tileproof_model::event::What;
use tileproof_model::observe::Observer;
use tileproof_model::op_word::OpWord;
use tileproof_model::record::{BufferAction, Print};
use tileproof_model::thread::Thread;

use crate::core::{Core, SEMAPHORES};
use crate::fiber::{self, Suspender};
use crate::hart::{State, TRIDS, Wait};
use crate::l1::OFFSET_MASK;
use crate::machine::Engine;
use crate::multicast::Multicast;
use crate::noc;
use crate::signals::Sent;
use crate::tensix::state::How;
use crate::tensix::values::Before;

/// What a call came to.
pub(crate) enum Step {
    /// The kernel goes on.
    Done,
    /// It waits, and asks again.
    Wait(Wait),
    /// The run ends: a finding says why.
    Stop,
}

/// The thread that runs on this host thread.
#[derive(Clone, Copy)]
pub(crate) struct Current {
    pub(crate) engine: *mut (),
    pub(crate) core: usize,
    pub(crate) thread: Thread,
}

thread_local! {
    static CURRENT: Cell<Current> =
        const { Cell::new(Current { engine: ptr::null_mut(), core: 0, thread: Thread::Brisc }) };
}

thread_local! {
    /// Calls made on this host thread, those aside that only look, only wait, or give others a turn.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// How many calls were made so far that can change what another thread sees.
pub(crate) fn calls_made() -> u64 {
    CALLS.get()
}

/// Names the thread about to be resumed; the previous one is returned.
#[inline]
pub(crate) fn set_current(current: Current) -> Current {
    CURRENT.replace(current)
}

/// Runs `f` on the engine for the calling thread.
fn with<O: Observer, R>(f: impl FnOnce(&mut Engine<O>, usize, Thread) -> R) -> R {
    let current = CURRENT.get();
    assert!(!current.engine.is_null(), "a kernel call outside a running kernel");
    // SAFETY: the scheduler put its own engine there, of the type whose table the kernel was given, and holds no
    // reference to it while a fiber runs; the reference made here ends before the fiber suspends or returns.
    f(unsafe { &mut *current.engine.cast::<Engine<O>>() }, current.core, current.thread)
}

/// Looks in a row after which a thread gives a turn: a loop that only looks must not keep the others from running.
const LOOKS_A_TURN: u32 = 8;

/// A call that changes something which another thread may see.
fn call<O: Observer>(site: Site, step: impl Fn(&mut Engine<O>, usize, Thread) -> Step) {
    look(site, |engine: &mut Engine<O>, core, thread| {
        let step = step(engine, core, thread);
        if matches!(step, Step::Done) {
            changed();
        }
        step
    });
}

/// Something has changed that another thread may see.
fn changed() {
    CALLS.set(CALLS.get() + 1);
}

/// Lets the engine do a step for the calling thread until it is done, suspending in between. Unless the step says otherwise it
/// changes nothing that another thread could see.
fn look<O: Observer>(site: Site, step: impl Fn(&mut Engine<O>, usize, Thread) -> Step) {
    // Where a schedule is followed, another thread may go first before the step, and after it.
    let mut gave_way = false;
    let mut is_done = false;
    while !is_done {
        let suspender = with::<O, _>(|engine, core, thread| {
            engine.cores[core].hart(thread).site = site;
            if engine.explorer.is_some() && !gave_way {
                gave_way = true;
                if engine.gives_way(core, thread) {
                    return Some(engine.cores[core].hart(thread).suspender);
                }
            }
            let before = calls_made();
            match step(engine, core, thread) {
                Step::Done => {
                    is_done = true;
                    // In this order: to give way forgets who has looked.
                    let gives_way = engine.explorer.is_some() && engine.gives_way(core, thread);
                    let gives_turn = engine.has_seen(core, thread, calls_made() != before);
                    if !gives_turn && !gives_way {
                        return None;
                    }
                }
                Step::Wait(wait) => engine.cores[core].hart(thread).state = State::Blocked(wait),
                Step::Stop => engine.stopped = true,
            }
            Some(engine.cores[core].hart(thread).suspender)
        });
        match suspender {
            None => return,
            // SAFETY: the suspender of the hart that runs is this fiber's.
            Some(suspender) => unsafe { fiber::suspend(suspender) },
        }
    }
}

impl<O: Observer> Engine<O> {
    /// Counts the looks of a thread since it has changed anything. True if it gives a turn.
    fn has_seen(&mut self, core: usize, thread: Thread, changes: bool) -> bool {
        let hart = self.cores[core].hart(thread);
        hart.looks = if changes { 0 } else { hart.looks + 1 };
        let gives_turn = hart.looks >= LOOKS_A_TURN;
        if gives_turn {
            hart.looks = 0;
            if self.explorer.is_some() {
                self.has_looked(core, thread);
            }
        }
        gives_turn
    }
}

/// The fiber that starts to run takes its suspender along.
pub(crate) fn adopt<O: Observer>(suspender: Suspender) {
    with::<O, _>(|engine, core, thread| engine.cores[core].hart(thread).suspender = suspender);
}

/// The kernel has returned; its thread ends when its unit lets it.
pub(crate) fn finish<O: Observer>() {
    let site = with::<O, _>(|engine, core, thread| engine.cores[core].hart(thread).site);
    call::<O>(site, |engine, core, thread| {
        let step = engine.finish(core, thread);
        engine.saw(&step, (core, thread), site, |_| What::Returned);
        step
    });
}

/// Gives the other threads a turn, after a look that costs `cycles`.
fn turn<O: Observer>(site: Site, cycles: u64) {
    let suspender = with::<O, _>(|engine, core, thread| {
        if engine.explorer.is_some() {
            engine.has_looked(core, thread);
        }
        let hart = engine.cores[core].hart(thread);
        hart.site = site;
        hart.clock += cycles;
        hart.suspender
    });
    // SAFETY: as in `call`.
    unsafe { fiber::suspend(suspender) };
    if O::ACTIVE {
        // What it looked at before is not what it goes round for.
        with::<O, _>(|engine, core, thread| engine.cores[core].hart(thread).looked_at = None);
    }
}

/// A function that does one step of a core. The events after `sees` are made before the step and shown once it is done; so
/// is what goes through a unit, after `values`, for an observer that wants it: with the first event, since it is one call.
macro_rules! core_door {
    ($name:ident($($arg:ident: $type:ty),*) |$core:ident, $sink:ident, $thread:ident, $site:ident| $body:expr) => {
        core_door!($name($($arg: $type),*) |$core, $sink, $thread, $site| $body, sees [None; 0]);
    };
    ($name:ident($($arg:ident: $type:ty),*) |$core:ident, $sink:ident, $thread:ident, $site:ident| $body:expr,
        sees $events:expr) => {
        core_door!($name($($arg: $type),*) |$core, $sink, $thread, $site| $body, sees $events, values [None]);
    };
    ($name:ident($($arg:ident: $type:ty),*) |$core:ident, $sink:ident, $thread:ident, $site:ident| $body:expr,
        looks, sees $events:expr) => {
        core_door!($name($($arg: $type),*) |$core, $sink, $thread, $site| $body, sees $events, values [None], by look);
    };
    ($name:ident($($arg:ident: $type:ty),*) |$core:ident, $sink:ident, $thread:ident, $site:ident| $body:expr,
        sees $events:expr, values [$values:expr]) => {
        core_door!($name($($arg: $type),*) |$core, $sink, $thread, $site| $body, sees $events, values [$values], by call);
    };
    ($name:ident($($arg:ident: $type:ty),*) |$core:ident, $sink:ident, $thread:ident, $site:ident| $body:expr,
        sees $events:expr, values [$values:expr], by $how:ident) => {
        extern "C-unwind" fn $name<O: Observer>($site: Site, $($arg: $type),*) {
            $how::<O>($site, |engine, index, $thread| {
                let Engine { cores, sink: $sink, .. } = engine;
                let $core = &mut cores[index];
                let _ = (&$sink, $thread);
                let events = if O::ACTIVE { Some($events) } else { None };
                let mut values: Option<Before> = if O::VALUES { $values } else { None };
                let step = $body;
                if let (Some(events), Step::Done) = (events, &step) {
                    for event in events.into_iter().flatten() {
                        engine.observe(index, $thread, $site, event);
                        if O::VALUES && let Some(before) = values.take() {
                            engine.observe_values(index, $thread, $site, event, &before);
                        }
                    }
                }
                step
            });
        }
    };
}

/// Shows that a thread is about to wait for pages.
fn ask<O: Observer>(site: Site, action: BufferAction, cb: u32, pages: u32) {
    if O::ACTIVE {
        with::<O, _>(|engine, core, thread| {
            if let Some(what) = engine.cores[core].sees_ask(action, cb, pages) {
                engine.observe(core, thread, site, what);
            }
        });
    }
}

core_door!(cb_wait(cb: u32, pages: u32) |core, sink, thread, site| core.cb_wait_front(sink, thread, site, cb, pages),
    looks, sees [core.sees_buffer(thread, BufferAction::Wait, cb, pages)]);
core_door!(cb_reserve(cb: u32, pages: u32) |core, sink, thread, site| core.cb_reserve_back(sink, thread, site, cb, pages),
    looks, sees [core.sees_buffer(thread, BufferAction::Reserve, cb, pages)]);
core_door!(cb_pop_front(cb: u32, pages: u32) |core, sink, thread, site| core.cb_pop_front(sink, thread, site, cb, pages),
    sees [core.sees_buffer(thread, BufferAction::Pop, cb, pages)]);
core_door!(cb_push_back(cb: u32, pages: u32) |core, sink, thread, site| core.cb_push_back(sink, thread, site, cb, pages),
    sees [core.sees_buffer(thread, BufferAction::Push, cb, pages)]);
core_door!(unpack_configure(operands: u32, a: u32, b: u32, how: u32) |core, sink, thread, site|
    core.unpack_configure(sink, site, operands, [a, b], How::of(how)));
core_door!(unpack_init(word: OpWord) |core, sink, thread, site| core.unpack_init(site, word));
core_door!(unpack(word: OpWord, cb_a: u32, cb_b: u32, tile_a: u32, tile_b: u32) |core, sink, thread, site|
    core.unpack(sink, site, word, [cb_a, cb_b], [tile_a, tile_b]), sees core.sees_unpack([cb_a, cb_b], [tile_a, tile_b]));
core_door!(math_configure(operands: u32, a: u32, b: u32, how: u32) |core, sink, thread, site|
    core.math_configure(sink, site, operands, [a, b], How::of(how)));
core_door!(math_pack_sync_init() | core, sink, thread, site | core.math_pack_sync_init());
core_door!(math_init(word: OpWord) |core, sink, thread, site| core.math_init(site, word));
core_door!(math(word: OpWord, dst: u32) |core, sink, thread, site| core.math(sink, site, word, dst),
    sees [core.sees_math(word, dst)], values [core.math_values(dst)]);
core_door!(sfpu_init(op: u32) |core, sink, thread, site| core.sfpu_init(site, op));
core_door!(sfpu(op: u32, in0: u32, in1: u32, in2: u32, output: u32, params: &[u32; 4]) |core, sink, thread, site|
    core.sfpu(sink, site, op, [in0, in1, in2], output, params),
    sees [core.sees_sfpu(op, [in0, in1, in2], output, params[0]), core.sees_sfpu_beside(op, output)],
    values [core.sfpu_values(op, [in0, in1, in2], output)]);
core_door!(tile_regs_acquire() | core, sink, thread, site | core.tile_regs_acquire(), sees[Some(What::Acquire)]);
core_door!(tile_regs_commit() | core, sink, thread, site | core.tile_regs_commit(), sees[Some(What::Commit)]);
core_door!(pack_configure(cb: u32, how: u32) |core, sink, thread, site| core.pack_configure(sink, site, cb, How::of(how)));
core_door!(pack_init(word: OpWord) |core, sink, thread, site| core.pack_init(site, word),
    sees [Some(What::PackInit { word })]);
core_door!(pack_dest_init() | core, sink, thread, site | core.pack_dest_init());
core_door!(pack_edge_mask(dim: u32) |core, sink, thread, site| core.pack_edge_mask(dim), sees [Some(What::EdgeMask { dim })]);
core_door!(pack_relu_config(config: u32) |core, sink, thread, site| core.pack_relu_config(config),
    sees [Some(What::Relu { config })]);
core_door!(pack_l1_acc(enable: u32) |core, sink, thread, site| core.pack_l1_acc(enable != 0),
    sees [Some(What::L1Accumulation { enable: enable != 0 })]);
core_door!(pack_tile(dst: u32, cb: u32, out_of_order: u32, index: u32) |core, sink, thread, site|
    core.pack_tile(sink, site, dst, cb, (out_of_order != 0).then_some(index)),
    sees [core.sees_pack(dst, cb, (out_of_order != 0).then_some(index))]);
core_door!(pack_untilize(word: OpWord, dst: u32, cb: u32, column: u32) |core, sink, thread, site|
    core.pack_untilize(sink, site, word, dst, cb, column),
    sees std::array::from_fn::<_, 16, _>(|number| core.sees_pack_untilize(word, dst, cb, column, number as u32)));
core_door!(pack_rows(word: OpWord, dst: u32, cb: u32, index: u32) |core, sink, thread, site|
    core.pack_rows(sink, site, word, dst, cb, index), sees [core.sees_pack_rows(word, dst, cb, index)]);
core_door!(tile_regs_wait() | core, sink, thread, site | core.tile_regs_wait(), sees[Some(What::SectionWait)]);
core_door!(tile_regs_release() | core, sink, thread, site | core.tile_regs_release(), sees[core.sees_release()]);

extern "C-unwind" fn cb_wait_front<O: Observer>(site: Site, cb: u32, pages: u32) {
    ask::<O>(site, BufferAction::Wait, cb, pages);
    cb_wait::<O>(site, cb, pages);
}

extern "C-unwind" fn cb_reserve_back<O: Observer>(site: Site, cb: u32, pages: u32) {
    ask::<O>(site, BufferAction::Reserve, cb, pages);
    cb_reserve::<O>(site, cb, pages);
}

/// A poll that finds the pages is as good as a wait.
fn poll_pages<O: Observer>(site: Site, action: BufferAction, cb: u32, pages: u32) -> u32 {
    turn::<O>(site, crate::cost::POLL);
    with::<O, _>(|engine, core, thread| {
        let Engine { cores, sink, .. } = &mut *engine;
        if cores[core].configured_cb(sink, thread, site, cb).is_none() {
            return 0;
        }
        let now = engine.cores[core].hart(thread).clock;
        let found = engine.cores[core].cb_has(cb, pages, action == BufferAction::Wait, now);
        if O::ACTIVE
            && found
            && let Some(what) = engine.cores[core].sees_buffer(thread, action, cb, pages)
        {
            engine.observe(core, thread, site, what);
        }
        u32::from(found)
    })
}

extern "C-unwind" fn cb_pages_available_at_front<O: Observer>(site: Site, cb: u32, pages: u32) -> u32 {
    poll_pages::<O>(site, BufferAction::Wait, cb, pages)
}

extern "C-unwind" fn cb_pages_reservable_at_back<O: Observer>(site: Site, cb: u32, pages: u32) -> u32 {
    poll_pages::<O>(site, BufferAction::Reserve, cb, pages)
}

extern "C-unwind" fn cb_interface<O: Observer>(_site: Site, cb: u32) -> *mut CbInterface {
    // From a mutable reference: kernels write through the pointer, between calls and on this host thread alone.
    with::<O, _>(|engine, core, thread| {
        engine.cores[core].hart(thread).cbs.get_mut(cb as usize).map_or(ptr::null_mut(), ptr::from_mut)
    })
}

/// Reads of so few bytes may be looks at a word of another core, or of DRAM: they count where they bring something new.
const LOOK_BYTES: usize = 64;

extern "C-unwind" fn noc_read<O: Observer>(site: Site, noc: u32, from: u64, to: u32, bytes: u32) {
    look::<O>(site, |engine, core, thread| {
        let held = engine.cores[core].held(to, bytes);
        let step = match engine.explorer {
            None => engine.noc_read(core, thread, site, noc, from, to, bytes),
            Some(_) => engine.read_late(core, thread, site, noc, from, to, bytes),
        };
        if held.is_none() || held != engine.cores[core].held(to, bytes) {
            changed();
        }
        engine.fits_its_packet(&step, (core, thread), site, noc, bytes);
        engine.saw(&step, (core, thread), site, |engine| {
            let to = engine.cores[core].l1.offset(to);
            let end = engine.noc_end(core, to, from, true);
            let from = engine.noc_place(from);
            let (far, trid) = (engine.far_buffer(from), engine.trid(core, thread, noc, false));
            What::NocRead { noc: noc as u8 & 1, from, to, bytes, end, far, trid }
        });
        step
    });
}

extern "C-unwind" fn noc_write<O: Observer>(site: Site, noc: u32, from: u32, to: u64, bytes: u32, posted: u32) {
    let posted = posted != 0;
    call::<O>(site, |engine, core, thread| {
        let step = match engine.explorer {
            None => engine.noc_write(core, thread, site, noc, from, to, bytes, posted),
            Some(_) => engine.write_late(core, thread, site, noc, from, to, bytes, posted),
        };
        engine.fits_its_packet(&step, (core, thread), site, noc, bytes);
        engine.saw(&step, (core, thread), site, |engine| {
            let from = engine.cores[core].l1.offset(from);
            let end = engine.noc_end(core, from, to, false);
            let to = engine.noc_place(to);
            let far = engine.far_buffer(to);
            let trid = engine.trid(core, thread, noc, true);
            What::NocWrite { noc: noc as u8 & 1, from, to, bytes, end, far, posted, multicast: false, trid }
        });
        step
    });
}

extern "C-unwind" fn noc_multicast<O: Observer>(
    site: Site,
    noc: u32,
    from: u32,
    to: u64,
    bytes: u32,
    dests: u32,
    loopback: u32,
) {
    let multicast = Multicast { noc, from, to, bytes, dests, loopback: loopback != 0 };
    // The step shows its events itself, one for each core that the multicast reaches.
    call::<O>(site, |engine, core, thread| {
        let step = match engine.explorer {
            None => engine.noc_multicast(core, thread, site, multicast),
            Some(_) => engine.multicast_late(core, thread, site, multicast),
        };
        engine.fits_its_packet(&step, (core, thread), site, noc, bytes);
        step
    });
}

extern "C-unwind" fn noc_inline_write<O: Observer>(site: Site, noc: u32, value: u32, to: u64) {
    call::<O>(site, |engine, core, thread| {
        let step = engine.noc_inline_write(core, thread, site, noc, value, to);
        engine.saw(&step, (core, thread), site, |engine| {
            let to = engine.noc_place(to);
            What::InlineWrite { noc: noc as u8 & 1, to, is_semaphore: engine.is_semaphore(to) }
        });
        step
    });
}

extern "C-unwind" fn noc_barrier<O: Observer>(site: Site, noc: u32, kind: u32) {
    look::<O>(site, |engine, core, thread| {
        let step = engine.noc_barrier(core, thread, noc, kind);
        engine.saw(&step, (core, thread), site, |_| What::NocBarrier { noc: noc as u8 & 1, kind, trid: None });
        step
    });
}

extern "C-unwind" fn noc_set_trid<O: Observer>(site: Site, noc: u32, writes: u32, trid: u32) {
    with::<O, _>(|engine, core, thread| {
        let hart = engine.cores[core].hart(thread);
        hart.site = site;
        // Four bits of the packet's tag (tt-metal `noc_parameters.h`).
        hart.transfers[noc as usize & 1].trids[usize::from(writes != 0)] = trid as u8 % TRIDS as u8;
    });
}

extern "C-unwind" fn noc_trid_barrier<O: Observer>(site: Site, noc: u32, kind: u32, trid: u32) {
    look::<O>(site, |engine, core, thread| {
        let step = engine.noc_trid_barrier(core, thread, noc, kind, trid);
        engine.saw(&step, (core, thread), site, |_| trid_barrier(noc, kind, trid));
        step
    });
}

fn trid_barrier(noc: u32, kind: u32, trid: u32) -> What {
    What::NocBarrier { noc: noc as u8 & 1, kind, trid: Some(trid as u8 % TRIDS as u8) }
}

/// A poll that finds nothing outstanding is as good as a barrier.
extern "C-unwind" fn noc_trid_poll<O: Observer>(site: Site, noc: u32, kind: u32, trid: u32) -> u32 {
    turn::<O>(site, crate::cost::POLL);
    with::<O, _>(|engine, core, thread| {
        let hart = engine.cores[core].hart(thread);
        let done = hart.transfers[noc as usize & 1].trid_done_at(kind, trid) <= hart.clock;
        if done && engine.explorer.is_some() {
            engine.land_at_trid(core, thread, noc, kind, trid);
        }
        if O::ACTIVE && done {
            engine.observe(core, thread, site, trid_barrier(noc, kind, trid));
        }
        u32::from(done)
    })
}

extern "C-unwind" fn mailbox_write<O: Observer>(site: Site, to: u32, value: u32) {
    call::<O>(site, |engine, core, thread| {
        let Engine { cores, sink, .. } = engine;
        cores[core].mailbox_write(sink, thread, site, to, value)
    });
}

extern "C-unwind" fn mailbox_read<O: Observer>(site: Site, from: u32) -> u32 {
    let value = Cell::new(0);
    call::<O>(site, |engine, core, thread| {
        let Engine { cores, sink, .. } = engine;
        cores[core].mailbox_read(sink, thread, site, from, &value)
    });
    value.get()
}

extern "C-unwind" fn mailbox_poll<O: Observer>(site: Site, from: u32) -> u32 {
    turn::<O>(site, crate::cost::POLL);
    with::<O, _>(|engine, core, thread| u32::from(engine.cores[core].mailbox_has(thread, from)))
}

extern "C-unwind" fn bank_alignment<O: Observer>(dram: u32) -> u32 {
    with::<O, _>(|engine, _, _| {
        let arch = engine.arch.constants();
        if dram != 0 { arch.dram_alignment } else { arch.l1_alignment }
    })
}

extern "C-unwind" fn noc_semaphore_inc<O: Observer>(site: Site, noc: u32, address: u64, value: u32) {
    call::<O>(site, |engine, core, thread| {
        let step = engine.noc_semaphore_inc(core, thread, site, noc, address, value);
        engine.saw(&step, (core, thread), site, |engine| {
            let to = engine.noc_place(address);
            What::SemaphoreInc { noc: noc as u8 & 1, to }
        });
        step
    });
}

extern "C-unwind" fn bank_address<O: Observer>(_site: Site, dram: u32, bank: u32, _noc: u32) -> u64 {
    with::<O, _>(|engine, _, _| {
        if dram != 0 {
            return noc::dram_address(engine.arch, bank).unwrap_or(u64::MAX);
        }
        // L1 banks are the cores of the grid, row by row.
        let arch = engine.arch.constants();
        let (x, y) = noc::core_coordinates(arch, bank % arch.grid.0, bank / arch.grid.0);
        noc::encode(x, y, 0)
    })
}

extern "C-unwind" fn bank_count<O: Observer>(dram: u32) -> u32 {
    with::<O, _>(|engine, _, _| {
        let arch = engine.arch.constants();
        if dram != 0 { arch.dram_banks } else { arch.grid.0 * arch.grid.1 }
    })
}

extern "C-unwind" fn my_coordinates<O: Observer>(_noc: u32) -> u32 {
    with::<O, _>(|engine, core, _| {
        let coord = engine.cores[core].coord;
        let (x, y) = noc::core_coordinates(engine.arch.constants(), coord.x, coord.y);
        y << 16 | x
    })
}

extern "C-unwind" fn semaphore_address<O: Observer>(site: Site, id: u32) -> u32 {
    with::<O, _>(|engine, core, thread| {
        if id >= SEMAPHORES {
            engine.no_such_semaphore((core, thread), site, core, id);
        }
        let core = &engine.cores[core];
        core.l1.base() + core.semaphore_base + 16 * (id % SEMAPHORES)
    })
}

extern "C-unwind" fn semaphore_wait<O: Observer>(site: Site, address: u32, how: u32, value: u32) {
    look::<O>(site, |engine, index, thread| {
        engine.uses_semaphore((index, thread), site, index, address);
        let Engine { cores, sink, .. } = engine;
        let core = &mut cores[index];
        let offset = core.l1.offset(address);
        if !core.l1.contains(offset, 4) {
            return core.out_of_l1(sink, thread, site, "semaphore".into(), offset, 4);
        }
        let wait = Wait::Semaphore { offset, how, value };
        match core.ready_at(wait) {
            Some(at) => {
                let hart = core.hart(thread);
                hart.clock = hart.clock.max(at) + crate::cost::POLL;
                core.signals.met(offset, value);
                engine.saw(&Step::Done, (index, thread), site, |_| What::SemaphoreWait { offset });
                Step::Done
            }
            None => {
                core.signals.awaits(offset);
                Step::Wait(wait)
            }
        }
    });
}

extern "C-unwind" fn semaphore_set<O: Observer>(site: Site, address: u32, value: u32) {
    call::<O>(site, |engine, index, thread| {
        engine.uses_semaphore((index, thread), site, index, address);
        let Engine { cores, sink, .. } = engine;
        let core = &mut cores[index];
        let offset = core.l1.offset(address);
        if !core.l1.contains(offset, 4) {
            return core.out_of_l1(sink, thread, site, "semaphore".into(), offset, 4);
        }
        core.l1.write_word(offset, value);
        let hart = core.hart(thread);
        hart.clock += crate::cost::l1_words(1);
        let now = hart.clock;
        let sent = Sent { core: core.coord, thread, site, added: 0 };
        core.arrived(offset, 4, now, sent);
        engine.saw(&Step::Done, (index, thread), site, |engine| engine.cores[index].sees_store(offset, 4));
        Step::Done
    });
}

unsafe extern "C-unwind" fn l1_store<O: Observer>(site: Site, address: u32, from: *const u32, words: u32) {
    call::<O>(site, |engine, index, thread| {
        let Engine { cores, sink, .. } = engine;
        let core = &mut cores[index];
        let offset = core.l1.offset(address);
        let bytes = words.saturating_mul(4);
        if !core.l1.contains(offset, bytes) {
            return core.out_of_l1(sink, thread, site, "store".into(), offset, bytes);
        }
        // SAFETY: the caller gives `words` readable words outside every L1 window.
        unsafe { ptr::copy_nonoverlapping(from.cast(), core.l1.pointer(offset, bytes), bytes as usize) };
        core.hart(thread).clock += crate::cost::l1_words(words);
        engine.saw(&Step::Done, (index, thread), site, |engine| engine.cores[index].sees_store(offset, bytes));
        Step::Done
    });
}

unsafe extern "C-unwind" fn l1_load<O: Observer>(site: Site, address: u32, to: *mut u32, words: u32) {
    look::<O>(site, |engine, index, thread| {
        let Engine { cores, sink, .. } = engine;
        let core = &mut cores[index];
        let offset = core.l1.offset(address);
        let bytes = words.saturating_mul(4);
        if !core.l1.contains(offset, bytes) {
            return core.out_of_l1(sink, thread, site, "load".into(), offset, bytes);
        }
        // SAFETY: the caller gives `words` writable words outside every L1 window.
        unsafe { ptr::copy_nonoverlapping(core.l1.pointer(offset, bytes), to.cast(), bytes as usize) };
        core.hart(thread).clock += crate::cost::l1_words(words);
        engine.saw(&Step::Done, (index, thread), site, |engine| engine.cores[index].sees_load(offset, bytes));
        Step::Done
    });
}

/// A kernel's own load or store, through a pointer. Its arguments aside: no check looks at them, and `get_arg_val` reads them.
extern "C-unwind" fn l1_access<O: Observer>(site: Site, address: u32, bytes: u32, store: u32) {
    with::<O, _>(|engine, index, thread| {
        let core = &mut engine.cores[index];
        let offset = core.l1.offset(address);
        if address != core.l1.base() + offset || !core.l1.contains(offset, bytes) || core.is_argument(offset) {
            return;
        }
        engine.uses_semaphore((index, thread), site, index, address);
        let core = &mut engine.cores[index];
        if store == 0 && bytes == 4 {
            core.hart(thread).looked_at = Some(offset);
        }
        let what = if store == 0 { core.sees_load(offset, bytes) } else { core.sees_store(offset, bytes) };
        engine.observe(index, thread, site, what);
    });
}

extern "C-unwind" fn spend<O: Observer>(site: Site, cycles: u32) {
    with::<O, _>(|engine, core, thread| {
        let hart = engine.cores[core].hart(thread);
        hart.site = site;
        hart.clock += u64::from(cycles);
    });
}

/// A kernel has gone on by itself for a while: it may look at words of L1, and it may compute. What arrives in the turn of others
/// is seen no sooner than it arrives, whoever ran first.
extern "C-unwind" fn poll<O: Observer>(site: Site) {
    let reached = with::<O, _>(|engine, core, _| engine.cores[core].reached_at);
    turn::<O>(site, crate::cost::POLL);
    with::<O, _>(|engine, index, thread| {
        let core = &mut engine.cores[index];
        let at = core.reached_at;
        let hart = core.hart(thread);
        if at != reached {
            hart.clock = hart.clock.max(at);
        }
    });
}

unsafe extern "C-unwind" fn fail<O: Observer>(site: Site, text: *const u8, len: usize) {
    call::<O>(site, |engine, core, thread| {
        // SAFETY: the caller gives `len` readable bytes.
        let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, len) }).into_owned();
        engine.crashed(core, thread, site, text, None);
        Step::Stop
    });
}

extern "C-unwind" fn argument_address<O: Observer>(common: u32) -> u32 {
    with::<O, _>(|engine, core, thread| {
        let core = &engine.cores[core];
        core.l1.base() + core.argument_offset(thread, common != 0)
    })
}

extern "C-unwind" fn argument_count<O: Observer>(common: u32) -> u32 {
    with::<O, _>(|engine, core, thread| engine.cores[core].hart(thread).argument_counts[usize::from(common != 0)])
}

unsafe extern "C-unwind" fn print<O: Observer>(site: Site, text: *const u8, len: usize) {
    with::<O, _>(|engine, core, thread| {
        // SAFETY: the caller gives `len` readable bytes.
        let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, len) }).into_owned();
        let core = &mut engine.cores[core];
        let cycle = core.hart(thread).clock;
        engine.prints.push(Print { place: core.place(thread, site), cycle, text });
    });
}

unsafe extern "C-unwind" fn format_tile<O: Observer>(
    _site: Site,
    source: u32,
    index: u32,
    tile: u32,
    slice: u64,
    to: *mut u8,
    capacity: u32,
) -> u32 {
    let text = with::<O, _>(|engine, core, thread| engine.cores[core].tile_text(thread, source, index, tile, slice));
    let bytes = text.len().min(capacity as usize);
    // SAFETY: the caller gives `capacity` writable bytes outside every L1 window; nothing suspends here.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr(), to, bytes) };
    bytes as u32
}

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

impl<O: Observer> Engine<O> {
    /// The table that kernels of this engine are given.
    pub(crate) const ABI: &'static Abi = &tileproof_model::doors!(O, hooks: O::ACTIVE);
}

/// Offsets of L1 and L1 addresses are told apart by this mask alone; a window must not be smaller than L1.
const _: () = assert!(OFFSET_MASK >= 1536 * 1024);

unsafe extern "C-unwind" fn unsupported<O: Observer>(site: Site, text: *const u8, len: usize) {
    call::<O>(site, |engine, core, thread| {
        // SAFETY: the caller gives `len` readable bytes.
        let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, len) }).into_owned();
        let Engine { cores, sink, .. } = engine;
        cores[core].unimplemented(sink, thread, site, text)
    });
}

extern "C-unwind" fn cb_counter<O: Observer>(site: Site, cb: u32, acked: u32) -> u32 {
    turn::<O>(site, crate::cost::POLL);
    with::<O, _>(|engine, core, thread| {
        let Engine { cores, sink, .. } = &mut *engine;
        if cores[core].configured_cb(sink, thread, site, cb).is_none() {
            return 0;
        }
        let buffer = engine.cores[core].cbs.get(cb as usize).and_then(|b| b.as_ref());
        // The counters are 16-bit stream registers (tt-metal `stream_interface.h`).
        buffer.map_or(0, |b| u32::from(if acked == 0 { b.producer.pages } else { b.consumer.pages } as u16))
    })
}
