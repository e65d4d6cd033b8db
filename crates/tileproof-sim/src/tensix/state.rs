//! What inits and configure calls program into the units, and from where.
//!
//! Every piece of state carries the site that set it, so that a finding can name both ends.

use tileproof_model::abi::Site;
use tileproof_model::op_word::OpWord;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::pack::{EdgeMask, Relu};

/// A value and the call that programmed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Programmed<T> {
    pub(crate) value: T,
    pub(crate) by: Site,
}

/// The format of an operand: in L1, and of the buffer it was taken from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OperandFormat {
    pub(crate) l1: DataFormat,
    pub(crate) cb: u32,
}

/// UNPACK's unit.
#[derive(Default)]
pub(crate) struct UnpackState {
    pub(crate) started: bool,
    pub(crate) format_a: Option<Programmed<OperandFormat>>,
    pub(crate) format_b: Option<Programmed<OperandFormat>>,
    pub(crate) op: Option<Programmed<OpWord>>,
}

/// MATH's unit.
#[derive(Default)]
pub(crate) struct MathState {
    pub(crate) started: bool,
    pub(crate) format_a: Option<Programmed<OperandFormat>>,
    pub(crate) format_b: Option<Programmed<OperandFormat>>,
    pub(crate) op: Option<Programmed<OpWord>>,
    pub(crate) sfpu: Option<Programmed<u32>>,
}

/// PACK's unit.
pub(crate) struct PackState {
    pub(crate) started: bool,
    pub(crate) format: Option<Programmed<OperandFormat>>,
    pub(crate) op: Option<Programmed<OpWord>>,
    pub(crate) edge: EdgeMask,
    pub(crate) relu: Relu,
    pub(crate) l1_acc: bool,
}

impl Default for PackState {
    fn default() -> Self {
        PackState { started: false, format: None, op: None, edge: EdgeMask::None, relu: Relu::None, l1_acc: false }
    }
}
