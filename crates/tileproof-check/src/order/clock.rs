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

/// Moments that are known, one a component, sorted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Clock(Vec<Moment>);

impl Clock {
    #[inline]
    fn number(&self, component: Component) -> u32 {
        // A handful of entries, most of them.
        if self.0.len() <= 16 {
            let found = self.0.iter().find(|moment| moment.component >= component);
            return found.filter(|moment| moment.component == component).map_or(0, |moment| moment.number);
        }
        self.0.binary_search_by_key(&component, |moment| moment.component).map_or(0, |at| self.0[at].number)
    }

    fn set(&mut self, moment: Moment) {
        match self.0.binary_search_by_key(&moment.component, |known| known.component) {
            Ok(at) => self.0[at].number = self.0[at].number.max(moment.number),
            Err(at) => self.0.insert(at, moment),
        }
    }
}

impl Clock {
    /// Whether another has nothing that is new to this one, its owner's own component aside.
    fn covers(&self, other: &Clock, own: Component) -> bool {
        let mut known = self.0.iter();
        let mut at = known.next();
        other.0.iter().filter(|moment| moment.component != own).all(|moment| {
            while at.is_some_and(|known| known.component < moment.component) {
                at = known.next();
            }
            at.is_some_and(|known| known.component == moment.component && known.number >= moment.number)
        })
    }

    /// All that another has, its owner's own component aside.
    fn join(&mut self, other: &Clock, own: Component) {
        let mut at = 0;
        for moment in other.0.iter().filter(|moment| moment.component != own) {
            at += self.0[at..].iter().take_while(|known| known.component < moment.component).count();
            match self.0.get_mut(at).filter(|known| known.component == moment.component) {
                Some(known) => known.number = known.number.max(moment.number),
                None => self.0.insert(at, *moment),
            }
        }
    }
}

/// All that an actor knows. A copy is what it has handed on.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// Its own last hand-over.
    own: Moment,
    /// Of others; shared by the copies until somebody learns more.
    others: Rc<Clock>,
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
        moment.number <= self.others.number(moment.component)
    }

    /// One moment more, and so all before it.
    pub(super) fn learn(&mut self, moment: Moment) {
        if !self.has(moment) {
            Rc::make_mut(&mut self.others).set(moment);
        }
    }

    /// All that was handed on.
    pub(super) fn join(&mut self, handed: &Known) {
        self.learn(handed.own);
        if Rc::ptr_eq(&self.others, &handed.others) || self.others.covers(&handed.others, self.own.component) {
            return;
        }
        Rc::make_mut(&mut self.others).join(&handed.others, self.own.component);
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
