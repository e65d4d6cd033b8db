//! Two threads on one side of a buffer: the counters are shared, the pointers are not.
//!
//! It speaks only when the second thread's own pointer is at another page than the credits say (tt-metal
//! `circular_buffer_interface.h`): a hand-over after whole laps works, and must not be reported. Start reading at
//! [`Sides::on`].

use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::wording::cb_name;

/// The check.
#[derive(Default, Debug)]
pub struct Sides {}

impl Sides {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let (cb, at) = match event.what {
            What::Buffer { action: BufferAction::Push | BufferAction::Pop, cb, pages: 1.., at } => (cb, at),
            What::Unpack { access } | What::Pack { access, .. } => (access.cb, access.at),
            _ => return,
        };
        let Some((other, _)) = at.last else { return };
        if other == event.thread || at.page == at.due || !raised.first(Code::TWO_THREADS, event) {
            return;
        }
        let buffer = cb_name(cb);
        let (done, verb, moved) = match event.what {
            What::Pack { .. } => ("pushed to", "packs to", "pushed"),
            What::Unpack { .. } => ("popped from", "reads", "popped"),
            What::Buffer { action: BufferAction::Push, .. } => ("pushed to", "pushes to", "pushed"),
            _ => ("popped from", "pops from", "popped"),
        };
        let message = format!(
            "{other} has {done} {buffer}, and {} {verb} it: its own pointer is at page {}, the credits are at page {}",
            event.thread, at.page, at.due
        );
        raised.push(
            Raised::at(event, Code::TWO_THREADS, message)
                .text(format!("{} is at page {}", event.thread, at.page))
                .label(at.last, format!("{other} {moved} here"))
                .fact("cb", &buffer)
                .fact("page", at.page)
                .fact("due", at.due)
                .help(format!("let one thread alone push to {buffer}, and one alone pop from it")),
        );
    }
}
