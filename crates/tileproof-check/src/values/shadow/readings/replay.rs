//! An element worked out again in exact arithmetic, where one operation on its way is another.
//!
//! What comes before that operation is as it was, and only what an element needs is worked out. It must never change what was
//! followed, nor give a number of an operation whose function nobody knows. Start at [`Replay::value`].

use tileproof_model::op_word::{OpWord, eltwise, flag, math_kind, pool, reduce_dim};
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::face_index;

use super::super::elementary::function;
use super::super::exact::{Pool, place, spread, taken_in, vector_pool};
use super::super::follow::Followed;
use super::super::nodes::{Node, Op};
use super::super::origin::Origin;
use super::known::Known;

/// Data that are worked out for one guess.
const MOST: usize = 400_000;
/// Operations one behind the other.
const DEEPEST: usize = 300;

/// What is otherwise.
pub(super) trait Change {
    /// Whether an operation is one that is.
    fn is_about(&self, node: &Node) -> bool;

    /// What it gives instead at a datum; `None` where that is not known.
    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64>;
}

/// What becomes of an operand before an operation takes it: its number, and a function of its values.
pub(super) type Mapped<'a> = (usize, &'a dyn Fn(f64) -> f64);

/// The data of a run, as far as they are worked out again.
pub(super) struct Replay<'a> {
    pub(super) of: &'a Followed,
    change: &'a dyn Change,
    /// The first operation that is otherwise.
    first: u32,
    known: Known,
    left: usize,
    depth: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn new(of: &'a Followed, change: &'a dyn Change) -> Replay<'a> {
        let first = Replay::first(of, change);
        Replay::from(of, change, first)
    }

    /// The first operation that a change is about.
    pub(super) fn first(of: &Followed, change: &dyn Change) -> u32 {
        let first = of.nodes.all().iter().position(|node| node.call.launch == of.launch && change.is_about(node));
        first.map_or(u32::MAX, |first| first as u32)
    }

    /// The same, where the first operation that is otherwise is known.
    pub(super) fn from(of: &'a Followed, change: &'a dyn Change, first: u32) -> Replay<'a> {
        Replay { of, change, first, known: Known::default(), left: MOST, depth: 0 }
    }

    /// What exact arithmetic gave as it was.
    pub(super) fn exact(&self, number: u32, at: usize) -> Option<f64> {
        Some(self.of.nodes.tile(Some(number))?.exact[at])
    }

    /// What a datum is with the change.
    pub(super) fn value(&mut self, number: u32, at: usize) -> Option<f64> {
        if number < self.first {
            return self.exact(number, at);
        }
        if let Some(value) = self.known.get((number, at)) {
            return Some(value);
        }
        self.left = self.left.checked_sub(1).filter(|_| self.depth < DEEPEST)?;
        self.of.replays.set(self.of.replays.get().checked_sub(1)?);
        self.depth += 1;
        let node = self.of.nodes.get(number)?;
        let is_other = node.call.launch == self.of.launch && self.change.is_about(node);
        let value = if is_other { self.change.gives(self, number, at) } else { self.applied(number, at, None) };
        self.depth -= 1;
        self.known.insert((number, at), value?);
        value
    }

    /// What an operand of an operation is.
    pub(super) fn operand(&mut self, number: u32, operand: usize, at: usize) -> Option<f64> {
        let input = self.of.nodes.get(number)?.inputs[operand]?;
        self.value(input, at)
    }

    /// What an operation gives of its operands, one of which may be changed before.
    pub(super) fn applied(&mut self, number: u32, at: usize, mapped: Option<Mapped<'_>>) -> Option<f64> {
        let op = self.of.nodes.get(number)?.op;
        self.applied_as(op, number, at, mapped)
    }

    /// The same, if it were another operation.
    pub(super) fn applied_as(&mut self, op: Op, number: u32, at: usize, mapped: Option<Mapped<'_>>) -> Option<f64> {
        let map = |operand: usize, value: f64| match mapped {
            Some((its, f)) if its == operand => f(value),
            _ => value,
        };
        match op {
            Op::Unpack { .. } => self.unpacked(number, at),
            Op::Pack { .. } => self.packed(number, at),
            Op::Vector { rows, .. } if rows >> (at / 16) & 1 == 0 => self.operand(number, 0, at),
            Op::Vector { op: SfpuOp::Reduce, parameters, .. } => {
                let (dim, pool) = vector_pool(parameters)?;
                let Some(all) = taken_in(dim, at) else { return self.exact(number, at) };
                let data: Option<Vec<f64>> =
                    all.into_iter().map(|at| Some(map(0, self.operand(number, 0, at)?))).collect();
                Some(pool.of(data?.into_iter()))
            }
            Op::Vector { op, parameters, .. } => {
                let mut numbers = [0.0; 3];
                for (operand, value) in numbers.iter_mut().enumerate().take(op.inputs()) {
                    *value = map(operand, self.operand(number, operand, at)?);
                }
                function(op, numbers, parameters)
            }
            Op::Math(word) => self.matrix(word, number, at, &map),
        }
    }

    fn unpacked(&mut self, number: u32, at: usize) -> Option<f64> {
        let node = self.of.nodes.get(number)?;
        let own = self.exact(number, at)?;
        match node.origins.as_ref().map(|origins| origins[at]) {
            // Where a thread stored something else there it is as it was.
            Some(Origin::Datum { node, at }) if self.exact(node, at.into()) == Some(own) => self.value(node, at.into()),
            _ => Some(own),
        }
    }

    fn packed(&mut self, number: u32, at: usize) -> Option<f64> {
        let node = self.of.nodes.get(number)?;
        let Op::Pack { accumulates, edge, .. } = node.op else { return None };
        let (row, column) = place(at);
        let is_kept = match edge.checked_sub(1).map(|dim| dim as u8) {
            None => true,
            Some(reduce_dim::ROW) => column % 16 == 0,
            Some(reduce_dim::COL) => row == 0,
            Some(_) => at == 0,
        };
        let own = self.exact(number, at)?;
        let Some(input) = node.inputs[0].filter(|_| is_kept) else { return Some(own) };
        let (before, new) = (self.exact(input, at)?, self.value(input, at)?);
        if !accumulates {
            // ReLU has made 0 of what it was.
            return if before == own { Some(new) } else { (own == 0.0).then_some(new.max(0.0)) };
        }
        match node.origins.as_ref().map(|origins| origins[at]) {
            Some(Origin::Datum { node, at }) => Some(new + self.value(node, at.into())?),
            _ => Some(own - before + new),
        }
    }

    fn before(&mut self, number: u32, at: usize) -> Option<f64> {
        let before = self.of.nodes.get(number)?.before;
        before.map_or(Some(0.0), |before| self.value(before, at))
    }

    fn matrix(&mut self, word: OpWord, number: u32, at: usize, map: &dyn Fn(usize, f64) -> f64) -> Option<f64> {
        let (row, column) = place(at);
        match word.kind() {
            math_kind::DATACOPY if word.a() == 0 => Some(map(0, self.operand(number, 0, at)?)),
            math_kind::DATACOPY => Some(map(1, self.operand(number, 1, spread(word.b(), at))?)),
            math_kind::ELTWISE => {
                let (from_a, from_b) = (word.has(flag::REUSE_SRCA), word.has(flag::REUSE_SRCB));
                let a = if from_a { self.before(number, at)? } else { self.operand(number, 0, at)? };
                let spread_b = spread(word.b(), at);
                let b = if from_b { self.before(number, spread_b)? } else { self.operand(number, 1, spread_b)? };
                let adds = (word.a() == eltwise::MUL || word.has(flag::ACCUMULATE)) && !from_a && !from_b;
                let held = if adds { self.before(number, at)? } else { 0.0 };
                Some(held + elementwise(word.a(), map(0, a), map(1, b)))
            }
            math_kind::MATMUL => {
                let mut sum = self.before(number, at)?;
                for k in 0..32 {
                    let b = self.operand(number, 1, face_index(row, k))?;
                    sum += map(1, b) * map(0, self.operand(number, 0, face_index(k, column))?);
                }
                Some(sum)
            }
            math_kind::REDUCE => self.reduced(word, number, at, map),
            _ => None,
        }
    }

    fn reduced(&mut self, word: OpWord, number: u32, at: usize, map: &dyn Fn(usize, f64) -> f64) -> Option<f64> {
        let Some(all) = taken_in(word.b(), at) else { return self.exact(number, at) };
        let (data, scaler) = if word.scaler_is_src_a() { (1, 0) } else { (0, 1) };
        let values: Option<Vec<f64>> =
            all.into_iter().map(|at| Some(map(data, self.operand(number, data, at)?))).collect();
        let has_before = self.of.nodes.get(number)?.before.is_some();
        if word.a() == pool::MAX {
            let most = Pool::Max.of(values?.into_iter());
            return Some(if has_before { most.max(self.before(number, at)?) } else { most });
        }
        let scaler = map(scaler, self.operand(number, scaler, 0)?);
        let factor = if word.b() == reduce_dim::SCALAR { scaler * scaler } else { scaler };
        Some(self.before(number, at)? + Pool::Sum(factor).of(values?.into_iter()))
    }
}

/// What the matrix unit makes of two data.
pub(super) fn elementwise(kind: u8, a: f64, b: f64) -> f64 {
    match kind {
        eltwise::MUL => a * b,
        eltwise::SUB => a - b,
        _ => a + b,
    }
}
