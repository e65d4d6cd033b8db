//! L1 that belongs to no circular buffer and no tensor, just behind the last buffer.
//!
//! A transfer that begins there by a thread that uses that buffer has left it; and where a thread's own stores have, which
//! are not seen, the bytes are no longer what they were. Threads that have nothing to do with the buffer must never be
//! reported: what they reach may be their own. Start reading at [`Free::on`].

use std::collections::BTreeSet;

use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::thread::Thread;

use crate::buffers::name;
use crate::once::Once;

/// The check.
#[derive(Default, Debug)]
pub struct Free {
    /// Buffers that the two data-movement threads of a core have reserved, waited for, pushed to or popped from: a bit each.
    uses: Vec<[u64; 2]>,
    /// Cores on which a transfer has gone there, or that another core has written to: their stores are not spoken of.
    reached: BTreeSet<usize>,
    once: Once,
}

/// The place of a data-movement thread.
fn mover(thread: Thread) -> Option<usize> {
    [Thread::Brisc, Thread::Ncrisc].iter().position(|mover| *mover == thread)
}

impl Free {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.uses = vec![[0; 2]; cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let (is_read, bytes, end) = match event.what {
            What::Buffer { cb, .. } => {
                if let Some(mover) = mover(event.thread) {
                    self.uses[event.core][mover] |= 1u64.checked_shl(cb).unwrap_or(0);
                }
                return;
            }
            What::PastBuffers { cb, past } => return self.stored(event, cb, past, raised),
            What::NocRead { bytes, end, .. } => (true, bytes, end),
            What::NocWrite { bytes, end, to, .. } => {
                if let NocPlace::L1(other, _) = to
                    && other != event.core
                {
                    self.reached.insert(other);
                }
                (false, bytes, end)
            }
            _ => return,
        };
        let Some((cb, past)) = end.free else { return };
        self.reached.insert(event.core);
        let uses = mover(event.thread).map_or(0, |mover| self.uses[event.core][mover]);
        if uses.checked_shr(cb).unwrap_or(0) & 1 == 1 && self.once.first(Code::FREE_L1, event) {
            let (what, text) = if is_read {
                ("read", "overwrites what is not the program's")
            } else {
                ("write", "sends what is not the program's")
            };
            let message = format!(
                "NoC {what} of {bytes} bytes begins {past} bytes past the end of {}, in L1 that nothing owns",
                name(cb)
            );
            raised.push(self.finding(event, cb, past, message).text(text).fact("bytes", bytes));
        }
    }

    #[cold]
    fn stored(&mut self, event: &Event, cb: u32, past: u32, raised: &mut Vec<Raised>) {
        if self.reached.contains(&event.core) || !self.once.first(Code::FREE_L1, event) {
            return;
        }
        let message = format!("bytes past the end of {} were stored to before this call", name(cb));
        raised.push(self.finding(event, cb, past, message).text("what lies there is not the program's"));
    }

    fn finding(&self, event: &Event, cb: u32, past: u32, message: String) -> Raised {
        Raised::at(event, Code::FREE_L1, message).fact("cb", name(cb)).fact("past", past).help(format!(
            "keep within {}, or give it the bytes that the kernel uses: page size, pages and the loop must agree",
            name(cb)
        ))
    }
}
