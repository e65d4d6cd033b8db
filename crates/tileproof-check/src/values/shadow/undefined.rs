//! What a program makes of undefined memory, from two runs of it that differ in that alone.
//!
//! Where threads make other calls, the load that one goes by is named; where an output holds something else, the operation that took
//! it in. Must never be asked where both runs are the same. Start at [`judge`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::wording::count;

use super::birth::{self, named, with_origin};
use super::blame::label;
use super::course::Turn;
use super::follow::Followed;

/// The fact that marks that a thread goes by what is undefined. It is for the caller.
pub const GOES_BY_IT: &str = "goes_by_it";

/// What is to be said of it; `at` is an element of an output that differs, if one does: its tensor, and its place in row-major
/// order.
pub(super) fn judge(of: &Followed, at: Option<(usize, usize)>) -> Option<Raised> {
    let other = &of.other.as_ref()?.course;
    if of.course.is_as(other) {
        return birth::judge_other(of, at?);
    }
    let turn = of.course.turn(other).filter(|turn| turn.load.call.launch == of.launch);
    turn.map(|turn| goes_by(of, &turn)).or_else(|| birth::judge_other(of, at?))
}

/// A thread makes other calls.
fn goes_by(of: &Followed, turn: &Turn) -> Raised {
    let load = turn.load;
    let message = format!("{} goes by {}", load.call.thread, named(of, load.origin, load.cb));
    let mut found = Raised::of(load.call.core, label(load.call), Code::DEPENDS_ON_UNDEFINED, message);
    found = found.text(format!("loads {} that nothing has written", count(load.bytes.into(), "byte")));
    if let Some(next) = turn.next.filter(|next| next.site != load.call.site) {
        found = found.label_on(next.core, label(next), "the first call that is another with other undefined memory");
    }
    let pushed = load.cb.map(|cb| (load.call.core, cb));
    with_origin(of, found, load.origin, pushed)
        .fact(GOES_BY_IT, "yes")
        .help("write what is read before it decides anything: a count, an address, a branch")
}
