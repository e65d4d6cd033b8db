//! An audit as a picture, in SVG: a mark for each mutant, by the line that it is of and by the absolute tolerance that would hide it.
//!
//! It must be read in light and in dark, and without colours. Start at [`render_audit_picture`].

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use tileproof_model::wording::count;

use crate::json::AuditDocument;
use crate::json::audit::MutantEntry;
use crate::page::drawing::{file_name, fixed, log2, shortened};

const WIDTH: f64 = 860.0;
/// Where the axis of tolerances begins and ends.
const AXIS: (f64, f64) = (330.0, 730.0);
/// The columns beside it: what changes nothing, and what no tolerance hides.
const BESIDE: (f64, f64) = (255.0, 795.0);
/// The first row, and the height of one.
const TOP: f64 = 84.0;
const ROW: f64 = 18.0;
/// Powers of ten of the axis at most: what needs less stands at its beginning, what needs more at its end.
const TENS: i32 = 7;

const STYLE: &str = "
.ground { fill: #fbfaf8; } text { fill: #1d1f24; font: 12px system-ui, 'Segoe UI', Roboto, sans-serif; } .soft { fill: #5a5f6a; }
.grid { stroke: #d9d6cf; } .test { stroke: #1d1f24; stroke-dasharray: 5 3; }
.found { fill: #2a7f62; } .missed { fill: none; stroke: #a3161c; stroke-width: 2; } .unchanged { stroke: #8a8f99; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
.ground { fill: #15171b; } text { fill: #e8e6e1; } .soft { fill: #a4a9b4; } .grid { stroke: #363a43; } .test { stroke: #e8e6e1; }
.found { fill: #4db892; } .missed { stroke: #ff9a92; } .unchanged { stroke: #8a8f99; } }
";

/// Draws the mutants of an audit that were run to their end.
pub fn render_audit_picture(audit: &AuditDocument) -> String {
    let rows = rows(audit);
    let axis = Axis::of(audit);
    let bottom = TOP + ROW * rows.len() as f64;
    let height = bottom + 50.0;
    let could = audit.found + audit.missed;
    let power = format!("{}: the test finds {} of {}", audit.program, audit.found, count(could as u64, "mutant"));
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (fixed(WIDTH)) " " (fixed(height)) } role="img" aria-label=(power) {
            style { (PreEscaped(STYLE)) }
            rect.ground width=(fixed(WIDTH)) height=(fixed(height)) {}
            text x="14" y="24" font-weight="700" { (power) }
            (legend())
            (axis.drawn(bottom))
            @for (number, (place, mutants)) in rows.iter().enumerate() {
                (row(TOP + ROW * (number as f64 + 0.5), place, mutants, &axis))
            }
            @if let Some(atol) = audit.atol.filter(|atol| *atol > 0.0) {
                line.test x1=(fixed(axis.x(atol))) x2=(fixed(axis.x(atol))) y1=(fixed(TOP - 6.0)) y2=(fixed(bottom)) {}
                text x=(fixed(axis.x(atol))) y=(fixed(TOP - 10.0)) text-anchor="middle" { "atol of the test, " (atol) }
            }
            text.soft x=(fixed(f64::midpoint(AXIS.0, AXIS.1))) y=(fixed(bottom + 40.0)) text-anchor="middle" {
                "absolute tolerance from which on the test lets it pass"
            }
        }
    };
    picture.into_string() + "\n"
}

/// The mutants of each place, in the order in which places are reached.
fn rows(audit: &AuditDocument) -> Vec<(String, Vec<&MutantEntry>)> {
    let mut order: Vec<String> = Vec::new();
    let mut rows: BTreeMap<String, Vec<&MutantEntry>> = BTreeMap::new();
    let is_drawn = |mutant: &&MutantEntry| !["not_run", "not_modelled"].contains(&mutant.result.as_str());
    for mutant in audit.mutants.iter().filter(is_drawn) {
        let place = match mutant.line {
            0 if mutant.change == "known" => "published faults".into(),
            0 => "settings of compute kernels".into(),
            line => format!("{}:{line}", file_name(&mutant.file)),
        };
        if !rows.contains_key(&place) {
            order.push(place.clone());
        }
        rows.entry(place).or_default().push(mutant);
    }
    order.into_iter().filter_map(|place| rows.remove_entry(&place)).collect()
}

fn row(y: f64, place: &str, mutants: &[&MutantEntry], axis: &Axis) -> Markup {
    // Marks that would lie on each other stand one beside the other.
    let mut taken: Vec<f64> = Vec::new();
    let mut free = |x: f64| {
        let mut x = x;
        while taken.iter().any(|other| (other - x).abs() < 9.0) {
            x += 9.0;
        }
        taken.push(x);
        x
    };
    html! {
        line.grid x1="14" x2=(fixed(WIDTH - 14.0)) y1=(fixed(y + ROW / 2.0)) y2=(fixed(y + ROW / 2.0)) {}
        text x="14" y=(fixed(y + 4.0)) { (shortened(place, 34)) }
        @for mutant in mutants { (mark(free(axis.of_mutant(mutant)), y, mutant)) }
    }
}

/// A mark, which says in words what it is of.
fn mark(x: f64, y: f64, mutant: &MutantEntry) -> Markup {
    let what = if mutant.what.is_empty() { String::new() } else { format!("{}: ", mutant.what) };
    let title = html! { title { (what) (mutant.text) ", " (mutant.result) } };
    html! {
        @match mutant.result.as_str() {
            "missed" => path.missed d=(diamond(x, y)) { (title) },
            "unchanged" => line.unchanged x1=(fixed(x)) x2=(fixed(x)) y1=(fixed(y - 4.0)) y2=(fixed(y + 4.0)) { (title) },
            _ => circle.found cx=(fixed(x)) cy=(fixed(y)) r="4" { (title) },
        }
    }
}

fn diamond(x: f64, y: f64) -> String {
    let (left, right, up, down) = (fixed(x - 4.5), fixed(x + 4.5), fixed(y - 4.5), fixed(y + 4.5));
    format!("M {left} {0} L {1} {up} L {right} {0} L {1} {down} Z", fixed(y), fixed(x))
}

fn legend() -> Markup {
    let y = 44.0;
    html! {
        circle.found cx="20" cy=(fixed(y - 4.0)) r="4" {}
        text x="30" y=(fixed(y)) { "found" }
        path.missed d=(diamond(86.0, y - 4.0)) {}
        text x="96" y=(fixed(y)) { "missed" }
        line.unchanged x1="160" x2="160" y1=(fixed(y - 8.0)) y2=(fixed(y)) {}
        text x="168" y=(fixed(y)) { "changes no bit on any data: nothing to find" }
    }
}

/// Tolerances by powers of ten.
struct Axis {
    first: i32,
    last: i32,
}

/// The power of ten at or below a number.
fn ten_below(value: f64) -> i32 {
    (-30..=30).rev().find(|power| ten(*power) <= value).unwrap_or(-30)
}

fn ten(power: i32) -> f64 {
    let tens = (0..power.unsigned_abs()).fold(1.0, |all, _| all * 10.0);
    if power < 0 { 1.0 / tens } else { tens }
}

impl Axis {
    fn of(audit: &AuditDocument) -> Axis {
        let needed = audit.mutants.iter().filter(|mutant| mutant.changes).map(|mutant| mutant.needed_atol);
        let shown: Vec<f64> = needed.chain(audit.atol).filter(|value| value.is_finite() && *value > 0.0).collect();
        let first = shown.iter().map(|value| ten_below(*value)).min().unwrap_or(-3);
        let last = shown.iter().map(|value| ten_below(*value) + 1).max().unwrap_or(1);
        // Around the test's own tolerance, where there is one.
        let first = first.max(audit.atol.filter(|atol| *atol > 0.0).map_or(first, |atol| ten_below(atol) - TENS / 2));
        Axis { first, last: last.min(first + TENS) }
    }

    fn x(&self, atol: f64) -> f64 {
        let (from, to) = (log2(ten(self.first)), log2(ten(self.last)));
        AXIS.0 + (AXIS.1 - AXIS.0) * ((log2(atol) - from) / (to - from)).clamp(0.0, 1.0)
    }

    fn of_mutant(&self, mutant: &MutantEntry) -> f64 {
        match mutant.needed_atol {
            _ if !mutant.changes => BESIDE.0,
            needed if !needed.is_finite() => BESIDE.1,
            needed => self.x(needed),
        }
    }

    fn drawn(&self, bottom: f64) -> Markup {
        html! {
            @for power in self.first..=self.last {
                line.grid x1=(fixed(self.x(ten(power)))) x2=(fixed(self.x(ten(power)))) y1=(fixed(TOP)) y2=(fixed(bottom)) {}
                text.soft x=(fixed(self.x(ten(power)))) y=(fixed(bottom + 18.0)) text-anchor="middle" { "1e" (power) }
            }
            text.soft x=(fixed(BESIDE.0)) y=(fixed(bottom + 18.0)) text-anchor="middle" { "no difference" }
            text.soft x=(fixed(BESIDE.1)) y=(fixed(bottom + 18.0)) text-anchor="middle" { "none does" }
        }
    }
}
