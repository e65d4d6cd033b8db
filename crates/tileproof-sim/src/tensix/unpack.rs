//! UNPACK: programs the unpackers and hands operands to the matrix unit.

use tileproof_model::abi::{Site, operand};
use tileproof_model::cycles::Cycles;
use tileproof_model::op_word::{OpWord, broadcast, flag, unpack_kind};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::{DataFormat, unpack_register_format};
use tileproof_numerics::tile::{FACE_DATUMS, ROW_DATUMS, TILE_DATUMS, Tile, face_index};
use tileproof_numerics::unpack;

use crate::core::Core;
use crate::cost::Costs;
use crate::hart::Wait;
use crate::l1::L1Window;
use crate::report::Sink;
use crate::step::{Halt, Step};
use crate::tensix::did::Fetched;
use crate::tensix::state::{How, Programmed, Skipped};

/// Which of the two registers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Register {
    SrcA,
    SrcB,
}

/// A call of UNPACK, and what it runs.
#[derive(Clone, Copy)]
struct Fetch {
    site: Site,
    word: OpWord,
    /// Both registers are handed an operand.
    both: bool,
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
            return Ok(());
        }
        let formats = self.operand_formats(sink, Thread::Unpack, site, operands, cbs)?;
        let state = &mut self.tensix.unpack;
        state.start.programs(site, how == How::Start);
        for index in (0..2).filter(|index| named(*index)) {
            state.skipped[index] = None;
        }
        state.format_a = formats[0].or(state.format_a);
        state.format_b = formats[1].or(state.format_b);
        self.hart(Thread::Unpack).spend(|cycles| cycles.configure);
        Ok(())
    }

    pub(crate) fn unpack_init(&mut self, site: Site, word: OpWord) -> Step {
        self.tensix.unpack.start.programs(site, false);
        self.tensix.unpack.op = Some(Programmed { value: word, by: site });
        self.hart(Thread::Unpack).spend(|cycles| cycles.init);
        Ok(())
    }

    /// Fetches the operands of one call, and hands them over.
    pub(crate) fn unpack(
        &mut self,
        sink: &mut Sink,
        site: Site,
        needed: OpWord,
        cbs: [u32; 2],
        tiles: [u32; 2],
    ) -> Step<[Option<Fetched>; 2]> {
        if !self.tensix.unpack.start.done {
            return Err(self.not_started(sink, Thread::Unpack, site));
        }
        let word = self.programmed(sink, Thread::Unpack, site, needed)?;
        // The unpacker finds a free bank only once the matrix unit has begun with what was handed over before.
        self.sources_taken()?;
        let both = matches!(
            word.kind(),
            unpack_kind::AB | unpack_kind::AB_MATMUL | unpack_kind::AB_REDUCE | unpack_kind::TILIZE_AB
        );
        let fetch = Fetch { site, word, both };
        if both {
            let (a, bytes_a) = self.unpack_operand(sink, fetch, Register::SrcA, cbs[0], tiles[0])?;
            let (b, bytes_b) = self.unpack_operand(sink, fetch, Register::SrcB, cbs[1], tiles[1])?;
            let ready_at = self.fetched_at(|cycles| {
                let rows = if word.tilizes() { cycles.tilize(bytes_a) } else { 0 };
                cycles.unpack(bytes_a.max(bytes_b), both).max(rows)
            });
            self.tensix.src_a.give(ready_at);
            self.tensix.src_b.give(ready_at);
            return Ok([Some(a), Some(b)]);
        }
        // One operand is the first buffer's, also where a broadcast takes it to SrcB.
        let to_b = word.a() != broadcast::NONE || word.has(flag::REUSE_SRCA);
        let register = if to_b { Register::SrcB } else { Register::SrcA };
        let (fetched, bytes) = self.unpack_operand(sink, fetch, register, cbs[0], tiles[0])?;
        let is_tilize = word.kind() == unpack_kind::TILIZE;
        let ready_at =
            self.fetched_at(|cycles| if is_tilize { cycles.tilize(bytes) } else { cycles.unpack(bytes, both) });
        if to_b {
            self.tensix.src_b.give(ready_at)
        } else {
            self.tensix.src_a.give(ready_at)
        }
        Ok([Some(fetched), None])
    }

    /// When the unpackers are done with what costs so much.
    #[inline]
    fn fetched_at(&mut self, cost: impl FnOnce(&Cycles) -> u64) -> u64 {
        let hart = self.hart(Thread::Unpack);
        hart.spend(cost);
        hart.clock
    }

    /// Waits until the matrix unit has begun with what was handed over before.
    pub(crate) fn sources_taken(&mut self) -> Step {
        match (self.tensix.src_a.taken_at(), self.tensix.src_b.taken_at()) {
            (Some(a), Some(b)) => {
                let hart = self.hart(Thread::Unpack);
                hart.wait_until(a.max(b));
                Ok(())
            }
            (a, b) => Err(Halt::Wait(Wait::SrcTaken { a: a.is_none(), b: b.is_none() })),
        }
    }

    /// Fetches one tile into the next bank of a register; what it read, and the bytes that the engine is busy with.
    fn unpack_operand(
        &mut self,
        sink: &mut Sink,
        fetch: Fetch,
        register: Register,
        cb: u32,
        tile: u32,
    ) -> Step<(Fetched, u32)> {
        let Fetch { site, word, both } = fetch;
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
        let Some(programmed) = programmed else { return Err(self.not_started(sink, Thread::Unpack, site)) };
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
                return Err(self.unimplemented(sink, Thread::Unpack, site, format!("unpacking {l1:?} to {name}")));
            }
        };
        let to_b = register == Register::SrcB;
        // What a program that tilizes hands to SrcB is no part of the block.
        let (tilized, one_face) = (word.tilizes() && !to_b, word.tilizes() && to_b);
        let source = self.operand_source(sink, fetch, tilized, l1, (cb, tile))?;
        let Core { l1: memory, tensix, .. } = self;
        let queue = if register == Register::SrcA { &mut tensix.src_a } else { &mut tensix.src_b };
        let token = queue.back_mut();
        let scratch = &mut tensix.scratch.tiles[0];
        match word.kind() {
            _ if tilized => memory.with(source.offset, source.bytes, |rows| {
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
        let OperandSource { offset, mut bytes, row_bytes } = source;
        if one_face {
            for face in 1..4 {
                token.tile.0.copy_within(..FACE_DATUMS, face * FACE_DATUMS);
            }
            bytes /= 4;
        }
        token.format = format;
        token.word = word;
        token.to_dst = straight;
        token.site = site;
        token.cb = cb;
        Ok((Fetched { word, cb, tile, offset, bytes, l1, register: format, to_b, row_bytes }, l1.tile_bytes()))
    }

    /// Where in L1 the tile lies that an unpack program reads.
    fn operand_source(
        &mut self,
        sink: &mut Sink,
        Fetch { site, word, .. }: Fetch,
        tilized: bool,
        l1: DataFormat,
        (cb, tile): (u32, u32),
    ) -> Step<OperandSource> {
        let interface = self.hart(Thread::Unpack).cbs[cb as usize];
        let base = interface.fifo_rd_ptr;
        let page = interface.fifo_page_size;
        let datum = l1.tile_bytes() / 1024;
        let (first, bytes, row_bytes) = match word.kind() {
            // 32 columns of a row-major block whose rows are `wide` tiles long.
            _ if tilized => {
                if l1.is_block_float() {
                    return Err(self.unimplemented(sink, Thread::Unpack, site, format!("tilizing {l1:?}")));
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
            let what = format!("tile {tile} of {}", cb_name(cb));
            return Err(self.out_of_l1(sink, Thread::Unpack, site, what, offset, bytes));
        }
        Ok(OperandSource { offset, bytes, row_bytes })
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
