//! Outputs beside what they should be, and where they are off.
//!
//! Start at [`outputs`].

use maud::{Markup, html};
use tileproof_model::finding::Label;
use tileproof_model::wording::figure;

use super::drawing::{amount, fixed};
use super::findings::snippet;
use crate::outside::visible;
use crate::render::run::{ElementText, OutputText};
use crate::source::Sources;

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
    /// How the elements of that tile that are furthest off came about, the furthest first: their number in it, their names, what
    /// they were made of.
    pub recipes: Vec<(usize, String, String)>,
    /// The calls that made the first of them.
    pub calls: Vec<Label>,
}

/// The section.
pub(super) fn outputs(outputs: &[OutputText<'_>], errors: &[ErrorMap], sources: &dyn Sources) -> Markup {
    html! {
        div.wide tabindex="0" {
            table {
                thead { tr { th scope="col" { "output" } th scope="col" { "verdict" } th.number scope="col" { "largest difference" } th.number scope="col" { "elements off" } th scope="col" { "first of them" } } }
                tbody { @for output in outputs { (row(output)) } }
            }
        }
        @for map in errors {
            (heat(map, outputs.iter().any(|output| output.name == map.name && output.pass)))
            (recipes(map, sources))
        }
    }
}

fn row(output: &OutputText<'_>) -> Markup {
    html! {
        tr {
            th scope="row" { (visible(output.name)) }
            td { (if output.pass { "pass" } else { "FAIL" }) }
            td.number { (output.max_diff.map_or("not compared".into(), amount)) }
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
fn heat(map: &ErrorMap, passes: bool) -> Markup {
    let (rows, columns) = map.cells;
    // What is no number is as dark as can be, and does not darken the others.
    let finite = || map.largest.iter().copied().filter(|value| value.is_finite());
    let most = finite().fold(0.0, f64::max);
    let differs = map.largest.iter().any(|value| *value != 0.0);
    let name = visible(&map.name);
    let caption = format!("{name}: the largest difference of each {} by {} elements", map.cell.0, map.cell.1);
    let links: Vec<(usize, String)> = map.recipes.iter().map(|(at, ..)| (*at, recipe_id(map, *at))).collect();
    html! {
        h3 { "How far off " (name) " is" }
        @if !differs { p { "Nowhere: no element differs." } } @else {
            div.heats {
                figure {
                    (cells(&map.largest, (rows, columns), most, (&caption, &[])))
                    figcaption { (caption) "; the largest is " (amount(map.largest[map.worst])) ", in row " (map.worst / columns.max(1)) ", column " (map.worst % columns.max(1)) " of these."
                        @if passes { " All are within what is allowed." }
                    }
                }
                figure {
                    (cells(&map.tile, (32, 32), most, ("The worst tile by element", &links)))
                    figcaption { "The worst tile by element; its first is in row " (map.tile_at.0) ", column " (map.tile_at.1) "."
                        @if !links.is_empty() { " Each of the " (links.len()) " furthest off leads to how it came about." }
                    }
                }
            }
        }
    }
}

/// What the list of recipes calls that of an element.
fn recipe_id(map: &ErrorMap, at: usize) -> String {
    let name: String = map.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("recipe-{name}-{at}")
}

/// How the elements that are furthest off came about.
fn recipes(map: &ErrorMap, sources: &dyn Sources) -> Markup {
    let Some((_, worst, _)) = map.recipes.first() else { return html! {} };
    let name = visible(&map.name);
    html! {
        h4 { "How the worst elements of " (name) " came about" }
        ol.recipes tabindex="0" aria-label={ "Recipes of elements of " (name) ", the furthest off first" } {
            @for (at, element, text) in &map.recipes {
                li id=(recipe_id(map, *at)) { code { (visible(element)) } " = " (visible(text)) ", " span.soft { "off by " (amount(map.tile[*at])) } }
            }
        }
        @if !map.calls.is_empty() {
            details {
                summary { "The calls that made " (visible(worst)) }
                div.places { @for label in &map.calls { (snippet(&label.place, &label.text, sources)) } }
            }
        }
        p { small { code { "tileproof run --follow '" (name) "[..]'" } " tells of any other element of a program file." } }
    }
}

/// A grid. Its label, and where cells lead to.
fn cells(
    values: &[f64],
    (rows, columns): (usize, usize),
    most: f64,
    (label, links): (&str, &[(usize, String)]),
) -> Markup {
    let side = (SIDE / rows.max(columns).max(1) as f64).max(1.0);
    let (width, height) = (side * columns as f64, side * rows as f64);
    html! {
        svg.heat viewBox={ "0 0 " (fixed(width)) " " (fixed(height)) } style={ "max-width:" (fixed(width)) "px" } role=(if links.is_empty() { "img" } else { "group" }) aria-label=(label) {
            rect.free x="0" y="0" width=(fixed(width)) height=(fixed(height)) {}
            @for (number, value) in values.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                @let (row, column) = (number / columns.max(1), number % columns.max(1));
                @let told = format!("row {row}, column {column}: {}", figure(*value));
                @let place = (side * column as f64, side * row as f64);
                @match links.iter().find(|(at, _)| *at == number) {
                    // The list below has the same for keys and readers.
                    Some((_, id)) => a href={ "#" (id) } tabindex="-1" aria-label={ (told) ", how it came about" } { (cell(*value, place, side, most, &told)) },
                    None => (cell(*value, place, side, most, &told)),
                }
            }
        }
    }
}

fn cell(value: f64, (x, y): (f64, f64), side: f64, most: f64, told: &str) -> Markup {
    html! {
        rect class=(if value.is_finite() { "off" } else { "off not-finite" }) x=(fixed(x)) y=(fixed(y))
            width=(fixed(side)) height=(fixed(side)) fill-opacity=(fixed(strength(value, most))) { title { (told) } }
    }
}

/// How dark a difference is: by its square root, so that small ones are seen beside large ones.
fn strength(value: f64, most: f64) -> f64 {
    if value.is_finite() && most > 0.0 { 0.12 + 0.88 * (value / most).sqrt() } else { 1.0 }
}
