//! What a program needs of the host's memory, added up before any of it is taken.
//!
//! It must never refuse what fits. Start at [`check`].

use tileproof_model::program::{MemoryConfig, TensorDescriptor};

use super::error::RunError;
use crate::program_file::ProgramFile;

/// Parts that a refusal names.
const NAMED: usize = 3;
/// Bytes of a word, which elements are while they are looked at.
const WORD: u64 = 4;
/// Bytes of a value in float64.
const DOUBLE: u64 = 8;

/// Refuses a program that needs more memory than the host can give.
pub(super) fn check(file: &ProgramFile) -> Result<(), RunError> {
    fits(file, parts(file))
}

/// Refuses a call of an op whose inputs and reference need more, before they are worked out.
pub(crate) fn check_call(file: &ProgramFile) -> Result<(), RunError> {
    let of_values = |(index, tensor): (usize, &TensorDescriptor)| {
        let (what, bytes) = if file.tensors[index].output { ("reference", WORD + DOUBLE) } else { ("values", WORD) };
        (format!("the {what} of {}", tensor.name), tensor.elements() as u64 * bytes)
    };
    let values = file.program.tensors.iter().enumerate().map(of_values);
    fits(file, parts(file).into_iter().chain(values).collect())
}

fn fits(file: &ProgramFile, mut parts: Vec<(String, u64)>) -> Result<(), RunError> {
    let needed: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
    // What is small is not worth a look at the host.
    if needed <= SMALL {
        return Ok(());
    }
    let Some(room) = room().filter(|room| needed > *room) else { return Ok(()) };
    parts.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    let named: Vec<String> =
        parts.iter().take(NAMED).map(|(what, bytes)| format!("{what} {}", byte_count(*bytes))).collect();
    Err(RunError::Memory {
        path: file.path.clone(),
        text: format!(
            "the program needs {} of the host's memory, which has {} left; the largest parts are {}",
            byte_count(needed),
            byte_count(room),
            named.join(", ")
        ),
    })
}

/// Below it nothing is asked of the host.
const SMALL: u64 = 64 << 20;

/// Bytes, as people say them.
fn byte_count(bytes: u64) -> String {
    match bytes {
        0..0x10_0000 => format!("{} KiB", bytes >> 10),
        0x10_0000..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// What needs memory, and how many bytes.
fn parts(file: &ProgramFile) -> Vec<(String, u64)> {
    let mut parts = Vec::new();
    for tensor in &file.program.tensors {
        // What fills it, and what is expected of it, comes in pieces.
        if tensor.memory == MemoryConfig::Dram {
            parts.push((format!("tensor {}", tensor.name), tensor.bytes() as u64));
        }
    }
    parts
}

/// Of the bytes that a group of processes has taken, those of files that nobody has used lately.
fn given_up(stat: &str) -> u64 {
    let line = stat.lines().find_map(|line| line.strip_prefix("inactive_file "));
    line.and_then(|bytes| bytes.trim().parse().ok()).unwrap_or(0)
}

/// Bytes that this process may still take: what the host has left, and what limits leave it. `None` if nobody says.
fn room() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let kib = |text: &str, name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib << 10)
    };
    let host = read("/proc/meminfo").and_then(|text| kib(&text, "MemAvailable:"));
    let taken = read("/proc/self/status").and_then(|text| kib(&text, "VmSize:")).unwrap_or(0);
    let limit = read("/proc/self/limits").and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    });
    let group = || {
        let most: u64 = read("/sys/fs/cgroup/memory.max")?.trim().parse().ok()?;
        let now: u64 = read("/sys/fs/cgroup/memory.current")?.trim().parse().ok()?;
        // Files that were read count, and are given up as soon as somebody needs the room (kernel documentation, `cgroup-v2`).
        Some(most.saturating_sub(now.saturating_sub(given_up(&read("/sys/fs/cgroup/memory.stat")?))))
    };
    [host, limit.map(|limit| limit.saturating_sub(taken)), group()].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::given_up;

    #[test]
    fn files_that_were_read_leave_their_room_to_others() {
        assert_eq!(given_up("anon 5\nactive_file 7\ninactive_file 4096\nworkingset_refault_file 9\n"), 4096);
        assert_eq!(given_up("anon 5\nfile 9\n"), 0);
    }
}
