//! The worker's side: it is forked, cut off from what its parent has open, made ready, boxed in, does its job and answers.
//!
//! It dies with the thread that started it, always. Start at [`run`].

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Error, Result, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::answer::{ANSWER, BOXED, NOT_BOXED, NOT_READY, PANICKED, send};
use crate::pipes::{Stream, pipe};
use crate::sandbox::{self, Host};
use crate::watch::{self, Limits, Report, Watched};

/// What a worker does.
pub struct Job<'a> {
    /// Descriptors that it needs, beside its streams.
    pub keeps: &'a [RawFd],
    /// What it does first: whatever has to be opened.
    pub open: &'a mut dyn FnMut() -> std::result::Result<(), String>,
    /// What it does then, without rights to files any more, and before calls into the host are refused: threads that are started
    /// here have those rights no more than it has.
    pub start: &'a mut dyn FnMut() -> std::result::Result<(), String>,
    /// What it does in its box; the bytes are its answer.
    pub work: &'a mut dyn FnMut() -> Vec<u8>,
}

/// Where the worker answers.
const ANSWERS_TO: RawFd = 3;

/// Runs a job in a worker. No other thread of this process may hold a lock that the job needs.
///
/// # Errors
/// If there can be no worker; of kind `InvalidInput` if the job says that it cannot be made ready.
pub fn run(limits: &Limits, watched: &dyn Watched, job: &mut Job<'_>) -> Result<Report> {
    run_in(sandbox::host(), limits, watched, job)
}

/// Runs a job in a worker whose box has what is said of the host.
fn run_in(host: Host, limits: &Limits, watched: &dyn Watched, job: &mut Job<'_>) -> Result<Report> {
    let (answer, answers) = pipe()?;
    let (out, says) = pipe()?;
    let (error, tells) = pipe()?;
    let parent = std::process::id();
    // What is in the buffer would come out of both processes.
    std::io::stdout().flush()?;
    // SAFETY: the child runs on in this thread alone. What it touches is its own copy, the C library's heap among it, which fork
    // leaves whole; of other locks the caller has promised that nobody holds them.
    match unsafe { libc::fork() } {
        -1 => Err(Error::last_os_error()),
        0 => {
            // Nothing of the parent's may be unwound or dropped here: the child ends where it is.
            let _ = catch_unwind(AssertUnwindSafe(|| child(parent, host, limits, [answers, says, tells], job)));
            end()
        }
        process => {
            drop((answers, says, tells));
            let streams = [Stream::answer(answer, limits.answer), Stream::text(out), Stream::text(error)];
            watch::until_it_ends(process, limits, watched, streams)
        }
    }
}

/// The child is done, whatever its box allows.
fn end() -> ! {
    // SAFETY: ends this process, by the exit or by the signal with which its box refuses one.
    unsafe {
        libc::signal(libc::SIGSYS, libc::SIG_DFL);
        libc::_exit(0)
    }
}

fn child(parent: u32, host: Host, limits: &Limits, streams: [OwnedFd; 3], job: &mut Job<'_>) {
    let raw = streams.each_ref().map(AsRawFd::as_raw_fd);
    let mut answers = raw[0];
    // None is closed by whoever holds it: they are moved, and all but the child's own closed, by number.
    std::mem::forget(streams);
    let moved = cut_off(parent, &mut answers, raw, job.keeps);
    // SAFETY: wherever it was moved to, it is open, and nobody else's.
    let answer = unsafe { File::from_raw_fd(answers) };
    if let Err(error) = moved {
        return send(answer, NOT_BOXED, error.to_string().as_bytes());
    }
    let boxed = box_in(host, limits, job);
    if boxed.is_ok() && (&answer).write_all(&[BOXED]).is_err() {
        return;
    }
    let (kind, bytes) = match boxed {
        Err((kind, why)) => (kind, why.into_bytes()),
        Ok(()) => match catch_unwind(AssertUnwindSafe(|| (job.work)())) {
            Ok(bytes) => (ANSWER, bytes),
            Err(_) => (PANICKED, Vec::new()),
        },
    };
    // SAFETY: writes out what the C library still holds of its streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    send(answer, kind, &bytes);
}

