//! An output that is wrong for no reason that was found: the program is run again beside exact arithmetic.
//!
//! What came out and what was expected are handed to the observer, which says at the end which call lost the digits, or what
//! the kernel computes instead. It must never be asked where what was found may be why. Start at [`Loaded::explained`].

use tileproof_check::values::scout::Scout;
use tileproof_check::values::shadow::{
    BORN_IN, Home, LOST_IN, OF_THE_OUTPUT, PaddingQuestion, Question, SUSPECT, Shadow, pattern,
};
use tileproof_model::finding::{Certainty, Code, Finding, Label};
use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::{RunRecord, Status};
use tileproof_numerics::error::difference;
use tileproof_numerics::format::DataFormat;

use super::diagnose::{PADDINGS, has_padding};
use super::error::RunError;
use super::loaded::Loaded;
use super::options::Element;
use crate::apart;
use crate::cpp_kernels::Kernels;
use crate::elements;
use crate::output::{Allowed, OutputResult};
use crate::tensor_findings::at_tensor;

/// Whether what differs are bits alone, of which no arithmetic gives a reason.
fn same_numbers(question: &Question) -> bool {
    let Question { found, expected, wrong, .. } = question;
    wrong.iter().all(|at| difference(found[*at], expected[*at]) == 0.0)
}

/// Puts a finding to the call of an earlier launch that it is about; where the last launch takes it up stays as a label.
fn at_its_launch(mut finding: Finding, suspects: &[Finding]) -> Finding {
    let Some(number) = finding.facts.remove(LOST_IN) else { return finding };
    if let Some(suspect) = suspects.iter().find(|suspect| suspect.facts.get(SUSPECT) == Some(&number)) {
        let place = std::mem::replace(&mut finding.primary, suspect.primary.clone());
        let text = std::mem::replace(&mut finding.primary_text, "digits are lost here, in an earlier launch".into());
        finding.labels.insert(0, Label { place, text });
    }
    finding
}

