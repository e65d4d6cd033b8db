//! The circular buffers of both programs, by index.
//!
//! It must never hold a size: that is for the plan. Start at [`cb`].

/// Circular buffers of the first program.
pub(crate) mod cb {
    pub(crate) const X: u32 = 0;
    pub(crate) const GAMMA: u32 = 1;
    pub(crate) const DY: u32 = 2;
    pub(crate) const STATS: u32 = 3;
    pub(crate) const MASKS: u32 = 4;
    pub(crate) const SUMS: u32 = 5;
    pub(crate) const SUMS_BROADCAST: u32 = 6;
    pub(crate) const DX: u32 = 16;
    pub(crate) const DGAMMA_SUM: u32 = 17;
    pub(crate) const DBETA_SUM: u32 = 18;
    pub(crate) const DGAMMA: u32 = 19;
    pub(crate) const DBETA: u32 = 20;
}

/// Circular buffers of the second program.
pub(crate) mod finish_cb {
    pub(crate) const PARTIAL: u32 = 0;
    pub(crate) const MASK: u32 = 1;
    pub(crate) const OUT: u32 = 16;
}
