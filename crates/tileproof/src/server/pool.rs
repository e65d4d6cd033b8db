//! The servers of this process: started when there is work and none is idle, kept for the next.
//!
//! It must never hand out a server that another process started, or one that was started in another folder or environment. Start at
//! [`Servers::ask`].

use std::ffi::OsString;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::request::Request;
use super::{READY, Ran};
use crate::stop;
use crate::wire::{Reader, Wire, to_bytes};

/// Servers that are kept while nobody needs them.
const MOST_IDLE: usize = 4;
/// How often it is looked whether anybody waits for an answer still.
const LOOK: Duration = Duration::from_millis(20);
/// How long one may take to begin: a machine may have much to do, and what was started may be no server at all.
const START: Duration = Duration::from_secs(10);

/// Says which test pytest is at, and so changes with each; no run heeds it.
const OF_NO_RUN: &str = "PYTEST_CURRENT_TEST";

/// The servers of this process.
pub struct Servers {
    /// The command line that starts one: a process that calls [`super::serve()`].
    command: Vec<OsString>,
    idle: Mutex<Vec<Server>>,
    /// None can be started that answers: no further one is tried.
    are_none: AtomicBool,
}

/// What a process has from the one that starts it, and a run may depend on.
#[derive(PartialEq, Eq)]
struct Around {
    folder: Option<PathBuf>,
    variables: Vec<(OsString, OsString)>,
}

impl Around {
    fn now() -> Around {
        let variables = std::env::vars_os().filter(|(name, _)| name != OF_NO_RUN).collect();
        Around { folder: std::env::current_dir().ok(), variables }
    }
}

struct Server {
    child: Child,
    stream: UnixStream,
    /// The process that it serves.
    serves: u32,
    around: Around,
    /// It has said that it is there.
    is_ready: bool,
}

impl Drop for Server {
    fn drop(&mut self) {
        // In a fork of the process that it serves it is another's, and no child.
        if self.serves == std::process::id() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Servers {
    /// Servers that a command line starts.
    pub fn new(command: Vec<OsString>) -> Servers {
        Servers { are_none: command.is_empty().into(), command, idle: Mutex::new(Vec::new()) }
    }

    /// Has a server ready for the next run in this folder and environment. Where none can be started, runs do without.
    pub fn warm(&self) {
        let around = Around::now();
        if let Some(server) = self.idle_one(&around).or_else(|| self.start(around)) {
            self.keep(server);
        }
    }

    /// The answer to a request; `None` if there is no server that gives one.
    pub(super) fn ask<T: Wire>(&self, request: &Request) -> Option<Ran<T>> {
        let bytes = to_bytes(request);
        loop {
            let around = Around::now();
            let mut server = match self.idle_one(&around) {
                Some(server) => server,
                None => self.start(around)?,
            };
            let has_served = server.is_ready;
            match server.answer(&bytes) {
                Ok(answer) => {
                    self.keep(server);
                    return Reader::whole(&answer);
                }
                Err(_) if stop::is_asked_for() => return Some(Err("stopped".into())),
                // Somebody may have ended it while it was idle.
                Err(_) if has_served => {}
                Err(_) => {
                    self.are_none.store(true, Relaxed);
                    return None;
                }
            }
        }
    }

    /// An idle server of this process, folder and environment.
    fn idle_one(&self, around: &Around) -> Option<Server> {
        // Whoever forked this process may have held the lock: then it is held for good.
        let mut idle = self.idle.try_lock().ok()?;
        idle.retain(|server| server.serves == std::process::id());
        let place = idle.iter().rposition(|server| server.around == *around)?;
        Some(idle.remove(place))
    }

    fn start(&self, around: Around) -> Option<Server> {
        if self.are_none.load(Relaxed) {
            return None;
        }
        let server = Server::start(&self.command, around).ok();
        self.are_none.store(server.is_none(), Relaxed);
        server
    }

    /// Keeps a server for the next run; of too many the one that was idle longest goes.
    fn keep(&self, server: Server) {
        if let Ok(mut idle) = self.idle.try_lock() {
            idle.push(server);
            if idle.len() > MOST_IDLE {
                idle.remove(0);
            }
        }
    }
}

impl Server {
    fn start(command: &[OsString], around: Around) -> Result<Server> {
        let (program, arguments) = command.split_first().ok_or(ErrorKind::NotFound)?;
        let (stream, theirs) = UnixStream::pair()?;
        let serves = std::process::id();
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Ctrl-C is for whoever is served, who ends it.
            .process_group(0)
            .spawn()?;
        let mut server = Server { child, stream, serves, around, is_ready: false };
        server.stream.set_read_timeout(Some(LOOK))?;
        server.stream.write_all(&serves.to_le_bytes())?;
        Ok(server)
    }

    /// What it answers.
    ///
    /// # Errors
    /// If it is gone, or nobody waits for its answer any more.
    fn answer(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        if !self.is_ready {
            let mut said = [0; READY.len()];
            self.read(&mut said, Some(Instant::now() + START))?;
            self.is_ready = said == READY;
            if !self.is_ready {
                return Err(ErrorKind::InvalidData.into());
            }
        }
        self.stream.write_all(&(request.len() as u64).to_le_bytes())?;
        self.stream.write_all(request)?;
        let mut length = [0; 8];
        self.read(&mut length, None)?;
        let mut answer = vec![0; u64::from_le_bytes(length) as usize];
        self.read(&mut answer, None)?;
        Ok(answer)
    }

    fn read(&mut self, mut to: &mut [u8], until: Option<Instant>) -> Result<()> {
        while !to.is_empty() {
            match self.stream.read(to) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => to = &mut to[read..],
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {
                    if stop::is_asked_for() || until.is_some_and(|until| Instant::now() > until) {
                        return Err(Error::other("nobody waits for it"));
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
