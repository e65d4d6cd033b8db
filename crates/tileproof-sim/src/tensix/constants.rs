//! What inits leave in the vector unit for the calls that come: constants in registers, macros, tables.
//!
//! A call that reads what another init has loaded, or none, is a finding and ends the run: what comes of other constants is
//! not computed. Must never speak of an init whose loads are not known. Start reading at [`Core::vector_constants`].

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::{SfpuMode, SfpuOp};

use crate::core::Core;
use crate::report::Sink;
use crate::step::{Halt, Step};

/// Who loaded something last: the operation whose init or call it was, and from where.
#[derive(Clone, Copy, Debug)]
struct Loaded {
    op: SfpuOp,
    site: Site,
    /// It was the call itself.
    by_call: bool,
}

/// Registers 12 to 14, and the macros or table. `None` where nothing was loaded in this launch.
#[derive(Default, Debug)]
pub(crate) struct VectorConstants {
    registers: [Option<(Loaded, u32)>; 3],
    macros: Option<Loaded>,
    /// The last init of each operation, by its code.
    inits: BTreeMap<u16, Site>,
}

/// What a call finds instead of what it needs.
struct Wrong {
    what: String,
    by: Option<Loaded>,
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
    fn call(&mut self, op: SfpuOp, word: u32, site: Site) {
        for (register, taken) in self.registers.iter_mut().zip(op.row().constants.takes()) {
            if taken {
                *register = Some((Loaded { op, site, by_call: true }, word));
            }
        }
    }

    /// The first thing that a call needs and does not find.
    fn wrong(&self, op: SfpuOp, mode: &SfpuMode) -> Option<Wrong> {
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

impl Core {
    /// Whether the vector unit holds what a call reads.
    pub(super) fn vector_constants(
        &mut self,
        sink: &mut Sink,
        site: Site,
        op: SfpuOp,
        mode: &SfpuMode,
        parameter: u32,
    ) -> Step {
        if SfpuOp::inits_are_known(mode.rules.recorded)
            && let Some(wrong) = self.tensix.math.constants.wrong(op, mode)
        {
            sink.raise(site, self.wrong_constants(site, op, &wrong));
            return Err(Halt::Stop);
        }
        self.tensix.math.constants.call(op, parameter, site);
        Ok(())
    }

    #[cold]
    fn wrong_constants(&self, site: Site, op: SfpuOp, wrong: &Wrong) -> Finding {
        let (name, init, what) = (op.name(), op.init_name(), &wrong.what);
        let inits = &self.tensix.math.constants.inits;
        let own = inits.get(&op.code());
        let same_name = |code: &u16| SfpuOp::from_code(*code).is_some_and(|other| other.init_name() == init);
        let form = inits.iter().find(|(code, _)| **code != op.code() && same_name(code)).map(|(_, site)| *site);
        let message = match wrong.by {
            None if form.is_some() => format!(
                "{name} needs what {init} loads into the vector unit, and it was called for another form of it: init and call have other template arguments"
            ),
            None => format!("{name} needs constants that {init} loads into the vector unit, and it was never called"),
            Some(by) if by.by_call => {
                format!(
                    "{name} needs what its init loads into the vector unit, and {} has put its number there",
                    by.op.name()
                )
            }
            Some(by) if by.op.init_name() == init && by.op != op => format!(
                "{name} runs with what {init} programmed for another form of it: init and call have other template arguments"
            ),
            Some(by) => format!("{name} runs with the constants that {} has loaded, not its own", by.op.init_name()),
        };
        let mut finding = self.finding(Code::WRONG_INIT, Thread::Math, site, message);
        finding.primary_text = format!("reads {what} of the vector unit");
        if let Some(own) = own.filter(|own| wrong.by.is_none_or(|by| by.site != **own)) {
            finding.labels.push(self.label(Thread::Math, *own, format!("{init} programmed it here, before that")));
        }
        if let Some(form) = form.filter(|_| wrong.by.is_none()) {
            finding.labels.push(self.label(Thread::Math, form, format!("{init} programmed another form here")));
        }
        if let Some(by) = wrong.by {
            let who = if by.by_call { by.op.name() } else { by.op.init_name() };
            finding.labels.push(self.label(Thread::Math, by.site, format!("{who} loads the same registers here")));
        }
        finding.notes.push("all operations share registers 12 to 14, the macros and the low registers".into());
        finding.notes.push("the run stops here: what comes of other constants is not computed".into());
        finding.help =
            Some(format!("call {init} with the template arguments of {name}, after any init that loads the same"));
        finding
    }
}
