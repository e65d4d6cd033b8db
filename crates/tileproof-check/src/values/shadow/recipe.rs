//! How one datum came about: which operations made it of which elements.
//!
//! Must never look at more of a run than one datum needs. Start at [`spelled`].

use std::collections::BTreeMap;

use tileproof_model::op_word::{OpWord, broadcast, eltwise, flag, math_kind, pool, reduce_dim};
use tileproof_model::wording::figure;
use tileproof_numerics::tile::face_index;

use super::exact::{place, spread, taken_in};
use super::follow::Followed;
use super::nodes::{Call, Node, Op, moves_rows};
use super::origin::Origin;

/// Letters of a recipe.
const LONGEST: usize = 400;
/// Operations that are looked at for one datum.
const LOOKED_AT: usize = 100_000;

/// Operations one behind the other.
const DEEPEST: usize = 2_000;

/// A datum of what an operation gave, or where it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Of(u32, usize),
    Leaf(Origin),
}

fn part(origin: Origin) -> Part {
    match origin {
        Origin::Datum { node, at } => Part::Of(node, at.into()),
        other => Part::Leaf(other),
    }
}

/// The data that a datum was made of: operands, and what it was added to.
pub(super) fn parts(node: &Node, at: usize) -> Vec<Part> {
    let of = |input: Option<u32>, at: usize| input.map(|node| Part::Of(node, at));
    let [a, b, _] = node.inputs;
    let mut all: Vec<Option<Part>> = Vec::new();
    match node.op {
        Op::Unpack { .. } => all.push(node.origins.as_ref().map(|origins| part(origins[at]))),
        Op::Pack { edge, .. } => {
            let (row, column) = place(at);
            let kept = match edge.checked_sub(1).map(|dim| dim as u8) {
                None => true,
                Some(reduce_dim::ROW) => column == 0,
                Some(reduce_dim::COL) => row == 0,
                Some(_) => at == 0,
            };
            all.push(of(a, at).filter(|_| kept));
            all.push(node.origins.as_ref().map(|origins| part(origins[at])));
        }
        Op::Vector { .. } => all.extend(node.inputs.iter().map(|input| of(*input, at))),
        Op::Math(word) => {
            let (row, column) = place(at);
            match word.kind() {
                math_kind::DATACOPY => all.extend([of(a, at), of(b, spread(word.b(), at))]),
                math_kind::ELTWISE => all.extend([of(a, at), of(b, spread(word.b(), at))]),
                math_kind::MATMUL => {
                    let row_of = |k| of(b, face_index(row, k));
                    let column_of = |k| of(a, face_index(k, column));
                    all.extend((0..32).flat_map(|k| [row_of(k), column_of(k)]));
                }
                math_kind::REDUCE => {
                    let (data, scaler) = if word.scaler_is_src_a() { (b, a) } else { (a, b) };
                    if let Some(taken) = taken_in(word.b(), at) {
                        all.extend(taken.into_iter().map(|at| of(data, at)));
                        all.push(of(scaler, 0));
                    }
                }
                _ => {}
            }
            all.push(of(node.before, at));
        }
    }
    all.into_iter().flatten().collect()
}

/// The value of a datum.
pub(super) fn value(of: &Followed, node: u32, at: usize) -> Option<f64> {
    Some(of.nodes.tile(Some(node))?.actual[at])
}

fn leaf(of: &Followed, origin: Origin) -> String {
    match origin {
        Origin::Tensor { number, byte } => {
            let home = &of.homes.all[usize::from(number)];
            match home.element(byte) {
                _ if !home.holds(byte) => format!("what {} held before", home.tensor.name),
                Some(Ok(element)) => home.spelled(element),
                Some(Err(_)) => format!("padding of {}", home.tensor.name),
                None => format!("a part of {}", home.tensor.name),
            }
        }
        Origin::Stored { .. } => "what a thread stored".into(),
        _ => "memory".into(),
    }
}

