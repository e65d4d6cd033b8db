//! Where host threads wait for each other.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks after which a host thread that waits lets others run on its processor.
const LOOKS: u32 = 1 << 12;

/// Host threads that meet again and again.
pub(crate) struct Meeting {
    count: usize,
    here: AtomicUsize,
    round: AtomicUsize,
    is_broken_up: AtomicBool,
}

/// A host thread that takes part; one that panics breaks the meeting up, so that the others do not wait for it.
pub(crate) struct Guest<'a>(&'a Meeting);

impl Meeting {
    /// Of `count` host threads.
    pub(crate) fn of(count: usize) -> Meeting {
        let (here, round) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Meeting { count, here, round, is_broken_up: AtomicBool::new(false) }
    }

    /// How many meet.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn guest(&self) -> Guest<'_> {
        Guest(self)
    }
}

impl Guest<'_> {
    /// Waits until all are here. What each has done before, all others see afterwards. False if one will never come.
    #[must_use]
    pub(crate) fn meet(&self) -> bool {
        let Meeting { count, here, round, is_broken_up } = self.0;
        let now = round.load(Ordering::Acquire);
        if here.fetch_add(1, Ordering::AcqRel) + 1 == *count {
            here.store(0, Ordering::Relaxed);
            round.store(now.wrapping_add(1), Ordering::Release);
            return !is_broken_up.load(Ordering::Acquire);
        }
        let mut looks = 0;
        while round.load(Ordering::Acquire) == now {
            if is_broken_up.load(Ordering::Acquire) {
                return false;
            }
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        true
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.is_broken_up.store(true, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    #[test]
    fn nobody_goes_on_before_all_have_come_round_after_round() {
        let (meeting, sum) = (Meeting::of(3), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let guest = meeting.guest();
                    for round in 1..=1000 {
                        sum.fetch_add(1, Ordering::Relaxed);
                        assert!(guest.meet());
                        assert_eq!(sum.load(Ordering::Relaxed), 3 * round);
                        assert!(guest.meet());
                    }
                });
            }
        });
    }

    #[test]
    fn who_panics_keeps_nobody_waiting() {
        let meeting = Meeting::of(2);
        std::thread::scope(|scope| {
            let other = scope.spawn(|| {
                let _guest = meeting.guest();
                std::panic::resume_unwind(Box::new("ends"));
            });
            assert!(!meeting.guest().meet());
            assert!(other.join().is_err());
        });
    }
}
