//! The other side: whoever has started a worker takes what it says, and ends it where it would not end.
//!
//! It must never wait for a worker without a limit. Start at [`until_it_ends`].

#![allow(unsafe_code)]

use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::answer::{Said, answer_in};
use crate::pipes::Stream;

/// How long a worker may take, and how much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Until it is asked to end.
    pub time: Duration,
    /// Processor time that one turn may take.
    pub turn: Duration,
    /// Bytes beside those that it begins with.
    pub memory: u64,
    /// Bytes of its answer: whoever watches keeps them all.
    pub answer: usize,
}

/// What a worker shares with whoever watches it.
pub trait Watched {
    /// A number that changes with each turn, and the host thread that has one now; `None` while none has.
    fn turn(&self) -> (u64, Option<i32>);

    /// The worker is to end by itself, since so many seconds are over.
    fn ask_to_end(&self, seconds: u32);

    /// The signal by which a host thread is asked where it is.
    fn asks_where(&self) -> i32;

    /// Forgets what a host thread said when it was asked before.
    fn forgets_where(&self);

    /// Whether it has said that it is in code that is not trusted.
    fn is_astray(&self) -> bool;

    /// Whether nobody waits for its answer any more: then it is ended at once.
    fn is_unwanted(&self) -> bool {
        false
    }
}

/// How a worker ended that gave no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// By a signal.
    Signal(i32),
    /// By itself, with an exit code.
    Exit(i32),
    /// It was ended: one turn took too long.
    Astray,
    /// It was ended: it did not when it was asked to.
    OverLimit,
    /// It was ended: it answered more than it may.
    Flooded,
    /// It said that it had panicked, which what runs in it can make it say.
    Panicked,
}

/// The end of a worker that gave no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Death {
    /// How it came.
    pub how: How,
    /// After which time.
    pub after: Duration,
}

/// What came of a worker.
#[derive(Debug)]
pub struct Report {
    /// Its answer, or how it died.
    pub answer: std::result::Result<Vec<u8>, Death>,
    /// What came out of its standard output and error, and how many bytes more were dropped.
    pub said: [(Vec<u8>, u64); 2],
}

/// How often a worker is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How often it is asked where it is before it is taken to be astray.
const PROBES: usize = 5;
/// How long one may take to end when it is asked to.
const GRACE: Duration = Duration::from_secs(2);

/// Takes what a worker says until it has answered or is dead; then it is dead in any case.
pub(crate) fn until_it_ends(
    process: i32,
    limits: &Limits,
    watched: &dyn Watched,
    streams: [Stream; 3],
) -> Result<Report> {
    let mut worker = Worker { process, begun: Instant::now(), asked: None, since: (0, Duration::ZERO), streams };
    let ended = worker.follow(limits, watched);
    // SAFETY: the process is our child and was not waited for: the number is still its own.
    let status = unsafe {
        libc::kill(process, libc::SIGKILL);
        let mut status = 0;
        while libc::waitpid(process, &mut status, 0) == -1 && Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {
        }
        status
    };
    worker.streams.iter_mut().for_each(Stream::take);
    let after = worker.begun.elapsed();
    let [answer, out, error] = worker.streams;
    let said = [(out.bytes, out.dropped), (error.bytes, error.dropped)];
    let died = |how| Report { answer: Err(Death { how, after }), said: said.clone() };
    match answer_in(&answer.bytes).filter(|_| answer.dropped == 0) {
        Some(Said::Answer(bytes)) => Ok(Report { answer: Ok(bytes.to_vec()), said }),
        Some(Said::NotReady(why)) => {
            Err(Error::new(ErrorKind::InvalidInput, String::from_utf8_lossy(why).into_owned()))
        }
        Some(Said::NotBoxed(why)) => Err(Error::other(String::from_utf8_lossy(why).into_owned())),
        Some(Said::Panicked) => Ok(died(How::Panicked)),
        Some(Said::Nonsense) => Ok(Report { answer: Ok(Vec::new()), said }),
        None => Ok(died(match ended {
            Some(how @ (How::Astray | How::OverLimit | How::Flooded)) => how,
            _ if libc::WIFSIGNALED(status) => How::Signal(libc::WTERMSIG(status)),
            _ => How::Exit(libc::WEXITSTATUS(status)),
        })),
    }
}

