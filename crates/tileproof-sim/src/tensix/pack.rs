//! PACK: programs the packers and moves Dst tiles to L1.

use tileproof_model::abi::Site;
use tileproof_model::event::{DstTile, What};
use tileproof_model::op_word::{OpWord, edge_mask, pack_kind, reduce_dim};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::dst::TILE_ROWS;
use tileproof_numerics::format::{DataFormat, pack_source_format};
use tileproof_numerics::fpu::ReduceDim;
use tileproof_numerics::pack::{self, EdgeMask, PackMode, Relu};

use crate::core::Core;
use crate::cost::Costs;
use crate::l1::L1Window;
use crate::report::Sink;
use crate::step::Step;
use crate::tensix::Tensix;
use crate::tensix::did::{MAX_BLOCK, Packed, PackedBlock};
use crate::tensix::state::{How, OperandFormat, Programmed, Skipped};

impl Core {
    pub(crate) fn pack_configure(&mut self, sink: &mut Sink, site: Site, cb: u32, how: How) -> Step {
        if let How::Unchanged { old } = how {
            self.tensix.pack.skipped = Some(Skipped { by: site, old, cb });
            return Ok(());
        }
        let format = self.configured_cb(sink, Thread::Pack, site, cb)?;
        let state = &mut self.tensix.pack;
        state.start.programs(site, how == How::Start);
        state.skipped = None;
        state.format = Some(Programmed { value: OperandFormat { l1: format, cb }, by: site });
        self.hart(Thread::Pack).spend(|cycles| cycles.configure);
        Ok(())
    }

    pub(crate) fn pack_init(&mut self, site: Site, word: OpWord) -> Step<What> {
        self.tensix.pack.start.programs(site, false);
        self.tensix.pack.op = Some(Programmed { value: word, by: site });
        self.hart(Thread::Pack).spend(|cycles| cycles.init);
        Ok(What::PackInit { word })
    }

    pub(crate) fn pack_dest_init(&mut self) -> Step<What> {
        let moves = std::mem::take(&mut self.tensix.math_pack.pack_half) != 0;
        self.hart(Thread::Pack).spend(|cycles| cycles.window);
        Ok(What::StartUp { moves })
    }

    pub(crate) fn pack_edge_mask(&mut self, dim: u32) -> Step<What> {
        let rules = self.arch.constants().arithmetic.pack;
        let dims = match dim.checked_sub(edge_mask::FIRST_DIM).map(|dim| dim as u8) {
            Some(reduce_dim::ROW) => Some(ReduceDim::Row),
            Some(reduce_dim::COL) => Some(ReduceDim::Col),
            Some(reduce_dim::SCALAR) => Some(ReduceDim::Scalar),
            _ => None,
        };
        self.tensix.pack.edge = dims.map_or(EdgeMask::None, |dim| EdgeMask::of_reduce(dim, rules));
        self.hart(Thread::Pack).spend(|cycles| cycles.init);
        Ok(What::EdgeMask { dim, of_faces: rules.one_packer })
    }

    pub(crate) fn pack_relu_config(&mut self, config: u32) -> Step<What> {
        self.tensix.pack.relu = Relu::of_config(config);
        self.hart(Thread::Pack).spend(|cycles| cycles.init);
        Ok(What::Relu { config })
    }

    pub(crate) fn pack_l1_acc(&mut self, enable: bool) -> Step<What> {
        self.tensix.pack.l1_acc = enable;
        self.hart(Thread::Pack).spend(|cycles| cycles.init);
        Ok(What::L1Accumulation { enable })
    }

    /// The conversion that the packer is programmed for, after the checks that every pack makes.
    fn pack_mode(&mut self, sink: &mut Sink, site: Site, needed: OpWord, cb: u32) -> Step<PackMode> {
        if !self.tensix.pack.start.done {
            return Err(self.not_started(sink, Thread::Pack, site));
        }
        self.programmed(sink, Thread::Pack, site, needed)?;
        let actual = self.configured_cb(sink, Thread::Pack, site, cb)?;
        let Some(programmed) = self.tensix.pack.format else { return Err(self.not_started(sink, Thread::Pack, site)) };
        if programmed.value.l1 != actual {
            self.wrong_format(
                sink,
                (Thread::Pack, site),
                ("the packer", cb, actual),
                programmed,
                self.tensix.pack.skipped,
            );
        }
        let out = programmed.value.l1;
        let dst_32 = self.config.fp32_dest_acc_en;
        let source = pack_source_format(out, dst_32, self.config.bfp8_pack_precise);
        let mode = source.map(|source| PackMode {
            dst_32,
            source,
            out,
            relu: self.tensix.pack.relu,
            edge: self.tensix.pack.edge,
        });
        match mode {
            Some(mode) if mode.is_modelled() => Ok(mode),
            _ => Err(self.unimplemented(sink, Thread::Pack, site, format!("packing Dst to {out:?}"))),
        }
    }

