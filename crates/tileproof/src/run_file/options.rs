//! How a program file is run, and what is looked for.
//!
//! It must never change what a program gives. Start at [`RunOptions`].

use std::path::PathBuf;

use tileproof_model::finding::{Code, Family};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::schedule::Schedule;

use crate::fill::Fill;
use crate::isolation::Isolation;
use crate::npy::SaveAs;

/// How a program is run.
#[derive(Clone, Default, Debug)]
pub struct RunOptions {
    /// What is looked for.
    pub checks: ChosenChecks,
    /// Host threads that the machine may spread cores over; all when left out. The result never depends on it.
    pub threads: Option<usize>,
    /// The folder that outputs are saved in, made if it is missing.
    pub save: Option<PathBuf>,
    /// What outputs of bfloat16 are saved as.
    pub save_as: SaveAs,
    /// Values of `[params]`.
    pub parameters: Vec<(String, String)>,
    /// Other data for tensors of the file that have a fill, by their names.
    pub fills: Vec<(String, Fill)>,
    /// What tile padding holds of which nothing says it; NaN when left out.
    pub padding: Option<f64>,
    /// The order of the threads, and when transfers land.
    pub schedule: Schedule,
    /// How many other schedules are tried for one on which the program fails as it does not by default.
    pub explore: usize,
    /// Outputs are as expected where they are off by no more than their operations may lose, whatever tolerance is given.
    pub derived: bool,
    /// An element whose recipe is asked for.
    pub follow: Option<Element>,
    /// Two lines of kernels of which is asked what puts one before the other.
    pub why: Option<[Line; 2]>,
    /// Whether a timeline is wanted, for which the program runs once more.
    pub timeline: bool,
    /// Is told which of how many schedules is run next.
    pub progress: Option<fn(usize, usize)>,
    /// The folder that built kernels are kept in. `None` is the one that the environment names.
    pub cache: Option<PathBuf>,
    /// How kernels in C++ are kept apart from this process; in it when left out.
    pub isolation: Option<Isolation>,
}

/// An element of a tensor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Element {
    /// The tensor.
    pub tensor: String,
    /// Its place in the logical shape.
    pub place: Vec<u32>,
}

impl Element {
    /// Reads `out0[3,7]`.
    ///
    /// # Errors
    /// If it is not so written.
    pub fn parse(text: &str) -> Result<Element, String> {
        let wrong = || format!("\"{text}\": expected an element of a tensor, as out0[3,7]");
        let (tensor, place) = text.strip_suffix(']').and_then(|text| text.split_once('[')).ok_or_else(wrong)?;
        let place =
            place.split(',').map(|number| number.trim().parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
        if tensor.is_empty() { Err(wrong()) } else { Ok(Element { tensor: tensor.into(), place }) }
    }
}

/// A line of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The end of the path of its file: whole names of folders and files.
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl Line {
    /// Reads `reader.cpp:12`.
    ///
    /// # Errors
    /// If it is not so written.
    pub fn parse(text: &str) -> Result<Line, String> {
        let wrong = || format!("\"{text}\": expected a line of a kernel, as reader.cpp:12");
        let (file, line) = text.rsplit_once(':').ok_or_else(wrong)?;
        let line = line.parse().ok().filter(|line| *line > 0).ok_or_else(wrong)?;
        if file.is_empty() { Err(wrong()) } else { Ok(Line { file: file.into(), line }) }
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Which findings count. What ended a run early is always reported.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub enum ChosenChecks {
    /// All.
    #[default]
    All,
    /// None.
    None,
    /// Those of some families.
    Families(Vec<Family>),
}

/// The families of codes that can be chosen.
pub(super) fn families() -> impl Iterator<Item = Family> {
    Family::ALL.iter().copied().filter(|family| family.can_be_chosen())
}

impl std::fmt::Display for ChosenChecks {
    /// As [`ChosenChecks::parse`] reads it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChosenChecks::All => f.write_str("all"),
            ChosenChecks::None => f.write_str("none"),
            ChosenChecks::Families(chosen) => {
                let names = families().filter(|family| chosen.contains(family)).map(Family::name);
                f.write_str(&names.collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl ChosenChecks {
    /// The families that can be chosen, as a sentence names them.
    pub fn families() -> String {
        let shown = families().map(|family| format!("{} (TP{:02})", family.name(), family.number()));
        shown.collect::<Vec<_>>().join(", ")
    }

    /// Reads `all`, `none`, or families with commas between: names, or the two digits after `TP`; `values` is `numerics`.
    ///
    /// # Errors
    /// If a word is none of them; the error lists them.
    pub fn parse(text: &str) -> Result<ChosenChecks, String> {
        match text {
            "all" => return Ok(ChosenChecks::All),
            "none" => return Ok(ChosenChecks::None),
            _ => {}
        }
        let family = |word: &str| {
            let is_meant = |family: &Family| {
                word == family.name()
                    || word == "values" && *family == Family::Numerics
                    || word.trim_start_matches("TP") == format!("{:02}", family.number())
            };
            families().find(is_meant).ok_or_else(|| {
                format!("checks \"{word}\": expected all, none, or families of {}", ChosenChecks::families())
            })
        };
        text.split(',').map(|word| family(word.trim())).collect::<Result<_, _>>().map(ChosenChecks::Families)
    }

    /// Whether observers are needed at all: what the machine finds by itself is filtered only.
    pub(crate) fn observe(&self) -> bool {
        *self != ChosenChecks::None
    }

    /// Leaves those findings and notes in a record that count; all of a run that ended early.
    pub(crate) fn choose(&self, record: &mut RunRecord) {
        let ended_early = record.status != Status::Completed;
        record.findings.retain(|finding| ended_early || self.count(finding.code));
        record.notes.retain(|note| ended_early || self.count(note.code));
    }

    /// True if a finding with this code counts.
    pub fn count(&self, code: Code) -> bool {
        match self {
            ChosenChecks::All => true,
            ChosenChecks::None => false,
            ChosenChecks::Families(families) => families.contains(&code.family()),
        }
    }
}
