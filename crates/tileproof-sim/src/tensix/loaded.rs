//! What lies in the vector unit: registers, which inits, calls and custom code share, macros, tables, and by whom.
//!
//! It must never judge a call beyond what that call reads. Start reading at [`VectorConstants`].

use tileproof_model::abi::Site;
use tileproof_numerics::sfpu::{Constants, Program, SfpuMode, SfpuOp, VectorRegisters};

/// Who loaded something last: the operation whose init or call it was, or that stands for custom code, and from where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) op: SfpuOp,
    pub(super) site: Site,
    /// It was the call itself.
    pub(super) by_call: bool,
}

/// The constant registers that inits load.
const CONSTANTS: [usize; 3] = [12, 13, 14];

/// The registers, and the macros or table. `None` where nothing was loaded in this launch.
#[derive(Default, Debug)]
pub(crate) struct VectorConstants {
    /// What they hold.
    pub(super) registers: VectorRegisters,
    /// Who loaded registers 12 to 14.
    by: [Option<Loaded>; 3],
    macros: Option<Loaded>,
    /// The last init of each operation, in the order of their codes: a kernel has a handful.
    pub(super) inits: Vec<(u16, Site)>,
}

/// What a call finds instead of what it needs.
pub(super) struct Wrong {
    pub(super) what: String,
    pub(super) by: Option<Loaded>,
}

/// Operations without a rounding, which is what may draw a random number: moves, and a sum or product of floats.
const fn draws_nothing(op: SfpuOp) -> bool {
    use SfpuOp::{
        Abs, AddUnary, CopyDestValues, DivUnary, Fill, FillBitcast, FillInt, Identity, Mask, MulUnary, Negative,
    };
    use SfpuOp::{Square, SubUnary};
    matches!(
        op,
        AddUnary
            | SubUnary
            | MulUnary
            | DivUnary
            | Fill
            | FillBitcast
            | FillInt
            | Mask
            | Square
            | Abs
            | Negative
            | Identity
            | CopyDestValues
    )
}

impl VectorConstants {
    /// The init of an operation.
    pub(super) fn init(&mut self, op: SfpuOp, mode: &SfpuMode, site: Site) {
        self.registers.configure_plainly();
        self.note_init(op, site);
        let (of, macros) = (op.row().constants, op.macros_of());
        // Most operations keep nothing.
        if of == Constants::Own && macros.is_none() {
            return;
        }
        let loaded = Loaded { op, site, by_call: false };
        for ((register, by), word) in CONSTANTS.into_iter().zip(&mut self.by).zip(of.loads(mode)) {
            if word.is_some() {
                self.registers.load(register, word);
                *by = Some(loaded);
            }
        }
        // A constant takes its way through a low register, and a table lies in some.
        self.registers.forget_values();
        if macros.is_some() {
            self.macros = Some(loaded);
        }
    }

    fn note_init(&mut self, op: SfpuOp, site: Site) {
        match self.inits.binary_search_by_key(&op.code(), |(code, _)| *code) {
            Ok(place) => self.inits[place].1 = site,
            Err(place) => self.inits.insert(place, (op.code(), site)),
        }
    }

    /// An init that loads what is not known.
    pub(super) fn unknown_init(&mut self) {
        CONSTANTS.into_iter().for_each(|register| self.registers.load(register, None));
        self.registers.forget_values();
    }

    /// A call takes the registers that it fills itself, and uses the low ones.
    pub(super) fn call(&mut self, op: SfpuOp, word: u32, site: Site) {
        if op.row().constants == Constants::Scalar {
            for ((register, by), taken) in CONSTANTS.into_iter().zip(&mut self.by).zip(Constants::Scalar.takes()) {
                if taken {
                    self.registers.load(register, Some(word));
                    *by = Some(Loaded { op, site, by_call: true });
                }
            }
        }
        self.registers.forget_values();
        if !draws_nothing(op) {
            self.registers.forget_random();
        }
    }

    /// Custom code has run on the registers.
    pub(super) fn custom(&mut self, op: SfpuOp, program: &Program, site: Site) {
        for (by, written) in self.by.iter_mut().zip(program.writes_constants()) {
            if written {
                *by = Some(Loaded { op, site, by_call: true });
            }
        }
    }

    /// The first thing that a call needs and does not find.
    pub(super) fn wrong(&self, op: SfpuOp, mode: &SfpuMode) -> Option<Wrong> {
        if op.row().constants == Constants::Own && op.macros_of().is_none() {
            return None;
        }
        for ((register, by), need) in CONSTANTS.into_iter().zip(self.by).zip(op.row().constants.needs(mode)) {
            if need.is_some_and(|need| !self.registers.holds(register, need)) {
                return Some(Wrong { what: format!("register {register}"), by });
            }
        }
        let macros = op.macros_of()?;
        let held = self.macros;
        let is_own = held.is_some_and(|by| by.op.macros_of() == Some(macros));
        (!is_own).then(|| Wrong { what: "its macros or table".into(), by: held })
    }
}
