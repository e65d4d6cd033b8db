//! Tables with bars: what threads did with their time, what bounds a launch, how full buffers are.
//!
//! Start at [`threads`].

use maud::{Markup, html};
use tileproof_model::timeline::{CoreTimeline, LaunchTimeline};
use tileproof_model::wording::{cb_name, count};
use tileproof_timing::bound::{Bound, grouped, percent};
use tileproof_timing::levels::levels;
use tileproof_timing::{LaunchTiming, ThreadTime};

use super::drawing::{amount, file_name, fixed, share, told};
use crate::json::WhatIfEntry;
use crate::outside::visible;

/// Waits of a thread that are told.
const WAITS: usize = 4;

/// What each thread did with its time.
pub(super) fn threads(launch: &LaunchTimeline, figures: &LaunchTiming) -> Markup {
    html! {
        div.wide tabindex="0" {
            table.stacked {
                thead {
                    tr {
                        th scope="col" { "thread" }
                        th scope="col" { "kernel" }
                        th scope="col" { "of all its time" }
                        th scope="col" { "works" }
                        th scope="col" { "waits" }
                    }
                }
                tbody { @for thread in &figures.threads { (thread_row(launch, thread)) } }
            }
        }
    }
}

fn thread_row(launch: &LaunchTimeline, thread: &ThreadTime) -> Markup {
    let worked: u64 = thread.work.iter().map(|(_, cycles)| cycles).sum();
    let waited: u64 = thread.waits.iter().map(|wait| wait.cycles).sum();
    let bar = [("unit", worked), ("own", thread.own), ("pages", waited), ("idle", thread.idle)];
    let most = thread.work.iter().take(3).map(|(what, cycles)| format!("{what} {}", part(*cycles, thread.all)));
    let label = format!(
        "works {}, waits {}, own code {}, idle {}",
        part(worked, thread.all),
        part(waited, thread.all),
        part(thread.own, thread.all),
        part(thread.idle, thread.all)
    );
    html! {
        tr {
            th scope="row" { (thread.thread.name()) @if thread.cores > 1 { br; small { (count(thread.cores as u64, "core")) } } }
            td { (visible(file_name(&thread.kernel))) }
            td.bar-cell {
                div.bar role="img" aria-label=(label) {
                    @for (class, cycles) in bar { span class={ "k-" (class) } style={ "width:" (share(cycles, thread.all)) "%" } {} }
                }
            }
            td { b { (part(worked, thread.all)) } @for what in most { br; small { (what) } } }
            td {
                @if thread.waits.is_empty() { "does not wait" }
                @for wait in thread.waits.iter().take(WAITS) {
                    p.wait {
                        b { (part(wait.cycles, thread.all)) } " for " (wait.reason)
                        @if !wait.because.is_empty() { ", " (visible(&wait.because)) }
                        (at_line(launch, wait.place))
                    }
                }
                @if thread.idle > 0 { p.wait { (part(thread.idle, thread.all)) " after its end, or stuck" } }
            }
        }
    }
}

fn part(cycles: u64, all: u64) -> String {
    percent(cycles as f64 / all.max(1) as f64)
}

fn at_line(launch: &LaunchTimeline, place: u32) -> Markup {
    let location = launch.places.get(place as usize).and_then(|place| place.location.as_ref());
    html! { @if let Some(location) = location { " " small { code { (visible(file_name(&location.file))) ":" (location.line) } } } }
}

/// The critical path by what it goes to, and the least cycles of each resource.
pub(super) fn bounds(launch: &LaunchTimeline, figures: &LaunchTiming, bound: &Bound) -> Markup {
    let spent = figures.path.spent();
    let all: u64 = spent.values().sum();
    let mut spent: Vec<_> = spent.into_iter().collect();
    spent.sort_by_key(|(_, cycles)| std::cmp::Reverse(*cycles));
    html! {
        p.bound { (bound.sentence) }
        h3 { "The critical path" }
        p { "From the last cycle back to the first, through whoever was waited for: each of its cycles goes to one thing." }
        div.wide tabindex="0" {
            table {
                thead { tr { th scope="col" { "goes to" } th.number scope="col" { "cycles" } th scope="col" { "part" } } }
                tbody {
                    @for (resource, cycles) in &spent {
                        tr {
                            th scope="row" { (resource.name()) }
                            td.number { (grouped(*cycles)) }
                            td.bar-cell { (one_bar(*cycles, all, "unit")) }
                        }
                    }
                }
            }
        }
        h3 { "The least that it could take" }
        p { "What each resource needs for this work where it is busiest, if nothing else were in its way; the run takes " (grouped(launch.cycles)) " cycles." }
        div.wide tabindex="0" {
            table {
                thead { tr { th scope="col" { "resource" } th scope="col" { "where" } th.number scope="col" { "cycles" } th scope="col" { "of the run" } } }
                tbody {
                    @for floor in &bound.floors {
                        tr {
                            th scope="row" { (floor.resource.name()) }
                            td { (floor.place) }
                            td.number { (grouped(floor.cycles)) }
                            td.bar-cell { (one_bar(floor.cycles, launch.cycles, "transfers")) }
                        }
                    }
                }
            }
        }
    }
}

