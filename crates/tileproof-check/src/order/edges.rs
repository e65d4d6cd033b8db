//! What threads hand on to each other: pages of circular buffers, semaphores, mailboxes.
//!
//! Knowledge goes along an edge from what one thread did to what that let another do, and along nothing else: it must never pass
//! for known what was merely in time in this run. Start at [`Sides`] and [`Word`].

use std::collections::VecDeque;

use tileproof_model::abi::Site;

use super::clock::{Known, Moment};

/// Pages of a circular buffer that were handed on: pushed, or popped.
#[derive(Default, Debug)]
pub(super) struct Handed {
    /// How many, in all.
    pub(super) pages: u64,
    /// What threads knew that handed on pages, by how many had been handed on before.
    knew: VecDeque<(u64, Known)>,
}

impl Handed {
    /// Pages are handed on by a thread that knows something. Nobody will ask for `floor` pages or fewer alone.
    pub(super) fn tell(&mut self, known: Known, pages: u32, floor: u64) {
        self.knew.push_back((self.pages, known));
        self.pages += u64::from(pages);
        // Whoever asks for more pages than the floor is told of all these.
        while self.knew.get(1).is_some_and(|(at, _)| *at <= floor)
            && let Some((_, old)) = self.knew.pop_front()
            && let Some((_, next)) = self.knew.front_mut()
        {
            if next.now().component != old.now().component {
                next.join(&old);
            }
        }
    }

    /// A thread has waited for the first `pages`: it learns what those knew who handed them on.
    pub(super) fn learn(&self, pages: u64, known: &mut Known) {
        for (_, told) in self.knew.iter().take_while(|(before, _)| *before < pages) {
            known.join(told);
        }
    }
}

/// The two sides of a circular buffer.
#[derive(Default, Debug)]
pub(super) struct Sides {
    pub(super) pushed: Handed,
    pub(super) popped: Handed,
}

/// Who signalled, and from where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Signalled {
    pub(super) actor: u32,
    pub(super) site: Site,
    pub(super) noc: u8,
    /// It was added, not set.
    pub(super) adds: bool,
}

/// Additions of a word that are kept apart; more are known all together.
const ADDITIONS: usize = 256;

/// Values of a word that are kept apart.
const VALUES: usize = 64;

/// A word of L1 that threads signal each other with.
#[derive(Default, Debug)]
pub(super) struct Word {
    /// What it was set to, as far as that is known, each value above the one before; and what those knew who set it.
    set: VecDeque<(Option<u32>, Known, Signalled)>,
    /// What was added since, in order.
    added: VecDeque<(u32, Known, Signalled)>,
    /// How often it has changed.
    pub(super) changes: u32,
    /// Of the values that it has been set to, the last that nothing puts before or behind the one that is there.
    contested: Option<Contested>,
}

/// A value that a word was set to, and who has set it to another that nothing puts before or behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Contested {
    value: u32,
    at: Moment,
    /// Who set it to `value`.
    pub(super) first: Signalled,
    /// Who set it to what is there.
    pub(super) then: Signalled,
}

impl Word {
    /// It is set. A value above the last may be the next of a count, which others have waited for up to the last; any other begins
    /// anew: whoever waits from here on waits for what comes from here on.
    pub(super) fn set(&mut self, value: Option<u32>, known: Known, by: Signalled) {
        self.contested = self.contests(value, &known, by);
        let last = self.set.back().and_then(|(value, ..)| *value);
        let counts_on = self.added.is_empty() && last.zip(value).is_some_and(|(last, value)| last < value);
        if !counts_on {
            self.set.clear();
            self.added.clear();
        } else if self.set.len() == VALUES {
            self.set.pop_front();
        }
        self.set.push_back((value, known, by));
        self.changes += 1;
    }

    /// What a word was set to by another of whom nothing is known, and what it would be if that came last.
    fn contests(&self, value: Option<u32>, known: &Known, by: Signalled) -> Option<Contested> {
        let last = self.set.back().filter(|_| self.added.is_empty());
        let last = last.and_then(|(value, told, first)| {
            Some(Contested { value: (*value)?, at: told.now(), first: *first, then: by })
        });
        let before = self.contested.map(|before| Contested { then: by, ..before });
        last.into_iter().chain(before).find(|first| {
            first.first.actor != by.actor && value.is_some_and(|value| value != first.value) && !known.has(first.at)
        })
    }

    /// A wait that is met, and would not be if of two values that the word was set to the other had come last.
    pub(super) fn loses(&self, asked: u32, is_exact: bool) -> Option<Contested> {
        let is_met = |value: u32| if is_exact { value == asked } else { value >= asked };
        self.contested.filter(|contested| self.added.is_empty() && !is_met(contested.value))
    }

    /// Something is added to it.
    pub(super) fn add(&mut self, amount: u32, known: Known, by: Signalled) {
        self.added.push_back((amount, known, by));
        self.changes += 1;
        if self.added.len() > ADDITIONS
            && let Some((_, old, by)) = self.added.pop_front()
        {
            match self.set.back_mut() {
                Some((_, set, _)) => set.join(&old),
                None => self.set.push_back((None, old, by)),
            }
        }
    }

