//! Runs of programs, each in a process of this command, one after the other, on a thread of their own.
//!
//! A program that is to run again while it runs begins anew. It must never run what nobody asked for. Start at [`Runs::start`].

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tileproof_report::json::RunDocument;

use super::programs;

/// How often a run that goes on is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// What is to run.
pub(super) struct Asked {
    /// A program, or a file that programs name.
    pub(super) file: PathBuf,
    /// Where programs are looked for.
    pub(super) folders: Vec<PathBuf>,
}

/// What becomes of it.
pub(super) enum Told {
    /// A program runs, and so many wait.
    Begins(PathBuf, usize),
    /// What came of a program, or why nothing did.
    Ends(PathBuf, Result<Box<RunDocument>, String>),
    /// More programs name a file than may run for it: how many do.
    TooMany(PathBuf, usize),
    /// All have run.
    Idle,
}

/// How programs are run.
pub(super) struct Limits {
    /// The command line that starts this command without arguments.
    pub(super) itself: Vec<OsString>,
    /// Seconds that one run of the kernels may take.
    pub(super) seconds: u64,
    /// Programs that run for one file at most.
    pub(super) programs: usize,
}

/// The thread.
pub(super) struct Runs {
    ask: Option<Sender<Asked>>,
    thread: Option<JoinHandle<()>>,
}

impl Runs {
    /// Waits for what is asked. `tell` is called as things become of it.
    pub(super) fn start(limits: Limits, tell: impl Fn(Told) + Send + 'static) -> Runs {
        let (ask, asked) = mpsc::channel();
        let run = move || Running { limits, asked, waiting: VecDeque::new(), tell }.all();
        Runs { ask: Some(ask), thread: Some(thread::spawn(run)) }
    }

    pub(super) fn ask(&self, asked: Asked) {
        // The thread ends behind the sender alone.
        let _ = self.ask.as_ref().map(|ask| ask.send(asked));
    }
}

impl Drop for Runs {
    /// Ends what runs.
    fn drop(&mut self) {
        self.ask = None;
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

struct Running<T> {
    limits: Limits,
    asked: Receiver<Asked>,
    waiting: VecDeque<PathBuf>,
    tell: T,
}

impl<T: Fn(Told)> Running<T> {
    fn all(mut self) {
        while let Ok(asked) = self.asked.recv() {
            self.take(&asked);
            while let Some(program) = self.waiting.pop_front() {
                (self.tell)(Told::Begins(program.clone(), self.waiting.len()));
                match self.run(&program) {
                    Some(result) => (self.tell)(Told::Ends(program, result)),
                    // Nobody is there any more.
                    None if !self.waiting.contains(&program) => return,
                    None => {}
                }
            }
            (self.tell)(Told::Idle);
        }
    }

    /// Puts the programs of a file with those that wait; which they are.
    fn take(&mut self, asked: &Asked) -> Vec<PathBuf> {
        let programs = programs::naming(&asked.file, &asked.folders);
        if programs.len() > self.limits.programs {
            (self.tell)(Told::TooMany(asked.file.clone(), programs.len()));
        }
        let programs: Vec<PathBuf> = programs.into_iter().take(self.limits.programs).collect();
        let waiting: Vec<PathBuf> =
            programs.iter().filter(|program| !self.waiting.contains(program)).cloned().collect();
        self.waiting.extend(waiting);
        programs
    }

    /// What came of a program; `None` if it was ended, to run again or for good.
    fn run(&mut self, program: &Path) -> Option<Result<Box<RunDocument>, String>> {
        let mut child = match self.begin(program) {
            Ok(child) => child,
            Err(error) => return Some(Err(format!("it cannot be run: {error}"))),
        };
        let pipes = [reading(child.stdout.take()), reading(child.stderr.take())];
        let code = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status.code(),
                Ok(None) => {}
                Err(error) => return Some(Err(format!("it cannot be waited for: {error}"))),
            }
            let again = match self.asked.recv_timeout(LOOK) {
                Ok(asked) => self.take(&asked).iter().any(|asked| asked == program),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if again {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        };
        let [said, complained] = pipes.map(|pipe| pipe.join().unwrap_or_default());
        Some(match serde_json::from_str(&said) {
            Ok(document) => Ok(Box::new(document)),
            Err(_) => Err(format!("the run ended with {code:?}: {}", complained.trim_end())),
        })
    }

    fn begin(&self, program: &Path) -> io::Result<Child> {
        let none = || io::Error::other("the command is not known");
        let (command, first) = self.limits.itself.split_first().ok_or_else(none)?;
        Command::new(command)
            .args(first)
            .arg("run")
            .arg(program)
            .args(["--format", "json", "--limit", &self.limits.seconds.to_string()])
            .current_dir(program.parent().unwrap_or(Path::new("/")))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}

/// Reads a pipe, so that whoever writes it need not wait.
fn reading(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
