//! How near an output came to what its operations may lose, where that is its tolerance.

use serde::{Deserialize, Serialize};

/// A tolerance that comes of the operations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct DerivedEntry {
    /// The largest difference that an element may have.
    #[serde(with = "super::figure")]
    pub largest_bound: f64,
    /// The largest difference, as a share of what its element may have: above 1 it is more.
    #[serde(with = "super::figure")]
    pub share: f64,
}
