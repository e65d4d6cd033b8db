//! A finding as JSON.
//!
//! Every fact that the terminal shows is here too. Cores are `[x, y]`; a place that is not known has the kernel's name as
//! its file and line 0. Start at [`FindingDocument::new`].

use std::collections::BTreeMap;

use crate::severity::{self, Severity};
use crate::source::place_in_file;
use serde::{Deserialize, Serialize};
use tileproof_model::finding::{Certainty, Code, Finding};
use tileproof_model::record::Suppressed;

/// One finding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindingDocument {
    /// `TP0601`.
    pub code: String,
    /// Whose fault it is, or how it shows: `Stuck`, `Wrong`, `Undefined`...
    pub class: String,
    /// `happened`, `can-happen` or `suspect`.
    pub certainty: String,
    /// One terse sentence.
    pub message: String,
    /// Logical core, `[x, y]`.
    pub core: [u32; 2],
    /// `BRISC`, `NCRISC`, `UNPACK`, `MATH` or `PACK`.
    pub thread: String,
    /// Source file.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// Other places.
    pub labels: Vec<LabelDocument>,
    /// Numbers and names.
    pub facts: BTreeMap<String, String>,
    /// What to do about it.
    pub help: Option<String>,
    /// Token that replays the run.
    pub schedule: String,
    /// Further cores on which the same was found.
    pub also_on: Vec<[u32; 2]>,
    /// Column, from 1; 0 when unknown.
    pub column: u32,
    /// What the primary place did.
    pub text: String,
    /// Longer remarks.
    pub notes: Vec<String>,
}

/// A finding that the program leaves out of the verdict.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SuppressedDocument {
    /// What was found, field by field.
    #[serde(flatten)]
    pub finding: FindingDocument,
    /// Why that is as it should be.
    pub reason: String,
}

impl SuppressedDocument {
    /// The documents of what one run suppressed.
    pub fn all(suppressed: &[Suppressed], schedule: &str) -> Vec<SuppressedDocument> {
        let document = |s: &Suppressed| SuppressedDocument {
            finding: FindingDocument::new(&s.finding, schedule),
            reason: s.reason.clone(),
        };
        suppressed.iter().map(document).collect()
    }
}

/// Another place that matters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LabelDocument {
    /// Source file.
    pub file: String,
    /// Line, from 1; 0 when unknown.
    pub line: u32,
    /// What happened there.
    pub text: String,
}

impl FindingDocument {
    /// Whether it warns, and is no error: that of a code which is not known is one.
    pub fn warns(&self) -> bool {
        let class = Code::parse(&self.code).map(Code::class);
        class.is_some_and(|class| severity::of(class, self.certainty == Certainty::Suspect.name()) == Severity::Warning)
    }

    /// The document of a finding that the schedule `schedule` brought out.
    pub fn new(finding: &Finding, schedule: &str) -> FindingDocument {
        let (file, line) = place_in_file(&finding.primary);
        FindingDocument {
            code: finding.code.to_string(),
            class: format!("{:?}", finding.code.class()),
            certainty: finding.certainty.name().into(),
            message: finding.message.clone(),
            core: [finding.primary.core.x, finding.primary.core.y],
            thread: finding.primary.thread.name().into(),
            file: file.into(),
            line,
            labels: finding.labels.iter().map(label).collect(),
            facts: finding.facts.clone(),
            help: finding.help.clone(),
            schedule: schedule.into(),
            also_on: finding.also_on.iter().map(|c| [c.x, c.y]).collect(),
            column: finding.primary.location.as_ref().map_or(0, |l| l.column),
            text: finding.primary_text.clone(),
            notes: finding.notes.clone(),
        }
    }

    /// The documents of many findings of one run.
    pub fn all(findings: &[Finding], schedule: &str) -> Vec<FindingDocument> {
        findings.iter().map(|f| FindingDocument::new(f, schedule)).collect()
    }
}

fn label(label: &tileproof_model::finding::Label) -> LabelDocument {
    let (file, line) = place_in_file(&label.place);
    LabelDocument { file: file.into(), line, text: label.text.clone() }
}
