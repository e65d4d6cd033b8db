//! Vector operations that go on from what an earlier call left in the unit: running sums, Welford's moments.
//!
//! Registers outlive a call, but any other operation may take them: from then on nobody knows what they hold, and a call
//! that goes on stops the run. Start at [`Core::run_on`].

use tileproof_model::abi::Site;
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::{self, Keeps, Moments, RunningSum, SfpuMode, SfpuOp, Unimplemented};

use crate::core::Core;
use crate::cost::Costs;
use crate::report::Sink;
use crate::step::Step;
use crate::tensix::state::Kept;

/// A call of such an operation.
pub(crate) struct Running<'a> {
    pub(crate) op: SfpuOp,
    /// Inputs as the call gave them; what they mean is said at [`SfpuOp`].
    pub(crate) inputs: [u32; 3],
    /// The first two inputs, and the output with the tile after it where that is written too, as tiles of Dst.
    pub(crate) tiles: [usize; 2],
    pub(crate) outs: [usize; 2],
    pub(crate) params: &'a [u32; 4],
}

impl Core {
    /// The inits of these operations load no register that they keep; clearing is an init of its own.
    pub(crate) fn keep_through_init(&mut self, op: u32) {
        let op = SfpuOp::from_code(op as u16);
        if op == Some(SfpuOp::WelfordClear) {
            self.tensix.math.kept = Some(Kept::Moments(Moments::ZERO));
        } else if op.is_none_or(|op| op.row().keeps == Keeps::Nothing) {
            self.tensix.math.kept = None;
        }
    }

    pub(crate) fn run_on(&mut self, sink: &mut Sink, site: Site, mode: &SfpuMode, call: Running<'_>) -> Step {
        match self.next_state(mode, &call) {
            Ok(Some(kept)) => self.tensix.math.kept = kept,
            Ok(None) => {
                let what = format!(
                    "{} that goes on although another vector operation came since, or none before",
                    call.op.name()
                );
                return Err(self.unimplemented(sink, Thread::Math, site, what));
            }
            Err(missing) => return Err(self.unimplemented(sink, Thread::Math, site, missing.to_string())),
        }
        self.hart(Thread::Math).spend(|cycles| cycles.vector(call.op.slots(mode)));
        Ok(())
    }

    /// What the unit keeps after the call; `Ok(None)` if there is nothing that the call could go on from.
    fn next_state(&mut self, mode: &SfpuMode, call: &Running<'_>) -> Result<Option<Option<Kept>>, Unimplemented> {
        use SfpuOp::*;
        let Running { op, inputs, tiles, outs, params } = *call;
        let dst = &mut self.tensix.dst;
        let row = |input: u32| input as usize % 16;
        match (op, self.tensix.math.kept) {
            (Cumsum, kept) => {
                let from = match kept {
                    _ if params[0] != 0 => RunningSum::ZERO,
                    Some(Kept::Sum(sum)) => sum,
                    _ => return Ok(None),
                };
                Ok(Some(Some(Kept::Sum(sfpu::cumsum(mode, dst, outs[0], from)?))))
            }
            (WelfordClear, _) => Ok(Some(Some(Kept::Moments(Moments::ZERO)))),
            (WelfordRestoreState, _) => {
                Ok(Some(Some(Kept::Moments(Moments::restore(mode, dst, tiles, row(inputs[2]))?))))
            }
            (WelfordUpdate, Some(Kept::Moments(moments))) => {
                let (first, end) = (inputs[1] as usize, (inputs[2] as usize).min(32));
                let rows = end.saturating_sub(first).min(params.len());
                Ok(Some(Some(Kept::Moments(moments.update(mode, dst, tiles[0], first, &params[..rows])?))))
            }
            // The stores of a row use the registers that they come from; the others leave them.
            (WelfordFinalizeToRow, Some(Kept::Moments(moments))) => {
                moments.finalize_to_row(mode, dst, outs, params[0])?;
                Ok(Some(None))
            }
            (WelfordFinalizeToFace, Some(Kept::Moments(moments))) => {
                moments.save(mode, dst, outs, row(inputs[0]), Some(params[0]))?;
                Ok(Some(None))
            }
            (WelfordSaveState, Some(Kept::Moments(moments))) => {
                moments.save(mode, dst, outs, row(inputs[0]), None)?;
                Ok(Some(Some(Kept::Moments(moments))))
            }
            _ => Ok(None),
        }
    }
}
