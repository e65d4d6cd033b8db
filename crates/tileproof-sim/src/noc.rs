//! The NoC: addresses, transfers, barriers.
//!
//! A NoC address is `y << 42 | x << 36 | offset`. Compute cores sit at the virtual coordinates of the chip, DRAM banks
//! at one node each. Data moves when a transfer is issued; when it counts as landed is kept for the barrier.

use tileproof_model::abi::{Site, barrier, noc_flag};
use tileproof_model::arch::{Arch, Chip};
use tileproof_model::finding::Code;
use tileproof_model::observe::Observer;
use tileproof_model::thread::Thread;

use crate::core::Core;
use crate::cost;
use crate::doors::Step;
use crate::dram::Access;
use crate::explore::mixed;
use crate::hart::Transfers;
use crate::machine::Engine;
use crate::signals::Sent;

const OFFSET_BITS: u32 = 36;
const COORDINATE_BITS: u32 = 6;
const COORDINATE_MASK: u64 = (1 << COORDINATE_BITS) - 1;

/// What a NoC address points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// A DRAM bank.
    Dram { bank: u32, address: u64 },
    /// L1 of a core, by logical coordinates.
    L1 { x: u32, y: u32, address: u32 },
}

pub(crate) fn encode(x: u32, y: u32, offset: u64) -> u64 {
    u64::from(y) << (OFFSET_BITS + COORDINATE_BITS) | u64::from(x) << OFFSET_BITS | offset
}

/// NoC coordinates of a logical core.
pub(crate) fn core_coordinates(arch: &Chip, x: u32, y: u32) -> (u32, u32) {
    (arch.noc.tensix_origin.0 + x, arch.noc.tensix_origin.1 + y)
}

/// NoC address of byte 0 of a DRAM bank.
pub(crate) fn dram_address(arch: Arch, bank: u32) -> Option<u64> {
    arch.constants().noc.dram_nodes.get(bank as usize).map(|(x, y)| encode(*x, *y, 0))
}

/// The node of an address.
pub(crate) fn node(address: u64) -> (u32, u32) {
    let x = (address >> OFFSET_BITS & COORDINATE_MASK) as u32;
    let y = (address >> (OFFSET_BITS + COORDINATE_BITS) & COORDINATE_MASK) as u32;
    (x, y)
}

pub(crate) fn decode(arch: Arch, address: u64) -> Option<Target> {
    let (x, y) = node(address);
    let offset = address & ((1 << OFFSET_BITS) - 1);
    let constants = arch.constants();
    // Nodes of DRAM may lie in the rectangle of the compute grid: they come first.
    if let Some(bank) = constants.noc.dram_nodes.iter().position(|node| *node == (x, y)) {
        return Some(Target::Dram { bank: bank as u32, address: offset });
    }
    let (ox, oy) = constants.noc.tensix_origin;
    let (x, y) = (x.checked_sub(ox)?, y.checked_sub(oy)?);
    (x < constants.grid.0 && y < constants.grid.1).then_some(Target::L1 { x, y, address: offset as u32 })
}

