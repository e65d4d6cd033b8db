//! Pages that are read though nothing has written them in this launch.
//!
//! L1 keeps what the last program left; a push hands over credits, not data. Two things must come together: no call wrote the
//! bytes, and they are still as the machine fills undefined memory, since stores of C++ kernels through pointers are not
//! seen. A page that was written some laps ago must never be reported. Start reading at [`UnwrittenPages::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;

use crate::buffers::{BUFFERS, name};
use crate::once::Once;

/// Bytes that one bit stands for: the smallest part of L1 that a transfer writes as a whole.
const GRAIN: u32 = 16;

#[derive(Debug)]
struct OfCore {
    /// A bit for each grain that a call wrote.
    written: Vec<u64>,
    /// The last push of each buffer.
    pushed: [Option<(Thread, Site)>; BUFFERS],
}

impl OfCore {
    fn wrote(&mut self, offset: u32, bytes: u32) {
        let (mut at, end) = ((offset / GRAIN) as usize, offset.saturating_add(bytes).div_ceil(GRAIN) as usize);
        if self.written.len() * 64 < end {
            self.written.resize(end.div_ceil(64), 0);
        }
        while at < end {
            let here = (64 - at % 64).min(end - at);
            self.written[at / 64] |= (u64::MAX >> (64 - here)) << (at % 64);
            at += here;
        }
    }

    fn is_written(&self, offset: u32) -> bool {
        let grain = (offset / GRAIN) as usize;
        self.written.get(grain / 64).is_some_and(|bits| bits >> (grain % 64) & 1 == 1)
    }
}

/// The check.
#[derive(Default, Debug)]
pub struct UnwrittenPages {
    cores: Vec<OfCore>,
    once: Once,
}

impl UnwrittenPages {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = (0..cores).map(|_| OfCore { written: Vec::new(), pushed: [None; BUFFERS] }).collect();
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Vec<Raised>) {
        let Some(core) = self.cores.get_mut(event.core) else { return };
        match event.what {
            What::NocRead { to, bytes, .. } => core.wrote(to, bytes),
            What::Store { offset, bytes } => core.wrote(offset, bytes),
            What::Pack { access, .. } => core.wrote(access.offset, access.bytes),
            What::NocWrite { to: NocPlace::L1(other, offset), bytes, .. } => {
                if let Some(core) = self.cores.get_mut(other) {
                    core.wrote(offset, bytes);
                }
            }
            What::Buffer { action: BufferAction::Push, cb, .. } => {
                if let Some(pushed) = core.pushed.get_mut(cb as usize) {
                    *pushed = Some((event.thread, event.site));
                }
            }
            What::Unpack { access } if access.is_poison && !core.is_written(access.offset) => {
                let pushed = core.pushed.get(access.cb as usize).copied().flatten();
                self.report(event, access.cb, access.tile, pushed, raised);
            }
            _ => {}
        }
    }

    #[cold]
    fn report(&mut self, event: &Event, cb: u32, tile: u32, pushed: Option<(Thread, Site)>, raised: &mut Vec<Raised>) {
        if !self.once.first(Code::PAGE_UNWRITTEN, event) {
            return;
        }
        let message = format!("tile {tile} of {} is read, and nothing has written that page", name(cb));
        raised.push(
            Raised::at(event, Code::PAGE_UNWRITTEN, message)
                .text("reads what lay in L1")
                .label(pushed, "the last push, of pages that nobody filled")
                .fact("cb", name(cb))
                .fact("tile", tile)
                .help(format!("fill each page of {} before it is pushed", name(cb))),
        );
    }
}
