//! Words that one thread sets while another counts them up or sets them too, and nothing says which comes first: what comes before is
//! lost.
//!
//! Whoever waits for fewer counts than may have come knows nothing of the rest, and sets the word back over them; whoever says that it
//! is ready, and sets the word back then, may do so over the answer. Whoever counts up or answers only behind the set, or who was
//! waited for, must never be reported. Start at [`Races::swallows`] and [`Races::overwrites`].

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

    /// A thread has waited for a word, which is as it asked; had another set it last, it would wait for ever.
    pub(super) fn overwrites(
        &mut self,
        event: &Event,
        offset: u32,
        (asked, is_exact): (u32, bool),
        raised: &mut Raises,
    ) {
        let Some(word) = self.words.get(&(event.core, offset)) else { return };
        let Some(contested) = word.loses(asked, is_exact) else { return };
        let [lost, stays] = [contested.then, contested.first].map(|by| {
            let (core, thread) = thread_of(by.actor);
            (core, thread, by.site)
        });
        if !self.spoken.contains(&lost) && !self.spoken.contains(&stays) {
            self.tell_overwritten(event, offset, lost, stays, raised);
        }
    }

    #[cold]
    fn tell_overwritten(&self, event: &Event, offset: u32, lost: Call, stays: Call, raised: &mut Raises) {
        let place = &self.layout.cores[event.core];
        let who = |(core, thread, _): Call| format!("{thread} of core {}", self.layout.cores[core].coord);
        let message = format!(
            "{} of core {} is set by {} while {} sets it to what {} waits for: nothing orders the two, so that this value may be lost",
            place.owner(offset),
            place.coord,
            who(stays),
            who(lost),
            who((event.core, event.thread, event.site))
        );
        let mut finding = Raised::of(stays.0, (stays.1, stays.2), Code::UNORDERED, message)
            .fact("cycle", event.cycle)
            .text("overwrites the other value where it comes last")
            .label_on(lost.0, (lost.1, lost.2), "set here, before that or behind it")
            .label(Some((event.thread, event.site)), "would wait for ever")
            .fact("bytes", place.owner(offset))
            .fact("other", lost.1)
            .help("set the word back before whoever sets it next is told that it may: before the count or the page that says so");
        finding.certainty = Certainty::CanHappen;
        raised.push_first(finding);
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
