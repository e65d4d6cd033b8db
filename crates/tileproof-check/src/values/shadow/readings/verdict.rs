//! Why an output is wrong, from what was followed: digits that were lost on the way, or another function than was expected.
//!
//! Where exact arithmetic on the same way gives what is expected, the arithmetic is the reason, and who rounded most is named.
//! Where it does not, the kernel computes something else. Must never be asked of an output that is as expected. Start at
//! [`judge`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_model::op_word::{broadcast, eltwise, math_kind, pack_kind, reduce_dim};
use tileproof_model::wording::{cb_name, figure};
use tileproof_numerics::sfpu::SfpuOp;

use super::super::blame::{Loss, label};
use super::super::follow::Followed;
use super::super::nodes::{Call, Node, Op, moves_rows, transposes};
use super::super::origin::Origin;
use super::super::pages::Way;
use super::super::planes::Culprit;
use super::super::recipe::{self, Part};
pub use super::case::BORNE_OUT;
use super::case::{Case, MOST, Question, Wrong, datum};
use super::guess::{Datum, Reading};
use super::operation::{self, TRIED};
use super::shapes::Pattern;

/// Exact arithmetic explains an output where it is this much closer to what is expected.
const EXPLAINS: f64 = 0.25;
/// Elements that say whether an output is as it ends.
const LOOKED_AT: usize = 256;
/// So few elements follow any pattern.
const FEW: usize = 4;
/// Data that are worked out again for all readings together, for each operation of the run: less than it took to follow them.
const REPLAYED: usize = 4096;
/// Operations that a run counts for at least.
const LEAST: usize = 512;
/// Shares below this are not worth a label.
const WORTH_A_LABEL: f64 = 0.1;
/// The fact that marks what names no call to blame: it is a matter of the output. It is for the caller, not for the report.
pub const OF_THE_OUTPUT: &str = "of_the_output";

/// What to look at where threads moved data otherwise than it is meant.
const OF_THREADS: &str =
    "compare the addresses and steps of the reads and writes that move it with the layout of the data";

/// The fact that names a buffer with an input as it was given, whose digits its register does not hold.
pub const IN_A_REGISTER: &str = "cut_in_a_register";

/// The fact that says of a constant which stands for 1/N what N is.
pub const ONE_OVER: &str = "one_over";
/// The fact that says what it holds.
pub const STANDS_FOR_IT: &str = "constant";
/// The fact that says what the output would be off by at most, to first order, if it held 1/N.
pub const WITHOUT_IT: &str = "largest_without";
/// The fact that numbers a call of an earlier launch that rounds: it may be the reason, which the last launch says. It is for the
/// caller, not for the report.
pub const SUSPECT: &str = "suspect";
/// The fact that names which of those it is. It is for the caller, not for the report.
pub const LOST_IN: &str = "lost_in";

/// Whether an output holds what it ends with, as far as its elements could be followed.
pub(in crate::values) fn is_settled(of: &Followed, question: &Question) -> bool {
    let ends_with = |element: &usize| {
        let value = question.found[*element];
        datum(of, question.tensor, *element, value).is_some_and(|wrong| {
            let is = recipe::value(of, wrong.node, wrong.at).unwrap_or(f64::NAN);
            is == value || is.is_nan() && value.is_nan()
        })
    };
    question.wrong.iter().step_by(question.wrong.len().div_ceil(LOOKED_AT).max(1)).all(ends_with)
}

/// All calls of a launch that round: one of them may be the reason of what is wrong in a later one.
pub(in crate::values) fn suspects(of: &Followed) -> Vec<Raised> {
    let of_this_launch = of.blamed.all().filter(|(_, blame)| blame.call.launch == of.launch);
    let raised = of_this_launch.map(|(who, blame)| {
        let found = Raised::of(blame.call.core, label(blame.call), Code::DIGITS_LOST, blame.loss.does());
        found.fact(SUSPECT, who)
    });
    raised.collect()
}

