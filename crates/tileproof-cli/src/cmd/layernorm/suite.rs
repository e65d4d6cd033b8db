//! `tileproof layernorm backward --suite public`: the public tests by their names.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use tileproof::layernorm::{BackwardHost, BackwardRequest, PUBLIC, PublicTest, SuiteKernels, TestResult, public_suite};
use tileproof::stop;
use tileproof_report::json::suite::{SuiteEntry, SuiteResult};
use tileproof_report::json::{SuiteDocument, to_text};
use tileproof_report::{render_suite, render_suite_junit, render_suite_markdown};

use super::finish::refused;
use super::options::given;
use crate::arguments::LayerNormFormat;
use crate::bad_input::BadInput;
use crate::interrupted::stands;
use crate::isolation::IsolationOptions;
use crate::outcome::Outcome;
use crate::terminal::{self, progress_ends, say};

/// `--suite`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SuiteArg {
    /// The tests of tt-train's layernorm_bw, and those of the report on its wrong gradients.
    Public,
}

/// Kernels that the suite runs on: folders, and where they find what they include.
pub(super) struct Asked<'a> {
    pub(super) kernels: Option<&'a Path>,
    pub(super) before: Option<&'a Path>,
    pub(super) include: &'a [PathBuf],
    /// What the names of the tests hold.
    pub(super) only: &'a str,
    pub(super) host: Option<BackwardHost>,
    pub(super) isolation: &'a IsolationOptions,
}

/// Runs the tests and says what they came to.
pub(super) fn run(request: &BackwardRequest, asked: &Asked<'_>, format: LayerNormFormat) -> anyhow::Result<Outcome> {
    let begin = Instant::now();
    let tests: Vec<PublicTest> = PUBLIC.into_iter().filter(|test| test.name.contains(asked.only)).collect();
    if tests.is_empty() {
        let names = PUBLIC.map(|test| test.name).join(", ");
        return Err(BadInput::new(format!("--only {}: no test is named so; there are {names}", asked.only)).into());
    }
    let before = asked.before.map(|folder| results(&tests, request, asked, Some(folder))).transpose()?;
    let now = results(&tests, request, asked, asked.kernels)?;
    if stop::is_interrupted() {
        return Ok(Outcome::Found);
    }
    progress_ends();
    let folder = |folder: Option<&Path>| folder.map_or_else(String::new, |folder| folder.display().to_string());
    let pairs = now.iter().enumerate().map(|(i, result)| (result, before.as_ref().map(|before| &before[i])));
    let document = SuiteDocument {
        suite: "public".into(),
        arch: request.arch.name().into(),
        kernels: folder(asked.kernels),
        before: asked.before.map(|before| folder(Some(before))),
        tests: pairs.map(|(result, before)| entry(result, before)).collect(),
        wall_s: begin.elapsed().as_secs_f64(),
        pass: now.iter().all(|result| result.pass),
    };
    say(match format {
        LayerNormFormat::Human => render_suite(&document, terminal::style()),
        LayerNormFormat::Json => to_text(&document)?,
        LayerNormFormat::Markdown => render_suite_markdown(&document),
        LayerNormFormat::Junit => render_suite_junit(&document),
    })?;
    Ok(if document.pass { Outcome::Clean } else { Outcome::Found })
}

fn results(
    tests: &[PublicTest],
    request: &BackwardRequest,
    asked: &Asked<'_>,
    folder: Option<&Path>,
) -> anyhow::Result<Vec<TestResult>> {
    let given = folder.map(|folder| given(folder, asked.include.to_vec(), asked.isolation)).transpose()?;
    let kernels = given.as_ref().map(|(kernels, builder)| SuiteKernels {
        kernels: kernels.clone(),
        host: asked.host,
        builder: &**builder,
    });
    let begins = &mut |number: usize, test: &PublicTest| {
        if !stop::is_interrupted() {
            stands(format!("{number} of {} tests were run\n", tests.len()));
        }
        terminal::progress(&format!("test {} of {}: {}", number + 1, tests.len(), test.name));
    };
    public_suite(tests, request, kernels.as_ref(), begins).map_err(refused)
}

fn entry(result: &TestResult, before: Option<&TestResult>) -> SuiteEntry {
    let test = &result.test;
    let data = test.constants.map(|[dy, gamma, x]| format!("dy={dy}, gamma={gamma}, x={x}"));
    SuiteEntry {
        name: test.name.into(),
        shape: test.shape.to_vec(),
        data: data.unwrap_or_else(|| "random".into()),
        rtol: test.tolerances.0,
        atol: test.tolerances.1,
        runs: test.runs,
        result: came_to(result),
        before: before.map(came_to),
    }
}

fn came_to(result: &TestResult) -> SuiteResult {
    let worst = result.worst.as_ref();
    SuiteResult {
        status: result.status.name().into(),
        output: worst.map_or_else(String::new, |output| output.name.clone()),
        max_diff: worst.and_then(|output| output.max_diff).unwrap_or(f64::NAN),
        mean_diff: worst.and_then(|output| output.mean_diff).unwrap_or(f64::NAN),
        pass: result.pass,
    }
}
