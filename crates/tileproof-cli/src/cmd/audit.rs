//! `tileproof audit`: which faults the test of a program would miss.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::to_value;
use tileproof::BuildKernels;
use tileproof::audit::{Advice, Audit, AuditOptions, Audited, Journal, OfProgram, Tried, Verdict, audit};
use tileproof::build::Builder;
use tileproof::fill::Fill;
use tileproof::model::mutant::Change;
use tileproof::program_file::ProgramFile;
use tileproof::run_file::RunError;
use tileproof::stop;
use tileproof_report::json::{AdviceEntry, AuditDocument, MutantEntry, to_text};
use tileproof_report::{render_audit, render_audit_picture};
use tileproof_sweep::audit_journal::AuditJournal;

use crate::arguments::{FILLS, FormatArg, below, parse_filled, parse_parameter};
use crate::bad_input::BadInput;
use crate::interrupted::stands;
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::pictures::{PageOption, put};
use crate::program::refused;
use crate::results::{beside_reference, what_if};
use crate::terminal::{self, progress_ends, say};

#[derive(Args)]
#[command(after_help = below(&[FILLS], &["audit examples/programs/add/program.toml"]))]
pub(crate) struct AuditProgram {
    /// Program file with [[expect]], or a call of an op.
    #[arg(value_name = "PROGRAM.toml")]
    program: PathBuf,
    /// A value of the file's [params].
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parse_parameter)]
    parameters: Vec<(String, String)>,
    /// Data of a tensor that has a fill, in place of that.
    #[arg(long = "fill", value_name = "NAME=FILL", value_parser = parse_filled)]
    fills: Vec<(String, Fill)>,
    #[command(flatten)]
    audit: AuditArguments,
    #[command(flatten)]
    isolation: IsolationOptions,
}

/// How an audit is run and told.
#[derive(Args)]
pub(crate) struct AuditArguments {
    /// Seconds after which no further mutant is begun.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) budget: Option<u64>,
    /// File that each run goes to as it ends: an audit that was interrupted, or whose budget was used up, goes on from there.
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// File to write a picture to: each mutant by its line and by the tolerance that would hide it.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) page: PageOption,
    /// Output format.
    #[arg(long, default_value = "human")]
    pub(crate) format: FormatArg,
}

impl AuditProgram {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        let file = ProgramFile::read(&self.program, &self.parameters).and_then(|file| file.on_other_data(&self.fills));
        let file = file.map_err(|error| refused(&error.into()))?;
        if file.expects.is_empty() {
            let why = format!(
                "{}: nothing is expected of any output; an audit asks what the [[expect]] of a program miss",
                self.program.display()
            );
            return Err(BadInput::new(why).into());
        }
        let builder = self.isolation.apply(Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?);
        finish(&self.program.display().to_string(), &OfProgram { file }, &self.audit, &*builder)
    }
}

/// Runs an audit and says what it came to.
pub(crate) fn finish(
    program: &str,
    audited: &dyn Audited,
    arguments: &AuditArguments,
    builder: &dyn BuildKernels,
) -> anyhow::Result<Outcome> {
    let journal = arguments.journal.clone().map(AuditJournal::new);
    let audit =
        audit(audited, &options(arguments.budget, journal.as_ref()), builder).map_err(
            |error: RunError| match error {
                host if host.is_host() => anyhow::Error::new(host),
                other => refused(&other),
            },
        )?;
    let told_in = ToldIn {
        journal: journal.as_ref(),
        picture: arguments.picture.as_deref(),
        page: &arguments.page,
        format: arguments.format,
    };
    told(program, &audit, &told_in)
}

/// Where an audit is told of.
pub(crate) struct ToldIn<'a> {
    pub(crate) journal: Option<&'a AuditJournal>,
    pub(crate) picture: Option<&'a Path>,
    pub(crate) page: &'a PageOption,
    pub(crate) format: FormatArg,
}

