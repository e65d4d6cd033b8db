//! Waits and reserves for more pages than a buffer has: they can never end.
//!
//! It is said when the call is made, before anything is stuck; it must never speak of a count that fits. Start reading at
//! [`Capacity`].

use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::wording::{cb_name, count};

/// The check; it keeps nothing, for the thread never comes back to ask again.
#[derive(Default, Debug)]
pub struct Capacity;

impl Capacity {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let What::BufferAsk { action, cb, pages, capacity } = event.what else { return };
        if pages <= capacity {
            return;
        }
        let call = if action == BufferAction::Wait { "cb_wait_front" } else { "cb_reserve_back" };
        let message = format!(
            "{call} asks for {} of {}, which has {capacity}: it can never return",
            count(pages.into(), "page"),
            cb_name(cb)
        );
        raised.push(
            Raised::at(event, Code::BEYOND_CAPACITY, message)
                .text(format!("asks for {}", count(pages.into(), "page")))
                .fact("cb", cb_name(cb))
                .fact("needed", pages)
                .fact("capacity", capacity)
                .help("ask for fewer pages at a time, or make the buffer deeper"),
        );
    }
}
