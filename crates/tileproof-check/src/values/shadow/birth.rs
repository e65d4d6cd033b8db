//! Where what nothing wrote came into the data of an output: the operation that took it in, and where it began.
//!
//! From an element back it is followed through operands that carry it: those that are no numbers, since memory that nobody wrote
//! holds NaN in every float format, or those that are others in a run with other undefined memory. Must never speak of what
//! arithmetic itself made of numbers. Start at [`judge`].

use std::collections::BTreeSet;

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::wording::cb_name;

use super::blame::label;
use super::follow::Followed;
use super::nodes::{Call, Op};
use super::origin::Origin;
use super::recipe::{self, Part};

/// Operations one behind the other.
const DEEPEST: usize = 2_000;
/// 2^120.
const LARGE: f64 = 1.329_227_995_784_916e36;
/// The fact that names the tensor whose memory was undefined. It is for the caller, who knows where that is declared.
pub const BORN_IN: &str = "born_in";
/// The fact that says that it is padding of that tensor.
pub const IS_PADDING: &str = "is_padding";
pub(super) const HELP: &str =
    "write all that is read, or leave out what is not data: mask it, or give the call fewer rows or columns";

/// Whether a value is one that data have: the matrix unit takes a NaN for a large number, and makes others of it.
fn is_number(value: f64) -> bool {
    value.is_finite() && value.abs() < LARGE
}

/// What was taken in.
struct Birth {
    /// The operation that read it from L1.
    read: u32,
    origin: Origin,
    /// The first operation that had it beside other data, if one had.
    mixed: Option<u32>,
}

/// What is asked of a datum.
type Carries<'a> = &'a dyn Fn(&Followed, u32, usize) -> bool;

struct Search<'a> {
    of: &'a Followed,
    /// Whether a datum is or came of what is undefined.
    carries: Carries<'a>,
    /// Data that led nowhere.
    seen: BTreeSet<(u32, usize)>,
}

impl Search<'_> {
    /// Whether nothing wrote it, or it may have come of that by way of a thread.
    fn is_source(&self, origin: Origin) -> bool {
        match origin {
            Origin::Stored { by } => self.of.course.load_before(by).is_some(),
            other => self.of.homes.is_undefined(other),
        }
    }

    /// From a datum back to where what is undefined of it began. Ways are long, and threads of a host have small stacks: so it
    /// does not call itself.
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
            let turn = self.turn(place.0, &parts);
            // A pack may have added to it.
            let is_taken = |part: &&Part| matches!(part, Part::Leaf(origin) if self.is_source(*origin));
            let taken = parts.iter().find(is_taken).filter(|_| turn.others.as_slice().is_empty());
            if let Some(Part::Leaf(origin)) = taken {
                let is_read = matches!(node.op, Op::Unpack { .. });
                let mixed = way.iter().rev().find(|turn| turn.has_others).map(|turn| turn.number);
                let mixed = if is_read { mixed } else { Some(place.0) };
                return Some(Birth { read: place.0, origin: *origin, mixed });
            }
            way.push(turn);
        }
    }

    /// An operation, and its operands that carry what is undefined.
    fn turn(&self, number: u32, parts: &[Part]) -> Turn {
        let known = parts.iter().filter_map(|part| match part {
            Part::Of(node, at) => recipe::value(self.of, *node, *at).map(|_| (*node, *at)),
            Part::Leaf(_) => None,
        });
        let (others, rest): (Vec<_>, Vec<_>) = known.partition(|(node, at)| (self.carries)(self.of, *node, *at));
        Turn { number, has_others: !rest.is_empty(), others: others.into_iter() }
    }
}

/// An operation on the way back.
struct Turn {
    number: u32,
    /// It has taken in other data as well.
    has_others: bool,
    /// Those of its operands that were not looked at.
    others: std::vec::IntoIter<(u32, usize)>,
}

/// What it is, in words.
pub(super) fn named(of: &Followed, origin: Origin, cb: Option<u32>) -> String {
    let by_way = cb.map_or_else(String::new, |cb| format!(", by way of {}", cb_name(cb)));
    let number_and_byte = match origin {
        Origin::Tensor { number, byte } => Some((number, byte)),
        _ => None,
    };
    let Some((number, byte)) = number_and_byte else {
        let whose = cb.map_or_else(|| "L1".into(), cb_name);
        return match origin {
            Origin::Stored { .. } => {
                format!("a datum of {whose} that a thread stored, and that came of undefined memory")
            }
            Origin::Datum { .. } => format!("a datum of {whose} that came of undefined memory"),
            _ => format!("a datum of {whose} that nothing has written: it is undefined"),
        };
    };
    let home = &of.homes.all[usize::from(number)];
    match home.element(byte) {
        Some(Err((row, column))) if home.holds(byte) => {
            format!("undefined padding, [{row}, {column}] of {}{by_way}", home.tensor.name)
        }
        Some(Ok(element)) => {
            format!("{}{by_way}: undefined, for nothing has filled or written it", home.spelled(element))
        }
        _ => format!("a part of {}{by_way}: undefined, for nothing has filled or written it", home.tensor.name),
    }
}