/// An audit that may take so many seconds, shows how far it is, and keeps its runs.
pub(crate) fn options(budget: Option<u64>, journal: Option<&AuditJournal>) -> AuditOptions<'_> {
    AuditOptions {
        budget: budget.map(Duration::from_secs),
        progress: terminal::shows_progress().then_some(progress),
        journal: journal.map(|journal| journal as &dyn Journal),
    }
}

/// Says what an audit came to, or what stands of one that was interrupted.
pub(crate) fn told(program: &str, audit: &Audit, told_in: &ToldIn<'_>) -> anyhow::Result<Outcome> {
    progress_ends();
    if stop::is_interrupted() {
        let (tried, (found, could)) = (audit.tried.len(), audit.power());
        let stood = format!("{tried} mutants were run, of which the test finds {found} and misses {}", could - found);
        stands(match told_in.journal {
            Some(journal) => format!("{stood}; the same command goes on from {}\n", journal.path().display()),
            None => format!("{stood}\n"),
        });
        return Ok(Outcome::Found);
    }
    let document = document(program, audit);
    told_in.page.write(&format!("Audit of {program}"), document.pass, &to_value(&document)?)?;
    if let Some(file) = told_in.picture {
        put("picture", file, render_audit_picture(&document).as_bytes())?;
    }
    say(match told_in.format {
        FormatArg::Json => to_text(&document)?,
        FormatArg::Human => render_audit(&document, terminal::style()),
    })?;
    Ok(if audit.pass() { Outcome::Clean } else { Outcome::Found })
}

fn progress(number: usize, of: usize) {
    terminal::progress_of("mutant", number, of);
}

fn document(program: &str, audit: &Audit) -> AuditDocument {
    let (found, could) = audit.power();
    AuditDocument {
        program: program.into(),
        status: audit.status.name().into(),
        outputs: audit.outputs.iter().map(beside_reference).collect(),
        rtol: audit.tolerance.map(|(rtol, _)| rtol),
        atol: audit.tolerance.map(|(_, atol)| atol),
        mutants: audit.tried.iter().map(mutant).collect(),
        found,
        missed: could - found,
        unchanged: audit.count(|verdict| verdict == Verdict::Unchanged),
        not_modelled: audit.count(|verdict| verdict == Verdict::NotModelled),
        not_run: audit.count(|verdict| matches!(verdict, Verdict::NotRun(_))),
        advice: audit.advice.iter().map(advice).collect(),
        what_if: audit.what_if.iter().map(what_if).collect(),
        order_not_tried: audit.order_not_tried.map(Into::into),
        wall_s: audit.wall_s,
        pass: audit.pass(),
    }
}

fn mutant(tried: &Tried) -> MutantEntry {
    let change = tried.fault.change();
    let spot = tried.fault.spot();
    MutantEntry {
        change: change.map_or("known", Change::name).into(),
        text: tried.fault.words().into(),
        what: spot.map_or_else(String::new, |spot| spot.what.clone()),
        kernel: spot.map_or_else(String::new, |spot| spot.kernel.clone()),
        file: spot.map_or_else(String::new, |spot| spot.location.file.clone()),
        line: spot.map_or(0, |spot| spot.location.line),
        call: tried.fault.call(),
        result: match tried.verdict {
            Verdict::Found => "found",
            Verdict::Ended(_) => "ended",
            Verdict::Missed => "missed",
            Verdict::Unchanged => "unchanged",
            Verdict::NotModelled => "not_modelled",
            Verdict::NotRun(_) => "not_run",
        }
        .into(),
        reason: match tried.verdict {
            Verdict::Ended(status) => Some(status.name().into()),
            Verdict::NotRun(why) => Some(why.into()),
            _ => None,
        },
        changes: tried.changes,
        needed_atol: tried.needed_atol,
    }
}

fn advice(advice: &Advice) -> AdviceEntry {
    let data: BTreeMap<String, String> =
        advice.data.iter().map(|(name, fill)| (name.clone(), fill.to_string())).collect();
    AdviceEntry { data, atol: advice.atol, finds: advice.finds, of: advice.of }
}
