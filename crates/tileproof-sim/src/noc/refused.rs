//! Transfers that cannot be, and what is told of them.

use tileproof_model::finding::Code;
use tileproof_model::observe::Observer;
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::engine::Engine;
use crate::noc::address;
use crate::noc::ends::Transfer;
use crate::step::{Caller, Halt};

impl<O: Observer> Engine<O> {
    /// A transfer that reaches no pages of a tensor in DRAM, or not only them.
    #[cold]
    pub(crate) fn bad_dram_transfer(&mut self, by: Caller, call: &Transfer, bank: u32, address: u64) -> Halt {
        let Caller { core, thread, site } = by;
        let bytes = call.bytes;
        let what = if call.is_read() { "source of a NoC read" } else { "destination of a NoC write" };
        let described = self.dram.describe(bank, address, bytes);
        let (x, y) = address::node(call.far);
        let core = &self.cores[core];
        let mut finding = core.finding(Code::L1_BOUNDS, thread, site, String::new());
        match described {
            Some((text, beyond)) => {
                finding.message = format!("{what}: {bytes} bytes at {address:#x} of DRAM bank {bank} {text}");
                if let Some(name) = beyond {
                    finding.notes.push(format!("tensor {name} comes next in this bank"));
                }
                finding.help =
                    Some("end a transfer with its page: pages lie an alignment apart, not one behind the other".into());
            }
            None => {
                finding.message = format!(
                    "{what}: {bytes} bytes at {address:#x} of DRAM bank {bank}, which NoC node ({x}, {y}) is, are not in any memory that the program has"
                );
            }
        }
        finding.facts.insert("address".into(), format!("{address:#x}"));
        finding.facts.insert("bytes".into(), bytes.to_string());
        finding.facts.insert("bank".into(), bank.to_string());
        self.sink.raise(by.core, site, finding);
        Halt::Stop
    }

    /// A call that makes one packet of its transfer: says so if it does not fit in one. Nothing checks that on the device
    /// (tt-metal `dataflow_api.h`, `NOC_MAX_BURST_SIZE` of `noc_parameters.h`); here all bytes are moved.
    #[cold]
    pub(crate) fn beyond_a_packet(&mut self, by: Caller, bytes: u32) {
        let Caller { core, thread, site } = by;
        let burst = self.arch.constants().noc.max_burst;
        let message = format!("{bytes} bytes in one packet, which has at most {burst} on {}", self.arch.name());
        let mut finding = self.cores[core].finding(Code::PACKET_LENGTH, thread, site, message);
        finding.primary_text = format!("{} bytes too many", bytes - burst);
        finding.facts.insert("bytes".into(), bytes.to_string());
        finding.facts.insert("packet".into(), burst.to_string());
        finding.notes.push("what the device does with the rest is not documented; here all bytes were moved".into());
        finding.help = Some(
            "noc_async_read and noc_async_write make several packets where one is not enough; a template argument of theirs is \
             the longest page"
                .into(),
        );
        self.sink.raise(by.core, site, finding);
    }

    /// A transfer one end of which is in no memory, or of no bytes.
    #[cold]
    pub(crate) fn bad_transfer(&mut self, by: Caller, what: &str, address: u64, bytes: u32) -> Halt {
        let Caller { core, thread, site } = by;
        let core = &self.cores[core];
        if let Some(cb) = core.unconfigured_at(address & u64::from(u32::MAX)) {
            core.no_such_buffer(&mut self.sink, thread, site, cb);
            return Halt::Stop;
        }
        let message = if bytes == 0 {
            format!("{what}: a transfer of 0 bytes")
        } else {
            format!("{what}: {bytes} bytes at {address:#x} are not in any memory that the program has")
        };
        let below_zero = (bytes as i32) < 0;
        let mut finding = core.finding(Code::L1_BOUNDS, thread, site, message);
        finding.facts.insert("address".into(), format!("{address:#x}"));
        finding.facts.insert("bytes".into(), bytes.to_string());
        if bytes == 0 {
            finding.help =
                Some("start no transfer where there is nothing to move: a core without a share returns first".into());
        }
        if below_zero {
            finding.notes.push(format!("{bytes} is {} as a signed number: a difference went below zero", bytes as i32));
            finding.notes.extend(core.arguments_below_zero(thread));
        }
        self.sink.raise(by.core, site, finding);
        Halt::Stop
    }
}

impl Core {
    /// Says which runtime arguments of a thread look like the difference of a smaller number and a larger one.
    fn arguments_below_zero(&self, thread: Thread) -> Option<String> {
        let [own, _] = self.harts[thread as usize].as_ref()?.argument_counts;
        let offset = self.argument_offset(thread, false);
        let value = |index: u32| self.l1.read_word(offset + 4 * index);
        // Not further below zero than any count of pages: it may be an address, or two bfloat16.
        let index = (0..own).find(|index| value(*index) >= 0xffff_0000)?;
        let value = value(index);
        Some(format!("runtime argument {index} of {thread} on this core is {value}, which is {}", value as i32))
    }
}
