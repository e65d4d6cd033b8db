//! UNPACK: programs the unpackers and hands operands to the matrix unit.

use tileproof_model::abi::{Site, operand};
use tileproof_model::finding::Code;
use tileproof_model::op_word::{OpWord, broadcast, describe_unpack, flag, unpack_kind};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::{DataFormat, unpack_register_format};
use tileproof_numerics::tile::{ROW_DATUMS, TILE_DATUMS, Tile, face_index};
use tileproof_numerics::unpack;

use crate::core::Core;
use crate::cost;
use crate::doors::Step;
use crate::hart::Wait;
use crate::l1::L1Window;
use crate::report::Sink;
use crate::tensix::state::{How, OperandFormat, Programmed, Skipped};

/// Which of the two registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    SrcA,
    SrcB,
}

/// What an unpack program reads from L1.
struct OperandSource {
    offset: u32,
    bytes: u32,
    /// Distance of rows of a row-major block, or of tiles to be untilized.
    row_bytes: u32,
}

impl Core {
    pub(crate) fn unpack_configure(
        &mut self,
        sink: &mut Sink,
        site: Site,
        operands: u32,
        cbs: [u32; 2],
        how: How,
    ) -> Step {
        let named = |index: usize| operands & [operand::SRC_A, operand::SRC_B][index] != 0;
        if let How::Unchanged { old } = how {
            for index in (0..2).filter(|index| named(*index)) {
                self.tensix.unpack.skipped[index] = Some(Skipped { by: site, old, cb: cbs[index] });
            }
            return Step::Done;
        }
        let Some(formats) = self.operand_formats(sink, Thread::Unpack, site, operands, cbs) else { return Step::Stop };
        let state = &mut self.tensix.unpack;
        state.start.programs(site, how == How::Start);
        for index in (0..2).filter(|index| named(*index)) {
            state.skipped[index] = None;
        }
        state.format_a = formats[0].or(state.format_a);
        state.format_b = formats[1].or(state.format_b);
        self.hart(Thread::Unpack).clock += cost::CONFIGURE;
        Step::Done
    }

    /// What a configure call programs for each operand that it names; `None` after a finding.
    pub(crate) fn operand_formats(
        &self,
        sink: &mut Sink,
        thread: Thread,
        site: Site,
        operands: u32,
        cbs: [u32; 2],
    ) -> Option<[Option<Programmed<OperandFormat>>; 2]> {
        let mut formats = [None; 2];
        for (index, bit) in [operand::SRC_A, operand::SRC_B].into_iter().enumerate() {
            if operands & bit == 0 {
                continue;
            }
            let cb = self.configured_cb(sink, thread, site, cbs[index])?;
            formats[index] = Some(Programmed { value: OperandFormat { l1: cb, cb: cbs[index] }, by: site });
        }
        Some(formats)
    }

    /// The format of a configured buffer; `None` after a finding.
    #[inline]
    pub(crate) fn configured_cb(&self, sink: &mut Sink, thread: Thread, site: Site, cb: u32) -> Option<DataFormat> {
        if let Some(Some(buffer)) = self.cbs.get(cb as usize) {
            return Some(buffer.format);
        }
        self.no_such_buffer(sink, thread, site, cb);
        None
    }

    pub(crate) fn unpack_init(&mut self, site: Site, word: OpWord) -> Step {
        self.tensix.unpack.start.programs(site, false);
        self.tensix.unpack.op = Some(Programmed { value: word, by: site });
        self.hart(Thread::Unpack).clock += cost::INIT;
        Step::Done
    }

