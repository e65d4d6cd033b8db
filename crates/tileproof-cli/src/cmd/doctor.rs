//! `tileproof doctor`: what this machine has, read-only.

use std::path::Path;

use clap::Args;
use tileproof::build::compiler_version;

use crate::arguments::below;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Args)]
#[command(after_help = below(&[], &["doctor"]))]
pub(crate) struct Doctor {}

/// A line of the report.
struct Line {
    mark: &'static str,
    topic: &'static str,
    text: String,
}

impl Doctor {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let here = [cpu(), compiler(), memory(), kernel_box()].map(shown).concat();
        let card = [device_node(), huge_pages(), container()].map(shown).concat();
        say(format!(
            "Simulation (all that Tileproof itself needs)\n{here}\nCard (only for running on real hardware)\n{card}"
        ))?;
        Ok(Outcome::Clean)
    }
}

fn shown(line: Line) -> String {
    format!("  {:<4} {:<14} {}\n", line.mark, line.topic, line.text)
}

fn cpu() -> Line {
    #[cfg(target_arch = "x86_64")]
    {
        let features = [
            ("avx512f", std::arch::is_x86_feature_detected!("avx512f")),
            ("avx2", std::arch::is_x86_feature_detected!("avx2")),
            ("sse4.2", std::arch::is_x86_feature_detected!("sse4.2")),
        ];
        let have: Vec<&str> = features.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let best = have.first().copied().unwrap_or("baseline x86-64");
        let mark = if best == "avx512f" || best == "avx2" { "ok" } else { "slow" };
        Line {
            mark,
            topic: "CPU",
            text: format!("{threads} threads; tile arithmetic uses {best} (found: {})", have.join(", ")),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    Line { mark: "slow", topic: "CPU", text: "not x86-64: plain arithmetic".into() }
}

fn compiler() -> Line {
    match compiler_version() {
        Ok(text) => Line { mark: "ok", topic: "C++ compiler", text },
        Err(why) => {
            let needed = "C++ kernels need g++ or clang++ (set CXX, or install g++); Rust kernels run without";
            let text = format!("none: {why}; {needed}");
            Line { mark: "none", topic: "C++ compiler", text }
        }
    }
}

fn memory() -> Line {
    let limit = std::fs::read_to_string("/proc/sys/vm/mmap_min_addr").ok();
    match limit.as_deref().map(str::trim).and_then(|v| v.parse::<u64>().ok()) {
        Some(lowest) if lowest > 16 << 20 => Line {
            mark: "bad",
            topic: "low memory",
            text: format!("vm.mmap_min_addr is {lowest}: L1 must be mapped from address 16 MiB on; lower it"),
        },
        _ => Line { mark: "ok", topic: "low memory", text: "L1 of the cores can be mapped below 4 GiB".into() },
    }
}

/// What kernels in C++ are boxed in by.
fn kernel_box() -> Line {
    let topic = "kernel box";
    let host = tileproof::host_box();
    let landlock = match host.landlock {
        Some(version) if version >= 4 => format!("no files and no network (Landlock {version})"),
        Some(version) => format!("no files (Landlock {version}; the network from 4 on)"),
        None => "files not kept from them: this host has no Landlock".into(),
    };
    let calls = if host.seccomp {
        "no calls into the host but for memory and time (seccomp)"
    } else {
        "calls into the host not kept from them: this host has no seccomp filters"
    };
    let mark = if host.landlock.is_some() && host.seccomp { "ok" } else { "weak" };
    let compiler = match host.landlock {
        Some(_) if std::env::var_os("TILEPROOF_COMPILER_BOX").is_some_and(|value| value == "off") => {
            "the compiler reads whatever you may (TILEPROOF_COMPILER_BOX is off)"
        }
        Some(_) => "the compiler reads what it is given",
        None => "the compiler reads whatever you may",
    };
    Line { mark, topic, text: format!("kernels in C++ run in a process of their own: {landlock}, {calls}; {compiler}") }
}

fn device_node() -> Line {
    let topic = "device node";
    let folder = Path::new("/dev/tenstorrent");
    let mut nodes: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path().display().to_string()).collect())
        .unwrap_or_default();
    nodes.sort();
    if nodes.is_empty() {
        let text = "no /dev/tenstorrent: no card, or the kernel driver (tt-kmd) is not loaded".into();
        return Line { mark: "none", topic, text };
    }
    let closed: Vec<&String> =
        nodes.iter().filter(|n| std::fs::OpenOptions::new().read(true).open(n).is_err()).collect();
    if closed.is_empty() {
        Line { mark: "ok", topic, text: nodes.join(", ") }
    } else {
        Line { mark: "bad", topic, text: format!("{} cannot be opened by this user", closed[0]) }
    }
}

fn huge_pages() -> Line {
    let topic = "huge pages";
    // tt-metal wants 1 GiB pages, one or more a card, mounted where its driver looks for them.
    let read = |name: &str| {
        let path = format!("/sys/kernel/mm/hugepages/hugepages-1048576kB/{name}");
        std::fs::read_to_string(path).ok().and_then(|v| v.trim().parse::<u64>().ok())
    };
    let mounted = Path::new("/dev/hugepages-1G").exists();
    match (read("nr_hugepages"), read("free_hugepages")) {
        (Some(all), Some(free)) if all > 0 && mounted => {
            Line { mark: "ok", topic, text: format!("{all} of 1 GiB, {free} free, mounted at /dev/hugepages-1G") }
        }
        (Some(all), _) if all > 0 => {
            Line { mark: "bad", topic, text: format!("{all} of 1 GiB, but /dev/hugepages-1G is not mounted") }
        }
        _ => {
            Line { mark: "none", topic, text: "no 1 GiB huge pages are reserved (tt-system-tools sets them up)".into() }
        }
    }
}

fn container() -> Line {
    let topic = "container";
    let inside = Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists();
    let wanted = "--device /dev/tenstorrent -v /dev/hugepages-1G:/dev/hugepages-1G";
    if inside {
        let missing: Vec<&str> =
            ["/dev/tenstorrent", "/dev/hugepages-1G"].into_iter().filter(|p| !Path::new(p).exists()).collect();
        let text = if missing.is_empty() {
            "inside one, with the device and the huge pages mounted".into()
        } else {
            format!("inside one, without {}; for a card start it with {wanted}", missing.join(" and "))
        };
        return Line { mark: if missing.is_empty() { "ok" } else { "none" }, topic, text };
    }
    Line { mark: "ok", topic, text: format!("not inside one; one for a card needs {wanted}") }
}
