//! Semaphores: words of L1 that threads wait for and set. Additions come over the NoC.

use tileproof_model::abi::compare;
use tileproof_model::event::What;
use tileproof_model::finding::Code;
use tileproof_model::observe::Observer;

use crate::core::SEMAPHORES;
use crate::cost::Costs;
use crate::engine::Engine;
use crate::hart::Wait;
use crate::observe::Stored;
use crate::signals::Sent;
use crate::step::{Caller, Halt, Step};

impl<O: Observer> Engine<O> {
    /// A thread uses a word of L1 of core `of`: says so if that is a semaphore which the launch does not have there. The word
    /// is there all the same, with what an earlier program left in it, and the run goes on.
    pub(crate) fn uses_semaphore(&mut self, by: Caller, of: usize, offset: u32) {
        if let Some(id) = self.cores[of].semaphore_missing(offset) {
            self.no_such_semaphore(by, of, id);
        }
    }

    /// A thread asks for a semaphore that core `of` does not have.
    #[cold]
    pub(crate) fn no_such_semaphore(&mut self, by: Caller, of: usize, id: u32) {
        let Caller { core, thread, site } = by;
        let message = match id {
            SEMAPHORES.. => format!("semaphore {id} does not exist: a core has {SEMAPHORES}"),
            _ if of == core => format!("semaphore {id} was not configured on this core"),
            _ => format!("semaphore {id} was not configured on core {}", self.cores[of].coord),
        };
        let mut finding = self.cores[core].finding(Code::NO_SUCH_SEMAPHORE, thread, site, message);
        finding.primary_text = "uses what an earlier program left".into();
        finding.facts.insert("semaphore".into(), id.to_string());
        finding.help = Some("give the program a semaphore with this id whose core ranges hold that core".into());
        self.sink.raise(core, site, finding);
    }

    /// A word of the caller's own L1 that it uses as a semaphore.
    fn own_word(&mut self, by: Caller, address: u32) -> Step<u32> {
        let offset = self.cores[by.core].l1.offset(address);
        self.uses_semaphore(by, by.core, offset);
        let Engine { cores, sink, .. } = self;
        let core = &cores[by.core];
        if !core.l1.contains(offset, 4) {
            return Err(core.out_of_l1(sink, by.thread, by.site, "semaphore".into(), offset, 4));
        }
        Ok(offset)
    }

    /// Waits until a word compares with `value` as `how` says ([`tileproof_model::abi::compare`]).
    pub(crate) fn semaphore_wait(&mut self, by: Caller, address: u32, how: u32, value: u32) -> Step<What> {
        let offset = self.own_word(by, address)?;
        let core = &mut self.cores[by.core];
        let wait = Wait::Semaphore { offset, how, value };
        let now = core.hart(by.thread).clock;
        let Some(at) = core.ready_at(wait, now) else {
            core.signals.awaits(offset);
            return Err(Halt::Wait(wait));
        };
        let hart = core.hart(by.thread);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.poll);
        core.signals.met(offset, value);
        Ok(What::SemaphoreWait {
            offset,
            asked: value,
            is_exact: how == compare::EQUAL,
            saw: core.l1.read_word(offset),
        })
    }

    pub(crate) fn semaphore_set(&mut self, by: Caller, address: u32, value: u32) -> Step<Stored> {
        let offset = self.own_word(by, address)?;
        let core = &mut self.cores[by.core];
        core.will_change(offset, 4);
        core.l1.write_word(offset, value);
        let hart = core.hart(by.thread);
        hart.spend(|cycles| cycles.l1_words(1));
        let now = hart.clock;
        let sent = Sent { core: core.coord, thread: by.thread, site: by.site, added: 0 };
        core.arrived(offset, 4, now, sent);
        Ok(Stored { offset, bytes: 4, value: Some(value) })
    }
}
