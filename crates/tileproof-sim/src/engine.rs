//! Everything that a running kernel can reach, and nothing of who runs when.
//!
//! What a call does to it is said in `doors/`, `noc/` and `tensix/`; who goes next in `order.rs`; the loop is in `run.rs`.

use std::sync::Arc;

use tileproof_model::arch::Arch;
use tileproof_model::finding::{Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::record::{Ledger, Print, Status};
use tileproof_model::thread::CoreCoord;

use crate::claims::Claimant;
use crate::core::Core;
use crate::dram::Dram;
use crate::mutation::Mutation;
use crate::noc::outbound::Outbound;
use crate::noc::pending::Deliveries;
use crate::order::Order;
use crate::prints::Prints;
use crate::report::Sink;
use crate::step::{Caller, Halt};

/// What one launch came to.
#[derive(Debug)]
pub struct LaunchOutcome {
    /// How it ended.
    pub status: Status,
    /// Cycles from launch to the end of the last kernel.
    pub cycles: u64,
    /// What was found, not yet folded over cores.
    pub findings: Vec<Finding>,
    /// Remarks of observers that do not fail a run, not yet folded over cores.
    pub notes: Vec<Finding>,
    /// What kernels printed, by time, then core and thread.
    pub prints: Vec<Print>,
    /// What was done with circular buffers and tensors.
    pub ledger: Ledger,
}

/// Everything that a running kernel can reach.
pub(crate) struct Engine<O: Observer> {
    pub(crate) arch: Arch,
    pub(crate) cores: Vec<Core>,
    pub(crate) dram: Arc<Dram>,
    /// Set while the core runs on trial beside others.
    pub(crate) claimant: Option<Claimant>,
    /// What it sends to others then; `None` where it may reach none.
    pub(crate) outbound: Option<Outbound>,
    pub(crate) sink: Sink,
    pub(crate) prints: Prints,
    pub(crate) stopped: bool,
    pub(crate) has_crashed: bool,
    /// The host could not give what a kernel needs to begin.
    pub(crate) host_error: Option<std::io::Error>,
    pub(crate) observer: O,
    /// Turns of threads that are left, where they are limited.
    pub(crate) turns: Option<u64>,
    /// Turns in a row that have changed nothing.
    pub(crate) idle: u32,
    /// Lines printed since the last turn was over.
    pub(crate) printed: u32,
    /// Loads and stores of a kernel's own that observers were shown since then.
    pub(crate) accesses: u32,
    /// Who goes next.
    pub(crate) order: Order,
    /// When transfers land.
    pub(crate) deliveries: Deliveries,
    /// What kernels do otherwise than they say, in runs that nobody observes.
    pub(crate) mutation: Option<Box<Mutation>>,
}

impl<O: Observer> Engine<O> {
    /// An engine on which nothing runs yet.
    pub(crate) fn new(arch: Arch, cores: Vec<Core>, dram: Arc<Dram>) -> Box<Engine<O>> {
        Box::new(Engine {
            arch,
            cores,
            dram,
            claimant: None,
            outbound: None,
            sink: Sink::default(),
            prints: Prints::default(),
            stopped: false,
            has_crashed: false,
            host_error: None,
            observer: O::default(),
            turns: None,
            idle: 0,
            printed: 0,
            accesses: 0,
            order: Order::default(),
            deliveries: Deliveries::default(),
            mutation: None,
        })
    }

    /// Index of the core at logical (x, y), if the launch uses it.
    pub(crate) fn core_at(&self, x: u32, y: u32) -> Option<usize> {
        self.cores.iter().position(|c| c.coord == CoreCoord { x, y })
    }

    /// A kernel ended by a fault of its own, as by an access to the address `reached`.
    pub(crate) fn crashed(&mut self, by: Caller, text: String, reached: Option<u64>) {
        let Caller { core, thread, site } = by;
        let on = &self.cores[core];
        if let Some(cb) = reached.and_then(|address| on.unconfigured_at(address)) {
            on.no_such_buffer(&mut self.sink, thread, site, cb);
            return;
        }
        let mut finding =
            on.finding(Code::KERNEL_CRASHED, thread, site, format!("kernel on {thread} ended abnormally: {text}"));
        finding.primary_text = "last call before the end".into();
        self.sink.raise(core, site, finding);
        self.has_crashed = true;
    }

    /// A kernel asked the host for something, and was refused.
    pub(crate) fn reached_out(&mut self, by: Caller, text: String) {
        let Caller { core, thread, site } = by;
        let mut finding =
            self.cores[core].finding(Code::REACHED_OUT, thread, site, format!("kernel on {thread} was ended: {text}"));
        finding.help = Some("a kernel has its core, its arguments and the NoC, and nothing of the host".into());
        self.sink.raise(core, site, finding);
        self.has_crashed = true;
    }

    /// A core on trial meets another: the launch runs again, on one host thread.
    pub(crate) fn give_up(&mut self) -> Halt {
        if let Some(claimant) = &self.claimant {
            claimant.claims.give_up();
        }
        Halt::Stop
    }

    /// What the run came to; observers may have more to say.
    pub(crate) fn outcome(&mut self, status: Status) -> LaunchOutcome {
        LaunchOutcome {
            status,
            cycles: self.cores.iter().map(|c| c.clock()).max().unwrap_or(0),
            findings: std::mem::take(&mut self.sink.findings),
            notes: std::mem::take(&mut self.sink.notes),
            prints: self.prints.take(),
            ledger: Ledger::default(),
        }
    }
}
