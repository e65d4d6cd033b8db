//! Multicast: one write to the L1 of every core of a rectangle.
//!
//! The address holds the end of the rectangle where a unicast address holds its core, and the start 12 bits higher
//! (tt-metal `get_noc_multicast_addr`). The sender is left out unless it asks for itself. The kernel says how many cores it
//! writes to, and that count is what its barriers wait for: a wrong one is a finding here, a hang or a race on the device.

use tileproof_model::abi::Site;
use tileproof_model::event::{NocPlace, What};
use tileproof_model::finding::Code;
use tileproof_model::observe::Observer;
use tileproof_model::thread::{CoreCoord, CoreRange, Thread};
use tileproof_model::wording::count;

use crate::cost;
use crate::doors::Step;
use crate::machine::Engine;
use crate::noc::{self, Target, carry};
use crate::signals::Sent;

/// Bits between the start of the rectangle and its end.
const START_SHIFT: u32 = 12;

/// A call of the `noc_async_write_multicast` family.
#[derive(Clone, Copy)]
pub(crate) struct Multicast {
    pub(crate) noc: u32,
    pub(crate) from: u32,
    pub(crate) to: u64,
    pub(crate) bytes: u32,
    /// Cores that the kernel counts.
    pub(crate) dests: u32,
    /// The sender is one of them if it lies in the rectangle.
    pub(crate) loopback: bool,
}

/// What a multicast reaches.
pub(crate) struct Reached {
    rectangle: CoreRange,
    /// The cores that it writes to.
    cores: Vec<CoreCoord>,
    /// Those that kernels run on, by their index: the L1 of others nobody looks at.
    pub(crate) running: Vec<usize>,
    pub(crate) address: u32,
}

impl<O: Observer> Engine<O> {
    /// The cores of the rectangle and the offset in their L1; `None` where a corner is no core, or where the corners are given the
    /// wrong way round. NoC 1 runs the other way round, from the larger coordinates to the smaller ones (ISA documentation,
    /// `NoC/Coordinates.md`).
    fn rectangle(&self, call: Multicast) -> Option<(CoreRange, u32)> {
        let [(first, _), (last, address)] = self.corners(call);
        let (first, last) = (first?, last?);
        let (start, end) = if call.noc & 1 == 0 { (first, last) } else { (last, first) };
        (start.x <= end.x && start.y <= end.y).then_some((CoreRange { start, end }, address))
    }

    /// Start and end of the rectangle as the address has them, with the offset there; `None` for a node that is no core.
    fn corners(&self, call: Multicast) -> [(Option<CoreCoord>, u32); 2] {
        [call.to >> START_SHIFT, call.to].map(|address| match noc::decode(self.arch, address) {
            Some(Target::L1 { x, y, address }) => (Some(CoreCoord { x, y }), address),
            _ => (None, 0),
        })
    }

    /// Says what is wrong with a rectangle that is none.
    #[cold]
    fn no_rectangle(&mut self, core: usize, thread: Thread, site: Site, call: Multicast) -> Step {
        let nodes = [call.to >> START_SHIFT, call.to].map(noc::node);
        let [start, end] = nodes.map(|(x, y)| format!("({x}, {y})"));
        let number = call.noc & 1;
        let corners = self.corners(call);
        let corner = |(corner, _): &(Option<CoreCoord>, u32)| corner.is_none();
        let are_cores = !corners.iter().any(corner);
        let message = if are_cores {
            let (from, to) = if number == 0 { ("low", "high") } else { ("high", "low") };
            format!(
                "multicast on NoC {number} from corner {start} to {end}: its rectangle runs from the {from} corner to the {to} one, \
                 so that this one wraps round the chip and reaches other nodes"
            )
        } else {
            let stray = match (corner(&corners[0]), corner(&corners[1])) {
                (true, true) => "both are no cores".to_string(),
                (true, false) => format!("{start} is no core"),
                _ => format!("{end} is no core"),
            };
            format!("multicast on NoC {number} from corner {start} to {end}: {stray} of the grid")
        };
        let mut finding = self.cores[core].finding(Code::L1_BOUNDS, thread, site, message);
        finding.primary_text = format!("rectangle from {start} to {end}");
        finding.facts.insert("start".into(), start);
        finding.facts.insert("end".into(), end);
        finding.facts.insert("noc".into(), number.to_string());
        finding.help = Some(
            if are_cores {
                "exchange start and end in get_noc_multicast_addr, which encodes the corners as they are given"
            } else {
                "give get_noc_multicast_addr NoC coordinates of cores, which the host makes of logical ones"
            }
            .into(),
        );
        self.sink.raise(site, finding);
        Step::Stop
    }

