//! L1 accumulation onto pages whose value was used up, or that hold nothing.
//!
//! With `pack_reconfig_l1_acc(1)` a pack adds to what L1 holds (ISA documentation, `TensixCoprocessor/Packers`). A sum that
//! goes on before anybody has read it, and pages that were popped unread to turn the pointers round, are meant and must
//! never be reported. Start reading at [`Sums::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, TileAccess, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use crate::spans::Spans;

/// A packed page.
#[derive(Clone, Copy, Debug)]
struct Page {
    by: Site,
    /// Who has read it since, and on which core.
    used: Option<(usize, (Thread, Site))>,
}

#[derive(Default, Debug)]
struct OfCore {
    /// The call that turned accumulation on.
    on: Option<Site>,
    /// By offset in L1.
    pages: Spans<Page>,
}

/// The check.
#[derive(Default, Debug)]
pub struct Sums {
    cores: Vec<OfCore>,
}

impl Sums {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore::default()).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        match event.what {
            What::L1Accumulation { enable } => {
                if let Some(core) = self.cores.get_mut(event.core) {
                    core.on = enable.then_some(event.site);
                }
            }
            What::Unpack { access } => self.read(event.core, access.offset, access.bytes, event),
            What::NocWrite { from, bytes, .. } => self.read(event.core, from, bytes, event),
            What::NocRead { from: NocPlace::L1(core, offset), bytes, .. } => self.read(core, offset, bytes, event),
            What::Load { offset, bytes, .. } => self.read(event.core, offset, bytes, event),
            What::Pack { access, .. } => self.packed(event, access, raised),
            _ => {}
        }
    }

    /// Marks the pages that a read touches.
    fn read(&mut self, core: usize, offset: u32, bytes: u32, event: &Event) {
        let Some(core) = self.cores.get_mut(core) else { return };
        core.pages.change_touching(offset, bytes, |page| {
            page.used.get_or_insert((event.core, (event.thread, event.site)));
        });
    }

    fn packed(&mut self, event: &Event, access: TileAccess, raised: &mut Raises) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        // Of several pages, one that was used tells most.
        let mut before: Option<Page> = None;
        core.pages.pack(&access, Page { by: event.site, used: None }, |page, _| {
            before = before.filter(|before| before.used.is_some()).or(Some(page));
        });
        let Some(on) = core.on else { return };
        match before {
            Some(Page { by, used: Some(used), .. }) => self.onto_used(event, access, (on, by, used), raised),
            None if access.is_poison => self.onto_nothing(event, access, on, raised),
            _ => {}
        }
    }

    #[cold]
    fn onto_used(
        &mut self,
        event: &Event,
        access: TileAccess,
        (on, by, (there, used)): (Site, Site, (usize, (Thread, Site))),
        raised: &mut Raises,
    ) {
        if !raised.first(Code::PACK_ACCUMULATES, event) {
            return;
        }
        let message = format!(
            "pack adds to a page of {} whose value has been used: L1 accumulation is on and the old value stays in the sum",
            cb_name(access.cb)
        );
        let mut finding = Raised::at(event, Code::PACK_ACCUMULATES, message)
            .text("adds to the old page")
            .label(Some((Thread::Pack, by)), "the old value was packed here")
            .label_on(there, used, "and was used here")
            .label(Some((Thread::Pack, on)), "accumulation was turned on here")
            .fact("cb", cb_name(access.cb))
            .help("call pack_reconfig_l1_acc(0) before the first pack of a new sum");
        finding.certainty = Certainty::Suspect;
        raised.push(finding);
    }

    #[cold]
    fn onto_nothing(&mut self, event: &Event, access: TileAccess, on: Site, raised: &mut Raises) {
        if !raised.first(Code::PACK_ACCUMULATES, event) {
            return;
        }
        let message = format!(
            "pack adds to a page of {} that nothing has written: L1 accumulation is on and the sum starts from garbage",
            cb_name(access.cb)
        );
        raised.push(
            Raised::at(event, Code::PACK_ACCUMULATES, message)
                .text("adds to what lay in L1")
                .label(Some((Thread::Pack, on)), "accumulation was turned on here")
                .fact("cb", cb_name(access.cb))
                .help("call pack_reconfig_l1_acc(0) before the first pack of a sum"),
        );
    }
}
