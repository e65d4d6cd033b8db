//! Circular buffers whose pages a kernel pops, all of them, without the unpackers' or its own having fetched one.
//!
//! The credits are in order and the data went nowhere: a gamma that is waited for, popped and not multiplied with. Only
//! buffers with data from the NoC count, also where a thread spreads it with loads and stores, since a buffer without data
//! is a fair signal between threads. A buffer of which one tile was fetched must never be reported: kernels that work in
//! whole blocks leave pages out; nor any on a core that fetches from none: it makes its output of nothing, and takes the
//! pages for their count. Start reading at [`Unread::on`].

use tileproof_model::abi::Site;
use tileproof_model::arch::Arch;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::record::BufferAction;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;

use crate::by_core::BUFFERS;

/// Below this offset L1 is the firmware's. A read from there brings no data: it is how kernels clear memory
/// (`MEM_ZEROS_BASE`, tt-metal `dev_mem_map.h`).
const FIRMWARE: u32 = Arch::LEAST_UNRESERVED_BASE;

/// A call.
type Call = (Thread, Site);

#[derive(Clone, Copy, Default, Debug)]
struct Buffer {
    /// The first NoC transfer or store that went to it, and the core that made it.
    filled: Option<(usize, Call)>,
    /// A tile was fetched, or sent on from it.
    is_read: bool,
    /// The first pop, and pages popped in all.
    popped: Option<Call>,
    pages: u64,
}

/// The check.
#[derive(Default, Debug)]
pub struct Unread {
    cores: Vec<[Buffer; BUFFERS]>,
    /// Threads that have loaded something that came over the NoC, and pushed nothing since: what they store comes from it.
    carries: Vec<[bool; 5]>,
}

impl Unread {
    pub(crate) fn launch(&mut self, cores: usize) {
        self.cores = vec![[Buffer::default(); BUFFERS]; cores];
        self.carries = vec![[false; 5]; cores];
    }

    fn buffer(&mut self, core: usize, cb: u32) -> Option<&mut Buffer> {
        self.cores.get_mut(core)?.get_mut(cb as usize)
    }

    /// The buffer at the other end of a transfer.
    fn far(&mut self, place: NocPlace, buffer: Option<(u32, u32)>) -> Option<&mut Buffer> {
        match place {
            NocPlace::L1(core, _) => self.buffer(core, buffer?.0),
            NocPlace::Dram { .. } | NocPlace::Nowhere => None,
        }
    }

    pub(crate) fn on(&mut self, event: &Event, _raised: &mut Raises) {
        let call = (event.thread, event.site);
        match event.what {
            What::NocRead { from, end, far, .. } => {
                if let Some(buffer) = self.far(from, far) {
                    buffer.is_read = true;
                }
                let clears = matches!(from, NocPlace::L1(core, offset) if core == event.core && offset < FIRMWARE);
                if !clears && let Some(buffer) = end.buffer.and_then(|(cb, _)| self.buffer(event.core, cb)) {
                    buffer.filled.get_or_insert((event.core, call));
                }
            }
            What::Load { buffer, .. } => {
                if let Some(buffer) = buffer.and_then(|cb| self.buffer(event.core, cb)) {
                    buffer.is_read = true;
                    let carries = buffer.filled.is_some();
                    self.carries[event.core][event.thread as usize] |= carries;
                }
            }
            What::Store { buffer, .. } if self.carries[event.core][event.thread as usize] => {
                if let Some(buffer) = buffer.and_then(|(cb, _)| self.buffer(event.core, cb)) {
                    buffer.filled.get_or_insert((event.core, call));
                }
            }
            What::Buffer { action: BufferAction::Push, .. } => {
                self.carries[event.core][event.thread as usize] = false;
            }
            What::NocWrite { to, end, far, .. } => {
                if let Some(buffer) = self.far(to, far) {
                    buffer.filled.get_or_insert((event.core, call));
                }
                if let Some(buffer) = end.buffer.and_then(|(cb, _)| self.buffer(event.core, cb)) {
                    buffer.is_read = true;
                }
            }
            What::Unpack { access } => {
                if let Some(buffer) = self.buffer(event.core, access.cb) {
                    buffer.is_read = true;
                }
            }
            What::Buffer { action: BufferAction::Pop, cb, pages, .. } => {
                if let Some(buffer) = self.buffer(event.core, cb) {
                    buffer.popped.get_or_insert(call);
                    buffer.pages += u64::from(pages);
                }
            }
            _ => {}
        }
    }

    /// The kernels have ended: what nobody fetched by now nobody will.
    pub(crate) fn end(&mut self, core: usize, raised: &mut Raises) {
        let Some(buffers) = self.cores.get(core) else { return };
        if !buffers.iter().any(|buffer| buffer.filled.is_some() && buffer.is_read) {
            return;
        }
        for (cb, buffer) in buffers.iter().enumerate() {
            let (Some((there, filled)), Some(popped), false) = (buffer.filled, buffer.popped, buffer.is_read) else {
                continue;
            };
            let name = cb_name(cb as u32);
            let message = format!("the pages of {name} are popped, and nothing has read any of them");
            let finding = Raised::of(core, popped, Code::PAGES_UNREAD, message)
                .text(format!("pages popped in all: {}", buffer.pages))
                .label_on(there, filled, "the first of them was filled here")
                .fact("pages", buffer.pages)
                .help("use the tiles before they are popped, or do not read them");
            raised.push(finding);
        }
    }
}
