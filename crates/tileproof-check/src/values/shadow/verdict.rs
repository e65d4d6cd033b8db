//! Why an output is wrong, from what was followed: digits that were lost on the way, or another function than was expected.
//!
//! Where exact arithmetic on the same way gives what is expected, the arithmetic is the reason, and who rounded most is named.
//! Where it does not, the kernel computes something else. Must never be asked of an output that is as expected. Start at
//! [`judge`].

use std::collections::BTreeMap;

use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::Raised;
use tileproof_model::op_word::{broadcast, eltwise, math_kind, pack_kind, reduce_dim};
use tileproof_model::program::Layout;
use tileproof_model::wording::figure;
use tileproof_numerics::sfpu::SfpuOp;
use tileproof_numerics::tile::face_index;

use super::blame::label;
use super::elementary;
use super::exact::place;
use super::follow::Followed;
use super::nodes::{Call, Op, moves_rows};
use super::origin::Origin;
use super::planes::Culprit;
use super::recipe::{self, Part};
use super::shapes::Pattern;

/// Exact arithmetic explains an output where it is this much closer to what is expected.
const EXPLAINS: f64 = 0.25;
/// Shares below this are not worth a label.
const WORTH_A_LABEL: f64 = 0.1;
/// Elements that are looked at.
const MOST: usize = 1 << 18;

/// An output that is not as expected.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its number among the tensors.
    pub tensor: usize,
    /// What is expected, row-major.
    pub expected: Vec<f64>,
    /// What came out.
    pub found: Vec<f64>,
    /// The elements that are not as expected.
    pub wrong: Vec<usize>,
}

/// An element that is wrong, and the datum that it is.
struct Wrong {
    element: usize,
    node: u32,
    at: usize,
    exact: f64,
}

struct Case<'a> {
    of: &'a Followed,
    question: &'a Question,
    /// Those that could be followed.
    wrong: Vec<Wrong>,
}

/// How an element came about.
pub(super) fn follow(of: &Followed, tensor: usize, element: usize) -> Option<Raised> {
    let home = of.homes.all.get(tensor)?;
    let (piece, at) = home.lies(element)?;
    let Origin::Datum { node, at } = of.memory.get(&of.homes, piece, at) else { return None };
    let at = usize::from(at);
    let (its, tile) = (of.nodes.get(node)?, of.nodes.tile(Some(node))?);
    let way = recipe::way(of, node, at);
    let here =
        |(node, _): &(u32, usize)| of.nodes.get(*node).map(|node| node.call).filter(|call| call.launch == of.launch);
    let call = if its.call.launch == of.launch { its.call } else { way.iter().find_map(here)? };
    let message = format!("{} = {}", home.spelled(element), recipe::spelled(of, Part::Of(node, at)));
    let mut found = Raised::of(call.core, label(call), Code::FOLLOWED, message);
    found.is_note = true;
    found = found.text(format!("gives {}", figure(tile.actual[at])));
    found = found.fact("value", tile.actual[at]).fact("exact", tile.exact[at]);
    for (other, text) in recipe::labels(of, node, at, of.launch) {
        if label(other) != label(call) {
            found = found.label_on(other.core, label(other), text);
        }
    }
    Some(found)
}

/// What is to be said of an output.
pub(super) fn judge(of: &Followed, question: &Question) -> Option<Raised> {
    let home = of.homes.all.get(question.tensor)?;
    let datum = |element: usize| {
        let (piece, at) = home.lies(element)?;
        let Origin::Datum { node, at } = of.memory.get(&of.homes, piece, at) else { return None };
        let tile = of.nodes.tile(Some(node))?;
        Some(Wrong { element, node, at: at.into(), exact: tile.exact[usize::from(at)] })
    };
    let wrong: Vec<Wrong> = question.wrong.iter().take(MOST).filter_map(|element| datum(*element)).collect();
    let case = Case { of, question, wrong };
    case.lost_digits().or_else(|| case.other_function())
}

