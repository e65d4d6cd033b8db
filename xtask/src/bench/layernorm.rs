//! LayerNorm beside the full-system simulator, with checks and without, on one host thread and on all.
//!
//! Where the simulator is here, it and we take turns, and a row shows the median of the ratios: a machine whose speed varies
//! varies for both. Where it is not, the row divides by a recorded time and says so. The simulator's process has run the call
//! before, and its data are on the device: so ours is the time of the machine in a process that has run before, and what the
//! host's data take on their way is a figure of its own. Start at [`run`].

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::measure::{Table, peak_of};
use super::peer::Peer;
use crate::workspace::example;

/// Rows by width, bf16, and the seconds of `ttnn.layer_norm` on ttsim.
const FORWARD: [(&str, f64); 2] = [("1,1,64,2048", 0.060), ("1,1,96,8462", 0.390)];
const BACKWARD: &str = "3,1,273,8462";
/// The public kernels of backward on ttsim, the fastest run, in seconds.
const BACKWARD_PEER: f64 = 5.3;
/// Operations on a tile that backward makes for each tile of x: calls that move or compute 1024 data.
const TILE_OPERATIONS: f64 = 7155.0 * 30.0;
/// Runs of each, of which the best or the median counts.
const ROUNDS: usize = 5;

/// Prints the rows.
pub(super) fn run(table: &mut Table, binary: &str, mut peer: Option<&mut Peer>) -> Result<()> {
    table.heading(match peer {
        Some(_) => "layernorm, times as fast as the public kernels on ttsim, in turn",
        None => "layernorm, times as fast as the public kernels on ttsim once were",
    });
    for (shape, recorded) in FORWARD {
        let case = format!("forward {}", shape.trim_start_matches("1,1,").replace(',', " "));
        let beside = Beside { peer: peer.as_deref_mut(), case, recorded };
        let [measured] = beside.measure(["forward", shape], [&["none", "1"]])?;
        measured.print(table, &format!("forward {shape}, checks off, 1 thread"), (60.0, 150.0));
    }

    let case = format!("backward {}", BACKWARD.replace(',', " "));
    let beside = Beside { peer: peer.filter(|peer| peer.backward), case, recorded: BACKWARD_PEER };
    let [one, all, checked] = beside.measure(["backward", BACKWARD], [&["none", "1"], &["none"], &["all", "1"]])?;
    one.print(table, &format!("backward {BACKWARD}, checks off, 1 thread"), (50.0, 100.0));
    all.print(table, &format!("backward {BACKWARD}, checks off, all threads"), (50.0, 100.0));
    checked.print(table, &format!("backward {BACKWARD}, checks on, 1 thread"), (30.0, 60.0));

    for (what, ms) in [("host data to pages", one.host[0]), ("pages to host data", one.host[1])] {
        table.figure(&format!("backward {BACKWARD}, {what}"), ms * 1e3, "ms");
    }

    table.heading("memory");
    let peak = |checks, threads: &[&str]| {
        peak_of(binary, &[&["layernorm", "backward", "--shape", BACKWARD, "--checks", checks], threads].concat())
    };
    let (one, all, checked) =
        (peak("none", &["--threads", "1"])?, peak("none", &[])?, peak("all", &["--threads", "1"])?);
    let gib = one.max(all).max(checked) as f64 / f64::from(1 << 30);
    table.row(&format!("backward {BACKWARD}, peak"), gib, "GiB", (1.0, 0.3), false);
    let bytes = checked.saturating_sub(one) as f64 / TILE_OPERATIONS;
    table.row("bookkeeping of the checks, a tile operation", bytes, "bytes", (100.0, 50.0), false);
    Ok(())
}

/// What our runs are compared with.
struct Beside<'a> {
    /// The peer, if it is here and has this case.
    peer: Option<&'a mut Peer>,
    /// As the peer names it.
    case: String,
    /// Its seconds, measured once elsewhere.
    recorded: f64,
}

impl Beside<'_> {
    /// Runs a call of ours a few times with checks and threads, each a few times: in turn with the peer, or alone.
    fn measure<const N: usize>(self, call: [&str; 2], with: [&[&str]; N]) -> Result<[Measured; N]> {
        let mut measured = [(); N].map(|()| Measured::default());
        let Some(peer) = self.peer else {
            for (with, measured) in with.into_iter().zip(&mut measured) {
                let [to_pages, ours, from_pages] = warm(call, with)?;
                let (times, host) = (self.recorded / ours, [to_pages, from_pages]);
                *measured = Measured { ours, peer: self.recorded, times, host, recorded: true };
            }
            return Ok(measured);
        };
        let mut runs = [(); N].map(|()| Vec::new());
        // The first run compiles the peer's kernels.
        let mut before = peer.seconds(&self.case)?;
        for _ in 0..ROUNDS {
            let mut ours = [0.0; N];
            for (index, with) in with.into_iter().enumerate() {
                let [to_pages, machine, from_pages] = warm(call, with)?;
                ours[index] = machine;
                measured[index].host = [to_pages, from_pages];
            }
            // The mean of the peer's runs just before and just after.
            let after = peer.seconds(&self.case)?;
            let theirs = f64::midpoint(before, after);
            before = after;
            for (runs, ours) in runs.iter_mut().zip(ours) {
                runs.push((ours, theirs, theirs / ours));
            }
        }
        for (measured, runs) in measured.iter_mut().zip(&runs) {
            measured.ours = median(runs.iter().map(|run| run.0));
            measured.peer = median(runs.iter().map(|run| run.1));
            measured.times = median(runs.iter().map(|run| run.2));
        }
        Ok(measured)
    }
}

/// One row.
#[derive(Default)]
struct Measured {
    /// Seconds.
    ours: f64,
    /// Seconds.
    peer: f64,
    /// How many times as fast we are.
    times: f64,
    /// Seconds of ours for data of the host on their way in and out.
    host: [f64; 2],
    /// True if the peer's time was not measured in this run.
    recorded: bool,
}

impl Measured {
    fn print(&self, table: &mut Table, what: &str, targets: (f64, f64)) {
        let whose = if self.recorded { "recorded" } else { "peer" };
        let (ours, peer) = (self.ours * 1e3, self.peer * 1e3);
        table.row(&format!("{what} ({ours:.1} ms, {whose} {peer:.0})"), self.times, "x", targets, true);
    }
}

/// Seconds of a call in a process that has run it before: host data to pages, the machine, pages to host data.
pub(super) fn warm(call: [&str; 2], with: &[&str]) -> Result<[f64; 3]> {
    let words: Vec<PathBuf> = call.iter().chain(with).map(PathBuf::from).collect();
    let lines = example("layernorm_phases", &words)?;
    let line = lines.last().context("layernorm_phases printed nothing")?;
    let figures: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
    let figures: [f64; 3] = figures.try_into().ok().with_context(|| format!("layernorm_phases printed {line}"))?;
    Ok(figures.map(|ms| ms / 1e3))
}

/// The middle of some values, or the mean of the two in the middle.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn a_median_is_the_middle_or_the_mean_of_the_two_in_the_middle() {
        assert_eq!(median([9.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([9.0, 1.0, 2.0, 4.0].into_iter()), 3.0);
    }
}
