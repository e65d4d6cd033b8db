//! The outputs of a program file, each beside all that the file expects of it.
//! It must never compare anything after a run that ended early. Start reading at [`Loaded::outputs`].

use std::borrow::Cow;
use std::path::Path;

use tileproof_model::observe::Observer;
use tileproof_model::program::{MemoryConfig, TensorDescriptor};
use tileproof_model::record::{RunRecord, Status};

use super::error::{Place, RunError};
use super::loaded::Loaded;
use crate::device::Output;
use crate::elements;
use crate::error_map::ErrorMap;
use crate::fill::FillError;
use crate::filling;
use crate::host_sums;
use crate::npy::{NpyError, SaveAs, Writer};
use crate::output::{Allowed, Comparison, OutputResult};
use crate::program_file::{Expect, Expected};
use crate::wanted::Wanted;

impl<O: Observer> Loaded<'_, O> {
    /// Compares the tensors after the run. Of a run that ended early nothing is compared.
    pub(super) fn outputs(&self, record: &RunRecord) -> Result<Vec<OutputResult>, RunError> {
        let file = self.file;
        let mut results = Vec::new();
        for (i, (tensor, data)) in file.program.tensors.iter().zip(&file.tensors).enumerate() {
            if let Some(sums) = self.sums(i, record)? {
                results.push(sums);
                continue;
            }
            let mut expects =
                file.expects.iter().zip(&self.expected).filter(|(expect, _)| expect.tensor == i).peekable();
            if !data.output && expects.peek().is_none() {
                continue;
            }
            let completed = record.status == Status::Completed;
            let mut result = OutputResult::of(tensor, completed);
            for (expect, expected) in expects.filter(|_| completed) {
                let compared = self.beside_expected(i, expect, expected.as_ref());
                let compared = compared.map_err(|source| self.unreadable(expect, source))?;
                result.add(tensor, compared, &record.ledgers);
            }
            results.push(result);
        }
        Ok(results)
    }

    /// The sums over the rows of a tensor beside what is expected of them, where that is what is expected of it.
    fn sums(&self, tensor: usize, record: &RunRecord) -> Result<Option<OutputResult>, RunError> {
        let mut expects = self.file.expects.iter().zip(&self.expected).filter(|(expect, _)| expect.tensor == tensor);
        let Some((expect, sums, expected)) =
            expects.find_map(|(expect, expected)| Some((expect, expect.sums.as_deref()?, expected.as_ref()?)))
        else {
            return Ok(None);
        };
        let completed = record.status == Status::Completed;
        let mut result = OutputResult::of(sums, completed);
        if completed {
            let terms = self.device.read(&self.file.program.tensors[tensor].name).unwrap_or_default();
            let found = host_sums::sums(&terms, sums.elements());
            let bounds = host_sums::bounds(self.bounds.get(&tensor).map(Vec::as_slice), &found);
            let allowed = Allowed::of_words(sums.format, expect.closeness, bounds.as_deref());
            let wanted = expected.piece(0..sums.elements()).map_err(|source| self.unreadable(expect, source))?;
            let words: Vec<u32> = found.iter().map(|sum| elements::nearest(sums.format, f64::from(*sum))).collect();
            let mut compared = Comparison::default();
            compared.add(sums.format, &words, &wanted, allowed);
            result.add(sums, compared, &[]);
        }
        Ok(Some(result))
    }

    /// The outputs and their values; of a format that holds no values there is nothing to compare.
    pub(super) fn values(&self) -> Vec<Output> {
        let outputs = self.file.program.tensors.iter().filter(|tensor| tensor.output);
        outputs.filter_map(|tensor| Some((tensor.clone(), self.device.read(&tensor.name).ok()?))).collect()
    }

    /// The elements of a tensor beside those that are expected, piece by piece.
    fn beside_expected(
        &self,
        tensor: usize,
        expect: &Expect,
        expected: Option<&Wanted>,
    ) -> Result<Comparison, FillError> {
        let mut found = Left::of(self, tensor);
        let mut other = match &expect.values {
            Expected::SameAs(other) if expected.is_none() => Some(Left::of(self, *other)),
            _ => None,
        };
        let mut compared = Comparison::default();
        let bounds = self.bounds.get(&tensor).map(Vec::as_slice);
        let allowed = Allowed::of_words(found.tensor.format, expect.closeness, bounds);
        let mut element = 0;
        for piece in found.pieces(other.as_ref()) {
            let elements = element..element + piece.elements();
            element = elements.end;
            let words = match (expected, &mut other) {
                (Some(expected), _) => expected.piece(elements)?,
                (None, Some(left)) => elements::converted(left.next(&piece), left.tensor.format, found.tensor.format),
                (None, None) => Vec::new(),
            };
            compared.add(found.tensor.format, &found.next(&piece), &words, allowed);
        }
        Ok(compared)
    }

    /// How far off each tensor is of which something is expected, behind those that are `known`.
    pub(super) fn error_maps(&self, known: Vec<ErrorMap>) -> Vec<ErrorMap> {
        let mut maps = known;
        for (expect, expected) in self.file.expects.iter().zip(&self.expected) {
            let tensor = &self.file.program.tensors[expect.tensor];
            let Some(found) = self.elements(expect.tensor) else { continue };
            let wanted = self.expected_words(expect, expected.as_ref());
            let value = |word: &u32| elements::value(tensor.format, *word);
            maps.extend(ErrorMap::of(tensor, found.iter().map(value).zip(wanted.iter().map(value))));
        }
        maps
    }

    /// The elements that are expected of a tensor, all of them.
    pub(super) fn expected_words(&self, expect: &Expect, expected: Option<&Wanted>) -> Vec<u32> {
        let tensor = expect.sums.as_deref().unwrap_or(&self.file.program.tensors[expect.tensor]);
        match (expected, &expect.values) {
            // They were read once.
            (Some(expected), _) => expected.piece(0..tensor.elements()).unwrap_or_default(),
            (None, Expected::SameAs(other)) => {
                let words = self.elements(*other).unwrap_or_default();
                elements::converted(words, self.file.program.tensors[*other].format, tensor.format)
            }
            (None, Expected::Fill(_) | Expected::Formula(_)) => Vec::new(),
        }
    }

    /// The error of a file that was there before the run.
    fn unreadable(&self, expect: &Expect, source: FillError) -> RunError {
        RunError::Expect { place: Place { path: self.file.path.clone(), line: expect.line }, source: source.into() }
    }

    /// Saves the elements of a tensor, piece by piece.
    pub(super) fn save_tensor(&self, tensor: usize, path: &Path, save_as: SaveAs) -> Result<(), NpyError> {
        let mut left = Left::of(self, tensor);
        let mut writer = Writer::new(path, &left.tensor.shape, left.tensor.format, save_as)?;
        for piece in left.pieces(None) {
            writer.add(&left.next(&piece))?;
        }
        writer.finish()
    }
}

