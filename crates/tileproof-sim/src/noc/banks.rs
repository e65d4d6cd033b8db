//! Banks of DRAM that the transfers of all cores share: the contention that a run by default leaves out.
//!
//! Cores run one after the other, not in the order of time, so a bank keeps a calendar and not a moment from which it is free:
//! a transfer takes what is left of the cycles from when it gets there. Start at [`SharedBanks::serve`].

/// Cycles of an entry of a calendar.
const SLOT: u64 = 64;

/// When the banks are busy.
#[derive(Default)]
pub(crate) struct SharedBanks {
    banks: Vec<Calendar>,
}

/// When a bank is busy.
#[derive(Default)]
struct Calendar {
    /// Cycles of each slot that are taken.
    taken: Vec<u8>,
    /// Of a slot that is full one that follows it and may not be.
    next: Vec<u32>,
}

impl SharedBanks {
    /// Has a bank serve a transfer for `takes` cycles, from cycle `from` on; when it is done with it.
    pub(crate) fn serve(&mut self, bank: u32, from: u64, takes: u64) -> u64 {
        if self.banks.len() <= bank as usize {
            self.banks.resize_with(bank as usize + 1, Calendar::default);
        }
        self.banks[bank as usize].serve(from, takes).max(from + takes)
    }
}

impl Calendar {
    fn serve(&mut self, from: u64, takes: u64) -> u64 {
        let (mut slot, mut left) = ((from / SLOT) as usize, takes);
        loop {
            slot = self.not_full(slot);
            let taken = &mut self.taken[slot];
            let some = left.min(SLOT - u64::from(*taken));
            *taken += some as u8;
            left -= some;
            if left == 0 {
                return slot as u64 * SLOT + u64::from(*taken);
            }
        }
    }

    /// The first slot from this one on that is not full. On the way back it shortens the way for the next who asks.
    fn not_full(&mut self, slot: usize) -> usize {
        let mut found = slot;
        loop {
            if self.taken.len() <= found {
                self.taken.resize(found + 1, 0);
                let from = self.next.len() as u32;
                self.next.extend(from + 1..=found as u32 + 1);
            }
            if u64::from(self.taken[found]) < SLOT {
                break;
            }
            found = self.next[found] as usize;
        }
        let mut at = slot;
        while at < found {
            let next = self.next[at] as usize;
            self.next[at] = found as u32;
            at = next;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::SharedBanks;

    #[test]
    fn transfers_wait_for_each_other_at_a_bank_and_those_that_come_earlier_find_what_is_left() {
        let mut banks = SharedBanks::default();
        // Eight that get there together, of 100 cycles each, are done one after the other.
        let done: Vec<u64> = (0..8).map(|_| banks.serve(3, 0, 100)).collect();
        assert_eq!(done, [100, 200, 300, 400, 500, 600, 700, 800]);
        // Another bank is free, and so is this one long after.
        assert_eq!((banks.serve(2, 0, 100), banks.serve(3, 12_800, 100)), (100, 12_900));
        // Told of later, but there before that one: it is not behind it.
        assert!(banks.serve(3, 700, 100) <= 900);
    }

    #[test]
    fn many_transfers_take_what_a_bank_can_do_whatever_their_order() {
        let mut banks = SharedBanks::default();
        // 16 threads of 500 transfers each: told thread by thread, as cores run.
        let mut last = 0;
        for _ in 0..16 {
            let mut now = 0;
            for _ in 0..500 {
                now = banks.serve(0, now, 50);
            }
            last = last.max(now);
        }
        assert_eq!(last, 16 * 500 * 50);
    }
}