/// How an element came about.
pub(in crate::values) fn follow(of: &Followed, tensor: usize, element: usize) -> Option<Raised> {
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

/// How several elements of a tensor came about: the first that is known with its calls, each other as a remark.
pub(in crate::values) fn recipes(of: &Followed, tensor: usize, elements: &[usize]) -> Option<Raised> {
    let mut followed = elements.iter().filter_map(|element| follow(of, tensor, *element));
    let first = followed.next()?;
    Some(followed.fold(first, |first, other| first.remark(other.message)))
}

/// What is to be said of an output.
pub(in crate::values) fn judge(of: &Followed, question: &Question) -> Option<Raised> {
    let elements = question.wrong.iter().take(if of.is_part { usize::MAX } else { MOST });
    let followed = elements.filter_map(|element| datum(of, question.tensor, *element, question.found[*element]));
    let wrong: Vec<Wrong> = followed.take(MOST).collect();
    let case = Case { of, question, wrong };
    of.replays.set(of.nodes.all().len().max(LEAST) * REPLAYED / of.asked.max(1));
    let found = case
        .saturated()
        .or_else(|| case.lost_digits())
        .or_else(|| case.what_came_beside())
        .or_else(|| case.other_function())
        .or_else(|| case.moved_only())?;
    let found = match of.replays.get() {
        0 => found.remark("not all that it may be was tried: there are too many operations on the way"),
        _ => found,
    };
    let count = question.wrong.len();
    Some(if count > MOST && !of.is_part {
        found.remark(format!("looked at: {MOST} of the {count} elements"))
    } else {
        found
    })
}

impl Case<'_> {
    /// Exact arithmetic gives what is expected.
    fn lost_digits(&self) -> Option<Raised> {
        let (all, exact) = self.errors();
        let explains = exact <= EXPLAINS * all && all > 0.0;
        if !self.is_followed() || !explains {
            return None;
        }
        let shares = self.shares();
        let (who, share) = *shares.iter().find(|(who, _)| self.of.blamed.get(*who).is_some())?;
        let blame = self.of.blamed.get(who)?;
        let first = self.wrong.first()?;
        let largest = figure(self.largest());
        let name = self.name();
        let message = format!(
            "{name} is off by up to {largest}, and {:.0} % of that comes of one call: {}",
            100.0 * share,
            blame.loss.does()
        );
        let is_here = blame.call.launch == self.of.launch;
        let call = if is_here { blame.call } else { self.on_the_way(first, |_| true)?.0 };
        let does = if is_here { "digits are lost here" } else { "what an earlier launch has lost goes on here" };
        let mut found = self.raised(call, Code::DIGITS_LOST, message).text(does);
        if !is_here {
            found = found.fact(LOST_IN, who);
        }
        for (other, share) in shares.iter().filter(|(other, share)| *other != who && *share >= WORTH_A_LABEL) {
            if let Some(blame) = self.of.blamed.get(*other).filter(|blame| blame.call.launch == self.of.launch) {
                let text = format!("{:.0} %: {}", 100.0 * share, blame.loss.does());
                found = found.label_on(blame.call.core, label(blame.call), text);
            }
        }
        found = found.fact("share", format!("{share:.2}")).fact("largest", largest);
        if let Loss::Fraction { fraction, .. } = blame.loss {
            found = found.fact(ONE_OVER, fraction.of).fact(STANDS_FOR_IT, fraction.held());
            found = found.fact(WITHOUT_IT, figure(self.largest_without(who)));
        }
        if let Loss::Register { cb, .. } = blame.loss
            && self.holds_an_input(cb)
        {
            found = found.fact(IN_A_REGISTER, cb_name(cb));
        }
        found = found.remark("in exact arithmetic the same operations give what is expected");
        Some(self.with_recipe(self.with_cores(found, who), first).help(blame.loss.remedy()))
    }

    /// What the output would be off by at most without the share of one, to first order: of elements that have one. Of others the
    /// history may be lost.
    fn largest_without(&self, who: Culprit) -> f64 {
        let Question { expected, found, .. } = self.question;
        let without = |wrong: &Wrong| {
            let share = self.share(wrong, who);
            (share != 0.0).then(|| (found[wrong.element] - expected[wrong.element] - share).abs())
        };
        self.wrong.iter().filter_map(without).fold(0.0, f64::max)
    }

    /// Whether what UNPACK reads from a buffer was made by no operation.
    fn holds_an_input(&self, cb: u32) -> bool {
        let is_its = |node: &&Node| matches!(node.op, Op::Unpack { cb: its, .. } if its == cb);
        let mut reads = self.of.nodes.all().iter().filter(is_its).filter_map(|node| node.origins.as_ref());
        reads.any(|origins| origins.iter().any(|origin| matches!(origin, Origin::Tensor { .. })))
    }

    /// It does not: the kernel computes something else.
    fn other_function(&self) -> Option<Raised> {
        let of_values = self.other_rounding().or_else(|| self.in_another_place());
        if let Some(found) = of_values.or_else(|| self.taken_elsewhere()) {
            return Some(found);
        }
        let first = self.wrong.first()?;
        let home = &self.of.homes.all[self.question.tensor];
        let pattern = Pattern::of(&self.question.found, &self.question.expected, home.matrices().1);
        let pattern = pattern.filter(|pattern| !self.says_little(first, pattern));
        let name = self.name();
        if matches!(pattern, None | Some(Pattern::Constant(_) | Pattern::OneRow | Pattern::OneColumn))
            && let Some(found) = self.other_reading(first, operation::of)
        {
            return Some(found);
        }
        let beside = || self.zeros_beside(first).or_else(|| self.takes_padding(first));
        if let Some(found) = self.left_out().or_else(beside).or_else(|| self.zero_factor(first)) {
            return Some(found);
        }
        match &pattern {
            Some(Pattern::Factor(factor)) => {
                let is_scaler = self.scaler(first, *factor).is_some();
                let of_way = || self.other_reading(first, operation::on_the_way);
                let found = if is_scaler { None } else { of_way() };
                return found.or_else(|| self.factor(first, *factor, &pattern));
            }
            Some(pattern) => {
                if matches!(pattern, Pattern::Offset(_) | Pattern::Constant(_) | Pattern::OneRow | Pattern::OneColumn)
                    && let Some(found) = self.other_reading(first, operation::on_the_way)
                {
                    return Some(found);
                }
                let leap = self.leaps(first, pattern);
                let help = match leap {
                    Some(_) => {
                        "read and write the pages of tiles row by row, as they lie in the tensor, or say the same order on both ends"
                    }
                    None if matches!(pattern, Pattern::Offset(_)) => {
                        "look for a number that is added once too often, or not at all"
                    }
                    None => {
                        "a block of tilize_block or untilize_block is as wide as one row of tiles; else compare the recipe with what is meant"
                    }
                };
                let carried = if leap.is_none() { self.carrier(first) } else { None };
                let help = if carried.is_some() { OF_THREADS } else { help };
                let (call, does) = leap.or(carried).or_else(|| self.mover(first))?;
                let message = format!("{name}: {}", pattern.says(|at| self.spelled(at)));
                let found = self.raised(call, Code::OTHER_FUNCTION, format!("{message}; {does}"));
                let found = self.with_recipe(found.text("on the way of the first element that differs"), first);
                return Some(found.help(help));
            }
            None => {}
        }
        if let Some(found) = self
            .without_operand(first, false)
            .or_else(|| self.other_reading(first, operation::on_the_way))
            .or_else(|| self.other_reading(first, operation::missing))
            .or_else(|| self.without_operand(first, true))
            .or_else(|| self.not_taken_in(first))
        {
            return Some(found);
        }
        let call = self.on_the_way(first, |_| true)?.0;
        let message = format!(
            "{name}: the arithmetic is as exact as its formats allow, and the kernel computes another function than the expectation"
        );
        let found =
            self.raised(call, Code::OTHER_FUNCTION, message).text("the last call on the way to the first such element");
        let found = found.fact(OF_THE_OUTPUT, true);
        let found = self.with_labels(self.with_recipe(found, first), first);
        Some(found.help("compare the recipe with the formula; `tileproof run --save` keeps the outputs"))
    }

    /// Of few elements a factor says nothing, unless the scaler of a mean is off by it.
    fn says_little(&self, first: &Wrong, pattern: &Pattern) -> bool {
        let Pattern::Factor(factor) = pattern else { return false };
        let is_count = |(.., right): (Call, &str, f64, f64)| fraction(right).contains('/');
        self.question.found.len() < FEW && !self.scaler(first, *factor).is_some_and(is_count)
    }

    /// No unit made it: threads moved what was there.
    fn moved_only(&self) -> Option<Raised> {
        let Question { tensor, expected, found: values, wrong, .. } = self.question;
        let first = *wrong.first()?;
        let home = &self.of.homes.all[*tensor];
        let (piece, at) = home.lies(first)?;
        let origin = self.of.memory.get(&self.of.homes, piece, at);
        let call = self.of.memory.write_to(piece, at).filter(|call| call.launch == self.of.launch)?;
        if !matches!(origin, Origin::Tensor { .. }) || !self.wrong.is_empty() {
            return None;
        }
        let pattern = Pattern::of(values, expected, home.matrices().1);
        let says = pattern.map_or_else(
            || "it was moved, not computed, and is not what is expected".into(),
            |pattern| pattern.says(|at| self.spelled(at)),
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, format!("{}: {says}", self.name()));
        let (element, made) = (self.spelled(first), recipe::spelled(self.of, Part::Leaf(origin)));
        let (value, wanted) = (figure(values[first]), figure(expected[first]));
        let found = found.text(format!("brings {made} to {element}"));
        let found = found.remark(format!("{element} is {value}, expected {wanted}; its recipe: {element} = {made}"));
        Some(found.help(OF_THREADS))
    }

    /// All elements off by a factor: a scaler may be the reason.
    fn factor(&self, first: &Wrong, factor: f64, pattern: &Option<Pattern>) -> Option<Raised> {
        let says = pattern.as_ref().map_or_else(String::new, |pattern| pattern.says(|at| self.spelled(at)));
        let name = self.name();
        let Some((call, what, scaler, right)) = self.scaler(first, factor) else {
            let computes = |op: Op| matches!(op, Op::Math(_) | Op::Vector { .. });
            let (call, ..) = self.on_the_way(first, computes).or_else(|| self.on_the_way(first, |_| true))?;
            let found = self.raised(call, Code::OTHER_FUNCTION, format!("{name}: {says}")).fact("factor", factor);
            let found = self.with_labels(self.with_recipe(found.text("on the way to it"), first), first);
            return Some(found.help("look for a constant that is off by that factor: a width, a count, a scaler"));
        };
        let message = format!(
            "{name}: {says}; {what} is {}, and {} would give what is expected",
            fraction(scaler),
            fraction(right)
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text("off by that factor from here on");
        let found = found.fact(BORNE_OUT, true);
        let found =
            found.fact("factor", factor).fact("scaler", scaler).fact("right_scaler", figure(f64::from(right as f32)));
        Some(self.with_recipe(found, first).help(
            "scale a mean by one over the number of elements that are data, not by the padded width or another count",
        ))
    }

    /// The constant on the way to an element that may be off by a factor: the scaler of a reduce, else another one.
    fn scaler(&self, first: &Wrong, factor: f64) -> Option<(Call, &'static str, f64, f64)> {
        let constant = |op: Op, node: u32| {
            let its = self.of.nodes.get(node)?;
            match op {
                Op::Math(word) if word.kind() == math_kind::REDUCE => {
                    let number = usize::from(!word.scaler_is_src_a());
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
                Op::Vector { op: SfpuOp::MulUnary | SfpuOp::DivUnary, parameters, .. } => {
                    let scaler = f64::from(f32::from_bits(parameters[0]));
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

    /// Who leaves the order of pages, where whole tiles stand in another.
    fn leaps(&self, first: &Wrong, pattern: &Pattern) -> Option<(Call, String)> {
        let moves_tiles = match pattern {
            Pattern::TilesPermuted(..) => true,
            Pattern::RowsShifted(by) | Pattern::ColumnsShifted(by) => by % 32 == 0,
            _ => false,
        };
        let written = self.of.pages.leap(self.question.tensor as u16, Way::Written);
        let read = || {
            let way = recipe::way(self.of, first.node, first.at).into_iter();
            let mut leaves = way.filter_map(|(node, at)| {
                let part = recipe::parts(self.of.nodes.get(node)?, at).into_iter().next()?;
                if let Part::Leaf(Origin::Tensor { number, .. }) = part { Some(number) } else { None }
            });
            self.of.pages.leap(leaves.next()?, Way::Read)
        };
        let (leap, does) = match written.filter(|_| moves_tiles) {
            Some(leap) => (leap, "written"),
            None => (read().filter(|_| moves_tiles)?, "read"),
        };
        Some((leap.call, format!("page {} is {does} behind page {}, out of their order", leap.page, leap.before)))
    }

    /// Who moved the data of an element last: what tilizes, untilizes or copies.
    fn mover(&self, first: &Wrong) -> Option<(Call, String)> {
        let rows = |op: Op| match op {
            Op::Unpack { word, .. } => moves_rows(word) || transposes(word),
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

    /// What else the last operation could have been, as one of the readings has it.
    fn other_reading(
        &self,
        first: &Wrong,
        reading: fn(&Followed, &[Datum], &[Datum]) -> Option<Reading>,
    ) -> Option<Raised> {
        let Question { tensor, expected, wrong, found: values, tolerance: (rtol, atol) } = self.question;
        let some = |elements: &[usize]| -> Option<Vec<Datum>> {
            let datum = |element: &usize| {
                let Wrong { node, at, exact, .. } = datum(self.of, *tensor, *element, values[*element])?;
                let wanted = expected[*element];
                Some(Datum { node, at, exact, wanted, allowed: rtol * wanted.abs() + atol })
            };
            elements.iter().step_by(elements.len().div_ceil(TRIED).max(1)).map(datum).collect()
        };
        let mut is_wrong = vec![false; expected.len()];
        wrong.iter().for_each(|element| is_wrong[*element] = true);
        let right: Vec<usize> = (0..expected.len()).filter(|element| !is_wrong[*element]).take(MOST).collect();
        let (wrong, right) = (some(&wrong[..MOST.min(wrong.len())])?, some(&right)?);
        let Reading { call, says, text, others, help } = reading(self.of, &wrong, &right)?;
        let mut found = self.raised(call, Code::OTHER_FUNCTION, format!("{}: {says}", self.name())).text(text);
        found = found.fact(BORNE_OUT, true);
        for (other, text) in others {
            found = found.label_on(other.core, label(other), text);
        }
        Some(self.with_labels(self.with_recipe(found, first), first).help(help))
    }
}

/// A number, and the fraction that it may stand for.
fn fraction(value: f64) -> String {
    let count = (1.0 / value).round();
    let is_one_over = (2.0..1e6).contains(&count) && (count * value - 1.0).abs() < 0.02;
    let figure = figure(f64::from(value as f32));
    if is_one_over { format!("{figure} (1/{count})") } else { figure }
}
