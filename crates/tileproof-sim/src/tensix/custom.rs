//! MATH: the vector unit runs custom code on Dst.
//!
//! What it computes is the numerics'; here is which tiles of Dst that are, and who is told. Start at [`Core::custom`].

use tileproof_model::abi::Site;
use tileproof_model::event::DstTile;
use tileproof_model::observe::Observer;
use tileproof_model::op_word::{OpWord, math_kind};
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::{Program, SfpuOp, VectorStep, run_steps};

use crate::core::Core;
use crate::cost::Costs;
use crate::engine::Engine;
use crate::observe::Did;
use crate::report::Sink;
use crate::step::{Caller, Step};
use crate::tensix::did::VectorCall;
use crate::values::{Before, Computed};

/// What a program did to each tile that it wrote.
pub(crate) struct CustomCall {
    calls: Vec<Computed<VectorCall>>,
}

impl Did for CustomCall {
    fn show<O: Observer>(self, engine: &mut Engine<O>, by: Caller) {
        for call in self.calls {
            call.show(engine, by);
        }
    }
}

/// The operation that stands for custom code which reads so many tiles.
const fn stands_for(tiles: usize) -> SfpuOp {
    match tiles {
        0 => SfpuOp::CustomOfNone,
        1 => SfpuOp::CustomOfOne,
        2 => SfpuOp::CustomOfTwo,
        _ => SfpuOp::CustomOfThree,
    }
}

impl Core {
    /// Runs a program of steps; `values` for observers that look at them.
    pub(crate) fn custom(&mut self, sink: &mut Sink, site: Site, words: &[[u32; 4]], values: bool) -> Step<CustomCall> {
        if !self.tensix.math.start.done {
            return Err(self.not_started(sink, Thread::Math, site));
        }
        let steps: Result<Vec<VectorStep>, &str> =
            words.iter().enumerate().map(|(at, words)| VectorStep::read(*words, at)).collect();
        let steps = match steps {
            Ok(steps) => steps,
            Err(what) => return Err(self.unimplemented(sink, Thread::Math, site, what.into())),
        };
        let mode = self.sfpu_mode();
        let program = Program::of(&steps, &mode.rules);
        if let Some(within_faces) = program.transposes() {
            let needed = OpWord::new(math_kind::TRANSPOSE, within_faces.into(), mode.dst_32.into(), 0, 0);
            self.programmed(sink, Thread::Math, site, needed)?;
            // To a source and back: an estimate, which no measurement has replaced.
            self.hart(Thread::Math).spend(|cycles| 2 * cycles.copy_tile());
        }
        let touched = program.touched();
        let half = self.tensix.math_pack.math_half;
        let mut seen = |core: &mut Core, index: u32| {
            let tile = core.dst_tile(sink, Thread::Math, site, half, index);
            core.tensix.dst.materialize(tile.tile.into(), 0);
            tile
        };
        let read: Vec<(DstTile, u64)> = touched.read.iter().map(|&(index, rows)| (seen(self, index), rows)).collect();
        let written: Vec<(DstTile, u64)> =
            touched.written.iter().map(|&(index, rows)| (seen(self, index), rows)).collect();
        let calls = written.iter().flat_map(|(output, rows)| self.told(&read, *output, *rows, values)).collect();
        let physical = |index: u32| {
            let known = read.iter().chain(&written).find(|(tile, _)| tile.index == index);
            known.map_or(0, |(tile, _)| usize::from(tile.tile))
        };
        self.tensix.math.kept = None;
        let (dst, registers) = (&mut self.tensix.dst, &mut self.tensix.math.constants.registers);
        if let Err(what) = run_steps(&program, &mode, dst, &physical, registers) {
            return Err(self.unimplemented(sink, Thread::Math, site, what.into()));
        }
        self.tensix.math.constants.custom(stands_for(read.len()), &program, site);
        self.hart(Thread::Math).spend(|cycles| cycles.own_vector_code(program.slots()));
        Ok(CustomCall { calls })
    }

    /// What is told of a tile that the program writes: rows that are read in the same tiles together. Of more tiles than are told of,
    /// the written one comes first, so that whatever is written in place counts as read.
    fn told(&self, read: &[(DstTile, u64)], output: DstTile, mut rows: u64, values: bool) -> Vec<Computed<VectorCall>> {
        let mut read: Vec<&(DstTile, u64)> = read.iter().collect();
        read.sort_by_key(|(tile, _)| tile.index != output.index);
        let mut told = Vec::new();
        while rows != 0 {
            let row = 1 << rows.trailing_zeros();
            let (mut inputs, mut together, mut count) = ([output; 3], rows, 0);
            for &&(tile, reads) in &read {
                let is_read = reads & row != 0;
                together &= if is_read { reads } else { !reads };
                if is_read && count < inputs.len() {
                    inputs[count] = tile;
                    count += 1;
                }
            }
            rows &= !together;
            let op = stands_for(count);
            let did = VectorCall { op, parameter: 0, inputs, output, beside: None, rows: together };
            let before = values.then(|| {
                let tiles = inputs[..count].iter().map(|tile| usize::from(tile.tile));
                Box::new(Before::of(self, tiles, output.tile.into()))
            });
            told.push(Computed { did, before });
        }
        told
    }
}
