//! L1 that belongs to no circular buffer and no tensor, just behind the last buffer.
//!
//! A transfer that begins there, or a store of a thread's own that reaches there, has left the buffer that its thread uses.
//! Threads that have nothing to do with the buffer must never be reported: what they reach may be their own; nor transfers that
//! begin in the buffer, of which another check speaks. Start reading at [`Free::on`].

use tileproof_model::event::{Event, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::thread::Thread;

use crate::buffers::name;
use crate::once::Once;

/// The check.
#[derive(Default, Debug)]
pub struct Free {
    /// Buffers that the two data-movement threads of a core have called for or stored to: a bit each.
    uses: Vec<[u64; 2]>,
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
        let Some(uses) = mover(event.thread).map(|mover| &mut self.uses[event.core][mover]) else { return };
        let bit = |cb: u32| 1u64.checked_shl(cb).unwrap_or(0);
        let (what, bytes, free) = match event.what {
            What::Buffer { cb, .. } => {
                *uses |= bit(cb);
                return;
            }
            What::Store { bytes, buffer, free, .. } => {
                *uses |= buffer.map_or(0, bit);
                ("a store", bytes, free)
            }
            What::NocRead { bytes, end, .. } => ("NoC read", bytes, end.free),
            What::NocWrite { bytes, end, .. } => ("NoC write", bytes, end.free),
            _ => return,
        };
        if let Some((cb, past)) = free.filter(|(cb, _)| *uses & bit(*cb) != 0) {
            self.report(event, what, bytes, (cb, past), raised);
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, what: &str, bytes: u32, (cb, past): (u32, u32), raised: &mut Vec<Raised>) {
        if !self.once.first(Code::FREE_L1, event) {
            return;
        }
        let message =
            format!("{what} of {bytes} bytes reaches L1 that nothing owns, {past} bytes past the end of {}", name(cb));
        let text = match event.what {
            What::NocWrite { .. } => "sends what is not the program's",
            _ => "overwrites what is not the program's",
        };
        raised.push(
            Raised::at(event, Code::FREE_L1, message)
                .text(text)
                .fact("cb", name(cb))
                .fact("past", past)
                .fact("bytes", bytes)
                .help(format!(
                    "keep within {}, or give it the bytes that the kernel uses: page size, pages and the loop must agree",
                    name(cb)
                )),
        );
    }
}
