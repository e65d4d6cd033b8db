//! The end of a buffer: pointers must meet it, and no tile may lie across or behind it.
//!
//! Data-movement code wraps only when its pointer is equal to the limit, compute code by one subtraction, and tile indices
//! never (tt-metal `dataflow_api.h`, LLK `llk_io_pack.h`, `llk_io_unpack.h`). One finding for a side of a buffer is enough:
//! what comes after follows from it. Start reading at [`Laps::on`].

use std::collections::BTreeSet;

use tileproof_model::event::{BufferPosition, Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::wording::{cb_name, count};

/// The check.
#[derive(Default, Debug)]
pub struct Laps {
    /// Core, buffer, and whether it is the producer's side.
    reported: BTreeSet<(usize, u32, bool)>,
}

impl Laps {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let (cb, pages, at) = match event.what {
            What::Buffer { action: BufferAction::Push | BufferAction::Pop, cb, pages, at } => (cb, pages, at),
            What::Unpack { access } | What::Pack { access, .. } => (access.cb, access.pages, access.at),
            _ => return,
        };
        if u64::from(at.page) + u64::from(pages) > u64::from(at.capacity) {
            self.report(event, (cb, pages, at), raised);
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, (cb, pages, at): (u32, u32, BufferPosition), raised: &mut Raises) {
        // A call that moves no pointer is harmless wherever the pointer is.
        if pages == 0 {
            return;
        }
        let is_producer = matches!(event.what, What::Pack { .. } | What::Buffer { action: BufferAction::Push, .. });
        if !self.reported.insert((event.core, cb, is_producer)) {
            return;
        }
        let (buffer, room) = (cb_name(cb), at.capacity.saturating_sub(at.page));
        let message = match event.what {
            What::Unpack { access } | What::Pack { access, .. } => format!(
                "{} {} tile {} of {buffer}, which lies behind the end: its pointer is at page {} of {}",
                event.thread,
                if is_producer { "packs to" } else { "reads" },
                access.tile,
                at.page,
                at.capacity
            ),
            _ => format!(
                "{} {} {} of {buffer} with {room} to go to its end: the pointer passes the end",
                event.thread,
                if is_producer { "pushes" } else { "pops" },
                count(pages.into(), "page")
            ),
        };
        let after = match event.what {
            What::Unpack { .. } | What::Pack { .. } => "tile indices do not wrap: the access goes to what lies behind",
            _ if event.thread.is_data_movement() => "a data-movement pointer wraps only when it meets the end exactly",
            _ => "a compute pointer wraps to a page that the credits do not mean",
        };
        raised.push(
            Raised::at(event, Code::PAST_THE_END, message)
                .text(format!("the pointer is at page {} of {}", at.page, at.capacity))
                .fact("cb", &buffer)
                .fact("page", at.page)
                .fact("pages", pages)
                .fact("capacity", at.capacity)
                .remark(after)
                .help(format!(
                    "let the page counts of one side of {buffer} add up to its {} in each lap",
                    count(at.capacity.into(), "page")
                )),
        );
    }
}
