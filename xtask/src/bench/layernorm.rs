//! LayerNorm beside the full-system simulator, with checks and without, on one host thread and on all.
//!
//! Where the simulator is here, it and we take turns, and a row shows the median of the ratios: a machine whose speed varies
//! varies for both. Where it is not, the row divides by a recorded time and says so. Start at [`run`].

use anyhow::Result;

use super::measure::{Table, best_of};
use super::peer::Peer;

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
        let arguments = ["layernorm", "forward", "--shape", shape, "--checks", "none", "--threads", "1"];
        let beside = Beside { peer: peer.as_deref_mut(), case, recorded };
        let [measured] = beside.measure(binary, [&arguments])?;
        measured.print(table, &format!("forward {shape}, checks off, 1 thread"), (60.0, 150.0));
    }

    let with = |checks, threads: &'static [&str]| {
        [&["layernorm", "backward", "--shape", BACKWARD, "--checks", checks], threads].concat()
    };
    let (one, all, checked) = (with("none", &["--threads", "1"]), with("none", &[]), with("all", &["--threads", "1"]));
    let case = format!("backward {}", BACKWARD.replace(',', " "));
    let beside = Beside { peer: peer.filter(|peer| peer.backward), case, recorded: BACKWARD_PEER };
    let [one, all, checked] = beside.measure(binary, [&one, &all, &checked])?;
    one.print(table, &format!("backward {BACKWARD}, checks off, 1 thread"), (50.0, 100.0));
    all.print(table, &format!("backward {BACKWARD}, checks off, all threads"), (50.0, 100.0));
    checked.print(table, &format!("backward {BACKWARD}, checks on, 1 thread"), (30.0, 60.0));

    table.heading("memory");
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let peak = gib(one.memory.max(all.memory).max(checked.memory));
    table.row(&format!("backward {BACKWARD}, peak"), peak, "GiB", (1.0, 0.3), false);
    let bytes = checked.memory.saturating_sub(one.memory) as f64 / TILE_OPERATIONS;
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
    /// Runs each of our commands a few times: in turn with the peer, or alone.
    fn measure<const N: usize>(self, binary: &str, commands: [&[&str]; N]) -> Result<[Measured; N]> {
        let mut measured = [(); N].map(|()| Measured::default());
        let Some(peer) = self.peer else {
            for (command, measured) in commands.into_iter().zip(&mut measured) {
                let (ours, memory) = best_of(binary, ROUNDS, command)?;
                let times = self.recorded / ours;
                *measured = Measured { ours, peer: self.recorded, times, memory, recorded: true };
            }
            return Ok(measured);
        };
        let mut runs = [(); N].map(|()| Vec::new());
        // The first run compiles the peer's kernels.
        let mut before = peer.seconds(&self.case)?;
        for _ in 0..ROUNDS {
            let mut ours = [0.0; N];
            for (index, command) in commands.into_iter().enumerate() {
                let (seconds, memory) = best_of(binary, 1, command)?;
                ours[index] = seconds;
                measured[index].memory = measured[index].memory.max(memory);
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
    /// The peak of ours, bytes.
    memory: u64,
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
