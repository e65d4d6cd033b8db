//! What a worker sends when it is done: a byte for what it is, its length, and its bytes.
//!
//! What comes may be anything: somebody else in the worker's process may have sent it. Start at [`send`] and [`answer_in`].

use std::fs::File;
use std::io::Write;

/// First byte of what a worker sends: what follows is its answer.
pub(crate) const ANSWER: u8 = 1;
/// It could not be made ready, and says why.
pub(crate) const NOT_READY: u8 = 2;
/// It could not be boxed in, and says why.
pub(crate) const NOT_BOXED: u8 = 4;
/// It panicked.
pub(crate) const PANICKED: u8 = 3;

/// Sends a whole answer. Whoever watches takes a worker for dead that cannot.
pub(crate) fn send(mut to: File, kind: u8, bytes: &[u8]) {
    let head = [&[kind][..], &(bytes.len() as u64).to_le_bytes()].concat();
    let _ = to.write_all(&head).and_then(|()| to.write_all(bytes));
}

/// A whole answer: its first byte and the rest.
pub(crate) fn answer_in(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (head, rest) = bytes.split_at_checked(9)?;
    let length = u64::from_le_bytes(head[1..].try_into().ok()?);
    (rest.len() as u64 == length).then_some((head[0], rest))
}
