//! Outputs beside what they should be, and where they are off.
//!
//! Start at [`outputs`].

use maud::{Markup, html};
use tileproof_model::wording::figure;

use super::drawing::fixed;
use crate::outside::visible;
use crate::render::run::{ElementText, OutputText};

/// Where an output is off, tile by tile.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorMap {
    /// Its name.
    pub name: String,
    /// Rows and columns of tiles: all leading dimensions are rows.
    pub rows: u32,
    /// Columns.
    pub columns: u32,
    /// The largest difference in each, row by row; NaN where it is not finite.
    pub tiles: Vec<f64>,
    /// Rows and columns of elements that each cell stands for.
    pub cell: (u32, u32),
    /// The tile with the largest difference, by its number.
    pub worst: usize,
    /// Its elements, row by row of 32: difference of each.
    pub elements: Vec<f64>,
    /// The first element of it.
    pub first: (u32, u32),
}

/// The section.
pub(super) fn outputs(outputs: &[OutputText<'_>], errors: &[ErrorMap]) -> Markup {
    html! {
        div.wide {
            table {
                thead { tr { th scope="col" { "output" } th scope="col" { "verdict" } th.number scope="col" { "largest difference" } th.number scope="col" { "elements off" } th scope="col" { "first of them" } } }
                tbody { @for output in outputs { (row(output)) } }
            }
        }
        @for map in errors { (heat(map)) }
    }
}

fn row(output: &OutputText<'_>) -> Markup {
    html! {
        tr {
            th scope="row" { (visible(output.name)) }
            td { (if output.pass { "pass" } else { "FAIL" }) }
            td.number { (output.max_diff.map_or("not compared".into(), figure)) }
            td.number { (output.differing) }
            td { @if let Some(first) = &output.first { (element(first)) } }
        }
    }
}

fn element(first: &ElementText<'_>) -> Markup {
    let place: Vec<String> = first.place.iter().map(u32::to_string).collect();
    html! { "[" (place.join(",")) "]: " (figure(first.found.0)) ", should be " (figure(first.expected.0)) }
}

const SIDE: f64 = 300.0;

/// A grid of tiles, darker where the difference is larger, and the worst of them by element.
fn heat(map: &ErrorMap) -> Markup {
    let most = map.tiles.iter().copied().fold(0.0, f64::max);
    let worst = (map.worst as u32 / map.columns.max(1), map.worst as u32 % map.columns.max(1));
    let caption =
        format!("{}: the largest difference of each {} by {} elements", visible(&map.name), map.cell.0, map.cell.1);
    html! {
        h3 { "Where " (visible(&map.name)) " is off" }
        @if most == 0.0 { p { "Nowhere: no element differs." } } @else {
            div.heats {
                figure {
                    (cells(&map.tiles, map.rows, map.columns, most, &caption))
                    figcaption { (caption) "; the largest is " (figure(most)) ", in row " (worst.0) ", column " (worst.1) "." }
                }
                figure {
                    (cells(&map.elements, 32, 32, most, "The worst tile by element"))
                    figcaption { "The worst of them by element, from [" (map.first.0) ", " (map.first.1) "] on." }
                }
            }
        }
    }
}

fn cells(values: &[f64], rows: u32, columns: u32, most: f64, label: &str) -> Markup {
    let side = (SIDE / f64::from(rows.max(columns).max(1))).max(1.0);
    let (width, height) = (side * f64::from(columns), side * f64::from(rows));
    html! {
        svg.heat viewBox={ "0 0 " (fixed(width)) " " (fixed(height)) } role="img" aria-label=(label) preserveAspectRatio="xMinYMin" {
            rect.free x="0" y="0" width=(fixed(width)) height=(fixed(height)) {}
            @for (number, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                @let (row, column) = (number as u32 / columns.max(1), number as u32 % columns.max(1));
                rect class=(if value.is_finite() { "off" } else { "off not-finite" }) x=(fixed(side * f64::from(column))) y=(fixed(side * f64::from(row)))
                    width=(fixed(side)) height=(fixed(side)) fill-opacity=(fixed(strength(*value, most))) {
                    title { "[" (row) ", " (column) "]: " (figure(*value)) }
                }
            }
        }
    }
}

/// How dark a difference is: by its square root, so that small ones are seen beside large ones.
fn strength(value: f64, most: f64) -> f64 {
    if value.is_finite() && most.is_finite() && most > 0.0 { 0.12 + 0.88 * (value / most).sqrt() } else { 1.0 }
}
