//! Circular buffers: credits shared by a core's threads, with the moment each page changed hands.
//!
//! Producer and consumer count pages in two 16-bit counters; every thread keeps pointers of its own
//! (tt-metal `circular_buffer_interface.h`). The moments let a wait end at the right time whatever thread ran first.

use tileproof_model::abi::Site;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_numerics::format::DataFormat;

/// Who last used a side of a buffer, for reports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Side {
    /// Thread of the last call, `None` when nobody has used this side, and its site.
    thread: Option<Thread>,
    site: Site,
    /// Pages over all calls.
    pub(crate) pages: u64,
}

/// Where a thread stands on a side of a buffer.
#[derive(Clone, Copy, Default)]
pub(crate) struct Standing {
    /// Its own pointer, as an address.
    pub(crate) pointer: u32,
    pub(crate) side: Side,
}

impl Side {
    /// Thread and site of the last call.
    pub(crate) fn last(&self) -> Option<(Thread, Site)> {
        self.thread.map(|thread| (thread, self.site))
    }
}

pub(crate) struct CircularBuffer {
    /// Offset in L1.
    pub(crate) base: u32,
    pub(crate) size: u32,
    pub(crate) page_size: u32,
    pub(crate) num_pages: u32,
    pub(crate) format: DataFormat,
    /// Its memory is a tensor's.
    pub(crate) is_backed: bool,
    received: u16,
    acked: u16,
    /// When the page in each slot was published, and when the slot was given back.
    published_at: Vec<u64>,
    freed_at: Vec<u64>,
    pub(crate) producer: Side,
    pub(crate) consumer: Side,
    /// Most pages that were there at a time.
    pub(crate) high_water: u32,
    /// Calls by what they do and where: a handful of lines, so a list is faster than a map.
    pub(crate) calls: Vec<Calls>,
}

/// Calls of one line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub(crate) action: BufferAction,
    pub(crate) thread: Thread,
    pub(crate) site: Site,
    pub(crate) calls: u64,
    pub(crate) pages: u64,
}

impl CircularBuffer {
    pub(crate) fn new(base: u32, size: u32, page_size: u32, format: DataFormat) -> CircularBuffer {
        let num_pages = size / page_size;
        CircularBuffer {
            base,
            size,
            page_size,
            num_pages,
            format,
            is_backed: false,
            received: 0,
            acked: 0,
            published_at: vec![0; num_pages as usize],
            freed_at: vec![0; num_pages as usize],
            producer: Side::default(),
            consumer: Side::default(),
            high_water: 0,
            calls: Vec::new(),
        }
    }

    /// Pages published and not yet given back.
    pub(crate) fn pages(&self) -> u32 {
        u32::from(self.received.wrapping_sub(self.acked))
    }

    fn slot(&self, count: u64) -> usize {
        (count % u64::from(self.num_pages)) as usize
    }

    /// The last of so many pages, as many as it holds: those before lie in the same places.
    fn last_of(&self, pages: u32) -> std::ops::Range<u64> {
        u64::from(pages.saturating_sub(self.num_pages))..u64::from(pages)
    }

    /// When `pages` pages can be read, or `None` while they are not there.
    pub(crate) fn front_ready_at(&self, pages: u32) -> Option<u64> {
        if self.pages() < pages {
            return None;
        }
        match pages {
            0 => Some(0),
            _ => Some(self.published_at[self.slot(self.consumer.pages + u64::from(pages) - 1)]),
        }
    }

    /// Pages that a producer finds free, in 16 bits as well: with more pages pushed than there is room for, or more popped than were
    /// pushed, that is a large number (LLK `llk_wait_for_free_tiles`, tt-metal `cb_reserve_back`).
    fn free(&self) -> u32 {
        u32::from((self.num_pages as u16).wrapping_sub(self.received.wrapping_sub(self.acked)))
    }

    /// When `pages` pages are free, or `None` while they are not.
    pub(crate) fn back_ready_at(&self, pages: u32) -> Option<u64> {
        if self.free() < pages {
            return None;
        }
        match pages {
            0 => Some(0),
            _ => Some(self.freed_at[self.slot(self.producer.pages + u64::from(pages) - 1)]),
        }
    }

