//! What is drawn of calls: each by itself, or in a long run the calls between two waits together.
//!
//! Start at [`pieces`].

use std::collections::BTreeMap;

use tileproof_model::timeline::{Call, CoreTimeline, Doing, LaunchTimeline};

use super::arrows::Arrows;

/// Calls of a launch up to which each is drawn by itself: a call takes some 45 bytes of a trace.
const MOST: usize = 200_000;

/// Calls of a thread that follow each other without a wait in between, by the one that takes the most time.
pub(super) struct Piece {
    pub(super) first: Call,
    pub(super) longest: Call,
    pub(super) calls: u32,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) leaving: Vec<u64>,
    pub(super) ending: Vec<u64>,
}

/// Whether a launch is so long that calls are drawn together.
pub(super) fn are_together(launch: &LaunchTimeline) -> bool {
    launch.cores.iter().map(|core| core.calls.len() + core.transfers.len()).sum::<usize>() > MOST
}

/// The pieces of a core, those of a thread in the order of time.
pub(super) fn pieces(core: &CoreTimeline, arrows: &Arrows, together: bool) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut open: BTreeMap<usize, usize> = BTreeMap::new();
    for (number, call) in core.calls.iter().enumerate() {
        let (leaving, ending) = (arrows.leaving(number), arrows.ending(number));
        let last = open.get(&(call.thread as usize)).map(|piece| &mut pieces[*piece]);
        if let Some(last) = last.filter(|last| together && joins(last, call)) {
            last.calls += 1;
            last.to = call.end();
            last.leaving.extend(leaving);
            if call.took > last.longest.took {
                last.longest = *call;
            }
            continue;
        }
        open.insert(call.thread as usize, pieces.len());
        pieces.push(Piece {
            first: *call,
            longest: *call,
            calls: 1,
            from: call.start + u64::from(call.waited),
            to: call.end(),
            leaving: leaving.into_iter().collect(),
            ending: ending.into_iter().collect(),
        });
    }
    pieces
}

/// Whether a call goes on with a piece: own code stays by itself, and so does what is behind a wait.
fn joins(last: &Piece, call: &Call) -> bool {
    call.waited == 0 && last.to == call.start && call.doing != Doing::Poll && last.first.doing != Doing::Poll
}
