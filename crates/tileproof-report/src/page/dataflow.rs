//! Tensors, kernels and circular buffers of a launch as a drawing, laid out in columns by who gets data from whom.
//!
//! Start at [`dataflow`].

use std::collections::BTreeMap;

use maud::{Markup, html};
use tileproof_model::timeline::LaunchTimeline;
use tileproof_model::wording::cb_name;
use tileproof_timing::bound::grouped;
use tileproof_timing::flow::{Amount, Flow, Node, flow};

use super::drawing::{file_name, fixed, shortened};
use crate::outside::visible;

const BOX: (f64, f64) = (150.0, 38.0);
const GAP: (f64, f64) = (70.0, 16.0);
/// Room around the drawing.
const MARGIN: f64 = 8.0;

/// The section.
pub(super) fn dataflow(launch: &LaunchTimeline) -> Markup {
    let flow = flow(launch);
    if flow.edges.is_empty() {
        return html! { p { "Nobody moves anything: no pages, and no bytes over the NoC." } };
    }
    html! {
        p { "All cores added up: boxes with round corners are circular buffers, cut ones tensors; numbers are pages, or bytes over the NoC." }
        div.wide tabindex="0" { (drawing(&flow)) }
        details {
            summary { "The same as a list" }
            ul { @for ((from, to), amount) in &flow.edges { li { (name(from)) " → " (name(to)) ": " (told(amount)) } } }
        }
    }
}

fn drawing(flow: &Flow) -> Markup {
    let columns = flow.columns();
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0) as f64;
    let height = tallest * (BOX.1 + GAP.1) + 2.0 * MARGIN;
    let width = columns.len() as f64 * (BOX.0 + GAP.0) - GAP.0 + 2.0 * MARGIN;
    let mut places: BTreeMap<&Node, (f64, f64)> = BTreeMap::new();
    for (column, nodes) in columns.iter().enumerate() {
        let top = (height - nodes.len() as f64 * (BOX.1 + GAP.1) + GAP.1) / 2.0;
        for (row, node) in ordered(flow, nodes, &places).into_iter().enumerate() {
            places.insert(node, (MARGIN + column as f64 * (BOX.0 + GAP.0), top + row as f64 * (BOX.1 + GAP.1)));
        }
    }
    html! {
        svg.flow viewBox={ "0 0 " (fixed(width)) " " (fixed(height)) } style={ "min-width:" (fixed(width * 0.75)) "px" }
            role="img" aria-label="Who moves what" {
            defs {
                marker #flow-tip viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto" {
                    path.tip d="M0,0 L10,5 L0,10 z" {}
                }
            }
            @for ((from, to), amount) in &flow.edges { (edge(places[from], places[to], amount)) }
            @for (node, place) in &places { (boxed(flow, node, *place)) }
        }
    }
}

/// Nodes of a column by the middle of those that they get data from, so that fewer lines cross.
fn ordered<'a>(flow: &Flow, nodes: &'a [Node], places: &BTreeMap<&Node, (f64, f64)>) -> Vec<&'a Node> {
    let middle = |node: &Node| {
        let before = flow.edges.keys().filter(|(_, to)| to == node).filter_map(|(from, _)| places.get(from));
        let (sum, count) = before.fold((0.0, 0.0), |(sum, count), (_, y)| (sum + y, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    };
    let mut ordered: Vec<&Node> = nodes.iter().collect();
    ordered.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    ordered
}

fn edge(from: (f64, f64), to: (f64, f64), amount: &Amount) -> Markup {
    let (x1, y1) = (from.0 + BOX.0, from.1 + BOX.1 / 2.0);
    let (x2, y2) = (to.0, to.1 + BOX.1 / 2.0);
    // What goes back runs below the boxes.
    let is_back = x2 <= x1 - BOX.0;
    let path = if is_back {
        let low = from.1.max(to.1) + BOX.1 + GAP.1 * 0.7;
        let (x1, x2) = (from.0 + BOX.0 / 2.0, to.0 + BOX.0 / 2.0);
        let (y1, y2) = (from.1 + BOX.1, to.1 + BOX.1);
        format!(
            "M{},{} C{},{low:.1} {},{low:.1} {},{}",
            fixed(x1),
            fixed(y1),
            fixed(x1),
            fixed(x2),
            fixed(x2),
            fixed(y2)
        )
    } else {
        let bend = (x2 - x1) / 2.0;
        format!(
            "M{},{} C{},{} {},{} {},{}",
            fixed(x1),
            fixed(y1),
            fixed(x1 + bend),
            fixed(y1),
            fixed(x2 - bend),
            fixed(y2),
            fixed(x2),
            fixed(y2)
        )
    };
    // Near its end, where lines have left each other.
    let (x, y) = if is_back {
        ((x1 + x2 - BOX.0) / 2.0, y1.max(y2) + BOX.1)
    } else {
        (x2 - GAP.0 / 2.0, y2 - 4.0 + (y1 - y2) * 0.12)
    };
    html! {
        path.arrow marker-end="url(#flow-tip)" d=(path) {}
        text.amount x=(fixed(x)) y=(fixed(y)) text-anchor="middle" { (short(amount)) }
    }
}

fn boxed(flow: &Flow, node: &Node, (x, y): (f64, f64)) -> Markup {
    let (class, round) = match node {
        Node::Kernel { .. } => ("box g-0", 2.0),
        Node::Buffer(_) => ("box g-1", 16.0),
        Node::Tensor(_) | Node::Dram => ("box g-2", 0.0),
        Node::OtherCores => ("box g-3", 8.0),
    };
    let below = match node {
        Node::Kernel { name, .. } => {
            flow.threads.get(name).map(|threads| threads.iter().map(|t| t.name()).collect::<Vec<_>>().join(" "))
        }
        Node::Tensor(_) => Some("tensor".into()),
        _ => None,
    };
    html! {
        g {
            title { (name(node)) }
            rect class=(class) x=(fixed(x)) y=(fixed(y)) width=(BOX.0) height=(BOX.1) rx=(round) {}
            text.box-title x=(fixed(x + BOX.0 / 2.0)) y=(fixed(y + if below.is_some() { 16.0 } else { 23.0 })) text-anchor="middle" { (shortened(&name(node), 20)) }
            @if let Some(below) = below { text.soft x=(fixed(x + BOX.0 / 2.0)) y=(fixed(y + 30.0)) text-anchor="middle" { (below) } }
        }
    }
}

fn name(node: &Node) -> String {
    match node {
        Node::Tensor(tensor) => visible(tensor).into_owned(),
        Node::Kernel { name, takes_out: false } => visible(file_name(name)).into_owned(),
        Node::Kernel { name, takes_out: true } => format!("{}, out", visible(file_name(name))),
        Node::Buffer(cb) => cb_name(*cb),
        Node::OtherCores => "other cores".into(),
        Node::Dram => "DRAM".into(),
    }
}

fn told(amount: &Amount) -> String {
    match *amount {
        Amount { pages, bytes: 0 } => format!("{} pages", grouped(pages)),
        Amount { bytes, .. } => format!("{} bytes", grouped(bytes)),
    }
}

fn short(amount: &Amount) -> String {
    let scaled = |bytes: u64| match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{:.0} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    };
    if amount.bytes > 0 { scaled(amount.bytes) } else { grouped(amount.pages) }
}
