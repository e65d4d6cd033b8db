//! What else an operation could have been: another broadcast, another form, a transposed operand, or not there at all.
//!
//! Each is a guess that all elements asked of must bear out, and much better than what came out. Must never say one that an
//! element speaks against. Start at [`of`].

use std::collections::BTreeSet;

use tileproof_model::op_word::{OpWord, broadcast, describe_math, eltwise, flag, math_kind, pool, reduce_dim};
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::face_index;

use super::super::elementary::function;
use super::super::exact::{place, spread, taken_in};
use super::super::follow::Followed;
use super::super::nodes::{Node, Op};
use super::super::planes::Planes;
use super::super::recipe;
use super::guess::{Datum, OF_ONE, OF_TWO, Reading, computes, holds, input, maker, with};
use super::{another_input, another_tile, constants, order, parameter, terms};

/// With fewer elements, or fewer different ones, a guess may be right by chance.
const ENOUGH: (usize, usize) = (8, 4);
/// Elements that a guess is tried on.
pub(super) const TRIED: usize = 2_000;
/// Terms of one sum that are looked at.
const TERMS: usize = 64;

type Guess = Box<dyn Fn(&Followed, u32, usize) -> Option<f64>>;

/// The guess that explains all elements, those that are `wrong` and some that are not.
pub(super) fn of(of: &Followed, wrong: &[Datum], right: &[Datum]) -> Option<Reading> {
    let data = tried(wrong, right);
    let wrong_ones = tried(wrong, &[]);
    let of_others = || {
        let found = too_much(of, &data).or_else(|| other_form(of, &data)).or_else(|| other_function(of, &data));
        found.or_else(|| terms::of(of, &wrong_ones, &data))
    };
    if differ(wrong, &|datum| datum.wanted) { of_others() } else { None }
}

/// An operation anywhere on the way that is another, stands in another place, or is not meant; or a number that it was given.
pub(super) fn on_the_way(of: &Followed, wrong: &[Datum], right: &[Datum]) -> Option<Reading> {
    let data = of_its_core(of, wrong, right);
    if !is_enough(of, wrong, &data) {
        return None;
    }
    let found = order::of(of, &data).or_else(|| another_tile::of(of, &data)).or_else(|| another_input::of(of, &data));
    if found.is_some() {
        return found;
    }
    // A number of few digits stands nearer than an operation that is not there, and that nearer than any number.
    let (number, round) = match parameter::of(of, &data) {
        Some(number) if number.is_round => (None, Some(number.reading)),
        number => (number.map(|number| number.reading), None),
    };
    round.or_else(|| too_little(of, &data)).or_else(|| order::missing(of, &data)).or(number)
}

/// Whether so much differs among what is wrong, and is expected of all, that no guess holds by chance.
fn is_enough(of: &Followed, wrong: &[Datum], data: &[&Datum]) -> bool {
    let its = of_its_core(of, wrong, &[]);
    let differs = |value: &dyn Fn(&Datum) -> f64| differ(its.iter().copied(), value);
    (differs(&|datum| datum.exact) || differs(&|datum| datum.wanted))
        && differ(data.iter().copied(), &|datum| datum.wanted)
}

/// Those that a guess is tried on, of the core of the first: the same call on another core is another.
fn of_its_core<'a>(of: &Followed, wrong: &'a [Datum], right: &'a [Datum]) -> Vec<&'a Datum> {
    let core = |datum: &Datum| of.nodes.get(datum.node).map(|node| node.call.core);
    let its = wrong.first().and_then(core);
    let mut data = tried(wrong, right);
    data.retain(|datum| core(datum) == its);
    data
}

/// The number that explains all elements where it is missing on the way: what is asked last, since much can be put so.
pub(super) fn missing(of: &Followed, wrong: &[Datum], right: &[Datum]) -> Option<Reading> {
    if differ(wrong, &|datum| datum.wanted) { constants::of(of, &tried(wrong, right)) } else { None }
}

/// Those that a guess is tried on.
fn tried<'a>(wrong: &'a [Datum], right: &'a [Datum]) -> Vec<&'a Datum> {
    let some = |data: &'a [Datum]| data.iter().step_by(data.len().div_ceil(TRIED).max(1));
    some(wrong).chain(some(right)).collect()
}

/// Whether there are so many different ones that no guess holds by chance.
fn differ<'a>(wrong: impl IntoIterator<Item = &'a Datum>, value: &dyn Fn(&Datum) -> f64) -> bool {
    let (mut count, mut different) = (0, BTreeSet::new());
    for datum in wrong {
        count += 1;
        different.insert(value(datum).to_bits());
    }
    count >= ENOUGH.0 && different.len() >= ENOUGH.1
}

