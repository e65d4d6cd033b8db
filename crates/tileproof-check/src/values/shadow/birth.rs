//! Where an element of an output that is no number began: what nothing wrote, and the operation that took it in.
//!
//! Memory that nobody wrote holds NaN in every float format, and what comes of a NaN is none either: from the element back it is
//! followed through operands that are no numbers. Must never speak of what arithmetic itself made of numbers. Start at
//! [`judge`].

use std::collections::BTreeSet;

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::wording::cb_name;

use super::blame::label;
use super::follow::Followed;
use super::nodes::Op;
use super::origin::Origin;
use super::recipe::{self, Part};

/// Operations one behind the other.
const DEEPEST: usize = 2_000;
/// 2^120.
const LARGE: f64 = 1.329_227_995_784_916e36;
/// The fact that names the tensor whose memory was undefined. It is for the caller, who knows where that is declared.
pub const BORN_IN: &str = "born_in";
const HELP: &str =
    "write all that is read, or leave out what is not data: mask it, or give the call fewer rows or columns";

/// Whether a value is one that data have: the matrix unit takes a NaN for a large number, and makes others of it.
fn is_number(value: f64) -> bool {
    value.is_finite() && value.abs() < LARGE
}

/// Whether nothing wrote what lies there.
fn is_nobodys(of: &Followed, origin: Origin) -> bool {
    match origin {
        Origin::Unknown => true,
        Origin::Tensor { number, byte } => {
            let home = &of.homes.all[usize::from(number)];
            !home.is_filled || matches!(home.element(byte), Some(Err(_)))
        }
        _ => false,
    }
}

/// What was taken in.
struct Birth {
    /// The operation that read it from L1.
    read: u32,
    origin: Origin,
    /// The first operation that had it beside numbers, if one had.
    mixed: Option<u32>,
}

struct Search<'a> {
    of: &'a Followed,
    /// Data that led nowhere.
    seen: BTreeSet<(u32, usize)>,
}

impl Search<'_> {
    fn value(&self, part: &Part) -> Option<f64> {
        match part {
            Part::Of(node, at) => recipe::value(self.of, *node, *at),
            Part::Leaf(_) => None,
        }
    }

    /// From a datum that is no number back to where that began. Ways are long, and threads of a host have small stacks: so it does
    /// not call itself.
    fn back(&mut self, number: u32, at: usize) -> Option<Birth> {
        let mut way: Vec<Turn> = Vec::new();
        let mut next = Some((number, at));
        loop {
            let place = match next.take() {
                Some(place) => place,
                None => match way.last_mut()?.others.next() {
                    Some(place) => place,
                    None => {
                        way.pop();
                        continue;
                    }
                },
            };
            let node = self.of.nodes.get(place.0);
            let Some(node) = node.filter(|_| way.len() < DEEPEST && self.seen.insert(place)) else { continue };
            let parts = recipe::parts(node, place.1);
            if let (Op::Unpack { .. }, Some(Part::Leaf(origin))) = (node.op, parts.first()) {
                if is_nobodys(self.of, *origin) {
                    let mixed = way.iter().rev().find(|turn| turn.has_numbers).map(|turn| turn.number);
                    return Some(Birth { read: place.0, origin: *origin, mixed });
                }
                continue;
            }
            way.push(self.turn(place.0, parts));
        }
    }

    /// An operation, and its operands that are no numbers.
    fn turn(&self, number: u32, parts: Vec<Part>) -> Turn {
        let has_numbers = parts.iter().any(|part| self.value(part).is_some_and(is_number));
        let others = parts.into_iter().filter_map(|part| match part {
            Part::Of(node, at) => Some((node, at)),
            Part::Leaf(_) => None,
        });
        let others: Vec<(u32, usize)> = others
            .filter(|(node, at)| recipe::value(self.of, *node, *at).is_some_and(|value| !is_number(value)))
            .collect();
        Turn { number, has_numbers, others: others.into_iter() }
    }
}

/// An operation on the way back.
struct Turn {
    number: u32,
    /// It has taken in numbers as well.
    has_numbers: bool,
    /// Those of its operands that were not looked at.
    others: std::vec::IntoIter<(u32, usize)>,
}

