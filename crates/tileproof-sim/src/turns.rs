//! From a kernel's call to a step of the engine, and back to the scheduler when the step has to wait.
//!
//! No reference into the engine is alive while a fiber is suspended, and no value with a destructor: a kernel that is ended
//! here unwinds through these frames. The functions are inlined into the doors, one a call of the ABI. Start at [`call`].

#![allow(unsafe_code)]

use std::cell::Cell;
use std::ptr;

use tileproof_model::abi::Site;
use tileproof_model::event::What;
use tileproof_model::observe::{Observer, Took};
use tileproof_model::thread::Thread;

use crate::engine::Engine;
use crate::fiber::{self, Suspender};
use crate::hart::State;
use crate::observe::Did;
use crate::step::{Caller, Halt, Step};

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
#[inline]
pub(crate) fn calls_made() -> u64 {
    CALLS.get()
}

/// Names the thread about to be resumed; the previous one is returned.
#[inline]
pub(crate) fn set_current(current: Current) -> Current {
    CURRENT.replace(current)
}

/// Runs `f` on the engine for the calling thread.
#[inline]
pub(crate) fn with<O: Observer, R>(site: Site, f: impl FnOnce(&mut Engine<O>, Caller) -> R) -> R {
    let Current { engine, core, thread } = CURRENT.get();
    assert!(!engine.is_null(), "a kernel call outside a running kernel");
    // SAFETY: the scheduler put its own engine there, of the type whose table the kernel was given, and holds no
    // reference to it while a fiber runs; the reference made here ends before the fiber suspends or returns.
    f(unsafe { &mut *engine.cast::<Engine<O>>() }, Caller { core, thread, site })
}

/// Looks in a row after which a thread gives a turn: a loop that only looks must not keep the others from running.
const LOOKS_A_TURN: u32 = 8;

/// A call that changes something which another thread may see.
#[inline]
pub(crate) fn call<O: Observer, D: Did>(site: Site, step: impl Fn(&mut Engine<O>, Caller) -> Step<D>) {
    look(site, |engine: &mut Engine<O>, by| {
        let did = step(engine, by)?;
        changed();
        Ok(did)
    });
}

/// Something has changed that another thread may see.
#[inline]
pub(crate) fn changed() {
    CALLS.set(CALLS.get() + 1);
}

/// Lets the engine do a step for the calling thread until it is done, suspending in between. Unless the step says otherwise it
/// changes nothing that another thread could see.
#[inline]
pub(crate) fn look<O: Observer, D: Did>(site: Site, step: impl Fn(&mut Engine<O>, Caller) -> Step<D>) {
    // Where a schedule is followed, another thread may go first before the step, whenever it is tried, and after it.
    let mut is_done = false;
    let mut start = None;
    while !is_done {
        let suspender = with::<O, _>(site, |engine, by| {
            let Caller { core, thread, .. } = by;
            engine.cores[core].hart(thread).site = site;
            if engine.passes_point(by, false) {
                return Some(engine.cores[core].hart(thread).suspender);
            }
            let before = calls_made();
            if O::TIMES {
                let hart = engine.cores[core].hart(thread);
                start.get_or_insert(hart.clock);
                hart.went_on = 0;
            }
            match step(engine, by) {
                Ok(did) => {
                    if O::ACTIVE {
                        did.show(engine, by);
                    }
                    if O::TIMES
                        && let Some(start) = start
                    {
                        engine.took(by, start);
                    }
                    is_done = true;
                    // In this order: to give way forgets who has looked.
                    let changes = calls_made() != before;
                    let gives_way = engine.passes_point(by, changes);
                    let gives_turn = engine.has_seen(by, changes);
                    if !gives_turn && !gives_way {
                        return None;
                    }
                }
                Err(Halt::Wait(wait)) => engine.cores[core].hart(thread).state = State::Blocked(wait),
                Err(Halt::Turn) => {}
                Err(Halt::Stop) => engine.stopped = true,
            }
            Some(engine.cores[core].hart(thread).suspender)
        });
        match suspender {
            None => return,
            // SAFETY: the suspender of the hart that runs is this fiber's.
            Some(suspender) => unsafe { fiber::suspend(suspender) },
        }
    }
    goes_on::<O>(site);
}

/// A thread that has given way goes on with what it does by itself: at a point, where another may go first again.
#[inline]
fn goes_on<O: Observer>(site: Site) {
    let gives_way = |engine: &mut Engine<O>, by: Caller| {
        engine.passes_point(by, false).then(|| engine.cores[by.core].hart(by.thread).suspender)
    };
    while let Some(suspender) = with::<O, _>(site, gives_way) {
        // SAFETY: as in `look`.
        unsafe { fiber::suspend(suspender) };
    }
}

impl<O: Observer> Engine<O> {
    /// A thread is about to make a call, or has made it and `changes` something. True if another goes first.
    #[inline]
    fn passes_point(&mut self, by: Caller, changes: bool) -> bool {
        let gives_way = self.order.gives_way(&self.cores, by.core, by.thread, changes);
        if O::ACTIVE
            && let Some(point) = self.order.points()
        {
            self.observer.point(by.core, by.thread, point);
        }
        gives_way
    }

    /// Tells the observer what a call took.
    fn took(&mut self, by: Caller, start: u64) {
        let Caller { core, thread, site } = by;
        let hart = self.cores[core].hart(thread);
        let took = Took { core, thread, site, start, went_on: hart.went_on, end: hart.clock };
        self.observer.took(&took);
    }

    /// Counts the looks of a thread since it has changed anything. True if it gives a turn.
    #[inline]
    fn has_seen(&mut self, by: Caller, changes: bool) -> bool {
        let hart = self.cores[by.core].hart(by.thread);
        hart.looks = if changes { 0 } else { hart.looks + 1 };
        let gives_turn = hart.looks >= LOOKS_A_TURN;
        if gives_turn {
            hart.looks = 0;
            self.order.has_looked(by.core, by.thread);
        }
        gives_turn
    }
}

/// The fiber that starts to run takes its suspender along.
pub(crate) fn adopt<O: Observer>(suspender: Suspender) {
    with::<O, _>(Site::default(), |engine, by| engine.cores[by.core].hart(by.thread).suspender = suspender);
}

/// The kernel has returned; its thread ends when its unit lets it.
pub(crate) fn finish<O: Observer>() {
    let site = with::<O, _>(Site::default(), |engine, by| engine.cores[by.core].hart(by.thread).site);
    call::<O, _>(site, |engine, by| {
        engine.finish(by.core, by.thread)?;
        Ok(What::Returned)
    });
}

/// Gives the other threads a turn, after a look that costs `cycles`.
#[inline]
pub(crate) fn turn<O: Observer>(site: Site) {
    let suspender = with::<O, _>(site, |engine, by| {
        engine.order.has_looked(by.core, by.thread);
        let hart = engine.cores[by.core].hart(by.thread);
        hart.site = site;
        hart.spend(|cycles| cycles.poll);
        hart.suspender
    });
    // SAFETY: as in `look`.
    unsafe { fiber::suspend(suspender) };
    goes_on::<O>(site);
    // What it looked at before is not what it goes round for.
    with::<O, _>(site, |engine, by| engine.cores[by.core].hart(by.thread).looked_for.clear());
}
