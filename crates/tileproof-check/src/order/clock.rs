//! What an actor knows to have happened: vector clocks, of which only what was learned is kept.
//!
//! A component counts the moments of one actor: of a thread, what it has done up to each of its own hand-overs; of the transfers
//! of one kind that a thread has started, how many have come so far. A moment is known to whoever has its component at its number
//! or beyond (Mattern 1989; FastTrack, PLDI 2009, keeps the accesses as moments too). Most threads learn of a handful of
//! components, whatever the number of cores: so a clock is a short sorted list. Start at [`Clock`].

use std::rc::Rc;

/// The index of a component.
pub(super) type Component = u32;

/// A moment of a component.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(super) struct Moment {
    pub(super) component: Component,
    pub(super) number: u32,
}

/// The number of a component among moments that are known, one a component, sorted; 0 where it is none of them.
#[inline]
fn number(known: &[Moment], component: Component) -> u32 {
    // A handful of entries, most of them.
    if known.len() <= 16 {
        let found = known.iter().find(|moment| moment.component >= component);
        return found.filter(|moment| moment.component == component).map_or(0, |moment| moment.number);
    }
    known.binary_search_by_key(&component, |moment| moment.component).map_or(0, |at| known[at].number)
}

/// All that an actor knows. A copy is what it has handed on.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// Its own last hand-over.
    own: Moment,
    /// Of others, one a component, sorted; shared by the copies until somebody learns more.
    others: Rc<[Moment]>,
}

impl Known {
    /// A thread that begins.
    pub(super) fn of(component: Component) -> Known {
        Known { own: Moment { component, number: 1 }, others: Rc::default() }
    }

    /// What it does now is part of this moment.
    pub(super) fn now(&self) -> Moment {
        self.own
    }

    /// It hands on what it knows: what it does from here on is another moment.
    pub(super) fn hand_on(&mut self) -> Known {
        let handed = self.clone();
        self.goes_on();
        handed
    }

    /// It has handed on what it knows, to whoever has joined that: what it does from here on is another moment.
    pub(super) fn goes_on(&mut self) {
        self.own.number += 1;
    }

    /// Whether a moment is known.
    #[inline]
    pub(super) fn has(&self, moment: Moment) -> bool {
        if moment.component == self.own.component {
            return moment.number <= self.own.number;
        }
        moment.number <= number(&self.others, moment.component)
    }

    /// One moment more, and so all before it.
    pub(super) fn learn(&mut self, moment: Moment) {
        if self.has(moment) {
            return;
        }
        match self.others.binary_search_by_key(&moment.component, |known| known.component) {
            Ok(at) => Rc::make_mut(&mut self.others)[at] = moment,
            Err(at) => {
                let (before, behind) = self.others.split_at(at);
                self.others = [before, &[moment], behind].concat().into();
            }
        }
    }

    /// All that was handed on.
    pub(super) fn join(&mut self, handed: &Known) {
        self.learn(handed.own);
        if Rc::ptr_eq(&self.others, &handed.others) {
            return;
        }
        let own = self.own.component;
        let mut at = 0;
        for moment in handed.others.iter().filter(|moment| moment.component != own) {
            at += self.others[at..].iter().take_while(|known| known.component < moment.component).count();
            match self.others.get(at).filter(|known| known.component == moment.component) {
                Some(known) if known.number >= moment.number => {}
                // Copied at the first that is new.
                Some(_) => Rc::make_mut(&mut self.others)[at] = *moment,
                None => self.learn(*moment),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_after_a_hand_over_is_not_known_by_it() {
        let (mut a, mut b) = (Known::of(0), Known::of(1));
        let before = a.now();
        let handed = a.hand_on();
        let after = a.now();
        b.join(&handed);
        assert!(b.has(before) && !b.has(after));
    }

    #[test]
    fn knowledge_goes_along_chains_and_copies_do_not_change() {
        let (mut a, mut b, mut c) = (Known::of(0), Known::of(1), Known::of(2));
        let handed = b.hand_on();
        a.learn(Moment { component: 7, number: 3 });
        b.join(&a.hand_on());
        c.join(&handed);
        assert!(!c.has(Moment { component: 7, number: 1 }), "b did not know it yet");
        c.join(&b.hand_on());
        assert!(c.has(Moment { component: 7, number: 3 }) && !c.has(Moment { component: 7, number: 4 }));
        // Nothing that is known is forgotten by what knows less.
        c.learn(Moment { component: 7, number: 1 });
        assert!(c.has(Moment { component: 7, number: 3 }));
    }
}
