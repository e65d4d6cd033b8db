//! Words that messages of every stage share: the name of a circular buffer, a number with its noun.
//!
//! What has one name is called by it everywhere, so that a reader can look for it. It must never hold a sentence: the text of
//! a finding is made where the fact is known. Start at [`cb_name`].

use std::fmt::Display;

/// The name of a circular buffer, as kernels write it.
pub fn cb_name(cb: impl Display) -> String {
    format!("c_{cb}")
}

/// "1 page", "4 pages".
pub fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// "is" for one thing, "are" for any other number.
pub fn is_are(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}
