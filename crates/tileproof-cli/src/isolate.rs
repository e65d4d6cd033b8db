//! `--isolate`: the kernels run in a process of their own, and what kills that one is a finding.

use std::path::Path;
use std::process::Command;

use tileproof::model::finding::{Code, Finding, Place};
use tileproof::model::record::{RunRecord, Status};
use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::model::thread::{CoreCoord, Thread};
use tileproof::run_file::RunResult;
use tileproof_report::{NoSources, render_human};

use crate::arguments::RunFormat;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::results::{for_programs, say_in};
use crate::terminal::{self, pass_on};

/// Names a file to a child, in which it leaves its exit code when it ends by itself.
const ENDED: &str = "TILEPROOF_ENDED";

/// Leaves the exit code for a parent that asked for it.
pub(crate) fn ends_with(code: u8) {
    if let Some(file) = std::env::var_os(ENDED) {
        // A parent that finds nothing takes this process for killed; there is nobody else to tell.
        let _ = std::fs::write(file, code.to_string());
    }
}

/// Runs this command again without `--isolate` in a child, whose output is passed on if it ends by itself.
pub(crate) fn run_again(program: &Path, format: RunFormat) -> anyhow::Result<Outcome> {
    let arguments = std::env::args_os().skip(1).filter(|a| a != "--isolate");
    let ended = std::env::temp_dir().join(format!("tileproof-ended-{}", std::process::id()));
    // Where the child could not leave its code, an end of its own would pass for a crash.
    std::fs::write(&ended, "")
        .map_err(|error| BadInput::new(format!("{} cannot be written: {error}", ended.display())))?;
    let output = Command::new(std::env::current_exe()?)
        .args(arguments)
        // Its stdout is a pipe, and ours may be a terminal.
        .args(["--color", if terminal::style().color { "always" } else { "never" }])
        .env(ENDED, &ended)
        .stderr(std::process::Stdio::inherit())
        .output()?;
    let said = std::fs::read_to_string(&ended).ok();
    let _ = std::fs::remove_file(&ended);
    // Whatever ends the child otherwise is not its own doing, whichever code it ends with.
    let code = output.status.code().filter(|code| said == Some(code.to_string()));
    let outcome = match code {
        Some(0) => Ok(Outcome::Clean),
        Some(1) => Ok(Outcome::Found),
        Some(2) => Err(BadInput::said().into()),
        Some(_) => Err(anyhow::anyhow!("the isolated run failed")),
        None => {
            let result = RunResult::of(killed(program, &output.status.to_string()));
            let findings = &result.record.findings;
            let human = || render_human(findings, &[], DEFAULT_SCHEDULE, &NoSources, terminal::style()) + "\nFAIL\n";
            let text = for_programs(&result, program, format)?.unwrap_or_else(human);
            say_in(format, &text)?;
            return Ok(Outcome::Found);
        }
    };
    pass_on(&output.stdout)?;
    outcome
}

/// The record of a run whose process was ended by a kernel.
fn killed(program: &Path, how: &str) -> RunRecord {
    let place = Place {
        location: None,
        kernel: program.display().to_string(),
        core: CoreCoord { x: 0, y: 0 },
        thread: Thread::Brisc,
    };
    let message = format!("a kernel ended the process that ran it: {how}");
    let finding = Finding {
        notes: vec!["the process is gone, and with it the place: run without --isolate to see the line".into()],
        ..Finding::new(Code::KERNEL_CRASHED, place, message).fact("process", how)
    };
    RunRecord { status: Status::Crashed, findings: vec![finding], ..RunRecord::default() }
}