/// Changes of settings that were run.
pub(super) fn help(help: &[WhatIfEntry]) -> Markup {
    html! {
        p { "Changes of its settings, each of which was run: deeper circular buffers, lower fidelity. Those are here with which it takes fewer cycles." }
        @if help.is_empty() { p { b { "None of them helps." } } } @else {
            div.wide tabindex="0" {
                table {
                    thead { tr { th scope="col" { "with" } th.number scope="col" { "cycles" } th scope="col" { "of now" } th.number scope="col" { "largest difference" } th scope="col" { "verdict" } } }
                    tbody {
                        @for what in help {
                            tr {
                                th scope="row" { (what.settings) }
                                td.number { (grouped(what.cycles)) }
                                td.bar-cell { (one_bar(what.cycles, what.cycles_before, "unit")) }
                                td.number { (amount(what.max_diff)) " (now " (amount(what.max_diff_before)) ")" }
                                td { (if what.pass { "pass" } else { "FAIL" }) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A bar of a part, and its percentage.
pub(super) fn one_bar(part: u64, of: u64, class: &str) -> Markup {
    html! {
        div.bar role="img" aria-label=(told(part, of)) { span class={ "k-" (class) } style={ "width:" (share(part.min(of), of)) "%" } {} }
        small { (percent(part as f64 / of.max(1) as f64)) }
    }
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 46.0;
/// Corners of a drawing.
const CORNERS: usize = 800;

/// How full the buffers of the core are that has the most calls.
pub(super) fn buffers(launch: &LaunchTimeline) -> Markup {
    let Some(core) = launch.cores.iter().max_by_key(|core| core.calls.len()) else { return html! {} };
    html! {
        p { "Pages in each circular buffer of core " (core.coord.to_string()) " over time; the line above is what it holds." }
        div.buffers { @for buffer in &core.buffers { (fill(launch, core, buffer.cb, buffer.pages())) } }
    }
}

fn fill(launch: &LaunchTimeline, core: &CoreTimeline, cb: u32, pages: u32) -> Markup {
    let levels = levels(core, cb);
    let most = levels.iter().map(|(_, level)| *level).max().unwrap_or(0);
    let top = f64::from(pages).max(most as f64).max(1.0);
    let x = |cycle: u64| WIDTH * cycle as f64 / launch.cycles.max(1) as f64;
    let y = |level: i64| HEIGHT - (HEIGHT - 4.0) * level.max(0) as f64 / top;
    // Of many changes in one place the highest is drawn, and the one that stays.
    let all = launch.cycles.max(1);
    let mut corners: Vec<(u64, i64, i64)> = Vec::new();
    for (at, level) in &levels {
        let at = if levels.len() > CORNERS { at * CORNERS as u64 / all * all / CORNERS as u64 } else { *at };
        match corners.last_mut() {
            Some((other, highest, stays)) if *other == at => (*highest, *stays) = ((*highest).max(*level), *level),
            _ => corners.push((at, *level, *level)),
        }
    }
    let mut points = format!("0,{}", fixed(HEIGHT));
    let mut last = 0;
    for (at, highest, stays) in corners {
        let x = fixed(x(at));
        points += &format!(" {x},{} {x},{} {x},{}", fixed(y(last)), fixed(y(highest)), fixed(y(stays)));
        last = stays;
    }
    points += &format!(" {},{} {},{}", fixed(WIDTH), fixed(y(last)), fixed(WIDTH), fixed(HEIGHT));
    let text = format!("{}: at most {most} of {pages} pages, {last} at the end", cb_name(cb));
    html! {
        figure.fill {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(text) preserveAspectRatio="none" {
                line.axis x1="0" x2=(WIDTH) y1=(fixed(y(i64::from(pages)))) y2=(fixed(y(i64::from(pages)))) {}
                polygon.level points=(points) {}
            }
            figcaption { b { (cb_name(cb)) } " at most " (most) " of " (count(u64::from(pages), "page")) }
        }
    }
}