/// What a run left in a tensor, from the first element on.
pub(super) struct Left<'a> {
    tensor: &'a TensorDescriptor,
    bytes: Cow<'a, [u8]>,
    /// The next byte of it.
    at: usize,
}

impl<'a> Left<'a> {
    pub(super) fn of<O: Observer>(loaded: &'a Loaded<'_, O>, tensor: usize) -> Left<'a> {
        Left { tensor: &loaded.file.program.tensors[tensor], bytes: loaded.device.bytes(tensor), at: 0 }
    }

    /// The pieces in which it is looked at, beside another of its shape. Pages of shards lie in an order of their own, and
    /// what is in L1 is small.
    pub(super) fn pieces(&self, other: Option<&Left<'_>>) -> Vec<TensorDescriptor> {
        let in_dram = |left: &Left<'_>| left.tensor.memory == MemoryConfig::Dram;
        let is_cut =
            in_dram(self) && other.is_none_or(|other| in_dram(other) && other.tensor.shape == self.tensor.shape);
        if is_cut { filling::pieces(self.tensor) } else { vec![self.tensor.clone()] }
    }

    /// The elements of the next piece; none of a format that the host does not decode.
    pub(super) fn next(&mut self, piece: &TensorDescriptor) -> Vec<u32> {
        let whole = piece.elements() == self.tensor.elements();
        let shape = if whole { &self.tensor.shape } else { &piece.shape };
        let piece = TensorDescriptor { shape: shape.clone(), ..self.tensor.clone() };
        let bytes = &self.bytes[self.at..][..piece.bytes()];
        self.at += bytes.len();
        elements::decode(&piece, bytes).unwrap_or_default()
    }
}
