//! Words that one thread sets while another counts them up, and nothing says which comes first: a count that comes before is lost.
//!
//! Whoever waits for fewer counts than may have come knows nothing of the rest, and sets the word back over them. Whoever counts up
//! only behind the set, or whose count was waited for, must never be reported. Start at [`Races::swallows`].

use tileproof_model::event::Event;
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};

use super::races::{Call, Races, thread_of};

impl Races {
    /// A word of a core is about to be set, or to be added to.
    pub(super) fn swallows(
        &mut self,
        event: &Event,
        me: usize,
        (core, offset): (usize, u32),
        is_set: bool,
        raised: &mut Raises,
    ) {
        let Some(word) = self.words.get(&(core, offset)) else { return };
        let Some(other) = word.meets(is_set, me as u32, &self.actors[me].known) else { return };
        let (there, thread) = thread_of(other.actor);
        let (this, other): (Call, Call) = ((event.core, event.thread, event.site), (there, thread, other.site));
        let (set, added) = if is_set { (this, other) } else { (other, this) };
        if self.spoken.contains(&set) || self.spoken.contains(&added) {
            return;
        }
        self.tell_swallowed(event.cycle, (core, offset), set, added, raised);
    }

    #[cold]
    fn tell_swallowed(&self, cycle: u64, (core, offset): (usize, u32), set: Call, added: Call, raised: &mut Raises) {
        let place = &self.layout.cores[core];
        let who = |(core, thread, _): Call| format!("{thread} of core {}", self.layout.cores[core].coord);
        let message = format!(
            "{} of core {} is set by {} while {} counts it up: nothing orders the two, so that the count may be lost",
            place.owner(offset),
            place.coord,
            who(set),
            who(added)
        );
        let mut finding = Raised::of(set.0, (set.1, set.2), Code::UNORDERED, message)
            .fact("cycle", cycle)
            .text("takes a count with it that came before")
            .label_on(added.0, (added.1, added.2), "counted up here, before that or behind it")
            .fact("bytes", place.owner(offset))
            .fact("other", added.1)
            .help(
                "wait for all that may be counted before the word is set back, or do not set it back and wait for a count that \
                 grows",
            );
        finding.certainty = Certainty::CanHappen;
        raised.push_first(finding);
    }
}
