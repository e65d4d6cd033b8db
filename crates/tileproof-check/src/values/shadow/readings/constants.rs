//! One number that is missing on the way: what is expected is what the last operation gives, of an operand that a constant was added
//! to, or that was multiplied with one.
//!
//! The number is worked out from one element and has to be right for all. Start at [`of`].

use tileproof_model::op_word::{broadcast, eltwise, flag, math_kind};
use tileproof_model::wording::figure;
use tileproof_numerics::sfpu::SfpuOp;

use super::super::elementary::function;
use super::super::exact::spread;
use super::super::follow::Followed;
use super::super::nodes::{Node, Op};
use super::super::recipe;
use super::guess::{Datum, Reading, computes, holds, input};

/// Elements that a constant is worked out from: their median.
const ASKED: usize = 33;
const HELP: &str =
    "compare the recipe with the formula: an epsilon, a scale or another constant is missing, or is another";

/// What an operation was given for an element.
struct Operands {
    a: f64,
    b: f64,
}

/// The constant that explains all elements.
pub(super) fn of(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    of_operands(of, data).or_else(|| of_results(of, data))
}

/// A constant that is missing behind the last operation, which its format hides.
fn of_results(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = made(of, data.first()?)?.0;
    let all: Vec<Operands> = data.iter().map(|datum| Operands { a: datum.exact, b: 0.0 }).collect();
    let wanted = |number: usize| data[number].wanted;
    let added = median(&all, |own| own.a.abs(), |number, own| Some(wanted(number) - own.a));
    let constant = added.filter(|constant| all_hold(data, &all, |own| Some(own.a + constant)))?;
    (first.call.launch == of.launch).then(|| Reading {
        call: first.call,
        text: "not the operation that is expected",
        others: Vec::new(),
        says: format!(
            "what {} gives in exact arithmetic, plus {}, is what is expected of every element",
            first.op.name(),
            spelled(constant)
        ),
        help: HELP,
    })
}

/// A constant that is missing before it.
fn of_operands(of: &Followed, data: &[&Datum]) -> Option<Reading> {
    let first = made(of, data.first()?)?.0;
    let name = first.op.name();
    let (is_one, all) = (inverse(first.op, 0.5).is_some(), operands(of, first.op, data)?);
    let wanted = |number: usize| data[number].wanted;
    let one = |a: f64| -> Option<f64> {
        let Op::Vector { op, .. } = first.op else { return None };
        function(op, [a, 0.0, 0.0], [0; 4])
    };
    let says = if is_one {
        let back = |number: usize| inverse(first.op, wanted(number));
        let added = median(&all, |own| own.a.abs(), |number, own| Some(back(number)? - own.a));
        let times = median(&all, |own| -own.a.abs(), |number, own| Some(back(number)? / own.a));
        let is_right = |form: &dyn Fn(f64) -> f64| all_hold(data, &all, |own| one(form(own.a)));
        // Without a constant it would be right as well: something else is the reason.
        if is_right(&|a| a) {
            return None;
        }
        if let Some(constant) = added.filter(|constant| is_right(&|a| a + constant)) {
            format!("{name} of its operand plus {} gives what is expected", spelled(constant))
        } else {
            let constant = times.filter(|constant| is_right(&|a| a * constant))?;
            format!("{name} of {} times its operand gives what is expected", spelled(constant))
        }
    } else {
        let sign = sign(first.op)?;
        let of_b = median(&all, |own| -own.b.abs(), |number, own| Some((wanted(number) - own.a) * sign / own.b));
        let of_a = median(&all, |own| -own.a.abs(), |number, own| Some((wanted(number) - sign * own.b) / own.a));
        if let Some(constant) = of_b.filter(|k| all_hold(data, &all, |own| Some(own.a + sign * k * own.b))) {
            format!("{name} with {} times its second operand gives what is expected", spelled(constant))
        } else {
            let constant = of_a.filter(|k| all_hold(data, &all, |own| Some(k * own.a + sign * own.b)))?;
            format!("{name} with {} times its first operand gives what is expected", spelled(constant))
        }
    };
    (first.call.launch == of.launch).then(|| Reading {
        call: first.call,
        text: "not the operation that is expected",
        others: Vec::new(),
        says: format!("{says} of every element, and nothing on the way to it does that"),
        help: HELP,
    })
}

