//! `tileproof op run`: one call, compared with the op's reference.

use clap::Args;
use tileproof::audit::more_exact;
use tileproof::build::Builder;
use tileproof::model::schedule::DEFAULT_SCHEDULE;
use tileproof::op::Call;
use tileproof::op::Input;
use tileproof::op::call_file::default_fill;
use tileproof::op::on_kinds::run_adversarial;
use tileproof::op::run::{OpError, Source, expecting, run};
use tileproof::run_file::{ChosenChecks, RunOptions, RunResult};
use tileproof::stop;
use tileproof_report::json::FindingDocument;
use tileproof_report::json::{LedgerEntry, OpRunDocument, to_text};
use tileproof_report::render_op_run;

use super::call::{CallArguments, TestArguments, find};
use super::documents;
use crate::arguments::{FILLS, FormatArg, SaveAsArg, below, families};
use crate::bad_input::BadInput;
use crate::cmd::adversarial::{self, DataArg, Told};
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::pictures::{PictureOptions, Pictured};
use crate::source_files::SourceFiles;
use crate::terminal::{self, say};

#[derive(Args)]
#[command(after_help = below(&[&families(), FILLS], &["op run layernorm_bw --shape 1,1,64,2048 --fill x=normal:0,1", "op run examples/ops/rmsnorm --shape 1,1,32,64 --set eps=1e-5"]))]
pub(crate) struct RunOp {
    /// Name of a shipped op, or folder of another.
    #[arg(value_name = "NAME|DIR")]
    op: String,
    #[command(flatten)]
    call: CallArguments,
    #[command(flatten)]
    test: TestArguments,
    /// What is looked for: all, none, or families of checks with commas between.
    #[arg(long, default_value = "all", value_parser = ChosenChecks::parse)]
    checks: ChosenChecks,
    /// Host threads to use at most; all when left out.
    #[arg(long)]
    threads: Option<usize>,
    /// Folder to save the outputs in, as npy files.
    #[arg(long, value_name = "DIR")]
    save: Option<std::path::PathBuf>,
    /// What outputs of bfloat16 are saved as, since NumPy has no bfloat16.
    #[arg(long, default_value = "bits", requires = "save")]
    save_as: SaveAsArg,
    /// What tile padding holds of which nothing says it, in place of NaN.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    padding: Option<f64>,
    /// Run the call on one kind of data after the other, and say on which it does worst; --save keeps the inputs of that one.
    #[arg(long, value_name = "KINDS")]
    data: Option<DataArg>,
    #[command(flatten)]
    pictures: PictureOptions,
    #[command(flatten)]
    isolation: IsolationOptions,
    /// Output format.
    #[arg(long, default_value = "human")]
    format: FormatArg,
}

impl RunOp {
    pub(crate) fn run(self) -> anyhow::Result<Outcome> {
        if self.threads == Some(0) {
            return Err(BadInput::new("threads 0: give at least 1").into());
        }
        let op = find(&self.op)?.op;
        let described = op.describe();
        let fills = self.test.fills(&described)?;
        let call = self.call.call(op.as_ref())?;
        let builder = self.isolation.apply(Builder::new(None).map_err(|error| BadInput::new(error.to_string()))?);
        let closeness = self.test.closeness(op.as_ref())?;
        let options = RunOptions {
            checks: self.checks,
            threads: self.threads,
            save: self.save,
            save_as: self.save_as.into(),
            timeline: self.pictures.are_asked_for(),
            padding: self.padding,
            ..RunOptions::default()
        };
        let source = Source { seed: 0, fills: &|input| default_fill(&fills, input) };
        let refused = |error: OpError| match error {
            OpError::Run(error) if error.is_host() => anyhow::Error::new(error),
            other => BadInput::found(other.to_string(), other.findings()).into(),
        };
        if self.data.is_some() {
            self.pictures.refuse("--data")?;
            let (inputs, outcomes) =
                run_adversarial(op.as_ref(), &call, &source, closeness, self.threads, &*builder).map_err(refused)?;
            let what_if = match outcomes.first().filter(|worst| !worst.pass) {
                None => Vec::new(),
                Some(worst) => {
                    let fills =
                        |input: &Input<'_>| worst.kind.fill(input.name).unwrap_or_else(|| (source.fills)(input));
                    let source = Source { seed: source.seed, fills: &fills };
                    let file = expecting(op.as_ref(), &call, &source, closeness).map_err(refused)?;
                    more_exact(&file, &*builder).map_err(|error| refused(error.into()))?
                }
            };
            let told = Told {
                call: format!("{} {call}", described.name),
                inputs: &inputs,
                seed: source.seed,
                tolerances: closeness.numbers(),
                folder: options.save.as_deref().map(|folder| (folder, options.save_as)),
                option: |name, fill| format!("--fill {name}={fill}"),
                what_if,
                format: self.format,
            };
            return adversarial::finish(&told, &outcomes);
        }
        let run = run(op.as_ref(), &call, &source, closeness, &options, &*builder).map_err(refused)?;
        if stop::is_interrupted() {
            return Ok(Outcome::Found);
        }
        let record = &run.record;
        self.pictures.write(&Pictured {
            title: format!("{} {call}", described.name),
            record,
            outputs: &run.outputs,
            errors: &run.errors,
            timeline: run.timeline.as_ref(),
            help: None,
            pass: run.pass(),
        })?;
        let document = document(&described.name, &call, &run);
        let (sources, style) = (SourceFiles::default(), terminal::style());
        say(match self.format {
            FormatArg::Json => to_text(&document)?,
            FormatArg::Human => render_op_run(&document, &record.findings, &record.notes, &sources, style),
        })?;
        Ok(if run.pass() { Outcome::Clean } else { Outcome::Found })
    }
}

/// The document of a call of an op.
fn document(op: &str, call: &Call, run: &RunResult) -> OpRunDocument {
    let record = &run.record;
    OpRunDocument {
        op: op.into(),
        call: call.to_string(),
        status: record.status.name().into(),
        cycles: record.cycles,
        wall_s: run.wall_s,
        outputs: documents::of_call(call, &run.outputs),
        findings: FindingDocument::all(&record.findings, DEFAULT_SCHEDULE),
        notes: FindingDocument::all(&record.notes, DEFAULT_SCHEDULE),
        ledger: LedgerEntry::all(&record.ledgers),
        pass: run.pass(),
    }
}
