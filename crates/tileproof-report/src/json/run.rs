//! The document of `tileproof run`.
//!
//! The caller fills it; nothing is worked out here. `wall_s` is the only field that differs between equal runs.

use serde::{Deserialize, Serialize};
use tileproof_model::finding::Finding;
use tileproof_model::kernel::SourceLocation;
use tileproof_model::record::{BufferAction, BufferCall, BufferLedger, Ledger, Print, TensorLedger};
use tileproof_model::wording::cb_name;

use super::{FindingDocument, SuppressedDocument};

/// What a run of a program came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunDocument {
    /// `completed`, `deadlock`, `crashed` or `stopped`; `refused` if it did not begin.
    pub status: String,
    /// Cycles of the device.
    pub cycles: u64,
    /// Seconds on the host.
    pub wall_s: f64,
    /// Outputs.
    pub outputs: Vec<RunOutput>,
    /// Errors and warnings.
    pub findings: Vec<FindingDocument>,
    /// Remarks that do not fail a run.
    pub notes: Vec<FindingDocument>,
    /// Findings and notes that the program suppresses, each with its reason.
    #[serde(default)]
    pub suppressed: Vec<SuppressedDocument>,
    /// What no check of this run could see, a phrase each.
    #[serde(default)]
    pub not_checked: Vec<String>,
    /// Circular buffers, by launch and index.
    pub ledger: Vec<LedgerEntry>,
    /// Tensors, by launch and in the order of their allocation.
    pub tensors: Vec<TensorEntry>,
    /// What kernels printed, by time.
    pub prints: Vec<PrintEntry>,
    /// The schedule that gave all this.
    #[serde(default)]
    pub schedule: String,
    /// What exploring came to; left out where it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explored: Option<ExploredDocument>,
}

/// What could not be run: bad usage or bad input, of any command.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RefusedDocument {
    /// Why, in one text; the findings are the same piece by piece.
    pub error: String,
    /// Always false.
    pub pass: bool,
    /// A run with the status `refused`, of which nothing is known but its findings.
    #[serde(flatten)]
    pub run: RunDocument,
}

impl RefusedDocument {
    /// The document of an error.
    pub fn new(error: &str, findings: &[Finding], schedule: &str) -> RefusedDocument {
        let run = RunDocument {
            status: "refused".into(),
            cycles: 0,
            wall_s: 0.0,
            outputs: Vec::new(),
            findings: FindingDocument::all(findings, schedule),
            notes: Vec::new(),
            suppressed: Vec::new(),
            not_checked: Vec::new(),
            ledger: Vec::new(),
            tensors: Vec::new(),
            prints: Vec::new(),
            schedule: schedule.into(),
            explored: None,
        };
        RefusedDocument { error: error.into(), pass: false, run }
    }
}

/// What `--explore` came to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ExploredDocument {
    /// Schedules that were run.
    pub schedules: usize,
    /// Schedules that were asked for.
    pub of: usize,
    /// The token of the schedule that fails as the default does not; `null` when none does.
    pub failed: Option<String>,
    /// In what that schedule departs from the default.
    pub departures: Vec<String>,
    /// Whether the default schedule passes.
    pub default_passes: bool,
}

/// An output of a program.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunOutput {
    /// Name of the tensor.
    pub name: String,
    /// Largest absolute difference from what is expected; `null` when nothing is.
    #[serde(with = "super::figure::optional")]
    pub max_diff: Option<f64>,
    /// Mean absolute difference; `null` when nothing is expected.
    #[serde(with = "super::figure::optional")]
    pub mean_diff: Option<f64>,
    /// As expected, or nothing was expected.
    pub pass: bool,
}

/// A circular buffer over one launch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// Launch, from 0.
    pub launch: usize,
    /// `c_0` to `c_63`.
    pub cb: String,
    /// Data format.
    pub format: String,
    /// Pages that it holds.
    pub capacity: u32,
    /// Bytes a page.
    pub page_size: u32,
    /// Pages pushed.
    pub pushed: u64,
    /// Pages popped.
    pub popped: u64,
    /// Most pages that were in it at a time.
    pub high_water: u32,
    /// Pages left in it at the end.
    pub left: u32,
    /// Who reserves, pushes, waits and pops, line by line.
    pub calls: Vec<LedgerCall>,
    /// Logical cores, `[x, y]`, on which all of this is the same.
    pub cores: Vec<[u32; 2]>,
}

