//! MATH: runs the matrix and the vector unit on Dst.

use tileproof_model::abi::Site;
use tileproof_model::finding::Code;
use tileproof_model::op_word::{OpWord, broadcast, eltwise, flag, math_kind, pool};
use tileproof_model::program::MathFidelity;
use tileproof_model::thread::Thread;
use tileproof_numerics::dst::{DST_ROWS, TILE_ROWS};
use tileproof_numerics::format::unpack_register_format;
use tileproof_numerics::fpu::{self, BroadcastType, Fidelity, FpuMode, PoolType, ReduceDim};
use tileproof_numerics::sfpu::{self, Faces, SfpuMode, SfpuOp};
use tileproof_numerics::tile::{FACE_DATUMS, ROW_DATUMS};

use crate::core::Core;
use crate::cost;
use crate::doors::Step;
use crate::hart::Wait;
use crate::report::Sink;
use crate::tensix::Tensix;
use crate::tensix::running::{Running, is_running, writes_beside};
use crate::tensix::state::{How, Programmed};

/// All rows of a tile.
const ALL_ROWS: u64 = u64::MAX;

impl Core {
    /// Tiles that Dst holds in all: half as many when they have 32 bits.
    fn dst_tiles(&self) -> usize {
        let tiles = DST_ROWS / TILE_ROWS;
        if self.config.fp32_dest_acc_en { tiles / 2 } else { tiles }
    }

    /// First tile of a half of Dst.
    pub(crate) fn dst_base(&self, half: usize) -> usize {
        half * self.dst_tiles() / 2
    }

    /// The physical tile of a Dst index; an index beyond the capacity reaches into the other half or wraps, as on the
    /// hardware, and is a finding.
    pub(crate) fn dst_tile(&self, sink: &mut Sink, thread: Thread, site: Site, half: usize, index: u32) -> usize {
        let capacity = self.config.dst_capacity();
        if index >= capacity {
            let mode = match (self.config.dst_full_sync_en, self.config.fp32_dest_acc_en) {
                (false, false) => "half sync, 16-bit Dst",
                (false, true) => "half sync, 32-bit Dst",
                (true, false) => "full sync, 16-bit Dst",
                (true, true) => "full sync, 32-bit Dst",
            };
            let mut finding = self.finding(
                Code::DST_INDEX,
                thread,
                site,
                format!("Dst index {index} does not exist: {mode} holds {capacity} tiles, 0 to {}", capacity - 1),
            );
            finding.facts.insert("dst".into(), index.to_string());
            finding.help =
                Some("process fewer tiles in a window, or change dst_full_sync_en or fp32_dest_acc_en".into());
            sink.raise(site, finding);
        }
        self.physical_tile(half, index)
    }

    /// The tile of Dst that an index of a half reaches, whether the half has it or not.
    pub(crate) fn physical_tile(&self, half: usize, index: u32) -> usize {
        (self.dst_base(half) + index as usize) % self.dst_tiles()
    }

    pub(crate) fn math_configure(
        &mut self,
        sink: &mut Sink,
        site: Site,
        operands: u32,
        cbs: [u32; 2],
        how: How,
    ) -> Step {
        if matches!(how, How::Unchanged { .. }) {
            return Step::Done;
        }
        let Some(formats) = self.operand_formats(sink, Thread::Math, site, operands, cbs) else { return Step::Stop };
        let state = &mut self.tensix.math;
        state.start.programs(site, how == How::Start);
        state.format_a = formats[0].or(state.format_a);
        state.format_b = formats[1].or(state.format_b);
        self.hart(Thread::Math).clock += cost::CONFIGURE;
        Step::Done
    }

    /// `llk_math_pack_sync_init`: waits until PACK holds no section, then sets the semaphore's maximum and the first half.
    pub(crate) fn math_pack_sync_init(&mut self) -> Step {
        let Some(at) = self.tensix.math_pack.drained_at() else { return Step::Wait(Wait::DstDrained) };
        let full = self.config.dst_full_sync_en;
        let window = &mut self.tensix.math_pack;
        window.max = if full { 1 } else { 2 };
        window.math_half = 0;
        let hart = self.hart(Thread::Math);
        hart.clock = hart.clock.max(at) + cost::WINDOW;
        Step::Done
    }

