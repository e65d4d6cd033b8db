//! What the checks of Dst ask of an operation of either unit: whether it adds to its Dst tile, and what it is called.

use tileproof_model::op_word::{OpWord, eltwise, flag, math_kind, pool};
use tileproof_numerics::sfpu::SfpuOp;

/// The name of the call that an operation of the matrix unit belongs to, near enough for a report.
pub(crate) fn operation(word: OpWord) -> String {
    format!("\"{}\"", tileproof_model::op_word::describe_math(word))
}

/// True for an operation that adds to Dst because the unit knows no other way.
pub(crate) fn adds(word: OpWord) -> bool {
    match word.kind() {
        math_kind::ELTWISE => word.a() == eltwise::MUL && !reuses_dst(word),
        math_kind::MATMUL => true,
        math_kind::REDUCE => word.a() != pool::MAX,
        _ => false,
    }
}

/// True for an operation whose result holds what its Dst tile held before.
pub(crate) fn continues(word: OpWord) -> bool {
    adds(word)
        || word.kind() == math_kind::REDUCE
        || reuses_dst(word)
        || (word.kind() == math_kind::ELTWISE && word.has(flag::ACCUMULATE))
}

/// An operation of either unit.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    Matrix(OpWord),
    Vector(SfpuOp),
}

impl By {
    pub(crate) fn is(self, word: OpWord) -> bool {
        matches!(self, By::Matrix(other) if other == word)
    }

    pub(crate) fn name(self) -> String {
        match self {
            By::Matrix(word) => operation(word),
            By::Vector(op) => op.name().into(),
        }
    }
}

/// True for an operation that takes one operand from the Dst tile that it then overwrites.
pub(crate) fn reuses_dst(word: OpWord) -> bool {
    word.kind() == math_kind::ELTWISE && word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) != 0
}
