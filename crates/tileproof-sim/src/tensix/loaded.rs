//! What inits have loaded into the vector unit: constants in registers, macros, tables, and by whom.
//!
//! It must never judge a call beyond what that call reads. Start reading at [`VectorConstants`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_numerics::sfpu::{SfpuMode, SfpuOp};

/// Who loaded something last: the operation whose init or call it was, and from where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    pub(super) op: SfpuOp,
    pub(super) site: Site,
    /// It was the call itself.
    pub(super) by_call: bool,
}

/// Registers 12 to 14, and the macros or table. `None` where nothing was loaded in this launch.
#[derive(Default, Debug)]
pub(crate) struct VectorConstants {
    registers: [Option<(Loaded, u32)>; 3],
    macros: Option<Loaded>,
    /// The last init of each operation, by its code.
    pub(super) inits: BTreeMap<u16, Site>,
}

/// What a call finds instead of what it needs.
pub(super) struct Wrong {
    pub(super) what: String,
    pub(super) by: Option<Loaded>,
}

impl VectorConstants {
    /// The init of an operation.
    pub(super) fn init(&mut self, op: SfpuOp, mode: &SfpuMode, site: Site) {
        let by = Loaded { op, site, by_call: false };
        for (register, word) in self.registers.iter_mut().zip(op.row().constants.loads(mode)) {
            *register = word.map(|word| (by, word)).or(*register);
        }
        if op.macros_of().is_some() {
            self.macros = Some(by);
        }
        self.inits.insert(op.code(), site);
    }

    /// A call takes the registers that it fills itself.
    pub(super) fn call(&mut self, op: SfpuOp, word: u32, site: Site) {
        for (register, taken) in self.registers.iter_mut().zip(op.row().constants.takes()) {
            if taken {
                *register = Some((Loaded { op, site, by_call: true }, word));
            }
        }
    }

    /// The first thing that a call needs and does not find.
    pub(super) fn wrong(&self, op: SfpuOp, mode: &SfpuMode) -> Option<Wrong> {
        for (number, (held, need)) in self.registers.iter().zip(op.row().constants.needs(mode)).enumerate() {
            let Some(need) = need else { continue };
            if held.is_none_or(|(_, word)| word != need) {
                return Some(Wrong { what: format!("register {}", 12 + number), by: held.map(|(by, _)| by) });
            }
        }
        let macros = op.macros_of()?;
        let held = self.macros;
        let is_own = held.is_some_and(|by| by.op.macros_of() == Some(macros));
        (!is_own).then(|| Wrong { what: "its macros or table".into(), by: held })
    }
}