/// What is expected was there, and an operation took it away.
fn too_much(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let way = recipe::way(of, first.node, first.at);
    let mut later: Option<&Node> = None;
    for (node, _) in way {
        let its = of.nodes.get(node)?;
        if !computes(its.op) {
            continue;
        }
        let Some(last) = later.replace(its) else { continue };
        let same = |datum: &Datum| {
            let way = recipe::way(of, datum.node, datum.at).into_iter();
            let mut there =
                way.filter(|(node, _)| of.nodes.get(*node).is_some_and(|node| node.call.site == its.call.site));
            there.find_map(|(node, at)| Some(of.nodes.tile(Some(node))?.exact[at]))
        };
        if last.call.launch == of.launch && last.call.site != its.call.site && holds(data, same) {
            let (does, after) = (its.op.name(), last.op.name());
            return Some(Reading {
                call: last.call,
                text: "not the operation that is expected",
                others: Vec::new(),
                says: format!("what is expected is what {does} gives, and {after} comes after it"),
                help: "compare the order of the operations with the formula: one is too many",
            });
        }
    }
    None
}

/// What is expected is a function of what came out.
fn too_little(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let way = recipe::way(of, first.node, first.at).into_iter();
    let mut calls = way.filter_map(|(node, _)| of.nodes.get(node)).filter(|node| node.call.launch == of.launch);
    let last = calls.find(|node| matches!(node.op, Op::Vector { .. } | Op::Math(_)))?;
    let missing = |op: &&SfpuOp| holds(data, |datum| function(**op, [datum.exact, 0.0, 0.0], [0; 4]));
    let name = OF_ONE.iter().find(missing)?.name();
    Some(Reading {
        call: last.call,
        text: "not the operation that is expected",
        others: Vec::new(),
        says: format!("what is expected is {name} of what {} gives, and nothing computes it", last.op.name()),
        help: "compare the recipe with the formula: one operation is missing at the end",
    })
}

/// The vector unit computed one function of its operands where another is expected.
fn other_function(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let made = |datum: &Datum| {
        let way = recipe::way(of, datum.node, datum.at).into_iter();
        let mut nodes = way.filter_map(|(node, at)| Some((of.nodes.get(node)?, at)));
        let (node, at) =
            nodes.find(|(node, _)| computes(node.op) || matches!(node.op, Op::Pack { accumulates: true, .. }))?;
        matches!(node.op, Op::Vector { .. }).then_some((node, at))
    };
    let (first, _) = made(data.first()?)?;
    let Op::Vector { op, .. } = first.op else { return None };
    let others: &[SfpuOp] = match op.inputs() {
        1 => &OF_ONE,
        2 => &OF_TWO,
        _ => return None,
    };
    let other = |other: &&SfpuOp| {
        **other != op
            && holds(data, |datum| {
                let (node, at) = made(datum).filter(|(node, _)| node.op.name() == op.name())?;
                let number = |number: usize| input(of, node, number).map_or(0.0, |tile| tile.exact[at]);
                function(**other, [number(0), number(1), 0.0], [0; 4])
            })
    };
    let name = others.iter().find(other).filter(|_| first.call.launch == of.launch)?.name();
    Some(Reading {
        call: first.call,
        text: "not the operation that is expected",
        others: Vec::new(),
        says: format!("{} does not give what is expected, and {name} would, of every element", op.name()),
        help: "compare the recipe with the formula: another function is expected of the same operands",
    })
}

fn other_form(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let (node, _, word) = maker(of, first.node, first.at)?;
    let call = of.nodes.get(node).map(|node| node.call).filter(|call| call.launch == of.launch)?;
    let (guesses, help) = guesses(word)?;
    let (name, _) = guesses.into_iter().find(|(_, guess)| {
        holds(data, |datum| {
            let (node, at, its) = maker(of, datum.node, datum.at)?;
            if its == word { guess(of, node, at) } else { None }
        })
    })?;
    Some(Reading {
        call,
        text: "not the operation that is expected",
        others: Vec::new(),
        says: format!("{} does not give what is expected, and {name} would, of every element", describe_math(word)),
        help,
    })
}

const OF_BROADCASTS: &str =
    "a broadcast of rows takes row 0 of its operand, one of columns column 0; else call the other operation";
const SPREADS: [u8; 4] = [broadcast::NONE, broadcast::COL, broadcast::ROW, broadcast::SCALAR];

fn guesses(word: OpWord) -> Option<(Vec<(String, Guess)>, &'static str)> {
    if word.has(flag::REUSE_SRCA) || word.has(flag::REUSE_SRCB) {
        return None;
    }
    match word.kind() {
        math_kind::DATACOPY => {
            let kinds = SPREADS.into_iter().filter(|kind| *kind != word.b());
            let guess = |kind: u8| -> (String, Guess) {
                let of = move |of: &Followed, node: u32, at: usize| Some(operand(of, node, 1)?.exact[spread(kind, at)]);
                (describe_math(with(word, word.a(), kind)), Box::new(of))
            };
            Some((kinds.map(guess).collect(), OF_BROADCASTS))
        }
        math_kind::ELTWISE => Some((elementwise(word), OF_BROADCASTS)),
        math_kind::MATMUL => Some((
            products(),
            "mm_init and mm_block_init take whether in1 is to be transposed; in0 is the left operand",
        )),
        math_kind::REDUCE if word.b() != reduce_dim::SCALAR => Some((
            reductions(word),
            "REDUCE_ROW takes each row together and leaves a column, REDUCE_COL each column and leaves a row",
        )),
        _ => None,
    }
}

