//! A compiler as a child that ends: within a time, within a memory, and no later than this process.
//!
//! It must never wait for what the child has left behind: its output goes to files, and its whole group is ended. Start at
//! [`run`].

#![allow(unsafe_code)]

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tileproof_worker::Reach;

/// What a child may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// From its start to its end.
    pub(crate) time: Duration,
    /// Address space of each of its processes, in bytes.
    pub(crate) memory: u64,
}

/// What a child may write into one file: an image has a hundred kilobytes, a hundred errors one.
const MOST_WRITTEN: u64 = 256 << 20;
/// What is read of its messages.
const MOST_SAID: u64 = 1 << 20;

/// How a child ended.
pub(crate) enum Ended {
    /// By itself, with success: what it wrote to stdout.
    Well(String),
    /// By itself otherwise, or by a signal that was not ours: what it wrote to stderr.
    Badly(ExitStatus, String),
    /// Because its time was over.
    TooLate,
}

/// Runs a command to its end, behind walls if there are some. `folder` is the caller's alone, and takes what the command prints.
///
/// # Errors
/// If it cannot be started, or the folder cannot be written.
pub(crate) fn run(command: &mut Command, folder: &Path, limits: Limits, reach: Option<Reach>) -> io::Result<Ended> {
    let (said, errors) = (folder.join("stdout"), folder.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&said)?).stderr(File::create(&errors)?);
    // What it leaves in the folder for temporary files, if it is ended, goes with the caller's.
    command.env("TMPDIR", folder);
    // A group of its own, so that the compiler proper ends with the driver that started it.
    command.process_group(0);
    // A second more than the time by the clock: whoever uses the processor is not cut off by this first.
    let seconds = limits.time.as_secs().saturating_add(1);
    let parent = libc::pid_t::try_from(std::process::id()).unwrap_or_default();
    // SAFETY: between fork and exec only calls that are safe in a signal handler are made, on values that were made before.
    unsafe {
        command.pre_exec(move || {
            limit(libc::RLIMIT_CPU, seconds)?;
            limit(libc::RLIMIT_AS, limits.memory)?;
            limit(libc::RLIMIT_FSIZE, MOST_WRITTEN)?;
            limit(libc::RLIMIT_CORE, 0)?;
            // The thread that starts the child waits for it, so it ends before the child only where the process was killed.
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 || libc::getppid() != parent {
                return Err(io::Error::last_os_error());
            }
            reach.as_ref().map_or(Ok(()), Reach::close)
        });
    }
    let mut child = command.spawn()?;
    let in_time = ends_within(&child, limits.time);
    end_group(&child);
    let status = child.wait()?;
    if !in_time {
        return Ok(Ended::TooLate);
    }
    let text = |path: &Path| -> io::Result<String> {
        let mut bytes = Vec::new();
        File::open(path)?.take(MOST_SAID).read_to_end(&mut bytes)?;
        fs::remove_file(path)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let (said, errors) = (text(&said)?, text(&errors)?);
    if status.signal() == Some(libc::SIGXCPU) {
        return Ok(Ended::TooLate);
    }
    Ok(if status.success() { Ended::Well(said) } else { Ended::Badly(status, errors) })
}

/// Whether the child ends in time. It is not waited for, so that its number stays its own.
fn ends_within(child: &Child, time: Duration) -> bool {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    while !has_ended(child) {
        if start.elapsed() >= time {
            return false;
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(4));
    }
    true
}

fn has_ended(child: &Child) -> bool {
    // SAFETY: all zeros is a value of this type, which is plain data.
    let mut end: libc::siginfo_t = unsafe { std::mem::zeroed() };
    let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
    // SAFETY: `end` is writable; the child is ours and was not waited for.
    let asked = unsafe { libc::waitid(libc::P_PID, child.id(), &mut end, how) };
    // SAFETY: waitid has filled it in, or left the zeros where nothing has ended.
    asked != 0 || unsafe { end.si_pid() } != 0
}

/// Ends the child and all that it has started, as far as they stayed in its group.
fn end_group(child: &Child) {
    let Ok(group) = libc::pid_t::try_from(child.id()) else { return };
    // SAFETY: it takes numbers alone. The child leads the group and was not waited for, so the number is still its own.
    unsafe { libc::kill(-group, libc::SIGKILL) };
}

/// Lowers a limit of this process.
fn limit(resource: libc::__rlimit_resource_t, most: u64) -> io::Result<()> {
    let mut now = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `now` is writable.
    if unsafe { libc::getrlimit(resource, &mut now) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let most = most.min(now.rlim_max);
    let limits = libc::rlimit { rlim_cur: most.min(now.rlim_cur), rlim_max: most };
    // SAFETY: `limits` is readable.
    if unsafe { libc::setrlimit(resource, &limits) } != 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(name: &str, script: &str, limits: Limits) -> (Ended, Duration) {
        let folder = std::env::temp_dir().join(format!("tileproof-limited-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let start = Instant::now();
        let ended = run(Command::new("sh").args(["-c", script]), &folder, limits, None).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        (ended, start.elapsed())
    }

    const FEW: Limits = Limits { time: Duration::from_millis(300), memory: 1 << 30 };

    #[test]
    fn what_does_not_end_is_ended() {
        for (name, script) in [("sleep", "sleep 100"), ("spin", "while :; do :; done")] {
            let (ended, time) = ended(name, script, FEW);
            assert!(matches!(ended, Ended::TooLate) && time < Duration::from_secs(5), "{name}: {time:?}");
        }
    }

    #[test]
    fn what_is_left_behind_is_not_waited_for() {
        let (ended, time) = ended("behind", "sleep 100 & echo said", FEW);
        assert!(matches!(ended, Ended::Well(text) if text == "said\n") && time < Duration::from_secs(5));
    }

    #[test]
    fn messages_are_those_of_stderr_and_memory_is_limited() {
        let (ended, _) = ended("memory", "ulimit -v >&2; exit 3", FEW);
        let Ended::Badly(status, text) = ended else { panic!("it went well") };
        assert_eq!((status.code(), text.trim()), (Some(3), "1048576"));
    }
}
