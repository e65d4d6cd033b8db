//! Pages that are read though nothing has written them in this launch.
//!
//! L1 keeps what the last program left; a push hands over credits, not data. Two things must come together: nothing wrote the
//! bytes in this launch, and they are still as the machine fills undefined memory. Pushes of PACK need no second look: a page
//! that it pushes without a pack is empty, whatever an earlier lap left there, unless its memory is a tensor's, or another
//! buffer's that it was packed for. Empty pages that nobody reads must never be reported. Start reading at
//! [`UnwrittenPages::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{BufferPosition, Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use crate::by_core::BUFFERS;
use crate::memory::undefined::Undefined;
use crate::spans::Spans;

/// Bytes that one bit stands for: the smallest part of L1 that a transfer writes as a whole.
const GRAIN: u32 = 16;

/// A bit for each grain of L1.
#[derive(Default, Debug)]
struct Grains(Vec<u64>);

impl Grains {
    fn set(&mut self, offset: u32, bytes: u32, to: bool) {
        let (mut at, end) = ((offset / GRAIN) as usize, offset.saturating_add(bytes).div_ceil(GRAIN) as usize);
        if to && self.0.len() * 64 < end {
            self.0.resize(end.div_ceil(64), 0);
        }
        let end = end.min(self.0.len() * 64);
        while at < end {
            let here = (64 - at % 64).min(end - at);
            let mask = (u64::MAX >> (64 - here)) << (at % 64);
            let bits = &mut self.0[at / 64];
            *bits = if to { *bits | mask } else { *bits & !mask };
            at += here;
        }
    }

    /// Whether the grain of an offset is set.
    fn has(&self, offset: u32) -> bool {
        let grain = (offset / GRAIN) as usize;
        self.0.get(grain / 64).is_some_and(|bits| bits >> (grain % 64) & 1 == 1)
    }

    /// Whether one of the grains of some bytes is set.
    fn has_any(&self, offset: u32, bytes: u32) -> bool {
        (offset / GRAIN..offset.saturating_add(bytes).div_ceil(GRAIN)).any(|grain| self.has(grain * GRAIN))
    }
}

/// PACK has packed to a piece of L1.
#[derive(Clone, Copy, Debug)]
struct Packed {
    /// A bit for each buffer that PACK has pushed it with since: several may share memory, and each hands it over once.
    pushed: u64,
}

#[derive(Debug)]
struct OfCore {
    /// What a call wrote.
    written: Grains,
    /// What others than PACK wrote and nobody has given back since: PACK may push it without a pack.
    fresh: Grains,
    /// The last push of each buffer.
    pushed: [Option<(Thread, Site)>; BUFFERS],
    /// Pieces that do not overlap: a later pack takes the place of what it covers.
    packed: Spans<Packed>,
    /// Pages that PACK pushed without a pack: the buffer and the push.
    empty: Spans<(u32, Site)>,
}

impl OfCore {
    /// Somebody other than PACK wrote: what a page holds now is no longer the old.
    fn filled(&mut self, offset: u32, bytes: u32) {
        self.written.set(offset, bytes, true);
        self.fresh.set(offset, bytes, true);
        self.empty.take_touching(offset, bytes, |_| true);
    }

    /// PACK pushes pages: those are empty to which nothing was packed since it pushed them with this buffer.
    fn pushed_pages(&mut self, cb: u32, at: BufferPosition, pages: u32, site: Site) {
        let bit = 1u64.checked_shl(cb).unwrap_or(0);
        let past = |page: u32| at.offset.saturating_add(page.saturating_mul(at.page_bytes));
        for page in 0..pages {
            // What reaches further is pushed in part.
            self.packed.cut(past(page));
            self.packed.cut(past(page + 1));
            let mut is_filled = at.is_backed;
            self.packed.change_touching(past(page), at.page_bytes, |packed| {
                is_filled |= packed.pushed & bit == 0;
                packed.pushed |= bit;
            });
            self.empty.take_touching(past(page), at.page_bytes, |_| true);
            if !is_filled && !self.fresh.has_any(past(page), at.page_bytes) {
                self.empty.insert(past(page), at.page_bytes, (cb, site));
            }
        }
    }

    /// Whether some bytes were packed to and not pushed since.
    fn is_unpushed(&self, offset: u32, bytes: u32) -> bool {
        self.packed.touching(offset, bytes).any(|(_, packed)| packed.pushed == 0)
    }

    /// The push of an empty page among some bytes.
    fn empty_in(&self, offset: u32, bytes: u32) -> Option<Site> {
        self.empty.touching(offset, bytes).next_back().map(|(_, (_, site))| *site)
    }
}

/// The check.
#[derive(Default, Debug)]
pub struct UnwrittenPages {
    cores: Vec<OfCore>,
    undefined: Undefined,
}

impl UnwrittenPages {
    pub(crate) fn launch(&mut self, cores: usize) {
        let core = || OfCore {
            written: Grains::default(),
            fresh: Grains::default(),
            pushed: [None; BUFFERS],
            packed: Spans::default(),
            empty: Spans::default(),
        };
        self.cores = (0..cores).map(|_| core()).collect();
        self.undefined.launch(cores);
    }