/// What it is, in words.
fn named(of: &Followed, origin: Origin, cb: Option<u32>) -> String {
    let by_way = cb.map_or_else(String::new, |cb| format!(", by way of {}", cb_name(cb)));
    let Origin::Tensor { number, byte } = origin else {
        let whose = cb.map_or_else(|| "L1".into(), cb_name);
        return format!("a datum of {whose} that nothing has written: it is undefined");
    };
    let home = &of.homes.all[usize::from(number)];
    match home.element(byte) {
        Some(Err((row, column))) => format!("undefined padding, [{row}, {column}] of {}{by_way}", home.tensor.name),
        Some(Ok(element)) => {
            format!("{}{by_way}: undefined, for nothing has filled or written it", home.spelled(element))
        }
        None => format!("a part of {}{by_way}: undefined, for nothing has filled or written it", home.tensor.name),
    }
}

/// Who took in what makes an element of an output no number.
pub(super) fn judge(of: &Followed, (tensor, element): (usize, usize)) -> Option<Raised> {
    let home = of.homes.all.get(tensor)?;
    let (piece, at) = home.lies(element)?;
    let Origin::Datum { node, at } = of.memory.get(&of.homes, piece, at) else { return moved(of, tensor, element) };
    let at = usize::from(at);
    let birth = Search { of, seen: BTreeSet::new() }.back(node, at)?;
    let of_this_launch = |number: u32| of.nodes.get(number).filter(|node| node.call.launch == of.launch);
    let read = of_this_launch(birth.read);
    let its = birth.mixed.and_then(of_this_launch).or(read)?;
    let cb = match of.nodes.get(birth.read)?.op {
        Op::Unpack { cb, .. } => Some(cb),
        _ => None,
    };
    let what = named(of, birth.origin, cb);
    let name = its.op.name();
    let message = format!("{}: {} takes in {what}", home.spelled(element), name.trim_end_matches(','));
    let mut found = Raised::of(its.call.core, label(its.call), Code::NOT_FINITE, message);
    found = found.text(if birth.mixed.is_some() { "no number from here on" } else { "brings what nothing wrote" });
    if let Some(read) = read.filter(|read| read.call.site != its.call.site) {
        found = found.label_on(read.call.core, label(read.call), "the undefined datum is read here");
    }
    match (birth.origin, read, cb) {
        (Origin::Tensor { number, .. }, ..) => {
            found = found.fact(BORN_IN, &of.homes.all[usize::from(number)].tensor.name);
        }
        (_, Some(read), Some(cb)) => {
            if let Some(push) = of.pushed(read.call.core, cb) {
                found = found.label_on(read.call.core, push, "the page is pushed here, and not all of it was written");
            }
        }
        _ => {}
    }
    let made = recipe::spelled(of, Part::Of(node, at));
    found = found.remark(format!("the recipe: {} = {made}", home.spelled(element)));
    Some(found.help(HELP))
}

/// No unit made it: a thread moved what nothing wrote.
fn moved(of: &Followed, tensor: usize, element: usize) -> Option<Raised> {
    let home = of.homes.all.get(tensor)?;
    let (piece, at) = home.lies(element)?;
    let call = of.memory.write_to(piece, at).filter(|call| call.launch == of.launch)?;
    let origin = match of.memory.get(&of.homes, piece, at) {
        // What was brought has no origin: so the element itself seems to be one.
        Origin::Tensor { number, .. } if usize::from(number) == tensor => Origin::Unknown,
        other => other,
    };
    if !is_nobodys(of, origin) {
        return None;
    }
    let message = format!("this write brings to {} {}", home.spelled(element), named(of, origin, None));
    let mut found = Raised::of(call.core, label(call), Code::NOT_FINITE, message).text("brings what nothing wrote");
    if let Origin::Tensor { number, .. } = origin {
        found = found.fact(BORN_IN, &of.homes.all[usize::from(number)].tensor.name);
    }
    Some(found.help(HELP))
}
