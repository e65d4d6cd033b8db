//! From the launches of a program file to a verdict.
//!
//! It must never let what is not looked for change what is found of the rest. Start at [`Loaded::judge`].

use tileproof_model::finding::{Certainty, Code, Finding};
use tileproof_model::observe::Observer;
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::schedule::Schedule;

use super::compared::Compared;
use super::error::RunError;
use super::loaded::Loaded;
use super::options::{ChosenChecks, RunOptions};
use super::order_shows::Elements;
use super::result::RunResult;
use crate::cpp_kernels::Kernels;
use crate::output::OutputResult;

/// Notes of what right kernels do too, and that become findings where an output is not as expected.
pub(super) const EXPLAIN_MISSES: [Code; 4] =
    [Code::DST_OWN_OPERAND, Code::SUM_UNDRAINED, Code::BROADCAST_SCRAMBLED, Code::MAXIMUM_OF_PART];

/// Weighs what is only suspected against the outputs: a miss makes findings of notes that may explain it; where every output
/// has an expectation and meets it, a suspicion is a note.
fn weigh(record: &mut RunRecord, outputs: &[OutputResult], explains: bool) {
    if record.status != Status::Completed {
        return;
    }
    if explains && outputs.iter().any(|output| !output.pass) {
        let (found, notes) =
            std::mem::take(&mut record.notes).into_iter().partition(|note| EXPLAIN_MISSES.contains(&note.code));
        record.findings.extend::<Vec<Finding>>(found);
        record.notes = notes;
    }
    if !outputs.is_empty() && outputs.iter().all(|output| output.pass && output.max_diff.is_some()) {
        let suspected = |finding: &mut Finding| finding.certainty == Certainty::Suspect;
        record.notes.extend(record.findings.extract_if(.., suspected).map(|mut note| {
            note.notes.push("a note: all outputs have expected values, and meet them".into());
            note
        }));
    }
}

impl<O: Observer> Loaded<'_, O> {
    /// Runs the program to its verdict. With `default`, the outputs on the default schedule, others are a finding where
    /// nothing is expected of them. The outputs' elements.
    pub(super) fn judge(
        &mut self,
        kernels: &Kernels,
        default: Option<&[Option<Vec<u32>>]>,
        options: &RunOptions,
    ) -> Result<(RunResult, Elements), RunError> {
        let checks = &options.checks;
        let mut record = self.launched(kernels, checks)?;
        let completed = record.status == Status::Completed;
        // What explains a wrong value happens on the default schedule too, where a value is right: there the order is why.
        let explains = default.is_none();
        if completed {
            self.derive(kernels)?;
        }
        let compared = self.compared(&record, explains && checks.count(Code::NOT_FINITE))?;
        let outputs = &compared.outputs;
        if completed {
            self.judge_values(kernels, &compared, checks, explains, &mut record)?;
        }
        let elements = if completed && self.compares { self.unexpected_elements(outputs) } else { Vec::new() };
        // Who asks for another schedule asks this, whatever the checks.
        if let Some(default) = default {
            record.findings.extend(self.order_shows(default, &elements));
        }
        if explains {
            self.try_deeper(kernels, &mut record);
        }
        weigh(&mut record, outputs, explains);
        if checks.count(Code::DAY_OPEN) {
            record.notes.extend(self.open_days(&record, outputs));
        }
        if let Some(element) = options.follow.as_ref().filter(|_| explains && completed) {
            record.notes.push(self.followed(kernels, element)?);
        }
        if let Some(lines) = options.why.as_ref().filter(|_| explains && completed) {
            record.notes.push(self.asked_why(kernels, lines)?);
        }
        self.suppress(&mut record, checks);
        let not_checked = self.not_checked(&record, outputs, checks);
        record.not_checked.extend(not_checked);
        if let Some(folder) = &options.save
            && completed
        {
            self.save(folder, options.save_as)?;
        }
        let mut errors = Vec::new();
        if options.timeline && completed {
            errors = self.error_maps(compared.errors);
            self.add_recipes(kernels, self.work(&record), &mut errors)?;
        }
        let outputs = compared.outputs;
        let result = RunResult { outputs, errors, schedule: Schedule::default(), ..RunResult::of(record) };
        Ok((result, elements))
    }

    /// The outputs beside what the file, or whoever has a reference, says of them; with questions of those that are wrong where
    /// somebody `asks`.
    fn compared(&self, record: &RunRecord, asks: bool) -> Result<Compared, RunError> {
        let Some(compare) = self.compare else {
            let outputs = self.outputs(record)?;
            let questions = if asks { self.questions(&outputs) } else { Vec::new() };
            return Ok(Compared { outputs, questions, errors: Vec::new() });
        };
        Ok(if record.status == Status::Completed { compare(&self.values()) } else { Compared::default() })
    }

    /// Runs the program, and looks at nothing but the outputs of which nothing is expected.
    pub(super) fn default_elements(&mut self, kernels: &Kernels) -> Result<Elements, RunError> {
        let record = self.launched(kernels, &ChosenChecks::None)?;
        let outputs = self.outputs(&record)?;
        Ok(if record.status == Status::Completed { self.unexpected_elements(&outputs) } else { Vec::new() })
    }

    /// Runs the launches, and says what is wrong with tensors behind them.
    fn launched(&mut self, kernels: &Kernels, checks: &ChosenChecks) -> Result<RunRecord, RunError> {
        let mut record = self.launch(kernels)?;
        if record.status == Status::Completed {
            record.findings.extend(self.unwritten_outputs());
            if checks.count(Code::PARTLY_WRITTEN) {
                record.findings.extend(self.partly_written_outputs());
            }
            record.findings.extend(self.stale_addresses(&record.ledgers));
            record.notes.extend(self.unread_inputs(&record.ledgers));
        }
        checks.choose(&mut record);
        // What was done to the input is said whatever is looked for.
        record.notes.extend(self.rounded_inputs());
        Ok(record)
    }
}
