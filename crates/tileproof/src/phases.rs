//! What the parts of a run take of this host's time.
//!
//! Nothing that a run says of a device may depend on it. Start at [`Phases`].

/// Seconds of the host that the parts of a run took.
#[derive(Clone, Copy, Default, PartialEq, Debug)]
pub struct Phases {
    /// Tensors are filled, and laid out in pages.
    pub to_pages: f64,
    /// Kernels are compiled, or found in the cache, and loaded.
    pub kernels: f64,
    /// The machine runs, with the checks that watch it.
    pub machine: f64,
    /// Pages are read back and, where outputs are expected, compared, and what was found is weighed.
    pub from_pages: f64,
}
