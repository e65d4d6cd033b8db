//! The document of `tileproof cache`.
//!
//! The caller fills it; nothing is worked out here. Start at [`CacheDocument`].

use serde::{Deserialize, Serialize};

use super::document::Document;

/// The folder in which compiled kernels are kept, and what was done with it.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CacheDocument {
    /// `show`, `verify` or `clear`.
    pub action: String,
    /// The folder.
    pub folder: String,
    /// Why it is not used; `null` where it is.
    pub refused: Option<String>,
    /// Images that are kept, after `clear` those that are left.
    pub images: usize,
    /// Bytes of all that is kept.
    pub bytes: u64,
    /// Bytes above which the images that were used longest ago go.
    pub most_bytes: u64,
    /// Days after which what nobody has used goes.
    pub most_days: u64,
    /// Kernels whose image is as it was kept; `null` unless it was verified.
    pub whole: Option<usize>,
    /// Those of them that were made of other texts than the files hold now.
    pub stale: Option<usize>,
    /// Files that are not as they were kept.
    pub damaged: Vec<String>,
    /// Files and folders that were removed; `null` unless it was cleared.
    pub removed: Option<usize>,
    /// Their bytes.
    pub removed_bytes: Option<u64>,
    /// Files and folders that could not be removed.
    pub left: Option<usize>,
}

impl Document for CacheDocument {
    const SCHEMA: &'static str = "tileproof-cache";
}
