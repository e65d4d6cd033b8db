//! What goes through the compute units, for observers that look at values.
//!
//! It is taken before a call and costs a copy of each tile, so it must never be asked for an observer that does not want it;
//! and it leaves the units as they were. Start reading at [`Core::math_values`].

use tileproof_model::event::{Event, Values, What};
use tileproof_model::observe::Observer;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::{ROW_DATUMS, Tile};

use crate::core::Core;
use crate::engine::Engine;
use crate::observe::Did;
use crate::step::Caller;
use crate::tensix::did::{MatrixCall, VectorCall};
use crate::tensix::source::SourceQueue;

/// What a call will read, and the tile that it will write.
pub(crate) struct Before {
    inputs: [Option<Tile>; 3],
    dst: usize,
    before: Tile,
    alone: Option<Tile>,
    parameters: [u32; 4],
}

impl Before {
    /// Of a call that reads whole tiles of Dst, given by where they are, and writes one.
    pub(crate) fn of(core: &Core, inputs: impl Iterator<Item = usize>, dst: usize) -> Before {
        let mut tiles = [const { None }; 3];
        tiles.iter_mut().zip(inputs).for_each(|(tile, at)| *tile = Some(core.dst_values(at)));
        Before { inputs: tiles, dst, before: core.dst_values(dst), alone: None, parameters: [0; 4] }
    }
}

impl Core {
    /// A tile of Dst as it reads: undefined rows as 0.
    fn dst_values(&self, tile: usize) -> Tile {
        let valid = self.tensix.dst.valid_rows(tile);
        let mut values = self.tensix.dst.tile(tile).clone();
        for (row, datums) in values.0.chunks_exact_mut(ROW_DATUMS).enumerate() {
            if valid >> row & 1 == 0 {
                datums.fill(0);
            }
        }
        values
    }

    /// `None` while an operand is missing: the call will wait.
    pub(crate) fn math_values(&mut self, dst: u32) -> Option<Box<Before>> {
        let tile = self.physical_tile(self.tensix.math_pack.math_half, dst);
        let word = self.tensix.math.op?.value;
        let front = |queue: &SourceQueue| queue.front().map(|token| token.tile.clone());
        let inputs = [front(&self.tensix.src_a), front(&self.tensix.src_b), None];
        if inputs.iter().all(Option::is_none) {
            return None;
        }
        let before = self.dst_values(tile);
        let alone = self.fpu_mode().filter(|mode| mode.is_modelled()).map(|mode| {
            let (kept, valid) = (self.tensix.dst.tile(tile).clone(), self.tensix.dst.valid_rows(tile));
            self.tensix.dst.clear(tile, 1);
            self.tensix.run(word, mode, tile);
            let alone = self.dst_values(tile);
            self.tensix.dst.clear(tile, 1);
            self.tensix.dst.set_valid(tile, valid);
            *self.tensix.dst.tile_mut(tile) = kept;
            alone
        });
        Some(Box::new(Before { inputs, dst: tile, before, alone, parameters: [0; 4] }))
    }

    pub(crate) fn sfpu_values(
        &mut self,
        op: u32,
        inputs: [u32; 3],
        output: u32,
        parameters: [u32; 4],
    ) -> Option<Box<Before>> {
        let half = self.tensix.math_pack.math_half;
        let count = SfpuOp::from_code(op as u16)?.inputs();
        let mut number = 0;
        let inputs = inputs.map(|index| {
            number += 1;
            (number <= count).then(|| self.dst_values(self.physical_tile(half, index)))
        });
        let dst = self.physical_tile(half, output);
        Some(Box::new(Before { inputs, dst, before: self.dst_values(dst), alone: None, parameters }))
    }
}

/// A call of a unit, and what went through it where an observer wants that.
pub(crate) struct Computed<D> {
    pub(crate) did: D,
    pub(crate) before: Option<Box<Before>>,
}

impl Did for Computed<MatrixCall> {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        let what = self.did.event();
        engine.observe(by, what);
        if let Some(before) = self.before {
            engine.observe_values(by, what, &before);
        }
    }
}

impl Did for Computed<VectorCall> {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        let what = self.did.event();
        engine.observe(by, what);
        if let Some(before) = self.before {
            engine.observe_values(by, what, &before);
        }
        if let Some(beside) = self.did.event_beside() {
            engine.observe(by, beside);
        }
    }
}

impl<O: Observer> Engine<O> {
    /// Shows what went through a unit, after the call.
    fn observe_values(&mut self, by: Caller, what: What, before: &Before) {
        let Caller { core, thread, site } = by;
        let after = self.cores[core].dst_values(before.dst);
        let cycle = self.cores[core].harts[thread as usize].as_ref().map_or(0, |h| h.clock);
        let [a, b, c] = &before.inputs;
        let values = Values {
            inputs: [a.as_ref(), b.as_ref(), c.as_ref()],
            before: &before.before,
            after: &after,
            alone: before.alone.as_ref(),
            wide: self.cores[core].config.fp32_dest_acc_en,
            phases: self.cores[core].fidelity().phases(),
            parameters: before.parameters,
        };
        self.observer.values(&Event { core, thread, site, cycle, what }, &values, &mut self.sink.raises);
        if !self.sink.raises.waiting().is_empty() {
            self.take_raised();
        }
    }
}
