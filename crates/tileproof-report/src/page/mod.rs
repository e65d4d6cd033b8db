//! A run as one page of HTML that needs nothing else: no network, no script to be read, light, dark and on paper.
//!
//! It finds nothing out: what bounds a run comes from `tileproof-timing`, findings from the record; the roofline adds up what was counted.
//! All text goes through `maud`, which escapes it, or through `json_text` of the timeline, for the script.
//! Start at [`render_page`].

mod charts;
mod compared;
mod dataflow;
mod document;
pub(crate) mod drawing;
mod findings;
mod lanes;
mod memory;
mod of_document;
mod outputs;
mod roofline;
mod stuck;
mod timeline;

use maud::{Markup, html};
use tileproof_model::record::{RunRecord, Status};
use tileproof_model::timeline::{LaunchTimeline, Timeline};
use tileproof_model::wording::count;
use tileproof_timing::bound::grouped;
use tileproof_timing::{LaunchTiming, Timing};

use crate::json::WhatIfEntry;
use crate::outside::visible;
use crate::render::run::OutputText;
use crate::source::Sources;
use document::{Section, render_document};

pub use compared::render_compared_page;
pub use of_document::render_document_page;
pub use outputs::ErrorMap;

/// A run, and what is known of it beside its record.
pub struct RunPage<'a> {
    /// What was run, as "layernorm backward 1x1x64x2048 bf16".
    pub title: String,
    /// The run.
    pub record: &'a RunRecord,
    /// Its outputs.
    pub outputs: Vec<OutputText<'a>>,
    /// Where outputs are off, by name.
    pub errors: &'a [ErrorMap],
    /// What each thread did when; `None` where nothing was recorded.
    pub timeline: Option<&'a Timeline>,
    /// Why nothing was recorded.
    pub why_not: Option<&'a str>,
    /// What would make it faster: changes that were run, the fastest first. `None` if nobody asked.
    pub help: Option<&'a [WhatIfEntry]>,
    /// The command that makes the run again.
    pub command: String,
    /// Nothing was found, and all outputs are as expected.
    pub pass: bool,
}

/// The page of a run.
pub fn render_page(run: &RunPage<'_>, sources: &dyn Sources) -> String {
    let timing = run.timeline.map(Timing::of).unwrap_or_default();
    let longest = run.timeline.and_then(Timing::longest);
    let launch = longest.and_then(|number| {
        let launches = &run.timeline?.launches;
        Some((number, &launches[number], &timing.launches[number]))
    });
    let mut sections = vec![Section::new("findings", "Findings", findings::findings(run.record, sources))];
    if let Some((_, launch, _)) = launch
        && let Some(graph) = stuck::standstill_of(launch, &run.record.findings)
    {
        sections.push(Section::new("standstill", "Who waits for whom", graph));
    }
    if !run.outputs.is_empty() {
        sections.push(Section::new("outputs", "Outputs", outputs::outputs(&run.outputs, run.errors, sources)));
    }
    if let (Some(timeline), Some((number, launch, figures))) = (run.timeline, launch) {
        if let Some(help) = run.help {
            sections.push(Section::new("help", "What would help", charts::help(help)));
        }
        sections.extend(of_time(run.record, timeline, (number, launch, figures), sources));
    }
    if let Some(why) = run.why_not {
        sections.push(Section::new("time", "Time", html! { p { "No timeline: " (visible(why)) } }));
    }
    sections.push(Section::new(
        "again",
        "Run it again",
        html! { pre tabindex="0" { code { (visible(&run.command)) } } },
    ));
    render_document(&visible(&run.title), &header(run, launch.map(|(_, launch, figures)| (launch, figures))), &sections)
}

/// The verdict, and what bounds the run.
fn header(run: &RunPage<'_>, launch: Option<(&LaunchTimeline, &LaunchTiming)>) -> Markup {
    let chip = run.timeline.map(|timeline| timeline.arch.constants());
    let verdict = if run.pass { "pass" } else { "FAIL" };
    let found = count(run.record.findings.len() as u64, "finding");
    let notes = count(run.record.notes.len() as u64, "note");
    html! {
        p class=(if run.pass { "verdict pass" } else { "verdict fail" }) { (verdict) }
        dl.facts {
            div { dt { "status" } dd { (run.record.status.name()) } }
            div { dt { "found" } dd { (found) ", " (notes) } }
            div { dt { "cycles" } dd { (grouped(run.record.cycles)) } }
            @if let Some(chip) = chip {
                @let us = run.record.cycles as f64 / f64::from(chip.clock_mhz);
                @let us = if us < 1.0 { format!("{us:.3}") } else { format!("{us:.1}") };
                div { dt { "device time" } dd { (us) " µs at " (chip.clock_mhz) " MHz" } }
                div { dt { "chip" } dd { (chip.name) } }
            }
            @if let Some((launch, _)) = launch {
                div { dt { "cores" } dd { (launch.cores.len()) } }
            }
        }
        @if let (Some((_, LaunchTiming { bound: Some(bound), .. })), Status::Completed) = (launch, run.record.status) {
            p.bound { (visible(&bound.sentence)) }
        }
    }
}

/// The sections that a recorded launch has.
fn of_time(
    record: &RunRecord,
    timeline: &Timeline,
    (number, launch, figures): (usize, &LaunchTimeline, &LaunchTiming),
    sources: &dyn Sources,
) -> Vec<Section> {
    let launches = timeline.launches.len();
    let which =
        if launches > 1 { format!("Launch {} of {launches}, the longest. ", number + 1) } else { String::new() };
    let mut sections = vec![
        Section::new("timeline", "Timeline", timeline::timeline(&which, launch, (figures, &record.findings), sources)),
        Section::new("waits", "Where the time goes", charts::threads(launch, figures)),
    ];
    // Of a run that ended early the end of the path is not the program's.
    if let Some(bound) = figures.bound.as_ref().filter(|_| record.status == Status::Completed) {
        sections.push(Section::new("bound", "What bounds it", charts::bounds(launch, figures, bound)));
        sections.push(Section::new("roofline", "Roofline", roofline::roofline(timeline.arch, launch)));
    }
    sections.push(Section::new("buffers", "Circular buffers", charts::buffers(launch)));
    sections.push(Section::new("dataflow", "Who moves what", dataflow::dataflow(launch)));
    sections.push(Section::new("memory", "L1", memory::memory(timeline.arch, launch)));
    sections
}
