//! What each thread has reserved and waited for, against what it pushes, pops, reads and packs.
//!
//! Waits and reserves count from the pointer and do not add up; a push or pop uses up what it moves (tt-metal
//! `dataflow_api.h`). The pages may be there by luck: what is reported is that nobody made sure. Pages of a buffer that a
//! tensor backs are there before the launch and stay after it, so that one side alone may use it; PACK may add to pages
//! that its own kernel has waited for; and a thread need not wait for pages that it pushed itself. Start reading at [`Pages::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{BufferPosition, Event, TileAccess, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::{cb_name, count, is_are};

use crate::by_core::BUFFERS;

/// Threads of a core.
const THREADS: usize = 5;

/// What a thread holds of one side of a buffer.
#[derive(Clone, Copy, Default, Debug)]
struct Held {
    /// Pages from the pointer on.
    pages: u32,
    /// The call that made sure of them, or of those before.
    by: Option<Site>,
    /// What that call asked for.
    asked: u32,
    /// The page of the buffer that it began with.
    from: u32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Sides {
    reserved: Held,
    waited: Held,
    /// Pages that the thread has pushed itself and not popped: while no other thread pops they are there, and a wait would return
    /// at once.
    own: u32,
}

/// What is known of a core.
#[derive(Debug)]
struct OfCore {
    /// By thread and buffer.
    sides: [[Sides; BUFFERS]; THREADS],
    /// A bit for each buffer that anybody pushed to, and for each that anybody waited at, popped or read.
    produced: u64,
    consumed: u64,
    /// A bit for each buffer that another thread than PACK pushed to.
    filled: u64,
    /// By buffer, a bit for each thread that has popped.
    poppers: [u8; BUFFERS],
    l1_accumulates: bool,
}

/// What a call does to a buffer that a tensor backs: it counts if the other side is used, too.
#[derive(Debug)]
struct OneSided {
    raised: Raised,
    cb: u32,
    is_producer: bool,
}

/// The check.
#[derive(Default, Debug)]
pub struct Pages {
    cores: Vec<OfCore>,
    one_sided: Vec<OneSided>,
}

impl Pages {
    pub(crate) fn launch(&mut self, cores: usize) {
        let core = || OfCore {
            sides: [[Sides::default(); BUFFERS]; THREADS],
            produced: 0,
            consumed: 0,
            filled: 0,
            poppers: [0; BUFFERS],
            l1_accumulates: false,
        };
        self.cores = (0..cores).map(|_| core()).collect();
        self.one_sided.clear();
    }

    /// A side of a buffer is used. What was kept of the other side counts from now on.
    fn uses(&mut self, event: &Event, cb: u32, is_producer: bool, raised: &mut Raises) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        if is_producer && event.thread != Thread::Pack {
            core.filled |= bit(cb);
        }
        let used = if is_producer { &mut core.produced } else { &mut core.consumed };
        if *used & bit(cb) == 0 {
            *used |= bit(cb);
            let is_meant =
                |kept: &mut OneSided| (kept.raised.core, kept.cb, kept.is_producer) == (event.core, cb, !is_producer);
            raised.extend(self.one_sided.extract_if(.., is_meant).map(|kept| kept.raised));
        }
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        match event.what {
            What::Buffer { action, cb, pages, at } => self.call(event, action, cb, pages, at, raised),
            What::L1Accumulation { enable } => {
                if let Some(core) = self.cores.get_mut(event.core) {
                    core.l1_accumulates = enable;
                }
            }
            What::Unpack { access } => self.read(event, access, raised),
            What::Pack { access, .. } => self.packed(event, access, raised),
            _ => {}
        }
    }

    /// Whether nobody but the thread of an event has popped from a buffer, with which it may do so now.
    fn pops_alone(&mut self, event: &Event, cb: u32, pops: bool) -> bool {
        let poppers = self.cores.get_mut(event.core).and_then(|core| core.poppers.get_mut(cb as usize));
        let own = 1u8 << event.thread as usize;
        poppers.is_some_and(|poppers| {
            *poppers |= if pops { own } else { 0 };
            *poppers & !own == 0
        })
    }

    fn sides(&mut self, event: &Event, cb: u32) -> Option<&mut Sides> {
        self.cores.get_mut(event.core)?.sides[event.thread as usize].get_mut(cb as usize)
    }

    fn call(
        &mut self,
        event: &Event,
        action: BufferAction,
        cb: u32,
        pages: u32,
        at: BufferPosition,
        raised: &mut Raises,
    ) {
        if action != BufferAction::Reserve {
            self.uses(event, cb, action == BufferAction::Push, raised);
        }
        let is_alone = self.pops_alone(event, cb, action == BufferAction::Pop);
        let Some(sides) = self.sides(event, cb) else { return };
        match action {
            BufferAction::Reserve | BufferAction::Wait => {
                let held = if action == BufferAction::Reserve { &mut sides.reserved } else { &mut sides.waited };
                *held = Held { pages: held.pages.max(pages), by: Some(event.site), asked: pages, from: at.page };
            }
            BufferAction::Push | BufferAction::Pop => {
                let own = if is_alone { sides.own } else { 0 };
                sides.own =
                    if action == BufferAction::Push { own.saturating_add(pages) } else { own.saturating_sub(pages) };
                let held = if action == BufferAction::Push { &mut sides.reserved } else { &mut sides.waited };
                let before = *held;
                held.pages = before.pages.saturating_sub(pages);
                let is_push = action == BufferAction::Push;
                if pages > before.pages && (is_push || pages > own) {
                    let code = if is_push { Code::PUSH_UNRESERVED } else { Code::POP_UNWAITED };
                    if self.is_first(code, event, raised) {
                        let found = moved_too_much(event, code, cb, pages, before);
                        self.raise(OneSided { raised: found, cb, is_producer: is_push }, at, raised);
                    }
                }
            }
        }
    }

