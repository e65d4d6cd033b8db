//! What threads hand on to each other: pages of circular buffers, semaphores, mailboxes.
//!
//! Knowledge goes along an edge from what one thread did to what that let another do, and along nothing else: it must never pass
//! for known what was merely in time in this run. Start at [`Sides`] and [`Word`].

use std::collections::VecDeque;

use tileproof_model::abi::Site;

use super::clock::Known;

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

/// A word of L1 that threads signal each other with.
#[derive(Default, Debug)]
pub(super) struct Word {
    /// Whoever sees the word knows this: what those knew who set it, or added to it long ago.
    base: Option<Known>,
    /// Who set it.
    set: Option<Signalled>,
    /// What was added since, in order.
    added: VecDeque<(u32, Known, Signalled)>,
    /// How often it has changed.
    pub(super) changes: u32,
}

impl Word {
    /// It is set: whoever waits from here on waits for what comes from here on.
    pub(super) fn set(&mut self, known: Known, by: Signalled) {
        *self = Word { base: Some(known), set: Some(by), added: VecDeque::new(), changes: self.changes + 1 };
    }

    /// Something is added to it.
    pub(super) fn add(&mut self, amount: u32, known: Known, by: Signalled) {
        self.added.push_back((amount, known, by));
        self.changes += 1;
        if self.added.len() > ADDITIONS
            && let Some((_, old, by)) = self.added.pop_front()
        {
            match &mut self.base {
                Some(base) => base.join(&old),
                None => self.base = Some(old),
            }
            self.set.get_or_insert(by);
        }
    }

    /// A thread has seen it, and `surplus` more than it waited for: additions that it did not need prove nothing, though they
    /// were in time. It learns of the others; who they were comes back.
    pub(super) fn learn(&self, surplus: u32, known: &mut Known) -> Vec<Signalled> {
        let mut left = surplus;
        let unneeded = self.added.iter().rev().take_while(|(amount, ..)| {
            let is_unneeded = *amount <= left;
            left -= if is_unneeded { *amount } else { 0 };
            is_unneeded
        });
        let needed = self.added.len() - unneeded.count();
        if let Some(base) = &self.base {
            known.join(base);
        }
        let mut from: Vec<Signalled> = self.set.into_iter().collect();
        for (_, told, by) in self.added.iter().take(needed) {
            known.join(told);
            from.push(*by);
        }
        from
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
        assert_eq!(word.learn(1, &mut c).len(), 1);
        assert!(c.has(of_a) && !c.has(of_b));
        assert_eq!(word.learn(0, &mut c).len(), 2);
        assert!(c.has(of_b));
    }

    #[test]
    fn a_word_that_is_set_tells_nothing_of_what_was_added_before() {
        let (mut a, mut b, mut c) = (Known::of(0), Known::of(1), Known::of(2));
        let of_a = a.now();
        let mut word = Word::default();
        word.add(1, a.hand_on(), by(0));
        word.set(b.hand_on(), by(1));
        word.learn(0, &mut c);
        assert!(!c.has(of_a));
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
