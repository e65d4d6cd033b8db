//! What inits and configure calls program into the units, and from where.
//!
//! Every piece of state carries the site that set it, so that a finding can name both ends.

use std::collections::BTreeMap;

use tileproof_model::abi::{Site, configure};
use tileproof_model::op_word::OpWord;
use tileproof_model::record::DayChange;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::pack::{EdgeMask, Relu};
use tileproof_numerics::sfpu::{Moments, RunningSum};

use crate::tensix::loaded::VectorConstants;

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

/// How a configure call comes about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum How {
    Again,
    Start,
    /// It compared the formats of this old buffer with those of the new one, and programs nothing.
    Unchanged {
        old: u32,
    },
}

impl How {
    /// As the ABI has it.
    pub(crate) fn of(how: u32) -> How {
        match how & ((1 << configure::OLD_SHIFT) - 1) {
            configure::START => How::Start,
            configure::UNCHANGED => How::Unchanged { old: how >> configure::OLD_SHIFT },
            _ => How::Again,
        }
    }
}

/// A reconfiguration that programmed nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Skipped {
    pub(crate) by: Site,
    /// The buffer that it was told the unit is programmed for.
    pub(crate) old: u32,
    pub(crate) cb: u32,
}

/// Whether a unit was started, and the first call that programmed it while it was not.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Start {
    pub(crate) done: bool,
    pub(crate) early: Option<Site>,
}

impl Start {
    /// A call that programs the unit; `starts` if it is part of a start-up.
    pub(crate) fn programs(&mut self, site: Site, starts: bool) {
        if starts {
            *self = Start { done: true, early: None };
        } else if !self.done {
            self.early.get_or_insert(site);
        }
    }
}

/// What the vector unit keeps from one call to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kept {
    /// Of `cumsum_tile`.
    Sum(RunningSum),
    /// Of `welford_update`.
    Moments(Moments),
}

/// UNPACK's unit.
#[derive(Default)]
pub(crate) struct UnpackState {
    pub(crate) start: Start,
    pub(crate) format_a: Option<Programmed<OperandFormat>>,
    pub(crate) format_b: Option<Programmed<OperandFormat>>,
    /// By operand, since it was programmed last.
    pub(crate) skipped: [Option<Skipped>; 2],
    pub(crate) op: Option<Programmed<OpWord>>,
}

/// MATH's unit.
#[derive(Default)]
pub(crate) struct MathState {
    pub(crate) start: Start,
    pub(crate) format_a: Option<Programmed<OperandFormat>>,
    pub(crate) format_b: Option<Programmed<OperandFormat>>,
    pub(crate) op: Option<Programmed<OpWord>>,
    /// What inits, calls and custom code have left in the vector unit.
    pub(crate) constants: VectorConstants,
    /// The vector unit has run a kernel in this launch whose inits load what is not known.
    pub(crate) inits_unchecked: bool,
    /// The first call of each kind in this launch that is another on other days' headers.
    pub(crate) by_day: BTreeMap<DayChange, Site>,
    /// What an operation has left in the vector unit, until another takes its registers.
    pub(crate) kept: Option<Kept>,
}

/// PACK's unit.
pub(crate) struct PackState {
    pub(crate) start: Start,
    pub(crate) format: Option<Programmed<OperandFormat>>,
    /// Since it was programmed last.
    pub(crate) skipped: Option<Skipped>,
    pub(crate) op: Option<Programmed<OpWord>>,
    pub(crate) edge: EdgeMask,
    pub(crate) relu: Relu,
    pub(crate) l1_acc: bool,
}

impl Default for PackState {
    fn default() -> Self {
        PackState {
            start: Start::default(),
            format: None,
            skipped: None,
            op: None,
            edge: EdgeMask::None,
            relu: Relu::None,
            l1_acc: false,
        }
    }
}
