//! Whether and how long kernels in C++ run in a process of their own.
//!
//! Start at [`Isolation`]; `apart/` is how.

use std::time::Duration;

/// Kernels in C++ run in a process of their own, and so long at most.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Isolation {
    /// For one run of a program: of each schedule and each cell of a grid.
    pub limit: Duration,
}

impl Isolation {
    /// What is long enough for any program that somebody waits for.
    pub const LIMIT: Duration = Duration::from_secs(300);
}

impl Default for Isolation {
    fn default() -> Isolation {
        Isolation { limit: Isolation::LIMIT }
    }
}
