//! Multicast: one write to the L1 of every core of a rectangle.
//!
//! The address holds the end of the rectangle where a unicast address holds its core, and the start 12 bits higher
//! (tt-metal `get_noc_multicast_addr`). The sender is left out unless it asks for itself. The kernel says how many cores it
//! writes to, and that count is what its barriers wait for: a wrong one is a finding here, a hang or a race on the device.

use tileproof_model::abi::noc_address;
use tileproof_model::finding::Code;
use tileproof_model::observe::Observer;
use tileproof_model::thread::{CoreCoord, CoreRange};
use tileproof_model::wording::count;

use crate::engine::Engine;
use crate::noc::address::{self, Target};
use crate::noc::ends::{Ends, Far, Kind, Reached, Transfer};

use crate::step::{Caller, Halt, Step};

/// How many cores the kernel of a multicast counts, and whether the sender may be one.
fn counted(call: &Transfer) -> (u32, bool) {
    if let Kind::Multicast { dests, loopback } = call.kind { (dests, loopback) } else { (0, false) }
}

impl<O: Observer> Engine<O> {
    /// The cores of the rectangle and the offset in their L1; `None` where a corner is no core, or where the corners are given the
    /// wrong way round. NoC 1 runs the other way round, from the larger coordinates to the smaller ones (ISA documentation,
    /// `NoC/Coordinates.md`).
    fn rectangle(&self, call: &Transfer) -> Option<(CoreRange, u32)> {
        let [(first, _), (last, address)] = self.corners(call);
        let (first, last) = (first?, last?);
        let (start, end) = if call.noc == 0 { (first, last) } else { (last, first) };
        (start.x <= end.x && start.y <= end.y).then_some((CoreRange { start, end }, address))
    }

    /// Start and end of the rectangle as the address has them, with the offset there; `None` for a node that is no core.
    fn corners(&self, call: &Transfer) -> [(Option<CoreCoord>, u32); 2] {
        [call.far >> noc_address::START_SHIFT, call.far].map(|address| match address::decode(self.arch, address) {
            Some(Target::L1 { x, y, address }) => (Some(CoreCoord { x, y }), address),
            _ => (None, 0),
        })
    }

    /// Says what is wrong with a rectangle that is none.
    #[cold]
    fn no_rectangle(&mut self, by: Caller, call: &Transfer) -> Halt {
        let Caller { core, thread, site } = by;
        let nodes = [call.far >> noc_address::START_SHIFT, call.far].map(address::node);
        let [start, end] = nodes.map(|(x, y)| format!("({x}, {y})"));
        let number = call.noc;
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
        self.sink.raise(core, site, finding);
        Halt::Stop
    }

    /// `None` of a call whose rectangle is none.
    fn reached(&self, core: usize, call: &Transfer) -> Option<Reached> {
        let (rectangle, offset) = self.rectangle(call)?;
        let (_, loopback) = counted(call);
        let sender = self.cores[core].coord;
        let cores: Vec<CoreCoord> = rectangle.cores().filter(|c| loopback || *c != sender).collect();
        let running = cores.iter().filter_map(|c| self.core_at(c.x, c.y)).collect();
        let away = match &self.outbound {
            Some(outbound) => cores.iter().filter_map(|c| outbound.other(c.x, c.y)).collect(),
            None => Vec::new(),
        };
        Some(Reached { rectangle, cores, running, away, offset })
    }

    /// The ends of a multicast, once it is known that it reaches what the kernel says.
    pub(crate) fn multicast_ends(&mut self, by: Caller, call: &Transfer) -> Step<Ends> {
        let Some(mut reached) = self.reached(by.core, call) else { return Err(self.no_rectangle(by, call)) };
        let l1 = &self.cores[by.core].l1;
        let local = l1.offset(call.local);
        reached.offset = l1.offset(reached.offset);
        for (what, offset) in [("source of a multicast", local), ("destination of a multicast", reached.offset)] {
            if call.bytes == 0 || !l1.contains(offset, call.bytes) {
                return Err(self.bad_transfer(by, what, u64::from(offset), call.bytes));
            }
        }
        // A core that may reach no other cannot know which of these run.
        if self.claimant.is_some() && self.outbound.is_none() {
            return Err(self.give_up());
        }
        let sender = self.cores[by.core].coord;
        let (count, (dests, _)) = (reached.cores.len() as u64, counted(call));
        if count != u64::from(dests) {
            self.wrong_count(by, reached.rectangle, count, call);
        } else if reached.cores.iter().all(|c| *c == sender) {
            self.alone(by, call);
        }
        Ok(Ends { local, far: Far::Cores(reached) })
    }

    /// tt-metal `dataflow_api.h` leaves open what a multicast does whose one destination is its sender; pull request 9341 saw
    /// that it does nothing, and that one to no core never ends.
    fn alone(&mut self, by: Caller, call: &Transfer) {
        let Caller { core, thread, site } = by;
        let (dests, loopback) = counted(call);
        let message = if loopback {
            "the multicast reaches its sender alone: the device may do nothing, or hang"
        } else {
            "the multicast reaches no core: the device hangs"
        };
        let mut finding = self.cores[core].finding(Code::MULTICAST_ALONE, thread, site, message.into());
        finding.primary_text = format!("num_dests is {}", dests);
        finding.facts.insert("num_dests".into(), dests.to_string());
        finding.help = Some("leave it out on a grid of one core, and copy in L1 what the core needs itself".into());
        self.sink.raise(core, site, finding);
    }

    fn wrong_count(&mut self, by: Caller, rectangle: CoreRange, reached: u64, call: &Transfer) {
        let Caller { core, thread, site } = by;
        let (dests, loopback) = counted(call);
        let CoreRange { start, end } = rectangle;
        let mut finding = self.cores[core].finding(
            Code::MULTICAST_COUNT,
            thread,
            site,
            format!(
                "the multicast reaches {}, the call counts {}: {start} to {end} {} its sender",
                count(reached, "core"),
                dests,
                if loopback { "with" } else { "without" },
            ),
        );
        finding.primary_text = format!("num_dests is {}", dests);
        finding.facts.insert("reached".into(), reached.to_string());
        finding.facts.insert("num_dests".into(), dests.to_string());
        finding.notes.push(
            if u64::from(dests) > reached {
                "on the device the next write barrier waits for acknowledgements that never come"
            } else {
                "on the device the next write barrier ends before the last core has the data"
            }
            .into(),
        );
        finding.help = Some(format!("give num_dests as {reached}"));
        self.sink.raise(core, site, finding);
    }
}
