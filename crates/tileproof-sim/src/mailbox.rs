//! What `mailbox_write` and `mailbox_read` do.

use tileproof_model::abi::Site;
use tileproof_model::event::What;
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::hart::Wait;
use crate::report::Sink;
use crate::step::{Halt, Step};

/// The thread with a number, if it has mailboxes.
fn partner(number: u32) -> Option<Thread> {
    Thread::ALL.into_iter().find(|thread| *thread as u32 == number && *thread != Thread::Ncrisc)
}

impl Core {
    fn mailbox_of(&mut self, sink: &mut Sink, thread: Thread, site: Site, other: u32) -> Step<Thread> {
        match partner(other) {
            Some(other) if thread != Thread::Ncrisc => Ok(other),
            _ => {
                let what = format!("a mailbox between {thread} and processor {other}, which the chip does not have");
                Err(self.unimplemented(sink, thread, site, what))
            }
        }
    }

    pub(crate) fn mailbox_write(
        &mut self,
        sink: &mut Sink,
        thread: Thread,
        site: Site,
        to: u32,
        value: u32,
    ) -> Step<What> {
        let to = self.mailbox_of(sink, thread, site, to)?;
        let at = self.mailboxes.room_at(thread).ok_or(Halt::Wait(Wait::MailboxRoom { from: thread }))?;
        let hart = self.hart(thread);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.credit);
        let now = hart.clock;
        self.mailboxes.send(thread, to, value, now);
        Ok(What::MailboxWrite { to })
    }

    /// Takes a word, and says from whom.
    pub(crate) fn mailbox_read(&mut self, sink: &mut Sink, thread: Thread, site: Site, from: u32) -> Step<(u32, What)> {
        let from = self.mailbox_of(sink, thread, site, from)?;
        let at = self.mailboxes.word_at(from, thread).ok_or(Halt::Wait(Wait::MailboxWord { from, to: thread }))?;
        let hart = self.hart(thread);
        hart.wait_until(at);
        hart.spend(|cycles| cycles.poll);
        let now = hart.clock;
        Ok((self.mailboxes.take(from, thread, now).unwrap_or_default(), What::MailboxRead { from }))
    }

    /// Whether a word from `from` is there by now.
    pub(crate) fn mailbox_has(&mut self, thread: Thread, from: u32) -> bool {
        let now = self.hart(thread).clock;
        partner(from).and_then(|from| self.mailboxes.word_at(from, thread)).is_some_and(|at| at <= now)
    }
}