fn sum(old: f64, new: f64) -> f64 {
    old + new
}

fn elementwise(word: OpWord) -> Vec<(String, Guess)> {
    let kinds = [eltwise::ADD, eltwise::SUB, eltwise::MUL];
    let mut forms: Vec<(u8, u8)> = kinds.iter().flat_map(|a| SPREADS.map(|b| (*a, b))).collect();
    // What differs in one thing goes before what differs in two.
    forms.retain(|form| *form != (word.a(), word.b()));
    forms.sort_by_key(|(a, b)| usize::from(*a != word.a()) + usize::from(*b != word.b()));
    let guess = |(a, b): (u8, u8)| -> (String, Guess) {
        let of = move |of: &Followed, node: u32, at: usize| {
            let term = |node: &Node| {
                let (x, y) = (input(of, node, 0)?.exact[at], input(of, node, 1)?.exact[spread(b, at)]);
                Some(match a {
                    eltwise::MUL => x * y,
                    eltwise::SUB => x - y,
                    _ => x + y,
                })
            };
            over_terms(of, node, at, sum, term)
        };
        (describe_math(with(word, a, b)), Box::new(of))
    };
    forms.into_iter().map(guess).collect()
}

fn products() -> Vec<(String, Guess)> {
    let form = |name: &str, left: Factor, right: Factor| -> (String, Guess) {
        let of = move |of: &Followed, node: u32, at: usize| {
            let (row, column) = place(at);
            let term = |node: &Node| {
                let (in0, in1) = (input(of, node, 1)?, input(of, node, 0)?);
                Some((0..32).map(|k| left(in0, in1, row, k) * right(in0, in1, k, column)).sum())
            };
            over_terms(of, node, at, sum, term)
        };
        (name.into(), Box::new(of))
    };
    vec![
        form("one with each tile of in1 transposed", |x, _, r, k| of_tile(x, r, k), |_, y, k, c| of_tile(y, c, k)),
        form("one with each tile of in0 transposed", |x, _, r, k| of_tile(x, k, r), |_, y, k, c| of_tile(y, k, c)),
        form("one with in0 and in1 exchanged", |_, y, r, k| of_tile(y, r, k), |x, _, k, c| of_tile(x, k, c)),
    ]
}

fn reductions(word: OpWord) -> Vec<(String, Guess)> {
    let dims = [reduce_dim::ROW, reduce_dim::COL];
    let forms = dims.into_iter().flat_map(|dim| [(false, dim), (true, dim)]);
    let guess = |(is_max, dim): (bool, u8)| -> (String, Guess) {
        let of = move |of: &Followed, node: u32, at: usize| reduced(of, node, at, word, is_max, dim);
        (describe_math(with(word, if is_max { pool::MAX } else { pool::SUM }, dim)), Box::new(of))
    };
    forms.filter(|form| *form != (word.a() == pool::MAX, word.b())).map(guess).collect()
}

type Factor = fn(&Planes, &Planes, usize, usize) -> f64;

fn of_tile(tile: &Planes, row: usize, column: usize) -> f64 {
    tile.exact[face_index(row, column)]
}

fn operand(of: &Followed, node: u32, number: usize) -> Option<&Planes> {
    input(of, of.nodes.get(node)?, number)
}

/// One value a term, of an operation and those of the same form that it was added to.
fn over_terms(
    of: &Followed,
    node: u32,
    at: usize,
    join: impl Fn(f64, f64) -> f64,
    term: impl Fn(&Node) -> Option<f64>,
) -> Option<f64> {
    let its = of.nodes.get(node)?;
    let Op::Math(word) = its.op else { return None };
    let mut value = term(its)?;
    let mut before = its
        .before
        .filter(|_| word.kind() != math_kind::ELTWISE || word.a() == eltwise::MUL || word.has(flag::ACCUMULATE));
    for _ in 0..TERMS {
        let Some(number) = before else { return Some(value) };
        let node = of.nodes.get(number)?;
        if !matches!(node.op, Op::Math(other) if other == word) {
            return Some(join(value, of.nodes.tile(before)?.exact[at]));
        }
        value = join(value, term(node)?);
        before = node.before;
    }
    None
}

/// What a reduce along another dimension would have left for the same place of a row or a column.
fn reduced(of: &Followed, node: u32, at: usize, word: OpWord, is_max: bool, dim: u8) -> Option<f64> {
    let (row, column) = place(at);
    let line = row.max(column);
    let from = if dim == reduce_dim::ROW { face_index(line, 0) } else { face_index(0, line) };
    let all = taken_in(dim, from)?;
    let (data, scaler) = if word.scaler_is_src_a() { (1, 0) } else { (0, 1) };
    let join = |old: f64, new: f64| if is_max { old.max(new) } else { old + new };
    over_terms(of, node, at, join, |node| {
        let data = input(of, node, data)?;
        let values = all.iter().map(|at| data.exact[*at]);
        if is_max {
            return Some(values.fold(f64::NEG_INFINITY, f64::max));
        }
        Some(values.sum::<f64>() * input(of, node, scaler)?.exact[0])
    })
}
