//! Whether anything that comes out depends on memory that nothing has written: the program is run again with other bytes there.
//!
//! A first run notes whether anything read what is undefined; only then it is run again, and only where that shows are the data
//! followed. It must never speak of two runs that give the same. Start at [`Loaded::undefined`].

use tileproof_check::values::scout::Scout;
use tileproof_check::values::shadow::{BORN_IN, GOES_BY_IT, IS_PADDING, Question, Shadow};
use tileproof_model::finding::{Code, Finding, Label};
use tileproof_model::observe::{Observer, Unobserved};
use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::wording::figure;

use super::error::RunError;
use super::loaded::Loaded;
use super::options::RunOptions;
use crate::apart;
use crate::cpp_kernels::Kernels;
use crate::elements;
use crate::place::place;
use crate::tensor_findings::{at_tensor, nowhere};

/// What undefined memory is filled with in one run after the other: 48.5 in bfloat16 and nearly that in float32, of which an
/// exponential still is a number; 0; and 1e7, more than most data, and less than what masks take away.
const FILLS: [u8; 3] = [0x42, 0, GREAT];
const GREAT: u8 = 0x4b;
/// What it is filled with in the first run: it is what the machine takes.
const FIRST: u8 = 0xff;
/// Turns of threads that a run may take beside those that its work explains: one that goes by what is undefined may not end.
const TURNS: u64 = 200_000;

/// An element of an output that differs between two runs.
struct Difference {
    output: usize,
    element: usize,
    values: [f64; 2],
}

/// Two runs that give other results, and with which bytes.
struct Pair {
    bytes: [u8; 2],
    difference: Option<Difference>,
    /// How the second ended.
    status: Status,
}

/// What a run left in its outputs: the machine that it ran on is let go of, since four of 64 cores are more than there is room for.
struct Left(Vec<Output>);

/// An output after a run.
struct Output {
    /// Its number among the tensors.
    tensor: usize,
    elements: Vec<u32>,
    /// It is an output of the op, of which all pages were written.
    is_whole: bool,
}

/// A word of undefined memory, as an element of a format.
fn word(tensor: &TensorDescriptor, byte: u8) -> u32 {
    let bits = 8 * tensor.format.datum_bytes().unwrap_or(4);
    u32::from_ne_bytes([byte; 4]) & (u32::MAX >> (32 - bits))
}

/// Whether tiles hold more than the data of a tensor of block floats, whose padding a first run takes for zero.
fn has_padded_blocks(tensor: &TensorDescriptor) -> bool {
    let side = |from_last: usize| tensor.shape.iter().rev().nth(from_last).map_or(1, |side| *side);
    tensor.format.is_block_float() && tensor.layout == Layout::Tile && !(side(0) % 32 == 0 && side(1) % 32 == 0)
}

/// Whether a run ended for a reason that is none of the program's: the host ended it, or the model knows no further.
fn says_nothing_of_memory(finding: &Finding) -> bool {
    finding.code == Code::UNIMPLEMENTED || apart::was_ended_by_the_host(finding)
}