    pub(crate) fn unpack(
        &mut self,
        sink: &mut Sink,
        site: Site,
        needed: OpWord,
        cbs: [u32; 2],
        tiles: [u32; 2],
    ) -> Step {
        if !self.tensix.unpack.start.done {
            return self.not_started(sink, Thread::Unpack, site);
        }
        let Some(word) = self.programmed(sink, Thread::Unpack, site, needed) else { return Step::Stop };
        // The unpacker finds a free bank only once the matrix unit has begun with what was handed over before.
        if let Step::Wait(wait) = self.sources_taken() {
            return Step::Wait(wait);
        }
        let both = matches!(word.kind(), unpack_kind::AB | unpack_kind::AB_MATMUL | unpack_kind::AB_REDUCE);
        let single =
            if word.a() != broadcast::NONE || word.has(flag::REUSE_SRCA) { Register::SrcB } else { Register::SrcA };
        let mut bytes = 0;
        if both || single == Register::SrcA {
            match self.unpack_operand(sink, site, word, Register::SrcA, cbs[0], tiles[0], both) {
                Some(n) => bytes = n,
                None => return Step::Stop,
            }
        }
        if both || single == Register::SrcB {
            let (cb, tile) = if both { (cbs[1], tiles[1]) } else { (cbs[0], tiles[0]) };
            match self.unpack_operand(sink, site, word, Register::SrcB, cb, tile, both) {
                Some(n) => bytes = bytes.max(n),
                None => return Step::Stop,
            }
        }
        let hart = self.hart(Thread::Unpack);
        hart.clock += cost::unpack(bytes, both);
        let ready_at = hart.clock;
        if both || single == Register::SrcA {
            self.tensix.src_a.back_mut().ready_at = ready_at;
            self.tensix.src_a.give();
        }
        if both || single == Register::SrcB {
            self.tensix.src_b.back_mut().ready_at = ready_at;
            self.tensix.src_b.give();
        }
        Step::Done
    }

    /// Waits until the matrix unit has begun with what was handed over before.
    pub(crate) fn sources_taken(&mut self) -> Step {
        match (self.tensix.src_a.taken_at(), self.tensix.src_b.taken_at()) {
            (Some(a), Some(b)) => {
                let hart = self.hart(Thread::Unpack);
                hart.clock = hart.clock.max(a).max(b);
                Step::Done
            }
            (a, b) => Step::Wait(Wait::SrcTaken { a: a.is_none(), b: b.is_none() }),
        }
    }

    /// Fetches one tile into the next bank of a register; the bytes fetched, or `None` after a finding.
    #[allow(clippy::too_many_arguments, reason = "the operands of one hardware instruction")]
    fn unpack_operand(
        &mut self,
        sink: &mut Sink,
        site: Site,
        word: OpWord,
        register: Register,
        cb: u32,
        tile: u32,
        both: bool,
    ) -> Option<u32> {
        let actual = self.configured_cb(sink, Thread::Unpack, site, cb)?;
        // 32-bit words go to Dst without a source register, by unpacker 0, also those that are broadcast
        // (tt-metal `bcast.h`, LLK `llk_unpack_A.h`).
        let wide = |format: DataFormat| {
            format.is_32_bit_integer()
                || (format == DataFormat::Float32 && self.config.unpack_to_dest_fp32.contains(&(cb as u8)))
        };
        let spread = !both && word.a() != broadcast::NONE;
        let state = &self.tensix.unpack;
        let first = register == Register::SrcA || (spread && wide(actual));
        let programmed = if first { state.format_a } else { state.format_b };
        let Some(programmed) = programmed else {
            self.not_started(sink, Thread::Unpack, site);
            return None;
        };
        let name = if register == Register::SrcA { "SrcA" } else { "SrcB" };
        if programmed.value.l1 != actual {
            let skipped = self.tensix.unpack.skipped[usize::from(!first)];
            self.wrong_format(sink, (Thread::Unpack, site), (name, cb, actual), programmed, skipped);
        }
        let l1 = programmed.value.l1;
        let straight = (register == Register::SrcA || spread) && wide(l1);
        let format = match unpack_register_format(l1, self.config.fp32_dest_acc_en, straight) {
            Some(format) if unpack::converts(l1, format) && !(straight && both) => format,
            _ => {
                self.unimplemented(sink, Thread::Unpack, site, format!("unpacking {l1:?} to {name}"));
                return None;
            }
        };
        let source = self.operand_source(sink, site, word, l1, cb, tile)?;
        let Core { l1: memory, tensix, .. } = self;
        let queue = if register == Register::SrcA { &mut tensix.src_a } else { &mut tensix.src_b };
        let token = queue.back_mut();
        let scratch = &mut tensix.scratch.tiles[0];
        match word.kind() {
            unpack_kind::TILIZE => memory.with(source.offset, source.bytes, |rows| {
                unpack::unpack_tilize(l1, format, rows, source.row_bytes as usize, &mut token.tile);
            }),
            unpack_kind::UNTILIZE => {
                gather_rows(memory, l1, format, &source, (word.wide(), tile), scratch, &mut token.tile)
            }
            _ if word.has(flag::TRANSPOSE) && register == Register::SrcA => {
                memory.with(source.offset, source.bytes, |bytes| unpack::unpack_tile(l1, format, bytes, scratch));
                unpack::transpose(scratch, &mut token.tile);
            }
            _ => memory
                .with(source.offset, source.bytes, |bytes| unpack::unpack_tile(l1, format, bytes, &mut token.tile)),
        }
        token.format = format;
        token.word = word;
        token.to_dst = straight;
        token.site = site;
        token.cb = cb;
        Some(l1.tile_bytes())
    }