    /// `None` of a call whose rectangle is none.
    pub(crate) fn reached(&self, core: usize, call: Multicast) -> Option<Reached> {
        let (rectangle, address) = self.rectangle(call)?;
        let sender = self.cores[core].coord;
        let cores: Vec<CoreCoord> = rectangle.cores().filter(|c| call.loopback || *c != sender).collect();
        let running = cores.iter().filter_map(|c| self.core_at(c.x, c.y)).collect();
        Some(Reached { rectangle, cores, running, address })
    }

    pub(crate) fn noc_multicast(&mut self, core: usize, thread: Thread, site: Site, call: Multicast) -> Step {
        let Multicast { noc, from, bytes, dests, .. } = call;
        let Some(Reached { rectangle, cores: reached, running, address }) = self.reached(core, call) else {
            return self.no_rectangle(core, thread, site, call);
        };
        let l1 = &self.cores[core].l1;
        let (from, to) = (l1.offset(from), l1.offset(address));
        for (what, offset) in [("source of a multicast", from), ("destination of a multicast", to)] {
            if bytes == 0 || !l1.contains(offset, bytes) {
                return self.bad_transfer(core, thread, site, what, u64::from(offset), bytes);
            }
        }
        // On trial every core runs alone: it cannot reach another.
        if self.claimant.is_some() {
            return self.give_up();
        }
        let sender = self.cores[core].coord;
        if reached.len() as u64 != u64::from(dests) {
            self.wrong_count(core, thread, site, rectangle, reached.len() as u64, call);
        } else if reached.iter().all(|c| *c == sender) {
            self.alone(core, thread, site, call);
        }
        let mut data = vec![0; bytes as usize];
        self.cores[core].l1.read(from, &mut data);
        let hart = self.cores[core].hart(thread);
        hart.clock += cost::NOC_WRITE_ISSUE;
        let now = hart.clock;
        let transfers = &mut hart.transfers[noc as usize & 1];
        let done = carry(transfers, now, cost::MULTICAST_SLOWDOWN * bytes, false);
        transfers.writes(done);
        for other in running.iter().copied() {
            self.cores[other].l1.write(to, &data);
            self.cores[other].arrived(to, bytes, done, Sent { core: sender, thread, site, added: 0 });
            self.saw_multicast((core, thread), site, call, (from, NocPlace::L1(other, to)));
        }
        if running.is_empty() {
            // Its source is in use all the same.
            self.saw_multicast((core, thread), site, call, (from, NocPlace::Dram));
        }
        Step::Done
    }

    /// Shows the write of a multicast to one core.
    fn saw_multicast(&mut self, caller: (usize, Thread), site: Site, call: Multicast, (from, to): (u32, NocPlace)) {
        self.saw(&Step::Done, caller, site, |engine| What::NocWrite {
            noc: call.noc as u8 & 1,
            from,
            to,
            bytes: call.bytes,
            end: engine.noc_end(caller.0, from, call.to, false),
            far: engine.far_buffer(to),
            posted: false,
            multicast: true,
            trid: engine.trid(caller.0, caller.1, call.noc, true),
        });
    }

    /// tt-metal `dataflow_api.h` leaves open what a multicast does whose one destination is its sender; pull request 9341 saw
    /// that it does nothing, and that one to no core never ends.
    fn alone(&mut self, core: usize, thread: Thread, site: Site, call: Multicast) {
        let message = if call.loopback {
            "the multicast reaches its sender alone: the device may do nothing, or hang"
        } else {
            "the multicast reaches no core: the device hangs"
        };
        let mut finding = self.cores[core].finding(Code::MULTICAST_ALONE, thread, site, message.into());
        finding.primary_text = format!("num_dests is {}", call.dests);
        finding.facts.insert("num_dests".into(), call.dests.to_string());
        finding.help = Some("leave it out on a grid of one core, and copy in L1 what the core needs itself".into());
        self.sink.raise(site, finding);
    }

    fn wrong_count(
        &mut self,
        core: usize,
        thread: Thread,
        site: Site,
        rectangle: CoreRange,
        reached: u64,
        call: Multicast,
    ) {
        let CoreRange { start, end } = rectangle;
        let mut finding = self.cores[core].finding(
            Code::MULTICAST_COUNT,
            thread,
            site,
            format!(
                "the multicast reaches {}, the call counts {}: {start} to {end} {} its sender",
                count(reached, "core"),
                call.dests,
                if call.loopback { "with" } else { "without" },
            ),
        );
        finding.primary_text = format!("num_dests is {}", call.dests);
        finding.facts.insert("reached".into(), reached.to_string());
        finding.facts.insert("num_dests".into(), call.dests.to_string());
        finding.notes.push(
            if u64::from(call.dests) > reached {
                "on the device the next write barrier waits for acknowledgements that never come"
            } else {
                "on the device the next write barrier ends before the last core has the data"
            }
            .into(),
        );
        finding.help = Some(format!("give num_dests as {reached}"));
        self.sink.raise(site, finding);
    }
}
