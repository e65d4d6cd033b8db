//! Two operations one behind the other, of which the second is meant first; one that is not meant at all; an operand for another.
//!
//! Each is worked out for every element asked of, through all that comes after it. Start at [`of`].

use tileproof_model::op_word::{describe_math, eltwise, flag, math_kind};
use tileproof_numerics::sfpu::SfpuOp;

use super::super::elementary::function;
use super::super::follow::Followed;
use super::super::nodes::{Node, Op};
use super::guess::{Datum, OF_ONE, OF_TWO, Reading, holds, with};
use super::replay::{Change, Replay};
use super::sites::{Site, Sites, maker};

/// Calls that are tried.
const MOST: usize = 48;

/// The reading that explains all elements, if one does.
pub(super) fn of(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let mut sites = Sites::of(of, first.node, first.at).computing;
    sites.truncate(MOST);
    exchanged(of, &sites, data)
        .or_else(|| of_each(of, &sites, data))
        .or_else(|| sites.iter().find_map(|site| other(of, site, data)))
        .or_else(|| sites.iter().find_map(|site| too_many(of, site, data)))
}

/// Whether all elements are what is expected with a change.
pub(super) fn explains(of: &Followed, change: &dyn Change, data: &[&Datum]) -> bool {
    let mut replay = Replay::new(of, change);
    holds(data, |datum| replay.value(datum.node, datum.at))
}

/// An operation, and one that takes its result as an operand.
struct Exchanged<'a> {
    first: &'a Site,
    then: &'a Site,
    /// Which operand of each is the one that goes through.
    operands: [usize; 2],
}

/// The operand of an operation that another has made.
fn made_by(of: &Followed, (number, operand, at): (u32, usize, usize), by: &Site) -> Option<(u32, usize)> {
    let input = of.nodes.get(number)?.inputs[operand]?;
    maker(of, input, at).filter(|(node, _)| of.nodes.get(*node).is_some_and(|node| by.is_of(node)))
}

/// Where an operation takes an operand for a result of it.
fn taken_at(op: Op, operand: usize, at: usize) -> usize {
    use super::super::exact::{spread, taken_in};
    match op {
        Op::Math(word) if word.kind() == math_kind::ELTWISE && operand == 1 => spread(word.b(), at),
        Op::Math(word) if word.kind() == math_kind::REDUCE => {
            taken_in(word.b(), at).and_then(|all| all.first().copied()).unwrap_or(at)
        }
        _ => at,
    }
}

impl Change for Exchanged<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.first.is_of(node) || self.then.is_of(node)
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        let node = replay.of.nodes.get(number)?;
        // What was to come first is left out, and comes behind the other.
        if self.first.is_of(node) {
            return replay.operand(number, self.operands[0], taken_at(self.first.op, self.operands[0], at));
        }
        let operand = (number, self.operands[1], taken_at(self.then.op, self.operands[1], at));
        let Some((made, made_at)) = made_by(replay.of, operand, self.first) else {
            return replay.applied(number, at, None);
        };
        let value = replay.applied(number, at, None)?;
        replay.applied(made, made_at, Some((self.operands[0], &move |_| value)))
    }
}

/// The operands of an operation that a result may go through.
fn operands(op: Op) -> std::ops::Range<usize> {
    match op {
        Op::Vector { op, .. } => 0..op.inputs(),
        Op::Math(word) if word.kind() == math_kind::REDUCE => {
            let data = usize::from(word.scaler_is_src_a());
            data..data + 1
        }
        Op::Math(word) if word.kind() == math_kind::ELTWISE => 0..2,
        _ => 0..0,
    }
}

/// Whether what an operation gives depends on each datum by itself.
fn is_one_by_one(op: Op) -> bool {
    !matches!(op, Op::Math(word) if word.kind() != math_kind::ELTWISE)
}

fn exchanged(of: &Followed, sites: &[Site], data: &[&Datum]) -> Option<Reading> {
    for then in sites {
        for first in sites.iter().filter(|first| first.number < then.number && is_one_by_one(first.op)) {
            let through = operands(then.op).find(|operand| {
                let at = taken_at(then.op, *operand, then.at);
                made_by(of, (then.number, *operand, at), first).is_some()
            });
            let Some(second) = through else { continue };
            for operand in operands(first.op) {
                let change = Exchanged { first, then, operands: [operand, second] };
                if explains(of, &change, data) {
                    return Some(in_the_other_order(first, then));
                }
            }
        }
    }
    None
}

