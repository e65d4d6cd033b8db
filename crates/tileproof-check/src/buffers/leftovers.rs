//! Pages that are left in a buffer when all kernels have ended: a note.
//!
//! It must never fail a run: the counters are set again at the next launch (tt-metal `circular_buffer_init.h`). Start
//! reading at [`Leftovers`].

use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::wording::{cb_name, count, is_are};

/// The check.
#[derive(Default, Debug)]
pub struct Leftovers;

impl Leftovers {
    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let What::PagesLeft { cb, pages, pushed } = event.what else { return };
        let were = is_are(pages.into());
        let message =
            format!("{} {were} left in {} of the {pushed} that were pushed", count(pages.into(), "page"), cb_name(cb));
        let mut note = Raised::at(event, Code::PAGES_LEFT, message)
            .text("last push")
            .fact("cb", cb_name(cb))
            .fact("left", pages)
            .fact("pushed", pushed)
            .help(format!("pop from {} what was pushed, if it is not meant to stay", cb_name(cb)));
        note.is_note = true;
        raised.push(note);
    }
}
