//! MATH: programs the vector unit and runs it on Dst.

use tileproof_model::abi::Site;
use tileproof_model::op_word::vector;
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::{self, Faces, Keeps, SfpuMode, SfpuOp};

use crate::core::Core;
use crate::cost;
use crate::report::Sink;
use crate::step::Step;
use crate::tensix::did::VectorCall;
use crate::tensix::running::Running;
use crate::tensix::state::Programmed;

impl Core {
    pub(crate) fn sfpu_init(&mut self, site: Site, op: u32) -> Step {
        self.tensix.math.start.programs(site, false);
        self.tensix.math.sfpu = Some(Programmed { value: op, by: site });
        self.keep_through_init(op);
        self.hart(Thread::Math).clock += cost::INIT;
        Ok(())
    }

    /// The vector unit runs `op` on Dst tiles.
    pub(crate) fn sfpu(
        &mut self,
        sink: &mut Sink,
        site: Site,
        op: u32,
        inputs: [u32; 3],
        output: u32,
        params: &[u32; 4],
    ) -> Step<VectorCall> {
        if !self.tensix.math.start.done {
            return Err(self.not_started(sink, Thread::Math, site));
        }
        self.tensix.math.vector_unit = true;
        let Some((op, (faces, rows))) = SfpuOp::from_code(op as u16).zip(faces_of(op >> vector::MODE_SHIFT)) else {
            return Err(self.unimplemented(sink, Thread::Math, site, format!("vector operation {op:#x}")));
        };
        let half = self.tensix.math_pack.math_half;
        let mut read = inputs.map(|index| self.sees_dst(half, index));
        let mut tiles = [0; 3];
        for number in 0..op.inputs() {
            read[number] = self.dst_tile(sink, Thread::Math, site, half, inputs[number]);
            tiles[number] = read[number].tile.into();
            self.tensix.dst.materialize(tiles[number], 0);
        }
        let written = self.dst_tile(sink, Thread::Math, site, half, output);
        let beside =
            op.row().writes_beside.then(|| self.dst_tile(sink, Thread::Math, site, half, output.wrapping_add(1)));
        let did = VectorCall { op, parameter: params[0], inputs: read, output: written, beside, rows };
        let mode = SfpuMode {
            dst_32: self.config.fp32_dest_acc_en,
            approx: self.config.math_approx_mode,
            rules: self.arch.constants().arithmetic.sfpu,
            src_b_is_fp16: false,
        };
        let out = usize::from(written.tile);
        if op.row().keeps != Keeps::Nothing {
            let outs = [out, beside.map_or(out, |tile| tile.tile.into())];
            let call = Running { op, inputs, tiles: [tiles[0], tiles[1]], outs, params };
            self.run_on(sink, site, &mode, call)?;
            return Ok(did);
        }
        self.tensix.math.kept = None;
        if let Err(missing) = sfpu::execute_faces(op, params, &mode, &mut self.tensix.dst, tiles, out, faces) {
            return Err(self.unimplemented(sink, Thread::Math, site, missing.to_string()));
        }
        self.hart(Thread::Math).clock += cost::CALL + u64::from(op.cycles(&mode));
        Ok(did)
    }
}

/// The faces of a vector mode, and their rows of a tile. The mode rides above the operation code: 0 for RC, else the value of
/// `VectorMode` plus 1.
fn faces_of(mode: u32) -> Option<(Faces, u64)> {
    match mode {
        0 | 5 => Some((Faces::RC, u64::MAX)),
        // What is none of R, C and RC runs the kernel once, RC_custom too (LLK `llk_math_eltwise_sfpu_common.h`).
        1 | 7 => Some((Faces::One, 0xffff)),
        2 => Some((Faces::R, 0xffff_ffff)),
        3 => Some((Faces::C, 0xffff_0000_ffff)),
        _ => None,
    }
}
