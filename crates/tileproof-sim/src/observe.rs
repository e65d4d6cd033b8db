//! From a core's state to events, and from what observers raise to findings.
//!
//! Everything here reads the state before a call takes effect; it must never change it, or checks would change what they
//! see. Start reading at [`Engine::observe`].

use tileproof_model::abi::Site;
use tileproof_model::event::{BufferPosition, DstTile, Event, NocEnd, NocPlace, TileAccess, What};
use tileproof_model::finding::Finding;
use tileproof_model::observe::{Observer, Raised};
use tileproof_model::op_word::{OpWord, broadcast, flag, unpack_kind};
use tileproof_model::record::{BufferAction, Status};
use tileproof_model::thread::Thread;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::sfpu::SfpuOp;

use crate::buffer::CircularBuffer;
use crate::core::Core;
use crate::doors::Step;
use crate::dram::POISON;
use crate::machine::Engine;
use crate::noc::{self, Target};
use crate::tensix::running::writes_beside;

/// Bytes that are looked at to tell undefined memory: a face row of 16-bit datums.
const POISON_RUN: u32 = 32;

impl<O: Observer> Engine<O> {
    /// Shows an event to the observer, and collects what it has to say.
    pub(crate) fn observe(&mut self, core: usize, thread: Thread, site: Site, what: What) {
        if !O::ACTIVE {
            return;
        }
        let cycle = self.cores[core].harts[thread as usize].as_ref().map_or(0, |h| h.clock);
        self.observer.on(&Event { core, thread, site, cycle, what }, &mut self.raised);
        if !self.raised.is_empty() {
            self.take_raised();
        }
    }

    /// Shows what a step did, once it is done.
    pub(crate) fn saw(
        &mut self,
        step: &Step,
        (core, thread): (usize, Thread),
        site: Site,
        what: impl FnOnce(&Self) -> What,
    ) {
        if O::ACTIVE && matches!(step, Step::Done) {
            let what = what(self);
            self.observe(core, thread, site, what);
        }
    }

    /// What a NoC address reaches.
    pub(crate) fn noc_place(&self, address: u64) -> NocPlace {
        match noc::decode(self.arch, address) {
            Some(Target::L1 { x, y, address }) => {
                let place = |core: usize| NocPlace::L1(core, self.cores[core].l1.offset(address));
                self.core_at(x, y).map_or(NocPlace::Dram, place)
            }
            _ => NocPlace::Dram,
        }
    }

    /// Whether a semaphore lies at a place.
    pub(crate) fn is_semaphore(&self, place: NocPlace) -> bool {
        match place {
            NocPlace::L1(core, offset) => self.cores[core].is_semaphore(offset),
            NocPlace::Dram => false,
        }
    }

    /// The circular buffer at a place in L1, and its room, as [`Core::buffer_and_room`].
    pub(crate) fn far_buffer(&self, place: NocPlace) -> Option<(u32, u32)> {
        let NocPlace::L1(core, offset) = place else { return None };
        self.cores[core].buffer_and_room(offset)
    }

    /// What the end in L1 of a transfer is like whose other end is a NoC address.
    pub(crate) fn noc_end(&self, core: usize, offset: u32, address: u64, is_read: bool) -> NocEnd {
        // The ends may lie anywhere, but alike: reads of DRAM modulo its own alignment, all else modulo that of L1
        // (tt-metal `noc_parameters.h`).
        let is_dram = matches!(noc::decode(self.arch, address), Some(Target::Dram { .. }));
        let arch = self.arch.constants();
        let alignment = if is_dram && is_read { arch.dram_alignment } else { arch.l1_alignment };
        // A buffer ends for its own thread where its pages end, be there more of a tensor behind them.
        let buffer = self.cores[core].longest_buffer(offset).map(|(cb, _, room)| (cb, room));
        let free = if buffer.is_none() { self.cores[core].past_buffers(offset, 1) } else { None };
        NocEnd { buffer, alignment, skew: (address as u32).wrapping_sub(offset) % alignment, free }
    }

    #[cold]
    pub(crate) fn take_raised(&mut self) {
        for raised in std::mem::take(&mut self.raised) {
            let (site, is_note) = (raised.site, raised.is_note);
            let far = raised.far_labels.iter().map(|(core, thread, site, text)| {
                // A site means something to the kernel that made the call, and so on its own core alone.
                self.cores[*core].label(*thread, *site, text.as_str())
            });
            let far = far.collect::<Vec<_>>();
            let mut finding = self.cores[raised.core].finding_of(raised);
            finding.labels.extend(far);
            if is_note {
                self.notes.push(finding);
            } else {
                self.sink.raise(site, finding);
            }
        }
    }

