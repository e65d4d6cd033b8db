//! A deadlock as a drawing: the cores as they lie on the chip, and who waits for whom.
//!
//! Start at [`standstill_of`].

use maud::{Markup, html};
use tileproof_model::finding::Finding;
use tileproof_model::thread::CoreCoord;
use tileproof_model::timeline::LaunchTimeline;
use tileproof_model::wording::count;
use tileproof_timing::standstill::{Group, Standstill, standstill};

use super::drawing::{file_name, fixed, shortened};
use crate::outside::visible;

const CELL: f64 = 26.0;
const BOX: (f64, f64) = (330.0, 58.0);
const GAP: f64 = 46.0;
/// Groups that are drawn; the list has all.
const DRAWN: usize = 12;
/// Cores that a group names.
const NAMED: usize = 8;

/// The section, if any thread was stuck at the end.
pub(super) fn standstill_of(launch: &LaunchTimeline, findings: &[Finding]) -> Option<Markup> {
    let still = standstill(launch)?;
    let waiting = still.cores.iter().filter(|(_, waits)| *waits).count();
    let alike = count(still.groups.len() as u64, "way");
    let missing = missing(findings);
    Some(html! {
        @if !missing.is_empty() { p.bound { "The part of " (visible(&missing)) " is missing." } }
        p {
            (count(waiting as u64, "core")) " of " (still.cores.len()) " stand still, in " (alike) ". "
            "Threads that wait at one line for the same are one box; an arrow goes to who could let them go on."
        }
        div.still {
            @if still.cores.len() > 1 { (grid(&still, &missing)) }
            (graph(&still))
        }
        ol.groups { @for group in &still.groups { (told(&still, group)) } }
    })
}

/// The number of the group that stands for a core: the smallest it is in, which tells it apart from the others.
fn group_of(still: &Standstill, core: CoreCoord) -> Option<usize> {
    let of = still.groups.iter().enumerate().filter(|(_, group)| group.cores.contains(&core));
    of.min_by_key(|(_, group)| group.cores.len()).map(|(number, _)| number)
}

/// Cores that findings name as those whose part is missing.
fn missing(findings: &[Finding]) -> String {
    findings.iter().filter_map(|finding| finding.facts.get("missing")).cloned().collect()
}

fn grid(still: &Standstill, missing: &str) -> Markup {
    let columns = still.cores.iter().map(|(core, _)| core.x + 1).max().unwrap_or(1);
    let rows = still.cores.iter().map(|(core, _)| core.y + 1).max().unwrap_or(1);
    let (width, height) = (CELL * f64::from(columns) + 22.0, CELL * f64::from(rows) + 18.0);
    html! {
        figure {
            svg.grid viewBox={ "0 0 " (fixed(width)) " " (fixed(height)) } style={ "max-width:" (fixed(1.3 * width)) "px" }
                role="img" aria-label="Cores by what they wait for" {
                @for x in 0..columns { text.mark x=(fixed(20.0 + CELL * (f64::from(x) + 0.5))) y="11" text-anchor="middle" { (x) } }
                @for y in 0..rows { text.mark x="14" y=(fixed(14.0 + CELL * (f64::from(y) + 0.65))) text-anchor="end" { (y) } }
                @for (core, _) in &still.cores {
                    @let group = group_of(still, *core);
                    @let (x, y) = (20.0 + CELL * f64::from(core.x), 14.0 + CELL * f64::from(core.y));
                    rect class={ "cell " (group.map_or("g-none".into(), |g| format!("g-{}", g % 6))) }
                        x=(fixed(x)) y=(fixed(y)) width=(CELL - 3.0) height=(CELL - 3.0) rx="4" {
                        title { "core " (core.to_string()) @if let Some(group) = group { ": " (visible(&still.groups[group].text)) } @else { ": has ended" } }
                    }
                    @if missing.contains(&core.to_string()) {
                        rect.missing x=(fixed(x - 2.0)) y=(fixed(y - 2.0)) width=(CELL + 1.0) height=(CELL + 1.0) rx="5" { title { "core " (core.to_string()) ": its part is missing" } }
                    }
                    @if let Some(group) = group {
                        text.cell-number x=(fixed(x + CELL / 2.0 - 1.5)) y=(fixed(y + CELL / 2.0 + 3.0)) text-anchor="middle" { (group + 1) }
                    }
                }
            }
            figcaption {
                "The number is that of the box; a core without one has ended."
                @if !missing.is_empty() { " A thick frame: the part of this core is missing." }
            }
        }
    }
}