/// Has a job made ready and closes the box around it, wall by wall; if that cannot be, the kind of answer and why.
fn box_in(host: Host, limits: &Limits, job: &mut Job<'_>) -> std::result::Result<(), (u8, String)> {
    let refused = |error: Error| (NOT_BOXED, format!("the box: {error}"));
    let not_ready = |why: String| (NOT_READY, why);
    sandbox::limit(limits.memory).map_err(refused)?;
    (job.open)().map_err(not_ready)?;
    sandbox::close_files(host).map_err(refused)?;
    (job.start)().map_err(not_ready)?;
    sandbox::close_calls(host).map_err(refused)
}

/// Leaves the child with its own streams, and nothing that its parent has open; it dies with its parent. Wherever it stops, the
/// pipe for answers is open at `answers_to`.
fn cut_off(parent: u32, answers_to: &mut RawFd, streams: [RawFd; 3], keeps: &[RawFd]) -> Result<()> {
    // SAFETY: descriptors of this process alone, which nothing else here closes; those that go are used no more.
    unsafe {
        done(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        // It may have died before.
        if libc::getppid() as u32 != parent {
            end();
        }
        if keeps.iter().any(|kept| *kept <= ANSWERS_TO) {
            return Err(Error::other("a descriptor to keep is where the worker's own have to be"));
        }
        let nothing = done(libc::open(c"/dev/null".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC))?;
        let above = keeps.iter().copied().max().unwrap_or(0).max(ANSWERS_TO) + 1;
        // First out of the way, since one may be where another has to go.
        let high = |descriptor: RawFd| done(libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, above));
        let [answers, says, tells] = streams;
        let from = [high(nothing)?, high(says)?, high(tells)?, high(answers)?];
        *answers_to = from[3];
        for (to, from) in (0..).zip(from) {
            done(libc::dup2(from, to))?;
        }
        *answers_to = ANSWERS_TO;
        let mut kept = keeps.to_vec();
        kept.sort_unstable();
        let mut first = ANSWERS_TO as u32 + 1;
        for kept in kept {
            if kept as u32 > first {
                done(libc::close_range(first, kept as u32 - 1, 0))?;
            }
            first = kept as u32 + 1;
        }
        done(libc::close_range(first, u32::MAX, 0))?;
        // A line of a kernel that dies is not to be lost with it.
        libc::setvbuf(stdout, std::ptr::null_mut(), libc::_IOLBF, 1024);
        // If memory runs out, this process goes and not its parent.
        let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
        Ok(())
    }
}

/// What a call into the host gave, unless it failed.
fn done(result: i32) -> Result<i32> {
    if result == -1 { Err(Error::last_os_error()) } else { Ok(result) }
}

unsafe extern "C" {
    /// The C library's stream.
    static stdout: *mut libc::FILE;
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// A worker that is never asked anything.
    struct Nobody;

    impl Watched for Nobody {
        fn turn(&self) -> (u64, Option<i32>) {
            (0, None)
        }
        fn ask_to_end(&self, _: u32) {}
        fn asks_where(&self) -> i32 {
            libc::SIGALRM
        }
        fn forgets_where(&self) {}
        fn is_astray(&self) -> bool {
            false
        }
    }

    const LIMITS: Limits =
        Limits { time: Duration::from_secs(20), turn: Duration::from_secs(20), memory: 256 << 20, answer: 1 << 10 };

    fn can_open() -> bool {
        File::open("/etc/passwd").is_ok()
    }

    #[test]
    fn a_thread_of_a_worker_can_open_a_file_no_more_than_the_worker_itself() {
        // Without the filter of calls, which would end whoever tries.
        let host = Host { seccomp: false, ..sandbox::host() };
        if host.landlock.is_none() {
            eprintln!("this host has no Landlock");
            return;
        }
        let other = RefCell::new(None);
        let report = run_in(
            host,
            &LIMITS,
            &Nobody,
            &mut Job {
                keeps: &[],
                open: &mut || can_open().then_some(()).ok_or_else(|| "there is nothing to open".into()),
                start: &mut || {
                    let (ask, asked) = channel::<()>();
                    let (tell, told) = channel();
                    std::thread::spawn(move || asked.recv().map(|()| tell.send(can_open())));
                    other.replace(Some((ask, told)));
                    Ok(())
                },
                work: &mut || {
                    let (ask, told) = other.take().expect("it was started");
                    ask.send(()).expect("it waits");
                    vec![can_open().into(), told.recv().expect("it tells").into()]
                },
            },
        );
        assert_eq!(report.expect("a worker").answer, Ok(vec![0, 0]));
    }
}
