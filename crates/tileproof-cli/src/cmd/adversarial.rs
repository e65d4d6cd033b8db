//! `--data adversarial`: a call on data that find things, kind by kind.

use std::collections::BTreeMap;
use std::path::Path;

use clap::ValueEnum;
use tileproof::audit::WhatIf;
use tileproof::fill::Fill;
use tileproof::npy::SaveAs;
use tileproof::op::adversarial::{Chosen, Outcome as OfKind, kinds, save};
use tileproof::stop;
use tileproof_report::json::adversarial::KindEntry;
use tileproof_report::json::{AdversarialDocument, to_text};
use tileproof_report::render_adversarial;

use crate::arguments::FormatArg;
use crate::bad_input::BadInput;
use crate::outcome::Outcome;
use crate::results::what_if;
use crate::terminal::{self, say};

/// `--data`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DataArg {
    /// Kinds of data that find things, one after the other: constants, ramps, one-hot, offsets, wide exponents, signed zeros, infinities, padding, ..
    Adversarial,
}

/// What was run, and how it is told.
pub(crate) struct Told<'a> {
    /// The op and its call.
    pub(crate) call: String,
    /// The inputs that were given other data.
    pub(crate) inputs: &'a [Chosen],
    /// The seed of random data.
    pub(crate) seed: u64,
    /// Relative and absolute; `None` where they come of the operations.
    pub(crate) tolerances: Option<(f64, f64)>,
    /// Where the inputs of the worst kind go.
    pub(crate) folder: Option<(&'a Path, SaveAs)>,
    /// The option that gives an input a fill.
    pub(crate) option: fn(&str, &str) -> String,
    /// Settings with which the worst are more exact.
    pub(crate) what_if: Vec<WhatIf>,
    /// The format.
    pub(crate) format: FormatArg,
}

/// Says what a call came to on each kind.
pub(crate) fn finish(told: &Told<'_>, outcomes: &[OfKind]) -> anyhow::Result<Outcome> {
    if stop::is_interrupted() {
        return Ok(Outcome::Found);
    }
    let mut saved = BTreeMap::new();
    if let (Some((folder, save_as)), Some(worst)) = (told.folder, outcomes.first()) {
        let bad = |error: &dyn std::fmt::Display| BadInput::new(format!("save {}: {error}", folder.display()));
        std::fs::create_dir_all(folder).map_err(|error| bad(&error))?;
        let files = save(&worst.kind, told.inputs, told.seed, (folder, save_as)).map_err(|error| bad(&error))?;
        saved = files.into_iter().map(|(name, path)| (name, path.display().to_string())).collect();
    }
    let replay = outcomes.first().and_then(|worst| {
        let text = |(name, fill): &(String, Fill)| {
            let fill = match saved.get(name) {
                Some(path) => format!("npy:{path}"),
                None => fill.text()?,
            };
            Some((told.option)(name, &fill))
        };
        let padding = worst.kind.padding.map(|value| Some(format!("--padding {value:e}")));
        worst.kind.fills.iter().map(text).chain(padding).collect::<Option<Vec<String>>>()
    });
    let is_judged = |name: &str| outcomes.iter().any(|outcome| outcome.kind.name == name);
    let document = AdversarialDocument {
        call: told.call.clone(),
        rtol: told.tolerances.map_or(0.0, |(rtol, _)| rtol),
        atol: told.tolerances.map_or(0.0, |(_, atol)| atol),
        derived: told.tolerances.is_none(),
        kinds: outcomes.iter().map(entry).collect(),
        unbounded: kinds(told.inputs).into_iter().map(|kind| kind.name).filter(|name| !is_judged(name)).collect(),
        saved,
        replay: replay.map(|options| options.join(" ")),
        what_if: told.what_if.iter().map(what_if).collect(),
        pass: outcomes.iter().all(|outcome| outcome.pass),
    };
    say(match told.format {
        FormatArg::Json => to_text(&document)?,
        FormatArg::Human => render_adversarial(&document, terminal::style()),
    })?;
    Ok(if document.pass { Outcome::Clean } else { Outcome::Found })
}

fn entry(outcome: &OfKind) -> KindEntry {
    let worst = outcome.worst.as_ref();
    let figure = |of: fn(&tileproof::output::OutputResult) -> Option<f64>| worst.and_then(of).unwrap_or(f64::NAN);
    KindEntry {
        name: outcome.kind.name.clone(),
        status: outcome.status.name().into(),
        output: worst.map_or_else(String::new, |output| output.name.clone()),
        max_diff: figure(|output| output.max_diff),
        mean_diff: figure(|output| output.mean_diff),
        max_ulp: figure(|output| output.max_ulp),
        share_of_bound: worst.and_then(|output| output.derived).map(|derived| derived.share),
        pass: outcome.pass,
    }
}
