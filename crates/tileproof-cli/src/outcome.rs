//! How a command ends that comes to an end.

/// How a command ended.
pub(crate) enum Outcome {
    /// Nothing to complain about.
    Clean,
    /// Findings, or a tolerance missed.
    Found,
}