    pub(crate) fn math_init(&mut self, site: Site, word: OpWord) -> Step {
        self.tensix.math.start.programs(site, false);
        self.tensix.math.op = Some(Programmed { value: word, by: site });
        self.hart(Thread::Math).clock += cost::INIT;
        Step::Done
    }

    /// The arithmetic that the ALU registers ask for, or `None` where no source describes it.
    pub(super) fn fpu_mode(&self) -> Option<FpuMode> {
        let state = &self.tensix.math;
        let fp32 = self.config.fp32_dest_acc_en;
        let register = |format: Option<Programmed<super::state::OperandFormat>>| {
            let l1 = format?.value.l1;
            unpack_register_format(l1, fp32, l1.is_32_bit_integer())
        };
        Some(FpuMode {
            src_a: register(state.format_a)?,
            src_b: register(state.format_b)?,
            dst_32: fp32,
            fidelity: match self.config.math_fidelity {
                MathFidelity::LoFi => Fidelity::LoFi,
                MathFidelity::HiFi2 => Fidelity::HiFi2,
                MathFidelity::HiFi3 => Fidelity::HiFi3,
                MathFidelity::HiFi4 => Fidelity::HiFi4,
            },
            rules: self.arch.constants().arithmetic.fpu,
        })
    }

    /// The matrix unit runs its program on the operands that come next.
    pub(crate) fn math(&mut self, sink: &mut Sink, site: Site, needed: OpWord, dst: u32) -> Step {
        if !self.tensix.math.start.done {
            return self.not_started(sink, Thread::Math, site);
        }
        let Some(word) = self.programmed(sink, Thread::Math, site, needed) else { return Step::Stop };
        let (a, b) = match word.kind() {
            math_kind::DATACOPY => (word.a() == 0, word.a() == 1),
            math_kind::ELTWISE if word.has(flag::REUSE_SRCA) => (false, true),
            math_kind::ELTWISE if word.has(flag::REUSE_SRCB) => (true, false),
            _ => (true, true),
        };
        let queues = &self.tensix;
        if (a && queues.src_a.front().is_none()) || (b && queues.src_b.front().is_none()) {
            return Step::Wait(Wait::SrcValid { a, b });
        }
        let Some(mode) = self.fpu_mode() else {
            return self.unimplemented(sink, Thread::Math, site, "these operand formats in the matrix unit".into());
        };
        // A copy moves what the register holds; only arithmetic depends on both formats.
        let copies = word.kind() == math_kind::DATACOPY;
        if !copies && !mode.is_modelled() {
            let what = format!("{:?} and {:?} in the matrix unit", mode.src_a, mode.src_b);
            return self.unimplemented(sink, Thread::Math, site, what);
        }
        if word.kind() == math_kind::REDUCE && word.a() == pool::MAX && !self.scaler_is_one() {
            // Documents disagree on what another scaler does (ISA documentation, `GMPOOL.md`, and the simulators).
            // A call that asks for another pool hands data and scaler over in its own order.
            let what = match (needed.kind(), needed.a()) {
                (math_kind::REDUCE, pool::MAX) => "reduce_tile<MAX> with a scaler other than 1.0".into(),
                _ => format!(
                    "what the init of reduce<MAX> makes of a call that needs \"{}\"",
                    tileproof_model::op_word::describe_math(needed)
                ),
            };
            return self.unimplemented(sink, Thread::Math, site, what);
        }
        let tile = self.dst_tile(sink, Thread::Math, site, self.tensix.math_pack.math_half, dst);
        let ready =
            |queue: &super::source::SourceQueue, used: bool| queue.front().filter(|_| used).map_or(0, |t| t.ready_at);
        let start = ready(&self.tensix.src_a, a).max(ready(&self.tensix.src_b, b));
        let hart = self.hart(Thread::Math);
        let now = hart.clock.max(start);
        hart.clock = now + operation_cycles(word, mode);
        let narrow = word.kind() == math_kind::DATACOPY
            && word.a() != 0
            && !self.tensix.src_b.front().is_some_and(|b| b.to_dst)
            && fpu::moves_16_bit_rows(mode, broadcast_type(word.b()));
        if narrow {
            let half = self.tensix.math_pack.math_half;
            let (tile, first) = (self.physical_tile(half, dst / 2), 32 * (dst as usize % 2));
            self.tensix.move_rows(word, mode, tile, first);
        } else {
            self.tensix.run(word, mode, tile);
        }
        if a {
            self.tensix.src_a.take(now);
        }
        if b {
            self.tensix.src_b.take(now);
        }
        Step::Done
    }