/// Boxes one below the other, arrows beside them: to those further up on the right, to those further down on the left.
fn graph(still: &Standstill) -> Markup {
    let drawn = still.groups.len().min(DRAWN);
    let y = |number: usize| 8.0 + number as f64 * (BOX.1 + GAP);
    let left = 96.0;
    let (width, height) = (left + BOX.0 + 96.0, y(drawn) - GAP + 26.0);
    let arrows = (0..drawn).flat_map(|from| still.groups[from].by.iter().map(move |to| (from, *to)));
    html! {
        figure {
            svg.graph viewBox={ "0 0 " (fixed(width)) " " (fixed(height)) } style={ "max-width:" (fixed(width * 1.2)) "px" }
                role="img" aria-label="Who waits for whom" {
                defs {
                    marker #tip viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto-start-reverse" {
                        path.tip d="M0,0 L10,5 L0,10 z" {}
                    }
                }
                @for (lane, (from, to)) in arrows.filter(|(_, to)| *to < drawn).enumerate() {
                    @let bend = 24.0 + 12.0 * (lane % 6) as f64;
                    @let (a, b) = (y(from) + BOX.1 * 0.6, y(to) + BOX.1 * 0.4);
                    @let (edge, out) = if to < from { (left + BOX.0, left + BOX.0 + bend) } else { (left, left - bend) };
                    path.arrow marker-end="url(#tip)" d={ "M" (edge) "," (fixed(a)) " C" (fixed(out)) "," (fixed(a)) " " (fixed(out)) "," (fixed(b)) " " (edge) "," (fixed(b)) } {}
                }
                @for (number, group) in still.groups.iter().take(drawn).enumerate() {
                    @let top = y(number);
                    rect class={ "box g-" (number % 6) } x=(left) y=(fixed(top)) width=(BOX.0) height=(BOX.1) rx="6" {}
                    text.box-title x=(left + 10.0) y=(fixed(top + 18.0)) { (title(number, group)) }
                    text x=(left + 10.0) y=(fixed(top + 34.0)) { (shortened_front(&visible(&group.text), 54)) }
                    text.soft x=(left + 10.0) y=(fixed(top + 49.0)) { (shortened(&place(group), 50)) }
                    @for (thread, ended) in group.ended.iter().take(1) {
                        text.soft x=(left + 10.0) y=(fixed(top + BOX.1 + 14.0)) { "waits for " (thread.name()) ", which has ended" @if *ended > 1 { " on " (ended) " cores" } }
                    }
                }
            }
        }
    }
}

/// A text of at most so many characters, with its beginning.
fn shortened_front(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    let kept: String = text.chars().take(most - 1).collect();
    format!("{kept}…")
}

fn title(number: usize, group: &Group) -> String {
    match &group.cores[..] {
        [core] => format!("{}. {} of core {core}", number + 1, group.thread),
        cores => format!("{}. {} of {} cores", number + 1, group.thread, cores.len()),
    }
}

fn place(group: &Group) -> String {
    match &group.place.location {
        Some(location) => format!("{}:{}", visible(file_name(&location.file)), location.line),
        None => visible(file_name(&group.place.kernel)).into_owned(),
    }
}

fn told(still: &Standstill, group: &Group) -> Markup {
    let named: Vec<String> = group.cores.iter().take(NAMED).map(CoreCoord::to_string).collect();
    let more = group.cores.len().saturating_sub(NAMED);
    html! {
        li {
            b { (group.thread.name()) } " " (visible(&group.text)) " at " code { (place(group)) } ", "
            (if group.cores.len() == 1 { "core " } else { "cores " }) (named.join(" "))
            @if more > 0 { " and " (more) " more" }
            @if !group.by.is_empty() {
                "; could go on by "
                @for (number, by) in group.by.iter().enumerate() { @if number > 0 { ", " } (by + 1) " (" (still.groups[*by].thread.name()) ")" }
            }
            @for (thread, cores) in &group.ended { "; " (thread.name()) " could have let them, and has ended" @if *cores > 1 { " on " (cores) " cores" } }
            @if group.by.is_empty() && group.ended.is_empty() { "; nobody is known who could let them go on" }
            "."
        }
    }
}
