//! A ReLU that was set for one circular buffer and is still on when another is packed to.
//!
//! `pack_relu_config` holds until the next one (LLK `llk_pack_common.h`). Whether a pack is meant to clip nobody can tell from
//! one buffer, so a ReLU for one buffer alone must never be reported. Start reading at [`LeftRelu::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use crate::by_core::of_core;

#[derive(Clone, Copy, Debug)]
struct Relu {
    by: Site,
    /// The first pack that it reached: buffer and call.
    first: Option<(u32, Site)>,
}

/// The check.
#[derive(Default, Debug)]
pub struct LeftRelu {
    cores: Vec<Option<Relu>>,
}

impl LeftRelu {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = vec![None; cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(core) = of_core(&mut self.cores, event) else { return };
        match event.what {
            What::Relu { config } => *core = (config & 0xf != 0).then_some(Relu { by: event.site, first: None }),
            What::Pack { access, .. } => {
                let Some(relu) = core else { return };
                let first = *relu.first.get_or_insert((access.cb, event.site));
                if first.0 != access.cb {
                    let by = relu.by;
                    self.report(event, access.cb, by, first, raised);
                }
            }
            _ => {}
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, cb: u32, by: Site, (other, at): (u32, Site), raised: &mut Raises) {
        if !raised.first(Code::PACK_RELU, event) {
            return;
        }
        let (here, there) = (cb_name(cb), cb_name(other));
        let message = format!("pack to {here} goes through the ReLU that was set before the packs to {there}");
        let mut finding = Raised::at(event, Code::PACK_RELU, message)
            .text("negative values become 0 here too")
            .label(Some((Thread::Pack, by)), "the ReLU was set here")
            .label(Some((Thread::Pack, at)), format!("the first pack through it, to {there}"))
            .fact("cb", here)
            .help("call pack_relu_config(0) after the last pack that is meant to clip");
        finding.certainty = Certainty::Suspect;
        raised.push(finding);
    }
}