/// A recipe, in the words of calls: `add(x[3, 7], mul(y[3, 7], s[0, 0]))`.
pub(super) fn spelled(of: &Followed, part: Part) -> String {
    let mut writing = Spelling { of, text: String::new() };
    writing.part(Some(part), 24);
    let mut text = writing.text;
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text.truncate(end);
        text.push_str(" ..");
    }
    text
}

/// A recipe as it is written, from left to right.
struct Spelling<'a> {
    of: &'a Followed,
    text: String,
}

impl Spelling<'_> {
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn part(&mut self, part: Option<Part>, depth: usize) {
        // Each part writes a letter at least: so it ends soon, also where both operands of every operation are the same datum.
        if self.text.len() > LONGEST {
            return;
        }
        let of = self.of;
        let (number, at) = match part {
            None => return self.write("0"),
            Some(Part::Leaf(origin)) => return self.write(&leaf(of, origin)),
            Some(Part::Of(number, at)) => (number, at),
        };
        let Some(node) = of.nodes.get(number).filter(|_| depth > 0) else { return self.write("..") };
        let depth = depth - 1;
        let added = node.inputs[0].map(|node| Part::Of(node, at));
        match node.op {
            Op::Unpack { .. } => self.part(node.origins.as_ref().map(|origins| self::part(origins[at])), depth),
            Op::Pack { accumulates: true, .. } => {
                let (count, old) = added_before(of, node, at);
                if count == 1 {
                    self.part(old, depth);
                    self.write(" + ");
                }
                self.part(added, depth);
                if count > 1 {
                    self.write(&format!(" + {count} terms that were added in L1 before"));
                }
            }
            Op::Pack { .. } => match parts(node, at).first() {
                None => self.write("0 by the packer's edge mask"),
                first => self.part(first.copied(), depth),
            },
            // What its vector mode leaves out is as it was.
            Op::Vector { rows, .. } if rows >> (at / 16) & 1 == 0 => self.part(added, depth),
            Op::Vector { op, .. } => {
                let name = op.name();
                let inputs = node.inputs.iter().take(op.inputs()).map(|input| input.map(|node| Part::Of(node, at)));
                self.call(name.strip_suffix("_tile").unwrap_or(name), inputs, depth);
            }
            Op::Math(word) => self.math(node, word, at, depth),
        }
    }

    fn call(&mut self, name: &str, inputs: impl Iterator<Item = Option<Part>>, depth: usize) {
        self.write(name);
        for (number, input) in inputs.enumerate() {
            self.write(if number == 0 { "(" } else { ", " });
            self.part(input, depth);
        }
        self.write(")");
    }

    fn math(&mut self, node: &Node, word: OpWord, at: usize, depth: usize) {
        let before = node.before.map(|node| Part::Of(node, at));
        let input = |number: usize, at: usize| node.inputs[number].map(|node| Part::Of(node, at));
        let (row, column) = place(at);
        match word.kind() {
            math_kind::DATACOPY if word.a() == 0 => self.part(input(0, at), depth),
            math_kind::DATACOPY => self.part(input(1, spread(word.b(), at)), depth),
            math_kind::ELTWISE => {
                let name = ["add", "sub", "mul"][usize::from(word.a().min(2))];
                let (from_a, from_b) = (word.has(flag::REUSE_SRCA), word.has(flag::REUSE_SRCB));
                let a = if from_a { before } else { input(0, at) };
                let b = if from_b { before } else { input(1, spread(word.b(), at)) };
                let adds = word.a() == eltwise::MUL || word.has(flag::ACCUMULATE);
                let terms = if adds && !from_a && !from_b { chain(self.of, node) } else { 0 };
                self.first_term(terms, before, depth);
                self.call(name, [a, b].into_iter(), depth);
                self.other_terms(terms);
            }
            math_kind::MATMUL => {
                let terms = chain(self.of, node);
                self.first_term(terms, before, depth);
                self.write("dot(");
                self.part(input(1, face_index(row, 0)), depth);
                self.write(" .., ");
                self.part(input(0, face_index(0, column)), depth);
                self.write(" ..)");
                self.other_terms(terms);
            }
            math_kind::REDUCE => self.reduce(node, word, at, depth),
            _ => self.write(".."),
        }
    }

    fn reduce(&mut self, node: &Node, word: OpWord, at: usize, depth: usize) {
        let Some(taken) = taken_in(word.b(), at) else { return self.write("0") };
        let input = |number: usize, at: usize| node.inputs[number].map(|node| Part::Of(node, at));
        let (data, scaler) = if word.scaler_is_src_a() { (1, 0) } else { (0, 1) };
        let (is_max, terms) = (word.a() == pool::MAX, chain(self.of, node));
        if !is_max {
            self.first_term(terms, node.before.map(|node| Part::Of(node, at)), depth);
        }
        self.write(if is_max { "max(" } else { "sum(" });
        self.part(input(data, taken[0]), depth);
        self.write(" .. ");
        self.part(input(data, *taken.last().unwrap_or(&0)), depth);
        if is_max {
            return self.write(&if terms == 0 { ")".into() } else { format!(", and {terms} tiles before)") });
        }
        self.write(") * ");
        self.part(input(scaler, 0), depth);
        self.other_terms(terms);
    }

    /// What lay in Dst before, if it is one operation; deep in a recipe it is not spelled.
    fn first_term(&mut self, terms: usize, before: Option<Part>, depth: usize) {
        if terms == 1 {
            if depth < 16 {
                self.write("..");
            } else {
                self.part(before, depth);
            }
            self.write(" + ");
        }
    }

    fn other_terms(&mut self, terms: usize) {
        if terms > 1 {
            self.write(&format!(" + {terms} terms before"));
        }
    }
}

