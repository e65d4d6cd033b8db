//! From what a step did to the events that observers see, and from what they raise to findings.
//!
//! Units say what they did ([`Did`]): which tiles, which bytes. Where a thread stands in a buffer is added here, and nothing here
//! changes what it sees. Transfers show themselves (`noc/shown.rs`), because one that is held back is kept. Start at
//! [`Engine::observe`].

use tileproof_model::event::{BufferPosition, Event, TileAccess, What};
use tileproof_model::finding::Finding;
use tileproof_model::layout::MemoryLayout;
use tileproof_model::observe::{Observer, Raised};
use tileproof_model::op_word::{broadcast, flag, unpack_kind};
use tileproof_model::record::{BufferAction, Status};
use tileproof_model::thread::Thread;
use tileproof_numerics::format::DataFormat;

use crate::black_box;
use crate::buffer::Standing;
use crate::core::Core;
use crate::credits::Credit;
use crate::engine::Engine;
use crate::report::Sink;
use crate::step::Caller;
use crate::tensix::did::{Fetched, MatrixCall, Packed, PackedBlock};

/// What a step did, as observers are shown it.
pub(crate) trait Did {
    /// Shows it, after the step. Must only be called for observers that are active.
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller);
}

impl Did for () {
    fn show<O: Observer>(self, _engine: &mut Engine<O>, _by: Caller) {}
}

impl Did for What {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        engine.observe(by, self);
    }
}

/// A load of a thread's own.
pub(crate) struct Loaded {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
}

impl Did for Loaded {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        let Loaded { offset, bytes } = self;
        let core = &mut engine.cores[by.core];
        core.reads_undefined = core.reads_undefined || core.l1.has_poison(offset, bytes, bytes.min(4));
        let buffer = core.buffer_and_room(offset).map(|(cb, _)| cb);
        engine.observe(by, What::Load { offset, bytes, buffer });
    }
}

/// A store of a thread's own.
pub(crate) struct Stored {
    pub(crate) offset: u32,
    pub(crate) bytes: u32,
    /// The word that is stored, where it is one and known.
    pub(crate) value: Option<u32>,
}

impl Did for Stored {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        let Stored { offset, bytes, value } = self;
        let core = &engine.cores[by.core];
        let (buffer, free) = (core.buffer_and_room(offset), core.past_buffers(offset, bytes));
        engine.observe(by, What::Store { offset, bytes, buffer, free, value });
    }
}

impl Did for Credit {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        let Credit { action, cb, pages } = self;
        let from = engine.cores[by.core].hart(by.thread).stood;
        if let Some(at) = engine.cores[by.core].position(cb, by.thread, from) {
            engine.observe(by, What::Buffer { action, cb, pages, at });
        }
    }
}

impl Did for [Option<Fetched>; 2] {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        for fetched in self.into_iter().flatten() {
            engine.cores[by.core].look_for_undefined(&fetched);
            if let Some(access) = engine.cores[by.core].fetch_access(&fetched) {
                engine.observe(by, What::Unpack { access });
                engine.observe_fetched(by, What::Unpack { access }, &fetched);
            }
        }
    }
}

impl Did for MatrixCall {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        engine.observe(by, self.event());
    }
}

impl Did for Packed {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        if let Some(what) = engine.cores[by.core].pack_event(&self) {
            engine.observe(by, what);
            engine.observe_packed(by, what, &self);
        }
    }
}

impl Did for PackedBlock {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        for packed in self.tiles() {
            packed.show(engine, by);
        }
    }
}

impl<O: Observer> Engine<O> {
    /// Tells the observer of a launch, of which nothing was said yet.
    pub(crate) fn show_launch(&mut self, layout: &MemoryLayout) {
        for (index, core) in self.cores.iter_mut().enumerate() {
            core.index = index;
        }
        self.sink = Sink::default();
        self.observer.launch(layout);
    }

    /// Shows an event to the observer, and collects what it has to say.
    pub(crate) fn observe(&mut self, by: Caller, what: What) {
        if !O::ACTIVE {
            return;
        }
        let Caller { core, thread, site } = by;
        let cycle = self.cores[core].harts[thread as usize].as_ref().map_or(0, |h| h.clock);
        self.observer.on(&Event { core, thread, site, cycle, what }, &mut self.sink.raises);
        if !self.sink.raises.waiting().is_empty() {
            self.take_raised();
        }
    }

    #[cold]
    pub(crate) fn take_raised(&mut self) {
        for raised in self.sink.raises.take() {
            let is_note = raised.is_note;
            // A site means something to the kernel that made the call, and so on its own core alone.
            let labels = raised.labels.iter();
            let labels =
                labels.map(|(core, thread, site, text)| self.cores[*core].label(*thread, *site, text.as_str()));
            let labels = labels.collect::<Vec<_>>();
            let mut finding = self.cores[raised.core].finding_of(raised);
            finding.labels = labels;
            if is_note {
                self.sink.notes.push(finding);
            } else {
                black_box::keep(&finding);
                self.sink.findings.push(finding);
            }
        }
    }

