//! Findings as a run makes them, in memory that outlives its process: what was found before it died is not lost with it.
//!
//! It must never be believed blindly: a kernel can write there. Start at [`Kept::add`].

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Bytes of findings that are kept; later ones are not.
const ROOM: usize = 1 << 19;
/// What stands before each: its launch, and its length.
const HEAD: usize = 8;

/// The findings so far, one behind the other. All zeros is none.
pub(crate) struct Kept {
    length: AtomicUsize,
    bytes: [AtomicU8; ROOM],
}

/// Host threads of this process write one after the other.
static WRITES: Mutex<()> = Mutex::new(());

impl Kept {
    /// Adds one, if there is room.
    pub(crate) fn add(&self, launch: u32, finding: &[u8]) {
        let _one = WRITES.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = self.length();
        let Some(room) = self.bytes[begin..].get(..HEAD + finding.len()) else { return };
        let head = [launch, finding.len() as u32].map(u32::to_le_bytes);
        for (to, from) in room.iter().zip(head.as_flattened().iter().chain(finding)) {
            to.store(*from, Relaxed);
        }
        // Last, so that half a finding is none.
        self.length.store(begin + room.len(), Relaxed);
    }

    /// Bytes that are taken.
    pub(crate) fn length(&self) -> usize {
        self.length.load(Relaxed).min(ROOM)
    }

    /// Forgets what was added since the length was this.
    pub(crate) fn cut(&self, length: usize) {
        self.length.store(length, Relaxed);
    }

    /// All of them, by launch, as far as they make sense.
    pub(crate) fn all(&self) -> Vec<(usize, Vec<u8>)> {
        let bytes: Vec<u8> = self.bytes[..self.length()].iter().map(|byte| byte.load(Relaxed)).collect();
        let mut rest = &bytes[..];
        let mut all = Vec::new();
        while let Some((head, behind)) = rest.split_first_chunk::<HEAD>() {
            let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]) as usize;
            let Some((finding, behind)) = behind.split_at_checked(word(4)) else { break };
            all.push((word(0), finding.to_vec()));
            rest = behind;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Box<Kept> {
        let bytes = (0..ROOM).map(|_| AtomicU8::new(0)).collect::<Vec<_>>();
        let bytes: Box<[AtomicU8; ROOM]> = bytes.try_into().expect("as many");
        Box::new(Kept { length: AtomicUsize::new(0), bytes: *bytes })
    }

    #[test]
    fn findings_come_back_in_their_order_and_those_of_a_trial_can_be_taken_back() {
        let kept = empty();
        kept.add(0, b"first");
        let before = kept.length();
        kept.add(1, b"on trial");
        kept.cut(before);
        kept.add(2, b"");
        assert_eq!(kept.all(), [(0, b"first".to_vec()), (2, Vec::new())]);
    }

    #[test]
    fn what_has_no_room_is_not_kept_and_what_was_written_over_is_not_believed() {
        let kept = empty();
        kept.add(0, b"first");
        kept.add(0, &vec![1; ROOM]);
        assert_eq!(kept.all().len(), 1);
        kept.length.store(usize::MAX, Relaxed);
        kept.bytes[7].store(0xff, Relaxed);
        assert!(kept.all().is_empty());
        kept.add(0, b"none");
    }
}