impl<O: Observer> Engine<O> {
    /// `bytes` bytes from a NoC address to L1.
    #[allow(clippy::too_many_arguments, reason = "those of the C++ call, and who makes it")]
    pub(crate) fn noc_read(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        noc: u32,
        from: u64,
        to: u32,
        bytes: u32,
    ) -> Step {
        let l1 = &self.cores[core].l1;
        let to = l1.offset(to);
        if bytes == 0 || !l1.contains(to, bytes) {
            return self.bad_transfer(core, thread, site, "destination of a NoC read", u64::from(to), bytes);
        }
        let dram = match decode(self.arch, from) {
            Some(Target::Dram { bank, address }) => {
                let Engine { dram, cores, claimant, .. } = self;
                let l1 = &cores[core].l1;
                let mut at = to;
                let access = dram.read(claimant.as_mut(), bank, address, bytes, |piece| {
                    l1.write(at, piece);
                    at += piece.len() as u32;
                });
                match access {
                    Access::Done => true,
                    Access::Conflict => return self.give_up(),
                    Access::Nowhere => {
                        return self.bad_dram_transfer(
                            core,
                            thread,
                            site,
                            "source of a NoC read",
                            (bank, address),
                            bytes,
                        );
                    }
                }
            }
            Some(Target::L1 { x, y, address }) => {
                let Some(other) = self.core_at(x, y) else {
                    return self.bad_transfer(core, thread, site, "source of a NoC read", u64::from(address), bytes);
                };
                let address = self.cores[other].l1.offset(address);
                if !self.cores[other].l1.contains(address, bytes) {
                    return self.bad_transfer(
                        core,
                        thread,
                        site,
                        "source of a NoC read in L1",
                        u64::from(address),
                        bytes,
                    );
                }
                let mut data = vec![0; bytes as usize];
                self.cores[other].l1.read(address, &mut data);
                self.cores[core].l1.write(to, &data);
                false
            }
            None => return self.bad_transfer(core, thread, site, "source of a NoC read", from, bytes),
        };
        let hart = self.cores[core].hart(thread);
        hart.clock += cost::NOC_READ_ISSUE;
        let now = hart.clock;
        let transfers = &mut hart.transfers[noc as usize & 1];
        let done = carry(transfers, now, bytes, dram);
        transfers.reads(done);
        Step::Done
    }

    /// `bytes` bytes from L1 to a NoC address.
    #[allow(clippy::too_many_arguments, reason = "those of the C++ call, and who makes it")]
    pub(crate) fn noc_write(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        noc: u32,
        from: u32,
        to: u64,
        bytes: u32,
        posted: bool,
    ) -> Step {
        let l1 = &self.cores[core].l1;
        let from = l1.offset(from);
        if bytes == 0 || !l1.contains(from, bytes) {
            return self.bad_transfer(core, thread, site, "source of a NoC write", u64::from(from), bytes);
        }
        let mut arrives = None;
        let dram = match decode(self.arch, to) {
            Some(Target::Dram { bank, address }) => {
                let Engine { dram, cores, claimant, .. } = self;
                let l1 = &cores[core].l1;
                let mut at = from;
                let access = dram.write(claimant.as_mut(), bank, address, bytes, |piece| {
                    l1.read(at, piece);
                    at += piece.len() as u32;
                });
                match access {
                    Access::Done => true,
                    Access::Conflict => return self.give_up(),
                    Access::Nowhere => {
                        let what = "destination of a NoC write";
                        return self.bad_dram_transfer(core, thread, site, what, (bank, address), bytes);
                    }
                }
            }
            Some(Target::L1 { x, y, address }) => {
                let Some(other) = self.core_at(x, y) else {
                    return self.bad_transfer(
                        core,
                        thread,
                        site,
                        "destination of a NoC write",
                        u64::from(address),
                        bytes,
                    );
                };
                let address = self.cores[other].l1.offset(address);
                if !self.cores[other].l1.contains(address, bytes) {
                    return self.bad_transfer(
                        core,
                        thread,
                        site,
                        "destination of a NoC write in L1",
                        u64::from(address),
                        bytes,
                    );
                }
                let mut data = vec![0; bytes as usize];
                self.cores[core].l1.read(from, &mut data);
                self.cores[other].l1.write(address, &data);
                arrives = Some((other, address));
                false
            }
            None => return self.bad_transfer(core, thread, site, "destination of a NoC write", to, bytes),
        };
        let hart = self.cores[core].hart(thread);
        hart.clock += cost::NOC_WRITE_ISSUE;
        let now = hart.clock;
        let transfers = &mut hart.transfers[noc as usize & 1];
        let done = carry(transfers, now, bytes, dram);
        if posted {
            transfers.posted_writes();
        } else {
            transfers.writes(done);
        }
        if let Some((other, address)) = arrives {
            let core = self.cores[core].coord;
            self.cores[other].arrived(address, bytes, done, Sent { core, thread, site, added: 0 });
        }
        Step::Done
    }

