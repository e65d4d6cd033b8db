//! How many significant bits of an output are lost on its way, where nobody says what it should be.
//!
//! What came out is held beside exact arithmetic on the same way. Every kernel that rounds loses some bits: it must never speak
//! of so few that a right kernel loses them, nor of programs that compare or make integers: one rounding turns those the other way. Start at [`judge`].

use std::f64::consts::LN_2;

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;
use tileproof_numerics::format::DataFormat;

use super::super::blame::{bits, label};
use super::super::follow::Followed;
use super::super::recipe;
use super::super::series::ln;
use super::case::{Case, Question, Wrong, datum};

/// Elements that are looked at.
const MOST: usize = 1 << 16;
/// Bits that the formats of the units have in common: what is beyond them the matrix unit does not keep.
const COMMON: f64 = 8.0;
/// The part of the bits that must be lost to be spoken of.
const PART: f64 = 0.25;
/// A result this much smaller than what it was made of may be meant as nothing.
const NOTHING: f64 = 1.0 / 1024.0;
/// Shares below this are not worth a label.
const WORTH_A_LABEL: f64 = 0.1;

/// The datums of a tensor, spread evenly, as a question about all of them.
fn spread(of: &Followed, tensor: usize) -> Option<(Question, Vec<Wrong>)> {
    let home = of.homes.all.get(tensor)?;
    let elements: usize = home.tensor.shape.iter().map(|side| *side as usize).product();
    let step = if of.is_part { 1 } else { elements.div_ceil(MOST).max(1) };
    let all = (0..elements)
        .step_by(step)
        .filter_map(|element| datum(of, tensor, element, f64::NAN))
        .filter(|wrong| wrong.stored.is_none());
    let wrong: Vec<Wrong> = all.take(MOST).collect();
    let is_followed = if of.is_part { !wrong.is_empty() } else { 2 * wrong.len() > elements.div_ceil(step) };
    let (mut found, mut expected) = (vec![0.0; elements], vec![0.0; elements]);
    for Wrong { element, node, at, exact, .. } in &wrong {
        found[*element] = of.nodes.tile(Some(*node))?.actual[*at];
        expected[*element] = *exact;
    }
    let elements = wrong.iter().map(|wrong| wrong.element).collect();
    is_followed.then_some((Question { tensor, expected, found, wrong: elements, tolerance: (0.0, 0.0) }, wrong))
}

/// What is to be said of an output.
pub(in crate::values) fn judge(of: &Followed, tensor: usize) -> Option<Raised> {
    let format = of.homes.all.get(tensor)?.tensor.format;
    let held = f64::from(bits(format).filter(|_| format != DataFormat::Tf32)?);
    let (question, wrong) = spread(of, tensor)?;
    let case = Case { of, question: &question, wrong };
    let (error, size) = case.wrong.iter().fold((0.0, 0.0), |(error, size), wrong| {
        let difference = question.found[wrong.element] - wrong.exact;
        (error + difference * difference, size + wrong.exact * wrong.exact)
    });
    let significant = held.min(COMMON);
    let right = -0.5 * ln(error / size) / LN_2;
    let lost = (significant - right).min(significant);
    // No sum that is NaN passes.
    let is_much = error > 0.0 && lost > PART * significant && size.is_finite();
    let is_meant = !is_much || of.jumps || case.is_nothing();
    if is_meant { None } else { case.says(lost, significant) }
}

impl Case<'_> {
    /// Whether exact arithmetic leaves next to nothing of what the output was made of.
    fn is_nothing(&self) -> bool {
        let largest = self.wrong.iter().max_by(|a, b| a.exact.abs().total_cmp(&b.exact.abs()));
        largest.is_none_or(|wrong| {
            let way = recipe::way(self.of, wrong.node, wrong.at);
            let values = way.into_iter().filter_map(|(node, at)| recipe::value(self.of, node, at));
            let of_way = values.map(f64::abs).filter(|value| value.is_finite()).fold(0.0, f64::max);
            wrong.exact.abs() < NOTHING * of_way
        })
    }

    fn says(&self, lost: f64, significant: f64) -> Option<Raised> {
        let shares = self.shares();
        let of_this_launch = |(who, share): &(super::super::planes::Culprit, f64)| {
            let blame = self.of.blamed.get(*who).filter(|blame| blame.call.launch == self.of.launch);
            blame.map(|blame| (*blame, *share))
        };
        let blamed: Vec<_> = shares.iter().filter_map(of_this_launch).collect();
        let ((first, share), others) = blamed.split_first()?;
        let message = format!(
            "{} loses {lost:.0} of its {significant} significant bits, and {:.0} % of that comes of one call: {}",
            self.name(),
            100.0 * share,
            first.loss.does()
        );
        let mut found = self.raised(first.call, Code::BITS_LOST, message).text("digits are lost here");
        for (blame, share) in others.iter().filter(|(_, share)| *share >= WORTH_A_LABEL) {
            found = found.label_on(
                blame.call.core,
                label(blame.call),
                format!("{:.0} %: {}", 100.0 * share, blame.loss.does()),
            );
        }
        let who = shares.first().map_or(0, |(who, _)| *who);
        found = self.with_cores(found, who);
        let worst = self.wrong.iter().max_by(|a, b| {
            let off = |wrong: &Wrong| (self.question.found[wrong.element] - wrong.exact).abs();
            off(a).total_cmp(&off(b))
        })?;
        found = found.fact("lost", format!("{lost:.1}")).fact("bits", significant).fact("share", format!("{share:.2}"));
        found = found.remark("nothing is expected of it: it was compared with exact arithmetic on the same way");
        Some(self.with_recipe(found, worst).help(first.loss.remedy()))
    }
}
