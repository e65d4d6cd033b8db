//! The circular buffers of the specimens.
//!
//! It must never differ from one specimen to the next. Start at [`table`].

use tileproof_kernel::model::numerics::format::DataFormat;

use crate::table::CbRow;

/// Columns taken at a time.
pub(super) const BLOCK: u32 = 4;

/// Circular buffers.
pub(super) mod cb {
    pub(crate) const X: u32 = 0;
    pub(crate) const GAMMA: u32 = 1;
    pub(crate) const DY: u32 = 2;
    pub(crate) const STATS: u32 = 3;
    pub(crate) const MASK: u32 = 4;
    pub(crate) const X_HAT: u32 = 5;
    pub(crate) const SUMS: u32 = 6;
    pub(crate) const TOTALS: u32 = 7;
    pub(crate) const TOTALS_SPREAD: u32 = 8;
    pub(crate) const DX: u32 = 16;
    pub(crate) const DGAMMA: u32 = 17;
    pub(crate) const DBETA: u32 = 18;
}

/// All of them.
pub(super) fn table() -> [CbRow; 12] {
    let (bf16, fp32) = (DataFormat::Float16_b, DataFormat::Float32);
    let row = |index: u32, content, format, pages| CbRow { index: index as u8, content, format, pages };
    [
        row(cb::X, "x", bf16, 2 * BLOCK),
        row(cb::GAMMA, "gamma", bf16, 2 * BLOCK),
        row(cb::DY, "dy", bf16, 2 * BLOCK),
        row(cb::STATS, "mean and rstd, in all columns", fp32, 2),
        row(cb::MASK, "mask of the last column", bf16, 1),
        row(cb::X_HAT, "x_hat", fp32, 2 * BLOCK),
        row(cb::SUMS, "the sums so far", fp32, 2),
        row(cb::TOTALS, "s1 and s2, column 0", fp32, 2),
        row(cb::TOTALS_SPREAD, "s1 and s2, in all columns", fp32, 2),
        row(cb::DX, "dx", bf16, 2 * BLOCK),
        row(cb::DGAMMA, "dgamma of each row", fp32, 2 * BLOCK),
        row(cb::DBETA, "dbeta of each row", bf16, 2 * BLOCK),
    ]
}
