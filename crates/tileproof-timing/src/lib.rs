//! Where the time of a recorded run goes.
//!
//! It reads a timeline and works figures out of it; it runs nothing and draws nothing. [`path`] is the critical path, [`bound`] what
//! bounds a run, [`waits`] who waited for whom, [`flow`] who moves what, [`levels`] how full buffers are, [`standstill`] who waits for
//! whom in a deadlock. Start at [`Timing::of`].

pub mod bound;
pub mod flow;
pub mod levels;
pub mod path;
pub mod resource;
pub mod standstill;
pub mod waits;

use tileproof_model::arch::Arch;
use tileproof_model::timeline::{LaunchTimeline, Timeline};

pub use bound::{Bound, Floor};
pub use path::{Path, critical_path};
pub use resource::Resource;
pub use waits::{ThreadTime, Wait};

/// Figures of a run, launch by launch.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Timing {
    /// In order.
    pub launches: Vec<LaunchTiming>,
}

/// Figures of a launch.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchTiming {
    /// The critical path.
    pub path: Path,
    /// What bounds it; `None` where nothing was recorded, or the recording is not whole.
    pub bound: Option<Bound>,
    /// Its threads.
    pub threads: Vec<ThreadTime>,
}

impl Timing {
    /// Works out the figures of a timeline.
    pub fn of(timeline: &Timeline) -> Timing {
        let launch = |launch: &LaunchTimeline| LaunchTiming::of(timeline.arch, launch);
        Timing { launches: timeline.launches.iter().map(launch).collect() }
    }

    /// The figures of the longest launch, without those of the others.
    pub fn of_longest(timeline: &Timeline) -> Option<LaunchTiming> {
        Timing::longest(timeline).map(|longest| LaunchTiming::of(timeline.arch, &timeline.launches[longest]))
    }

    /// The launch that takes the most cycles, by its number.
    pub fn longest(timeline: &Timeline) -> Option<usize> {
        let cycles = timeline.launches.iter().map(|launch| launch.cycles).enumerate();
        cycles.max_by_key(|(number, cycles)| (*cycles, std::cmp::Reverse(*number))).map(|(number, _)| number)
    }
}

impl LaunchTiming {
    fn of(arch: Arch, launch: &LaunchTimeline) -> LaunchTiming {
        // Of a recording that breaks off the end is not known, from which the path goes back.
        let path = if launch.dropped == 0 { critical_path(launch) } else { Path::default() };
        let bound = bound::bound(arch, launch, &path);
        LaunchTiming { path, bound, threads: waits::threads(launch) }
    }
}
