//! L1 accumulation onto pages that PACK has written and not handed over, with packs to other pages in between.
//!
//! The packer reads a page back to add to it, and nothing but a push that is waited for says that its own last write to that
//! page has landed (tt-metal pull request 46691: results differ from run to run; `bmm_large_block_zm_fused_bias_activation.cpp`
//! waits for each block and pops it). Packs to one page in a row, as the row sums of an attention kernel are, must never be
//! reported. Start reading at [`Undrained::on`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, TileAccess, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use crate::by_core::of_core;

#[derive(Default, Debug)]
struct OfCore {
    /// The call that turned accumulation on.
    on: Option<Site>,
    /// By offset, what was packed and not pushed since: the last pack, and its number.
    pages: BTreeMap<u32, (Site, u64)>,
    /// The number of the next pack.
    next: u64,
}

/// The check.
#[derive(Default, Debug)]
pub struct Undrained {
    cores: Vec<OfCore>,
}

impl Undrained {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        match event.what {
            What::L1Accumulation { enable } => core.on = enable.then_some(event.site),
            What::Buffer { action: BufferAction::Push, pages, at, .. } if event.thread == Thread::Pack => {
                let end = at.offset.saturating_add(pages.saturating_mul(at.page_bytes));
                while let Some(offset) = core.pages.range(at.offset..end).next().map(|(offset, _)| *offset) {
                    core.pages.remove(&offset);
                }
            }
            What::Pack { access, .. } => {
                let before = core.packed(access.offset, event.site);
                if let (Some(before), Some(on)) = (before, core.on) {
                    self.report(event, access, before, on, raised);
                }
            }
            _ => {}
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, access: TileAccess, before: Site, on: Site, raised: &mut Raises) {
        if !raised.first(Code::SUM_UNDRAINED, event) {
            return;
        }
        let message = format!(
            "pack adds to tile {} of {}, and nothing orders it after the pack before: the block was not pushed and waited for in between",
            access.tile,
            cb_name(access.cb)
        );
        let mut finding = Raised::at(event, Code::SUM_UNDRAINED, message)
            .text("may add to what lay there before")
            .label((before != event.site).then_some((Thread::Pack, before)), "the pack before, not pushed since")
            .label(Some((Thread::Pack, on)), "accumulation was turned on here")
            .fact("cb", cb_name(access.cb))
            .fact("tile", access.tile)
            .help("push the block, then wait for it and pop it, between one part of the sum and the next");
        finding.certainty = Certainty::CanHappen;
        // Recorded kernels do it and give the right sums: it counts where an output is wrong.
        finding.is_note = true;
        raised.push(finding);
    }
}

impl OfCore {
    /// A page is packed; the pack to it before, if packs to others came in between that are not pushed either.
    fn packed(&mut self, offset: u32, by: Site) -> Option<Site> {
        let number = self.next;
        self.next += 1;
        let (before, last) = self.pages.insert(offset, (by, number))?;
        // Without accumulation a page is written anew.
        let has_others =
            || last + 1 < number && self.pages.values().any(|(_, other)| (last + 1..number).contains(other));
        (self.on.is_some() && has_others()).then_some(before)
    }
}
