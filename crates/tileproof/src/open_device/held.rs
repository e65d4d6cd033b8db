//! A tensor of an open device, and what is known of it. Start at [`Held`].

use std::sync::Arc;

use tileproof_model::program::TensorDescriptor;
use tileproof_model::record::{Ledger, TensorLedger};

use crate::program_file::Standing;
use crate::run_file::Place;

/// A tensor of an open device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct TensorId(pub u64);

/// A tensor, and what it holds.
pub(super) struct Held {
    pub(super) descriptor: TensorDescriptor,
    pub(super) standing: Arc<Standing>,
    /// Where the host program makes it.
    pub(super) place: Option<Place>,
    /// The host has filled all of it: then whatever it holds is a value. Of a tensor in L1 that only kernels have written the bytes
    /// alone say which pages hold something.
    pub(super) filled: bool,
    /// How many launches there were when the host filled it last.
    pub(super) filled_in: Option<u32>,
    /// A launch has read or written it since.
    pub(super) is_touched: bool,
}

/// Whether something holds of what a launch did with a tensor, by its name in the launch.
pub(super) fn did(name: &str, ledgers: &[Ledger], what: impl Fn(&TensorLedger) -> bool) -> bool {
    let mut tensors = ledgers.iter().flat_map(|ledger| &ledger.tensors);
    tensors.any(|tensor| tensor.name == name && what(tensor))
}
