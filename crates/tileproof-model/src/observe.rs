//! What checks see of a run.
//!
//! The machine is compiled once for each set of observers, so that a run without checks pays nothing.

/// Watches a run. Observers change neither outputs nor cycles.
pub trait Observer: Default + 'static {
    /// False for the observer that sees nothing.
    const ACTIVE: bool;
}

/// Checks off.
#[derive(Default, Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    const ACTIVE: bool = false;
}
