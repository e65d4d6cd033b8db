//! Findings: what is wrong with a kernel, as data.
//!
//! A finding is never an error of ours: `Err` means that Tileproof failed. Its text is made where the fact is known, once;
//! renderers add nothing. Codes and their classes live in [`codes`].

pub mod codes;

use std::collections::BTreeMap;

use serde::Serialize;

pub use codes::{Class, Code};

use crate::kernel::SourceLocation;
use crate::thread::{CoreCoord, Thread};

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// Seen in this run.
    Happened,
    /// In another schedule; the token replays it.
    CanHappen,
    /// A heuristic says so.
    Suspect,
}

/// A place that a finding speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Source file and line; `None` when the site could not be resolved.
    pub location: Option<SourceLocation>,
    /// The kernel that was running.
    pub kernel: String,
    /// Core.
    pub core: CoreCoord,
    /// Thread.
    pub thread: Thread,
}

/// Another place that matters, with what happened there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub place: Place,
    /// What happened there.
    pub text: String,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Registered code.
    pub code: Code,
    /// How sure it is.
    pub certainty: Certainty,
    /// One terse sentence.
    pub message: String,
    /// The place to blame.
    pub primary: Place,
    /// What the primary place did, a few words under its source line.
    pub primary_text: String,
    /// Other places, in order of time where that means something.
    pub labels: Vec<Label>,
    /// Numbers and names: CB, page, Dst index, address, cycle.
    pub facts: BTreeMap<String, String>,
    /// Longer remarks, one a line.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Further cores on which the same was found.
    pub also_on: Vec<CoreCoord>,
}

impl Finding {
    /// Same code, message and places but for the core: such findings fold into one.
    pub fn same_site(&self, other: &Finding) -> bool {
        let place = |a: &Place, b: &Place| a.location == b.location && a.thread == b.thread && a.kernel == b.kernel;
        self.code == other.code
            && self.message == other.message
            && place(&self.primary, &other.primary)
            && self.labels.len() == other.labels.len()
            && self.labels.iter().zip(&other.labels).all(|(a, b)| place(&a.place, &b.place) && a.text == b.text)
    }
}

/// Folds findings that differ by core only, keeping the order in which they were made.
pub fn fold(findings: Vec<Finding>) -> Vec<Finding> {
    let mut folded: Vec<Finding> = Vec::new();
    for finding in findings {
        match folded.iter_mut().find(|f| f.same_site(&finding)) {
            Some(first) => {
                let core = finding.primary.core;
                if core != first.primary.core && !first.also_on.contains(&core) {
                    first.also_on.push(core);
                }
            }
            None => folded.push(finding),
        }
    }
    folded
}