/// Adds where a datum began that nothing wrote: the tensor, as a fact, or calls of the launch in hand.
pub(super) fn with_origin(of: &Followed, mut found: Raised, origin: Origin, pushed: Option<(usize, u32)>) -> Raised {
    let here = |call: Call| call.launch == of.launch && label(call) != (found.thread, found.site);
    match origin {
        Origin::Tensor { number, byte } => {
            let home = &of.homes.all[usize::from(number)];
            if home.holds(byte) && matches!(home.element(byte), Some(Err(_))) {
                found = found.fact(IS_PADDING, "yes");
            }
            found.fact(BORN_IN, &home.tensor.name)
        }
        Origin::Stored { by } => {
            let store = of.course.store(by).map(|store| store.call).filter(|call| here(*call));
            let load = of.course.load_before(by).copied().filter(|load| here(load.call));
            if let Some(call) = store {
                found = found.label_on(call.core, label(call), "a thread stores it here");
            }
            let Some(load) = load else { return found };
            let text = format!("it has loaded {}", named(of, load.origin, load.cb));
            let found = found.label_on(load.call.core, label(load.call), text);
            let pushed = load.cb.map(|cb| (load.call.core, cb));
            // A datum that was loaded is no store: this ends.
            if matches!(load.origin, Origin::Stored { .. }) {
                found
            } else {
                with_origin(of, found, load.origin, pushed)
            }
        }
        _ => {
            let push = pushed.and_then(|(core, cb)| Some((core, of.pushed(core, cb)?)));
            match push {
                Some((core, push)) => {
                    found.label_on(core, push, "the page is pushed here, and not all of it was written")
                }
                None => found,
            }
        }
    }
}

/// Who took in what makes an element of an output no number.
pub(super) fn judge(of: &Followed, asked: (usize, usize)) -> Option<Raised> {
    let is_none = |of: &Followed, node, at| recipe::value(of, node, at).is_some_and(|value| !is_number(value));
    judged(of, asked, Code::NOT_FINITE, ("no number from here on", &is_none))
}

/// Who took in what makes an element of an output another, where undefined memory holds something else.
pub(super) fn judge_other(of: &Followed, asked: (usize, usize)) -> Option<Raised> {
    let differs = |of: &Followed, node, at| of.differs(node, at);
    judged(of, asked, Code::DEPENDS_ON_UNDEFINED, ("what comes of it is undefined, too", &differs))
}

fn judged(
    of: &Followed,
    (tensor, element): (usize, usize),
    code: Code,
    (text, carries): (&str, Carries<'_>),
) -> Option<Raised> {
    let home = of.homes.all.get(tensor)?;
    let (piece, at) = home.lies(element)?;
    let Origin::Datum { node, at } = of.memory.get(&of.homes, piece, at) else {
        return moved(of, tensor, element, code);
    };
    let at = usize::from(at);
    let birth = Search { of, carries, seen: BTreeSet::new() }.back(node, at)?;
    let of_this_launch = |number: u32| of.nodes.get(number).filter(|node| node.call.launch == of.launch);
    let read = of_this_launch(birth.read);
    let its = birth.mixed.and_then(of_this_launch).or(read)?;
    let cb = match of.nodes.get(birth.read)?.op {
        Op::Unpack { cb, .. } | Op::Pack { cb, .. } => Some(cb),
        _ => None,
    };
    let what = named(of, birth.origin, cb);
    let name = its.op.name();
    let message = format!("{}: {} takes in {what}", home.spelled(element), name.trim_end_matches(','));
    let mut found = Raised::of(its.call.core, label(its.call), code, message);
    found = found.text(if birth.mixed.is_some() { text } else { "brings what nothing wrote" });
    if let Some(read) = read.filter(|read| read.call.site != its.call.site) {
        found = found.label_on(read.call.core, label(read.call), "the undefined datum is read here");
    }
    found = with_origin(of, found, birth.origin, read.and_then(|read| Some((read.call.core, cb?))));
    let made = recipe::spelled(of, Part::Of(node, at));
    found = found.remark(format!("the recipe: {} = {made}", home.spelled(element)));
    Some(found.help(if matches!(its.op, Op::Math(word) if word.is_maximum()) { HELP_OF_MAXIMA } else { HELP }))
}

const HELP_OF_MAXIMA: &str =
    "write all that is read; what is not data must be no more than any datum before a maximum is taken of it";

/// No unit made it: a thread moved what nothing wrote.
fn moved(of: &Followed, tensor: usize, element: usize, code: Code) -> Option<Raised> {
    let home = of.homes.all.get(tensor)?;
    let (piece, at) = home.lies(element)?;
    let call = of.memory.write_to(piece, at).filter(|call| call.launch == of.launch)?;
    let origin = match of.memory.get(&of.homes, piece, at) {
        // What was brought has no origin: so the element itself seems to be one.
        Origin::Tensor { number, .. } if usize::from(number) == tensor => Origin::Unknown,
        other => other,
    };
    if let Origin::Stored { by } = origin {
        let load = of.course.load_before(by).filter(|load| load.call.launch == of.launch)?;
        let name = home.spelled(element);
        let message = format!("{name}: {} loads {}", load.call.thread, named(of, load.origin, load.cb));
        let mut found = Raised::of(load.call.core, label(load.call), code, message).text("brings what nothing wrote");
        if let Some(store) = of.course.store(by) {
            found = found.label_on(store.call.core, label(store.call), "what may come of it is stored here");
        }
        if call.site != load.call.site {
            found = found.label_on(call.core, label(call), format!("and goes to {name} here"));
        }
        let pushed = load.cb.map(|cb| (load.call.core, cb));
        return Some(with_origin(of, found, load.origin, pushed).help(HELP));
    }
    if !of.homes.is_undefined(origin) {
        return None;
    }
    let message = format!("this write brings to {} {}", home.spelled(element), named(of, origin, None));
    let found = Raised::of(call.core, label(call), code, message).text("brings what nothing wrote");
    Some(with_origin(of, found, origin, None).help(HELP))
}
