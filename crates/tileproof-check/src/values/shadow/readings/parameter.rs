//! A number that a call was given, or that a page holds throughout, in whose place another gives what is expected.
//!
//! The number is worked out from single elements, through all that comes after the call, and has to be right for all. It must never
//! name one that some element speaks against. Start at [`of`].

use tileproof_model::wording::{cb_name, figure};
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::TILE_DATUMS;

use super::super::follow::Followed;
use super::super::nodes::{Node, Op};
use super::guess::{Datum, Reading};
use super::order::explains;
use super::replay::{Change, Replay};
use super::sites::{Site, Sites};

/// Elements that the number is worked out from: the median counts.
const ASKED: usize = 9;
/// Steps that it is looked for in.
const STEPS: usize = 12;
/// Calls that are tried.
const MOST: usize = 16;
/// Elements that no number is right for before a call is given up.
const GIVEN_UP: usize = 6;

/// A number of so few digits is one that a formula has.
const ROUND: usize = 2;

/// A number that explains all elements.
pub(super) struct Found {
    pub(super) reading: Reading,
    /// It has few digits.
    pub(super) is_round: bool,
}

/// A call with another number.
struct Number<'a> {
    site: &'a Site,
    number: f64,
    held: f64,
}

impl Change for Number<'_> {
    fn is_about(&self, node: &Node) -> bool {
        self.site.is_of(node)
    }

    fn gives(&self, replay: &mut Replay<'_>, number: u32, at: usize) -> Option<f64> {
        match replay.of.nodes.get(number)?.op {
            Op::Vector { op, mut parameters, rows } => {
                parameters[0] = (self.number as f32).to_bits();
                replay.applied_as(Op::Vector { op, parameters, rows }, number, at, None)
            }
            _ => {
                let own = replay.exact(number, at)?;
                Some(if own == self.held { self.number } else { own })
            }
        }
    }
}

/// The number that a call was given.
fn held(of: &Followed, site: &Site) -> Option<f64> {
    use SfpuOp::*;
    match site.op {
        Op::Vector { op, parameters, .. } => {
            let is_number = matches!(op, AddUnary | SubUnary | RsubUnary | MulUnary | DivUnary | Fill | FillBitcast)
                || matches!(op, LeakyRelu | Prelu | Elu | UnaryMax | UnaryMin | ReluMin | ReluMax | Clamp | Hardtanh)
                || matches!(op, Addcmul | Addcdiv);
            is_number.then(|| f64::from(f32::from_bits(parameters[0])))
        }
        Op::Unpack { .. } => {
            let tile = of.nodes.tile(Some(site.number))?;
            let held = tile.exact[site.at];
            let is_constant = (0..TILE_DATUMS).all(|at| tile.exact[at] == held || tile.exact[at] == 0.0);
            (is_constant && held != 0.0).then_some(held)
        }
        _ => None,
    }
}

/// The number in place of which another explains all elements.
pub(super) fn of(of: &Followed, data: &[&Datum]) -> Option<Found> {
    let first = data.first()?;
    let sites = Sites::of(of, first.node, first.at);
    let mut all: Vec<Site> = sites.computing.into_iter().chain(sites.unpacking).collect();
    all.retain(|site| held(of, site).is_some());
    all.truncate(MOST);
    // What is allowed is no measure of a number: many are within it.
    let strict: Vec<Datum> = data.iter().map(|datum| Datum { allowed: 0.0, ..**datum }).collect();
    let strict: Vec<&Datum> = strict.iter().collect();
    let found = |data: &[&Datum], digits: usize| {
        all.iter().find_map(|site| {
            let held = held(of, site)?;
            let number = median(of, site, held, data)?;
            let is_it = |number: &f64| explains(of, &Number { site, number: *number, held }, data);
            let mut candidates = shortest(number).into_iter().enumerate().skip(digits);
            let (digits, number) = candidates.find(|(_, number)| is_it(number))?;
            Some(Found { is_round: digits < ROUND, reading: says(site, held, number) })
        })
    };
    found(&strict, 0).or_else(|| found(data, ROUND))
}

/// A number in more and more digits: what one element asks for is not exact.
fn shortest(number: f64) -> Vec<f64> {
    let all = (0..4).map(|digits| format!("{number:.digits$e}").parse().unwrap_or(number));
    all.chain([number]).collect()
}

fn says(site: &Site, held: f64, number: f64) -> Reading {
    let what = match site.op {
        Op::Unpack { cb, .. } => format!("the constant that {} holds", cb_name(cb)),
        op => format!("the number that {} is given", op.name()),
    };
    let (held, right) = (figure(f64::from(held as f32)), figure(f64::from(number as f32)));
    Reading {
        call: site.call,
        says: format!("{what} is {held}, and {right} in its place would give what is expected of every element"),
        text: "takes another number than is meant",
        others: Vec::new(),
        help: "compare the number with the formula: its value, its sign, and the bits that a float is handed over in",
    }
}

/// The median of what single elements ask for.
fn median(of: &Followed, site: &Site, held: f64, data: &[&Datum]) -> Option<f64> {
    let step = data.len().div_ceil(4 * ASKED).max(1);
    let (mut all, mut failed) = (Vec::new(), 0);
    for datum in data.iter().step_by(step) {
        match asked(of, site, held, datum) {
            Some(number) => all.push(number),
            None => failed += 1,
        }
        if all.len() == ASKED || all.is_empty() && failed == GIVEN_UP {
            break;
        }
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// The number that makes an element what is expected: found by secants.
fn asked(of: &Followed, site: &Site, held: f64, datum: &Datum) -> Option<f64> {
    let off = |number: f64| {
        let change = Number { site, number, held };
        Some(Replay::new(of, &change).value(datum.node, datum.at)? - datum.wanted)
    };
    let enough = 1e-6 * datum.wanted.abs().max(1e-6);
    let (mut last, mut number) = (held, if held == 0.0 { 1e-3 } else { 1.01 * held });
    let (mut error, mut next) = (off(last)?, off(number)?);
    if error == next || error.abs() <= enough {
        return None;
    }
    for _ in 0..STEPS {
        if next.abs() <= enough {
            return Some(number);
        }
        let mut step = -next * (number - last) / (next - error);
        (last, error) = (number, next);
        // A step out of what the function takes, or past the number, is too long.
        let is_nearer = |next: &f64| next.abs() < error.abs();
        let shorter = (0..STEPS).find_map(|_| {
            let next = Some(last + step).filter(|number| number.is_finite()).and_then(off).filter(is_nearer);
            let found = next.map(|next| (last + step, next));
            step /= 2.0;
            found
        });
        (number, next) = shorter?;
    }
    None
}
