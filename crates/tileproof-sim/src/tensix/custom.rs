//! MATH: the vector unit runs custom code on Dst.
//!
//! What it computes is the numerics'; here is which tiles of Dst that are, and who is told. Start at [`Core::custom`].

use tileproof_model::abi::Site;
use tileproof_model::event::DstTile;
use tileproof_model::observe::Observer;
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
        let calls = written.iter().map(|(output, rows)| self.told(&read, *output, *rows, values)).collect();
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

    /// What is told of a tile that the program writes.
    fn told(&self, read: &[(DstTile, u64)], output: DstTile, rows: u64, values: bool) -> Computed<VectorCall> {
        let op = stands_for(read.len());
        let mut inputs = [output; 3];
        inputs.iter_mut().zip(read).for_each(|(input, (tile, _))| *input = *tile);
        // Rows that one tile is read in, another need not be.
        let rows = read.iter().take(op.inputs()).fold(rows, |rows, (_, read)| rows & read);
        let did = VectorCall { op, parameter: 0, inputs, output, beside: None, rows };
        let before = values.then(|| {
            let tiles = read.iter().take(op.inputs()).map(|(tile, _)| usize::from(tile.tile));
            Box::new(Before::of(self, tiles, output.tile.into()))
        });
        Computed { did, before }
    }
}