    /// The events of a launch's end: what the kernels left behind. The notes that observers made of the launch.
    pub(crate) fn observe_end(&mut self, status: Status) -> (Vec<Finding>, Vec<Finding>) {
        if O::ACTIVE && status == Status::Completed {
            // All of a core, then all of the next: where cores run apart it can be no other order.
            for core in 0..self.cores.len() {
                self.observer.end(core, &mut self.raised);
                self.take_raised();
                for cb in 0..self.cores[core].cbs.len() {
                    // What is left on the shards of a tensor is the tensor's.
                    let Some(buffer) = self.cores[core].cbs[cb].as_ref().filter(|b| !b.is_backed) else { continue };
                    let pushed = buffer.producer.pages;
                    // The credits of a buffer from which more was popped than pushed say nothing.
                    let pages = pushed.saturating_sub(buffer.consumer.pages) as u32;
                    if let (1.., Some((thread, site))) = (pages, buffer.producer.last) {
                        self.observe(core, thread, site, What::PagesLeft { cb: cb as u32, pages, pushed });
                    }
                }
            }
        }
        (std::mem::take(&mut self.sink).findings, std::mem::take(&mut self.notes))
    }
}

impl Core {
    /// The circular buffer that an offset in L1 lies in.
    pub(crate) fn buffer_at(&self, offset: u32) -> Option<u32> {
        let inside = |buffer: &CircularBuffer| (buffer.base..buffer.base + buffer.size).contains(&offset);
        self.cbs.iter().position(|buffer| buffer.as_ref().is_some_and(inside)).map(|cb| cb as u32)
    }

    /// The circular buffer that an offset in L1 lies in, and the bytes from there to its end: the longest where several share
    /// memory.
    fn longest_buffer(&self, offset: u32) -> Option<(u32, &CircularBuffer, u32)> {
        let inside = |(cb, buffer): (usize, &'_ Option<CircularBuffer>)| {
            let buffer = buffer.as_ref()?;
            let room = (buffer.base + buffer.size).checked_sub(offset)?;
            (1..=buffer.size).contains(&room).then_some((cb, room))
        };
        let (cb, room) = self.cbs.iter().enumerate().filter_map(inside).max_by_key(|(_, room)| *room)?;
        Some((cb as u32, self.cbs[cb].as_ref()?, room))
    }

    /// The same, and no end where a tensor goes on behind the buffer: others reach its shards by their addresses.
    fn buffer_and_room(&self, offset: u32) -> Option<(u32, u32)> {
        let (cb, buffer, room) = self.longest_buffer(offset)?;
        Some((cb, if buffer.is_backed { u32::MAX } else { room }))
    }

    /// Which of some bytes lie in L1 that nothing owns: the last circular buffer, and how far behind its end the first is.
    fn past_buffers(&self, offset: u32, bytes: u32) -> Option<(u32, u32)> {
        let free = self.free.as_ref()?;
        let first = offset.max(free.start);
        (first < offset.saturating_add(bytes).min(free.end)).then(|| (free.cb, first - free.start))
    }

    /// A store of a thread's own.
    pub(crate) fn sees_store(&self, offset: u32, bytes: u32) -> What {
        What::Store { offset, bytes, buffer: self.buffer_and_room(offset), free: self.past_buffers(offset, bytes) }
    }

    /// A load of a thread's own.
    pub(crate) fn sees_load(&self, offset: u32, bytes: u32) -> What {
        What::Load { offset, bytes, buffer: self.buffer_and_room(offset).map(|(cb, _)| cb) }
    }

    fn finding_of(&self, raised: Raised) -> Finding {
        let mut finding = self.finding(raised.code, raised.thread, raised.site, raised.message);
        finding.certainty = raised.certainty;
        finding.primary_text = raised.primary_text;
        finding.labels = raised.labels.into_iter().map(|(thread, site, text)| self.label(thread, site, text)).collect();
        finding.facts = raised.facts.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        finding.notes = raised.notes;
        finding.help = raised.help;
        finding
    }

