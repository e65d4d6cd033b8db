//! Runs of a program with one thing wrong, and what could be wrong with it: which calls a change can befall.
//!
//! It must never change a run that nobody asked it to change. Start at [`Mutation::change`]; `doors/mutant.rs` carries changes out.

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::finding::Place;
use tileproof_model::mutant::{Change, Mutant, Spot};
use tileproof_model::thread::Thread;

/// Who made a call: a core by its number, a thread, and where.
pub(crate) type By = (usize, Thread, Site);

/// What kernels do otherwise than they say, and what they could.
#[derive(Default)]
pub(crate) struct Mutation {
    /// The mutant; without one, calls are counted alone.
    wanted: Option<Mutant>,
    /// Where calls can be changed, in the order in which they were made first.
    spots: Vec<Spot>,
    /// The spot of a call, and how many were made there.
    seen: BTreeMap<(By, Change), (usize, u64)>,
    /// Where the last transfer of a line came from.
    sources: BTreeMap<By, u64>,
}

/// A call of a kernel that changes can befall.
pub(crate) struct Subject {
    /// What it does.
    pub(crate) what: String,
    /// What can befall it.
    pub(crate) changes: Vec<Change>,
}

impl Mutation {
    pub(crate) fn new(wanted: Option<Mutant>) -> Mutation {
        Mutation { wanted, ..Mutation::default() }
    }

    /// Where calls could be changed.
    pub(crate) fn spots(&self) -> &[Spot] {
        &self.spots
    }

    /// What befalls a call. `place` says where it stands: the kernel, and the line if that is known.
    pub(crate) fn change(&mut self, by: By, subject: Subject, place: impl Fn() -> Place) -> Option<Change> {
        let Subject { what, changes } = subject;
        let mut befalls = None;
        for change in changes {
            let Some(calls) = self.count(by, change, &what, &place) else { continue };
            let is_meant = |mutant: &Mutant| {
                let spot = &self.spots[self.seen[&(by, change)].0];
                let same = spot.change == mutant.spot.change
                    && spot.location == mutant.spot.location
                    && spot.what == mutant.spot.what
                    && spot.kernel == mutant.spot.kernel;
                same && (mutant.call == 0 || mutant.call == calls)
            };
            if self.wanted.as_ref().is_some_and(is_meant) {
                befalls = Some(change);
            }
        }
        befalls
    }

    /// Counts a call, and says which of its thread's it is at this line; `None` if nobody knows the line.
    fn count(&mut self, by: By, change: Change, what: &str, place: impl Fn() -> Place) -> Option<u64> {
        if let Some((spot, calls)) = self.seen.get_mut(&(by, change)) {
            *calls += 1;
            let most = &mut self.spots[*spot].calls;
            *most = (*most).max(*calls);
            return Some(*calls);
        }
        let place = place();
        let location = place.location?;
        let is_known = |spot: &Spot| {
            spot.change == change && spot.location == location && spot.what == what && spot.kernel == place.kernel
        };
        let spot = self.spots.iter().position(is_known).unwrap_or_else(|| {
            self.spots.push(Spot { change, kernel: place.kernel, location, what: what.to_string(), calls: 1 });
            self.spots.len() - 1
        });
        self.seen.insert((by, change), (spot, 1));
        Some(1)
    }

    /// Where the last transfer of a line came from, if there was one; this one comes from `source`.
    pub(crate) fn source_before(&mut self, by: By, source: u64) -> Option<u64> {
        self.sources.insert(by, source)
    }
}
