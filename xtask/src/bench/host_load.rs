//! Which processor the host has, and what others took of it while something was measured.
//!
//! Read from `/proc`, in whose words ticks are what a processor spent. Where that is missing it says so. Start at [`Load::now`].

use std::fs;

/// What has been spent so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load(Option<Spent>);

/// Ticks of all processors: in all, doing something, and doing so for this process and those that it has waited for.
#[derive(Clone, Copy, Debug)]
struct Spent {
    all: u64,
    busy: u64,
    own: u64,
}

impl Load {
    /// From here on.
    pub(super) fn now() -> Load {
        Load(spent(&read("/proc/stat"), &read("/proc/self/stat")))
    }

    /// What others have taken since then, in words.
    pub(super) fn told(&self) -> String {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let of = if cores == 1 { "one core".into() } else { format!("{cores} cores") };
        match (self.0, Load::now().0) {
            (Some(before), Some(after)) => {
                format!("{of}, of which others took {:.0} % meanwhile", 100.0 * others(before, after))
            }
            _ => format!("{of}, which others may have loaded too"),
        }
    }
}

/// The part of all processors that others took.
fn others(before: Spent, after: Spent) -> f64 {
    let [all, busy, own] = [after.all - before.all, after.busy - before.busy, after.own - before.own];
    busy.saturating_sub(own) as f64 / all.max(1) as f64
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_default()
}

/// From the first line of `/proc/stat` (user, nice, system, idle, iowait, irq, softirq, steal), and from the line of a process behind its
/// name (proc(5): user, system, and those of its children, are the 12th to the 15th).
fn spent(stat: &str, own: &str) -> Option<Spent> {
    let ticks: Vec<u64> =
        stat.lines().next()?.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    let all: u64 = ticks.iter().take(8).sum();
    let idle = ticks.get(3)? + ticks.get(4)?;
    let (_, fields) = own.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let own = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    Some(Spent { all, busy: all - idle, own })
}

/// The processor, and the widest vectors that it has.
pub(super) fn processor() -> String {
    let text = read("/proc/cpuinfo");
    let of = |key: &str| {
        text.lines().find_map(|line| line.strip_prefix(key)?.split_once(':').map(|(_, value)| value.trim()))
    };
    let flags = of("flags").unwrap_or_default();
    let has = |flag: &str| flags.split(' ').any(|one| one == flag);
    let vectors = if has("avx512f") {
        "AVX-512"
    } else if has("avx2") {
        "AVX2"
    } else {
        "neither AVX-512 nor AVX2"
    };
    format!("{} with {vectors}", of("model name").unwrap_or("a processor of no known name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_took_is_what_is_busy_without_what_is_ones_own() {
        let process = |own: u64| format!("7 (a (b) c) S {} {own} 0 0 0 20 0", "0 ".repeat(10).trim());
        let before = spent("cpu  100 0 20 800 80 0 0 0 0 0\ncpu0 1", &process(50)).unwrap();
        let after = spent("cpu  170 0 40 860 130 0 0 0 0 0\ncpu0 1", &process(120)).unwrap();
        // 200 ticks, of which 110 were idle, 70 its own, and so 20 of others.
        assert_eq!((before.all, before.busy, before.own), (1000, 120, 50));
        assert!((others(before, after) - 0.1).abs() < 1e-9, "{}", others(before, after));
        assert!(spent("", &process(1)).is_none() && spent("cpu 1 2 3 4 5", "7 (a) S").is_none());
    }
}
