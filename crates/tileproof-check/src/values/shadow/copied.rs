//! Data that a thread loads and stores again, which come of the operations that they came of before: found by their values.
//!
//! It must never take a number for a copy that the thread has not loaded before. Start at [`Copied::of`].

use std::collections::BTreeMap;

use tileproof_model::thread::Thread;

use super::nodes::Call;

/// A thread of a launch.
type Who = (usize, usize, Thread);

/// The data that each thread has loaded of those that a unit made.
#[derive(Default, Debug)]
pub(super) struct Copied {
    /// By the bits of their numbers: the operation, and the datum.
    loaded: BTreeMap<Who, BTreeMap<u64, (u32, u16)>>,
}

fn who(call: Call) -> Who {
    (call.launch, call.core, call.thread)
}

impl Copied {
    /// A thread has loaded a datum; of equal numbers the last counts.
    pub(super) fn loads(&mut self, call: Call, value: f64, datum: (u32, u16)) {
        self.loaded.entry(who(call)).or_default().insert(value.to_bits(), datum);
    }

    /// Whether a thread has loaded any.
    pub(super) fn is_of_data(&self, call: Call) -> bool {
        self.loaded.contains_key(&who(call))
    }

    /// The datum that a number is which a thread has stored, if it has loaded it.
    pub(super) fn of(&self, call: Call, value: f64) -> Option<(u32, u16)> {
        self.loaded.get(&who(call))?.get(&value.to_bits()).copied()
    }
}
