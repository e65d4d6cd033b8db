//! `tileproof doctor`: what this machine has, read-only.

use std::path::Path;

use clap::Args;
use tileproof::build::compiler_version;

use crate::arguments::below;
use crate::cmd::mend;
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
    /// The command that mends it.
    mend: Option<String>,
}

impl Line {
    fn new(mark: &'static str, topic: &'static str, text: impl Into<String>) -> Line {
        Line { mark, topic, text: text.into(), mend: None }
    }

    fn mended_by(self, command: impl Into<String>) -> Line {
        Line { mend: Some(command.into()), ..self }
    }
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
    let mend = line.mend.map_or(String::new(), |command| format!("  {:<4} {:<14} mend it: {command}\n", "", ""));
    format!("  {:<4} {:<14} {}\n{mend}", line.mark, line.topic, line.text)
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
        Line::new(mark, "CPU", format!("{threads} threads; tile arithmetic uses {best} (found: {})", have.join(", ")))
    }
    #[cfg(not(target_arch = "x86_64"))]
    Line::new("slow", "CPU", "not x86-64: plain arithmetic")
}

fn compiler() -> Line {
    match compiler_version() {
        Ok(text) => Line::new("ok", "C++ compiler", text),
        Err(why) => {
            let needed = "C++ kernels need g++ or clang++; Rust kernels run without";
            let os_release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
            let command = match std::env::var_os("CXX") {
                Some(_) => mend::name_compiler(&os_release),
                None => mend::install_compiler(&os_release),
            };
            Line::new("none", "C++ compiler", format!("none: {why}; {needed}")).mended_by(command)
        }
    }
}

fn memory() -> Line {
    let limit = std::fs::read_to_string("/proc/sys/vm/mmap_min_addr").ok();
    match limit.as_deref().map(str::trim).and_then(|v| v.parse::<u64>().ok()) {
        Some(lowest) if lowest > 16 << 20 => {
            let text = format!("vm.mmap_min_addr is {lowest}: L1 must be mapped from address 16 MiB on");
            Line::new("bad", "low memory", text).mended_by(mend::LOWER_LEAST_ADDRESS)
        }
        _ => Line::new("ok", "low memory", "L1 of the cores can be mapped below 4 GiB"),
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
    let text = format!("kernels in C++ run in a process of their own: {landlock}, {calls}; {compiler}");
    let line = Line::new(mark, topic, text);
    if host.landlock.is_none() { line.mended_by(mend::TURN_ON_LANDLOCK) } else { line }
}

fn device_node() -> Line {
    let topic = "device node";
    let folder = Path::new("/dev/tenstorrent");
    let mut nodes: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.path().display().to_string()).collect())
        .unwrap_or_default();
    nodes.sort();
    if nodes.is_empty() {
        let text = "no /dev/tenstorrent: no card, or the kernel driver (tt-kmd) is not loaded";
        return Line::new("none", topic, text).mended_by(mend::LOAD_DRIVER);
    }
    let closed: Vec<&String> =
        nodes.iter().filter(|n| std::fs::OpenOptions::new().read(true).open(n).is_err()).collect();
    if closed.is_empty() {
        Line::new("ok", topic, nodes.join(", "))
    } else {
        Line::new("bad", topic, format!("{} cannot be opened by this user", closed[0])).mended_by(mend::OPEN_NODE)
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
            Line::new("ok", topic, format!("{all} of 1 GiB, {free} free, mounted at /dev/hugepages-1G"))
        }
        (Some(all), _) if all > 0 => {
            let text = format!("{all} of 1 GiB, but /dev/hugepages-1G is not mounted");
            Line::new("bad", topic, text).mended_by(mend::MOUNT_PAGES)
        }
        _ => Line::new("none", topic, "no 1 GiB huge pages are reserved").mended_by(mend::RESERVE_PAGES),
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
            format!("inside one, without {}", missing.join(" and "))
        };
        let line = Line::new(if missing.is_empty() { "ok" } else { "none" }, topic, text);
        return if missing.is_empty() { line } else { line.mended_by(format!("start it with {wanted}")) };
    }
    Line::new("ok", topic, format!("not inside one; one for a card needs {wanted}"))
}