impl Case<'_> {
    fn spelled(&self, element: usize) -> String {
        self.of.homes.all[self.question.tensor].spelled(element)
    }

    fn name(&self) -> &str {
        &self.of.homes.all[self.question.tensor].tensor.name
    }

    /// Sums of |difference| from what is expected, of what came out and of what exact arithmetic gives.
    fn errors(&self) -> (f64, f64) {
        let Question { expected, found, .. } = self.question;
        self.wrong.iter().fold((0.0, 0.0), |(all, exact), wrong| {
            let wanted = expected[wrong.element];
            (all + (found[wrong.element] - wanted).abs(), exact + (wrong.exact - wanted).abs())
        })
    }

    /// The shares of those who rounded, of all elements that are wrong, largest first.
    fn shares(&self) -> Vec<(Culprit, f64)> {
        let mut sums: BTreeMap<Culprit, f64> = BTreeMap::new();
        for Wrong { node, at, .. } in &self.wrong {
            for (who, share) in self.of.nodes.tile(Some(*node)).map_or(&[][..], |tile| &tile.shares) {
                *sums.entry(*who).or_default() += f64::from(share[*at].abs());
            }
        }
        let total: f64 = sums.values().sum();
        let mut all: Vec<(Culprit, f64)> = sums.into_iter().map(|(who, sum)| (who, sum / total.max(1e-300))).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }

    /// The first call of this launch on the way to an element that a test names.
    fn on_the_way(&self, wrong: &Wrong, test: impl Fn(Op) -> bool) -> Option<(Call, Op, u32, usize)> {
        let way = recipe::way(self.of, wrong.node, wrong.at);
        way.into_iter().find_map(|(node, at)| {
            let its = self.of.nodes.get(node)?;
            (its.call.launch == self.of.launch && test(its.op)).then_some((its.call, its.op, node, at))
        })
    }

    fn raised(&self, call: Call, code: Code, message: String) -> Raised {
        let mut found = Raised::of(call.core, label(call), code, message).fact("output", self.name());
        found.certainty = Certainty::Suspect;
        found
    }

    /// Says of an element how it came about.
    fn with_recipe(&self, mut found: Raised, wrong: &Wrong) -> Raised {
        let made = recipe::spelled(self.of, Part::Of(wrong.node, wrong.at));
        let Question { expected, found: values, .. } = self.question;
        let (element, value, wanted) = (wrong.element, values[wrong.element], expected[wrong.element]);
        let home = &self.of.homes.all[self.question.tensor];
        let (rows, columns, _) = home.matrices();
        let (row, column) = (element / columns % rows, element % columns);
        let face = row % 32 / 16 * 2 + column % 32 / 16;
        let tile = if home.tensor.layout == Layout::Tile {
            format!(" (tile row {}, tile column {}, face {face})", row / 32, column / 32)
        } else {
            String::new()
        };
        found = found.remark(format!(
            "{}{tile} is {}, expected {}, in exact arithmetic {}",
            self.spelled(element),
            figure(value),
            figure(wanted),
            figure(f64::from(wrong.exact as f32))
        ));
        found.remark(format!("its recipe: {} = {made}", self.spelled(element)))
    }

    fn with_labels(&self, mut found: Raised, wrong: &Wrong) -> Raised {
        for (call, text) in recipe::labels(self.of, wrong.node, wrong.at, self.of.launch) {
            if label(call) != (found.thread, found.site) {
                found = found.label_on(call.core, label(call), text);
            }
        }
        found
    }

    /// Exact arithmetic gives what is expected.
    fn lost_digits(&self) -> Option<Raised> {
        let (all, exact) = self.errors();
        let explains = exact <= EXPLAINS * all && all > 0.0;
        if 2 * self.wrong.len() < self.question.wrong.len().min(MOST) || !explains {
            return None;
        }
        let shares = self.shares();
        let (who, share) = *shares.iter().find(|(who, _)| self.of.blamed.get(*who).is_some())?;
        let blame = self.of.blamed.get(who)?;
        let first = self.wrong.first()?;
        let largest = self.wrong.iter().map(|wrong| {
            let Question { expected, found, .. } = self.question;
            (found[wrong.element] - expected[wrong.element]).abs()
        });
        let largest = figure(largest.fold(0.0, f64::max));
        let name = self.name();
        let message = format!(
            "{name} is off by up to {largest}, and {:.0} % of that comes of one call: {}",
            100.0 * share,
            blame.loss.does()
        );
        let is_here = blame.call.launch == self.of.launch;
        let call = if is_here { blame.call } else { self.on_the_way(first, |_| true)?.0 };
        let mut found = self.raised(call, Code::DIGITS_LOST, message).text("digits are lost here");
        for (other, share) in shares.iter().filter(|(other, share)| *other != who && *share >= WORTH_A_LABEL) {
            if let Some(blame) = self.of.blamed.get(*other).filter(|blame| blame.call.launch == self.of.launch) {
                let text = format!("{:.0} %: {}", 100.0 * share, blame.loss.does());
                found = found.label_on(blame.call.core, label(blame.call), text);
            }
        }
        found = found.fact("share", format!("{share:.2}")).fact("largest", largest);
        found = found.remark("in exact arithmetic the same operations give what is expected");
        Some(self.with_recipe(found, first).help(blame.loss.remedy()))
    }

    /// It does not: the kernel computes something else.
    fn other_function(&self) -> Option<Raised> {
        if let Some(found) = self.other_rounding().or_else(|| self.in_another_place()) {
            return Some(found);
        }
        let first = self.wrong.first()?;
        let home = &self.of.homes.all[self.question.tensor];
        let pattern = Pattern::of(&self.question.found, &self.question.expected, home.matrices().1);
        let name = self.name();
        match &pattern {
            Some(Pattern::Factor(factor)) => return Some(self.factor(first, *factor, &pattern)),
            Some(pattern) => {
                let (call, does) = self.mover(first)?;
                let message = format!("{name}: {}", pattern.says(|at| self.spelled(at)));
                let found = self.raised(call, Code::OTHER_FUNCTION, format!("{message}; {does}"));
                let found = self.with_recipe(found.text("on the way of the first element that differs"), first);
                return Some(found.help(
                    "a block of tilize_block or untilize_block is as wide as one row of tiles; else compare the recipe with what is meant",
                ));
            }
            None => {}
        }
        let call = self.on_the_way(first, |_| true)?.0;
        let message = format!(
            "{name}: the arithmetic is as exact as its formats allow, and the kernel computes another function than the expectation"
        );
        let found =
            self.raised(call, Code::OTHER_FUNCTION, message).text("the last call on the way to the first such element");
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help("compare the recipe with the formula; `tileproof run --save` keeps the outputs"))
    }

    /// All elements off by a factor: a scaler may be the reason.
    fn factor(&self, first: &Wrong, factor: f64, pattern: &Option<Pattern>) -> Raised {
        let says = pattern.as_ref().map_or_else(String::new, |pattern| pattern.says(|at| self.spelled(at)));
        let name = self.name();
        let Some((call, what, scaler, right)) = self.scaler(first, factor) else {
            let call = self.on_the_way(first, |op| matches!(op, Op::Math(_) | Op::Vector { .. }));
            let call = call.map_or(self.of.nodes.get(first.node).expect("it was looked up").call, |(call, ..)| call);
            let found = self.raised(call, Code::OTHER_FUNCTION, format!("{name}: {says}")).fact("factor", factor);
            let found = self.with_labels(self.with_recipe(found.text("on the way to it"), first), first);
            return found.help("look for a constant that is off by that factor: a width, a count, a scaler");
        };
        let message = format!(
            "{name}: {says}; {what} is {}, and {} would give what is expected",
            fraction(scaler),
            fraction(right)
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text("off by that factor from here on");
        let found =
            found.fact("factor", factor).fact("scaler", scaler).fact("right_scaler", figure(f64::from(right as f32)));
        self.with_recipe(found, first).help(
            "scale a mean by one over the number of elements that are data, not by the padded width or another count",
        )
    }

    /// The constant on the way to an element that may be off by a factor: the scaler of a reduce, else another one.
    fn scaler(&self, first: &Wrong, factor: f64) -> Option<(Call, &'static str, f64, f64)> {
        let constant = |op: Op, node: u32| {
            let its = self.of.nodes.get(node)?;
            match op {
                Op::Math(word) if word.kind() == math_kind::REDUCE => {
                    let number = usize::from(!recipe::scaler_is_a(word));
                    let scaler = recipe::value(self.of, its.inputs[number]?, 0)?;
                    let twice = word.b() == reduce_dim::SCALAR;
                    let right = if twice { scaler / factor.abs().sqrt() } else { scaler / factor };
                    (scaler != 1.0).then_some(("the scaler of this reduce", scaler, right))
                }
                Op::Math(word)
                    if word.kind() == math_kind::ELTWISE
                        && word.a() == eltwise::MUL
                        && word.b() == broadcast::SCALAR =>
                {
                    let scaler = recipe::value(self.of, its.inputs[1]?, 0)?;
                    Some(("the scalar of this product", scaler, scaler / factor))
                }
                Op::Vector { op: SfpuOp::MulUnary | SfpuOp::DivUnary, parameter } => {
                    let scaler = f64::from(f32::from_bits(parameter));
                    Some(("the number of this product", scaler, scaler / factor))
                }
                _ => None,
            }
        };
        recipe::way(self.of, first.node, first.at).into_iter().find_map(|(node, _)| {
            let its = self.of.nodes.get(node).filter(|node| node.call.launch == self.of.launch)?;
            let (what, scaler, right) = constant(its.op, node)?;
            Some((its.call, what, scaler, right))
        })
    }

    /// Who moved the data of an element last: what tilizes, untilizes or copies.
    fn mover(&self, first: &Wrong) -> Option<(Call, String)> {
        let rows = |op: Op| match op {
            Op::Unpack { word, .. } => moves_rows(word),
            Op::Pack { word, .. } => word.kind() == pack_kind::UNTILIZE,
            _ => false,
        };
        if let Some((call, op, ..)) = self.on_the_way(first, rows) {
            return Some((call, format!("{} moves them", op.name().trim_end_matches(','))));
        }
        let computes = |op: Op| matches!(op, Op::Math(_) | Op::Vector { .. });
        let (call, op, ..) = self.on_the_way(first, computes).or_else(|| self.on_the_way(first, |_| true))?;
        Some((call, format!("{} is the last operation on the way", op.name())))
    }

    /// A conversion to integers that rounds otherwise than it is meant.
    fn other_rounding(&self) -> Option<Raised> {
        let Question { expected, found, .. } = self.question;
        let first = self.wrong.first()?;
        let by_one = |wrong: &Wrong| {
            let (value, wanted) = (found[wrong.element], expected[wrong.element]);
            let next = |value: f64| value == wrong.exact.floor() || value == wrong.exact.ceil();
            (value - wanted).abs() == 1.0 && next(value) && next(wanted)
        };
        if !self.wrong.iter().all(by_one) {
            return None;
        }
        let way = |values: &[f64], [nearest, down, up]: [&'static str; 3]| {
            let all =
                |test: &dyn Fn(f64) -> bool| self.wrong.iter().all(|wrong| test(values[wrong.element] - wrong.exact));
            if all(&|off| off.abs() <= 0.5) {
                nearest
            } else if all(&|off| off <= 0.0) {
                down
            } else {
                up
            }
        };
        let converts = |op: Op| match op {
            Op::Vector { op, .. } => elementary::integers(op).is_some(),
            Op::Pack { .. } => true,
            _ => false,
        };
        let is_vector = |op: Op| matches!(op, Op::Vector { .. }) && converts(op);
        let (call, op, ..) = self.on_the_way(first, is_vector).or_else(|| self.on_the_way(first, converts))?;
        let does = way(found, ["rounds to the nearest integer", "cuts the fraction off", "rounds up"]);
        let meant = way(expected, ["rounded to the nearest", "cut off", "rounded up"]);
        let message = format!(
            "{}: {} {does}, and {} elements are expected {meant}: all are off by 1",
            self.name(),
            op.name(),
            self.wrong.len()
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text("what stands behind the point is lost here");
        let help = match meant {
            "cut off" => "floor_tile or trunc_tile before the conversion cuts the fraction off",
            "rounded up" => "ceil_tile before the conversion rounds up",
            _ => "round_tile before the conversion rounds to the nearest",
        };
        Some(self.with_recipe(found, first).help(help))
    }

    /// The expected values stand in the tile of the output, but with rows and columns exchanged: of a row they are a column.
    fn in_another_place(&self) -> Option<Raised> {
        let home = &self.of.homes.all[self.question.tensor];
        let Question { expected, wrong, .. } = self.question;
        let first = self.wrong.first()?;
        let (rows, columns, _) = home.matrices();
        if home.tensor.layout != Layout::Tile || self.wrong.len() != wrong.len() {
            return None;
        }
        let largest = self.wrong.iter().fold(0.0f64, |most, wrong| most.max(expected[wrong.element].abs()));
        let stands = |wrong: &Wrong| {
            let (row, column) = place(wrong.at);
            let there = recipe::value(self.of, wrong.node, face_index(column, row));
            let wanted = expected[wrong.element];
            there.is_some_and(|there| (there - wanted).abs() <= 2e-2 * largest)
        };
        let differ = self.wrong.iter().any(|wrong| expected[wrong.element] != expected[first.element]);
        if rows == columns || !(differ || self.wrong.len() == 1) || !self.wrong.iter().all(stands) {
            return None;
        }
        let (is, wants) = if rows < columns { ("column 0", "row 0") } else { ("row 0", "column 0") };
        let (call, op, ..) = self.on_the_way(first, |op| matches!(op, Op::Math(_)))?;
        let message = format!(
            "{}: the expected values lie in {is} of its tile, and the output is {wants}: the tile has not been transposed",
            self.name()
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message);
        let found = found.text(format!("{} keeps rows rows and columns columns", op.name()));
        let found = found
            .remark("beside the results of a reduce the packer writes zeros: its edge mask keeps one column or row");
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(
            found.help(
                "transpose the tile on its way out, with transpose_wh_tile, or read the output where the values lie",
            ),
        )
    }
}

/// A number, and the fraction that it may stand for.
fn fraction(value: f64) -> String {
    let count = (1.0 / value).round();
    let is_one_over = (2.0..1e6).contains(&count) && (count * value - 1.0).abs() < 0.02;
    let figure = figure(f64::from(value as f32));
    if is_one_over { format!("{figure} (1/{count})") } else { figure }
}
