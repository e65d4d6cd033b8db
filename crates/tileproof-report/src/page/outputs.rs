//! Outputs beside what they should be, and where they are off.
//!
//! Start at [`outputs`].

use maud::{Markup, html};
use tileproof_model::wording::figure;

use super::drawing::fixed;
use crate::outside::visible;
use crate::render::run::{ElementText, OutputText};
use crate::render::table;

/// Where an output is off, tile by tile.
#[derive(Clone, PartialEq, Debug)]
pub struct ErrorMap {
    /// Its name.
    pub name: String,
    /// Cells down and across: all leading dimensions are rows.
    pub cells: (usize, usize),
    /// Elements that a cell stands for, down and across.
    pub cell: (usize, usize),
    /// The largest difference in each, row by row.
    pub largest: Vec<f64>,
    /// The cell with the largest of all.
    pub worst: usize,
    /// The differences of the tile that has it, row by row of 32.
    pub tile: Vec<f64>,
    /// Row and column of the first element of that tile.
    pub tile_at: (usize, usize),
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
            td.number { (output.max_diff.map_or("not compared".into(), table::figure)) }
            td.number { (output.differing) }
            td { @if let Some(first) = &output.first { (element(first)) } @if let Some(place) = output.place { br; (visible(place)) } }
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
    let (rows, columns) = map.cells;
    // What is no number is as dark as can be, and does not darken the others.
    let finite = || map.largest.iter().copied().filter(|value| value.is_finite());
    let most = finite().fold(0.0, f64::max);
    let differs = map.largest.iter().any(|value| *value != 0.0);
    let name = visible(&map.name);
    let caption = format!("{name}: the largest difference of each {} by {} elements", map.cell.0, map.cell.1);
    html! {
        h3 { "How far off " (name) " is" }
        @if !differs { p { "Nowhere: no element differs." } } @else {
            div.heats {
                figure {
                    (cells(&map.largest, (rows, columns), most, &caption))
                    figcaption { (caption) "; the largest is " (table::figure(map.largest[map.worst])) ", in row " (map.worst / columns.max(1)) ", column " (map.worst % columns.max(1)) " of these." }
                }
                figure {
                    (cells(&map.tile, (32, 32), most, "The worst tile by element"))
                    figcaption { "The worst tile by element; its first is in row " (map.tile_at.0) ", column " (map.tile_at.1) "." }
                }
            }
        }
    }
}

fn cells(values: &[f64], (rows, columns): (usize, usize), most: f64, label: &str) -> Markup {
    let side = (SIDE / rows.max(columns).max(1) as f64).max(1.0);
    let (width, height) = (side * columns as f64, side * rows as f64);
    html! {
        svg.heat viewBox={ "0 0 " (fixed(width)) " " (fixed(height)) } style={ "max-width:" (fixed(width)) "px" } role="img" aria-label=(label) {
            rect.free x="0" y="0" width=(fixed(width)) height=(fixed(height)) {}
            @for (number, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                @let (row, column) = (number / columns.max(1), number % columns.max(1));
                rect class=(if value.is_finite() { "off" } else { "off not-finite" }) x=(fixed(side * column as f64)) y=(fixed(side * row as f64))
                    width=(fixed(side)) height=(fixed(side)) fill-opacity=(fixed(strength(*value, most))) {
                    title { "row " (row) ", column " (column) ": " (figure(*value)) }
                }
            }
        }
    }
}

/// How dark a difference is: by its square root, so that small ones are seen beside large ones.
fn strength(value: f64, most: f64) -> f64 {
    if value.is_finite() && most > 0.0 { 0.12 + 0.88 * (value / most).sqrt() } else { 1.0 }
}
