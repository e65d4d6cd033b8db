//! A core's L1 as a map: what lies where, whose it is, how much is left.
//!
//! Start at [`memory`].

use std::ops::Range;

use maud::{Markup, html};
use tileproof_model::arch::Arch;
use tileproof_model::timeline::{CoreTimeline, LaunchTimeline};
use tileproof_model::wording::count;
use tileproof_timing::bound::{grouped, percent};
use tileproof_timing::waits::filled;

use super::drawing::fixed;
use crate::outside::visible;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 44.0;

/// Some bytes, and whose they are.
struct Owner<'a> {
    bytes: Range<u32>,
    name: String,
    pages: String,
    /// How it is drawn.
    class: &'a str,
    /// The circular buffer that it is.
    buffer: Option<u32>,
}

/// The section: the core with the most in its L1, and how many are like it.
pub(super) fn memory(arch: Arch, launch: &LaunchTimeline) -> Markup {
    let used = |core: &CoreTimeline| core.buffers.iter().map(|b| u64::from(b.bytes.end - b.bytes.start)).sum::<u64>();
    let Some(core) = launch.cores.iter().max_by_key(|core| (used(core), std::cmp::Reverse(core.coord))) else {
        return html! {};
    };
    let alike =
        launch.cores.iter().filter(|other| other.buffers == core.buffers && other.memory == core.memory).count();
    let all = arch.constants().l1_bytes;
    let mut owners: Vec<Owner<'_>> = Vec::new();
    owners.push(Owner {
        bytes: 0..arch.constants().l1_unreserved_base,
        name: "firmware, arguments, semaphores".into(),
        pages: String::new(),
        class: "call",
        buffer: None,
    });
    for buffer in &core.buffers {
        let pages = format!("{} of {} bytes", count(buffer.pages().into(), "page"), grouped(buffer.page_bytes.into()));
        let (bytes, name) = (buffer.bytes.clone(), filled(core, buffer.cb));
        owners.push(Owner { bytes, name, pages, class: "unit", buffer: Some(buffer.cb) });
    }
    // The first is where semaphores lie, which is the firmware's part.
    for (bytes, name) in core.memory.iter().skip(1) {
        let (bytes, name) = (bytes.clone(), format!("tensor {}", visible(name)));
        owners.push(Owner { bytes, name, pages: String::new(), class: "transfers", buffer: None });
    }
    owners.sort_by_key(|owner| (owner.bytes.start, owner.bytes.end));
    let taken: u64 = union(owners.iter().map(|owner| owner.bytes.clone()));
    html! {
        p {
            "Core " (core.coord.to_string()) @if alike > 1 { ", and " (alike - 1) " like it" } ": "
            (grouped(taken)) " of " (grouped(all.into())) " bytes are taken, " (percent(taken as f64 / f64::from(all))) "."
        }
        div.wide tabindex="0" {
            svg.drawing viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label="Map of L1" {
                rect.free x="0" y="4" width=(WIDTH) height="30" {}
                @for Owner { bytes, name, class, .. } in &owners {
                    @let (from, to) = (x(bytes.start, all), x(bytes.end, all));
                    rect class={ "owner k-" (class) } x=(fixed(from)) y="4" width=(fixed((to - from).max(0.6))) height="30" {
                        title { (name) ", " (bytes.start) " to " (bytes.end) }
                    }
                }
            }
        }
        div.wide tabindex="0" {
            table {
                thead { tr { th.number scope="col" { "from" } th.number scope="col" { "bytes" } th scope="col" { "whose" } th scope="col" { "pages" } } }
                tbody {
                    @for owner @ Owner { bytes, name, pages, .. } in &owners {
                        tr {
                            td.number { (format!("{:#x}", bytes.start)) }
                            td.number { (grouped(u64::from(bytes.end.saturating_sub(bytes.start)))) }
                            th scope="row" { (name) }
                            td { (pages) @if owner.shares(core) { " shares its memory" } }
                        }
                    }
                }
            }
        }
    }
}

fn x(offset: u32, all: u32) -> f64 {
    WIDTH * f64::from(offset.min(all)) / f64::from(all)
}

/// Bytes that any of some ranges, in the order of their beginnings, takes.
fn union(ranges: impl Iterator<Item = Range<u32>>) -> u64 {
    let (mut taken, mut end) = (0u64, 0u32);
    for range in ranges {
        taken += u64::from(range.end.saturating_sub(range.start.max(end)));
        end = end.max(range.end);
    }
    taken
}

impl Owner<'_> {
    /// Whether it is a buffer, and another one has bytes of it.
    fn shares(&self, core: &CoreTimeline) -> bool {
        let overlaps = |bytes: &Range<u32>| bytes.start < self.bytes.end && self.bytes.start < bytes.end;
        let Some(cb) = self.buffer else { return false };
        core.buffers.iter().any(|other| other.cb != cb && overlaps(&other.bytes))
    }
}
