//! A cell in a process of its own: one worker carries out many, a line of JSON each way, until it is ended.
//!
//! A worker that dies takes nothing along but its own time: another one does the cell again. It must never decide what a cell
//! came to, but for one that took too much or whose workers died. Start at [`Worker::run`]; [`serve`] is the other side.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::SweepError;
use crate::carry_out::carry_out;
use crate::cell::{Cell, Outcome, status};
use crate::memory;
use crate::paths::absolute;
use crate::spec::Limits;

/// How often limits are looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How long a worker may take to begin: it may be an interpreter on a machine that has much to do.
const START: Duration = Duration::from_secs(120);
/// How often a cell is begun whose worker dies.
const TRIES: usize = 3;

/// What a worker says once it listens.
const READY: &str = concat!("tileproof ", env!("CARGO_PKG_VERSION"));

#[derive(Serialize, Deserialize)]
struct Job {
    folder: PathBuf,
    cell: Cell,
}

/// Carries out the cells that come in, one a line, and says what each came to. Once the input ends so does this process, also
/// in the middle of a cell: whoever waited for it is gone, and with it whoever looked at its limits.
///
/// # Errors
/// If nobody listens any more.
pub fn serve(input: impl BufRead + Send + 'static, mut say: impl FnMut(&str) -> io::Result<()>) -> io::Result<()> {
    say(&format!("{READY}\n"))?;
    let (hand, jobs) = channel();
    std::thread::spawn(move || {
        let _ = input.lines().map_while(Result::ok).try_for_each(|line| hand.send(line));
        // Kernels and compilers of it end with it.
        std::process::exit(0);
    });
    for line in jobs {
        let job: Job = serde_json::from_str(&line)?;
        let outcome = carry_out(&job.cell, &job.folder);
        say(&format!("{}\n", serde_json::to_string(&outcome)?))?;
    }
    Ok(())
}

/// A worker, started when there is something to do.
pub struct Worker {
    command: Vec<OsString>,
    folder: PathBuf,
    limits: Limits,
    running: Option<Running>,
}

/// What came of a try.
enum Answer {
    Outcome(Outcome),
    /// How the worker ended.
    Died(String),
}

impl Worker {
    /// One that `command` starts: the words of a command line that calls [`serve`]. Paths of cells begin at `folder`.
    pub fn new(command: Vec<OsString>, folder: PathBuf, limits: Limits) -> Worker {
        // A worker says paths as they are below it, wherever it is started.
        Worker { command, folder: absolute(&folder), limits, running: None }
    }

    /// What a cell comes to.
    ///
    /// # Errors
    /// If no worker can be started, or `stop` is set meanwhile.
    pub fn run(&mut self, cell: &Cell, stop: &AtomicBool) -> Result<Outcome, SweepError> {
        let mut died = String::new();
        for _ in 0..TRIES {
            let mut running = match self.running.take() {
                Some(running) => running,
                None => Running::start(&self.command)?,
            };
            match running.answer(&self.folder, cell, self.limits, stop)? {
                Answer::Outcome(outcome) => {
                    let is_over = [status::TIMEOUT, status::OUT_OF_MEMORY].contains(&outcome.status.as_str());
                    self.running = Some(running).filter(|_| !is_over);
                    return Ok(outcome);
                }
                Answer::Died(how) => died = how,
            }
        }
        Ok(Outcome::without_record(status::LOST, format!("its worker died {TRIES} times: {died}")))
    }
}

struct Running {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Drop for Running {
    fn drop(&mut self) {
        // Kernels and compilers of it end with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    fn start(command: &[OsString]) -> Result<Running, SweepError> {
        let shown = || command.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        let failed = |message: String| SweepError::Worker { command: shown(), message };
        let (program, arguments) = command.split_first().ok_or_else(|| failed("the command is empty".into()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Ctrl-C is for whoever waits for it, and knows which cells are done.
            .process_group(0)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no streams".into()));
        };
        let (said, lines) = channel();
        // It ends with the worker's stdout.
        std::thread::spawn(move || {
            let _ = BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|line| said.send(line));
        });
        let running = Running { child, stdin, lines };
        match running.lines.recv_timeout(START) {
            Ok(line) if line == READY => Ok(running),
            Ok(line) => Err(failed(format!("it said \"{line}\" instead of \"{READY}\""))),
            Err(_) => Err(failed("it ended, or did not begin in time".into())),
        }
    }

    fn answer(&mut self, folder: &Path, cell: &Cell, limits: Limits, stop: &AtomicBool) -> Result<Answer, SweepError> {
        let job = Job { folder: folder.to_path_buf(), cell: cell.clone() };
        let job = serde_json::to_string(&job)
            .map_err(|error| SweepError::Worker { command: "cell".into(), message: error.to_string() })?;
        let start = Instant::now();
        if self.stdin.write_all(format!("{job}\n").as_bytes()).and_then(|()| self.stdin.flush()).is_err() {
            return Ok(Answer::Died(self.end()));
        }
        loop {
            match self.lines.recv_timeout(LOOK) {
                Ok(line) => {
                    return Ok(match serde_json::from_str(&line) {
                        Ok(outcome) => Answer::Outcome(outcome),
                        Err(error) => Answer::Died(format!("it answered what is no outcome: {error}")),
                    });
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(Answer::Died(self.end())),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if stop.load(Relaxed) {
                return Err(SweepError::Stopped);
            }
            if start.elapsed().as_secs_f64() > limits.seconds {
                let why = format!("it took more than {} s", limits.seconds);
                return Ok(Answer::Outcome(Outcome::without_record(status::TIMEOUT, why)));
            }
            if memory::largest(self.child.id()) > limits.memory_mb {
                let why = format!("it took more than {} MB", limits.memory_mb);
                return Ok(Answer::Outcome(Outcome::without_record(status::OUT_OF_MEMORY, why)));
            }
        }
    }

    /// How it ended.
    fn end(&mut self) -> String {
        let _ = self.child.kill();
        self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }
}
