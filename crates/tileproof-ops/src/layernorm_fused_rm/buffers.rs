//! The circular buffers, by index, and what of a row is in Dst at a time.
//!
//! It must never hold a size: that is for the plan. Start at [`cb`].

/// Circular buffers. The public fused kernel has 13: c_0 to c_7, c_16, c_24 to c_27. Here c_2 and
/// c_3 hold no scaler and no epsilon: both are scalars of the vector unit, in fp32, where tiles of them would pass a Src
/// register as bf16.
pub(crate) mod cb {
    pub(crate) const STICKS: u32 = 0;
    pub(crate) const X: u32 = 1;
    pub(crate) const MASKS: u32 = 2;
    pub(crate) const ZERO: u32 = 3;
    pub(crate) const GAMMA_STICK: u32 = 4;
    pub(crate) const BETA_STICK: u32 = 5;
    pub(crate) const GAMMA: u32 = 6;
    pub(crate) const BETA: u32 = 7;
    pub(crate) const OUT: u32 = 16;
    pub(crate) const SUMS: u32 = 24;
    pub(crate) const STATS: u32 = 25;
    pub(crate) const CENTRE: u32 = 26;
    pub(crate) const RSTD: u32 = 27;
}

/// Tile columns of a Dst window: the eight tiles of a 32-bit Dst hold as many beside the statistics of the row.
pub(crate) const BLOCK: u32 = 4;
