//! The two streams of the process: what is said on them, in colour or not, and what happens when nobody takes it.
//!
//! Nothing else in this crate may print: a stream that is closed or full must never pass for a fault of Tileproof, and
//! lints hold that. Start at [`say`].

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use tileproof_report::{Style, for_log, visible};

use crate::arguments::value_of;
use crate::given;

/// The exit code of bad usage and bad input.
pub(crate) const BAD_INPUT: u8 = 2;

/// `--color`.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb; CLICOLOR_FORCE has it elsewhere too.
    #[default]
    Auto,
    Always,
    Never,
}

impl Color {
    /// What the command line asks for, before it is known to be right: an error in it has a colour too.
    pub(crate) fn asked_for() -> Color {
        value_of(&given::words(), "--color").unwrap_or_default()
    }

    /// Takes effect for everything that is printed from here on, clap's help and errors among it.
    pub(crate) fn apply(self) {
        let choice = match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// How results look on stdout.
pub(crate) fn style() -> Style {
    Style { color: AutoStream::choice(&std::io::stdout()) != ColorChoice::Never, width: 100 }
}

/// How what is said on stderr looks, where no `--color` was given: as the page of variables has it.
pub fn style_on_stderr() -> Style {
    Style { color: AutoStream::choice(&std::io::stderr()) != ColorChoice::Never, width: 100 }
}

/// Stdout cannot be written, as on a disk that is full: bad input, which only stderr can tell of.
#[derive(Debug)]
pub(crate) struct Unwritable(std::io::Error);

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stdout cannot be written: {}", self.0)
    }
}

impl std::error::Error for Unwritable {}

impl Unwritable {
    /// Says it; the exit code.
    pub(crate) fn tell(&self) -> u8 {
        tell(&format!("error: {self}\n"));
        BAD_INPUT
    }
}

/// Says something on stdout, without what a terminal or a log would obey. Whoever has closed it has read enough: the command
/// goes on to its verdict.
///
/// # Errors
/// If it cannot be written otherwise, as on a disk that is full.
pub(crate) fn say(text: impl AsRef<str>) -> Result<(), Unwritable> {
    pass_on(for_log(text.as_ref(), style().color).as_bytes())
}

/// Passes on what is written for whoever reads stdout, commands to a log among it.
///
/// # Errors
/// As [`say`].
pub(crate) fn pass_on(bytes: &[u8]) -> Result<(), Unwritable> {
    let mut stdout = std::io::stdout().lock();
    said(stdout.write_all(bytes).and_then(|()| stdout.flush()))
}

/// What came of writing to stdout.
pub(crate) fn said(result: std::io::Result<()>) -> Result<(), Unwritable> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Unwritable(error)),
        _ => Ok(()),
    }
}

/// Says something on stderr, without what a terminal or a log would obey. Where that cannot be, there is nobody left to tell.
pub(crate) fn tell(text: &str) {
    let _ = std::io::stderr().write_all(for_log(text, false).as_bytes());
}

/// The same of a text with colours, which stay where stderr takes them.
pub(crate) fn tell_in_colour(text: &str) {
    let _ = AutoStream::auto(std::io::stderr()).write_all(for_log(text, true).as_bytes());
}

/// A line on stderr that is no error.
pub(crate) fn note(text: &str) {
    progress_ends();
    tell(&format!("note: {text}\n"));
}

/// A line on stderr that the next one is written over, for people only.
pub(crate) fn progress(text: &str) {
    SHOWN.store(true, Relaxed);
    shown(text);
}

fn shown(text: &str) {
    if shows_progress() {
        let _ = std::io::stderr().write_all(format!("\r\x1b[K{}", visible(text)).as_bytes());
    }
}

/// The same of the `number`th of several things, with how long the rest will take once that can be told.
pub(crate) fn progress_of(what: &str, number: usize, of: usize) {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    let taken = BEGIN.get_or_init(Instant::now).elapsed();
    let done = number.saturating_sub(1);
    // What the first few took says little of the rest.
    let left = match done > 2 && taken > Duration::from_secs(2) {
        true => format!(", {}", rest(taken.mul_f64((of - done.min(of)) as f64 / done as f64))),
        false => String::new(),
    };
    progress(&format!("{what} {number} of {of}{left}"));
}

/// A time that is left, as people say it.
fn rest(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..=89 => format!("{} s left", seconds + 1),
        seconds => format!("{} min left", (seconds + 30) / 60),
    }
}

/// Does work, and shows that it goes on where it takes more than a second and shows nothing itself.
pub(crate) fn while_it_takes<T>(what: &str, work: impl FnOnce() -> T) -> T {
    const SECOND: Duration = Duration::from_secs(1);
    if !shows_progress() {
        return work();
    }
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let begin = Instant::now();
            while is_done.recv_timeout(SECOND) == Err(RecvTimeoutError::Timeout) && !SHOWN.load(Relaxed) {
                shown(&format!("{what}, {} s", begin.elapsed().as_secs()));
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Whether work has shown itself how far it is.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Takes a line of progress away.
pub(crate) fn progress_ends() {
    shown("");
}

/// Whether somebody looks at stderr, on a terminal that can take a line away.
pub(crate) fn shows_progress() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
