//! An output that is wrong: its elements, the data that they are, and what is said of one of them in a report.
//!
//! Must never decide why. Start at [`Case`].

use std::collections::{BTreeMap, BTreeSet};

use tileproof_model::finding::{Certainty, Code};
use tileproof_model::observe::Raised;
use tileproof_model::program::Layout;
use tileproof_model::wording::figure;
use tileproof_numerics::error::close;
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::host::{bf16_to_f32, f32_to_bf16};

use super::super::blame::label;
use super::super::follow::Followed;
use super::super::nodes::{Call, Op};
use super::super::origin::Origin;
use super::super::planes::{Culprit, is_what_if};
use super::super::recipe::{self, Part};

/// The fact that marks a reading that every element bears out, by one change of one call or one place for another. It is for the caller, not for the report.
pub const BORNE_OUT: &str = "borne_out";

/// Elements that are looked at.
pub(super) const MOST: usize = 1 << 18;

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
    /// What they may be off by: in parts of what is expected, and beside that. Zeros where it is not said so.
    pub tolerance: (f64, f64),
}

impl Question {
    /// What is asked of values that are not within `atol + rtol |expected|` of those that are expected.
    pub fn of(tensor: usize, found: &[f32], expected: Vec<f64>, (rtol, atol): (f64, f64)) -> Option<Question> {
        let found: Vec<f64> = found.iter().map(|value| f64::from(*value)).collect();
        let all = 0..found.len().min(expected.len());
        let wrong: Vec<usize> = all.filter(|at| !close(found[*at], expected[*at], rtol, atol)).collect();
        (!wrong.is_empty()).then_some(Question { tensor, expected, found, wrong, tolerance: (rtol, atol) })
    }
}

/// An element that is wrong, and the datum that it is.
pub(super) struct Wrong {
    pub(super) element: usize,
    pub(super) node: u32,
    pub(super) at: usize,
    pub(super) exact: f64,
    /// The call of a thread that has stored it there, if one has.
    pub(super) stored: Option<Call>,
}

pub(super) struct Case<'a> {
    pub(super) of: &'a Followed,
    pub(super) question: &'a Question,
    /// Those that could be followed.
    pub(super) wrong: Vec<Wrong>,
}

/// The datum that an element is, which came out as `value`.
pub(super) fn datum(of: &Followed, tensor: usize, element: usize, value: f64) -> Option<Wrong> {
    let (piece, at) = of.homes.all.get(tensor)?.lies(element)?;
    let origin = of.memory.get(&of.homes, piece, at);
    let stored = of.storer(origin);
    let Origin::Datum { node, at } = of.copied(origin, value).unwrap_or(origin) else { return None };
    let tile = of.nodes.tile(Some(node))?;
    Some(Wrong { element, node, at: at.into(), exact: tile.exact[usize::from(at)], stored })
}

/// A number rounded to the nearest of a format of floats.
fn rounded(format: DataFormat, value: f64) -> f64 {
    let narrow = value as f32;
    match format {
        DataFormat::Float16_b => bf16_to_f32(f32_to_bf16(narrow)).into(),
        DataFormat::Float32 => narrow.into(),
        _ => value,
    }
}

impl Case<'_> {
    /// Whether so many elements could be followed that they speak for those that are wrong.
    pub(super) fn is_followed(&self) -> bool {
        let (followed, wrong) = (self.wrong.len(), self.question.wrong.len().min(MOST));
        if self.of.is_part { followed > 0 } else { 2 * followed >= wrong }
    }

    pub(super) fn spelled(&self, element: usize) -> String {
        self.of.homes.all[self.question.tensor].spelled(element)
    }

    pub(super) fn name(&self) -> &str {
        &self.of.homes.all[self.question.tensor].tensor.name
    }

    /// The largest difference from what is expected.
    pub(super) fn largest(&self) -> f64 {
        let Question { expected, found, .. } = self.question;
        self.wrong.iter().map(|wrong| (found[wrong.element] - expected[wrong.element]).abs()).fold(0.0, f64::max)
    }

    /// Sums of |difference| from what is expected, of what came out and of what exact arithmetic gives.
    pub(super) fn errors(&self) -> (f64, f64) {
        let Question { tensor, expected, found, .. } = self.question;
        let format = self.of.homes.all[*tensor].tensor.format;
        self.wrong.iter().fold((0.0, 0.0), |(all, exact), wrong| {
            let wanted = expected[wrong.element];
            // What is expected may be rounded to the format of the tensor, and then exact arithmetic is to be, too.
            let off = (wrong.exact - wanted).abs().min((rounded(format, wrong.exact) - wanted).abs());
            (all + (found[wrong.element] - wanted).abs(), exact + off)
        })
    }

    /// The shares of those who rounded, of all elements that are wrong, largest first.
    pub(super) fn shares(&self) -> Vec<(Culprit, f64)> {
        let mut sums: BTreeMap<Culprit, f64> = BTreeMap::new();
        for Wrong { node, at, .. } in &self.wrong {
            let shares = self.of.nodes.tile(Some(*node)).map_or(&[][..], |tile| &tile.shares);
            for (who, share) in shares.iter().filter(|(who, _)| !is_what_if(*who)) {
                *sums.entry(self.of.blamed.joined(*who)).or_default() += f64::from(share[*at].abs());
            }
        }
        let total: f64 = sums.values().sum();
        let mut all: Vec<(Culprit, f64)> = sums.into_iter().map(|(who, sum)| (who, sum / total.max(1e-300))).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        all
    }

    /// What an element is off by for one of them, on whichever core.
    pub(super) fn share(&self, wrong: &Wrong, who: Culprit) -> f64 {
        let shares = self.of.nodes.tile(Some(wrong.node)).map_or(&[][..], |tile| &tile.shares);
        let its = shares.iter().filter(|(other, _)| self.of.blamed.joined(*other) == who);
        its.map(|(_, share)| f64::from(share[wrong.at])).sum()
    }

    /// Says on how many cores one of them has a share, if on several.
    pub(super) fn with_cores(&self, found: Raised, who: Culprit) -> Raised {
        let its = self.wrong.iter().filter(|wrong| self.share(wrong, who) != 0.0);
        let cores: BTreeSet<usize> = its.filter_map(|wrong| Some(self.of.nodes.get(wrong.node)?.call.core)).collect();
        if cores.len() < 2 {
            return found;
        }
        found.remark(format!("{} cores make the call, and its share is that of all of them", cores.len()))
    }

    /// The first call of this launch on the way to an element that a test names.
    pub(super) fn on_the_way(&self, wrong: &Wrong, test: impl Fn(Op) -> bool) -> Option<(Call, Op, u32, usize)> {
        let way = recipe::way(self.of, wrong.node, wrong.at);
        way.into_iter().find_map(|(node, at)| {
            let its = self.of.nodes.get(node)?;
            (its.call.launch == self.of.launch && test(its.op)).then_some((its.call, its.op, node, at))
        })
    }

    pub(super) fn raised(&self, call: Call, code: Code, message: String) -> Raised {
        let mut found = Raised::of(call.core, label(call), code, message).fact("output", self.name());
        found.certainty = Certainty::Suspect;
        found
    }

    /// Says of an element how it came about.
    pub(super) fn with_recipe(&self, mut found: Raised, wrong: &Wrong) -> Raised {
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

    pub(super) fn with_labels(&self, mut found: Raised, wrong: &Wrong) -> Raised {
        for (call, text) in recipe::labels(self.of, wrong.node, wrong.at, self.of.launch) {
            if label(call) != (found.thread, found.site) {
                found = found.label_on(call.core, label(call), text);
            }
        }
        found
    }
}