    pub(crate) fn noc_barrier(&mut self, core: usize, thread: Thread, noc: u32, kind: u32) -> Step {
        if self.explorer.is_some() {
            self.land_at_barrier(core, thread, noc, kind);
        }
        let hart = self.cores[core].hart(thread);
        let transfers = hart.transfers[noc as usize & 1];
        let until = match kind {
            barrier::READS => transfers.reads_at,
            barrier::WRITES => transfers.writes_at,
            barrier::WRITES_FLUSHED => transfers.flushed_at,
            barrier::ATOMICS => transfers.atomics_at,
            // Posted writes have a counter of their own (tt-metal `dataflow_api.h`, `noc_async_posted_writes_flushed`).
            barrier::POSTED_FLUSHED => transfers.posted_at,
            _ => transfers.reads_at.max(transfers.writes_at).max(transfers.atomics_at).max(transfers.posted_at),
        };
        hart.clock = hart.clock.max(until) + cost::BARRIER;
        Step::Done
    }

    /// A barrier on one transaction id.
    pub(crate) fn noc_trid_barrier(&mut self, core: usize, thread: Thread, noc: u32, kind: u32, trid: u32) -> Step {
        if self.explorer.is_some() {
            self.land_at_trid(core, thread, noc, kind, trid);
        }
        let hart = self.cores[core].hart(thread);
        let until = hart.transfers[noc as usize & 1].trid_done_at(kind, trid);
        hart.clock = hart.clock.max(until) + cost::BARRIER;
        Step::Done
    }

    /// The transaction id that a thread's reads, or writes, carry.
    pub(crate) fn trid(&self, core: usize, thread: Thread, noc: u32, is_write: bool) -> u8 {
        let hart = self.cores[core].harts[thread as usize].as_ref();
        hart.map_or(0, |hart| hart.transfers[noc as usize & 1].trids[usize::from(is_write)])
    }

    /// Adds to a word of L1; the addition is seen at once, its acknowledgement later. A posted one has none, so that a barrier has
    /// nothing to wait for (tt-metal `noc_semaphore_inc`, its template argument `posted`).
    pub(crate) fn noc_semaphore_inc(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        noc: u32,
        to: u64,
        value: u32,
    ) -> Step {
        let (noc, posted) = (noc & 1, noc & noc_flag::POSTED != 0);
        let target = match decode(self.arch, to) {
            Some(Target::L1 { x, y, address }) => self.core_at(x, y).map(|other| (other, address)),
            _ => None,
        };
        let Some((other, address)) = target else {
            return self.bad_transfer(core, thread, site, "destination of a semaphore increment", to, 4);
        };
        let l1 = &self.cores[other].l1;
        let address = l1.offset(address);
        if !address.is_multiple_of(4) || !l1.contains(address, 4) {
            return self.bad_transfer(
                core,
                thread,
                site,
                "destination of a semaphore increment",
                u64::from(address),
                4,
            );
        }
        self.uses_semaphore((core, thread), site, other, address);
        if self.explorer.is_some() {
            self.land_writes_of(core, thread, noc);
        }
        let l1 = &self.cores[other].l1;
        l1.write_word(address, l1.read_word(address).wrapping_add(value));
        let hart = self.cores[core].hart(thread);
        hart.clock += cost::NOC_WRITE_ISSUE;
        let now = hart.clock;
        let transfers = &mut hart.transfers[noc as usize & 1];
        let done = carry(transfers, now, 4, false);
        if !posted {
            transfers.atomics(done);
        }
        let core = self.cores[core].coord;
        self.cores[other].arrived(address, 4, done, Sent { core, thread, site, added: value });
        Step::Done
    }

    /// A word that travels in the request itself. DRAM takes none (tt-metal `noc_inline_dw_write`).
    pub(crate) fn noc_inline_write(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        noc: u32,
        value: u32,
        to: u64,
    ) -> Step {
        let target = match decode(self.arch, to) {
            Some(Target::L1 { x, y, address }) => self.core_at(x, y).map(|other| (other, address)),
            _ => None,
        };
        let Some((other, address)) = target else {
            return self.bad_transfer(core, thread, site, "destination of an inline write", to, 4);
        };
        let address = self.cores[other].l1.offset(address);
        if !address.is_multiple_of(4) || !self.cores[other].l1.contains(address, 4) {
            return self.bad_transfer(core, thread, site, "destination of an inline write", u64::from(address), 4);
        }
        if self.explorer.is_some() {
            self.land_writes_of(core, thread, noc);
        }
        self.cores[other].l1.write_word(address, value);
        let hart = self.cores[core].hart(thread);
        hart.clock += cost::NOC_WRITE_ISSUE;
        let now = hart.clock;
        let transfers = &mut hart.transfers[noc as usize & 1];
        let done = carry(transfers, now, 4, false);
        transfers.inline_writes(done);
        let core = self.cores[core].coord;
        self.cores[other].arrived(address, 4, done, Sent { core, thread, site, added: 0 });
        Step::Done
    }

