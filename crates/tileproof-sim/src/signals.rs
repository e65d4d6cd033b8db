//! Who has written the words that threads wait for: semaphores and flags.
//!
//! A wait for a word says nothing of who should write it. But cores that run the same kernel do the same part, so what the
//! others have added tells whose part is missing. This is kept for deadlock reports alone (`senders.rs`) and must never change
//! a run.

use std::collections::{BTreeMap, BTreeSet};

use tileproof_model::abi::Site;
use tileproof_model::thread::{CoreCoord, Thread};

/// One write of a word.
#[derive(Clone, Copy)]
pub(crate) struct Sent {
    pub(crate) core: CoreCoord,
    pub(crate) thread: Thread,
    pub(crate) site: Site,
    /// What was added, a negative number as its two's complement; 0 for a store.
    pub(crate) added: u32,
}

/// A write that left less in a counted word than there was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    pub(crate) core: CoreCoord,
    pub(crate) thread: Thread,
    pub(crate) site: Site,
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// What had been waited for by then.
    pub(crate) met: u32,
}

/// What is known of the value of a word.
#[derive(Default, Debug)]
struct Count {
    /// What it holds since the last write that is known.
    value: u32,
    /// What the last wait asked for that was met.
    met: u32,
    /// The last write that took something away.
    taken: Option<Taken>,
}

/// One thread that has written a word.
#[derive(Debug)]
pub(crate) struct Sender {
    pub(crate) core: CoreCoord,
    pub(crate) thread: Thread,
    /// The last write, and its number among all.
    pub(crate) site: Site,
    pub(crate) number: u64,
    /// All that it has added; 0 if it stored values.
    pub(crate) added: u64,
}

/// The senders of a core's words, by offset in its L1: of words that are counted up, of semaphores, and of those that a thread
/// has waited for. Any other word of four bytes may be data, of which there are many.
#[derive(Default, Debug)]
pub(crate) struct Signals {
    words: BTreeMap<u32, BTreeMap<(CoreCoord, Thread), Sender>>,
    counts: BTreeMap<u32, Count>,
    awaited: BTreeSet<u32>,
    writes: u64,
}

impl Signals {
    /// A word was written, and holds `value` now.
    pub(crate) fn wrote(&mut self, offset: u32, is_semaphore: bool, value: u32, sent: Sent) {
        let Sent { core, thread, site, added } = sent;
        if added == 0 && !is_semaphore && !self.awaited.contains(&offset) {
            return;
        }
        let number = self.writes;
        self.writes += 1;
        let count = self.counts.entry(offset).or_default();
        if value < count.value {
            count.taken = Some(Taken { core, thread, site, from: count.value, to: value, met: count.met });
        }
        count.value = value;
        // What is counted down is no part in what is waited for.
        let added = if (added as i32) < 0 { 0 } else { added };
        let new = Sender { core, thread, site, number, added: 0 };
        let sender = self.words.entry(offset).or_default().entry((core, thread)).or_insert(new);
        (sender.site, sender.number) = (site, number);
        sender.added += u64::from(added);
    }

    /// A semaphore begins with `value`.
    pub(crate) fn begins(&mut self, offset: u32, value: u32) {
        self.counts.entry(offset).or_default().value = value;
    }

    /// A wait for `value` of a word is met.
    pub(crate) fn met(&mut self, offset: u32, value: u32) {
        self.counts.entry(offset).or_default().met = value;
    }

    /// A thread begins to wait for a word.
    pub(crate) fn awaits(&mut self, offset: u32) {
        self.awaited.insert(offset);
    }

    pub(crate) fn senders(&self, offset: u32) -> impl Iterator<Item = &Sender> {
        self.words.get(&offset).into_iter().flat_map(BTreeMap::values)
    }

    /// Words that another core has written or counted up and that no call has waited for, each with its last sender.
    pub(crate) fn unheard(&self, own: CoreCoord) -> impl Iterator<Item = (u32, &Sender)> {
        let is_met = |offset: &u32| self.counts.get(offset).is_some_and(|count| count.met > 0);
        let unheard = self.words.iter().filter(move |(offset, _)| !self.awaited.contains(offset) && !is_met(offset));
        unheard.filter_map(move |(offset, senders)| {
            let sent = senders.values().filter(|sender| sender.added > 0 || sender.core != own);
            Some((*offset, sent.max_by_key(|sender| sender.number)?))
        })
    }

    /// The last write that left less in a word than there was.
    pub(crate) fn taken(&self, offset: u32) -> Option<Taken> {
        self.counts.get(&offset)?.taken
    }

    /// The cores that have written a word.
    pub(crate) fn writers(&self, offset: u32) -> impl Iterator<Item = CoreCoord> {
        self.senders(offset).map(|sender| sender.core)
    }

    pub(crate) fn clear(&mut self) {
        *self = Signals::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_of_four_bytes_is_not_kept_until_somebody_waits_for_it() {
        let mut signals = Signals::default();
        let sent = |x, added| Sent { core: CoreCoord { x, y: 0 }, thread: Thread::Brisc, site: Site::default(), added };
        (0..1000).for_each(|word| signals.wrote(4 * word, false, 1, sent(1, 0)));
        assert!(signals.words.is_empty());
        signals.awaits(8);
        signals.wrote(8, false, 1, sent(1, 0));
        signals.wrote(12, true, 1, sent(1, 0));
        signals.wrote(16, false, 3, sent(2, 3));
        signals.wrote(16, false, 6, sent(1, 3));
        signals.wrote(16, false, 9, sent(2, 3));
        let kept: Vec<_> = signals.words.keys().copied().collect();
        assert_eq!(kept, [8, 12, 16]);
        let added: Vec<_> = signals.senders(16).map(|s| (s.core.x, s.added)).collect();
        assert_eq!(added, [(1, 3), (2, 6)]);
        assert_eq!(signals.senders(16).max_by_key(|s| s.number).map(|s| s.core.x), Some(2));
    }
}
