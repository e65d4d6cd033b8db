//! What a worker sends: a byte once it is boxed in, and when it is done a byte for what it is, its length, and its bytes.
//!
//! What comes behind the first of these may be anything: somebody else in the worker's process may have sent it. Start at [`send`] and
//! [`answer_in`].

use std::fs::File;
use std::io::Write;

/// It is boxed in and about to work. Code that is not trusted has not run before this is sent.
pub(crate) const BOXED: u8 = 5;
/// First byte of what a worker sends: what follows is its answer.
pub(crate) const ANSWER: u8 = 1;
/// It could not be made ready, and says why.
pub(crate) const NOT_READY: u8 = 2;
/// It could not be boxed in, and says why.
pub(crate) const NOT_BOXED: u8 = 4;
/// It panicked.
pub(crate) const PANICKED: u8 = 3;

/// What a worker has said.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Said<'a> {
    NotReady(&'a [u8]),
    NotBoxed(&'a [u8]),
    Answer(&'a [u8]),
    Panicked,
    /// No worker says that where it stands: somebody else in its process did.
    Nonsense,
}

/// Sends a whole answer. Whoever watches takes a worker for dead that cannot.
pub(crate) fn send(mut to: File, kind: u8, bytes: &[u8]) {
    let head = [&[kind][..], &(bytes.len() as u64).to_le_bytes()].concat();
    let _ = to.write_all(&head).and_then(|()| to.write_all(bytes));
}

/// What some bytes say, if they are whole. That it could not begin counts only of a worker that has not begun.
pub(crate) fn answer_in(bytes: &[u8]) -> Option<Said<'_>> {
    let begun = bytes.strip_prefix(&[BOXED]);
    let (head, rest) = begun.unwrap_or(bytes).split_at_checked(9)?;
    let length = u64::from_le_bytes(head[1..].try_into().ok()?);
    (rest.len() as u64 == length).then_some(match (begun, head[0]) {
        (None, NOT_READY) => Said::NotReady(rest),
        (None, NOT_BOXED) => Said::NotBoxed(rest),
        (Some(_), ANSWER) => Said::Answer(rest),
        (Some(_), PANICKED) => Said::Panicked,
        _ => Said::Nonsense,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_says_before_it_is_boxed_in_counts_for_nothing_behind_that() {
        let with = |begun: &[u8], kind: u8| [begun, &[kind, 2, 0, 0, 0, 0, 0, 0, 0], b"ab"].concat();
        let (early, late) = (|kind| with(&[], kind), |kind| with(&[BOXED], kind));
        assert_eq!(answer_in(&early(NOT_READY)), Some(Said::NotReady(b"ab")));
        assert_eq!(answer_in(&early(NOT_BOXED)), Some(Said::NotBoxed(b"ab")));
        assert_eq!(answer_in(&late(ANSWER)), Some(Said::Answer(b"ab")));
        assert_eq!(answer_in(&late(PANICKED)), Some(Said::Panicked));
        let nonsense = [late(NOT_READY), late(NOT_BOXED), late(BOXED), late(0), early(ANSWER), early(PANICKED)];
        assert!(nonsense.iter().all(|bytes| answer_in(bytes) == Some(Said::Nonsense)));
        let whole = late(ANSWER);
        assert!((0..whole.len()).all(|length| answer_in(&whole[..length]).is_none()));
    }
}