    /// Where a thread stands in a buffer, on the producer's or the consumer's side; `None` when there is no such buffer.
    fn position(&self, thread: Thread, cb: u32, is_producer: bool) -> Option<BufferPosition> {
        let buffer = self.cbs.get(cb as usize)?.as_ref()?;
        let interface = self.harts[thread as usize].as_ref()?.cbs.get(cb as usize)?;
        let (pointer, side) = if is_producer {
            (interface.fifo_wr_ptr, &buffer.producer)
        } else {
            (interface.fifo_rd_ptr, &buffer.consumer)
        };
        let base = interface.fifo_limit.wrapping_sub(interface.fifo_size);
        Some(BufferPosition {
            capacity: buffer.num_pages,
            page: pointer.wrapping_sub(base) / buffer.page_size,
            due: (side.pages % u64::from(buffer.num_pages)) as u32,
            last: side.last,
            offset: self.l1.offset(pointer),
            page_bytes: buffer.page_size,
            is_backed: buffer.is_backed,
        })
    }

    pub(crate) fn sees_ask(&self, action: BufferAction, cb: u32, pages: u32) -> Option<What> {
        let capacity = self.cbs.get(cb as usize)?.as_ref()?.num_pages;
        Some(What::BufferAsk { action, cb, pages, capacity })
    }

    pub(crate) fn sees_buffer(&self, thread: Thread, action: BufferAction, cb: u32, pages: u32) -> Option<What> {
        let is_producer = matches!(action, BufferAction::Reserve | BufferAction::Push);
        Some(What::Buffer { action, cb, pages, at: self.position(thread, cb, is_producer)? })
    }

    /// The operands that the programmed unpack fetches, by register.
    pub(crate) fn sees_unpack(&self, cbs: [u32; 2], tiles: [u32; 2]) -> [Option<What>; 2] {
        let Some(word) = self.tensix.unpack.op.map(|op| op.value) else { return [None; 2] };
        let access = |cb, tile| Some(What::Unpack { access: self.unpack_access(word, cb, tile)? });
        match word.kind() {
            unpack_kind::AB | unpack_kind::AB_MATMUL | unpack_kind::AB_REDUCE => {
                [access(cbs[0], tiles[0]), access(cbs[1], tiles[1])]
            }
            // One operand is the first buffer's, also where a broadcast takes it to SrcB.
            _ => [access(cbs[0], tiles[0]), None],
        }
    }

    fn unpack_access(&self, word: OpWord, cb: u32, tile: u32) -> Option<TileAccess> {
        let at = self.position(Thread::Unpack, cb, false)?;
        let buffer = self.cbs[cb as usize].as_ref()?;
        let (page, bytes) = (u64::from(buffer.page_size), u64::from(buffer.format.tile_bytes()));
        let (first, span) = match word.kind() {
            // 32 rows of a block `wide` tiles wide, 32 columns of each.
            unpack_kind::TILIZE => {
                let row = bytes / 32;
                (u64::from(tile) * row, 31 * u64::from(word.wide()) * row + row)
            }
            unpack_kind::UNTILIZE => (0, u64::from(word.wide()) * page),
            _ => (u64::from(tile) * page, bytes),
        };
        let access = reach(at, first, span);
        // All ones are -1 to an integer; to a float they are a NaN that nobody writes.
        let is_integer = buffer.format.is_32_bit_integer()
            || matches!(buffer.format, DataFormat::UInt16 | DataFormat::UInt8 | DataFormat::Int8);
        let is_poison = !is_integer && self.is_poison(access.offset);
        let is_spread = word.kind() == unpack_kind::TILIZE && word.wide() > 1;
        let is_tile = !matches!(word.kind(), unpack_kind::TILIZE | unpack_kind::UNTILIZE);
        // SrcA alone is transposed.
        let is_transposed = word.kind() == unpack_kind::A && word.a() == broadcast::NONE && word.has(flag::TRANSPOSE);
        Some(TileAccess { cb, tile, is_poison, is_tile, is_transposed, is_spread, ..access })
    }

    /// True if L1 holds what undefined memory is filled with, from an offset on, for as long as no datum is.
    fn is_poison(&self, offset: u32) -> bool {
        self.l1.contains(offset, POISON_RUN)
            && self.l1.with(offset, POISON_RUN, |bytes| bytes.iter().all(|byte| *byte == POISON))
    }

    /// True if a page of an output lies at an offset in L1: shards may have room behind the last page.
    fn is_output(&self, offset: u32) -> bool {
        self.outputs.range(..=offset).next_back().is_some_and(|(_, end)| offset < *end)
    }

    /// A Dst tile as a thread's call names it.
    fn sees_dst(&self, half: usize, index: u32) -> DstTile {
        let tile = self.physical_tile(half, index);
        let rows = self.tensix.dst.valid_rows(tile);
        DstTile { index, tile: tile as u8, exists: index < self.config.dst_capacity(), rows }
    }