    pub(crate) fn end(&mut self, core: usize, raised: &mut Raises) {
        self.undefined.end(core, raised);
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        if !self.reads_undefined(event) {
            self.undefined.on(event, raised);
        }
        let Some(core) = self.cores.get_mut(event.core) else { return };
        match event.what {
            What::NocRead { to, bytes, .. } => core.filled(to, bytes),
            What::Store { offset, bytes, .. } => core.filled(offset, bytes),
            What::Pack { access, .. } => {
                core.written.set(access.offset, access.bytes, true);
                core.packed.overwrite(access.offset, access.bytes, Packed { pushed: 0 });
            }
            What::NocWrite { from, to, bytes, .. } => {
                let empty = core.empty_in(from, bytes);
                if let NocPlace::L1(other, offset) = to
                    && let Some(core) = self.cores.get_mut(other)
                {
                    core.filled(offset, bytes);
                }
                if let Some(push) = empty
                    && raised.first(Code::PAGE_UNWRITTEN, event)
                {
                    raised.push(self::empty(event, "L1 is sent".into(), push));
                }
            }
            What::InlineWrite { to: NocPlace::L1(other, offset), .. } => {
                if let Some(core) = self.cores.get_mut(other) {
                    core.filled(offset, 4);
                }
            }
            What::Buffer { action: BufferAction::Push, cb, pages, at } => {
                if let Some(pushed) = core.pushed.get_mut(cb as usize) {
                    *pushed = Some((event.thread, event.site));
                }
                let pages = pages.min(at.capacity);
                if event.thread == Thread::Pack {
                    core.pushed_pages(cb, at, pages, event.site);
                } else {
                    core.empty.take_touching(at.offset, pages.saturating_mul(at.page_bytes), |_| true);
                }
            }
            // An empty page that was given back unread did no harm. Who filled it may fill it anew from here on.
            What::Buffer { action: BufferAction::Pop, cb, pages, at } => {
                let bytes = pages.min(at.capacity).saturating_mul(at.page_bytes);
                core.empty.take_touching(at.offset, bytes, |(by, _)| *by == cb);
                core.fresh.set(at.offset, bytes, false);
            }
            _ => {}
        }
    }

    /// True if UNPACK reads what nothing wrote: that is told once something comes of it.
    fn reads_undefined(&mut self, event: &Event) -> bool {
        let What::Unpack { access } = event.what else { return false };
        let Some(core) = self.cores.get_mut(event.core) else { return false };
        if core.is_unpushed(access.offset, access.bytes) {
            // There is something, and whether it is the old or the new is a matter of order.
        } else if let Some(push) = core.empty_in(access.offset, access.bytes) {
            let what = format!("tile {} of {} is read", access.tile, cb_name(access.cb));
            self.undefined.read(event, Code::PAGE_UNWRITTEN, || empty(event, what, push));
            return true;
        } else if access.is_poison && !core.written.has(access.offset) {
            let pushed = core.pushed.get(access.cb as usize).copied().flatten();
            self.undefined.read(event, Code::PAGE_UNWRITTEN, || unwritten(event, access.cb, access.tile, pushed));
            return true;
        }
        false
    }
}

#[cold]
fn empty(event: &Event, what: String, push: Site) -> Raised {
    let message = format!("{what}, and nothing was packed to that page before its push");
    Raised::at(event, Code::PAGE_UNWRITTEN, message)
        .text("takes what an earlier lap or program left")
        .label(Some((Thread::Pack, push)), "pushed without a pack")
        .help("pack a tile to each page that is pushed and read")
}

#[cold]
fn unwritten(event: &Event, cb: u32, tile: u32, pushed: Option<(Thread, Site)>) -> Raised {
    let message = format!("tile {tile} of {} is read, and nothing has written that page", cb_name(cb));
    Raised::at(event, Code::PAGE_UNWRITTEN, message)
        .text("reads what lay in L1")
        .label(pushed, "the last push, of pages that nobody filled")
        .fact("cb", cb_name(cb))
        .fact("tile", tile)
        .help(format!("fill each page of {} before it is pushed", cb_name(cb)))
}

#[cfg(test)]
mod tests {
    use tileproof_model::event::NocEnd;

    use super::*;

    /// Two pages of 64 bytes at offset 0, from the first on.
    const AT: BufferPosition =
        BufferPosition { capacity: 2, page: 0, due: 0, last: None, offset: 0, page_bytes: 64, is_backed: false };

    fn found(events: &[(Thread, What)]) -> Vec<Code> {
        let (mut check, mut raised) = (UnwrittenPages::default(), Raises::default());
        check.launch(1);
        for (thread, what) in events {
            let event = Event { core: 0, thread: *thread, site: Site::default(), cycle: 0, what: *what };
            check.on(&event, &mut raised);
        }
        raised.take().into_iter().map(|raised| raised.code).collect()
    }

    fn moves(action: BufferAction, cb: u32) -> What {
        What::Buffer { action, cb, pages: 2, at: AT }
    }

    /// Sends the second page.
    fn sends() -> What {
        let end = NocEnd { buffer: None, alignment: 16, skew: 0, free: None };
        let (far, posted, multicast) = (None, false, false);
        What::NocWrite {
            noc: 0,
            from: 64,
            to: NocPlace::Nowhere,
            bytes: 64,
            end,
            far,
            posted,
            multicast,
            trid: 0,
            is_same: false,
            word: None,
        }
    }

    #[test]
    fn empty_pages_are_forgotten_when_their_own_buffer_gives_them_back() {
        let push = (Thread::Pack, moves(BufferAction::Push, 16));
        let send = (Thread::Brisc, sends());
        assert_eq!(found(&[push, send]), [Code::PAGE_UNWRITTEN]);
        assert!(found(&[push, (Thread::Brisc, moves(BufferAction::Pop, 16)), send]).is_empty());
        assert_eq!(found(&[push, (Thread::Brisc, moves(BufferAction::Pop, 17)), send]), [Code::PAGE_UNWRITTEN]);
    }
}