impl<O: Observer> Loaded<'_, O> {
    /// Why outputs are not as expected, as far as the way of their elements tells.
    pub(super) fn explained(
        &self,
        kernels: &Kernels,
        all: &[Question],
        is_long: bool,
    ) -> Result<Vec<Finding>, RunError> {
        let questions: Vec<&Question> = all.iter().filter(|question| !same_numbers(question)).collect();
        if questions.is_empty() {
            const WHY: &str = "its [[expect]] compares bits";
            return Ok(all.iter().map(|question| self.unexplained(question, WHY)).collect());
        }
        let (suspects, found) = self
            .shadowed(kernels, (&questions, &[]), is_long)?
            .into_iter()
            .partition::<Vec<_>, _>(|finding| finding.facts.contains_key(SUSPECT));
        let codes = [Code::DIGITS_LOST, Code::OTHER_FUNCTION];
        let found = found
            .into_iter()
            .filter(|finding| codes.contains(&finding.code))
            .map(|finding| self.at_its_output(at_its_launch(finding, &suspects)));
        let mut found: Vec<Finding> = found.collect();
        for finding in &mut found {
            self.try_fraction(kernels, all, finding)?;
        }
        if found.is_empty() {
            const WHY: &str =
                "its values could not be followed through the units: threads stored or moved them on their own";
            found.extend(all.first().map(|question| self.unexplained(question, WHY)));
        }
        Ok(found)
    }

    /// What the shadow says of outputs that are wrong. Of a long run whose cores have nothing from each other one core is followed.
    fn shadowed(
        &self,
        kernels: &Kernels,
        (questions, audits): (&[&Question], &[usize]),
        is_long: bool,
    ) -> Result<Vec<Finding>, RunError> {
        let homes = self.homes();
        let mut scout = if is_long { Some(self.padded::<Scout>(&|_| PADDINGS[0])?) } else { None };
        let mut run = self.padded::<Shadow>(&|_| PADDINGS[0])?;
        // What a scout has seen does not leave the process that it ran in.
        apart::findings::<RunError>(&self.file.program, kernels, |kernels| {
            if let Some(scout) = &mut scout {
                scout.device.machine_mut().observer_mut().prepare(&homes, questions, audits);
                if scout.launch(kernels)?.status != Status::Completed {
                    return Ok(Vec::new());
                }
                let only = scout.device.machine_mut().observer_mut().core();
                // Without a question it is not worth to follow all.
                if only.is_none() && questions.is_empty() {
                    return Ok(Vec::new());
                }
                run.device.machine_mut().observer_mut().only = only;
            }
            let shadow = run.device.machine_mut().observer_mut();
            (shadow.questions, shadow.audits) = (questions.iter().copied().cloned().collect(), audits.to_vec());
            shadow.prepare(homes.clone(), self.file.program.launches.len());
            // Of outputs that nobody expects anything of a constant is what it is.
            if !questions.is_empty() {
                shadow.take_fractions_as_meant();
            }
            let record = run.launch(kernels)?;
            let all = [record.findings, record.notes].concat();
            Ok(if record.status == Status::Completed { all } else { Vec::new() })
        })
    }

    /// Puts the operation that took in what nothing wrote in the place of the output, where an element that is no number comes
    /// of that; whether one does.
    pub(super) fn born(&self, kernels: &Kernels, findings: &mut [Finding]) -> Result<bool, RunError> {
        let Some(finding) = findings.iter_mut().find(|finding| finding.code == Code::NOT_FINITE) else {
            return Ok(false);
        };
        let tensors = &self.file.program.tensors;
        let is_its = |tensor: &TensorDescriptor| finding.facts.get("tensor").is_some_and(|name| *name == tensor.name);
        let Some(number) = tensors.iter().position(is_its) else { return Ok(false) };
        let words = self.elements(number).unwrap_or_default();
        let no_number = |word: &u32| !elements::value(tensors[number].format, *word).is_finite();
        let Some(element) = words.iter().position(no_number) else { return Ok(false) };
        let prepare = |shadow: &mut Shadow| {
            shadow.not_finite = Some((number, element));
            shadow.prepare(self.homes(), self.file.program.launches.len());
        };
        let again = self.again::<Shadow>(kernels, &|_| f32::NAN, prepare)?;
        let found = again.and_then(|(_, record)| record.findings.into_iter().find(|f| f.code == Code::NOT_FINITE));
        let Some(found) = found else { return Ok(false) };
        let output = Label {
            place: std::mem::replace(&mut finding.primary, found.primary),
            text: std::mem::replace(&mut finding.primary_text, found.primary_text),
        };
        finding.message = format!("{}; {}", finding.message, found.message);
        finding.labels.extend(found.labels);
        finding.labels.push(output);
        finding.labels.extend(self.born_label(found.facts.get(BORN_IN).map(String::as_str)));
        finding.notes = found.notes;
        finding.help = found.help;
        Ok(true)
    }

    /// Makes a finding of a note that an output holds what is no number, where nothing is expected of it and it came of what
    /// nothing wrote; whether one did.
    pub(super) fn born_unexpected(
        &self,
        kernels: &Kernels,
        outputs: &[OutputResult],
        record: &mut RunRecord,
    ) -> Result<bool, RunError> {
        let is_unexpected = |note: &mut Finding| {
            let is_its = |output: &&OutputResult| note.facts.get("tensor").is_some_and(|name| *name == output.name);
            note.code == Code::NOT_FINITE && outputs.iter().find(is_its).is_some_and(|output| output.max_diff.is_none())
        };
        let asked: Vec<Finding> = record.notes.extract_if(.., is_unexpected).collect();
        let mut one_is_born = false;
        // Each for itself: an infinity that arithmetic made is none of a NaN that was never written.
        for mut note in asked {
            let is_born = self.born(kernels, std::slice::from_mut(&mut note))?;
            let list = if is_born { &mut record.findings } else { &mut record.notes };
            list.push(note);
            one_is_born |= is_born;
        }
        Ok(one_is_born)
    }

    /// The outputs of numbers of which nothing is expected.
    fn unexpected(&self, outputs: &[OutputResult]) -> Vec<usize> {
        let is_asked = |tensor: &TensorDescriptor| {
            use DataFormat::*;
            let holds_numbers = matches!(tensor.format, Float32 | Float16 | Float16_b | Bfp8 | Bfp8_b);
            holds_numbers && outputs.iter().any(|o| o.name == tensor.name && o.pass && o.max_diff.is_none())
        };
        let tensors = self.file.program.tensors.iter().enumerate();
        tensors.filter(|(_, tensor)| is_asked(tensor)).map(|(number, _)| number).collect()
    }

    /// Adds to a record how many digits are lost of outputs of which nothing is expected: a finding where it is more than half of
    /// them, else a note.
    pub(super) fn audit(
        &self,
        kernels: &Kernels,
        outputs: &[OutputResult],
        is_long: bool,
        record: &mut RunRecord,
    ) -> Result<(), RunError> {
        let audits = self.unexpected(outputs);
        if audits.is_empty() {
            return Ok(());
        }
        if is_long {
            record.not_checked.push("how many digits are lost, but on one core: the run is too long".into());
        }
        let mut found = self.shadowed(kernels, (&[], &audits), is_long)?;
        found.retain(|finding| finding.code == Code::BITS_LOST);
        let number =
            |finding: &Finding, fact: &str| finding.facts.get(fact).and_then(|text| text.parse().ok()).unwrap_or(0.0);
        let is_more_than_half = |finding: &Finding| number(finding, "lost") > 0.5 * number(finding, "bits");
        let (findings, notes): (Vec<_>, Vec<_>) = found.into_iter().partition(is_more_than_half);
        record.findings.extend(findings);
        record.notes.extend(notes);
        Ok(())
    }

    /// What is said of an output of a run that is too long to be repeated.
    pub(super) fn not_followed(&self, questions: &[Question]) -> Option<Finding> {
        const WHY: &str = "the run is too long to be repeated with its values followed";
        let mut finding = self.unexplained(questions.first()?, WHY);
        finding.facts.remove(OF_THE_OUTPUT);
        Some(finding)
    }

    /// What is said of an output whose way is not known.
    fn unexplained(&self, question: &Question, why: &str) -> Finding {
        let tensor = &self.file.program.tensors[question.tensor];
        let columns = tensor.shape.last().map_or(1, |columns| *columns as usize);
        let pattern = pattern(&question.found, &question.expected, columns);
        let says = if same_numbers(question) {
            "its numbers are those that are expected, in other bits: -0 for 0, or another NaN".into()
        } else {
            pattern.unwrap_or_else(|| {
                "not as expected, and nothing was found that explains it: the kernel computes another function than the expectation".into()
            })
        };
        let message = format!("{}: {says}", tensor.name);
        let line = self.file.tensors[question.tensor].line;
        let elements = question.wrong.len().to_string();
        let facts = [("output", tensor.name.clone()), ("elements", elements), (OF_THE_OUTPUT, true.to_string())];
        Finding {
            certainty: Certainty::Suspect,
            primary_text: self.not_as_it_says().into(),
            notes: vec![why.into()],
            help: Some("compare the kernels with the formula; DPRINT shows tiles on the way".into()),
            ..at_tensor(&tensor.name, self.place(line), Code::OTHER_FUNCTION, message, facts)
        }
    }

    /// Where padding of an input came among the data of an output.
    pub(super) fn mixed_in(
        &self,
        kernels: &Kernels,
        padding: &dyn Fn(&TensorDescriptor) -> f32,
        asked: PaddingQuestion,
    ) -> Result<Option<Finding>, RunError> {
        let prepare = |shadow: &mut Shadow| {
            shadow.padding = Some(asked);
            shadow.prepare(self.homes(), self.file.program.launches.len());
        };
        let again = self.again::<Shadow>(kernels, padding, prepare)?;
        Ok(again.and_then(|(_, record)| record.findings.into_iter().find(|finding| finding.code == Code::PADDING)))
    }

    /// The tensor of an element, and its place in row-major order.
    pub(super) fn element(&self, element: &Element) -> Result<(usize, usize), RunError> {
        let wrong = |why: String| RunError::Follow { path: self.file.path.clone(), why };
        let Element { tensor: name, place } = element;
        let tensors = &self.file.program.tensors;
        let number = tensors.iter().position(|tensor| tensor.name == *name).ok_or_else(|| {
            let names: Vec<&str> = tensors.iter().map(|tensor| tensor.name.as_str()).collect();
            wrong(format!("there is no tensor {name}; the file has {}", names.join(", ")))
        })?;
        let shape = &tensors[number].shape;
        if place.len() != shape.len() || place.iter().zip(shape).any(|(at, side)| at >= side) {
            return Err(wrong(format!("{name}{place:?} is no element: its shape is {shape:?}")));
        }
        let at = place.iter().zip(shape).fold(0, |at, (place, side)| at * *side as usize + *place as usize);
        Ok((number, at))
    }

    /// The recipe of an element, as a note.
    pub(super) fn followed(&self, kernels: &Kernels, element: &Element) -> Result<Finding, RunError> {
        let (number, at) = self.element(element)?;
        let prepare = |shadow: &mut Shadow| {
            shadow.follow = Some((number, at));
            shadow.prepare(self.homes(), self.file.program.launches.len());
        };
        let word = |tensor: &TensorDescriptor| if has_padding(tensor) { f32::NAN } else { PADDINGS[0] };
        let again = self.again::<Shadow>(kernels, &word, prepare)?;
        let note = again.and_then(|(_, record)| record.notes.into_iter().find(|note| note.code == Code::FOLLOWED));
        Ok(note.unwrap_or_else(|| {
            let tensor = &self.file.program.tensors[number];
            let message = format!("{}{:?} cannot be followed: no unit made it", tensor.name, element.place);
            let none: [(&str, String); 0] = [];
            at_tensor(&tensor.name, self.place(self.file.tensors[number].line), Code::FOLLOWED, message, none)
        }))
    }

    /// Whose word an output goes against.
    fn not_as_it_says(&self) -> &'static str {
        if self.compare.is_some() { "not what its reference says" } else { "not what its [[expect]] says" }
    }

    /// Another function is a matter of the output; the calls that made it are labels.
    fn at_its_output(&self, mut finding: Finding) -> Finding {
        let names_no_call = finding.facts.contains_key(OF_THE_OUTPUT);
        let name = finding.facts.get("output").cloned().unwrap_or_default();
        let mut tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        if let Some((_, data)) = tensors.find(|(tensor, _)| tensor.name == name).filter(|_| names_no_call) {
            let call = std::mem::replace(&mut finding.primary, self.place(data.line));
            let text = std::mem::replace(&mut finding.primary_text, self.not_as_it_says().into());
            finding.labels.insert(0, Label { place: call, text });
        }
        finding
    }

    pub(super) fn homes(&self) -> Vec<Home> {
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors).enumerate();
        let home = |(number, (tensor, data)): (usize, (&TensorDescriptor, &crate::program_file::TensorData))| Home {
            tensor: tensor.clone(),
            pages: self.device.pages(number),
            is_filled: data.fill.is_some() || data.standing.as_ref().is_some_and(|standing| standing.holds_something()),
            empty_pages: data.empty_pages(tensor),
            is_padding_stated: data.padding.is_some(),
        };
        tensors.map(home).collect()
    }

    /// The outputs that are not as expected, element by element.
    pub(super) fn questions(&self, outputs: &[OutputResult]) -> Vec<Question> {
        let expects = self.file.expects.iter().zip(&self.expected);
        let asked = expects.filter_map(|(expect, expected)| {
            let tensor = &self.file.program.tensors[expect.tensor];
            let is_wrong = outputs.iter().any(|output| output.name == tensor.name && !output.pass);
            let found = is_wrong.then(|| self.elements(expect.tensor))??;
            let words = self.expected_words(expect, expected.as_ref());
            let bounds = self.bounds.get(&expect.tensor).map(Vec::as_slice);
            let allowed = Allowed::of_words(tensor.format, expect.closeness, bounds);
            let differs = |at: &usize| !allowed.agrees(tensor.format, *at, found[*at], words[*at]);
            let wrong: Vec<usize> = (0..found.len().min(words.len())).filter(differs).collect();
            let values =
                |words: &[u32]| words.iter().map(|word| elements::value(tensor.format, *word)).collect::<Vec<_>>();
            let (expected, found) = (values(&words), values(&found));
            let tolerance = expect.closeness.within();
            (!wrong.is_empty()).then_some(Question { tensor: expect.tensor, expected, found, wrong, tolerance })
        });
        asked.collect()
    }
}
