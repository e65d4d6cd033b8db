//! MATH: programs the vector unit and runs it on Dst.

use tileproof_model::abi::Site;
use tileproof_model::finding::Code;
use tileproof_model::op_word::vector;
use tileproof_model::thread::Thread;
use tileproof_numerics::sfpu::{self, Faces, Keeps, SfpuMode, SfpuOp};

use crate::core::Core;
use crate::cost::Costs;
use crate::report::Sink;
use crate::step::{Halt, Step};
use crate::tensix::did::VectorCall;
use crate::tensix::running::Running;

impl Core {
    pub(crate) fn sfpu_init(&mut self, site: Site, op: u32) -> Step {
        self.tensix.math.start.programs(site, false);
        let mode = self.sfpu_mode();
        // What inits load is written down for one chip and one generation.
        let is_known = op & vector::OLDER == 0 && SfpuOp::inits_are_known(mode.rules.recorded);
        match SfpuOp::from_code(op as u16).filter(|_| is_known) {
            Some(op) => self.tensix.math.constants.init(op, &mode, site),
            None => self.tensix.math.constants.unknown_init(),
        }
        self.keep_through_init(op);
        self.hart(Thread::Math).spend(|cycles| cycles.init);
        Ok(())
    }

    pub(super) fn sfpu_mode(&self) -> SfpuMode {
        SfpuMode {
            dst_32: self.config.fp32_dest_acc_en,
            approx: self.config.math_approx_mode,
            rules: self.arch.constants().arithmetic.sfpu,
            src_b_is_fp16: self.tensix.math.format_b.is_some_and(|format| format.value.l1.has_short_exponent()),
        }
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
        let is_older = op & vector::OLDER != 0;
        self.tensix.math.inits_unchecked |= is_older || !SfpuOp::inits_are_known(self.sfpu_mode().rules.recorded);
        let mode_code = (op & !vector::OLDER) >> vector::MODE_SHIFT;
        let Some((op, (faces, rows))) = SfpuOp::from_code(op as u16).zip(faces_of(mode_code)) else {
            return Err(self.unimplemented(sink, Thread::Math, site, format!("vector operation {op:#x}")));
        };
        let inputs = self.with_its_mask(sink, site, op, inputs);
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
        let mode = self.sfpu_mode();
        if is_older {
            self.tensix.math.constants.call(op, params[0], site);
        } else {
            self.vector_constants(sink, site, op, &mode, params[0])?;
        }
        let out = usize::from(written.tile);
        if op.row().keeps != Keeps::Nothing {
            let outs = [out, beside.map_or(out, |tile| tile.tile.into())];
            let call = Running { op, inputs, tiles: [tiles[0], tiles[1]], outs, params };
            self.run_on(sink, site, &mode, call)?;
            return Ok(did);
        }
        self.tensix.math.kept = None;
        if let Err(missing) = sfpu::execute_faces(op, params, &mode, &mut self.tensix.dst, tiles, out, faces) {
            if missing.is_other_width() {
                return Err(self.other_width(sink, site, op));
            }
            return Err(self.unimplemented(sink, Thread::Math, site, missing.to_string()));
        }
        self.hart(Thread::Math).spend(|cycles| cycles.vector(op.slots(&mode)));
        Ok(did)
    }
}

impl Core {
    /// The tiles that a call reads: a mask is the tile behind its data, whatever the call names (tt-metal `mask.h` hands over the
    /// data alone, and `ckernel_sfpu_mask.h` loads from 32 addresses behind it); so is the second tile of `max_tile`
    /// (`ckernel_sfpu_max.h`).
    fn with_its_mask(&mut self, sink: &mut Sink, site: Site, op: SfpuOp, inputs: [u32; 3]) -> [u32; 3] {
        let [data, mask, other] = inputs;
        let behind = data.wrapping_add(1);
        let role = match op {
            SfpuOp::Mask | SfpuOp::MaskInt | SfpuOp::MaskPosInf => "mask",
            SfpuOp::MaxTile => "second tile",
            _ => return inputs,
        };
        if mask == behind {
            return inputs;
        }
        let name = op.name();
        let message =
            format!("{name} names Dst tile {mask} for the {role}, and takes it from tile {behind}, behind its data");
        let mut finding = self.finding(Code::MASK_ELSEWHERE, Thread::Math, site, message);
        finding.primary_text = format!("the {role} is tile {behind}, whatever is named");
        finding.facts.insert("data".into(), data.to_string());
        finding.facts.insert("mask".into(), mask.to_string());
        finding.help = Some(format!("bring the {role} to tile {behind}, and name that"));
        sink.raise(self.index, site, finding);
        [data, behind, other]
    }

    /// The data format of a call's template has another width than Dst: its loads and stores take half of each datum, or of two.
    #[cold]
    fn other_width(&self, sink: &mut Sink, site: Site, op: SfpuOp) -> Halt {
        let (dst, other) = if self.config.fp32_dest_acc_en { (32, 16) } else { (16, 32) };
        let name = op.name();
        let message = format!(
            "{name} is given a data format of {other} bits, and Dst holds {dst}: it loads and stores parts of datums"
        );
        let mut finding = self.finding(Code::WRONG_FORMAT, Thread::Math, site, message);
        let (wide, narrow) = ("Float32", "Float16_b");
        let (right, wrong) = if dst == 32 { (wide, narrow) } else { (narrow, wide) };
        finding.primary_text = format!("the format decides the width, {other} bits as for {wrong}");
        finding.facts.insert("dst_bits".into(), dst.to_string());
        finding.notes.push("the run stops here: what is left of such datums is not computed".into());
        finding.help = Some(format!(
            "name a format of the width of Dst, as DataFormat::{right}: fp32_dest_acc_en decides that, not the circular buffer"
        ));
        sink.raise(self.index, site, finding);
        Halt::Stop
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
