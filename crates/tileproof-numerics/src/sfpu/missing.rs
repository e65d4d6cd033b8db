//! What is not modelled: the answer instead of a guess.
//!
//! Must be asked before a tile is written. Start reading at [`known`].

use super::call::OTHER_WIDTH;
use super::mode::SfpuMode;
use super::op::SfpuOp;

/// What was asked for is not modelled: no result was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unimplemented {
    /// The operation.
    pub op: SfpuOp,
    /// What of it is missing.
    pub what: &'static str,
}

impl Unimplemented {
    /// Whether the template of the call names a format of another width than Dst.
    pub fn is_other_width(&self) -> bool {
        self.what == OTHER_WIDTH
    }
}

impl std::fmt::Display for Unimplemented {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} is not modelled", self.op.name(), self.what)
    }
}

impl std::error::Error for Unimplemented {}

/// Whether the row of an operation lets it run in this mode.
pub(super) fn known(op: SfpuOp, mode: &SfpuMode) -> Result<(), Unimplemented> {
    let row = op.row();
    let what = if mode.src_b_is_fp16 && !mode.dst_32 {
        "a 16-bit Dst of Float16"
    } else if !row.width.allows(mode.dst_32) {
        "words of another width than Dst"
    } else if !row.runs_on(mode.rules.recorded) {
        mode.rules.recorded.kernel()
    } else {
        return Ok(());
    };
    Err(Unimplemented { op, what })
}
