//! Whether one line comes before another: the program is run again with the engine of the order of events asked about both.
//!
//! Start at [`Loaded::asked_why`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tileproof_check::order::why::{CallNumber, LAUNCH, NUMBER, OPEN, Why};
use tileproof_model::finding::{Code, Finding, Place};
use tileproof_model::observe::Observer;
use tileproof_model::program::TensorDescriptor;

use super::diagnose::PADDINGS;
use super::error::RunError;
use super::loaded::Loaded;
use super::options::Line;
use crate::cpp_kernels::Kernels;

/// Lines that a refusal lists.
const LISTED: usize = 12;

impl<O: Observer> Loaded<'_, O> {
    /// What orders two lines, as a note.
    ///
    /// # Errors
    /// If a line makes no call in this run.
    pub(super) fn asked_why(&self, kernels: &Kernels, lines: &[Line; 2]) -> Result<Finding, RunError> {
        let padding = |_: &TensorDescriptor| PADDINGS[0];
        let refused = |why: String| RunError::Why { path: self.file.path.clone(), why };
        let incomplete = || refused("the program does not end when it is run again".into());
        let (_, record) = self.again::<Why>(kernels, &padding, |_| {})?.ok_or_else(incomplete)?;
        let calls: Vec<&Finding> = record.notes.iter().filter(|note| note.code == Code::WHY).collect();
        let chosen = [calls_of(&calls, &lines[0]).map_err(refused)?, calls_of(&calls, &lines[1]).map_err(refused)?];
        let prepare = |why: &mut Why| {
            why.lines = chosen;
            why.names = lines.clone().map(|line| line.to_string());
        };
        let (_, record) = self.again::<Why>(kernels, &padding, prepare)?.ok_or_else(incomplete)?;
        let mut answers: Vec<Finding> = record.notes.into_iter().filter(|note| note.code == Code::WHY).collect();
        // Of several launches the one that leaves something open.
        answers.sort_by_key(|note| !note.facts.contains_key(OPEN));
        let never =
            || refused(format!("{} and {} run in no launch together: launches follow one another", lines[0], lines[1]));
        answers.into_iter().next().ok_or_else(never)
    }
}

/// The calls of a line.
fn calls_of(calls: &[&Finding], line: &Line) -> Result<BTreeSet<CallNumber>, String> {
    let mut lines: BTreeMap<u32, BTreeSet<_>> = BTreeMap::new();
    for call in calls {
        let number = |name: &str| call.facts.get(name).and_then(|text| text.parse::<usize>().ok());
        if let (Some(at), Some(launch), Some(number)) = (in_file(line, &call.primary), number(LAUNCH), number(NUMBER)) {
            lines.entry(at).or_default().insert((launch, number));
        }
    }
    if let Some(calls) = lines.remove(&line.line) {
        return Ok(calls);
    }
    let Some(last) = lines.keys().next_back() else {
        let files: BTreeSet<String> = calls
            .iter()
            .filter_map(|call| call.primary.location.as_ref())
            .filter_map(|location| Path::new(&location.file).file_name()?.to_str().map(String::from))
            .collect();
        let files: Vec<String> = files.into_iter().collect();
        return Err(format!("{line}: no call was made in such a file; calls were made in {}", files.join(", ")));
    };
    let listed: Vec<String> = lines.keys().take(LISTED).map(u32::to_string).collect();
    let more = if lines.len() > LISTED { format!(" .. {last}") } else { String::new() };
    Err(format!(
        "{line}: the line makes no call that touches memory, a buffer or the NoC; these do: {}{more}",
        listed.join(", ")
    ))
}

/// The number of the line that a place is, if it lies in the file.
fn in_file(line: &Line, place: &Place) -> Option<u32> {
    let location = place.location.as_ref()?;
    Path::new(&location.file).ends_with(&line.file).then_some(location.line)
}