/// A worker as it is watched.
struct Worker {
    process: i32,
    begun: Instant,
    /// When it was asked to end.
    asked: Option<Instant>,
    /// The turn that was seen last, and the processor's time when it was seen first.
    since: (u64, Duration),
    streams: [Stream; 3],
}

impl Worker {
    /// Follows it until it has answered (`None`), is dead, or has to be.
    fn follow(&mut self, limits: &Limits, watched: &dyn Watched) -> Option<How> {
        // SAFETY: a number in, a descriptor of our own out.
        let death = unsafe { libc::syscall(libc::SYS_pidfd_open, self.process, 0) as i32 };
        // SAFETY: the descriptor is there and nobody else's. Without one, the answer's end tells as well.
        let death = (death >= 0).then(|| unsafe { OwnedFd::from_raw_fd(death) });
        loop {
            let mut waits: Vec<libc::pollfd> =
                self.streams.iter().map(|stream| waits_for(stream.descriptor())).collect();
            waits.push(waits_for(death.as_ref().map_or(-1, AsRawFd::as_raw_fd)));
            // SAFETY: as many entries as are said.
            unsafe { libc::poll(waits.as_mut_ptr(), waits.len() as u64, LOOK.as_millis() as i32) };
            self.streams.iter_mut().for_each(Stream::take);
            if self.streams[0].dropped > 0 {
                return Some(How::Flooded);
            }
            if answer_in(&self.streams[0].bytes).is_some() {
                return None;
            }
            if waits[3].revents != 0 || (death.is_none() && self.streams[0].is_over) {
                return Some(How::Exit(0));
            }
            if watched.is_unwanted() {
                return Some(How::OverLimit);
            }
            if let Some(how) = self.is_to_die(limits, watched) {
                return Some(how);
            }
        }
    }

    /// Asks it to end when its time is over. Whether and why it has to be ended.
    fn is_to_die(&mut self, limits: &Limits, watched: &dyn Watched) -> Option<How> {
        let (turn, host_thread) = watched.turn();
        match self.asked {
            None if self.begun.elapsed() >= limits.time => {
                watched.ask_to_end(limits.time.as_secs().try_into().unwrap_or(u32::MAX));
                self.asked = Some(Instant::now());
            }
            Some(asked) if asked.elapsed() >= GRACE => {
                self.ask_where(host_thread, watched);
                return Some(How::OverLimit);
            }
            _ => {}
        }
        let now = self.processor_time();
        if turn != self.since.0 {
            self.since = (turn, now);
        } else if host_thread.is_some() && now.saturating_sub(self.since.1) >= limits.turn {
            // One answer may come from a library that the machine has called for a moment.
            let is_astray = (0..PROBES).all(|_| {
                self.ask_where(host_thread, watched);
                watched.turn().0 == turn && watched.is_astray()
            });
            if is_astray {
                return Some(How::Astray);
            }
            // The machine is at work for it.
            self.since.1 = now;
        }
        None
    }

    /// Has a host thread say where it is.
    fn ask_where(&self, host_thread: Option<i32>, watched: &dyn Watched) {
        let Some(thread) = host_thread else { return };
        // One that answers no more would be taken to be where it was.
        watched.forgets_where();
        // SAFETY: a signal to a thread of our child, which is there until it is waited for.
        unsafe { libc::syscall(libc::SYS_tgkill, self.process, thread, watched.asks_where()) };
        std::thread::sleep(Duration::from_millis(30));
    }

    /// What it has taken of the processors.
    fn processor_time(&self) -> Duration {
        let (mut clock, mut time) = (0, libc::timespec { tv_sec: 0, tv_nsec: 0 });
        // SAFETY: both are ours, and a clock is asked for only if it is there.
        let known = unsafe {
            libc::clock_getcpuclockid(self.process, &mut clock) == 0 && libc::clock_gettime(clock, &mut time) == 0
        };
        if known { Duration::new(time.tv_sec as u64, time.tv_nsec as u32) } else { Duration::ZERO }
    }
}

fn waits_for(descriptor: i32) -> libc::pollfd {
    libc::pollfd { fd: descriptor, events: libc::POLLIN, revents: 0 }
}
