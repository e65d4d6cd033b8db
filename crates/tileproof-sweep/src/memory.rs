//! What a process and those that it has started hold of the host's memory, as far as the host tells.
//!
//! Start at [`largest`].

use std::fs;

/// Megabytes of the largest among a process and those that it has started.
pub(crate) fn largest(process: u32) -> u64 {
    let own = held(process);
    children(process).into_iter().map(largest).fold(own, u64::max)
}

fn held(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

fn children(process: u32) -> Vec<u32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let of_thread = |thread: std::io::Result<fs::DirEntry>| {
        let text = fs::read_to_string(thread.ok()?.path().join("children")).ok()?;
        Some(text.split_whitespace().filter_map(|number| number.parse().ok()).collect::<Vec<u32>>())
    };
    threads.filter_map(of_thread).flatten().collect()
}
