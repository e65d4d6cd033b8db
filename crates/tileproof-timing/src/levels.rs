//! How full a circular buffer is over time.
//!
//! Start at [`levels`].

use tileproof_model::timeline::{Call, CoreTimeline, Doing};

/// Pages in a circular buffer of a core from each cycle on at which they change.
pub fn levels(core: &CoreTimeline, cb: u32) -> Vec<(u64, i64)> {
    let change = |call: &Call| match call.doing {
        Doing::Push if call.of == cb => Some((call.end(), i64::from(call.amount))),
        Doing::Pop if call.of == cb => Some((call.end(), -i64::from(call.amount))),
        _ => None,
    };
    let mut changes: Vec<(u64, i64)> = core.calls.iter().filter_map(change).collect();
    // Threads are recorded one turn after the other, not in the order of time.
    changes.sort_by_key(|(at, _)| *at);
    let mut pages = 0;
    let mut levels: Vec<(u64, i64)> = Vec::new();
    for (at, by) in changes {
        pages += by;
        match levels.last_mut() {
            Some(last) if last.0 == at => last.1 = pages,
            _ => levels.push((at, pages)),
        }
    }
    levels
}
