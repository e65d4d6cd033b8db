//! Takes the findings that a program file suppresses out of the verdict, and keeps them beside their reasons.
//! It must never drop one: what is suppressed is listed. Start reading at [`Loaded::suppress`].

use tileproof_model::finding::{Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::record::{RunRecord, Status, Suppressed};

use super::loaded::Loaded;
use super::options::ChosenChecks;
use crate::program_file::Suppression;

/// Suppressions that fit nothing and are told of one by one.
const TOLD: usize = 50;

impl<O: Observer> Loaded<'_, O> {
    /// Moves what is suppressed to its list. A suppression that found nothing is a note, if what it speaks of was looked for.
    pub(super) fn suppress(&self, record: &mut RunRecord, checks: &ChosenChecks) {
        let suppressions = &self.file.suppressions;
        let mut used = vec![false; suppressions.len()];
        let mut suppressed = Vec::new();
        let mut remain = |findings: Vec<Finding>| {
            let mut left = Vec::new();
            for finding in findings {
                match suppressions.iter().position(|suppression| suppression.covers(&finding)) {
                    Some(index) => {
                        used[index] = true;
                        suppressed.push(Suppressed { finding, reason: suppressions[index].reason.clone() });
                    }
                    None => left.push(finding),
                }
            }
            left
        };
        record.findings = remain(std::mem::take(&mut record.findings));
        record.notes = remain(std::mem::take(&mut record.notes));
        record.suppressed = suppressed;
        if record.status == Status::Completed && checks.count(Code::SUPPRESSION_UNUSED) {
            // Whether the order shows is looked for on other schedules only.
            let was_looked_for = |code| checks.count(code) && code != Code::ORDER_SHOWS;
            let unused = suppressions.iter().zip(&used).filter(|(s, used)| !**used && was_looked_for(s.code));
            let unused: Vec<&Suppression> = unused.map(|(suppression, _)| suppression).collect();
            let (told, more) = unused.split_at(unused.len().min(TOLD));
            record.notes.extend(told.iter().map(|suppression| self.unused(suppression)));
            if let Some(first) = more.first() {
                let message = format!("{} more suppressions, from here on, fit nothing in this run", more.len());
                let place = self.place(first.at_line);
                record.notes.push(Finding::new(Code::SUPPRESSION_UNUSED, place, message).fact("more", more.len()));
            }
        }
    }

    fn unused(&self, suppression: &Suppression) -> Finding {
        let message = format!("{} is suppressed here, and this run has none that fits", suppression.code);
        Finding {
            help: Some("take it out, or give the file, line and kernel that the finding has now".into()),
            ..Finding::new(Code::SUPPRESSION_UNUSED, self.place(suppression.at_line), message)
                .fact("suppressed", suppression.code)
        }
    }
}
