//! What a compute call needs of its unit, and what is told where that is not so.

use tileproof_model::abi::{Site, operand};
use tileproof_model::finding::Code;
use tileproof_model::op_word::{OpWord, describe_math, describe_pack, describe_unpack, math_kind};
use tileproof_model::thread::Thread;
use tileproof_model::wording::cb_name;
use tileproof_numerics::format::DataFormat;

use crate::core::Core;
use crate::report::Sink;
use crate::step::{Halt, Step};
use crate::tensix::state::{OperandFormat, Programmed, Skipped};

impl Core {
    /// The format of a configured buffer.
    #[inline]
    pub(crate) fn configured_cb(&self, sink: &mut Sink, thread: Thread, site: Site, cb: u32) -> Step<DataFormat> {
        if let Some(Some(buffer)) = self.cbs.get(cb as usize) {
            return Ok(buffer.format);
        }
        self.no_such_buffer(sink, thread, site, cb);
        Err(Halt::Stop)
    }

    /// What a configure call programs for each operand that it names.
    pub(crate) fn operand_formats(
        &self,
        sink: &mut Sink,
        thread: Thread,
        site: Site,
        operands: u32,
        cbs: [u32; 2],
    ) -> Step<[Option<Programmed<OperandFormat>>; 2]> {
        let mut formats = [None; 2];
        for (index, bit) in [operand::SRC_A, operand::SRC_B].into_iter().enumerate() {
            if operands & bit == 0 {
                continue;
            }
            let cb = self.configured_cb(sink, thread, site, cbs[index])?;
            formats[index] = Some(Programmed { value: OperandFormat { l1: cb, cb: cbs[index] }, by: site });
        }
        Ok(formats)
    }

    /// The program that `thread`'s unit will run for a call that needs `needed`: what was programmed, with a finding
    /// where that differs.
    pub(crate) fn programmed(&mut self, sink: &mut Sink, thread: Thread, site: Site, needed: OpWord) -> Step<OpWord> {
        let (programmed, describe): (_, fn(OpWord) -> String) = match thread {
            Thread::Unpack => (self.tensix.unpack.op, describe_unpack),
            Thread::Math => (self.tensix.math.op, describe_math),
            _ => (self.tensix.pack.op, describe_pack),
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
            sink.raise(self.index, site, finding);
            return Err(Halt::Stop);
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
            sink.raise(self.index, site, finding);
            // Moves within Dst take no operands, and what runs instead of them takes none away.
            let moves_dst = |word: OpWord| thread == Thread::Math && word.kind() == math_kind::TRANSPOSE;
            if moves_dst(needed) != moves_dst(programmed.value) {
                return Err(Halt::Stop);
            }
        }
        Ok(programmed.value)
    }

    /// A compute call on a unit that no start-up has programmed. The first call that relied on one is to blame.
    pub(crate) fn not_started(&self, sink: &mut Sink, thread: Thread, site: Site) -> Halt {
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
        sink.raise(self.index, site, finding);
        Halt::Stop
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
        sink.raise(self.index, site, finding);
    }

    pub(crate) fn unimplemented(&self, sink: &mut Sink, thread: Thread, site: Site, what: String) -> Halt {
        let mut finding = self.finding(
            Code::UNIMPLEMENTED,
            thread,
            site,
            format!("the model does not know what the hardware does: {what}"),
        );
        finding.notes.push("the run stops here rather than guess".into());
        sink.raise(self.index, site, finding);
        Halt::Stop
    }

    pub(crate) fn out_of_l1(
        &self,
        sink: &mut Sink,
        thread: Thread,
        site: Site,
        what: String,
        offset: u32,
        bytes: u32,
    ) -> Halt {
        if let Some(cb) = self.unconfigured_at(offset.into()) {
            self.no_such_buffer(sink, thread, site, cb);
            return Halt::Stop;
        }
        let mut finding =
            self.finding(Code::L1_BOUNDS, thread, site, format!("{what}: {bytes} bytes at {offset:#x} are not in L1"));
        finding.facts.insert("address".into(), format!("{offset:#x}"));
        sink.raise(self.index, site, finding);
        Halt::Stop
    }
}
