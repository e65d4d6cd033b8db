//! Two runs of one program on inputs that differ in their padding alone: which operation is the first to give another first
//! datum?
//!
//! The first datum of a tile is data wherever the tile holds any, since padding is to the right of data and below it; it
//! changes only by an operation that takes padding into data. It must never be compared between runs of different
//! programs. Start reading at [`Trace`].

use tileproof_model::event::{Event, Values, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raised, Raises};

/// The first datum of what each operation gave, in the order of the run. Operations are told apart by what they are: sites
/// are addresses, and differ between runs.
#[derive(Default, Debug)]
pub struct Trace {
    /// This run's.
    pub seen: Vec<(u64, u32)>,
    /// The other run's; the first difference from it is raised.
    pub other: Vec<(u64, u32)>,
    differs: bool,
}

impl Observer for Trace {
    const ACTIVE: bool = true;
    const VALUES: bool = true;

    // Launches follow each other in one trace.
    fn launch(&mut self, _layout: &MemoryLayout) {}

    fn on(&mut self, _event: &Event, _raised: &mut Raises) {}

    fn values(&mut self, event: &Event, values: &Values<'_>, raised: &mut Raises) {
        let operation = match event.what {
            What::Math { word, .. } => word.0,
            What::Sfpu { op, .. } => op as u64,
            _ => return,
        };
        let here = (operation, values.after.0[0]);
        if let Some(other) = self.other.get(self.seen.len())
            && !self.differs
        {
            self.differs = *other != here;
            if self.differs && other.0 == operation {
                let mut found = Raised::at(event, Code::PADDING, String::new());
                found.certainty = Certainty::Suspect;
                raised.push(found.text("the first operation whose result at [0, 0] of its tile depends on it"));
            }
        }
        self.seen.push(here);
    }
}
