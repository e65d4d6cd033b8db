//! Pages that are read though nothing has written them in this launch.
//!
//! L1 keeps what the last program left; a push hands over credits, not data. Two things must come together: no call wrote the
//! bytes, and they are still as the machine fills undefined memory, since stores of C++ kernels through pointers are not
//! seen. PACK has no such stores, so its pushes need no second look: a page that it pushes without a pack is empty, whatever
//! an earlier lap left there. Empty pages that nobody reads must never be reported. Start reading at [`UnwrittenPages::on`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;

use crate::buffers::{BUFFERS, name};
use crate::once::Once;

/// Bytes that one bit stands for: the smallest part of L1 that a transfer writes as a whole.
const GRAIN: u32 = 16;

#[derive(Debug)]
struct OfCore {
    /// A bit for each grain that a call wrote.
    written: Vec<u64>,
    /// The last push of each buffer.
    pushed: [Option<(Thread, Site)>; BUFFERS],
    /// What PACK has packed and not pushed: offset, bytes, and the pack.
    packed: BTreeMap<u32, (u32, Site)>,
    /// Pages that PACK pushed without a pack: offset, bytes, and the push.
    empty: BTreeMap<u32, (u32, Site)>,
}

impl OfCore {
    fn wrote(&mut self, offset: u32, bytes: u32) {
        let (mut at, end) = ((offset / GRAIN) as usize, offset.saturating_add(bytes).div_ceil(GRAIN) as usize);
        if self.written.len() * 64 < end {
            self.written.resize(end.div_ceil(64), 0);
        }
        while at < end {
            let here = (64 - at % 64).min(end - at);
            self.written[at / 64] |= (u64::MAX >> (64 - here)) << (at % 64);
            at += here;
        }
    }

    /// PACK pushes pages: those are empty to which nothing was packed.
    fn pushed_pages(&mut self, offset: u32, pages: u32, page_bytes: u32, site: Site) {
        let past = |page: u32| offset.saturating_add(page.saturating_mul(page_bytes));
        for page in 0..pages {
            let (at, end) = (past(page), past(page + 1));
            let touches = |(from, (length, _)): (&u32, &(u32, Site))| from.saturating_add(*length) > at;
            if self.packed.range(..end).next_back().is_some_and(touches) {
                self.empty.remove(&at);
            } else {
                self.empty.insert(at, (page_bytes, site));
            }
        }
        self.packed.retain(|at, _| !(offset..past(pages)).contains(at));
    }

    /// The pack to some bytes that have not been pushed since.
    fn unpushed_in(&self, offset: u32, bytes: u32) -> Option<Site> {
        let (at, (length, site)) = self.packed.range(..offset.saturating_add(bytes)).next_back()?;
        (at.saturating_add(*length) > offset).then_some(*site)
    }

    /// The push of an empty page among some bytes.
    fn empty_in(&self, offset: u32, bytes: u32) -> Option<Site> {
        let (at, (length, site)) = self.empty.range(..offset.saturating_add(bytes)).next_back()?;
        (at.saturating_add(*length) > offset).then_some(*site)
    }

    fn is_written(&self, offset: u32) -> bool {
        let grain = (offset / GRAIN) as usize;
        self.written.get(grain / 64).is_some_and(|bits| bits >> (grain % 64) & 1 == 1)
    }
}

/// The check.
#[derive(Default, Debug)]
pub struct UnwrittenPages {
    cores: Vec<OfCore>,
    once: Once,
}

impl UnwrittenPages {
    pub(crate) fn launch(&mut self, cores: usize) {
        let core =
            || OfCore { written: Vec::new(), pushed: [None; BUFFERS], packed: BTreeMap::new(), empty: BTreeMap::new() };
        self.cores = (0..cores).map(|_| core()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        match event.what {
            What::NocRead { to, bytes, .. } => core.wrote(to, bytes),
            What::Store { offset, bytes, .. } => core.wrote(offset, bytes),
            What::Pack { access, .. } => {
                core.wrote(access.offset, access.bytes);
                core.packed.insert(access.offset, (access.bytes, event.site));
            }
            What::NocWrite { from, to, bytes, .. } => {
                let empty = core.empty_in(from, bytes);
                if let NocPlace::L1(other, offset) = to
                    && let Some(core) = self.cores.get_mut(other)
                {
                    core.wrote(offset, bytes);
                }
                if let Some(push) = empty {
                    self.report_empty(event, "L1 is sent".into(), push, raised);
                }
            }
            What::Buffer { action: BufferAction::Push, cb, pages, at, .. } => {
                if let Some(pushed) = core.pushed.get_mut(cb as usize) {
                    *pushed = Some((event.thread, event.site));
                }
                let pages = pages.min(at.capacity);
                if event.thread == Thread::Pack {
                    core.pushed_pages(at.offset, pages, at.page_bytes, event.site);
                } else if !core.empty.is_empty() {
                    let end = at.offset.saturating_add(pages.saturating_mul(at.page_bytes));
                    core.empty.retain(|offset, _| !(at.offset..end).contains(offset));
                }
            }
            What::Unpack { access } => {
                if let Some(pack) = core.unpushed_in(access.offset, access.bytes) {
                    self.report_unordered(event, access.cb, access.tile, pack, raised);
                } else if let Some(push) = core.empty_in(access.offset, access.bytes) {
                    let what = format!("tile {} of {} is read", access.tile, name(access.cb));
                    self.report_empty(event, what, push, raised);
                } else if access.is_poison && !core.is_written(access.offset) {
                    let pushed = core.pushed.get(access.cb as usize).copied().flatten();
                    self.report(event, access.cb, access.tile, pushed, raised);
                }
            }
            _ => {}
        }
    }

    #[cold]
    fn report_unordered(&mut self, event: &Event, cb: u32, tile: u32, pack: Site, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::UNPACK_UNORDERED, event) {
            return;
        }
        let message = format!(
            "tile {tile} of {} is read, and PACK has packed to it without a push: nothing orders the two",
            name(cb)
        );
        let mut finding = Raised::at(event, Code::UNPACK_UNORDERED, message)
            .text("may read the old tile, the new one, or both")
            .label(Some((Thread::Pack, pack)), "packed here, and not pushed since")
            .fact("cb", name(cb))
            .fact("tile", tile)
            .help("pop the page, reserve it, pack, push, and wait for it again");
        finding.certainty = Certainty::CanHappen;
        raised.push(finding);
    }

    #[cold]
    fn report_empty(&mut self, event: &Event, what: String, push: Site, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::PAGE_UNWRITTEN, event) {
            return;
        }
        raised.push(
            Raised::at(
                event,
                Code::PAGE_UNWRITTEN,
                format!("{what}, and nothing was packed to that page before its push"),
            )
            .text("takes what an earlier lap or program left")
            .label(Some((Thread::Pack, push)), "pushed without a pack")
            .help("pack a tile to each page that is pushed and read"),
        );
    }

    #[cold]
    fn report(&mut self, event: &Event, cb: u32, tile: u32, pushed: Option<(Thread, Site)>, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::PAGE_UNWRITTEN, event) {
            return;
        }
        let message = format!("tile {tile} of {} is read, and nothing has written that page", name(cb));
        raised.push(
            Raised::at(event, Code::PAGE_UNWRITTEN, message)
                .text("reads what lay in L1")
                .label(pushed, "the last push, of pages that nobody filled")
                .fact("cb", name(cb))
                .fact("tile", tile)
                .help(format!("fill each page of {} before it is pushed", name(cb))),
        );
    }
}
