//! Who has touched which page of DRAM, when each core runs on trial on a host thread of its own.
//!
//! A core claims a page before it reads or writes it. Cores that only read a page may share it; as soon as one core
//! writes what another touches, the order of the two decides what they see, and the trial is given up before the access is
//! made. So no two host threads ever reach a page that one of them writes. Start at [`Claimant::claim`].

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Nobody has touched the page.
const FREE: u32 = 0;
/// More than one core has read it.
const SHARED: u32 = u32::MAX;

/// A core has read the page, or written it.
fn mark(core: usize, writes: bool) -> u32 {
    (core as u32 + 1) << 1 | u32::from(writes)
}

/// The pages of all buffers, and whether the trial goes on.
pub(crate) struct Claims {
    pages: Vec<Box<[AtomicU32]>>,
    given_up: AtomicBool,
}

impl Claims {
    /// Nothing claimed; `pages` are the numbers of pages of the buffers.
    pub(crate) fn new(pages: impl Iterator<Item = u32>) -> Claims {
        let free = |count| (0..count).map(|_| AtomicU32::new(FREE)).collect();
        Claims { pages: pages.map(free).collect(), given_up: AtomicBool::new(false) }
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
    /// Pages that held something when this core first wrote them.
    pub(crate) before: Vec<Before>,
}

/// What a claim came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Claim {
    /// The page may be accessed.
    Granted,
    /// As `Granted`, and it is this core's first write of it.
    FirstWrite,
    /// Another core is in the way.
    Refused,
}

impl Claimant {
    /// Claims a page for reading or writing.
    pub(crate) fn claim(&self, region: usize, page: u32, writes: bool) -> Claim {
        let slot = &self.claims.pages[region][page as usize];
        let (read, written) = (mark(self.core, false), mark(self.core, true));
        let mut now = slot.load(Ordering::Acquire);
        loop {
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
            match slot.compare_exchange_weak(now, next, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return if writes { Claim::FirstWrite } else { Claim::Granted },
                Err(changed) => now = changed,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores() -> [Claimant; 2] {
        let claims = Arc::new(Claims::new([4].into_iter()));
        [0, 1].map(|core| Claimant { claims: claims.clone(), core, before: Vec::new() })
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
}
