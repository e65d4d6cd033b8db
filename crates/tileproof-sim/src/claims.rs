//! Who has touched which page of DRAM, when each core runs on trial on a host thread of its own.
//!
//! A core claims a page before it reads or writes it, for an epoch (`epochs.rs`). Cores that only read a page may share it; as soon
//! as one core writes what another touches in the same epoch, the order of the two decides what they see, and the trial is given up
//! before the access is made. So no two host threads ever reach a page that one of them writes. Start at [`Claimant::claim`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::page_set::PageSet;

/// Nobody has touched the page in this epoch.
const FREE: u32 = 0;
/// More than one core has read it.
const SHARED: u32 = u32::MAX;

/// A core has read the page, or written it.
fn mark(core: usize, writes: bool) -> u32 {
    (core as u32 + 1) << 1 | u32::from(writes)
}

/// A mark as it stands, with its epoch.
fn in_epoch(epoch: u32, mark: u32) -> u64 {
    u64::from(epoch) << 32 | u64::from(mark)
}

/// The pages of all buffers, and whether the trial goes on.
pub(crate) struct Claims {
    pages: Vec<Box<[AtomicU64]>>,
    /// Pages of which it is known what they were before the trial.
    kept: Vec<PageSet>,
    given_up: AtomicBool,
}

impl Claims {
    /// Nothing claimed; `pages` are the numbers of pages of the buffers.
    pub(crate) fn new(pages: impl Iterator<Item = u32>) -> Claims {
        let free = |count| (0..count).map(|_| AtomicU64::new(0)).collect();
        let (pages, kept) = pages.map(|count| (free(count), PageSet::new(count))).unzip();
        Claims { pages, kept, given_up: AtomicBool::new(false) }
    }

    /// Ends the trial, for all cores.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// True once the trial has failed.
    pub(crate) fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }
}

/// A page as it was before the trial.
pub(crate) struct Before {
    pub(crate) region: usize,
    pub(crate) page: u32,
    pub(crate) bytes: Box<[u8]>,
}

/// A core in a trial.
pub(crate) struct Claimant {
    pub(crate) claims: Arc<Claims>,
    pub(crate) core: usize,
    /// The epoch that runs.
    pub(crate) epoch: u32,
    /// Pages that held something when this core was the first to write them.
    pub(crate) before: Vec<Before>,
}

/// What a claim came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// The page may be accessed.
    Granted,
    /// As `Granted`, and it is the first write of it in the trial.
    FirstWrite,
    /// Another core is in the way.
    Refused,
}

impl Claimant {
    /// A core that has touched nothing.
    pub(crate) fn new(claims: Arc<Claims>, core: usize) -> Claimant {
        Claimant { claims, core, epoch: 1, before: Vec::new() }
    }

    /// Claims a page for reading or writing.
    pub(crate) fn claim(&self, region: usize, page: u32, writes: bool) -> Claim {
        let slot = &self.claims.pages[region][page as usize];
        let (read, written) = (mark(self.core, false), mark(self.core, true));
        let mut there = slot.load(Ordering::Acquire);
        loop {
            let now = if there >> 32 == u64::from(self.epoch) { there as u32 } else { FREE };
            let next = match (now, writes) {
                (now, _) if now == written => return Claim::Granted,
                (now, false) if now == read || now == SHARED => return Claim::Granted,
                (FREE, false) => read,
                (FREE, true) => written,
                (now, true) if now == read => written,
                // A second reader, as long as the first only read.
                (now, false) if now & 1 == 0 => SHARED,
                _ => return Claim::Refused,
            };
            let next = in_epoch(self.epoch, next);
            match slot.compare_exchange_weak(there, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return if writes { self.keeps(region, page) } else { Claim::Granted },
                Err(changed) => there = changed,
            }
        }
    }

    /// The page is this core's alone now, to write.
    fn keeps(&self, region: usize, page: u32) -> Claim {
        let kept = &self.claims.kept[region];
        if kept.contains(page) {
            return Claim::Granted;
        }
        kept.insert(page);
        Claim::FirstWrite
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores() -> [Claimant; 2] {
        let claims = Arc::new(Claims::new([4].into_iter()));
        [0, 1].map(|core| Claimant::new(claims.clone(), core))
    }

    #[test]
    fn readers_share_a_page_and_a_writer_keeps_it() {
        let [a, b] = cores();
        assert_eq!(a.claim(0, 0, false), Claim::Granted);
        assert_eq!(b.claim(0, 0, false), Claim::Granted);
        assert_eq!(a.claim(0, 0, false), Claim::Granted);
        assert_eq!(a.claim(0, 0, true), Claim::Refused, "b has read it");
        assert_eq!(a.claim(0, 1, true), Claim::FirstWrite);
        assert_eq!(a.claim(0, 1, true), Claim::Granted);
        assert_eq!(a.claim(0, 1, false), Claim::Granted);
        assert_eq!(b.claim(0, 1, false), Claim::Refused);
        assert_eq!(b.claim(0, 1, true), Claim::Refused);
    }

    #[test]
    fn a_core_may_write_what_it_alone_has_read() {
        let [a, b] = cores();
        assert_eq!(a.claim(0, 2, false), Claim::Granted);
        assert_eq!(a.claim(0, 2, true), Claim::FirstWrite);
        assert_eq!(b.claim(0, 2, false), Claim::Refused);
    }

    #[test]
    fn in_another_epoch_a_page_is_free_again_and_kept_once() {
        let [mut a, mut b] = cores();
        assert_eq!(a.claim(0, 3, true), Claim::FirstWrite);
        assert_eq!(b.claim(0, 3, false), Claim::Refused);
        (a.epoch, b.epoch) = (2, 2);
        assert_eq!(b.claim(0, 3, false), Claim::Granted);
        assert_eq!(b.claim(0, 3, true), Claim::Granted, "what was there before the trial is kept by a");
        assert_eq!(a.claim(0, 3, false), Claim::Refused);
    }
}