    /// The events of a launch's end: what the kernels left behind. The notes that observers made of the launch.
    pub(crate) fn observe_end(&mut self, status: Status) -> (Vec<Finding>, Vec<Finding>) {
        if O::ACTIVE && status == Status::Completed {
            let Engine { observer, cores, .. } = self;
            observer.places(&|core, thread, site| cores[core].place(thread, site).location);
            // All of a core, then all of the next: where cores run apart it can be no other order.
            for core in 0..self.cores.len() {
                self.observer.end(core, &mut self.sink.raises);
                self.take_raised();
                for cb in 0..self.cores[core].cbs.len() {
                    // What is left on the shards of a tensor is the tensor's.
                    let Some(buffer) = self.cores[core].cbs[cb].as_ref().filter(|b| !b.is_backed) else { continue };
                    let pushed = buffer.producer.pages;
                    // The credits of a buffer from which more was popped than pushed say nothing.
                    let pages = pushed.saturating_sub(buffer.consumer.pages) as u32;
                    if let (1.., Some((thread, site))) = (pages, buffer.producer.last()) {
                        let left = What::PagesLeft { cb: cb as u32, pages, pushed };
                        self.observe(Caller { core, thread, site }, left);
                    }
                }
            }
        }
        (std::mem::take(&mut self.sink.findings), std::mem::take(&mut self.sink.notes))
    }
}

impl Core {
    fn finding_of(&self, raised: Raised) -> Finding {
        let mut finding = self.finding(raised.code, raised.thread, raised.site, raised.message);
        finding.certainty = raised.certainty;
        finding.primary_text = raised.primary_text;
        finding.facts = raised.facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        finding.notes = raised.notes;
        finding.help = raised.help;
        finding
    }

    /// Where a thread stood in a buffer; `None` when there is no such buffer.
    fn position(&self, cb: u32, thread: Thread, from: Standing) -> Option<BufferPosition> {
        let buffer = self.cbs.get(cb as usize)?.as_ref()?;
        let interface = self.harts[thread as usize].as_ref()?.cbs.get(cb as usize)?;
        let base = interface.fifo_limit.wrapping_sub(interface.fifo_size);
        Some(BufferPosition {
            capacity: buffer.num_pages,
            page: from.pointer.wrapping_sub(base) / buffer.page_size,
            due: (from.side.pages % u64::from(buffer.num_pages)) as u32,
            last: from.side.last(),
            offset: self.l1.offset(from.pointer),
            page_bytes: buffer.page_size,
            is_backed: buffer.is_backed,
        })
    }

    /// A thread is about to wait for pages.
    pub(crate) fn sees_ask(&self, action: BufferAction, cb: u32, pages: u32) -> Option<What> {
        let capacity = self.cbs.get(cb as usize)?.as_ref()?.num_pages;
        Some(What::BufferAsk { action, cb, pages, capacity })
    }

    /// Notes whether an operand has a datum that is as undefined memory is filled.
    fn look_for_undefined(&mut self, fetched: &Fetched) {
        if self.reads_undefined {
            return;
        }
        let Fetched { offset, bytes, l1: format, row_bytes, .. } = *fetched;
        let datum = format.datum_bytes().unwrap_or(1);
        let (rows, step, bytes) = if fetched.is_tilized() { (32, row_bytes, 32 * datum) } else { (1, 0, bytes) };
        self.reads_undefined = (0..rows).any(|row| self.l1.has_poison(offset + row * step, bytes, datum));
    }

    fn fetch_access(&self, fetched: &Fetched) -> Option<TileAccess> {
        let Fetched { word, cb, tile, offset, bytes, .. } = *fetched;
        let at = self.position(cb, Thread::Unpack, self.standing(Thread::Unpack, cb, false))?;
        let format = self.cbs[cb as usize].as_ref()?.format;
        // All ones are -1 to an integer; to a float they are a NaN that nobody writes.
        let is_integer =
            format.is_32_bit_integer() || matches!(format, DataFormat::UInt16 | DataFormat::UInt8 | DataFormat::Int8);
        let is_tilize = fetched.is_tilized();
        let is_tile = !is_tilize && !fetched.is_one_face() && word.kind() != unpack_kind::UNTILIZE;
        // A unit that is programmed for another format reads as much of that; this is told (TP0702), and of whole tiles what follows
        // from it is not.
        let bytes = if is_tile { format.tile_bytes() } else { bytes };
        Some(TileAccess {
            cb,
            tile,
            is_poison: !is_integer && self.l1.is_poison(offset),
            is_tile,
            // SrcA alone is transposed.
            is_transposed: word.kind() == unpack_kind::A && word.a() == broadcast::NONE && word.has(flag::TRANSPOSE),
            is_spread: is_tilize && word.wide() > 1,
            ..reach(at, offset, bytes)
        })
    }

    fn pack_event(&self, packed: &Packed) -> Option<What> {
        let Packed { dst, cb, tile, offset, bytes, is_tile, is_spread, onto_poison, .. } = *packed;
        let at = self.position(cb, Thread::Pack, self.standing(Thread::Pack, cb, true))?;
        let is_output = at.is_backed && self.is_output(offset);
        // As for operands.
        let bytes = if is_tile { self.cbs[cb as usize].as_ref()?.format.tile_bytes() } else { bytes };
        let access =
            TileAccess { cb, tile, is_tile, is_spread, is_poison: onto_poison, is_output, ..reach(at, offset, bytes) };
        Some(What::Pack { dst, access, committed: self.tensix.math_pack.value() > 0 })
    }
}

/// An access to `bytes` bytes at an offset, by way of a thread's pointer.
fn reach(at: BufferPosition, offset: u32, bytes: u32) -> TileAccess {
    // An index below zero reaches what lies before the pointer; as a number of pages it is one that no buffer has.
    let pages = offset.checked_sub(at.offset).map(|first| u64::from(first) + u64::from(bytes));
    let pages = pages.and_then(|end| u32::try_from(end.div_ceil(at.page_bytes.into())).ok());
    TileAccess {
        cb: 0,
        tile: 0,
        pages: pages.unwrap_or(u32::MAX),
        at,
        offset,
        bytes,
        is_tile: false,
        is_transposed: false,
        is_spread: false,
        is_poison: false,
        is_output: false,
    }
}
