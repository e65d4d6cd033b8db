//! What `--explore` wants of a run that was made in another process, as words.
//!
//! A kernel shares that process: words that no run leaves must be refused. Start at [`Orders::to_words`].

use std::iter::once;

use tileproof_model::thread::{CoreCoord, Thread};

use super::orders::{Late, Open, Orders};

/// A thread of a core.
type Who = (CoreCoord, Thread);

/// What is open and is told: more than any exploration turns round. An answer has an end.
const MOST_OPEN: usize = 100_000;

const LATE: [Late; 3] = [Late::Reads, Late::Writes, Late::Words];

impl Orders {
    /// What is to be known of a run once it is over.
    pub(super) fn to_words(&self) -> Vec<u64> {
        let late = LATE.iter().map(|late| u64::from(self.late.contains(late)));
        let has_more = self.has_more || self.open.len() > MOST_OPEN;
        let mut words: Vec<u64> = [self.fingerprint, has_more.into()].into_iter().chain(late).collect();
        words.push(self.went_on.is_some().into());
        words.extend(self.went_on.into_iter().flat_map(of_thread));
        words.push(self.threads.len() as u64);
        words.extend(self.threads.iter().copied().flat_map(of_thread));
        words.push(self.open.len().min(MOST_OPEN) as u64);
        for Open { point, node, threads } in self.open.iter().take(MOST_OPEN) {
            words.extend([*point, *node].into_iter().chain(threads.iter().copied().flat_map(of_thread)));
        }
        words
    }

    /// The same back; `None` where the words are none of these.
    pub(super) fn of_words(words: &[u64]) -> Option<Orders> {
        let words = &mut words.iter().copied();
        let mut orders = Orders::default();
        (orders.fingerprint, orders.has_more) = (words.next()?, bit(words)?);
        for late in LATE {
            if bit(words)? {
                orders.late.insert(late);
            }
        }
        orders.went_on = if bit(words)? { Some(thread(words)?) } else { None };
        for _ in 0..words.next()? {
            orders.threads.insert(thread(words)?);
        }
        for _ in 0..words.next()? {
            let (point, node) = (words.next()?, words.next()?);
            orders.open.insert(Open { point, node, threads: [thread(words)?, thread(words)?] });
        }
        words.next().is_none().then_some(orders)
    }
}

fn of_thread((core, thread): Who) -> impl Iterator<Item = u64> {
    [core.x, core.y].into_iter().map(u64::from).chain(once(thread as u64))
}

fn bit(words: &mut impl Iterator<Item = u64>) -> Option<bool> {
    match words.next()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn thread(words: &mut impl Iterator<Item = u64>) -> Option<Who> {
    let mut next = || words.next();
    let core = CoreCoord { x: next()?.try_into().ok()?, y: next()?.try_into().ok()? };
    Some((core, *Thread::ALL.get(usize::try_from(next()?).ok()?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders() -> Orders {
        let who = |x, thread| (CoreCoord { x, y: 1 }, thread);
        let threads = [who(0, Thread::Brisc), who(7, Thread::Pack)];
        let mut orders = Orders::default();
        (orders.fingerprint, orders.has_more, orders.went_on) = (12, true, Some(threads[1]));
        orders.open.insert(Open { point: 3, node: 4, threads });
        orders.threads.extend(threads);
        orders.late.insert(Late::Writes);
        orders
    }

    #[test]
    fn an_order_comes_back_as_it_was() {
        let (before, after) = (orders(), Orders::of_words(&orders().to_words()).unwrap());
        assert_eq!((before.fingerprint, before.has_more), (after.fingerprint, after.has_more));
        assert_eq!((before.open, before.went_on), (after.open, after.went_on));
        assert_eq!((before.threads, before.late), (after.threads, after.late));
    }

    #[test]
    fn of_more_that_is_open_than_is_told_it_is_said_that_there_is_more() {
        let mut orders = orders();
        orders.has_more = false;
        let Open { node, threads, .. } = *orders.open.first().unwrap();
        orders.open.extend((0..MOST_OPEN as u64).map(|point| Open { point: 10 + point, node, threads }));
        let told = Orders::of_words(&orders.to_words()).unwrap();
        assert_eq!((told.open.len(), told.has_more), (MOST_OPEN, true));
    }

    #[test]
    fn words_that_no_run_leaves_are_refused() {
        let words = orders().to_words();
        for cut in 0..words.len() {
            assert!(Orders::of_words(&words[..cut]).is_none(), "cut at {cut}");
        }
        assert!(Orders::of_words(&[&words[..], &[0]].concat()).is_none());
        let mut other = words.clone();
        other[1] = 2;
        assert!(Orders::of_words(&other).is_none(), "a bit of 2");
    }
}