    /// What was added by others, of which a thread that sets the word knows nothing; or what it was set to last, where a thread adds to
    /// it that knows nothing of that.
    pub(super) fn meets(&self, is_set: bool, me: u32, known: &Known) -> Option<Signalled> {
        let is_open = |told: &Known, by: &Signalled| by.actor != me && !known.has(told.now());
        if is_set {
            return self.added.iter().find(|(_, told, by)| is_open(told, by)).map(|(.., by)| *by);
        }
        self.set.back().filter(|(_, told, by)| is_open(told, by)).map(|(.., by)| *by)
    }

    /// Whether somebody who signalled with it knew of a moment.
    pub(super) fn tells(&self, moment: Moment) -> bool {
        self.set.iter().any(|(_, told, _)| told.has(moment)) || self.added.iter().any(|(_, told, _)| told.has(moment))
    }

    /// A thread has seen `saw` and had asked for `asked`: what the word was set to later, and additions that it did not need, prove
    /// nothing, though they were in time. It learns of the others; who they were comes back.
    pub(super) fn learn(&self, asked: u32, saw: u32, known: &mut Known) -> Vec<Signalled> {
        let mut left = saw.saturating_sub(asked);
        let unneeded = self.added.iter().rev().take_while(|(amount, ..)| {
            let is_unneeded = *amount <= left;
            left -= if is_unneeded { *amount } else { 0 };
            is_unneeded
        });
        let needed = self.added.len() - unneeded.count();
        let enough = |(value, ..): &&(Option<u32>, Known, Signalled)| value.is_some_and(|value| value >= asked);
        let first = if self.added.is_empty() { self.set.iter().find(enough) } else { None };
        let set = first.or(self.set.back()).map(|(_, told, by)| (told, by));
        let added = self.added.iter().take(needed).map(|(_, told, by)| (told, by));
        let seen = set.into_iter().chain(added);
        seen.map(|(told, by)| {
            known.join(told);
            *by
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(actor: u32) -> Signalled {
        Signalled { actor, site: Site::default(), noc: 0, adds: true }
    }

    #[test]
    fn a_wait_for_one_of_two_additions_learns_of_one() {
        let (mut a, mut b, mut c) = (Known::of(0), Known::of(1), Known::of(2));
        let (of_a, of_b) = (a.now(), b.now());
        let mut word = Word::default();
        word.add(1, a.hand_on(), by(0));
        word.add(1, b.hand_on(), by(1));
        assert_eq!(word.learn(1, 2, &mut c).len(), 1);
        assert!(c.has(of_a) && !c.has(of_b));
        assert_eq!(word.learn(2, 2, &mut c).len(), 2);
        assert!(c.has(of_b));
    }

    #[test]
    fn a_word_that_is_set_tells_nothing_of_what_was_added_before() {
        let (mut a, mut b, mut c) = (Known::of(0), Known::of(1), Known::of(2));
        let of_a = a.now();
        let mut word = Word::default();
        word.add(1, a.hand_on(), by(0));
        word.set(Some(0), b.hand_on(), by(1));
        word.learn(0, 0, &mut c);
        assert!(!c.has(of_a));
    }

    #[test]
    fn a_wait_for_a_value_tells_nothing_of_what_the_word_was_set_to_later() {
        let (mut a, mut c) = (Known::of(0), Known::of(2));
        let mut word = Word::default();
        let first = a.now();
        word.set(Some(1), a.hand_on(), by(0));
        let second = a.now();
        word.set(Some(2), a.hand_on(), by(0));
        word.learn(1, 2, &mut c);
        assert!(c.has(first) && !c.has(second));
        word.learn(2, 2, &mut c);
        assert!(c.has(second));
    }

    #[test]
    fn of_two_values_that_nothing_orders_the_first_would_fail_a_wait_for_the_second() {
        let (mut a, mut b) = (Known::of(0), Known::of(1));
        let mut word = Word::default();
        word.set(Some(0), a.hand_on(), by(0));
        word.set(Some(1), b.hand_on(), by(1));
        assert_eq!(word.loses(1, true).map(|contested| contested.first), Some(by(0)));
        assert_eq!(word.loses(0, false), None, "either value is enough");
        // Set once more, it may still be set back behind that.
        word.set(Some(2), b.hand_on(), by(1));
        assert!(word.loses(2, false).is_some());
        b.join(&a.hand_on());
        word.set(Some(3), b.hand_on(), by(1));
        assert_eq!(word.loses(3, true), None, "who set it last knows of the first");
    }

    #[test]
    fn pages_that_were_not_waited_for_tell_nothing() {
        let (mut a, mut c) = (Known::of(0), Known::of(2));
        let mut pushed = Handed::default();
        let first = a.now();
        pushed.tell(a.hand_on(), 1, 0);
        let second = a.now();
        pushed.tell(a.hand_on(), 1, 0);
        pushed.learn(1, &mut c);
        assert!(c.has(first) && !c.has(second));
        pushed.learn(2, &mut c);
        assert!(c.has(second));
    }
}
