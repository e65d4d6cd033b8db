//! Habits that hold on most runs and that nobody promises: said as notes.
//!
//! Each rests on hardware that the machine does not have: a store buffer, a cache, two command buffers. None may fail a run.
//! Start at [`Races::habits`].

use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::{Raised, Raises};

use super::races::{FLAG_BYTES, Races};

/// Words that are followed at a time, of those that a thread has loaded: the cache has as few lines (ISA documentation,
/// `BlackholeA0/TensixTile/BabyRISCV/L1.md`).
const LINES: usize = 4;

impl Races {
    /// Looks at an event before the order takes it in.
    pub(super) fn habits(&mut self, event: &Event, me: usize, raised: &mut Raises) {
        match event.what {
            What::Store { offset, bytes, .. } => {
                // A loop's stores are one.
                let start = match self.actors[me].stored {
                    Some((_, start, end)) if end == offset => start,
                    _ => offset,
                };
                self.actors[me].stored = Some((event.site, start, offset.saturating_add(bytes)));
                return;
            }
            What::NocWrite { from, bytes, noc, to, multicast, .. } => {
                self.just_stored(event, me, (from, bytes), raised);
                if let (true, true, NocPlace::L1(core, offset)) = (multicast, bytes <= FLAG_BYTES, to)
                    && self.is_word(core, offset)
                {
                    self.flag_behind_data(event, me, noc, core, raised);
                }
            }
            What::Load { offset, bytes, .. } => {
                let caches = self.layout.arch.constants().caches_l1 && event.thread.is_data_movement();
                if caches && bytes <= FLAG_BYTES {
                    self.stale_look(event, me, offset, raised);
                }
                // What is read beside it leaves the stores where they are.
                let read_back = |(_, start, end): &(_, u32, u32)| (*start..*end).contains(&offset);
                if !self.actors[me].stored.as_ref().is_some_and(read_back) {
                    return;
                }
            }
            // A wait for a semaphore makes the cache forget in each round (tt-metal `noc_semaphore_wait`).
            What::CacheInvalidated | What::SemaphoreWait { .. } => self.actors[me].cached.clear(),
            _ => {}
        }
        self.actors[me].stored = None;
    }

    /// A RISC's stores are on their way to L1 for a while, and a transfer that it starts next may be there first (ISA
    /// documentation, `TensixTile/BabyRISCV/MemoryOrdering.md`; tt-metal pull request 50368 reads the last word back).
    fn just_stored(&mut self, event: &Event, me: usize, (from, bytes): (u32, u32), raised: &mut Raises) {
        let Some((site, start, end)) = self.actors[me].stored else { return };
        // Flags are sent like this everywhere, and are sent again.
        if bytes <= FLAG_BYTES || end <= from || start >= from.saturating_add(bytes) {
            return;
        }
        let message =
            "a NoC write sends what its thread has only just stored: the stores may reach L1 after the NoC has read it";
        let note = Raised::at(event, Code::STORED_AND_SENT, message.into())
            .text("may send the old bytes")
            .label(Some((event.thread, site)), "the last store")
            .help("read the last word back before the NoC write: a load of it waits for the store");
        self.note(note, raised);
    }

    fn flag_behind_data(&mut self, event: &Event, me: usize, noc: u8, core: usize, raised: &mut Raises) {
        if !self.layout.arch.constants().noc.flags_may_overtake {
            return;
        }
        let Some(data) = self.actors[me].transfers.multicast_leaving(noc, core) else { return };
        let message = "a flag is multicast behind its data with no flush between: on this chip it may overtake them";
        let note = Raised::at(event, Code::FLAG_BEHIND_DATA, message.into())
            .text("may arrive before the data")
            .label(Some((event.thread, data)), "the data are multicast here, and may still be in flight")
            .remark("whether it can happen is disputed: kernels of tt-metal flush here on this chip alone")
            .help("call noc_async_writes_flushed between the data and the flag");
        self.note(note, raised);
    }

    /// A word is looked at again, and has changed, and nothing has made the cache forget it in between.
    fn stale_look(&mut self, event: &Event, me: usize, offset: u32, raised: &mut Raises) {
        if !self.is_word(event.core, offset) {
            return;
        }
        let changes = self.words.get(&(event.core, offset)).map_or(0, |word| word.changes);
        let cached = &mut self.actors[me].cached;
        let Some(at) = cached.iter().position(|(word, _)| *word == offset) else {
            if cached.len() == LINES {
                cached.remove(0);
            }
            return cached.push((offset, changes));
        };
        if cached[at].1 == changes {
            return;
        }
        cached.remove(at);
        let message = format!(
            "{} is polled through a pointer, and nothing makes the cache forget it: the thread may see the old value for ever",
            self.layout.cores[event.core].owner(offset)
        );
        let note = Raised::at(event, Code::STALE_LOOK, message)
            .text("another has changed it since this thread looked last")
            .remark("the cache is off unless the host turns it on")
            .help("call invalidate_l1_cache in the loop, or wait with noc_semaphore_wait, which does");
        self.note(note, raised);
    }

    fn note(&mut self, mut note: Raised, raised: &mut Raises) {
        note.certainty = Certainty::Suspect;
        note.is_note = true;
        raised.push_first(note);
    }
}
