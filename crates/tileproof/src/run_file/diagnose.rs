//! Why an output is wrong: the program is run again, with other padding and with observers that look at values.
//!
//! Of values it must never speak in a program that gives what is expected, nor of an output for which a reason was found: what
//! it sees happens in right kernels too, and a fault that is known may be the reason. Padding is another matter: no right
//! kernel lets it through, and undefined padding may come out as a number by chance. Start reading at
//! [`Loaded::judge_values`].

use std::collections::BTreeSet;

use tileproof_check::values::digits::Digits;
use tileproof_check::values::shadow::{BORNE_OUT, IN_A_REGISTER, OF_THE_OUTPUT, PaddingQuestion, Question};
use tileproof_check::values::trace::Trace;
use tileproof_model::finding::{Certainty, Code, Finding, Label, Place};
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{Launch, Layout, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::wording::figure;
use tileproof_numerics::format::DataFormat;

use super::compared::Compared;
use super::error::RunError;
use super::loaded::Loaded;
use super::options::{ChosenChecks, RunOptions};
use super::reason::spoils_values;
use super::undefined::padding_may_be_stated;
use crate::apart;
use crate::cpp_kernels::Kernels;
use crate::elements;
use crate::output::OutputResult;
use crate::pages::Padding;
use crate::place::place;
use crate::program_file::Expect;
use crate::tensor_findings::at_tensor;
use crate::wanted::Wanted;

/// Longer runs are not repeated: cycles of all launches, on all cores of the largest, where the output is wrong and where it
/// seems right.
const MAX_CYCLES: [u64; 2] = [500_000_000, 50_000_000];
/// From here on it pays to follow one core alone, where one can be.
pub(super) const LONG: u64 = 3_000_000;
/// What padding is set to, in two runs.
pub(super) const PADDINGS: [f32; 2] = [0.0, 3.0];
/// What rules say of the digits of one call, whatever the values were meant to be.
const OF_ONE_CALL: [Code; 3] = [Code::SCALER, Code::STAGNATION, Code::CANCELLATION];
/// Inputs whose padding is looked at one by one, one more run for each; of more only where all the others together show.
const MAX_PADDED: usize = 4;

/// The element that a value is, in a format whose padding can be set.
fn element(format: DataFormat, value: f32) -> Option<u32> {
    match format {
        DataFormat::Float32 => Some(value.to_bits()),
        // The values in use are exact.
        DataFormat::Float16_b => Some(value.to_bits() >> 16),
        _ => None,
    }
}

pub(super) fn has_padding(tensor: &TensorDescriptor) -> bool {
    let side = |from_last: usize| tensor.shape.iter().rev().nth(from_last).map_or(1, |d| *d);
    tensor.layout == Layout::Tile
        && element(tensor.format, 0.0).is_some()
        && !(side(0).is_multiple_of(32) && side(1).is_multiple_of(32))
}

/// What comes of runs that look again: where this host has no room for another, that is said and nothing else. Machines of 64 cores take
/// a quarter of the addresses that there are for L1, and whoever asks has one already.
pub(super) fn unless_no_room(result: Result<(), RunError>, record: &mut RunRecord) -> Result<(), RunError> {
    match result {
        Err(error) if error.is_host() => {
            let what = "whether padding, undefined memory or lost digits show: this host has no room for another run";
            record.not_checked.push(what.into());
            Ok(())
        }
        result => result,
    }
}

/// Takes away what was for the caller alone.
fn without_marks(finding: &mut Finding) {
    for mark in [OF_THE_OUTPUT, BORNE_OUT] {
        finding.facts.remove(mark);
    }
}

impl<O: Observer> Loaded<'_, O> {
    /// Findings and notes about values: NaN and infinity; where `reruns`, also padding and lost digits, for which the program
    /// is run again, on the default schedule.
    pub(super) fn judge_values(
        &self,
        kernels: &Kernels,
        compared: &Compared,
        checks: &ChosenChecks,
        reruns: bool,
        record: &mut RunRecord,
    ) -> Result<(), RunError> {
        let of_values = checks.count(Code::NOT_FINITE);
        if !of_values && !checks.count(Code::DEPENDS_ON_UNDEFINED) {
            return Ok(());
        }
        let outputs = &compared.outputs;
        let (mut findings, notes) = if of_values { self.not_finite(outputs) } else { Default::default() };
        // An output that nobody wrote to the end holds undefined memory, which is said already.
        let in_part = |f: &Finding| {
            record
                .findings
                .iter()
                .any(|g| g.code == Code::PARTLY_WRITTEN && g.facts.get("tensor") == f.facts.get("tensor"))
        };
        findings.retain(|finding| !in_part(finding));
        record.notes.extend(notes.into_iter().filter(|note| !in_part(note)));
        let is_explained = self.is_explained(outputs, record);
        // One cause, one finding: what is undefined or wrong on the way comes out so.
        let counts = |finding: &Finding| self.counts(finding);
        if let Some(cause) = record.findings.iter_mut().find(|finding| counts(finding) && spoils_values(finding)) {
            cause.notes.extend(findings.drain(..).map(|finding| finding.message));
        }
        // What nobody wrote is no result of any operation.
        let is_written = |output: &OutputResult| {
            let tensor = self.file.program.tensors.iter().position(|tensor| tensor.name == output.name);
            tensor.is_none_or(|tensor| self.device.undefined_pages(tensor).is_none())
        };
        let is_open = |output: &OutputResult| self.is_open(output, record) && is_written(output);
        let is_wrong = !findings.is_empty() || outputs.iter().any(is_open);
        if reruns && !is_explained {
            let result = self.look_again(kernels, compared, (is_wrong, checks), record, &mut findings);
            unless_no_room(result, record)?;
            findings.retain(|finding| checks.count(finding.code));
        } else if reruns && of_values && outputs.iter().any(|output| !output.pass) {
            let result = self.second_reason(kernels, compared, record, &mut findings);
            unless_no_room(result, record)?;
        }
        record.findings.extend(findings);
        Ok(())
    }

    /// Questions of outputs that nothing was found about.
    fn open_questions(&self, compared: &Compared, record: &RunRecord) -> Vec<Question> {
        let is_open = |question: &&Question| {
            let name = &self.file.program.tensors[question.tensor].name;
            let output = compared.outputs.iter().find(|output| output.name == *name);
            output.is_none_or(|output| self.is_open(output, record))
        };
        compared.questions.iter().filter(is_open).cloned().collect()
    }

    /// Cycles of a run, over all cores of the launch that has the most.
    pub(super) fn work(&self, record: &RunRecord) -> u64 {
        let cores_of = |launch: &Launch| {
            let ranges = launch.kernels.iter().flat_map(|kernel| &kernel.core_ranges);
            ranges.flat_map(|range| range.cores()).collect::<BTreeSet<_>>().len()
        };
        let cores = self.file.program.launches.iter().map(cores_of).max().unwrap_or(1);
        record.cycles.saturating_mul(cores as u64)
    }

    /// Runs the program again: with other padding, and where an output is wrong for the operation that may be the reason.
    /// `findings` are those about NaN, to which a reason may take the place.
    pub(super) fn look_again(
        &self,
        kernels: &Kernels,
        compared: &Compared,
        (is_wrong, checks): (bool, &ChosenChecks),
        record: &mut RunRecord,
        findings: &mut Vec<Finding>,
    ) -> Result<(), RunError> {
        let work = self.work(record);
        let of_values = checks.count(Code::NOT_FINITE);
        if work > MAX_CYCLES[usize::from(!is_wrong)] {
            let what = if of_values { "padding or lost digits show" } else { "undefined memory shows" };
            record.not_checked.push(format!("whether {what}: the run is too long to repeat"));
            if findings.is_empty() {
                findings.extend(self.not_followed(&self.open_questions(compared, record)));
            }
            return Ok(());
        }
        if of_values {
            let padding = self.padding(kernels)?;
            if !padding.is_empty() {
                *findings = padding;
                return Ok(());
            }
            let is_born = match is_wrong {
                true => self.born(kernels, findings)?,
                false => self.born_unexpected(kernels, &compared.outputs, record)?,
            };
            if is_born {
                return Ok(());
            }
        }
        if checks.count(Code::DEPENDS_ON_UNDEFINED)
            && let Some(mut found) = self.undefined(kernels, record, (work, work > LONG))?
        {
            found.notes.extend(findings.drain(..).map(|finding| finding.message));
            findings.push(found);
            return Ok(());
        }
        if !of_values {
            return Ok(());
        }
        if is_wrong {
            self.wrong_values(kernels, &self.open_questions(compared, record), work > LONG, findings)?;
        } else if record.cycles <= LONG {
            self.audit(kernels, &compared.outputs, work > LONG, record)?;
        } else {
            record.not_checked.push("how many digits are lost: the run is too long".into());
        }
        Ok(())
    }

    /// Why values are wrong: what one call loses, and else what follows from the way of each datum.
    fn wrong_values(
        &self,
        kernels: &Kernels,
        questions: &[Question],
        is_long: bool,
        findings: &mut Vec<Finding>,
    ) -> Result<(), RunError> {
        self.digits(kernels, findings)?;
        if findings.is_empty() {
            *findings = self.explained(kernels, questions, is_long)?;
        } else if matches!(&findings[..], [one] if OF_ONE_CALL.contains(&one.code)) {
            // What a difference of large numbers is left with may have been cut off before it; and what one call loses is no
            // reason for values of another function.
            let is_nearer = |finding: &Finding| match finding.code {
                Code::OTHER_FUNCTION => finding.facts.contains_key(BORNE_OUT),
                _ => findings[0].code == Code::CANCELLATION && finding.facts.contains_key(IN_A_REGISTER),
            };
            let found = self.explained(kernels, questions, is_long)?.into_iter().find(is_nearer);
            if let Some(mut found) = found {
                found.notes.extend(findings.drain(..).map(|finding| finding.message));
                findings.push(found);
            }
        }
        findings.iter_mut().for_each(without_marks);
        Ok(())
    }

    /// What one change of a call would make right, every element of an output, where a reason was found elsewhere: there are two.
    fn second_reason(
        &self,
        kernels: &Kernels,
        compared: &Compared,
        record: &mut RunRecord,
        findings: &mut Vec<Finding>,
    ) -> Result<(), RunError> {
        let work = self.work(record);
        if work > LONG || compared.questions.is_empty() {
            return Ok(());
        }
        let found = self.explained(kernels, &compared.questions, false)?;
        let is_said = |found: &Finding| {
            let line = |place: &Place| place.location.as_ref().map(|at| (at.file.clone(), at.line));
            let at = |place: &Place| line(place) == line(&found.primary);
            record.findings.iter().any(|one| at(&one.primary) || one.labels.iter().any(|label| at(&label.place)))
        };
        let is_another = |finding: &Finding| finding.facts.contains_key(BORNE_OUT) && !is_said(finding);
        findings.extend(found.into_iter().filter(is_another).map(|mut finding| {
            without_marks(&mut finding);
            finding
        }));
        Ok(())
    }

    /// Runs the program again, its inputs padded so. `None` if that does not complete.
    pub(super) fn again<P: Observer>(
        &self,
        kernels: &Kernels,
        padding: &dyn Fn(&TensorDescriptor) -> f32,
        prepare: impl FnOnce(&mut P),
    ) -> Result<Option<(Loaded<'_, P>, RunRecord)>, RunError> {
        let mut run = self.padded::<P>(padding)?;
        prepare(run.device.machine_mut().observer_mut());
        let record = run.launch(kernels)?;
        Ok((record.status == Status::Completed).then_some((run, record)))
    }

    /// The program with its inputs padded so, before it runs.
    pub(super) fn padded<P: Observer>(
        &self,
        padding: &dyn Fn(&TensorDescriptor) -> f32,
    ) -> Result<Loaded<'_, P>, RunError> {
        let undefined = Padding::UNDEFINED.word();
        let word = |tensor: &TensorDescriptor| element(tensor.format, padding(tensor)).unwrap_or(undefined);
        Loaded::<P>::prepare_padded(self.file, &RunOptions { threads: Some(1), ..RunOptions::default() }, &word, None)
    }

    /// A finding for each input whose padding an output depends on.
    fn padding(&self, kernels: &Kernels) -> Result<Vec<Finding>, RunError> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let mut padded: Vec<_> = tensors
            .filter(|(tensor, data)| data.fill.is_some() && data.padding.is_none() && has_padding(tensor))
            .collect();
        let mut findings = Vec::new();
        if padded.is_empty() {
            return Ok(findings);
        }
        let Some((zeros, _)) = self.again::<Unobserved>(kernels, &|_| PADDINGS[0], |_| {})? else {
            return Ok(findings);
        };
        // Where not even all of them together show, none does.
        let names: Vec<&str> = padded.iter().map(|(tensor, _)| tensor.name.as_str()).collect();
        if names.len() > 2 && !self.show_together(kernels, &zeros, &names)? {
            return Ok(findings);
        }
        if !self.show_together(kernels, &zeros, names.get(MAX_PADDED..).unwrap_or_default())? {
            padded.truncate(MAX_PADDED);
        }
        for (tensor, data) in padded {
            let with = |other: &TensorDescriptor| PADDINGS[usize::from(other.name == tensor.name)];
            let Some((other, _)) = self.again::<Unobserved>(kernels, &with, |_| {})? else { break };
            let Some((output, at, values)) = zeros.first_difference(&other) else { continue };
            let output_tensor = &self.file.program.tensors[output];
            let element = at;
            let at = format!("{:?}", place(&output_tensor.shape, at));
            let message = format!("output {} depends on the padding of {}", output_tensor.name, tensor.name);
            let input = self.file.program.tensors.iter().position(|other| other.name == tensor.name).unwrap_or(0);
            let asked = PaddingQuestion { input, output, element };
            let traced = match self.mixed_in(kernels, &with, asked)? {
                Some(mixed) => Some(mixed),
                None => self.first_operation(kernels, &with)?,
            };
            let at_input = || {
                let none: [(&str, String); 0] = [];
                at_tensor(&tensor.name, self.place(data.line), Code::PADDING, String::new(), none)
            };
            let mut finding = traced.unwrap_or_else(at_input);
            finding.certainty = Certainty::Happened;
            finding.message = message;
            finding.facts.insert("tensor".into(), tensor.name.clone());
            finding.facts.insert("output".into(), output_tensor.name.clone());
            finding.notes.insert(
                0,
                format!(
                    "{at} is {} where the padding is {}, and {} where it is {}: the program was run again with both",
                    figure(values[0]),
                    PADDINGS[0],
                    figure(values[1]),
                    PADDINGS[1]
                ),
            );
            finding.notes.push(padding_may_be_stated(&tensor.name));
            finding.help.get_or_insert_with(|| {
                "mask the padding between the last operation that changes it and the sum, as with mask_tile".into()
            });
            findings.push(finding);
        }
        Ok(findings)
    }

    /// Whether an output depends on the padding of any of these inputs, each of which has padding of its own: equal ones may
    /// cancel.
    fn show_together(
        &self,
        kernels: &Kernels,
        zeros: &Loaded<'_, Unobserved>,
        inputs: &[&str],
    ) -> Result<bool, RunError> {
        if inputs.is_empty() {
            return Ok(false);
        }
        let with = |tensor: &TensorDescriptor| {
            let number = inputs.iter().position(|name| *name == tensor.name);
            number.map_or(PADDINGS[0], |number| PADDINGS[1] + 2.0 * number as f32)
        };
        let other = self.again::<Unobserved>(kernels, &with, |_| {})?;
        Ok(other.is_none_or(|(other, _)| zeros.first_difference(&other).is_some()))
    }

    /// The first operation that shows that padding came into data.
    fn first_operation(
        &self,
        kernels: &Kernels,
        with: &dyn Fn(&TensorDescriptor) -> f32,
    ) -> Result<Option<Finding>, RunError> {
        let mut zeros = self.padded::<Trace>(&|_| PADDINGS[0])?;
        let mut other = self.padded::<Trace>(with)?;
        // What the first run has seen does not leave the process that it ran in.
        let found = apart::findings::<RunError>(&self.file.program, kernels, |kernels| {
            if zeros.launch(kernels)?.status != Status::Completed {
                return Ok(Vec::new());
            }
            let seen = std::mem::take(&mut zeros.device.machine_mut().observer_mut().seen);
            other.device.machine_mut().observer_mut().other = seen;
            let record = other.launch(kernels)?;
            Ok(if record.status == Status::Completed { record.findings } else { Vec::new() })
        })?;
        Ok(found.into_iter().find(|finding| finding.code == Code::PADDING))
    }

    /// The first element of an output that differs between two runs: the tensor, the element, both values.
    fn first_difference<P: Observer>(&self, other: &Loaded<'_, P>) -> Option<(usize, usize, [f64; 2])> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors).enumerate();
        tensors.filter(|(_, (_, data))| data.output).find_map(|(i, (tensor, _))| {
            let (a, b) = (self.elements(i)?, other.elements(i)?);
            let at = a.iter().zip(&b).position(|(a, b)| a != b)?;
            Some((i, at, [a[at], b[at]].map(|word| elements::value(tensor.format, word))))
        })
    }

    /// The first operation that loses digits or leaves the range: a finding, or a label of those about NaN.
    fn digits(&self, kernels: &Kernels, findings: &mut Vec<Finding>) -> Result<(), RunError> {
        let mut lengths: Vec<u32> = Vec::new();
        for tensor in &self.file.program.tensors {
            let mut product = 1u32;
            for side in tensor.shape.iter().rev() {
                product = product.saturating_mul(*side);
                lengths.extend([*side, product]);
            }
        }
        lengths.retain(|length| *length > 1);
        let is_infinite = |(expect, wanted): (&Expect, &Option<Wanted>)| {
            let format = self.file.program.tensors[expect.tensor].format;
            let words = wanted.iter().flat_map(|wanted| self.expected_words(expect, Some(wanted)));
            words.into_iter().any(|word| elements::value(format, word).is_infinite())
        };
        let infinity_is_meant = self.file.expects.iter().zip(&self.expected).any(is_infinite);
        let prepare = |digits: &mut Digits| {
            digits.lengths = lengths;
            digits.infinity_is_meant = infinity_is_meant;
        };
        let again = self.again::<Digits>(kernels, &|_| PADDINGS[0], prepare)?;
        let codes = [Code::SCALER, Code::STAGNATION, Code::CANCELLATION, Code::OUT_OF_RANGE];
        let found = again.and_then(|(_, record)| record.findings.into_iter().find(|f| codes.contains(&f.code)));
        match (found, findings.is_empty()) {
            (Some(found), true) => findings.push(found),
            (Some(found), false) if found.code == Code::OUT_OF_RANGE => {
                let label = Label { place: found.primary, text: found.message };
                findings.iter_mut().for_each(|finding| finding.labels.push(label.clone()));
            }
            _ => {}
        }
        Ok(())
    }
}