/// A function that is taken of a sum, and is meant of each of its terms.
struct OfEach<'a> {
    sum: &'a Site,
    then: &'a Site,
    function: (SfpuOp, [u32; 4]),
}

impl Change for OfEach<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.sum.is_of(node) || self.then.is_of(node)
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        let Op::Math(word) = self.sum.op else { return None };
        let node = replay.of.nodes.get(number)?;
        if self.then.is_of(node) {
            return replay.operand(number, 0, at);
        }
        let (op, parameters) = self.function;
        let of = |value: f64| function(op, [value, 0.0, 0.0], parameters).unwrap_or(f64::NAN);
        // Of a product the data are in0, which SrcB holds.
        let data = if word.kind() == math_kind::MATMUL { 1 } else { usize::from(word.scaler_is_src_a()) };
        replay.applied(number, at, Some((data, &of)))
    }
}

fn of_each(of: &Followed, sites: &[Site], data: &[&Datum]) -> Option<Reading> {
    let is_sum = |site: &&Site| matches!(site.op, Op::Math(word) if matches!(word.kind(), math_kind::REDUCE | math_kind::MATMUL));
    for sum in sites.iter().filter(is_sum) {
        for then in sites.iter().filter(|then| then.number > sum.number) {
            let Op::Vector { op, parameters, .. } = then.op else { continue };
            let is_its = op.inputs() == 1 && made_by(of, (then.number, 0, then.at), sum).is_some();
            if is_its && explains(of, &OfEach { sum, then, function: (op, parameters) }, data) {
                return Some(in_the_other_order(sum, then));
            }
        }
    }
    None
}

fn in_the_other_order(first: &Site, then: &Site) -> Reading {
    let (before, after) = (first.op.name(), then.op.name());
    Reading {
        call: first.call,
        says: format!(
            "{before} comes before {after}, and in the other order they give what is expected of every element"
        ),
        text: "comes too early",
        others: vec![(then.call, "is to come before it".into())],
        help: "exchange the two operations: the order of those that do not commute is a part of the formula",
    }
}

/// A call that does another thing.
struct Other<'a> {
    site: &'a Site,
    gives: &'a dyn Fn(&mut Replay<'_>, u32, usize) -> Option<f64>,
}

impl Change for Other<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.site.is_of(node)
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        (self.gives)(replay, number, at)
    }
}

/// A guess at what a call is to do: how it is called, and what it gives.
type Guess = (String, Box<dyn Fn(&mut Replay<'_>, u32, usize) -> Option<f64>>);

fn as_vector(other: SfpuOp, rows: u64) -> Guess {
    let op = Op::Vector { op: other, parameters: [0; 4], rows };
    (other.name().into(), Box::new(move |replay, number, at| replay.applied_as(op, number, at, None)))
}

/// What else a call may be meant to do of the same operands.
fn others(op: Op) -> Vec<Guess> {
    let mut all: Vec<Guess> = Vec::new();
    match op {
        Op::Vector { op, parameters, rows } => {
            let of: &[SfpuOp] = match op.inputs() {
                1 => &OF_ONE,
                2 => &OF_TWO,
                _ => &[],
            };
            all.extend(of.iter().filter(|other| **other != op).map(|other| as_vector(*other, rows)));
            let count = op.inputs();
            let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| (one, other)));
            all.extend(pairs.map(|(one, other)| -> Guess {
                let gives = move |replay: &mut Replay<'_>, number: u32, at: usize| {
                    let mut numbers = [0.0; 3];
                    for (operand, value) in numbers.iter_mut().enumerate().take(count) {
                        *value = replay.operand(number, operand, at)?;
                    }
                    numbers.swap(one, other);
                    function(op, numbers, parameters)
                };
                let which = if count == 2 {
                    "its operands".into()
                } else {
                    format!("its operands {} and {}", one + 1, other + 1)
                };
                (format!("{} with {which} exchanged", op.name()), Box::new(gives))
            }));
        }
        Op::Math(word) if word.kind() == math_kind::ELTWISE => {
            let kinds = [eltwise::ADD, eltwise::SUB, eltwise::MUL];
            let forms = kinds.iter().flat_map(|a| (0..4).map(|b| (*a, b)));
            let mut forms: Vec<(u8, u8)> = forms.filter(|form| *form != (word.a(), word.b())).collect();
            forms.sort_by_key(|(a, b)| u8::from(*a != word.a()) + u8::from(*b != word.b()));
            all.extend(forms.into_iter().map(|(a, b)| -> Guess {
                let its = with(word, a, b);
                let gives = move |replay: &mut Replay<'_>, number: u32, at: usize| {
                    replay.applied_as(Op::Math(its), number, at, None)
                };
                (describe_math(its), Box::new(gives))
            }));
            if word.a() == eltwise::SUB {
                let less = move |replay: &mut Replay<'_>, number: u32, at: usize| {
                    let keeps = word.has(flag::ACCUMULATE);
                    (!keeps).then(|| replay.applied(number, at, None)).flatten().map(|value| -value)
                };
                all.push(("it with its operands exchanged".into(), Box::new(less)));
            }
        }
        _ => {}
    }
    all
}

