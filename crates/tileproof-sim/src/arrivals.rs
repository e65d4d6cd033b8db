//! When words of L1 came to hold what they hold, so that a wait ends at that moment, whoever ran first.
//!
//! The host may run whoever writes a word late before whoever writes it early, and may have run several before a thread that waits
//! looks at it. So the last changes of a word are kept with their times, and a wait ends at the first moment from which on it has what
//! it waits for. Start at [`Arrivals::met_at`].

use std::collections::BTreeMap;

use tileproof_model::abi::compare;

/// Changes that are kept of each word.
const KEPT: usize = 64;

/// What a change makes of a word.
#[derive(Clone, Copy, Debug)]
enum Change {
    Stored(u32),
    Added(u32),
}

impl Change {
    fn of(self, value: u32) -> u32 {
        match self {
            Change::Stored(stored) => stored,
            Change::Added(by) => value.wrapping_add(by),
        }
    }
}

/// How one word got its value.
#[derive(Default, Debug)]
struct Arrival {
    /// What it holds, as far as is known, and when that was written, in the order of the host.
    value: u32,
    last: u64,
    /// What it held before the changes that are kept.
    before: u32,
    /// Those, in the order of time.
    changes: Vec<(u64, Change)>,
}

/// The words of a core's L1 that transfers or calls have written, by offset.
#[derive(Default, Debug)]
pub(crate) struct Arrivals(BTreeMap<u32, Arrival>);

impl Arrivals {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a word was written.
    pub(crate) fn knows(&self, offset: u32) -> bool {
        self.0.contains_key(&offset)
    }

    /// A word that holds `now` is about to be written.
    pub(crate) fn will_change(&mut self, offset: u32, now: u32) {
        let arrival = self.0.entry(offset).or_insert_with(|| Arrival { value: now, before: now, ..Arrival::default() });
        if arrival.value != now {
            // A thread has stored to it by itself, which nothing tells of.
            (arrival.value, arrival.before) = (now, now);
            arrival.changes.clear();
        }
    }

    /// A word was written: it holds `value` from cycle `at` on.
    pub(crate) fn stored(&mut self, offset: u32, value: u32, at: u64) {
        self.changed(offset, value, |_| Change::Stored(value), at);
    }

    /// Something was added to a word at cycle `at`: it holds `value` now.
    pub(crate) fn added(&mut self, offset: u32, value: u32, at: u64) {
        self.changed(offset, value, |before| Change::Added(value.wrapping_sub(before)), at);
    }

    fn changed(&mut self, offset: u32, value: u32, change: impl FnOnce(u32) -> Change, at: u64) {
        let arrival = self.0.entry(offset).or_default();
        let change = change(arrival.value);
        (arrival.value, arrival.last) = (value, at);
        let place = arrival.changes.partition_point(|(earlier, _)| *earlier <= at);
        arrival.changes.insert(place, (at, change));
        if arrival.changes.len() > KEPT {
            let (_, first) = arrival.changes.remove(0);
            arrival.before = first.of(arrival.before);
        }
    }

    /// When a thread that waits from cycle `from` on sees a word compare with `value` as `how` says ([`compare`]). It holds `now`,
    /// which does.
    pub(crate) fn met_at(&self, offset: u32, now: u32, (how, value): (u32, u32), from: u64) -> u64 {
        let Some(arrival) = self.0.get(&offset) else { return 0 };
        let is_met = |held: u32| if how == compare::EQUAL { held == value } else { held >= value };
        if arrival.value != now {
            return arrival.last;
        }
        let (past, to_come) = arrival.changes.split_at(arrival.changes.partition_point(|(at, _)| *at <= from));
        let mut held = past.iter().fold(arrival.before, |held, (_, change)| change.of(held));
        if is_met(held) {
            return from;
        }
        for (at, change) in to_come {
            held = change.of(held);
            if is_met(held) {
                return *at;
            }
        }
        // The host has made the changes in another order than that of time.
        arrival.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: u32 = 64;
    const FIVE: (u32, u32) = (compare::EQUAL, 5);

    fn at_least(value: u32) -> (u32, u32) {
        (compare::AT_LEAST, value)
    }

    fn stores(arrivals: &mut Arrivals, [before, value]: [u32; 2], at: u64) {
        arrivals.will_change(WORD, before);
        arrivals.stored(WORD, value, at);
    }

    fn adds(arrivals: &mut Arrivals, [before, value]: [u32; 2], at: u64) {
        arrivals.will_change(WORD, before);
        arrivals.added(WORD, value, at);
    }

    #[test]
    fn a_count_is_there_when_the_earliest_that_make_it_up_are_whichever_ran_first() {
        for order in [[90, 10, 50], [10, 50, 90]] {
            let mut arrivals = Arrivals::default();
            stores(&mut arrivals, [0, 0], 5);
            for (count, at) in order.into_iter().enumerate() {
                adds(&mut arrivals, [count as u32, count as u32 + 1], at);
            }
            let met = |value| arrivals.met_at(WORD, 3, at_least(value), 0);
            assert_eq!([1, 2, 3].map(met), [10, 50, 90]);
            assert_eq!(arrivals.met_at(WORD, 3, (compare::EQUAL, 3), 0), 90);
            assert_eq!(arrivals.met_at(WORD, 3, at_least(2), 70), 70, "it was there before");
        }
    }

    #[test]
    fn a_flag_that_went_away_is_seen_when_it_is_there_again() {
        let mut arrivals = Arrivals::default();
        for (values, at) in [([0, 5], 10), ([5, 0], 20), ([0, 5], 30)] {
            stores(&mut arrivals, values, at);
        }
        let met = |from| arrivals.met_at(WORD, 5, FIVE, from);
        assert_eq!([0, 15, 25, 35].map(met), [10, 15, 30, 35]);
    }

    #[test]
    fn what_a_thread_stores_by_itself_forgets_the_changes_before() {
        let mut arrivals = Arrivals::default();
        adds(&mut arrivals, [0, 4], 100);
        // It is 0 again, and is counted up once.
        adds(&mut arrivals, [0, 1], 200);
        assert_eq!(arrivals.met_at(WORD, 1, at_least(1), 0), 200);
        assert_eq!(arrivals.met_at(WORD, 9, at_least(1), 0), 200, "stored by itself after that");
        assert_eq!(arrivals.met_at(WORD + 16, 9, at_least(1), 0), 0, "nobody knows");
    }

    #[test]
    fn of_many_changes_the_last_are_kept() {
        let mut arrivals = Arrivals::default();
        (0..1000).for_each(|count| adds(&mut arrivals, [count, count + 1], 10 * u64::from(count)));
        let met = |value| arrivals.met_at(WORD, 1000, at_least(value), 0);
        assert_eq!([1000, 990, 1].map(met), [9_990, 9_890, 0]);
        assert!(arrivals.0[&WORD].changes.len() <= KEPT);
    }
}