/// How many packs have added to a datum before, and the last of them.
fn added_before(of: &Followed, node: &Node, at: usize) -> (usize, Option<Part>) {
    let old = |node: &Node, at: usize| match node.origins.as_ref().map(|origins| part(origins[at])) {
        Some(Part::Of(number, at)) => of.nodes.get(number).map(|node| (number, at, node)),
        _ => None,
    };
    let first = old(node, at);
    let (mut count, mut next) = (0, first);
    while let Some((_, at, node)) = next {
        count += 1;
        next = old(node, at).filter(|_| count < LOOKED_AT && matches!(node.op, Op::Pack { accumulates: true, .. }));
    }
    (count, first.map(|(number, at, _)| Part::Of(number, at)))
}

/// How many operations of the same kind came before on the same tile.
fn chain(of: &Followed, node: &Node) -> usize {
    let (mut count, mut at) = (0, node.before);
    while let Some(before) = at.and_then(|number| of.nodes.get(number)) {
        count += 1;
        at = before.before;
        if count >= LOOKED_AT {
            break;
        }
    }
    count
}

/// The operations that a datum came through, latest first, by way of the first operand of each.
pub(super) fn way(of: &Followed, node: u32, at: usize) -> Vec<(u32, usize)> {
    let mut all = vec![(node, at)];
    while let Some((node, at)) = all.last().copied().and_then(|(n, at)| Some((of.nodes.get(n)?, at))) {
        let next = parts(node, at).into_iter().find_map(|part| match part {
            Part::Of(node, at) => Some((node, at)),
            Part::Leaf(_) => None,
        });
        let Some(next) = next.filter(|_| all.len() < 64) else { break };
        all.push(next);
    }
    all
}

/// Where padding came among data.
pub(super) struct Mixed {
    pub(super) node: u32,
    /// The tensor, and the place in its padding.
    pub(super) tensor: usize,
    pub(super) place: (usize, usize),
}

#[derive(Clone, Copy)]
enum Taint {
    Clean,
    Padding(usize, (usize, usize)),
}

/// The first operation on the way to a datum that took padding of a tensor together with something else.
pub(super) fn mixed(of: &Followed, node: u32, at: usize, tensor: usize) -> Option<Mixed> {
    let mut known = BTreeMap::new();
    taint(of, Part::Of(node, at), tensor, (&mut known, DEEPEST)).err()
}