    /// True if row 0 of each face of the next SrcB tile, which is what pooling reads of a scaler, holds ones.
    fn scaler_is_one(&self) -> bool {
        const ONE: u32 = 0x3f80_0000;
        let scaler = self.tensix.src_b.front();
        scaler
            .is_none_or(|t| t.tile.0.chunks_exact(FACE_DATUMS).all(|face| face[..ROW_DATUMS].iter().all(|w| *w == ONE)))
    }

    pub(crate) fn sfpu_init(&mut self, site: Site, op: u32) -> Step {
        self.tensix.math.start.programs(site, false);
        self.tensix.math.sfpu = Some(Programmed { value: op, by: site });
        self.keep_through_init(op);
        self.hart(Thread::Math).clock += cost::INIT;
        Step::Done
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
    ) -> Step {
        if !self.tensix.math.start.done {
            return self.not_started(sink, Thread::Math, site);
        }
        self.tensix.math.vector_unit = true;
        let Some((op, faces)) = SfpuOp::from_code(op as u16).zip(faces_of(op >> 16)) else {
            return self.unimplemented(sink, Thread::Math, site, format!("vector operation {op:#x}"));
        };
        let half = self.tensix.math_pack.math_half;
        let mut tiles = [0; 3];
        for (tile, input) in tiles.iter_mut().zip(inputs).take(op.inputs()) {
            *tile = self.dst_tile(sink, Thread::Math, site, half, input);
            self.tensix.dst.materialize(*tile, 0);
        }
        let out = self.dst_tile(sink, Thread::Math, site, half, output);
        let mode = SfpuMode {
            dst_32: self.config.fp32_dest_acc_en,
            approx: self.config.math_approx_mode,
            rules: self.arch.constants().arithmetic.sfpu,
            src_b_is_fp16: false,
        };
        if is_running(op) {
            let beside = if writes_beside(op) {
                self.dst_tile(sink, Thread::Math, site, half, output.wrapping_add(1))
            } else {
                out
            };
            let call = Running { op, inputs, tiles: [tiles[0], tiles[1]], outs: [out, beside], params };
            return self.run_on(sink, site, &mode, call);
        }
        self.tensix.math.kept = None;
        if let Err(missing) = sfpu::execute_faces(op, params, &mode, &mut self.tensix.dst, tiles, out, faces) {
            return self.unimplemented(sink, Thread::Math, site, missing.to_string());
        }
        self.hart(Thread::Math).clock += cost::CALL + u64::from(op.cycles(&mode));
        Step::Done
    }
}

/// The faces of a vector mode, which rides above the operation code: 0 for RC, else the value of `VectorMode` plus 1.
fn faces_of(mode: u32) -> Option<Faces> {
    match mode {
        0 | 5 => Some(Faces::RC),
        // What is none of R, C and RC runs the kernel once, RC_custom too (LLK `llk_math_eltwise_sfpu_common.h`).
        1 | 7 => Some(Faces::One),
        2 => Some(Faces::R),
        3 => Some(Faces::C),
        _ => None,
    }
}

fn operation_cycles(word: OpWord, mode: FpuMode) -> u64 {
    let phases = mode.fidelity.phases();
    match word.kind() {
        math_kind::ELTWISE if word.a() == eltwise::MUL => cost::eltwise(phases),
        math_kind::ELTWISE => cost::eltwise(1),
        math_kind::MATMUL => cost::matmul(phases),
        math_kind::REDUCE => cost::reduce(phases, word.b() == tileproof_model::op_word::reduce_dim::ROW),
        _ => cost::COPY,
    }
}

fn broadcast_type(code: u8) -> BroadcastType {
    match code {
        broadcast::COL => BroadcastType::Col,
        broadcast::ROW => BroadcastType::Row,
        broadcast::SCALAR => BroadcastType::Scalar,
        _ => BroadcastType::None,
    }
}

impl Tensix {
    /// The broadcast of SrcB that writes 16-bit rows: 32 rows of a tile and no others.
    fn move_rows(&mut self, word: OpWord, mode: FpuMode, tile: usize, first: usize) {
        let Tensix { src_b, dst, .. } = self;
        if let Some(b) = src_b.front() {
            fpu::move_b_to_dst(mode, broadcast_type(word.b()), &b.tile, dst.tile_mut(tile), first);
        }
        dst.set_valid(tile, 0xFFFF_FFFF << first);
    }

