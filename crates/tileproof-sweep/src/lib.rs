//! Sweeps: shapes x dtypes x data x schedules x kernel folders, each cell in a worker process, the results in one file.
//!
//! What a cell comes to depends on the cell alone, so the file holds nothing of the host: a sweep that was ended and taken up
//! again leaves the same bytes as one that was not. [`spec`] says which cells there are, [`carry_out`] runs one, [`apart`] does
//! so in a process of its own, [`pool`] in several, [`store`] keeps what came of it, and [`compare`] takes two of them.
//! [`audit_journal`] keeps the runs of an audit in the same way.

pub mod apart;
pub mod audit_journal;
pub mod carry_out;
pub mod cell;
pub mod compare;
mod figure;
mod kept;
mod lists;
mod memory;
mod paths;
pub mod pool;
mod sources;
pub mod spec;
pub mod store;
mod tables;

use std::path::PathBuf;

/// Why a sweep cannot be made, or two cannot be compared.
#[derive(thiserror::Error, Debug)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SweepError {
    #[error("{}: {message}", path.display())]
    Spec { path: PathBuf, message: String },
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{}: {message}", path.display())]
    Store { path: PathBuf, message: String },
    #[error("worker {command}: {message}")]
    Worker { command: String, message: String },
    #[error("{0}")]
    Compare(String),
    #[error("stopped: what has been run is kept")]
    Stopped,
}