/// Whether an operation spreads what lies beside a tensor's one column, or its one row: all that it gives but one datum a row or a
/// column is padding then.
fn spreads_padding(of: &Followed, op: Op, tensor: usize) -> bool {
    let Op::Math(word) = op else { return false };
    let (rows, columns, _) = of.homes.all[tensor].matrices();
    word.kind() == math_kind::DATACOPY
        && (word.b() == broadcast::ROW && columns == 1 || word.b() == broadcast::COL && rows == 1)
}

fn taint(
    of: &Followed,
    part: Part,
    tensor: usize,
    (known, depth): (&mut BTreeMap<(u32, usize), bool>, usize),
) -> Result<Taint, Mixed> {
    let (number, at) = match part {
        Part::Leaf(Origin::Tensor { number, byte }) if usize::from(number) == tensor => {
            return Ok(match of.homes.all[tensor].element(byte) {
                Some(Err(place)) => Taint::Padding(tensor, place),
                _ => Taint::Clean,
            });
        }
        Part::Leaf(_) => return Ok(Taint::Clean),
        Part::Of(number, at) => (number, at),
    };
    let Some(node) = of.nodes.get(number) else { return Ok(Taint::Clean) };
    // What was found clean once is not looked at again.
    if depth == 0 || known.contains_key(&(number, at)) || known.len() > LOOKED_AT {
        return Ok(Taint::Clean);
    }
    let (mut clean, mut padding) = (false, None);
    for part in parts(node, at) {
        match taint(of, part, tensor, (known, depth - 1))? {
            Taint::Clean => clean = true,
            Taint::Padding(tensor, place) => padding = padding.or(Some((tensor, place))),
        }
    }
    match padding {
        Some((tensor, place)) if clean || spreads_padding(of, node.op, tensor) => {
            Err(Mixed { node: number, tensor, place })
        }
        Some((tensor, place)) => Ok(Taint::Padding(tensor, place)),
        None => {
            known.insert((number, at), true);
            Ok(Taint::Clean)
        }
    }
}

/// What each operation on the way gave, for labels: the last few, latest first.
pub(super) fn labels(of: &Followed, node: u32, at: usize, launch: usize) -> Vec<(Call, String)> {
    let mut all: Vec<(Call, String)> = Vec::new();
    for (node, at) in way(of, node, at) {
        let Some((its, value)) = of.nodes.get(node).zip(value(of, node, at)) else { continue };
        let is_move = matches!(its.op, Op::Unpack { word, .. } if !moves_rows(word));
        if its.call.launch == launch && !is_move && all.iter().all(|(call, _)| *call != its.call) {
            all.push((its.call, format!("{} gives {}", its.op.name(), figure(value))));
        }
        if all.len() == 6 {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use tileproof_model::abi::Site;
    use tileproof_model::thread::Thread;
    use tileproof_numerics::sfpu::SfpuOp;

    use super::*;

    #[test]
    fn a_recipe_ends_soon_where_both_operands_are_the_same_datum() {
        let mut of = Followed::default();
        let mut last = None;
        for _ in 0..60 {
            let call = Call { launch: 1, core: 0, thread: Thread::Math, site: Site(0) };
            let op = Op::Vector { op: SfpuOp::AddBinary, parameters: [0; 4], rows: u64::MAX };
            let node = Node { call, op, inputs: [last, last, None], before: None, tile: None, origins: None };
            last = Some(of.nodes.add(node));
        }
        let text = spelled(&of, Part::Of(last.unwrap(), 0));
        assert!(text.starts_with("add_binary(add_binary(") && text.contains("(.., ..), "), "{text}");
        assert_eq!((text.len(), &text[LONGEST..]), (LONGEST + 3, " .."));
        // A short one is whole.
        assert_eq!(spelled(&of, Part::Of(1, 0)), "add_binary(add_binary(0, 0), add_binary(0, 0))");
    }
}
