//! What gates share: the op, who builds and who is told, and what has come of runs so far.
//!
//! It must never decide anything. Start at [`Context`].

use std::path::PathBuf;

use tileproof_model::finding::Finding;
use tileproof_model::record::Ledger;

use super::events::Event;
use super::gate::Compared;
use crate::cpp_kernels::BuildKernels;
use crate::op::Op;

/// What gates share.
pub(super) struct Context<'a> {
    pub(super) op: &'a dyn Op,
    /// Where the op was found: `None` for a shipped one.
    pub(super) folder: Option<PathBuf>,
    pub(super) builder: &'a dyn BuildKernels,
    pub(super) tell: &'a mut dyn FnMut(Event),
    /// The gate that is being looked at.
    pub(super) gate: usize,
    /// The file with the op's description.
    pub(super) about: String,
    pub(super) ledger_of: Option<String>,
    pub(super) ledgers: Vec<Ledger>,
    pub(super) accuracy: Vec<Compared>,
    pub(super) notes: Vec<Finding>,
    pub(super) runs: usize,
}