impl<O: Observer> Loaded<'_, O> {
    /// A finding if an output, or what a kernel does, depends on what is undefined; a note if that comes to nothing. `work` is
    /// cycles of the run that `record` speaks of, over all cores, and whether that is too long to follow two by the datum.
    pub(super) fn undefined(
        &self,
        kernels: &Kernels,
        record: &mut RunRecord,
        (work, is_long): (u64, bool),
    ) -> Result<Option<Finding>, RunError> {
        if !self.may_be_undefined(record) {
            return Ok(None);
        }
        // Not this run: it may be on another schedule, and there is none where somebody has run the program on a device.
        let (RunRecord { status, cycles, .. }, first) = self.run_with(FIRST, kernels, work)?;
        if status != Status::Completed {
            return Ok(None);
        }
        let mut note = None;
        let mut earlier: Vec<(u8, Left)> = Vec::new();
        for byte in FILLS {
            let (other, left) = self.run_with(byte, kernels, work)?;
            let (status, bytes) = (other.status, [FIRST, byte]);
            if other.findings.iter().any(says_nothing_of_memory) {
                continue;
            }
            let pair = |bytes, difference| Pair { bytes, difference, status };
            if status != Status::Completed {
                return self.where_from(kernels, pair(bytes, None), (work, is_long));
            }
            // Where nothing changes but a NaN in the first, others tell of that.
            let takes_other_time = other.cycles != cycles;
            let before = takes_other_time.then_some((FIRST, &first)).into_iter();
            let mut before = before.chain(earlier.iter().map(|(byte, left)| (*byte, left)));
            let found = before.find_map(|(before, other)| {
                let bytes = [before, byte];
                Some(pair(bytes, Some(self.difference(other, &left, bytes)?)))
            });
            if let Some(pair) = found {
                return self.where_from(kernels, pair, (work, is_long));
            }
            if takes_other_time && note.is_none() {
                note = self.where_from(kernels, pair(bytes, None), (work, is_long))?;
            }
            earlier.push((byte, left));
        }
        record.notes.extend(note);
        Ok(None)
    }

    /// Whether anything has read what is undefined, as far as the first run noted.
    fn may_be_undefined(&self, record: &RunRecord) -> bool {
        let mut tensors = self.file.program.tensors.iter().zip(&self.file.tensors).enumerate();
        record.ledgers.iter().any(|ledger| ledger.reads_undefined)
            || tensors.any(|(number, (tensor, data))| {
                let is_padded = data.fill.is_some() && data.padding.is_none() && has_padded_blocks(tensor);
                let undefined = word(tensor, FIRST);
                let holds = |words: Vec<u32>| words.contains(&undefined);
                // Pages that nobody wrote are told by others, and hold it in a run that has not been.
                let is_written = || self.device.undefined_pages(number).is_none();
                is_padded || data.output && is_written() && self.elements(number).is_some_and(holds)
            })
    }

    /// The program with all undefined memory filled so, before it runs.
    fn filled_with<P: Observer>(&self, byte: u8, work: u64) -> Result<Loaded<'_, P>, RunError> {
        let options = RunOptions { threads: Some(1), ..RunOptions::default() };
        let padding = |_: &TensorDescriptor| u32::from_ne_bytes([byte; 4]);
        let mut run =
            Loaded::<P>::prepare_padded(self.file, &options, &padding, Some(byte).filter(|byte| *byte != FIRST))?;
        run.device.machine_mut().limit_turns(TURNS + work);
        Ok(run)
    }

    /// Runs the program so, and lets go of its machine.
    fn run_with(&self, byte: u8, kernels: &Kernels, work: u64) -> Result<(RunRecord, Left), RunError> {
        let mut run = self.filled_with::<Unobserved>(byte, work)?;
        let record = run.launch(kernels)?;
        let tensors = self.file.program.tensors.iter().zip(&self.file.tensors).enumerate();
        let outputs = tensors.filter(|(_, (_, data))| data.output).filter_map(|(tensor, (descriptor, _))| {
            let is_whole = descriptor.output && run.device.undefined_pages(tensor).is_none();
            Some(Output { tensor, elements: run.elements(tensor)?, is_whole })
        });
        Ok((record, Left(outputs.collect())))
    }

    /// The first element of an output that differs between two runs, with those bytes in undefined memory. What nothing wrote
    /// differs, and is told by others; numbers that only leave the range are no difference, nor are zeros of either sign.
    fn difference(&self, one: &Left, other: &Left, bytes: [u8; 2]) -> Option<Difference> {
        one.0.iter().zip(&other.0).find_map(|(one, other)| {
            let tensor = &self.file.program.tensors[one.tensor];
            let value = |word: u32| elements::value(tensor.format, word);
            let pure = bytes.map(|byte| word(tensor, byte));
            let (a, b) = (&one.elements, &other.elements);
            let element = a.iter().zip(b).position(|(a, b)| {
                let leaves = bytes.contains(&GREAT) && !(value(*a).is_finite() && value(*b).is_finite());
                let is_same = a == b || value(*a) == 0.0 && value(*b) == 0.0;
                !is_same && (one.is_whole || [*a, *b] != pure) && !leaves
            })?;
            Some(Difference { output: one.tensor, element, values: [value(a[element]), value(b[element])] })
        })
    }

    /// Where what two runs differ in comes from.
    fn where_from(
        &self,
        kernels: &Kernels,
        pair: Pair,
        (work, is_long): (u64, bool),
    ) -> Result<Option<Finding>, RunError> {
        // Of a long run two would have to be kept, datum by datum: one core is, or the verdict stands without the place.
        if is_long && pair.difference.is_none() {
            return Ok((pair.status != Status::Completed).then(|| self.told(None, &pair)));
        }
        let at = pair.difference.as_ref().map(|it| (it.output, it.element));
        let [mut one, mut other] =
            [self.filled_with::<Shadow>(pair.bytes[0], work)?, self.filled_with::<Shadow>(pair.bytes[1], work)?];
        let mut scout = if is_long { Some(self.filled_with::<Scout>(pair.bytes[0], work)?) } else { None };
        // What the others have seen does not leave the process that they ran in.
        let found = apart::findings::<RunError>(&self.file.program, kernels, |kernels| {
            let mut only = None;
            if let (Some(scout), Some(Difference { output, element, .. })) = (&mut scout, &pair.difference) {
                let (tensor, wrong) = (*output, vec![*element]);
                let question =
                    Question { tensor, wrong, expected: Vec::new(), found: Vec::new(), tolerance: (0.0, 0.0) };
                scout.device.machine_mut().observer_mut().prepare(&self.homes(), &[&question], &[]);
                scout.launch(kernels)?;
                only = scout.device.machine_mut().observer_mut().core();
                if only.is_none() {
                    return Ok(Vec::new());
                }
            }
            let launches = self.file.program.launches.len();
            let shadow = other.device.machine_mut().observer_mut();
            shadow.only = only;
            shadow.prepare(self.homes(), launches);
            shadow.will_be_seen();
            other.launch(kernels)?;
            let seen = other.device.machine_mut().observer_mut().seen();
            let shadow = one.device.machine_mut().observer_mut();
            shadow.only = only;
            shadow.prepare(self.homes(), launches);
            shadow.compare_with(seen, at);
            Ok(one.launch(kernels)?.findings)
        })?;
        let found = found.into_iter().find(|finding| finding.code == Code::DEPENDS_ON_UNDEFINED);
        // Other cycles alone are no other way.
        if found.is_none() && pair.difference.is_none() && pair.status == Status::Completed {
            return Ok(None);
        }
        Ok(Some(self.told(found, &pair)))
    }

    /// The finding, from what was found of its calls.
    fn told(&self, found: Option<Finding>, pair: &Pair) -> Finding {
        let is = |fact: &str| found.as_ref().is_some_and(|found| found.facts.contains_key(fact));
        let (is_padding, goes_by_it) = (is(IS_PADDING), is(GOES_BY_IT));
        let born_in = found.as_ref().and_then(|found| found.facts.get(BORN_IN).cloned());
        let says = found.as_ref().map(|found| found.message.clone());
        let tensors = &self.file.program.tensors;
        let output =
            pair.difference.as_ref().map(|it| (&tensors[it.output], self.place(self.file.tensors[it.output].line)));
        let of_what = match &born_in {
            Some(tensor) if is_padding => format!("the padding of {tensor}"),
            _ => "memory that nothing has written".into(),
        };
        let says = says.map_or_else(String::new, |says| format!("; {says}"));
        let message = match (&output, pair.status) {
            (Some((output, _)), _) => format!("output {} depends on {of_what}{says}", output.name),
            (None, Status::Completed) => format!("what a kernel does depends on {of_what}{says}"),
            (None, _) => format!("whether the program completes depends on {of_what}{says}"),
        };
        let code = if is_padding && !goes_by_it { Code::PADDING } else { Code::DEPENDS_ON_UNDEFINED };
        let mut finding = match (found, &output) {
            (Some(found), _) => found,
            (None, Some((tensor, place))) => {
                let none: [(&str, String); 0] = [];
                let help = Some("write all that is read; DPRINT shows tiles on the way".into());
                let primary_text = "what it holds is not determined".into();
                Finding { help, primary_text, ..at_tensor(&tensor.name, place.clone(), code, String::new(), none) }
            }
            (None, None) => Finding::new(code, nowhere(), String::new()),
        };
        (finding.code, finding.message) = (code, message);
        finding.facts.retain(|name, _| ![BORN_IN, IS_PADDING, GOES_BY_IT, "cycle"].contains(&name.as_str()));
        finding.labels.extend(self.born_label(born_in.as_deref()));
        if let Some((output, place)) = output.filter(|(_, place)| *place != finding.primary) {
            finding.facts.insert("output".into(), output.name.clone());
            finding.labels.push(Label { place, text: "this output depends on it".into() });
        }
        finding.notes.insert(0, self.both(pair));
        if let Some(tensor) = born_in.filter(|_| is_padding) {
            finding.notes.push(padding_may_be_stated(&tensor));
            finding.facts.insert("tensor".into(), tensor);
        }
        finding
    }

    /// What came out of both runs.
    fn both(&self, Pair { bytes: [one, other], difference, status }: &Pair) -> String {
        const AGAIN: &str = "the program was run again with both";
        let Some(Difference { output, element, values }) = difference else {
            let ends = match status {
                Status::Completed => "a thread makes other calls",
                Status::Deadlock => "nothing can run any more",
                Status::Crashed => "a kernel crashes",
                Status::Stopped => "the run does not end",
            };
            return format!("with bytes of {one:#04x} in undefined memory it completes; with {other:#04x} {ends}");
        };
        let tensor = &self.file.program.tensors[*output];
        let at = format!("{}{:?}", tensor.name, place(&tensor.shape, *element));
        let [first, second] = values.map(figure);
        format!("{at} is {first} with bytes of {one:#04x} in undefined memory, and {second} with {other:#04x}: {AGAIN}")
    }

    /// A label for the tensor that something undefined was in.
    pub(super) fn born_label(&self, name: Option<&str>) -> Option<Label> {
        let mut tensors = self.file.program.tensors.iter().zip(&self.file.tensors);
        let (tensor, data) = tensors.find(|(tensor, _)| Some(tensor.name.as_str()) == name)?;
        let text = if let [(first, last), ..] = data.empty_pages(tensor)[..]
            && data.fill.is_some()
        {
            match first == last {
                true => format!("page {first} of {} holds nothing", tensor.name),
                false => format!("pages {first} to {last} of {} hold nothing", tensor.name),
            }
        } else if data.fill.is_some() {
            format!("what lies beside the data of {} is undefined", tensor.name)
        } else {
            "what it holds before the run is undefined".into()
        };
        Some(Label { place: self.place(data.line), text })
    }
}

/// How to say that a host fills padding.
pub(super) fn padding_may_be_stated(tensor: &str) -> String {
    format!("where the host fills it, say so: padding = \"zero\", or another value, in [[tensor]] {tensor}")
}
