//! Findings: what is wrong with a kernel, as data.
//!
//! A finding is never an error of ours: `Err` means that Tileproof failed. Its text is made where the fact is known, once;
//! renderers add nothing. Codes and their classes live in [`codes`].

pub mod codes;

use std::collections::BTreeMap;

pub use codes::{Class, Code, Family};

use crate::kernel::SourceLocation;
use crate::thread::{CoreCoord, Thread};

/// How sure a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Certainty {
    /// Seen in this run.
    Happened,
    /// In another schedule; the token replays it.
    CanHappen,
    /// A heuristic says so.
    Suspect,
}

impl Certainty {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Certainty::Happened => "happened",
            Certainty::CanHappen => "can-happen",
            Certainty::Suspect => "suspect",
        }
    }
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
    /// Something that happened at `primary`. What else is known of it goes into the fields that this leaves empty.
    pub fn new(code: Code, primary: Place, message: impl Into<String>) -> Finding {
        Finding {
            code,
            certainty: Certainty::Happened,
            message: message.into(),
            primary,
            primary_text: String::new(),
            labels: Vec::new(),
            facts: BTreeMap::new(),
            notes: Vec::new(),
            help: None,
            also_on: Vec::new(),
        }
    }

    /// Adds a fact.
    pub fn fact(mut self, name: &str, value: impl ToString) -> Finding {
        self.facts.insert(name.into(), value.to_string());
        self
    }

    /// Same code and places but for the core, and the same message but for its numbers: such findings fold into one.
    pub fn same_site(&self, other: &Finding) -> bool {
        let place = |a: &Place, b: &Place| a.location == b.location && a.thread == b.thread && a.kernel == b.kernel;
        self.code == other.code
            && same_but_for_numbers(&self.message, &other.message)
            && place(&self.primary, &other.primary)
            && self.labels.len() == other.labels.len()
            && self
                .labels
                .iter()
                .zip(&other.labels)
                .all(|(a, b)| place(&a.place, &b.place) && same_but_for_numbers(&a.text, &b.text))
    }
}

/// Whether two texts differ in numbers at most. A number that is part of a name, as in `c_16`, is no number.
fn same_but_for_numbers(a: &str, b: &str) -> bool {
    a == b || words(a).eq(words(b))
}

/// The words of a text, each number as the same word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = |word| if str::starts_with(word, |c: char| c.is_ascii_digit()) { "0" } else { word };
    // "1 page" and "2 pages" are the same word too.
    text.split(move |c: char| !is_part(c)).map(word).map(|word| if word == "pages" { "page" } else { word })
}

/// Folds findings of one site: over cores, and over the turns of a loop, keeping the order in which they were made.
pub fn fold(findings: Vec<Finding>) -> Vec<Finding> {
    let mut folded: Vec<(Finding, usize)> = Vec::new();
    for finding in findings {
        match folded.iter_mut().find(|(first, _)| first.same_site(&finding)) {
            Some((first, others)) => {
                let core = finding.primary.core;
                if core != first.primary.core && !first.also_on.contains(&core) {
                    first.also_on.push(core);
                }
                *others += usize::from(first.message != finding.message);
            }
            None => folded.push((finding, 0)),
        }
    }
    let noted = |(mut finding, others): (Finding, usize)| {
        if others > 0 {
            let times = if others == 1 { "once more".to_string() } else { format!("{others} times more") };
            finding.notes.push(format!("found here {times}, with other numbers"));
        }
        finding
    };
    folded.into_iter().map(noted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(message: &str, line: u32, x: u32) -> Finding {
        let primary = Place {
            location: Some(SourceLocation { file: "reader.cpp".into(), line, column: 5 }),
            kernel: "reader.cpp".into(),
            core: CoreCoord { x, y: 0 },
            thread: Thread::Ncrisc,
        };
        Finding::new(Code::DEADLOCK, primary, message)
    }

    #[test]
    fn one_site_is_one_finding_over_cores_and_turns_of_a_loop() {
        let folded = fold(vec![
            finding("1 page of c_0 is popped", 7, 0),
            finding("2 pages of c_0 is popped", 7, 1),
            finding("2 pages of c_0 is popped", 7, 2),
            finding("2 pages of c_0 is popped", 7, 1),
        ]);
        let [only] = &folded[..] else { panic!("{folded:#?}") };
        assert_eq!(only.also_on, [CoreCoord { x: 1, y: 0 }, CoreCoord { x: 2, y: 0 }]);
        assert_eq!(only.notes, ["found here 3 times more, with other numbers"]);
        // The same on other cores is the same; nothing is said of numbers.
        let folded = fold(vec![finding("1 page of c_0", 7, 0), finding("1 page of c_0", 7, 1)]);
        assert!(folded.len() == 1 && folded[0].notes.is_empty());
    }

    #[test]
    fn another_line_buffer_or_word_is_another_finding() {
        for other in [finding("1 page of c_0", 8, 0), finding("1 page of c_1", 7, 0), finding("1 tile of c_0", 7, 0)] {
            assert_eq!(fold(vec![finding("1 page of c_0", 7, 0), other]).len(), 2);
        }
    }
}