    /// Where in L1 the tile lies that an unpack program reads; `None` after a finding.
    fn operand_source(
        &mut self,
        sink: &mut Sink,
        site: Site,
        word: OpWord,
        l1: DataFormat,
        cb: u32,
        tile: u32,
    ) -> Option<OperandSource> {
        let interface = self.hart(Thread::Unpack).cbs[cb as usize];
        let base = interface.fifo_rd_ptr;
        let page = interface.fifo_page_size;
        let datum = l1.tile_bytes() / 1024;
        let (first, bytes, row_bytes) = match word.kind() {
            // 32 columns of a row-major block whose rows are `wide` tiles long.
            unpack_kind::TILIZE => {
                if l1.is_block_float() {
                    self.unimplemented(sink, Thread::Unpack, site, format!("tilizing {l1:?}"));
                    return None;
                }
                let row = word.wide() * 32 * datum;
                (tile * 32 * datum, 31 * row + 32 * datum, row)
            }
            // All tiles of the block.
            unpack_kind::UNTILIZE => (0, word.wide() * page, page),
            _ => (tile.wrapping_mul(page), l1.tile_bytes(), 0),
        };
        let offset = self.l1.offset(base.wrapping_add(first));
        if !self.l1.contains(offset, bytes) {
            self.out_of_l1(sink, Thread::Unpack, site, format!("tile {tile} of {}", cb_name(cb)), offset, bytes);
            return None;
        }
        Some(OperandSource { offset, bytes, row_bytes })
    }

    /// The program that `thread`'s unit will run for a call that needs `needed`: what was programmed, with a finding
    /// where that differs. `None` after a finding that ends the run.
    pub(crate) fn programmed(&mut self, sink: &mut Sink, thread: Thread, site: Site, needed: OpWord) -> Option<OpWord> {
        let (programmed, describe): (_, fn(OpWord) -> String) = match thread {
            Thread::Unpack => (self.tensix.unpack.op, describe_unpack),
            Thread::Math => (self.tensix.math.op, tileproof_model::op_word::describe_math),
            _ => (self.tensix.pack.op, tileproof_model::op_word::describe_pack),
        };
        let Some(programmed) = programmed else {
            let mut finding = self.finding(
                Code::WRONG_INIT,
                thread,
                site,
                format!("{} was never programmed: the call needs \"{}\"", thread.name(), describe(needed)),
            );
            finding.primary_text = "no init came before this call".into();
            finding.help = Some("call the init of this operation first".into());
            sink.raise(site, finding);
            return None;
        };
        if programmed.value != needed {
            let mut finding = self.finding(
                Code::WRONG_INIT,
                thread,
                site,
                format!(
                    "{} runs \"{}\" here, the call needs \"{}\"",
                    thread.name(),
                    describe(programmed.value),
                    describe(needed)
                ),
            );
            finding.primary_text = format!("needs \"{}\"", describe(needed));
            finding.labels.push(self.label(
                thread,
                programmed.by,
                format!("programmed \"{}\" here", describe(programmed.value)),
            ));
            finding.help = Some("call the init of this operation after any other init".into());
            sink.raise(site, finding);
        }
        Some(programmed.value)
    }

    /// A compute call on a unit that no start-up has programmed. The first call that relied on one is to blame.
    pub(crate) fn not_started(&self, sink: &mut Sink, thread: Thread, site: Site) -> Step {
        let early = match thread {
            Thread::Unpack => self.tensix.unpack.start.early,
            Thread::Math => self.tensix.math.start.early,
            _ => self.tensix.pack.start.early,
        };
        let first = early.unwrap_or(site);
        let mut finding = self.finding(
            Code::NOT_STARTED,
            thread,
            first,
            format!("compute call before compute_kernel_hw_startup: {} holds what the last kernel left", thread.name()),
        );
        finding.primary_text = "first call that needs the start-up".into();
        if first != site {
            finding.labels.push(self.label(thread, site, "the unit runs here for the first time"));
        }
        finding.notes.push("on the device this may hang or give wrong numbers, depending on what ran before".into());
        finding.help = Some("make compute_kernel_hw_startup(icb0, icb1, ocb) the first call of the kernel".into());
        sink.raise(site, finding);
        Step::Stop
    }

