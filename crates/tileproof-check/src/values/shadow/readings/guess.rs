//! A guess at what a kernel was meant to compute: the data that it is tried on, and when it holds.
//!
//! Must never make a guess of its own: those are in [`super::operation`], [`super::terms`] and [`super::constants`]. Start at [`holds`].

use tileproof_model::op_word::{OpWord, math_kind};
use tileproof_numerics::sfpu::SfpuOp;

use super::super::follow::Followed;
use super::super::nodes::{Call, Node, Op};
use super::super::planes::Planes;
use super::super::recipe::{self, Part};

/// How far a guess may be from what is expected, of the largest and of the value.
pub(super) const NEAR: (f64, f64) = (2e-3, 1e-2);
/// How much nearer to what is expected a guess must be than what exact arithmetic gives.
const NEARER: f64 = 0.1;
/// Moves behind an operation that are looked at.
const LONGEST: usize = 64;

/// Functions of one number that may be meant, or missing at the end.
pub(super) const OF_ONE: [SfpuOp; 20] = [
    SfpuOp::Relu,
    SfpuOp::Abs,
    SfpuOp::Square,
    SfpuOp::Recip,
    SfpuOp::Sqrt,
    SfpuOp::Rsqrt,
    SfpuOp::Exp,
    SfpuOp::Log,
    SfpuOp::Log1p,
    SfpuOp::Tanh,
    SfpuOp::Sigmoid,
    SfpuOp::Silu,
    SfpuOp::Gelu,
    SfpuOp::Erf,
    SfpuOp::Sin,
    SfpuOp::Cos,
    SfpuOp::Tan,
    SfpuOp::Atan,
    SfpuOp::Exp2,
    SfpuOp::Negative,
];

/// Functions of two numbers that may be meant.
pub(super) const OF_TWO: [SfpuOp; 7] = [
    SfpuOp::AddBinary,
    SfpuOp::SubBinary,
    SfpuOp::RsubBinary,
    SfpuOp::MulBinary,
    SfpuOp::DivBinary,
    SfpuOp::BinaryMax,
    SfpuOp::BinaryMin,
];

/// An element of an output, and the datum that it is.
pub(super) struct Datum {
    pub(super) node: u32,
    pub(super) at: usize,
    pub(super) exact: f64,
    pub(super) wanted: f64,
    /// What it may be off by, where that is said: inputs and expectation may be rounded otherwise.
    pub(super) allowed: f64,
}

/// A guess that holds.
pub(super) struct Reading {
    pub(super) call: Call,
    pub(super) says: String,
    /// What is said at the call.
    pub(super) text: &'static str,
    /// Other calls that it is about, and what is said there.
    pub(super) others: Vec<(Call, String)>,
    pub(super) help: &'static str,
}

/// Whether what a guess gives is what is expected, of all elements.
pub(super) fn holds(data: &[&Datum], mut guess: impl FnMut(&Datum) -> Option<f64>) -> bool {
    let largest = data.iter().fold(0.0f64, |most, datum| most.max(datum.wanted.abs()));
    let mut errors = (0.0, 0.0);
    let all = data.iter().all(|datum| {
        let Some(value) = guess(datum) else { return false };
        let off = (value - datum.wanted).abs();
        errors = (errors.0 + off, errors.1 + (datum.exact - datum.wanted).abs());
        off <= (NEAR.0 * largest + NEAR.1 * datum.wanted.abs()).max(datum.allowed)
    });
    all && errors.0 <= NEARER * errors.1
}

/// Whether what exact arithmetic gives of an element is what is expected.
pub(super) fn is_near(datum: &Datum) -> bool {
    let off = (datum.exact - datum.wanted).abs();
    off <= (NEAR.1 * datum.wanted.abs().max(datum.exact.abs())).max(datum.allowed)
}

/// Whether an operation does more than move data.
pub(super) fn computes(op: Op) -> bool {
    match op {
        Op::Vector { .. } => true,
        Op::Math(word) => word.kind() != math_kind::DATACOPY || word.a() != 0,
        _ => false,
    }
}

/// The operation of the matrix unit that gave a datum, with nothing but moves after it.
pub(super) fn maker(of: &Followed, node: u32, at: usize) -> Option<(u32, usize, OpWord)> {
    let (mut node, mut at) = (node, at);
    for _ in 0..LONGEST {
        let its = of.nodes.get(node)?;
        match its.op {
            Op::Unpack { .. } | Op::Pack { accumulates: false, .. } => {}
            Op::Math(word) if word.kind() == math_kind::DATACOPY && word.a() == 0 => {}
            Op::Math(word) => return Some((node, at, word)),
            _ => return None,
        }
        (node, at) = match (recipe::parts(its, at).first(), its.op) {
            (Some(Part::Of(node, at)), _) => (*node, *at),
            // What the packer's edge mask has made 0 was something of the same operation.
            (None, Op::Pack { .. }) => (its.inputs[0]?, at),
            _ => return None,
        };
    }
    None
}

/// The tile that an operation was given.
pub(super) fn input<'a>(of: &'a Followed, node: &Node, number: usize) -> Option<&'a Planes> {
    of.nodes.tile(node.inputs[number]).map(|tile| &**tile)
}

/// A program of the matrix unit of another kind and broadcast.
pub(super) fn with(word: OpWord, a: u8, b: u8) -> OpWord {
    OpWord::new(word.kind(), a, b, word.flags(), word.wide())
}