/// The calls of one line on a circular buffer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LedgerCall {
    /// `reserve`, `push`, `wait` or `pop`.
    pub action: String,
    /// Thread.
    pub thread: String,
    /// Source file; the kernel's name where it is not known.
    pub file: String,
    /// Line, from 1; 0 where it is not known.
    pub line: u32,
    /// Number of calls.
    pub calls: u64,
    /// Pages over all calls.
    pub pages: u64,
}

/// A tensor over one launch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TensorEntry {
    /// Launch, from 0.
    pub launch: usize,
    /// Name.
    pub name: String,
    /// Pages it has.
    pub pages: u32,
    /// Pages that were read at all.
    pub pages_read: u32,
    /// Pages that were written at all.
    pub pages_written: u32,
    /// Bytes that all NoC reads took from it.
    pub bytes_read: u64,
    /// Bytes that all NoC writes put into it.
    pub bytes_written: u64,
}

/// A line that a kernel printed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrintEntry {
    /// Logical core, `[x, y]`.
    pub core: [u32; 2],
    /// Thread.
    pub thread: String,
    /// Source file; the kernel's name where it is not known.
    pub file: String,
    /// Line, from 1; 0 where it is not known.
    pub line: u32,
    /// When, in cycles.
    pub cycle: u64,
    /// What.
    pub text: String,
}

/// The word for what a call does to a buffer.
pub fn action(action: BufferAction) -> &'static str {
    match action {
        BufferAction::Reserve => "reserve",
        BufferAction::Push => "push",
        BufferAction::Wait => "wait",
        BufferAction::Pop => "pop",
    }
}

impl LedgerEntry {
    /// The entries of all launches.
    pub fn all(ledgers: &[Ledger]) -> Vec<LedgerEntry> {
        let of_launch = |(launch, ledger): (usize, &Ledger)| {
            let entries: Vec<LedgerEntry> = ledger.buffers.iter().map(|b| LedgerEntry::new(launch, b)).collect();
            entries
        };
        ledgers.iter().enumerate().flat_map(of_launch).collect()
    }

    fn new(launch: usize, buffer: &BufferLedger) -> LedgerEntry {
        let pages = |wanted| buffer.calls.iter().filter(|c| c.action == wanted).map(|c| c.pages).sum();
        let call = |c: &BufferCall| {
            let (file, line) = file_and_line(&c.location, &c.kernel);
            LedgerCall {
                action: action(c.action).into(),
                thread: c.thread.name().into(),
                file,
                line,
                calls: c.calls,
                pages: c.pages,
            }
        };
        LedgerEntry {
            launch,
            cb: cb_name(buffer.cb),
            format: buffer.format.name().into(),
            capacity: buffer.capacity,
            page_size: buffer.page_size,
            pushed: pages(BufferAction::Push),
            popped: pages(BufferAction::Pop),
            high_water: buffer.high_water,
            left: buffer.left,
            calls: buffer.calls.iter().map(call).collect(),
            cores: buffer.cores.iter().map(|c| [c.x, c.y]).collect(),
        }
    }
}

impl TensorEntry {
    /// The entries of all launches.
    pub fn all(ledgers: &[Ledger]) -> Vec<TensorEntry> {
        let of_launch = |(launch, ledger): (usize, &Ledger)| {
            let entry = |t: &TensorLedger| TensorEntry {
                launch,
                name: t.name.clone(),
                pages: t.pages,
                pages_read: t.pages_read,
                pages_written: t.pages_written,
                bytes_read: t.bytes_read,
                bytes_written: t.bytes_written,
            };
            ledger.tensors.iter().map(entry).collect::<Vec<_>>()
        };
        ledgers.iter().enumerate().flat_map(of_launch).collect()
    }
}

impl PrintEntry {
    /// The entries of a run.
    pub fn all(prints: &[Print]) -> Vec<PrintEntry> {
        let entry = |p: &Print| {
            let (file, line) = file_and_line(&p.place.location, &p.place.kernel);
            PrintEntry {
                core: [p.place.core.x, p.place.core.y],
                thread: p.place.thread.name().into(),
                file,
                line,
                cycle: p.cycle,
                text: p.text.clone(),
            }
        };
        prints.iter().map(entry).collect()
    }
}

fn file_and_line(location: &Option<SourceLocation>, kernel: &str) -> (String, u32) {
    match location {
        Some(location) => (location.file.clone(), location.line),
        None => (kernel.to_string(), 0),
    }
}
