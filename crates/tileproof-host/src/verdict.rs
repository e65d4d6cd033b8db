//! What becomes of a run: what is said of it and where, and how the process ends.
//!
//! It must never word a finding: text and documents are those of the command. Start at [`tell`].

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use tileproof::model::finding::Finding;
use tileproof::model::record::{Print, RunRecord, Status};
use tileproof::model::thread::Thread;
use tileproof::run_file::{Place, RunResult};
use tileproof_cli::results::{self, RunFormat};
use tileproof_report::Style;

use crate::settings::Settings;

/// Whether the process is to end with 1.
static FAILS: AtomicBool = AtomicBool::new(false);

/// What a run came to, for the host program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Clean,
    /// Something was found, and the program came to its end.
    Found,
    /// It did not come to its end.
    Ended,
}

/// Says what a run on a chip came to.
pub(crate) fn tell(result: &RunResult, chip: u32, at: &Place, settings: &Settings) -> Result<Verdict, String> {
    prints(chip, &result.record.prints);
    let verdict = match (result.pass(), result.record.status) {
        (true, _) => Verdict::Clean,
        (false, Status::Completed) => Verdict::Found,
        (false, _) => Verdict::Ended,
    };
    if settings.format.is_none() && verdict == Verdict::Clean {
        return Ok(verdict);
    }
    if verdict != Verdict::Clean {
        fail(settings);
    }
    report(result, at, settings, |style| {
        let schedule = result.explored.as_ref().and_then(|explored| explored.failed.as_ref());
        let replay = format!("set TILEPROOF_SCHEDULE={}", schedule.unwrap_or(&result.schedule));
        results::for_people_in(style, result, replay)
    })?;
    Ok(verdict)
}

/// Says what was found without a run.
pub(crate) fn tell_without_run(findings: Vec<Finding>, settings: &Settings) -> Result<(), String> {
    let place = findings.first().and_then(|finding| finding.primary.location.as_ref());
    let at = place.map_or_else(
        || Place { path: PathBuf::new(), line: 0 },
        |place| Place { path: PathBuf::from(&place.file), line: place.line as usize },
    );
    fail(settings);
    let result = RunResult::of(RunRecord { findings, ..RunRecord::default() });
    report(&result, &at, settings, |style| results::findings_for_people_in(style, &result))
}

fn fail(settings: &Settings) {
    if settings.fails {
        FAILS.store(true, Ordering::Relaxed);
    }
}

/// Says a result in the format that is set, or as `for_people` has it.
fn report(
    result: &RunResult,
    at: &Place,
    settings: &Settings,
    for_people: impl FnOnce(Style) -> String,
) -> Result<(), String> {
    let format = settings.format.unwrap_or(RunFormat::Human);
    let text = results::for_programs(result, &at.path, format).map_err(|error| error.to_string())?;
    let text = text.unwrap_or_else(|| {
        for_people(match settings.report {
            Some(_) => Style { color: false, width: 100 },
            None => results::style_on_stderr(),
        })
    });
    say(&text, settings.report.as_deref())
}

/// On stderr, or behind what a report holds already.
fn say(text: &str, report: Option<&Path>) -> Result<(), String> {
    let Some(report) = report else {
        // Where that cannot be, there is nobody left to tell.
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
        return Ok(());
    };
    let file = OpenOptions::new().create(true).append(true).open(report);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| format!("TILEPROOF_REPORT: {}: {error}", report.display()))
}

/// What kernels printed, as tt-metal's print server shows it.
fn prints(chip: u32, prints: &[Print]) {
    let mut stdout = std::io::stdout().lock();
    for print in prints {
        let place = &print.place;
        let (core, thread) = (place.core, place.thread);
        for line in print.text.trim_end_matches('\n').split('\n') {
            let _ = writeln!(stdout, "{chip}:(x={},y={}):{}: {line}", core.x, core.y, short(thread));
        }
    }
    let _ = stdout.flush();
}

/// The print server's name of a thread.
const fn short(thread: Thread) -> &'static str {
    match thread {
        Thread::Brisc => "BR",
        Thread::Ncrisc => "NC",
        Thread::Unpack => "TR0",
        Thread::Math => "TR1",
        Thread::Pack => "TR2",
    }
}

/// Whether the process is to end with 1, as far as its runs decide.
pub(crate) fn fails() -> bool {
    FAILS.load(Ordering::Relaxed)
}
