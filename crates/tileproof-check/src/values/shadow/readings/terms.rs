//! Results that were added to one tile of Dst, of which each was to stand alone.
//!
//! Every call of a product adds to what its tile holds. Must never say which terms are meant unless all elements of a tile agree.
//! Start at [`of`].

use std::collections::BTreeMap;

use tileproof_model::op_word::{eltwise, flag, math_kind};

use super::super::follow::Followed;
use super::super::nodes::Op;
use super::guess::{Datum, Reading, holds, maker};

/// Terms of one sum that are looked at.
const TERMS: usize = 16;

/// Terms of a sum, counted from its first: from the one up to and without the other.
type Part = (usize, usize);

/// The part of its sum that each tile is expected to be.
pub(super) fn of(of: &Followed, wrong: &[&Datum], data: &[&Datum]) -> Option<Reading> {
    let first = wrong.first()?;
    let (node, _, word) = maker(of, first.node, first.at)?;
    let adds = match word.kind() {
        math_kind::MATMUL => true,
        math_kind::REDUCE => !word.is_maximum(),
        math_kind::ELTWISE => word.a() == eltwise::MUL || word.has(flag::ACCUMULATE),
        _ => false,
    };
    let call = of.nodes.get(node).map(|node| node.call).filter(|call| adds && call.launch == of.launch)?;
    let mut tiles: BTreeMap<u32, Vec<&Datum>> = BTreeMap::new();
    for datum in wrong {
        tiles.entry(datum.node).or_default().push(datum);
    }
    let meant: BTreeMap<u32, Part> =
        tiles.iter().map(|(node, data)| Some((*node, part(of, data)?))).collect::<Option<_>>()?;
    let of_part = |datum: &Datum| match meant.get(&datum.node) {
        Some(part) => value(&sums(of, datum)?, *part),
        None => Some(datum.exact),
    };
    let (from, to) = *meant.get(&first.node)?;
    let count = sums(of, first)?.len() - 1;
    let which = match (from, to) {
        (from, to) if to == from + 1 => format!("number {to} alone"),
        (from, to) => format!("those from number {} to {to}", from + 1),
    };
    holds(data, of_part).then(|| Reading {
        call,
        text: "not the operation that is expected",
        others: Vec::new(),
        says: format!(
            "{count} results were added up in one tile of Dst, and of them what is expected first is {which}"
        ),
        help: "give each result a tile of Dst of its own, or acquire Dst anew between them; products add to what their tile holds",
    })
}

/// What a sum had come to before its first term, and after each.
fn sums(of: &Followed, datum: &Datum) -> Option<Vec<f64>> {
    let (node, at, word) = maker(of, datum.node, datum.at)?;
    let (mut all, mut next) = (vec![], Some(node));
    while let Some(number) = next.filter(|_| all.len() <= TERMS) {
        let its = of.nodes.get(number)?;
        all.push(of.nodes.tile(next)?.exact[at]);
        next = if its.op == Op::Math(word) { its.before } else { None };
    }
    all.push(0.0);
    all.reverse();
    (all.len() > 2 && all.len() <= TERMS + 2).then_some(all)
}

fn value(sums: &[f64], (from, to): Part) -> Option<f64> {
    Some(sums.get(to)? - sums.get(from)?)
}

/// The terms that all elements of one tile are expected to be, if not all.
fn part(of: &Followed, data: &[&Datum]) -> Option<Part> {
    let all: Vec<Vec<f64>> = data.iter().map(|datum| sums(of, datum)).collect::<Option<_>>()?;
    let count = all.first()?.len() - 1;
    let parts = (0..count).flat_map(|from| (from + 1..=count).map(move |to| (from, to)));
    let fits = |part: &Part| {
        let mut next = all.iter();
        holds(data, |_| value(next.next()?, *part))
    };
    parts.filter(|part| *part != (0, count)).find(fits)
}
