//! A deadlock as a graph: who waits for what, and for whom. Threads of many cores that wait alike are one.
//!
//! Start at [`standstill`].

use std::collections::BTreeMap;

use tileproof_model::thread::{CoreCoord, Thread};
use tileproof_model::timeline::{CallPlace, CoreTimeline, LaunchTimeline, Stuck};

/// Threads that wait alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The thread.
    pub thread: Thread,
    /// The line that they wait at.
    pub place: CallPlace,
    /// What for.
    pub text: String,
    /// Their cores.
    pub cores: Vec<CoreCoord>,
    /// Who could let them go on: groups by their number.
    pub by: Vec<usize>,
    /// Threads that could, and have ended: a kernel's and how many.
    pub ended: Vec<(Thread, usize)>,
}

/// A launch that stands still.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Standstill {
    /// Who waits.
    pub groups: Vec<Group>,
    /// All cores that run kernels, and whether any thread of them waits.
    pub cores: Vec<(CoreCoord, bool)>,
}

/// Who waits for whom when a launch ended; `None` if nobody does.
pub fn standstill(launch: &LaunchTimeline) -> Option<Standstill> {
    let mut numbers: BTreeMap<(Thread, &CallPlace, &str), usize> = BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    let mut of: BTreeMap<(CoreCoord, Thread), usize> = BTreeMap::new();
    let all = || launch.cores.iter().flat_map(|core| core.stuck.iter().map(move |stuck| (core.coord, stuck)));
    for (coord, stuck) in all() {
        let Stuck { thread, place, text, .. } = stuck;
        let number = *numbers.entry((*thread, place, text)).or_insert_with(|| {
            groups.push(Group {
                thread: *thread,
                place: place.clone(),
                text: text.clone(),
                cores: Vec::new(),
                by: Vec::new(),
                ended: Vec::new(),
            });
            groups.len() - 1
        });
        groups[number].cores.push(coord);
        of.insert((coord, *thread), number);
    }
    for (coord, stuck) in all() {
        let group = of[&(coord, stuck.thread)];
        for by in &stuck.by {
            match of.get(by) {
                Some(other) if !groups[group].by.contains(other) => groups[group].by.push(*other),
                Some(_) => {}
                None => add(&mut groups[group].ended, by.1),
            }
        }
    }
    let cores = launch.cores.iter().map(|core: &CoreTimeline| (core.coord, !core.stuck.is_empty()));
    (!groups.is_empty()).then(|| Standstill { groups, cores: cores.collect() })
}

fn add(ended: &mut Vec<(Thread, usize)>, thread: Thread) {
    match ended.iter_mut().find(|(other, _)| *other == thread) {
        Some((_, count)) => *count += 1,
        None => ended.push((thread, 1)),
    }
}