    /// Counts a call that went through.
    pub(crate) fn count(&mut self, action: BufferAction, thread: Thread, site: Site, pages: u32) {
        let known = self.calls.iter_mut().find(|c| c.site == site && c.action == action && c.thread == thread);
        match known {
            Some(calls) => {
                calls.calls += 1;
                calls.pages += u64::from(pages);
            }
            None => self.calls.push(Calls { action, thread, site, calls: 1, pages: u64::from(pages) }),
        }
    }

    pub(crate) fn push(&mut self, thread: Thread, site: Site, pages: u32, now: u64) {
        for page in self.last_of(pages) {
            let slot = self.slot(self.producer.pages + page);
            self.published_at[slot] = now;
        }
        self.received = self.received.wrapping_add(pages as u16);
        self.producer.pages += u64::from(pages);
        (self.producer.thread, self.producer.site) = (Some(thread), site);
        self.high_water = self.high_water.max(self.pages());
        self.count(BufferAction::Push, thread, site, pages);
    }

    pub(crate) fn pop(&mut self, thread: Thread, site: Site, pages: u32, now: u64) {
        for page in self.last_of(pages) {
            let slot = self.slot(self.consumer.pages + page);
            self.freed_at[slot] = now;
        }
        self.acked = self.acked.wrapping_add(pages as u16);
        self.consumer.pages += u64::from(pages);
        (self.consumer.thread, self.consumer.site) = (Some(thread), site);
        self.count(BufferAction::Pop, thread, site, pages);
    }
}

/// The pointers of a buffer that a core does not have: beyond every L1, so that whoever uses one is found out. On the device
/// they hold what an earlier program left.
const NOWHERE: u32 = 0x00f0_0000;
/// Bytes behind such a pointer that are still its buffer's.
const NOWHERE_BYTES: u32 = 0x4000;

/// The offset that the pointers of a buffer which is not configured hold.
pub(crate) fn nowhere(cb: u32) -> u32 {
    NOWHERE + cb * NOWHERE_BYTES
}

/// The buffer whose pointers hold such an offset.
pub(crate) fn buffer_nowhere(offset: u32) -> Option<u32> {
    offset.checked_sub(NOWHERE).map(|past| past / NOWHERE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(pages: u32) -> CircularBuffer {
        CircularBuffer::new(0, pages * 2048, 2048, DataFormat::Float16_b)
    }

    #[test]
    fn a_wait_ends_when_the_last_page_it_needs_was_published() {
        let mut cb = buffer(4);
        cb.push(Thread::Ncrisc, Site(0), 1, 10);
        cb.push(Thread::Ncrisc, Site(0), 2, 30);
        assert_eq!(cb.front_ready_at(1), Some(10));
        assert_eq!(cb.front_ready_at(3), Some(30));
        assert_eq!(cb.front_ready_at(4), None);
    }

    #[test]
    fn a_count_below_zero_takes_no_longer_than_another() {
        let mut cb = buffer(4);
        cb.push(Thread::Ncrisc, Site(0), u32::MAX, 7);
        assert_eq!((cb.pages(), cb.front_ready_at(4)), (u32::from(u16::MAX), Some(7)));
        cb.pop(Thread::Unpack, Site(0), u32::MAX, 9);
        assert_eq!((cb.pages(), cb.back_ready_at(4)), (0, Some(9)));
    }

    #[test]
    fn a_producer_that_is_past_its_room_or_behind_its_consumer_waits_for_nothing() {
        let mut cb = buffer(4);
        cb.push(Thread::Ncrisc, Site(0), 5, 7);
        assert_eq!(cb.back_ready_at(4), Some(0));
        let mut cb = buffer(2);
        cb.push(Thread::Ncrisc, Site(0), 2, 7);
        cb.pop(Thread::Unpack, Site(0), 4, 9);
        assert_eq!((cb.back_ready_at(2), cb.front_ready_at(2)), (Some(9), Some(7)));
        // The near miss: what is full is full.
        cb.push(Thread::Ncrisc, Site(0), 4, 11);
        assert_eq!(cb.back_ready_at(1), None);
    }

    #[test]
    fn credits_survive_the_wrap_of_16_bits() {
        let mut cb = buffer(4);
        for turn in 0..70_000 {
            cb.push(Thread::Ncrisc, Site(0), 3, turn);
            assert_eq!(cb.pages(), 3);
            assert_eq!(cb.back_ready_at(2), None);
            cb.pop(Thread::Unpack, Site(0), 3, turn);
        }
        assert_eq!(cb.back_ready_at(4), Some(69_999));
    }
}
