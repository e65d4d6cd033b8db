//! Pages that are left in a buffer when all kernels have ended: a note.
//!
//! It must never fail a run: the counters are set again at the next launch (tt-metal `circular_buffer_init.h`). Start
//! reading at [`Leftovers`].

use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;

use super::{name, pages_of};

/// The check.
#[derive(Default, Debug)]
pub struct Leftovers;

impl Leftovers {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let What::PagesLeft { cb, pages, pushed } = event.what else { return };
        let were = if pages == 1 { "is" } else { "are" };
        let message =
            format!("{} {were} left in {} of the {pushed} that were pushed", pages_of(pages.into()), name(cb));
        let mut note = Raised::at(event, Code::PAGES_LEFT, message)
            .text("last push")
            .fact("cb", name(cb))
            .fact("left", pages)
            .fact("pushed", pushed)
            .help(format!("pop from {} what was pushed, if it is not meant to stay", name(cb)));
        note.is_note = true;
        raised.push(note);
    }
}