    pub(crate) fn sees_math(&self, needed: OpWord, dst: u32) -> Option<What> {
        let word = self.tensix.math.op.map_or(needed, |op| op.value);
        Some(What::Math { word, dst: self.sees_dst(self.tensix.math_pack.math_half, dst) })
    }

    pub(crate) fn sees_sfpu(&self, op: u32, inputs: [u32; 3], output: u32, parameter: u32) -> Option<What> {
        // The vector mode rides above the code: faces 0, 0 and 1, or 0 and 2, and all by default.
        let rows = match op >> 16 {
            1 | 7 => 0xffff,
            2 => 0xffff_ffff,
            3 => 0xffff_0000_ffff,
            _ => u64::MAX,
        };
        let op = SfpuOp::from_code(op as u16)?;
        let half = self.tensix.math_pack.math_half;
        let inputs = inputs.map(|index| self.sees_dst(half, index));
        Some(What::Sfpu { op, parameter, inputs, output: self.sees_dst(half, output), rows })
    }

    /// Some operations write the tile after their output too.
    pub(crate) fn sees_sfpu_beside(&self, op: u32, output: u32) -> Option<What> {
        writes_beside(SfpuOp::from_code(op as u16)?).then(|| self.sees_sfpu(op, [0; 3], output.wrapping_add(1), 0))?
    }

    pub(crate) fn sees_pack(&self, dst: u32, cb: u32, index: Option<u32>) -> Option<What> {
        let at = self.position(Thread::Pack, cb, true)?;
        let buffer = self.cbs[cb as usize].as_ref()?;
        let interface = self.harts[Thread::Pack as usize].as_ref()?.cbs[cb as usize];
        let tile = index.unwrap_or(interface.fifo_wr_tile_ptr / buffer.page_size);
        let first = u64::from(tile) * u64::from(buffer.page_size);
        let access = reach(at, first, u64::from(buffer.format.tile_bytes()));
        let is_poison = self.tensix.pack.l1_acc && self.is_poison(access.offset);
        Some(self.packed(dst, TileAccess { cb, tile, is_poison, is_tile: true, ..access }))
    }

    pub(crate) fn sees_pack_rows(&self, word: OpWord, dst: u32, cb: u32, index: u32) -> Option<What> {
        let at = self.position(Thread::Pack, cb, true)?;
        let buffer = self.cbs[cb as usize].as_ref()?;
        let first = u64::from(index) * u64::from(buffer.page_size);
        let access = reach(at, first, u64::from(word.wide()) * u64::from(buffer.format.tile_bytes() / 64));
        Some(self.packed(dst, TileAccess { cb, tile: index, ..access }))
    }

    /// `pack_untilize` of `block` tiles: the event of tile `number`.
    pub(crate) fn sees_pack_untilize(&self, word: OpWord, dst: u32, cb: u32, column: u32, number: u32) -> Option<What> {
        let (block, full) = (u64::from(word.wide() & 0xffff), u64::from(word.wide() >> 16));
        if u64::from(number) >= block {
            return None;
        }
        let at = self.position(Thread::Pack, cb, true)?;
        let buffer = self.cbs[cb as usize].as_ref()?;
        let row = u64::from(buffer.format.tile_bytes() / 32);
        let first = (u64::from(column) * block + u64::from(number)) * row;
        let access = reach(at, first, 31 * full * row + row);
        let tile = column * block as u32 + number;
        Some(self.packed(dst + number, TileAccess { cb, tile, is_spread: full > 1, ..access }))
    }

    fn packed(&self, dst: u32, access: TileAccess) -> What {
        let window = &self.tensix.math_pack;
        let access = TileAccess { is_output: access.at.is_backed && self.is_output(access.offset), ..access };
        What::Pack { dst: self.sees_dst(window.pack_half, dst), access, committed: window.value() > 0 }
    }

    pub(crate) fn sees_release(&self) -> Option<What> {
        let (first, count) = self.section(self.tensix.math_pack.pack_half);
        Some(What::Release { first: first as u8, count: count as u8 })
    }
}

/// An access to `span` bytes that begin `first` bytes behind a thread's pointer.
fn reach(at: BufferPosition, first: u64, span: u64) -> TileAccess {
    let word = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let pages = word((first + span).div_ceil(u64::from(at.page_bytes)));
    TileAccess {
        cb: 0,
        tile: 0,
        pages,
        at,
        offset: at.offset.saturating_add(word(first)),
        bytes: word(span),
        is_tile: false,
        is_transposed: false,
        is_spread: false,
        is_poison: false,
        is_output: false,
    }
}
