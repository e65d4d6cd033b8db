//! Dst: its windows, and what is in its tiles.
//!
//! [`window`] follows acquire, commit, wait and release; [`unwritten`], [`accumulate`] and [`lost`] follow the tiles,
//! the last also the pages that they are packed to. None may speak of
//! an index that the section does not have: the machine does that itself.

pub mod accumulate;
pub mod lost;
pub(crate) mod operands;
pub mod part;
pub mod unwritten;
pub mod window;

use tileproof_model::event::Event;
use tileproof_model::op_word::{OpWord, eltwise, flag, math_kind, pool};
use tileproof_numerics::sfpu::SfpuOp;

/// Tiles of Dst at most.
pub(crate) const TILES: usize = 16;

/// The name of the call that an operation of the matrix unit belongs to, near enough for a report.
fn operation(word: OpWord) -> String {
    format!("\"{}\"", tileproof_model::op_word::describe_math(word))
}

/// True for an operation that adds to Dst because the unit knows no other way.
fn adds(word: OpWord) -> bool {
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
enum By {
    Matrix(OpWord),
    Vector(SfpuOp),
}

impl By {
    fn is(self, word: OpWord) -> bool {
        matches!(self, By::Matrix(other) if other == word)
    }

    fn name(self) -> String {
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

/// The state of the event's core.
pub(crate) fn of_core<'a, T>(cores: &'a mut [T], event: &Event) -> Option<&'a mut T> {
    cores.get_mut(event.core)
}
