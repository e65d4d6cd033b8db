//! Accesses that have left a circular buffer: to L1 behind the last one, which belongs to no buffer and no tensor, and stores
//! that run on into the next.
//!
//! A transfer that begins behind the last buffer, or a store of a thread's own that reaches there, has left the buffer that its
//! thread uses; so has a line of stores that goes from one buffer on into another of which its thread knows nothing. A write to
//! another core that has nothing where it goes takes an address of this core for one of that. Threads that
//! have nothing to do with the last buffer must never be reported: what they reach may be their own; nor transfers that begin
//! in a buffer, of which another check speaks. Start reading at [`Free::on`].

use tileproof_model::abi::Site;
use tileproof_model::event::{Event, NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::layout::{CoreLayout, MemoryLayout, Owner};
use tileproof_model::observe::{Raised, Raises};
use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::wording::cb_name;

/// Between buffers that lie one behind the other there is less than this: they begin at multiples of 16 bytes, of 32 or of 64, by
/// what allocates them (tt-metal `l1_alignment`, `dram_alignment`).
const ALIGNMENT: u32 = 64;

/// As much as a flag has: such words may lie wherever two cores have agreed on.
const WORDS: u32 = 16;

/// The check.
#[derive(Default, Debug)]
pub struct Free {
    /// Buffers that the two data-movement threads of a core have called for: a bit each.
    called: Vec<[u64; 2]>,
    /// Those that they have called for or stored to.
    uses: Vec<[u64; 2]>,
    /// Of the same threads, the last store to a buffer: its site, its end and the buffer.
    stores: Vec<[Option<(Site, u32, u32)>; 2]>,
    /// Of the same threads, the last read into a buffer: its site, where it went and the buffer.
    reads: Vec<[Option<(Site, u32, u32)>; 2]>,
    cores: Vec<CoreLayout>,
}

/// The place of a data-movement thread.
fn mover(thread: Thread) -> Option<usize> {
    [Thread::Brisc, Thread::Ncrisc].iter().position(|mover| *mover == thread)
}

impl Free {
    pub(crate) fn launch(&mut self, layout: &MemoryLayout) {
        let cores = layout.cores.len();
        self.cores = layout.cores.clone();
        self.reads = vec![[None; 2]; cores];
        self.called = vec![[0; 2]; cores];
        self.uses = vec![[0; 2]; cores];
        self.stores = vec![[None; 2]; cores];
    }

    pub(crate) fn on(&mut self, event: &Event, raised: &mut Raises) {
        let Some(mover) = mover(event.thread) else { return };
        let uses = &mut self.uses[event.core][mover];
        let bit = |cb: u32| 1u64.checked_shl(cb).unwrap_or(0);
        let (what, bytes, free) = match event.what {
            What::Buffer { cb, .. } => {
                *uses |= bit(cb);
                self.called[event.core][mover] |= bit(cb);
                return;
            }
            What::Store { offset, bytes, buffer, free, .. } => {
                if let Some((cb, room)) = buffer {
                    let last = self.stores[event.core][mover].replace((event.site, offset.saturating_add(bytes), cb));
                    let goes_on = last.filter(|(site, end, from)| (*site, *end) == (event.site, offset) && *from != cb);
                    let is_new = *uses & bit(cb) == 0;
                    *uses |= bit(cb);
                    match goes_on {
                        // Two buffers that are scratch memory may be filled one after the other.
                        Some((.., from)) if is_new && self.called[event.core][mover] & bit(from) != 0 => {
                            self.overrun(event, (from, 0), raised)
                        }
                        // Where it runs past the last buffer as well, that one has not been left but run over.
                        _ if bytes > room && free.is_none_or(|(last, _)| last != cb) => {
                            self.overrun(event, (cb, room), raised)
                        }
                        _ => {}
                    }
                }
                ("a store", bytes, free)
            }
            What::NocRead { to, bytes, end, .. } => {
                if let Some((cb, _)) = end.buffer {
                    let last = self.reads[event.core][mover].replace((event.site, to, cb));
                    let goes_on =
                        last.filter(|(site, before, from)| *site == event.site && *before < to && *from != cb);
                    let is_its_own = *uses & bit(cb) != 0;
                    if let Some((_, before, from)) = goes_on.filter(|_| !is_its_own)
                        && self.called[event.core][mover] & bit(from) != 0
                        && self.is_behind(event.core, from, (cb, to))
                    {
                        self.strides(event, (from, cb), to - before, raised);
                    }
                }
                ("NoC read", bytes, end.free)
            }
            What::NocWrite { to, bytes, end, .. } => {
                self.far(event, to, bytes, raised);
                ("NoC write", bytes, end.free)
            }
            _ => return,
        };
        if let Some((cb, past)) = free.filter(|(cb, _)| self.uses[event.core][mover] & bit(*cb) != 0) {
            self.report(event, what, bytes, (cb, past), raised);
        }
    }

    /// A write to another core begins where nothing is, although something is there on this core, or right behind what that core
    /// has.
    fn far(&self, event: &Event, to: NocPlace, bytes: u32, raised: &mut Raises) {
        let NocPlace::L1(core, offset) = to else { return };
        let (Some(here), Some(there)) = (self.cores.get(event.core), self.cores.get(core)) else { return };
        if core == event.core || bytes <= WORDS || !matches!(there.owner(offset), Owner::Nobody(_)) {
            return;
        }
        let behind = there.buffers.iter().find(|buffer| {
            (buffer.bytes.end..buffer.bytes.end.saturating_add(buffer.page_bytes.max(ALIGNMENT))).contains(&offset)
        });
        match (here.owner(offset), behind) {
            (Owner::Buffer { cb, page }, _) if there.buffers.iter().all(|buffer| buffer.cb != cb) => {
                let what = format!("on core {}, which sends it, that is page {page} of {}", here.coord, cb_name(cb));
                let help = format!(
                    "let the core ranges of {} hold core {} too, or send to an address that it has told",
                    cb_name(cb),
                    there.coord
                );
                nowhere(event, (there.coord, offset, bytes), (cb, what, help), raised);
            }
            (Owner::Nobody(_) | Owner::Buffer { .. }, Some(buffer)) => {
                let past = match offset - buffer.bytes.end {
                    0 => "right at".to_string(),
                    past => format!("{past} bytes past"),
                };
                let name = cb_name(buffer.cb);
                let what = format!("{past} the end of its {name}");
                let help = format!("send no more than {name} of core {} has room for", there.coord);
                nowhere(event, (there.coord, offset, bytes), (buffer.cb, what, help), raised);
            }
            _ => {}
        }
    }

    /// Whether an offset lies in a buffer right behind another, and not where one begins that asks for the buffer itself.
    fn is_behind(&self, core: usize, before: u32, (cb, offset): (u32, u32)) -> bool {
        let bytes =
            |cb: u32| self.cores[core].buffers.iter().find(|buffer| buffer.cb == cb).map(|buffer| &buffer.bytes);
        let (Some(before), Some(this)) = (bytes(before), bytes(cb)) else { return false };
        (before.end..before.end.saturating_add(ALIGNMENT)).contains(&this.start) && offset != this.start
    }

    /// Reads of one call go on from a buffer into the next.
    #[cold]
    fn strides(&mut self, event: &Event, (from, into): (u32, u32), apart: u32, raised: &mut Raises) {
        if !raised.first(Code::BUFFER_OVERRUN, event) {
            return;
        }
        let message = format!(
            "NoC reads, {apart} bytes apart, run past the end of {}, into {}, which is not this thread's",
            cb_name(from),
            cb_name(into)
        );
        raised.push(
            Raised::at(event, Code::BUFFER_OVERRUN, message)
                .text("overwrites what is another buffer's")
                .fact("cb", cb_name(from))
                .fact("into", cb_name(into))
                .fact("apart", apart)
                .help(format!(
                    "give {} the bytes that the reads take with their distance, or read closer",
                    cb_name(from)
                )),
        );
    }

    #[cold]
    fn report(&mut self, event: &Event, what: &str, bytes: u32, (cb, past): (u32, u32), raised: &mut Raises) {
        if !raised.first(Code::FREE_L1, event) {
            return;
        }
        let place = if past == 0 { "right at".to_string() } else { format!("{past} bytes past") };
        let message =
            format!("{what} of {bytes} bytes reaches L1 that nothing owns, {place} the end of {}", cb_name(cb));
        let text = match event.what {
            What::NocWrite { .. } => "sends what is not the program's",
            _ => "overwrites what is not the program's",
        };
        raised.push(
            Raised::at(event, Code::FREE_L1, message)
                .text(text)
                .fact("cb", cb_name(cb))
                .fact("past", past)
                .fact("bytes", bytes)
                .help(format!(
                    "keep within {}, or give it the bytes that the kernel uses: page size, pages and the loop must agree",
                    cb_name(cb)
                )),
        );
    }

    #[cold]
    fn overrun(&mut self, event: &Event, (cb, room): (u32, u32), raised: &mut Raises) {
        if !raised.first(Code::BUFFER_OVERRUN, event) {
            return;
        }
        let message = format!("stores run past the end of {}, into the next circular buffer", cb_name(cb));
        raised.push(
            Raised::at(event, Code::BUFFER_OVERRUN, message)
                .text("overwrites what is another buffer's")
                .fact("cb", cb_name(cb))
                .fact("room", room)
                .help(format!(
                    "store no more than {} has room for: page size, pages and the loop must agree",
                    cb_name(cb)
                )),
        );
    }
}

/// A write goes to L1 of a core that nothing owns there.
#[cold]
fn nowhere(
    event: &Event,
    (core, offset, bytes): (CoreCoord, u32, u32),
    (cb, what, help): (u32, String, String),
    raised: &mut Raises,
) {
    if !raised.first(Code::FREE_L1, event) {
        return;
    }
    let message = format!("NoC write of {bytes} bytes goes to L1 of core {core} that nothing owns: {what}");
    raised.push(
        Raised::at(event, Code::FREE_L1, message)
            .text("overwrites what is not the program's")
            .fact("cb", cb_name(cb))
            .fact("to_core", core)
            .fact("offset", offset)
            .fact("bytes", bytes)
            .help(help),
    );
}
