//! Transfers that are under way, and which of them a schedule holds back.

use tileproof_model::arch::Chip;
use tileproof_model::mixed::mixed;
use tileproof_model::schedule::{Departure, Schedule};
use tileproof_model::thread::{CoreCoord, Thread};

use crate::noc::ends::{Ends, Kind, Transfer};
use crate::noc::traffic::Traffic;
use crate::step::Caller;

/// A transfer that was started.
pub(crate) struct Started {
    pub(crate) by: Caller,
    pub(crate) call: Transfer,
    pub(crate) ends: Ends,
    /// Its transaction id.
    pub(crate) trid: u8,
    /// It writes what is there already, as far as anybody has looked.
    pub(crate) is_same: bool,
}

/// A transfer that is under way.
pub(crate) struct Pending {
    pub(crate) started: Started,
    /// When its last byte arrives.
    pub(crate) at: u64,
    /// What a read has brought.
    pub(crate) data: Vec<u8>,
}

impl Pending {
    pub(crate) fn is_of(&self, by: Caller, noc: u8) -> bool {
        let Started { by: its, call, .. } = &self.started;
        (its.core, its.thread, call.noc) == (by.core, by.thread, noc)
    }

    pub(crate) fn is_read(&self) -> bool {
        self.started.call.is_read()
    }
}

/// When transfers land: at once, or as late as they may, with latencies as they are or drawn.
#[derive(Default)]
pub(crate) struct Deliveries {
    late_reads: bool,
    late_writes: bool,
    /// Of latencies; 0 leaves them as they are.
    latencies: u64,
    /// What transfers share, where they wait for each other.
    pub(crate) traffic: Option<Box<Traffic>>,
    /// Transfers that have been issued and have not landed, in order.
    pub(crate) pending: Vec<Pending>,
}

impl Deliveries {
    /// Those of a schedule on a chip.
    pub(crate) fn of(schedule: &Schedule, chip: &'static Chip) -> Deliveries {
        let mut deliveries = Deliveries::default();
        for departure in &schedule.departures {
            match *departure {
                Departure::LateReads => deliveries.late_reads = true,
                Departure::LateWrites => deliveries.late_writes = true,
                Departure::Latencies(seed) => deliveries.latencies = 1 + u64::from(seed),
                Departure::Contention => deliveries.traffic = Some(Box::new(Traffic::on(chip))),
                // Who goes first is no matter of when transfers land.
                Departure::First(_)
                | Departure::Last(_)
                | Departure::Priorities(_)
                | Departure::Yield(_)
                | Departure::Raise(..) => {}
            }
        }
        deliveries
    }

    /// Whether a transfer lands as late as it may. Words do not: they are there at once.
    #[inline]
    pub(crate) fn holds_back(&self, call: &Transfer) -> bool {
        match call.kind {
            Kind::Read => self.late_reads,
            Kind::Write { .. } | Kind::Multicast { .. } => self.late_writes,
            Kind::InlineWrite { .. } | Kind::Increment { .. } => false,
        }
    }

    /// Whether all transfers land at once and none waits for another.
    #[inline]
    pub(crate) fn are_plain(&self) -> bool {
        !self.late_reads && !self.late_writes && self.traffic.is_none()
    }

    /// Where latencies of a thread begin to be drawn; 0 leaves them as they are.
    pub(crate) fn latency_seed(&self, core: CoreCoord, thread: Thread, noc: usize) -> u64 {
        if self.latencies == 0 {
            return 0;
        }
        let place = u64::from(core.y) << 16 | u64::from(core.x) << 4 | (thread as u64) << 1 | noc as u64;
        mixed(self.latencies << 32 | place) | 1
    }
}
