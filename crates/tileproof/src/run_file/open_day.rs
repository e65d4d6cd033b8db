//! A program that does not say which day's headers its kernels mean, where its outputs may be wrong for that.
//!
//! Must stay silent of outputs that are as expected: most programs need no day. Start at [`Loaded::open_days`].

use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::observe::Observer;
use tileproof_model::program::{KernelConfig, MathFidelity};
use tileproof_model::record::{ByDay, DayChange, Ledger, RunRecord};

use super::loaded::Loaded;
use crate::output::OutputResult;

/// What says how values are wrong.
const READINGS: [Code; 2] = [Code::DIGITS_LOST, Code::OTHER_FUNCTION];

impl<O: Observer> Loaded<'_, O> {
    /// A note at the first call of each kind whose meaning follows the day, if no day is given, an output is not as expected, and
    /// nothing that was found is why, or that call itself may be.
    pub(super) fn open_days(&self, record: &RunRecord, outputs: &[OutputResult]) -> Vec<Finding> {
        if self.file.api.is_some() || outputs.iter().all(|output| output.pass) {
            return Vec::new();
        }
        let is_open = outputs.iter().any(|output| self.is_open(output, record));
        let mut notes = Vec::new();
        for change in DayChange::ALL {
            let of_change = |ledger: &Ledger| ledger.by_day.iter().find(|by_day| by_day.change == change).cloned();
            let Some(ByDay { place, .. }) = record.ledgers.iter().find_map(of_change) else { continue };
            let explained = match change {
                DayChange::RowSums => !record.findings.iter().any(|finding| self.is_of_row_sums(finding, &place)),
                // What is read off values says how they are wrong, not whether the call is the one that was meant; results that the
                // call itself has lost may come of its meaning another.
                _ => record.findings.iter().any(|finding| {
                    let is_lost = finding.code == Code::WORK_LOST && finding.primary.location == place.location;
                    !is_lost && !READINGS.contains(&finding.code)
                }),
            };
            if is_open || !explained {
                notes.push(note(change, place));
            }
        }
        notes
    }

    /// Whether a finding may come of operands that have changed their places: their formats, or the call itself in few phases.
    fn is_of_row_sums(&self, finding: &Finding, place: &Place) -> bool {
        let exchanged = finding.code == Code::WRONG_FORMAT && finding.primary.kernel == place.kernel;
        exchanged || (self.drops_digits() && finding.primary.location == place.location)
    }

    /// Whether a kernel multiplies in so few phases that it shows which operand is in which register.
    fn drops_digits(&self) -> bool {
        let kernels = self.file.program.launches.iter().flat_map(|launch| &launch.kernels);
        let fidelities = kernels.filter_map(|kernel| match &kernel.config {
            KernelConfig::Compute(config) => Some(config.math_fidelity),
            _ => None,
        });
        fidelities.into_iter().any(|fidelity| matches!(fidelity, MathFidelity::LoFi | MathFidelity::HiFi2))
    }
}

fn note(change: DayChange, place: Place) -> Finding {
    let (call, day) = (change.call(), change.last_day());
    let message = format!("{call} is another on other days' headers, and `api` does not say which");
    let mut note = Finding::new(Code::DAY_OPEN, place, message);
    note.primary_text = change.taken().into();
    note.help = Some(format!(
        "if the kernel was written before, say so in the program file, api = \"{day}\" or its own day: docs/api.md"
    ));
    note
}
