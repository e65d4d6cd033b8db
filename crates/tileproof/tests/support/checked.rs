//! Runs of the support program's kernels beside their checks, and its tensors as data movement kernels reach them.

use tileproof::check::Checks;
use tileproof_kernel::{DataMovement, TensorAccessor};
use tileproof_model::record::RunRecord;

use super::adding::{IN0, IN1, Kernels};

/// Runs kernels with checks; they must change neither outputs nor cycles.
pub(crate) fn run(kernels: Kernels) -> RunRecord {
    let (off, on) = (kernels.run(), kernels.run_observed::<Checks>());
    // Pages that nobody wrote are NaN, which is not equal to itself.
    let bits = |values: Option<Vec<f32>>| values.map(|v| v.into_iter().map(f32::to_bits).collect::<Vec<_>>());
    assert!(off.0.cycles == on.0.cycles && bits(off.1) == bits(on.1), "checks change the run");
    on.0
}

/// The reader's tensors, each with the circular buffer that it goes to.
pub(crate) fn inputs(dm: &DataMovement<'_>) -> [(u32, TensorAccessor); 2] {
    [(IN0, 0), (IN1, 1)].map(|(cb, word)| (cb, TensorAccessor::new(dm, word, dm.get_arg_val(word), 2048)))
}

/// The writer's tensor.
pub(crate) fn output(dm: &DataMovement<'_>) -> TensorAccessor {
    TensorAccessor::new(dm, 0, dm.get_arg_val(0), 2048)
}
