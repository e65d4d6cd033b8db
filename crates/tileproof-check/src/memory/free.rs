//! L1 that belongs to no circular buffer and no tensor, just behind the last buffer.
//!
//! A transfer that begins there by a thread that uses that buffer has left it; and where a thread's own stores have, which
//! are not seen, the bytes are no longer what they were. Threads that have nothing to do with the buffer must never be
//! reported: what they reach may be their own; nor stores where a transfer or a pack has changed those bytes. Start reading
//! at [`Free::on`].

use std::collections::BTreeSet;

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::thread::Thread;

use crate::buffers::name;
use crate::once::Once;

/// How far in L1 the accesses of a core have come that began in a circular buffer, and are seen.
#[derive(Clone, Copy, Default, Debug)]
struct Ends {
    /// Of packs and NoC reads. Where they run past their buffer, that is reported for itself.
    reported: u32,
    /// Of NoC writes to the core's own L1, whose far end nobody else looks at: end, call and bytes.
    written: Option<(u32, (Thread, Site), u32)>,
}

/// The check.
#[derive(Default, Debug)]
pub struct Free {
    /// Buffers that the two data-movement threads of a core have reserved, waited for, pushed to or popped from: a bit each.
    uses: Vec<[u64; 2]>,
    /// Cores on which a transfer has gone there, or that another core has written to: their stores are not spoken of.
    reached: BTreeSet<usize>,
    ends: Vec<Ends>,
    once: Once,
}

/// Bytes of a semaphore: those lie elsewhere, and are written to at every turn.
const SEMAPHORE: u32 = 4;

/// The place of a data-movement thread.
fn mover(thread: Thread) -> Option<usize> {
    [Thread::Brisc, Thread::Ncrisc].iter().position(|mover| *mover == thread)
}

impl Free {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.uses = vec![[0; 2]; cores];
        self.ends = vec![Ends::default(); cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let (is_read, bytes, end) = match event.what {
            What::Buffer { cb, .. } => {
                if let Some(mover) = mover(event.thread) {
                    self.uses[event.core][mover] |= 1u64.checked_shl(cb).unwrap_or(0);
                }
                return;
            }
            What::PastBuffers { cb, past, offset } => return self.stored(event, (cb, past), offset, raised),
            What::Pack { access, .. } => {
                let reported = &mut self.ends[event.core].reported;
                *reported = (*reported).max(access.offset.saturating_add(access.bytes));
                return;
            }
            What::NocRead { to, bytes, end, .. } => {
                if end.buffer.is_some_and(|(_, room)| bytes > room) {
                    let reported = &mut self.ends[event.core].reported;
                    *reported = (*reported).max(to.saturating_add(bytes));
                }
                (true, bytes, end)
            }
            What::NocWrite { bytes, end, to, far, .. } => {
                if let NocPlace::L1(core, offset) = to {
                    self.written(event, core, (offset, bytes), far.is_some());
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

    /// A NoC write to L1 of a core.
    fn written(&mut self, event: &Event, core: usize, (offset, bytes): (u32, u32), in_buffer: bool) {
        if core != event.core || (!in_buffer && bytes > SEMAPHORE) {
            self.reached.insert(core);
        } else if in_buffer {
            let end = offset.saturating_add(bytes);
            let written = &mut self.ends[core].written;
            if written.is_none_or(|(furthest, ..)| end > furthest) {
                *written = Some((end, (event.thread, event.site), bytes));
            }
        }
    }

    #[cold]
    fn stored(&mut self, event: &Event, (cb, past): (u32, u32), offset: u32, raised: &mut Vec<Raised>) {
        let Ends { reported, written } = self.ends[event.core];
        if self.reached.contains(&event.core) || reported > offset {
            return;
        }
        let by_write = written.filter(|(end, ..)| *end > offset);
        let event = match by_write {
            Some((_, (thread, site), _)) => Event { thread, site, ..*event },
            None => *event,
        };
        if !self.once.first(Code::FREE_L1, &event) {
            return;
        }
        let (message, text) = match by_write {
            Some((.., bytes)) => (
                format!("NoC write of {bytes} bytes runs past the end of {}, into L1 that nothing owns", name(cb)),
                "overwrites what is not the program's",
            ),
            None => (
                format!("bytes past the end of {} were stored to before this call", name(cb)),
                "what lies there is not the program's",
            ),
        };
        raised.push(self.finding(&event, cb, past, message).text(text));
    }

    fn finding(&self, event: &Event, cb: u32, past: u32, message: String) -> Raised {
        Raised::at(event, Code::FREE_L1, message).fact("cb", name(cb)).fact("past", past).help(format!(
            "keep within {}, or give it the bytes that the kernel uses: page size, pages and the loop must agree",
            name(cb)
        ))
    }
}
