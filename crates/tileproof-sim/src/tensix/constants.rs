//! What inits leave in the vector unit for the calls that come: constants in registers, macros, tables.
//!
//! A call that reads what another init has loaded, or none, is a finding and ends the run: what comes of other constants is
//! not computed. Must never speak of an init whose loads are not known. Start reading at [`Core::vector_constants`].

use tileproof_model::abi::Site;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::{SfpuMode, SfpuOp};

use crate::core::Core;
use crate::report::Sink;
use crate::step::{Halt, Step};
use crate::tensix::loaded::Wrong;

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
            sink.raise(self.index, site, self.wrong_constants(site, op, &wrong));
            return Err(Halt::Stop);
        }
        self.tensix.math.constants.call(op, parameter, site);
        Ok(())
    }

    #[cold]
    fn wrong_constants(&self, site: Site, op: SfpuOp, wrong: &Wrong) -> Finding {
        let (name, init, what) = (op.name(), op.init_name(), &wrong.what);
        let inits = &self.tensix.math.constants.inits;
        let own = inits.iter().find(|(code, _)| *code == op.code()).map(|(_, site)| site);
        let same_name = |code: u16| SfpuOp::from_code(code).is_some_and(|other| other.init_name() == init);
        let form = inits.iter().find(|(code, _)| *code != op.code() && same_name(*code)).map(|(_, site)| *site);
        let message = match wrong.by {
            None if form.is_some() => format!(
                "{name} needs what {init} loads into the vector unit, and it was called for another form of it: init and call have other template arguments"
            ),
            None => format!("{name} needs constants that {init} loads into the vector unit, and it was never called"),
            Some(by) if by.by_call => {
                format!(
                    "{name} needs what its init loads into the vector unit, and {} has put a number of its own there",
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
