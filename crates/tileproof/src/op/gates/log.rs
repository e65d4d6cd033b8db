//! The log of a check: a line of JSON an event, with its number, the clock and the decision.
//!
//! It must never differ between equal checks, unless the clock on the wall is asked for. Start at [`Log::line`].

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::events::Event;

/// Which clock the lines of a log bear.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Clock {
    /// Cycles of the device over all runs so far: equal checks have equal logs.
    #[default]
    Run,
    /// The time on the wall beside them.
    Wall,
}

/// A log that is being written.
#[derive(Default, Debug)]
pub struct Log {
    clock: Clock,
    lines: u64,
    cycles: u64,
}

/// A line of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Line<'a> {
    #[serde(flatten)]
    event: &'a Event,
    /// `begin`, `pass` or `fail`.
    decision: &'static str,
    /// From 1.
    number: u64,
    /// Cycles of all runs up to here.
    cycles_so_far: u64,
    /// Seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    unix_s: Option<f64>,
}

impl Log {
    /// An empty log.
    pub fn new(clock: Clock) -> Log {
        Log { clock, ..Log::default() }
    }

    /// The line of the next event.
    pub fn line<'a>(&mut self, event: &'a Event) -> Line<'a> {
        self.lines += 1;
        if let Event::Run { cycles, .. } = event {
            self.cycles += cycles;
        }
        let decision = match event {
            Event::CheckStarted { .. } | Event::GateStarted { .. } => "begin",
            Event::Probe { pass, .. }
            | Event::Build { pass, .. }
            | Event::Run { pass, .. }
            | Event::GateEnded { pass, .. }
            | Event::CheckEnded { pass, .. } => {
                if *pass {
                    "pass"
                } else {
                    "fail"
                }
            }
        };
        let wall = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let unix_s = (self.clock == Clock::Wall).then(wall);
        Line { event, decision, number: self.lines, cycles_so_far: self.cycles, unix_s }
    }
}