    /// Packs Dst tile `dst` to a page of `cb`.
    pub(crate) fn pack_tile(
        &mut self,
        sink: &mut Sink,
        site: Site,
        dst: u32,
        cb: u32,
        index: Option<u32>,
    ) -> Step<Packed> {
        let mode = self.pack_mode(sink, site, OpWord::new(pack_kind::TILE, 0, 0, 0, 0), cb)?;
        let from = self.dst_tile(sink, Thread::Pack, site, self.tensix.math_pack.pack_half, dst);
        let interface = self.hart(Thread::Pack).cbs[cb as usize];
        // In order, `index` is ignored and pages follow each other (tt-metal `llk_pack_api.h`).
        let (tile, within) = match index {
            Some(index) => (index, index.wrapping_mul(interface.fifo_page_size)),
            None => (interface.fifo_wr_tile_ptr / interface.fifo_page_size.max(1), interface.fifo_wr_tile_ptr),
        };
        let offset = self.l1.offset(interface.fifo_wr_ptr.wrapping_add(within));
        let bytes = mode.out.tile_bytes();
        if !self.l1.contains(offset, bytes) {
            return Err(self.out_of_l1(sink, Thread::Pack, site, format!("page of {}", cb_name(cb)), offset, bytes));
        }
        let accumulate = self.tensix.pack.l1_acc;
        if accumulate && !pack::accumulates_in_l1(mode.out) {
            return Err(self.unimplemented(sink, Thread::Pack, site, format!("L1 accumulation in {:?}", mode.out)));
        }
        let is_noted = self.reads_undefined;
        let Core { l1, tensix: Tensix { dst, scratch, .. }, .. } = self;
        dst.materialize(from.tile.into(), 0);
        let tile_of_dst = dst.tile(from.tile.into());
        let onto_poison = accumulate && l1.is_poison(offset);
        let onto_undefined =
            accumulate && !is_noted && l1.has_poison(offset, bytes, mode.out.datum_bytes().unwrap_or(1));
        if accumulate {
            let packed = &mut scratch.packed[..bytes as usize];
            pack::pack_tile(&mode, tile_of_dst, packed);
            store(l1, offset, mode.out, packed, Some(&mut scratch.old[..]));
        } else {
            l1.with_mut(offset, bytes, |page| pack::pack_tile(&mode, tile_of_dst, page));
        }
        let hart = self.hart(Thread::Pack);
        if index.is_none() {
            let interface = &mut hart.cbs[cb as usize];
            interface.fifo_wr_tile_ptr = interface.fifo_wr_tile_ptr.wrapping_add(interface.fifo_page_size);
        }
        hart.spend(|cycles| cycles.pack(bytes, accumulate));
        self.reads_undefined |= onto_undefined;
        let (l1, register) = (mode.out, mode.source);
        let (is_tile, is_spread, row_bytes) = (true, false, 0);
        Ok(Packed { dst: from, cb, tile, offset, bytes, is_tile, is_spread, onto_poison, l1, register, row_bytes })
    }

