//! What a program file came to.
//!
//! It must never speak of this host but by its clock. Start at [`RunResult`].

use tileproof_model::record::RunRecord;
use tileproof_model::schedule::Schedule;
use tileproof_model::timeline::Timeline;

use crate::error_map::ErrorMap;
use crate::output::OutputResult;
use crate::phases::Phases;

/// What a program came to.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// Status, findings, notes, prints: what depends on the program and the schedule alone.
    pub record: RunRecord,
    /// The outputs, in the order of the file, then what else was expected.
    pub outputs: Vec<OutputResult>,
    /// The schedule that gave all this.
    pub schedule: Schedule,
    /// What exploring came to, when it was asked for. Where a schedule failed, the rest is what that one gave.
    pub explored: Option<Explored>,
    /// How far off outputs are tile by tile, where a timeline was asked for.
    pub errors: Vec<ErrorMap>,
    /// What each thread did when, if it was asked for; or why that is not known.
    pub timeline: Option<Result<Timeline, String>>,
    /// Seconds from the first byte read to the last compared.
    pub wall_s: f64,
    /// What of them a run on the default schedule took for what; zeros where it was another process's.
    pub phases: Phases,
}

impl RunResult {
    /// A run without outputs, on the default schedule.
    pub fn of(record: RunRecord) -> RunResult {
        RunResult {
            record,
            outputs: Vec::new(),
            schedule: Schedule::default(),
            explored: None,
            errors: Vec::new(),
            timeline: None,
            wall_s: 0.0,
            phases: Phases::default(),
        }
    }

    /// True if the program completed, nothing was found and everything came out as expected.
    pub fn pass(&self) -> bool {
        self.record.is_clean() && self.outputs.iter().all(|output| output.pass)
    }
}

/// What exploring came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explored {
    /// Other orders than the default's that were run: schedules on which something came before another than on any other.
    pub schedules: usize,
    /// How many of them were asked for.
    pub of: usize,
    /// Runs that it took: some schedules give an order that another has given.
    pub runs: usize,
    /// These and the default's are all orders that the program leaves open.
    pub are_all: bool,
    /// The schedule on which the program fails as it does not by default, made plain.
    pub failed: Option<Schedule>,
    /// Whether the default schedule passes.
    pub default_passes: bool,
}
