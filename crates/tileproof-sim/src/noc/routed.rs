//! The ways of transfers where those of all cores wait for each other, and whose turn it is to start one.
//!
//! Asked of only where a schedule says so. What is on the ways is in `traffic.rs`. Start at [`Engine::takes_its_turn`].

use tileproof_model::observe::Observer;

use crate::engine::Engine;
use crate::noc::ends::{Far, Kind, Transfer};
use crate::noc::pending::Started;
use crate::noc::traffic::Route;
use crate::step::{Caller, Halt, Step};

impl<O: Observer> Engine<O> {
    /// A transfer begins once no other thread is earlier, and once what it is started with is free again. A command buffer holds one
    /// request (tt-metal `dataflow_api.h`, `noc_cmd_buf_ready`); that of a read is gone at once, and the next write is made ready while
    /// the last one leaves, or writes would not go as fast as they do.
    #[cold]
    #[inline(never)]
    pub(crate) fn takes_its_turn(&mut self, by: Caller, call: &Transfer) -> Step {
        let hart = self.cores[by.core].hart(by.thread);
        if !call.is_read() {
            let sent_at = hart.transfers[usize::from(call.noc)].sent_at();
            hart.wait_until(sent_at.saturating_sub(hart.cycles.l1_write_issue));
        }
        let now = hart.clock;
        if self.order.others_are_earlier(&self.cores, now) { Err(Halt::Turn) } else { Ok(()) }
    }

    /// The way of a transfer; `None` where nothing is shared.
    #[inline]
    pub(crate) fn route(&self, started: &Started) -> Option<Route> {
        if self.deliveries.traffic.is_none() { None } else { self.route_in_traffic(started) }
    }

    #[cold]
    #[inline(never)]
    fn route_in_traffic(&self, started: &Started) -> Option<Route> {
        let traffic = self.deliveries.traffic.as_ref()?;
        let Started { by, call, ends, .. } = started;
        let layout = &traffic.chip.noc;
        let of_core = |core: usize| {
            let coord = self.cores[core].coord;
            layout.place_of_core(coord.x, coord.y)
        };
        let (here, torus, packets) = (of_core(by.core), traffic.torus, call.bytes.div_ceil(layout.max_burst));
        let there = match &ends.far {
            Far::Dram { bank, .. } => layout.dram_nodes[*bank as usize],
            Far::L1 { core, .. } => of_core(*core),
            // Cores whose transfers wait for each other run together.
            Far::Away { .. } => return None,
            Far::Cores(reached) => {
                let places = reached.cores.iter().map(|core| layout.place_of_core(core.x, core.y));
                return Some(Route::new(torus.way(call.noc, here, places), packets, false));
            }
        };
        let is_answer = call.kind == Kind::Read;
        let (from, to) = if is_answer { (there, here) } else { (here, there) };
        Some(Route::new(torus.way(call.noc, from, std::iter::once(to)), packets, is_answer))
    }
}