    /// A unit takes or makes the data of a buffer in another format than the buffer's. A reconfiguration that should have seen to
    /// it, and programmed nothing, is named.
    pub(crate) fn wrong_format(
        &self,
        sink: &mut Sink,
        (thread, site): (Thread, Site),
        (unit, cb, actual): (&str, u32, DataFormat),
        programmed: Programmed<OperandFormat>,
        skipped: Option<Skipped>,
    ) {
        let mut finding = self.finding(
            Code::WRONG_FORMAT,
            thread,
            site,
            format!("{} holds {actual:?}, but {unit} is programmed for {:?}", cb_name(cb), programmed.value.l1),
        );
        finding.labels.push(self.label(
            thread,
            programmed.by,
            format!("{unit} was programmed for {} ({:?}) here", cb_name(programmed.value.cb), programmed.value.l1),
        ));
        finding.facts.insert("cb".into(), cb_name(cb));
        let call = if thread == Thread::Pack { "pack_reconfig_data_format" } else { "reconfig_data_format" };
        finding.help = Some(format!("call {call} for {} before this call", cb_name(cb)));
        if let Some(Skipped { by, old, cb: new }) = skipped.filter(|skipped| skipped.cb == cb) {
            let old_is_there = self.cbs.get(old as usize).is_some_and(Option::is_some);
            let (old, new, holds) = (cb_name(old), cb_name(new), cb_name(programmed.value.cb));
            let why = if old_is_there { format!("has the format of {new}") } else { "is not configured".into() };
            let text = format!("programs nothing: {old}, the buffer that it calls the old one, {why}");
            finding.labels.push(self.label(thread, by, text));
            finding.notes.push(format!(
                "a reconfiguration with an old buffer compares {old} with {new}, not with what {unit} is programmed for, {holds}"
            ));
            finding.help = Some(format!("give {call} {holds} as the old buffer, or {new} alone"));
        }
        sink.raise(site, finding);
    }

    pub(crate) fn unimplemented(&self, sink: &mut Sink, thread: Thread, site: Site, what: String) -> Step {
        let mut finding = self.finding(
            Code::UNIMPLEMENTED,
            thread,
            site,
            format!("the model does not know what the hardware does: {what}"),
        );
        finding.notes.push("the run stops here rather than guess".into());
        sink.raise(site, finding);
        Step::Stop
    }

    pub(crate) fn out_of_l1(
        &self,
        sink: &mut Sink,
        thread: Thread,
        site: Site,
        what: String,
        offset: u32,
        bytes: u32,
    ) -> Step {
        if let Some(cb) = self.unconfigured_at(offset.into()) {
            self.no_such_buffer(sink, thread, site, cb);
            return Step::Stop;
        }
        let mut finding =
            self.finding(Code::L1_BOUNDS, thread, site, format!("{what}: {bytes} bytes at {offset:#x} are not in L1"));
        finding.facts.insert("address".into(), format!("{offset:#x}"));
        sink.raise(site, finding);
        Step::Stop
    }
}

/// Untilize: tile `index` of the output is the next 1024 datums of the block read row by row across its `wide` tiles.
fn gather_rows(
    memory: &L1Window,
    l1: DataFormat,
    format: DataFormat,
    source: &OperandSource,
    (wide, index): (u32, u32),
    scratch: &mut Tile,
    out: &mut Tile,
) {
    let width = 32 * wide as usize;
    let mut decoded = None;
    for (chunk, to) in out.0.chunks_exact_mut(ROW_DATUMS).enumerate() {
        let at = index as usize * TILE_DATUMS + chunk * ROW_DATUMS;
        let (row, column) = (at / width, at % width);
        let tile = column / 32;
        if decoded != Some(tile) {
            let offset = source.offset + tile as u32 * source.row_bytes;
            memory.with(offset, l1.tile_bytes(), |bytes| unpack::unpack_tile(l1, format, bytes, scratch));
            decoded = Some(tile);
        }
        let from = face_index(row % 32, column % 32);
        to.copy_from_slice(&scratch.0[from..from + ROW_DATUMS]);
    }
}
