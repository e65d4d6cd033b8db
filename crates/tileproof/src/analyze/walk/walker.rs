//! Who goes through a kernel: what is known at a place, and what has been found on the way.
//!
//! It must never go anywhere by itself. Start at [`Walker`].

use super::flow::Flow;
use crate::analyze::analysis::{ArgumentRead, Helper, Operation, Use};
use crate::analyze::calls::Action;
use crate::analyze::functions::Parts;
use crate::analyze::symbols::{Scope, Value};
use crate::analyze::tokens::Source;

/// Functions within functions deeper than this are not followed.
pub(super) const DEEPEST: usize = 12;
/// Operations listed at most: helpers that call helpers can make very many.
pub(super) const MOST: usize = 4000;
/// Calls of helpers followed at most, for the same reason.
pub(super) const MOST_FOLLOWED: usize = 2000;
/// Statements within statements deeper than this are not gone into.
pub(super) const DEEPEST_STATEMENT: usize = 200;

/// A loop or a condition around a statement.
#[derive(Clone, Debug)]
pub(super) struct Around {
    pub(super) text: String,
    pub(super) line: u32,
    /// How often; `None` if that is not known.
    pub(super) times: Option<Value>,
    /// What that depends on, where it is not the text.
    pub(super) depends: Option<String>,
}

impl Around {
    pub(super) fn new(text: String, line: u32, times: Option<Value>) -> Around {
        Around { text, line, times, depends: None }
    }
}

/// A use on its way into a buffer's list.
pub(super) struct Found {
    pub(super) buffer: Value,
    pub(super) action: Action,
    pub(super) use_: Use,
    pub(super) total: Option<Value>,
}

pub(super) struct Walker<'a> {
    pub(super) source: &'a Source,
    pub(super) parts: Parts,
    pub(super) flow: Flow,
    pub(super) scope: Scope,
    pub(super) compute: bool,
    pub(super) around: Vec<Around>,
    /// Functions that are being gone through.
    pub(super) stack: Vec<String>,
    /// Calls of helpers so far.
    pub(super) followed: usize,
    /// Statements and calls around the one that is being looked at.
    pub(super) depth: usize,
    /// A way out of the function that is being gone through, which may have been taken.
    pub(super) exit: Option<Around>,
    /// Macros whose text is not gone through, with what makes that matter.
    pub(super) hidden: Vec<(String, String)>,
    /// Objects that stand for a circular buffer.
    pub(super) objects: Vec<(String, Value)>,
    pub(super) arguments: Vec<ArgumentRead>,
    pub(super) operations: Vec<Operation>,
    pub(super) found: Vec<Found>,
    pub(super) helpers: Vec<Helper>,
    /// Calls of helpers that have been counted, by place.
    pub(super) counted: Vec<(usize, u32, String)>,
    pub(super) other_calls: Vec<String>,
    pub(super) unknown: Vec<String>,
}

/// Words before a parenthesis that call nothing.
pub(super) const NO_CALLS: [&str; 13] = [
    "TensorAccessor",
    "TensorAccessorArgs",
    "get_tile_size",
    "get_dataformat",
    "sizeof",
    "static_assert",
    "return",
    "alignof",
    "decltype",
    "defined",
    "reinterpret_cast",
    "static_cast",
    "uint32_t",
];
