//! What happens on the way through the gates, for a log with one line an event.
//!
//! Start at [`Event`].

use serde::Serialize;

use tileproof_model::finding::Finding;

use super::gate::{Gate, State};

/// A step of a check.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// A check begins.
    CheckStarted {
        /// The op.
        op: String,
        /// The file that it is about, with the line where one is to blame.
        file: String,
    },
    /// A gate begins.
    GateStarted {
        /// Its number, from 1.
        gate: usize,
        /// Its name.
        name: &'static str,
    },
    /// A condition was probed.
    Probe {
        /// The gate.
        gate: usize,
        /// The condition.
        condition: String,
        /// The file that it is about, with the line where one is to blame.
        file: String,
        /// Whether both sides came out as they must.
        pass: bool,
    },
    /// A program was built.
    Build {
        /// The gate.
        gate: usize,
        /// The call.
        call: String,
        /// The file that it is about, with the line where one is to blame.
        file: String,
        /// Whether it could be.
        pass: bool,
    },
    /// A call was run.
    Run {
        /// The gate.
        gate: usize,
        /// The call.
        call: String,
        /// The data.
        data: String,
        /// The file that it is about, with the line where one is to blame.
        file: String,
        /// How it ended.
        status: String,
        /// Cycles.
        cycles: u64,
        /// Codes of what was found.
        findings: Vec<String>,
        /// Largest error in steps of the output's format, where outputs were compared.
        max_ulp: Option<f64>,
        /// Whether the gate accepts it.
        pass: bool,
    },
    /// A gate ends.
    GateEnded {
        /// Its number.
        gate: usize,
        /// Its name.
        name: &'static str,
        /// Green.
        pass: bool,
        /// What was looked at.
        detail: String,
        /// Why it is red.
        reason: Option<String>,
        /// The file that it is about, with the line where one is to blame.
        file: String,
    },
    /// A check ends.
    CheckEnded {
        /// The op.
        op: String,
        /// All gates are green.
        pass: bool,
        /// Gates that are green.
        green: usize,
    },
}

/// The place of the first finding, or the file that is looked at.
pub(super) fn to_blame(findings: &[Finding], about: &str) -> String {
    let place = findings.first().map(|finding| &finding.primary);
    match place.and_then(|place| place.location.as_ref()) {
        Some(location) => format!("{}:{}", location.file, location.line),
        None => place.map_or(about, |place| &place.kernel).to_string(),
    }
}

impl Event {
    /// `about` is the file that the gate has looked at.
    pub(super) fn gate_ended(gate: &Gate, about: &str) -> Event {
        let findings = gate.failure.as_ref().map_or(&[][..], |failure| &failure.findings);
        Event::GateEnded {
            gate: gate.number,
            name: gate.name,
            pass: gate.state == State::Pass,
            detail: gate.detail.clone(),
            reason: gate.failure.as_ref().map(|failure| failure.reason.clone()),
            file: to_blame(findings, about),
        }
    }
}
