//! A packer that a kernel leaves programmed for `pack_untilize`: a note when the kernel ends.
//!
//! The start-up of the next kernel programs the packer anew, but not every counter of it in every version of the library:
//! what the next program packs may depend on this one (tt-metal issue 17132). It must never speak of a kernel that calls
//! `pack_untilize_uninit`, nor fail a run. Start reading at [`LeftUntilizing::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::op_word::pack_kind;
use tileproof_model::thread::Thread;

use crate::by_core::of_core;

/// The check.
#[derive(Default, Debug)]
pub struct LeftUntilizing {
    /// By core: the init that is still in force.
    cores: Vec<Option<Site>>,
}

impl LeftUntilizing {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = vec![None; cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        match event.what {
            What::PackInit { word } => *core = (word.kind() == pack_kind::UNTILIZE).then_some(event.site),
            What::Returned if event.thread == Thread::Pack => {
                let Some(by) = *core else { return };
                let message = "the kernel ends with the packer programmed for pack_untilize";
                let mut note = Raised::of(event.core, (Thread::Pack, by), Code::LEFT_UNTILIZING, message.into())
                    .text("not taken back")
                    .help("call pack_untilize_uninit after the last pack_untilize_block");
                note.is_note = true;
                note.certainty = Certainty::Suspect;
                raised.push(note);
            }
            _ => {}
        }
    }
}
