//! The Dst window: the MATH_PACK semaphore, with the moment of every post and get.
//!
//! `acquire` waits while the semaphore is at its maximum (2 in half sync, 1 in full sync), `commit` posts, `wait` waits while
//! it is 0, `release` gets (LLK `llk_math_common.h`, `llk_pack_common.h`).

/// Sections whose times are kept: more than the semaphore can count.
const KEPT: usize = 16;
/// A hardware semaphore saturates at 15 (ISA documentation, `TensixCoprocessor/SyncUnit.md`).
const SATURATION: u64 = 15;

pub(crate) struct MathPack {
    /// Maximum that `acquire` compares with: 1 after boot, before a start-up programs it.
    pub(crate) max: u64,
    commits: u64,
    releases: u64,
    committed_at: [u64; KEPT],
    released_at: [u64; KEPT],
    /// Which half MATH and PACK use.
    pub(crate) math_half: usize,
    pub(crate) pack_half: usize,
}

impl Default for MathPack {
    fn default() -> Self {
        MathPack {
            max: 1,
            commits: 0,
            releases: 0,
            committed_at: [0; KEPT],
            released_at: [0; KEPT],
            math_half: 0,
            pack_half: 0,
        }
    }
}

impl MathPack {
    /// Sections committed and not released.
    pub(crate) fn value(&self) -> u64 {
        self.commits - self.releases
    }

    /// Sections committed since the launch.
    pub(crate) fn commits(&self) -> u64 {
        self.commits
    }

    /// Sections released since the launch.
    pub(crate) fn releases(&self) -> u64 {
        self.releases
    }

    /// When `acquire` can go on.
    pub(crate) fn free_at(&self) -> Option<u64> {
        if self.value() >= self.max {
            return None;
        }
        let needed = self.commits.checked_sub(self.max);
        Some(needed.map_or(0, |n| self.released_at[n as usize % KEPT]))
    }

    /// When `wait` can go on.
    pub(crate) fn committed_at(&self) -> Option<u64> {
        (self.value() > 0).then(|| self.committed_at[self.releases as usize % KEPT])
    }

    /// When all sections are released.
    pub(crate) fn drained_at(&self) -> Option<u64> {
        if self.value() > 0 {
            return None;
        }
        Some(self.releases.checked_sub(1).map_or(0, |n| self.released_at[n as usize % KEPT]))
    }

    pub(crate) fn commit(&mut self, now: u64) {
        if self.value() < SATURATION {
            self.committed_at[self.commits as usize % KEPT] = now;
            self.commits += 1;
        }
    }

    pub(crate) fn release(&mut self, now: u64) {
        // SEMGET saturates at 0.
        if self.value() > 0 {
            self.released_at[self.releases as usize % KEPT] = now;
            self.releases += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_sync_lets_math_run_two_sections_ahead() {
        let mut window = MathPack { max: 2, ..MathPack::default() };
        assert_eq!(window.committed_at(), None);
        window.commit(10);
        window.commit(20);
        assert_eq!(window.free_at(), None);
        assert_eq!(window.committed_at(), Some(10));
        window.release(50);
        assert_eq!(window.free_at(), Some(50));
        assert_eq!(window.committed_at(), Some(20));
    }
}
