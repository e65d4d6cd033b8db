//! `tileproof compare` on two program files: both are run, and where the time went is told side by side.
//!
//! Start at [`compare_runs`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tileproof::model::record::Status;
use tileproof::run_file::{RunOptions, RunResult};
use tileproof::timing::{LaunchTiming, ThreadTime, Timing};
use tileproof_report::json::compare_runs::{CompareRunsDocument, OutputEntry, PathEntry, ThreadEntry};

use crate::program::run_file;

/// A run, with the figures of its longest launch.
struct Run {
    result: RunResult,
    launch: Option<LaunchTiming>,
}

/// Runs two programs.
pub(super) fn compare_runs(a: &Path, b: &Path, options: &RunOptions) -> anyhow::Result<CompareRunsDocument> {
    let runs = [run(a, options)?, run(b, options)?];
    let each = |of: &dyn Fn(&Run) -> String| [of(&runs[0]), of(&runs[1])];
    let codes = |run: &Run| run.result.record.findings.iter().map(|f| f.code.to_string()).collect::<BTreeSet<_>>();
    let (first, second) = (codes(&runs[0]), codes(&runs[1]));
    let new: Vec<String> = second.difference(&first).cloned().collect();
    let bound = |run: &Run| {
        let bound = run.launch.as_ref().and_then(|launch| launch.bound.as_ref());
        bound.filter(|_| run.result.record.status == Status::Completed).map_or(String::new(), |b| b.sentence.clone())
    };
    Ok(CompareRunsDocument {
        a: a.display().to_string(),
        b: b.display().to_string(),
        status: each(&|run| run.result.record.status.name().into()),
        cycles: [runs[0].result.record.cycles, runs[1].result.record.cycles],
        bound: each(&bound),
        path: path(&runs),
        threads: threads(&runs),
        outputs: outputs(&runs),
        pass: new.is_empty() && (runs[1].result.pass() || !runs[0].result.pass()),
        new,
        gone: first.difference(&second).cloned().collect(),
    })
}

fn run(path: &Path, options: &RunOptions) -> anyhow::Result<Run> {
    let result = run_file(path, options)?;
    let timeline = result.timeline.as_ref().and_then(|timeline| timeline.as_ref().ok());
    let launch = timeline.and_then(Timing::of_longest);
    Ok(Run { result, launch })
}

/// What the critical paths go to, what changed most first.
fn path(runs: &[Run; 2]) -> Vec<PathEntry> {
    let is_known = |run: &Run| run.launch.as_ref().is_some_and(|launch| !launch.path.steps.is_empty());
    // Of a run that has none nothing became free.
    if !runs.iter().all(is_known) {
        return Vec::new();
    }
    let mut both: BTreeMap<_, [u64; 2]> = BTreeMap::new();
    for (number, run) in runs.iter().enumerate() {
        for (resource, cycles) in run.launch.iter().flat_map(|launch| launch.path.spent()) {
            both.entry(resource).or_default()[number] = cycles;
        }
    }
    let entry = |(resource, [a, b]): (tileproof::timing::Resource, [u64; 2])| PathEntry {
        resource: resource.name().into(),
        a,
        b,
    };
    let mut entries: Vec<PathEntry> = both.into_iter().map(entry).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.a.abs_diff(entry.b)));
    entries
}

fn threads(runs: &[Run; 2]) -> Vec<ThreadEntry> {
    let mut names = Vec::new();
    for thread in runs.iter().flat_map(|run| &run.launch).flat_map(|launch| &launch.threads) {
        if !names.contains(&thread.thread) {
            names.push(thread.thread);
        }
    }
    let entry = |thread| {
        let of = |run: &Run| {
            let threads = run.launch.iter().flat_map(|launch| &launch.threads);
            // Of several kernels on a thread the one on most cores.
            threads.filter(|other| other.thread == thread).max_by_key(|other| other.cores).cloned()
        };
        let both = [of(&runs[0]), of(&runs[1])];
        let part = |of: fn(&ThreadTime) -> f64| [both[0].as_ref().map(of), both[1].as_ref().map(of)];
        let most = |time: &Option<ThreadTime>| {
            let wait = time.as_ref().and_then(|time| time.waits.first());
            wait.map_or(String::new(), |wait| wait.reason.clone())
        };
        ThreadEntry {
            thread: thread.name().into(),
            works: part(ThreadTime::worked),
            waits: part(ThreadTime::waited),
            waits_for: [most(&both[0]), most(&both[1])],
        }
    };
    names.into_iter().map(entry).collect()
}

fn outputs(runs: &[Run; 2]) -> Vec<OutputEntry> {
    let of = |run: &Run, name: &str| {
        let output = run.result.outputs.iter().find(|output| output.name == name);
        output.and_then(|output| output.max_diff)
    };
    let names: BTreeSet<&str> =
        runs.iter().flat_map(|run| &run.result.outputs).map(|output| output.name.as_str()).collect();
    let entry = |name: &str| OutputEntry { name: name.into(), max_diff: [of(&runs[0], name), of(&runs[1], name)] };
    names.into_iter().map(entry).collect()
}
