//! How programs are run, from the environment: what options are to the command.
//!
//! It must never pass over a value that it does not know. Start at [`Settings::of_environment`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tileproof::Isolation;
use tileproof::model::arch::Arch;
use tileproof::model::schedule::Schedule;
use tileproof::open_device::RECORD_VARIABLE;
use tileproof::program_file::Api;
use tileproof::run_file::{ChosenChecks, RunOptions};
use tileproof_cli::results::RunFormat;

/// How programs are run and where they are reported.
pub(crate) struct Settings {
    pub(crate) options: RunOptions,
    pub(crate) arch: Arch,
    pub(crate) api: Option<Api>,
    /// The format that every run is told in; without one a run is told of when something is wrong with it.
    pub(crate) format: Option<RunFormat>,
    /// The file that reports are added to, instead of stderr.
    pub(crate) report: Option<PathBuf>,
    /// The folder in which launches are kept as program files.
    pub(crate) record: Option<PathBuf>,
    /// Whether the process ends with 1 after findings.
    pub(crate) fails: bool,
    /// Devices that there are.
    pub(crate) devices: u32,
}

/// The most devices that there may be.
const MOST_DEVICES: u32 = 64;

/// A variable that is set to something.
fn set(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// What a variable says, if it is set.
fn read<T>(name: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    let Some(value) = set(name) else { return Ok(None) };
    let text = value.to_str().ok_or_else(|| format!("{name}: {value:?} is not UTF-8"))?;
    parse(text).map(Some).map_err(|why| format!("{name}: {why}"))
}

fn number(least: u64) -> impl Fn(&str) -> Result<u64, String> {
    move |text| {
        let parsed = text.parse().ok().filter(|number| *number >= least);
        parsed.ok_or_else(|| format!("\"{text}\": expected a whole number from {least} on"))
    }
}

fn devices(text: &str) -> Result<u32, String> {
    let parsed = text.parse().ok().filter(|number| (1..=MOST_DEVICES).contains(number));
    parsed.ok_or_else(|| format!("\"{text}\": expected a whole number from 1 to {MOST_DEVICES}"))
}

fn flag(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("\"{text}\": expected 0 or 1")),
    }
}

impl Settings {
    /// The settings that the environment asks for.
    ///
    /// # Errors
    /// If one of them is wrong; the error names the variable.
    pub(crate) fn of_environment() -> Result<Settings, String> {
        let limit = read("TILEPROOF_LIMIT", number(1))?.map_or(Isolation::LIMIT, Duration::from_secs);
        let in_process = read("TILEPROOF_IN_PROCESS", flag)?.unwrap_or(false);
        let schedule = read("TILEPROOF_SCHEDULE", Schedule::parse)?;
        let explore = read("TILEPROOF_EXPLORE", number(0))?.unwrap_or(0) as usize;
        if explore > 0 && schedule.is_some() {
            return Err("TILEPROOF_EXPLORE: it departs from the default schedule; leave out TILEPROOF_SCHEDULE".into());
        }
        let arch = |text: &str| {
            let known = Arch::ALL.into_iter().find(|arch| arch.name() == text);
            known.ok_or_else(|| format!("\"{text}\": expected one of {}", Arch::ALL.map(Arch::name).join(", ")))
        };
        let api = |text: &str| Api::parse(text).ok_or_else(|| format!("\"{text}\": expected {}", Api::CHOICES));
        Ok(Settings {
            options: RunOptions {
                checks: read("TILEPROOF_CHECKS", ChosenChecks::parse)?.unwrap_or_default(),
                threads: read("TILEPROOF_THREADS", number(1))?.map(|threads| threads as usize),
                schedule: schedule.unwrap_or_default(),
                explore,
                isolation: (!in_process).then_some(Isolation { limit }),
                ..RunOptions::default()
            },
            arch: read("TILEPROOF_ARCH", arch)?.unwrap_or(Arch::DEFAULT),
            api: read("TILEPROOF_API", api)?,
            format: read("TILEPROOF_FORMAT", RunFormat::parse)?,
            report: set("TILEPROOF_REPORT").map(PathBuf::from),
            record: set(RECORD_VARIABLE).map(PathBuf::from),
            fails: read("TILEPROOF_EXIT", flag)?.unwrap_or(true),
            devices: read("TILEPROOF_DEVICES", devices)?.unwrap_or(1),
        })
    }
}