    fn touched_too_far(&mut self, event: &Event, code: Code, access: TileAccess, held: Held, raised: &mut Raises) {
        if self.is_first(code, event, raised) {
            let found = touched_too_far(event, code, access, held);
            let is_producer = code == Code::PACK_UNRESERVED;
            self.raise(OneSided { raised: found, cb: access.cb, is_producer }, access.at, raised);
        }
    }

    /// True unless this was said of the call, or is kept to be said: right kernels leave out a side of such a buffer.
    fn is_first(&self, code: Code, event: &Event, raised: &Raises) -> bool {
        raised.first(code, event) && !self.one_sided.iter().any(|kept| kept.raised.is_of(code, event))
    }

    /// Of a buffer that a tensor backs it counts once the other side is used.
    fn raise(&mut self, found: OneSided, at: BufferPosition, raised: &mut Raises) {
        let other = |core: &OfCore| if found.is_producer { core.consumed } else { core.produced };
        let is_shared = self.cores.get(found.raised.core).is_some_and(|core| other(core) & bit(found.cb) != 0);
        if at.is_backed && !is_shared { self.one_sided.push(found) } else { raised.push(found.raised) }
    }

    fn read(&mut self, event: &Event, access: TileAccess, raised: &mut Raises) {
        self.uses(event, access.cb, false, raised);
        let Some(sides) = self.sides(event, access.cb) else { return };
        let held = sides.waited;
        if access.pages > held.pages {
            self.touched_too_far(event, Code::READ_UNWAITED, access, held, raised);
        }
    }

    fn packed(&mut self, event: &Event, access: TileAccess, raised: &mut Raises) {
        let Some(sides) = self.sides(event, access.cb) else { return };
        let held = sides.reserved;
        if access.pages > held.pages && !self.adds_in_place(event.core, access) {
            self.touched_too_far(event, Code::PACK_UNRESERVED, access, held, raised);
        }
    }

    /// PACK adds to a page that UNPACK of the same kernel waited for last, of a buffer that PACK alone pushes to: they have it
    /// between them, and no room is needed. UNPACK may have gone ahead and given the page back by now.
    fn adds_in_place(&self, core: usize, access: TileAccess) -> bool {
        let is_own = |core: &&OfCore| core.l1_accumulates && core.filled & bit(access.cb) == 0;
        let Some(core) = self.cores.get(core).filter(is_own) else { return false };
        let Some(sides) = core.sides[Thread::Unpack as usize].get(access.cb as usize) else { return false };
        let (capacity, waited) = (access.at.capacity.max(1), sides.waited);
        let page = access.at.page + access.pages.saturating_sub(1);
        (page + capacity - waited.from % capacity) % capacity < waited.asked
    }
}

#[cold]
fn moved_too_much(event: &Event, code: Code, cb: u32, pages: u32, held: Held) -> Raised {
    let (verb, preposition, needed, participle) = if code == Code::PUSH_UNRESERVED {
        ("pushes", "to", "cb_reserve_back", "reserved")
    } else {
        ("pops", "from", "cb_wait_front", "waited for")
    };
    let (buffer, moved) = (cb_name(cb), count(pages.into(), "page"));
    let message = match (held.by, held.pages) {
        (None, _) => format!("{} {verb} {moved} {preposition} {buffer} without a {needed}", event.thread),
        (Some(_), 0) => {
            format!("{} {verb} {moved} {preposition} {buffer} with none {participle} any more", event.thread)
        }
        (Some(_), n) => {
            format!(
                "{} {verb} {moved} {preposition} {buffer}, and only {n} {} {participle}",
                event.thread,
                is_are(n.into())
            )
        }
    };
    Raised::at(event, code, message)
        .text(format!("{verb} {moved}"))
        .label(last(event, held), format!("the last {needed}, for {}", count(held.asked.into(), "page")))
        .fact("cb", &buffer)
        .fact("pages", pages)
        .fact(participle.split(' ').next().unwrap_or(participle), held.pages)
        .help(format!("call {needed} for as many pages before this call"))
}

#[cold]
fn touched_too_far(event: &Event, code: Code, access: TileAccess, held: Held) -> Raised {
    let (verb, needed, participle) = if code == Code::PACK_UNRESERVED {
        ("packs to", "cb_reserve_back", "reserved")
    } else {
        ("reads", "cb_wait_front", "waited for")
    };
    let (buffer, tile) = (cb_name(access.cb), access.tile);
    let message = match held.pages {
        0 if held.by.is_none() => format!("{} {verb} tile {tile} of {buffer} without a {needed}", event.thread),
        0 => {
            format!("{} {verb} tile {tile} of {buffer} with no page {participle} any more", event.thread)
        }
        n => format!(
            "{} {verb} tile {tile} of {buffer}, and only {} {} {participle}",
            event.thread,
            count(n.into(), "page"),
            is_are(n.into())
        ),
    };
    Raised::at(event, code, message)
        .text(format!("{verb} tile {tile}"))
        .label(last(event, held), format!("the last {needed}, for {}", count(held.asked.into(), "page")))
        .fact("cb", &buffer)
        .fact("tile", tile)
        .fact(participle.split(' ').next().unwrap_or(participle), held.pages)
        .help(format!("call {needed} for {} before this call", count(access.pages.into(), "page")))
}

fn bit(cb: u32) -> u64 {
    1u64.checked_shl(cb).unwrap_or(0)
}

fn last(event: &Event, held: Held) -> Option<(Thread, Site)> {
    held.by.map(|site| (event.thread, site))
}