fn other(of: &Followed, site: &Site, data: &[&Datum]) -> Option<Reading> {
    let is_it = |guess: &Guess| explains(of, &Other { site, gives: &*guess.1 }, data);
    let (name, _) = others(site.op).into_iter().find(is_it)?;
    Some(Reading {
        call: site.call,
        says: format!("{} does not give what is expected, and {name} would, of every element", site.op.name()),
        text: "not the operation that is expected",
        others: Vec::new(),
        help: "compare the recipe with the formula: another operation is expected of the same operands",
    })
}

/// A call that is not meant: its operand goes on as it is.
fn too_many(of: &Followed, site: &Site, data: &[&Datum]) -> Option<Reading> {
    let is_without = |operand: &usize| {
        let gives = |replay: &mut Replay<'_>, number: u32, at: usize| {
            replay.operand(number, *operand, taken_at(site.op, *operand, at))
        };
        explains(of, &Other { site, gives: &gives }, data)
    };
    operands(site.op).filter(|_| is_one_by_one(site.op)).find(is_without)?;
    Some(Reading {
        call: site.call,
        says: format!("without {} all that comes after it gives what is expected of every element", site.op.name()),
        text: "one operation too many",
        others: Vec::new(),
        help: "compare the recipe with the formula: an operation is in it that is not meant",
    })
}

/// An operation that is not there, where one is missing.
pub(super) fn missing(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = data.first()?;
    let sites = Sites::of(of, first.node, first.at).computing;
    let behind = sites.iter().take(MOST).find_map(|site| missing_behind(of, site, data));
    behind.or_else(|| sites.iter().take(MOST).find_map(|site| missing_before(of, site, data)))
}

/// A function that is not there: it is meant to be taken of an operand that no operation gave.
fn missing_before(of: &Followed, site: &Site, data: &[&Datum]) -> Option<Reading> {
    let given = operands(site.op).filter(|operand| {
        let at = taken_at(site.op, *operand, site.at);
        let input = of.nodes.get(site.number).and_then(|node| node.inputs[*operand]);
        input.is_some_and(|input| maker(of, input, at).is_none())
    });
    let mut all = given.flat_map(|operand| OF_ONE.iter().map(move |op| (operand, op)));
    let (operand, missing) = all.find(|(operand, op)| {
        let of_it = |value: f64| function(**op, [value, 0.0, 0.0], [0; 4]).unwrap_or(f64::NAN);
        let gives =
            |replay: &mut Replay<'_>, number: u32, at: usize| replay.applied(number, at, Some((*operand, &of_it)));
        explains(of, &Other { site, gives: &gives }, data)
    })?;
    let which = match operands(site.op).len() {
        1 => "its operand".into(),
        _ => format!("its operand {}", operand + 1),
    };
    Some(Reading {
        call: site.call,
        says: format!(
            "{} with {} of {which}, and all that comes after it of that, is what is expected of every element",
            site.op.name(),
            missing.name()
        ),
        text: "an operation is missing before it",
        others: Vec::new(),
        help: "compare the recipe with the formula: an operation is missing in it",
    })
}

/// A function that is not there: of what a call gives it is meant to be taken.
fn missing_behind(of: &Followed, site: &Site, data: &[&Datum]) -> Option<Reading> {
    let missing = OF_ONE.iter().find(|op| {
        let gives = |replay: &mut Replay<'_>, number: u32, at: usize| {
            function(**op, [replay.applied(number, at, None)?, 0.0, 0.0], [0; 4])
        };
        explains(of, &Other { site, gives: &gives }, data)
    })?;
    Some(Reading {
        call: site.call,
        says: format!(
            "{} of what {} gives, and all that comes after it of that, is what is expected of every element",
            missing.name(),
            site.op.name()
        ),
        text: "an operation is missing behind it",
        others: Vec::new(),
        help: "compare the recipe with the formula: an operation is missing in it",
    })
}