    /// Packs `block` Dst tiles from `dst` on as row-major rows at column block `column`.
    pub(crate) fn pack_untilize(
        &mut self,
        sink: &mut Sink,
        site: Site,
        needed: OpWord,
        dst: u32,
        cb: u32,
        column: u32,
    ) -> Step<PackedBlock> {
        let mode = self.pack_mode(sink, site, needed, cb)?;
        if mode.out.is_block_float() {
            return Err(self.unimplemented(sink, Thread::Pack, site, format!("pack_untilize to {:?}", mode.out)));
        }
        let (block, full) = needed.block_and_row();
        let datum = mode.out.tile_bytes() / 1024;
        let row_bytes = full * 32 * datum;
        let first = column * block * 32 * datum;
        let base = self.hart(Thread::Pack).cbs[cb as usize].fifo_wr_ptr;
        let offset = self.l1.offset(base.wrapping_add(first));
        let span = 31 * row_bytes + block * 32 * datum;
        if !self.l1.contains(offset, span) {
            return Err(self.out_of_l1(sink, Thread::Pack, site, format!("rows of {}", cb_name(cb)), offset, span));
        }
        let half = self.tensix.math_pack.pack_half;
        let step = 32 * datum;
        let mut from = [DstTile::default(); MAX_BLOCK];
        for index in 0..block {
            let tile = self.dst_tile(sink, Thread::Pack, site, half, dst + index);
            if let Some(place) = from.get_mut(index as usize) {
                *place = tile;
            }
            let Core { l1, tensix: Tensix { dst, scratch, pack, .. }, .. } = self;
            dst.materialize(tile.tile.into(), 0);
            let rows = &mut scratch.packed[..32 * step as usize];
            pack::pack_untilize_rows(&mode, &[dst.tile(tile.tile.into())], rows, step as usize);
            for (row, bytes) in rows.chunks_exact(step as usize).enumerate() {
                let at = offset + row as u32 * row_bytes + index * step;
                store(l1, at, mode.out, bytes, pack.l1_acc.then_some(&mut scratch.old[..]));
            }
        }
        self.hart(Thread::Pack).spend(|cycles| cycles.untilize(datum, block));
        let (bytes, is_spread) = (31 * row_bytes + step, full > 1);
        let (tile, dst) = (column * block, from[0]);
        let (l1, register, is_tile, onto_poison) = (mode.out, mode.source, false, false);
        let first = Packed { dst, cb, tile, offset, bytes, is_tile, is_spread, onto_poison, l1, register, row_bytes };
        Ok(PackedBlock { first, step, dst: from, count: (block as usize).min(MAX_BLOCK) })
    }

    /// Packs the first rows of Dst tile `dst`, 16 datums each, one after the other (LLK `llk_pack_rows.h`): as they lie in a
    /// tile's page, which is what a whole tile packs to.
    pub(crate) fn pack_rows(
        &mut self,
        sink: &mut Sink,
        site: Site,
        needed: OpWord,
        dst: u32,
        cb: u32,
        index: u32,
    ) -> Step<Packed> {
        let mode = self.pack_mode(sink, site, needed, cb)?;
        let rows = needed.wide();
        let l1_acc = self.tensix.pack.l1_acc;
        let missing = if !(1..=TILE_ROWS as u32).contains(&rows) {
            Some(format!("pack_rows of {rows} rows; a tile has {TILE_ROWS}"))
        } else if mode.out.is_block_float() {
            Some(format!("pack_rows to {:?}", mode.out))
        } else if l1_acc || mode.edge != EdgeMask::None {
            Some("pack_rows with L1 accumulation or under the edge mask of a reduce".into())
        } else {
            None
        };
        if let Some(missing) = missing {
            return Err(self.unimplemented(sink, Thread::Pack, site, missing));
        }
        let from = self.dst_tile(sink, Thread::Pack, site, self.tensix.math_pack.pack_half, dst);
        let interface = self.hart(Thread::Pack).cbs[cb as usize];
        let within = index.wrapping_mul(interface.fifo_page_size);
        let offset = self.l1.offset(interface.fifo_wr_ptr.wrapping_add(within));
        let bytes = rows * mode.out.tile_bytes() / TILE_ROWS as u32;
        if !self.l1.contains(offset, bytes) {
            return Err(self.out_of_l1(sink, Thread::Pack, site, format!("rows of {}", cb_name(cb)), offset, bytes));
        }
        let Core { l1, tensix: Tensix { dst, scratch, .. }, .. } = self;
        dst.materialize(from.tile.into(), 0);
        let packed = &mut scratch.packed[..mode.out.tile_bytes() as usize];
        pack::pack_tile(&mode, dst.tile(from.tile.into()), packed);
        l1.write(offset, &packed[..bytes as usize]);
        self.hart(Thread::Pack).spend(|cycles| cycles.pack_rows(rows));
        let (l1, register, row_bytes) = (mode.out, mode.source, 0);
        let (is_tile, is_spread, onto_poison) = (false, false, false);
        Ok(Packed {
            dst: from,
            cb,
            tile: index,
            offset,
            bytes,
            is_tile,
            is_spread,
            onto_poison,
            l1,
            register,
            row_bytes,
        })
    }
}

/// Puts packed bytes to L1, or adds them to what lies there, with room for `old` to do so.
fn store(l1: &L1Window, offset: u32, format: DataFormat, packed: &[u8], old: Option<&mut [u8]>) {
    let Some(old) = old else { return l1.write(offset, packed) };
    let old = &mut old[..packed.len()];
    l1.read(offset, old);
    pack::accumulate_l1(format, old, packed);
    l1.write(offset, old);
}
