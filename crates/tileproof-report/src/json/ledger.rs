//! Circular buffers and tensors over the launches of a run, and the document of `tileproof ledger`.
//!
//! Counts are taken as they are; only those of one action are added up over their lines. Start at [`LedgerDocument`].

use serde::{Deserialize, Serialize};
use tileproof_model::record::{BufferAction, BufferCall, BufferLedger, Ledger, RunRecord, TensorLedger};
use tileproof_model::wording::cb_name;

use super::document::Document;
use crate::source::file_and_line;

/// What `tileproof ledger` prints.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LedgerDocument {
    /// `completed`, `deadlock`, `crashed` or `stopped`.
    pub status: String,
    /// Circular buffers, by launch and index.
    pub ledger: Vec<LedgerEntry>,
    /// Tensors, by launch and in the order of their allocation.
    pub tensors: Vec<TensorEntry>,
}

impl Document for LedgerDocument {
    const SCHEMA: &'static str = "tileproof-ledger";
}

impl LedgerDocument {
    /// The document of a run.
    pub fn new(record: &RunRecord) -> LedgerDocument {
        LedgerDocument {
            status: record.status.name().into(),
            ledger: LedgerEntry::all(&record.ledgers),
            tensors: TensorEntry::all(&record.ledgers),
        }
    }
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
            let (file, line) = file_and_line(c.location.as_ref(), &c.kernel);
            LedgerCall {
                action: c.action.name().into(),
                thread: c.thread.name().into(),
                file: file.into(),
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
