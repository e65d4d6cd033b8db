//! The word of L1 that a kernel has loaded last, which the kernel's own runtime remembers: so it costs the machine nothing.

#![allow(unsafe_code)]

/// Where a kernel keeps the address of that word.
pub(crate) struct LookedFor(*mut u32);

impl Default for LookedFor {
    /// Of a kernel that has not said where.
    fn default() -> LookedFor {
        LookedFor(std::ptr::null_mut())
    }
}

impl LookedFor {
    /// # Safety
    /// Until this is dropped or replaced the word stays, and while the machine runs nobody writes it.
    pub(crate) unsafe fn new(word: *mut u32) -> LookedFor {
        LookedFor(word)
    }

    /// The address; 0 for none.
    pub(crate) fn get(&self) -> u32 {
        // SAFETY: the promise of `new`; the kernel does not run while the machine does.
        if self.0.is_null() { 0 } else { unsafe { self.0.read() } }
    }

    /// Whether the kernel may have loaded a word since this was cleared; one that does not say has.
    pub(crate) fn may_look(&self) -> bool {
        self.0.is_null() || self.get() != 0
    }

    /// What the kernel looked at before is not what it will look at.
    pub(crate) fn clear(&self) {
        if !self.0.is_null() {
            // SAFETY: as in `get`.
            unsafe { self.0.write(0) };
        }
    }
}
