//! MATH: programs the matrix unit and runs it on Dst. `vector.rs` has the vector unit, `matrix.rs` what the matrix unit computes.

use tileproof_model::abi::Site;
use tileproof_model::cycles::Cycles;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::op_word::{OpWord, describe_math, eltwise, flag, math_kind, pool, reduce_dim};
use tileproof_model::program::MathFidelity;
use tileproof_model::record::DayChange;
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::unpack_register_format;
use tileproof_numerics::fpu::{Fidelity, FpuMode};
use tileproof_numerics::tile::{FACE_DATUMS, ROW_DATUMS};

use crate::core::Core;
use crate::cost::Costs;
use crate::hart::Wait;
use crate::report::Sink;
use crate::step::{Halt, Step};
use crate::tensix::did::MatrixCall;
use crate::tensix::source::SourceQueue;
use crate::tensix::state::{How, OperandFormat, Programmed};

impl Core {
    /// The program says no day, and what comes after would be another call on other days' headers.
    pub(crate) fn follows_day(&mut self, site: Site, change: u32) -> Step {
        if let Some(change) = DayChange::ALL.get(change as usize) {
            self.tensix.math.by_day.entry(*change).or_insert(site);
        }
        Ok(())
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
            return Ok(());
        }
        let formats = self.operand_formats(sink, Thread::Math, site, operands, cbs)?;
        let state = &mut self.tensix.math;
        state.start.programs(site, how == How::Start);
        state.format_a = formats[0].or(state.format_a);
        state.format_b = formats[1].or(state.format_b);
        self.hart(Thread::Math).spend(|cycles| cycles.configure);
        Ok(())
    }

    pub(crate) fn math_init(&mut self, site: Site, word: OpWord) -> Step {
        self.tensix.math.start.programs(site, false);
        self.tensix.math.op = Some(Programmed { value: word, by: site });
        self.hart(Thread::Math).spend(|cycles| cycles.init);
        Ok(())
    }

    pub(crate) fn fidelity(&self) -> Fidelity {
        match self.config.math_fidelity {
            MathFidelity::LoFi => Fidelity::LoFi,
            MathFidelity::HiFi2 => Fidelity::HiFi2,
            MathFidelity::HiFi3 => Fidelity::HiFi3,
            MathFidelity::HiFi4 => Fidelity::HiFi4,
        }
    }

    /// The arithmetic that the ALU registers ask for, or `None` where no source describes it.
    pub(crate) fn fpu_mode(&self) -> Option<FpuMode> {
        let state = &self.tensix.math;
        let fp32 = self.config.fp32_dest_acc_en;
        let register = |format: Option<Programmed<OperandFormat>>| {
            let l1 = format?.value.l1;
            unpack_register_format(l1, fp32, l1.is_32_bit_integer())
        };
        Some(FpuMode {
            src_a: register(state.format_a)?,
            src_b: register(state.format_b)?,
            dst_32: fp32,
            fidelity: self.fidelity(),
            rules: self.arch.constants().arithmetic.fpu,
        })
    }

    /// The matrix unit runs its program on the operands that come next.
    pub(crate) fn math(&mut self, sink: &mut Sink, site: Site, needed: OpWord, dst: u32) -> Step<MatrixCall> {
        if !self.tensix.math.start.done {
            return Err(self.not_started(sink, Thread::Math, site));
        }
        let word = self.programmed(sink, Thread::Math, site, needed)?;
        let (a, b) = match word.kind() {
            math_kind::DATACOPY => (word.a() == 0, word.a() == 1),
            math_kind::ELTWISE if word.has(flag::REUSE_SRCA) => (false, true),
            math_kind::ELTWISE if word.has(flag::REUSE_SRCB) => (true, false),
            _ => (true, true),
        };
        let queues = &self.tensix;
        if (a && queues.src_a.front().is_none()) || (b && queues.src_b.front().is_none()) {
            return Err(Halt::Wait(Wait::SrcValid { a, b }));
        }
        let mode = self.modelled(sink, site, word, needed)?;
        self.looks_odd(sink, site, word, (a, mode));
        let half = self.tensix.math_pack.math_half;
        let written = self.dst_tile(sink, Thread::Math, site, half, dst);
        let ready = |queue: &SourceQueue, used: bool| queue.front().filter(|_| used).map_or(0, |t| t.ready_at);
        let start = ready(&self.tensix.src_a, a).max(ready(&self.tensix.src_b, b));
        let hart = self.hart(Thread::Math);
        hart.wait_until(start);
        let now = hart.clock;
        hart.spend(|cycles| operation_cycles(cycles, word, mode));
        if self.tensix.writes_half_tiles(word, mode) {
            let (tile, first) = (self.physical_tile(half, dst / 2), 32 * (dst as usize % 2));
            self.tensix.move_rows(word, mode, tile, first);
        } else {
            self.tensix.run(word, mode, written.tile.into());
        }
        if a {
            self.tensix.src_a.take(now);
        }
        if b {
            self.tensix.src_b.take(now);
        }
        Ok(MatrixCall { word, dst: written })
    }

    /// Notes of copies that right kernels make too, where nothing depends on them.
    fn looks_odd(&self, sink: &mut Sink, site: Site, word: OpWord, (through_a, mode): (bool, FpuMode)) {
        if word.kind() != math_kind::DATACOPY {
            return;
        }
        let state = &self.tensix.math;
        if self.tensix.writes_half_tiles(word, mode) {
            sink.note(self.index, site, self.scrambles(site));
        } else if through_a
            && let (Some(a), Some(b)) = (state.format_a, state.format_b)
            && a.value.l1.is_32_bit_integer() != b.value.l1.is_32_bit_integer()
        {
            sink.note(self.index, site, self.mixes_formats(site, [a, b]));
        }
    }

    #[cold]
    fn scrambles(&self, site: Site) -> Finding {
        let cb = self.tensix.src_b.front().map_or(0, |token| token.cb);
        let message = format!(
            "unary_bcast<ROW> of {}, 16 bits a datum, into a Dst of 32 bits: half of each row lands in the lower halves of others",
            cb_name(cb)
        );
        let mut note = self.finding(Code::BROADCAST_SCRAMBLED, Thread::Math, site, message);
        note.primary_text = "the row broadcast writes 16-bit rows, whatever fp32_dest_acc_en says".into();
        note.facts.insert("cb".into(), cb_name(cb));
        note.help = Some("broadcast rows with a 16-bit Dst, or from a Float32 buffer that is unpacked to Dst".into());
        note
    }

    /// A start-up or reconfiguration has reached one operand of two.
    #[cold]
    fn mixes_formats(&self, site: Site, [a, b]: [Programmed<OperandFormat>; 2]) -> Finding {
        let message = format!(
            "MATH copies through SrcA, programmed for {:?} ({}), while SrcB is still programmed for {:?} ({})",
            a.value.l1,
            cb_name(a.value.cb),
            b.value.l1,
            cb_name(b.value.cb)
        );
        let mut note = self.finding(Code::WRONG_FORMAT, Thread::Math, site, message);
        note.primary_text = "one operand is of integers, the other of floats".into();
        note.labels.push(self.label(Thread::Math, b.by, format!("SrcB was programmed for {:?} here", b.value.l1)));
        note.labels.push(self.label(Thread::Math, a.by, format!("SrcA was programmed for {:?} here", a.value.l1)));
        note.notes.push("zeros, denormals and the loads of the vector unit go by both formats; what the device makes of such a mixture is not known".into());
        note.help =
            Some("reconfigure both operands, reconfig_data_format(a, b), where integers and floats take turns".into());
        note
    }

    /// The arithmetic of a program on the operands that come next, where the model knows it.
    fn modelled(&mut self, sink: &mut Sink, site: Site, word: OpWord, needed: OpWord) -> Step<FpuMode> {
        let Some(mode) = self.fpu_mode() else {
            return Err(self.unimplemented(
                sink,
                Thread::Math,
                site,
                "these operand formats in the matrix unit".into(),
            ));
        };
        // A copy moves what the register holds; only arithmetic depends on both formats.
        if word.kind() != math_kind::DATACOPY && !mode.is_modelled() {
            let what = format!("{:?} and {:?} in the matrix unit", mode.src_a, mode.src_b);
            return Err(self.unimplemented(sink, Thread::Math, site, what));
        }
        if word.kind() == math_kind::REDUCE && word.scaler_is_src_a() {
            self.tensix.math.by_day.entry(DayChange::RowSums).or_insert(site);
        }
        if word.kind() == math_kind::REDUCE && word.a() == pool::MAX && !self.scaler_is_one() {
            // Documents disagree on what another scaler does (ISA documentation, `GMPOOL.md`, and the simulators).
            // A call that asks for another pool hands data and scaler over in its own order.
            let what = match (needed.kind(), needed.a()) {
                (math_kind::REDUCE, pool::MAX) => "reduce_tile<MAX> with a scaler other than 1.0".into(),
                _ => format!("what the init of reduce<MAX> makes of a call that needs \"{}\"", describe_math(needed)),
            };
            return Err(self.unimplemented(sink, Thread::Math, site, what));
        }
        Ok(mode)
    }

    /// True if row 0 of each face of the next SrcB tile, which is what pooling reads of a scaler, holds ones.
    fn scaler_is_one(&self) -> bool {
        const ONE: u32 = 0x3f80_0000;
        let scaler = self.tensix.src_b.front();
        scaler
            .is_none_or(|t| t.tile.0.chunks_exact(FACE_DATUMS).all(|face| face[..ROW_DATUMS].iter().all(|w| *w == ONE)))
    }
}

fn operation_cycles(cycles: &Cycles, word: OpWord, mode: FpuMode) -> u64 {
    let phases = mode.fidelity.phases();
    match word.kind() {
        math_kind::ELTWISE if word.a() == eltwise::MUL => cycles.eltwise(phases),
        math_kind::ELTWISE => cycles.eltwise(1),
        math_kind::MATMUL => cycles.matmul(phases),
        math_kind::REDUCE => cycles.pool(phases, word.b() == reduce_dim::ROW),
        _ => cycles.copy_tile(),
    }
}
