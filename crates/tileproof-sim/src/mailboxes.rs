//! Mailboxes: words from one of BRISC, UNPACK, MATH and PACK to another, or to itself.
//!
//! There is one queue from each to each. All that a thread has under way hold four words together; further ones stand in its
//! memory system and stall it (ISA documentation, `TensixTile/BabyRISCV/Mailboxes.md`). NCRISC has none. A word is there for
//! its reader at the moment when it was sent, whoever of the two ran first. The calls are in `mailbox.rs`.

use std::collections::VecDeque;

use tileproof_model::thread::Thread;

/// Words that a thread can have under way.
const WORDS: usize = 4;

/// The mailboxes of a core; by [`Thread`], whose NCRISC stays empty.
#[derive(Default)]
pub(crate) struct Mailboxes {
    /// By sender and reader: words, and when they were sent.
    queues: [[VecDeque<(u32, u64)>; 5]; 5],
    /// By sender: when each of its words that were taken was, in order, as long as no later word needed the room.
    room: [Vec<u64>; 5],
    /// By sender: words sent.
    sent: [usize; 5],
}

impl Mailboxes {
    /// When `from` can send one more word.
    pub(crate) fn room_at(&self, from: Thread) -> Option<u64> {
        let from = from as usize;
        if self.sent[from] < WORDS { Some(0) } else { self.room[from].first().copied() }
    }

    /// When the next word from `from` to `to` was sent.
    pub(crate) fn word_at(&self, from: Thread, to: Thread) -> Option<u64> {
        self.queues[from as usize][to as usize].front().map(|(_, at)| *at)
    }

    pub(crate) fn send(&mut self, from: Thread, to: Thread, value: u32, now: u64) {
        let sender = from as usize;
        if self.sent[sender] < WORDS {
            self.sent[sender] += 1;
        } else {
            self.room[sender].remove(0);
        }
        self.queues[sender][to as usize].push_back((value, now));
    }

    pub(crate) fn take(&mut self, from: Thread, to: Thread, now: u64) -> Option<u32> {
        let (value, _) = self.queues[from as usize][to as usize].pop_front()?;
        let room = &mut self.room[from as usize];
        let at = room.partition_point(|taken| *taken <= now);
        room.insert(at, now);
        Some(value)
    }

    /// Whoever has not taken all that `from` has sent.
    pub(crate) fn reader_of(&self, from: Thread) -> Option<Thread> {
        Thread::ALL.into_iter().find(|to| !self.queues[from as usize][*to as usize].is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fifth_word_waits_until_one_of_the_four_is_taken_whoever_takes_it() {
        let mut mail = Mailboxes::default();
        for value in 0..3 {
            mail.send(Thread::Unpack, Thread::Math, value, 10);
        }
        mail.send(Thread::Unpack, Thread::Pack, 3, 10);
        assert_eq!(mail.room_at(Thread::Unpack), None);
        assert_eq!(mail.room_at(Thread::Math), Some(0));
        assert_eq!(mail.take(Thread::Unpack, Thread::Pack, 40), Some(3));
        assert_eq!(mail.take(Thread::Unpack, Thread::Math, 25), Some(0));
        // The room came to be at cycle 25, although the other reader ran first.
        assert_eq!(mail.room_at(Thread::Unpack), Some(25));
        mail.send(Thread::Unpack, Thread::Math, 4, 25);
        assert_eq!(mail.room_at(Thread::Unpack), Some(40));
        assert_eq!(mail.reader_of(Thread::Unpack), Some(Thread::Math));
        assert_eq!(mail.word_at(Thread::Math, Thread::Unpack), None);
    }
}
