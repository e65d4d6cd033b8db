//! Which findings say why an output is not what is expected, and of which output.
//!
//! Whoever finds such a one is told no second reason. Must never take for one what leaves every value of the run as it is: then the
//! values are still to be explained. Start at [`explains`].

use tileproof_model::finding::{Certainty, Code, Family, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::record::RunRecord;

use super::judge::EXPLAIN_MISSES;
use super::loaded::Loaded;
use crate::output::OutputResult;

/// Findings that leave values as they are: of what nobody uses, of habits that do no harm in this run, and of what the host is asked.
const LEAVES_VALUES: [Code; 10] = [
    Code::SUPPRESSION_UNUSED,
    Code::PAGES_LEFT,
    Code::PAGES_UNREAD,
    Code::INPUT_NOT_READ,
    Code::WRITE_AT_END,
    Code::STORED_AND_SENT,
    Code::FLAG_BEHIND_DATA,
    Code::STALE_LOOK,
    Code::REACHED_OUT,
    Code::LEFT_UNTILIZING,
];

/// Findings about the pages of one output, whose fact `tensor` names it.
const OF_ONE_OUTPUT: [Code; 2] = [Code::OUTPUT_NOT_WRITTEN, Code::PARTLY_WRITTEN];

/// Whether a finding may be why values of this run are not what they should be.
fn changes_values(finding: &Finding) -> bool {
    // What another order of the threads brings out has not happened here.
    finding.certainty != Certainty::CanHappen && !LEAVES_VALUES.contains(&finding.code)
}

/// Whether a finding may be why an output of this run is not what is expected.
fn explains(finding: &Finding, output: &str) -> bool {
    let is_of_another =
        OF_ONE_OUTPUT.contains(&finding.code) && finding.facts.get("tensor").is_some_and(|name| name != output);
    changes_values(finding) && !is_of_another
}

/// Whether a finding speaks of values that are not what they should be: of buffers, memory, order or compute, and no mere suspicion.
/// What was lost may be what an output lacks, and makes no value another.
pub(super) fn spoils_values(finding: &Finding) -> bool {
    finding.certainty != Certainty::Suspect
        && [Family::Buffers, Family::Memory, Family::Order, Family::Compute].contains(&finding.code.family())
        && finding.code != Code::WORK_LOST
        && !LEAVES_VALUES.contains(&finding.code)
}

impl<O: Observer> Loaded<'_, O> {
    /// Whether a finding is one that anybody goes by: what is suppressed is no reason.
    pub(super) fn counts(&self, finding: &Finding) -> bool {
        !self.file.suppressions.iter().any(|suppression| suppression.covers(finding))
    }

    /// Whether an output is not as expected, and nothing was found that may be why.
    pub(super) fn is_open(&self, output: &OutputResult, record: &RunRecord) -> bool {
        let explained = |finding: &Finding| self.counts(finding) && explains(finding, &output.name);
        let becomes_one = |note: &Finding| EXPLAIN_MISSES.contains(&note.code);
        !output.pass && !record.findings.iter().any(explained) && !record.notes.iter().any(becomes_one)
    }

    /// Whether something was found that may be why outputs are wrong, each of them, or may make them so.
    pub(super) fn is_explained(&self, outputs: &[OutputResult], record: &RunRecord) -> bool {
        if outputs.iter().any(|output| !output.pass) {
            return !outputs.iter().any(|output| self.is_open(output, record));
        }
        let is_one = |finding: &Finding| self.counts(finding) && !LEAVES_VALUES.contains(&finding.code);
        record.findings.iter().any(is_one)
    }
}

#[cfg(test)]
mod tests {
    use tileproof_model::finding::Class;

    use super::*;
    use crate::tensor_findings::at_tensor;

    fn finding(code: Code, tensor: &str) -> Finding {
        let place = crate::tensor_findings::nowhere();
        at_tensor(tensor, place, code, String::new(), [("tensor", tensor.to_owned())])
    }

    #[test]
    fn what_leaves_values_as_they_are_explains_none() {
        assert!(explains(&finding(Code::WRONG_FORMAT, "y"), "y"));
        assert!(!explains(&finding(Code::PAGES_UNREAD, "y"), "y"));
        assert!(explains(&finding(Code::WORK_LOST, "y"), "y"));
        let race = Finding { certainty: Certainty::CanHappen, ..finding(Code::UNORDERED, "y") };
        assert!(!explains(&race, "y"));
        // Nothing that is left undefined is among those.
        assert!(LEAVES_VALUES.iter().all(|code| code.class() != Class::Unpredictable));
    }

    #[test]
    fn pages_of_one_output_are_no_reason_for_another() {
        let finding = finding(Code::OUTPUT_NOT_WRITTEN, "y");
        assert!(explains(&finding, "y") && !explains(&finding, "z"));
    }
}
