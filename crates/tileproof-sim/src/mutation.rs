//! Runs of a program with one thing wrong, and what could be wrong with it: which calls a change can befall.
//!
//! It must never change a run that nobody asked it to change. Start at [`Mutation::change`]; `doors/mutant.rs` carries changes out.

use std::collections::BTreeMap;

use tileproof_model::abi::Site;
use tileproof_model::finding::Place;
use tileproof_model::kernel::SourceLocation;
use tileproof_model::mutant::{Change, Mutant, Spot};
use tileproof_model::thread::{CoreCoord, Thread};

use crate::parts::Parts;

/// Who made a call: a core, a thread, and where.
pub(crate) type By = (CoreCoord, Thread, Site);

/// What kernels do otherwise than they say, and what they could.
#[derive(Default)]
pub(crate) struct Mutation {
    /// The mutant; without one, calls are counted alone.
    wanted: Option<Mutant>,
    /// A constant that comes to the matrix unit as another: the bits of both as float32.
    pub(crate) constant: Option<[u32; 2]>,
    /// Sums in several tiles of Dst.
    pub(crate) parts: Option<Parts>,
    /// Where calls can be changed, in the order in which they were made first.
    spots: Vec<Spot>,
    /// The lines of calls of this launch; `None` where nobody knows it. Addresses are another launch's in the next.
    lines: BTreeMap<By, Option<Line>>,
    /// How many calls of a spot a thread of a core has made in this launch.
    counts: BTreeMap<(CoreCoord, Thread, usize), u64>,
    /// Where the last transfer of a line came from.
    sources: BTreeMap<By, u64>,
}

/// The line of a call, and its spots.
struct Line {
    kernel: String,
    location: SourceLocation,
    spots: Vec<(Change, String, usize)>,
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

    /// One that brings a constant as another.
    pub(crate) fn of_constant(constant: [u32; 2]) -> Mutation {
        Mutation { constant: Some(constant), ..Mutation::default() }
    }

    /// One that makes sums in up to so many tiles of Dst.
    pub(crate) fn in_parts(most: usize) -> Mutation {
        Mutation { parts: Some(Parts::new(most)), ..Mutation::default() }
    }

    /// Where calls could be changed.
    pub(crate) fn spots(&self) -> &[Spot] {
        &self.spots
    }

    /// Calls are counted anew: a change of one call befalls it in each launch.
    pub(crate) fn begin_launch(&mut self) {
        self.lines.clear();
        self.counts.clear();
        self.sources.clear();
    }

    /// What befalls a call. `place` says where it stands: the kernel, and the line if that is known.
    pub(crate) fn change(&mut self, by: By, subject: Subject, place: impl Fn() -> Place) -> Option<Change> {
        let Subject { what, changes } = subject;
        let mut befalls = None;
        for change in changes {
            let Some(number) = self.spot(by, change, &what, &place) else { continue };
            let calls = self.counts.entry((by.0, by.1, number)).or_insert(0);
            *calls += 1;
            let spot = &mut self.spots[number];
            spot.calls = spot.calls.max(*calls);
            let is_meant = |mutant: &Mutant| {
                let Spot { change, kernel, location, what, .. } = &mutant.spot;
                let same = (spot.change, &spot.location, &spot.what, &spot.kernel) == (*change, location, what, kernel);
                same && (mutant.call == 0 || mutant.call == *calls)
            };
            if self.wanted.as_ref().is_some_and(is_meant) {
                befalls = Some(change);
            }
        }
        befalls
    }

    /// The number of the spot of a call, which is made if it is new; `None` if nobody knows the line.
    fn spot(&mut self, by: By, change: Change, what: &str, place: impl Fn() -> Place) -> Option<usize> {
        let line = self.lines.entry(by).or_insert_with(|| {
            let Place { kernel, location, .. } = place();
            Some(Line { kernel, location: location?, spots: Vec::new() })
        });
        let Line { kernel, location, spots } = line.as_mut()?;
        if let Some((.., number)) = spots.iter().find(|(known, words, _)| *known == change && words == what) {
            return Some(*number);
        }
        let is_known = |spot: &Spot| {
            spot.change == change && spot.location == *location && spot.what == what && spot.kernel == *kernel
        };
        let number = self.spots.iter().position(is_known).unwrap_or(self.spots.len());
        if number == self.spots.len() {
            let (kernel, location) = (kernel.clone(), location.clone());
            self.spots.push(Spot { change, kernel, location, what: what.to_string(), calls: 0 });
        }
        spots.push((change, what.to_string(), number));
        Some(number)
    }

    /// Where the last transfer of a line came from, if there was one; this one comes from `source`.
    pub(crate) fn source_before(&mut self, by: By, source: u64) -> Option<u64> {
        self.sources.insert(by, source)
    }
}
