//! When something that carries one transfer at a time is taken.
//!
//! Transfers are told roughly in the order of time and take time that is free, also between two that were told before. What is long
//! past is forgotten, and counts as taken. Start at [`Calendar::free_from`].

/// Stretches of time that a calendar keeps. One that has more forgets the older half.
const KEPT: usize = 1024;

/// When something is taken.
#[derive(Default)]
pub(crate) struct Calendar {
    /// Before this it is taken.
    forgotten: u64,
    /// Stretches that are taken, in order, none of which touch.
    taken: Vec<(u64, u64)>,
}

impl Calendar {
    /// The first moment from `from` on at which it is free for `cycles`.
    pub(crate) fn free_from(&self, from: u64, cycles: u64) -> u64 {
        let mut at = from.max(self.forgotten);
        let next = self.taken.partition_point(|(_, end)| *end <= at);
        for (begin, end) in &self.taken[next..] {
            if *begin >= at + cycles {
                break;
            }
            at = *end;
        }
        at
    }

    /// Takes it for `cycles` from `from` on, when it is free.
    pub(crate) fn take(&mut self, from: u64, cycles: u64) {
        let (mut begin, mut end) = (from, from + cycles);
        let at = self.taken.partition_point(|taken| taken.1 < begin);
        let touched = self.taken[at..].iter().take_while(|taken| taken.0 <= end).count();
        for taken in &self.taken[at..at + touched] {
            (begin, end) = (begin.min(taken.0), end.max(taken.1));
        }
        self.taken.splice(at..at + touched, [(begin, end)]);
        if self.taken.len() > KEPT {
            self.forgotten = self.taken[KEPT / 2 - 1].1;
            self.taken.drain(..KEPT / 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Calendar;

    #[test]
    fn who_comes_takes_what_is_free_also_between_others() {
        let mut calendar = Calendar::default();
        let mut served = |from, cycles| {
            let at = calendar.free_from(from, cycles);
            calendar.take(at, cycles);
            at
        };
        // Four that get there together go one after the other.
        let together: Vec<u64> = (0..4).map(|_| served(0, 100)).collect();
        assert_eq!(together, [0, 100, 200, 300]);
        // Long after it is free; in between it is as well, where there is room.
        assert_eq!((served(1000, 50), served(390, 600), served(390, 601)), (1000, 400, 1050));
    }

    #[test]
    fn what_is_long_past_is_taken_and_no_more_is_kept_however_many_come() {
        let mut calendar = Calendar::default();
        for transfer in 0..10_000 {
            calendar.take(3 * transfer, 1);
        }
        assert!(calendar.taken.len() <= super::KEPT);
        assert!(calendar.free_from(0, 1) > 3 * 8000, "{}", calendar.free_from(0, 1));
        assert_eq!(calendar.free_from(29_998, 2), 29_998);
    }
}
