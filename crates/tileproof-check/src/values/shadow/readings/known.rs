//! The data that a replay has worked out: a number for each operation and datum, in a table of open addresses.
//!
//! A replay asks for every datum that it needs, many thousand times a guess. Must never be gone through in an order: there is none.
//! Start at [`Known::get`].

/// Slots that the first number makes room for: a power of two.
const FIRST: usize = 64;
/// Spreads keys that lie side by side: 2^64 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// No key: an operation has another number.
const FREE: u64 = u64::MAX;

/// The table.
#[derive(Default)]
pub(super) struct Known {
    /// A power of two of them, or none; at most half are taken.
    slots: Vec<(u64, f64)>,
    count: usize,
}

fn key((number, at): (u32, usize)) -> u64 {
    u64::from(number) << 32 | at as u64
}

impl Known {
    /// The slot of a key, or the free one where it would go.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = (key.wrapping_mul(SPREAD) >> 32) as usize & mask;
        while self.slots[slot].0 != key && self.slots[slot].0 != FREE {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// What is known of a datum of an operation.
    pub(super) fn get(&self, datum: (u32, usize)) -> Option<f64> {
        if self.slots.is_empty() {
            return None;
        }
        let key = key(datum);
        let (its, value) = self.slots[self.slot(key)];
        (its == key).then_some(value)
    }

    /// Keeps what a datum is.
    pub(super) fn insert(&mut self, datum: (u32, usize), value: f64) {
        if 2 * (self.count + 1) > self.slots.len() {
            self.grow();
        }
        let slot = self.slot(key(datum));
        self.count += usize::from(self.slots[slot].0 == FREE);
        self.slots[slot] = (key(datum), value);
    }

    fn grow(&mut self) {
        let more = vec![(FREE, 0.0); (2 * self.slots.len()).max(FIRST)];
        for (key, value) in std::mem::replace(&mut self.slots, more) {
            if key != FREE {
                let slot = self.slot(key);
                self.slots[slot] = (key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_datum_has_its_own_number() {
        let mut known = Known::default();
        assert_eq!(known.get((0, 0)), None);
        let all = || (0..300).flat_map(|number| (0..1024).step_by(31).map(move |at| (number, at)));
        all().for_each(|(number, at)| known.insert((number, at), f64::from(number) + at as f64 / 1024.0));
        known.insert((7, 31), -1.0);
        for (number, at) in all() {
            let value = if (number, at) == (7, 31) { -1.0 } else { f64::from(number) + at as f64 / 1024.0 };
            assert_eq!(known.get((number, at)), Some(value));
            assert_eq!(known.get((number + 300, at)), None);
        }
        assert_eq!(known.count, all().count());
    }
}