/// About as many digits as a median is good for.
fn spelled(constant: f64) -> String {
    let three: f64 = format!("{constant:.2e}").parse().unwrap_or(constant);
    figure(f64::from(three as f32))
}

/// What computes an element last, and which of its data it is.
fn made<'a>(of: &'a Followed, datum: &Datum) -> Option<(&'a Node, usize)> {
    let way = recipe::way(of, datum.node, datum.at).into_iter();
    let mut nodes = way.filter_map(|(node, at)| Some((of.nodes.get(node)?, at)));
    nodes.find(|(node, _)| computes(node.op) || matches!(node.op, Op::Pack { accumulates: true, .. }))
}

/// The operands of every element, where the same operation computes all of them.
fn operands(of: &Followed, op: Op, data: &[&Datum]) -> Option<Vec<Operands>> {
    let kind = match op {
        Op::Math(word)
            if word.kind() == math_kind::ELTWISE
                && !word.has(flag::REUSE_SRCA)
                && !word.has(flag::REUSE_SRCB)
                && !word.has(flag::ACCUMULATE) =>
        {
            word.b()
        }
        Op::Vector { .. } => broadcast::NONE,
        _ => return None,
    };
    let own = |datum: &&Datum| {
        let (node, at) = made(of, datum).filter(|(node, _)| node.op == op)?;
        let b = input(of, node, 1).map_or(0.0, |tile| tile.exact[spread(kind, at)]);
        Some(Operands { a: input(of, node, 0)?.exact[at], b })
    };
    data.iter().map(own).collect()
}

/// The median of a number that some elements ask for: those that come first by `order`, which tell it best.
fn median(
    all: &[Operands],
    order: impl Fn(&Operands) -> f64,
    asks: impl Fn(usize, &Operands) -> Option<f64>,
) -> Option<f64> {
    let mut numbers: Vec<usize> = (0..all.len()).collect();
    numbers.sort_by(|a, b| order(&all[*a]).total_cmp(&order(&all[*b])));
    let asked = numbers.into_iter().filter_map(|number| asks(number, &all[number])).filter(|value| value.is_finite());
    let mut values: Vec<f64> = asked.take(ASKED).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn all_hold(data: &[&Datum], all: &[Operands], guess: impl Fn(&Operands) -> Option<f64>) -> bool {
    let mut next = all.iter();
    holds(data, |_| guess(next.next()?))
}

/// What a function of one number must have been given.
fn inverse(op: Op, value: f64) -> Option<f64> {
    let Op::Vector { op, .. } = op else { return None };
    Some(match op {
        SfpuOp::Rsqrt | SfpuOp::RsqrtFastApprox | SfpuOp::RsqrtLegacy => 1.0 / (value * value),
        SfpuOp::Sqrt | SfpuOp::SqrtFastApprox => value * value,
        SfpuOp::Recip | SfpuOp::RecipLegacy => 1.0 / value,
        SfpuOp::Exp | SfpuOp::ExpFast => super::super::series::ln(value),
        SfpuOp::Sigmoid => -super::super::series::ln(1.0 / value - 1.0),
        SfpuOp::Tanh => 0.5 * super::super::series::ln((1.0 + value) / (1.0 - value)),
        _ => return None,
    })
}

/// The sign of the second operand of a sum or a difference.
fn sign(op: Op) -> Option<f64> {
    match op {
        Op::Math(word) if word.a() == eltwise::ADD => Some(1.0),
        Op::Math(word) if word.a() == eltwise::SUB => Some(-1.0),
        Op::Vector { op: SfpuOp::AddBinary, .. } => Some(1.0),
        Op::Vector { op: SfpuOp::SubBinary, .. } => Some(-1.0),
        _ => None,
    }
}