    /// A core on trial meets another: the launch runs again, on one host thread.
    pub(crate) fn give_up(&mut self) -> Step {
        if let Some(claimant) = &self.claimant {
            claimant.claims.give_up();
        }
        Step::Stop
    }

    /// A transfer that reaches no pages of a tensor in DRAM, or not only them.
    fn bad_dram_transfer(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        what: &str,
        (bank, address): (u32, u64),
        bytes: u32,
    ) -> Step {
        let described = self.dram.describe(bank, address, bytes);
        let (x, y) = self.arch.constants().noc.dram_nodes[bank as usize];
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
        self.sink.raise(site, finding);
        Step::Stop
    }

    /// A call that makes one packet of its transfer: says so if it does not fit in one. Nothing checks that on the device
    /// (tt-metal `dataflow_api.h`, `NOC_MAX_BURST_SIZE` of `noc_parameters.h`); here all bytes are moved.
    #[inline]
    pub(crate) fn fits_its_packet(
        &mut self,
        step: &Step,
        (core, thread): (usize, Thread),
        site: Site,
        noc: u32,
        bytes: u32,
    ) {
        if noc & noc_flag::ONE_PACKET != 0 && bytes > self.arch.constants().noc.max_burst && matches!(step, Step::Done)
        {
            self.beyond_a_packet(core, thread, site, bytes);
        }
    }

    #[cold]
    fn beyond_a_packet(&mut self, core: usize, thread: Thread, site: Site, bytes: u32) {
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
        self.sink.raise(site, finding);
    }

    pub(crate) fn bad_transfer(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        what: &str,
        address: u64,
        bytes: u32,
    ) -> Step {
        let core = &self.cores[core];
        if let Some(cb) = core.unconfigured_at(address & u64::from(u32::MAX)) {
            core.no_such_buffer(&mut self.sink, thread, site, cb);
            return Step::Stop;
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
        self.sink.raise(site, finding);
        Step::Stop
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

/// Puts a transfer on the port; when its last byte has arrived.
pub(crate) fn carry(transfers: &mut Transfers, now: u64, bytes: u32, dram: bool) -> u64 {
    let (busy, mut whole) = cost::transfer(bytes, dram);
    if transfers.latencies != 0 {
        whole = drawn(transfers, whole);
    }
    let start = transfers.port_free_at.max(now);
    transfers.port_free_at = start + busy;
    start + whole
}

/// A latency other than the usual one. Between cores of one row or column it is seven tenths of what it is elsewhere
/// (tt-metal `noc_latencies.yaml`: 205 cycles against 293); what other traffic adds has no limit, four times is taken.
#[cold]
fn drawn(transfers: &mut Transfers, usual: u64) -> u64 {
    transfers.latencies = mixed(transfers.latencies) | 1;
    let tenths = if transfers.latencies & 2 == 0 { 7 } else { 7 + (transfers.latencies >> 32) % 34 };
    usual * tenths / 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_decodes_to_what_it_was_made_for() {
        for arch in Arch::ALL {
            let constants = arch.constants();
            for bank in 0..constants.dram_banks {
                let address = dram_address(arch, bank).unwrap() + 4096;
                assert_eq!(decode(arch, address), Some(Target::Dram { bank, address: 4096 }));
            }
            let (x, y) = core_coordinates(constants, 7, 3);
            assert_eq!(decode(arch, encode(x, y, 0x100)), Some(Target::L1 { x: 7, y: 3, address: 0x100 }));
            assert_eq!(dram_address(arch, constants.dram_banks), None);
        }
    }
}