    /// Runs `word` on the front operands into Dst tile `index`.
    pub(super) fn run(&mut self, word: OpWord, mode: FpuMode, index: usize) {
        let Tensix { src_a, src_b, dst, scratch, .. } = self;
        let a = src_a.front();
        let b = src_b.front();
        match word.kind() {
            math_kind::DATACOPY => {
                match (a.filter(|_| word.a() == 0), b) {
                    (Some(a), _) if a.to_dst => dst.tile_mut(index).0.copy_from_slice(&a.tile.0),
                    (Some(a), _) => fpu::move_a_to_dst(mode, &a.tile, dst.tile_mut(index)),
                    // Through SrcB and back in halves of words, which keeps all bits (LLK `llk_math_eltwise_unary_datacopy.h`).
                    (None, Some(b)) if b.to_dst => {
                        fpu::broadcast(broadcast_type(word.b()), &b.tile, dst.tile_mut(index));
                    }
                    (None, Some(b)) => {
                        fpu::move_b_to_dst(mode, broadcast_type(word.b()), &b.tile, dst.tile_mut(index), 0);
                    }
                    (None, None) => {}
                }
                dst.set_valid(index, ALL_ROWS);
            }
            math_kind::ELTWISE => {
                dst.materialize(index, 0);
                // Zeros that were written read as those that were not; to look is cheaper than to add to them.
                let was_zero = dst.tile(index).is_zero();
                let [from_dst, spread] = &mut *scratch.tiles;
                if word.flags() & (flag::REUSE_SRCA | flag::REUSE_SRCB) != 0 {
                    fpu::dst_to_src(mode, dst.tile(index), from_dst);
                    // Dst is cleared before the multiply accumulates onto it (LLK `llk_math_eltwise_binary.h`).
                    dst.tile_mut(index).0.fill(0);
                }
                let from_dst = &*from_dst;
                let a = if word.has(flag::REUSE_SRCA) { Some(from_dst) } else { a.map(|t| &t.tile) };
                let b = if word.has(flag::REUSE_SRCB) { Some(from_dst) } else { b.map(|t| &t.tile) };
                if let (Some(a), Some(b)) = (a, b) {
                    let kind = broadcast_type(word.b());
                    let b = if kind == BroadcastType::None {
                        b
                    } else {
                        fpu::broadcast(kind, b, spread);
                        spread
                    };
                    let out = dst.tile_mut(index);
                    match word.a() {
                        eltwise::ADD => fpu::eltwise_add(mode, a, b, out, word.has(flag::ACCUMULATE)),
                        eltwise::SUB => fpu::eltwise_sub(mode, a, b, out, word.has(flag::ACCUMULATE)),
                        _ => fpu::eltwise_mul(mode, a, b, out, was_zero),
                    }
                }
                dst.set_valid(index, ALL_ROWS);
            }
            math_kind::MATMUL => {
                dst.materialize(index, 0);
                if let (Some(a), Some(b)) = (a, b) {
                    fpu::matmul(mode, &a.tile, &b.tile, dst.tile_mut(index));
                }
                dst.set_valid(index, ALL_ROWS);
            }
            math_kind::REDUCE => {
                let pool = [PoolType::Sum, PoolType::Avg, PoolType::Max][usize::from(word.a().min(2))];
                let dim = [ReduceDim::Row, ReduceDim::Col, ReduceDim::Scalar][usize::from(word.b().min(2))];
                if let (Some(a), Some(b)) = (a, b) {
                    let pooled = word.has(flag::POOLED) && dim == ReduceDim::Row;
                    let swapped = fpu::scaler_goes_to_src_a(pool, dim) && !pooled;
                    let (data, scaler) = if swapped { (&b.tile, &a.tile) } else { (&a.tile, &b.tile) };
                    let mut valid = dst.valid_rows(index);
                    if pooled {
                        fpu::pool_rows(mode, pool, data, scaler, dst.tile_mut(index), &mut valid);
                    } else {
                        fpu::reduce(mode, pool, dim, data, scaler, dst.tile_mut(index), &mut valid);
                    }
                    dst.set_valid(index, valid);
                }
            }
            _ => {}
        }
    }
}
