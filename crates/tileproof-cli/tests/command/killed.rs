//! Commands that are killed at any moment, with their workers or without, or whose disk is full: nothing of them goes on, and whoever
//! comes behind them gets the right verdict. `cargo xtask chaos` runs 500 rounds of it.
//!
//! Start at [`whatever_is_killed_leaves_nothing_that_runs_and_no_wrong_verdict`].

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::cache::{Drawn, Place, rounds};

/// The processes that a process has started, and those that they have.
fn descendants(process: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let mut next = vec![process];
    while let Some(process) = next.pop() {
        let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children: Vec<u32> = children
            .flat_map(|text| text.split_whitespace().filter_map(|n| n.parse().ok()).collect::<Vec<_>>())
            .collect();
        all.extend(&children);
        next.extend(children);
    }
    all
}

/// Whether a process runs: one that is dead and was not waited for does not.
fn runs(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
}

fn kill(process: u32) {
    let _ = Command::new("kill").args(["-9", &process.to_string()]).stderr(Stdio::null()).status();
}

/// How a command ends, which it does in time.
fn end_of(mut child: Child, what: &str) -> std::process::ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < Duration::from_secs(100), "{what}: it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A round: a run that is built anew or not, and what is killed of it.
fn round(place: &Place, number: usize, drawn: &mut Drawn) {
    if drawn.below(3) == 0 {
        let text = fs::read_to_string(place.kernel()).unwrap();
        fs::write(place.kernel(), format!("{text}// {number}\n")).unwrap();
    }
    let child = place.run().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let parent = child.id();
    let most = [30_000, 800_000][drawn.below(2)];
    std::thread::sleep(Duration::from_micros(drawn.below(most) as u64));
    let started = descendants(parent);
    let (with_parent, with_others) = [(true, false), (false, true), (true, true)][drawn.below(3)];
    if with_others {
        started.iter().copied().for_each(kill);
    }
    if with_parent {
        kill(parent);
    }
    let what = format!("round {number}, parent {with_parent}, others {with_others}");
    let status = end_of(child, &what);
    // It may have been done before.
    let is_told = matches!(status.code(), Some(0..=2));
    assert!(is_told || (with_parent && status.signal() == Some(9)), "{what}: {status:?}");
    let begun = Instant::now();
    while started.iter().any(|process| runs(*process)) {
        assert!(begun.elapsed() < Duration::from_secs(20), "{what}: what it started goes on: {started:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(place.verdict(), (Some(0), String::new()), "{what}");
}

#[test]
fn whatever_is_killed_leaves_nothing_that_runs_and_no_wrong_verdict() {
    let rounds = rounds(6, 500);
    let place = Place::new("killed");
    let mut drawn = Drawn::new(rounds as u64);
    (0..rounds).for_each(|number| round(&place, number, &mut drawn));
}

/// The cache on a disk of its own that has little room, or none.
#[test]
fn a_full_disk_is_told_of_and_changes_no_verdict() {
    let on_a_small_disk = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        command
    };
    let rounds = rounds(3, 100);
    let place = Place::new("full");
    let cache = place.cache();
    let mount = |kib: usize| format!("mount -t tmpfs -o size={kib}k none {}", cache.display());
    if !on_a_small_disk(&mount(64)).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        eprintln!("not tried: this host mounts nothing for its users");
        return;
    }
    let mut drawn = Drawn::new(rounds as u64);
    for number in 0..rounds {
        let kib = 4 << drawn.below(12);
        let script =
            format!("{} && exec {} run {}", mount(kib), env!("CARGO_BIN_EXE_tileproof"), place.program().display());
        let mut command = on_a_small_disk(&script);
        command.env("TILEPROOF_CACHE_DIR", cache).stdout(Stdio::null()).stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let what = format!("round {number}, {kib} KiB: {:?} {said}", output.status);
        match output.status.code() {
            Some(0) => {}
            Some(2) => assert!(said.contains("o space left") || said.contains("cache"), "{what}"),
            _ => panic!("{what}"),
        }
    }
    assert_eq!(place.verdict(), (Some(0), String::new()));
}
