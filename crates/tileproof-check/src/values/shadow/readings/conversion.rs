//! How numbers became integers: which way they were rounded, and where they ended at the ends of a range.
//!
//! Values alone decide. Must never say a way that one of them did not go. Start at [`Rounding`].

use tileproof_model::finding::Code;
use tileproof_model::observe::Raised;

use super::super::blame::bits;
use super::super::elementary;
use super::super::nodes::{Call, Op};
use super::case::{Case, Question, Wrong};

/// A way to round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rounding {
    Nearest,
    TowardsZero,
    Down,
    Up,
    Mixed,
}

impl Rounding {
    /// The way of pairs of an integer and what it was.
    pub(super) fn of(pairs: Vec<(f64, f64)>) -> Rounding {
        let all = |test: &dyn Fn(f64, f64) -> bool| pairs.iter().all(|(value, was)| test(*value, *was));
        if all(&|value, was| (value - was).abs() <= 0.5) {
            Rounding::Nearest
        } else if all(&|value, was| value.abs() <= was.abs()) {
            Rounding::TowardsZero
        } else if all(&|value, was| value <= was) {
            Rounding::Down
        } else if all(&|value, was| value >= was) {
            Rounding::Up
        } else {
            Rounding::Mixed
        }
    }

    /// What an operation does that rounds this way.
    pub(super) fn does(self) -> &'static str {
        match self {
            Rounding::Nearest => "rounds to the nearest integer",
            Rounding::TowardsZero => "cuts the fraction off",
            Rounding::Down => "rounds down",
            Rounding::Up => "rounds up",
            Rounding::Mixed => "rounds, now up, now down",
        }
    }

    /// What was done to values that were rounded this way.
    pub(super) fn done(self) -> &'static str {
        match self {
            Rounding::Nearest => "rounded to the nearest",
            Rounding::TowardsZero => "cut off",
            Rounding::Down => "rounded down",
            Rounding::Up => "rounded up",
            Rounding::Mixed => "rounded otherwise",
        }
    }

    /// How to have it this way.
    pub(super) fn help(self) -> &'static str {
        match self {
            Rounding::TowardsZero => "floor_tile or trunc_tile before the conversion cuts the fraction off",
            Rounding::Down => "floor_tile before the conversion rounds down",
            Rounding::Up => "ceil_tile before the conversion rounds up",
            Rounding::Nearest | Rounding::Mixed => "round_tile before the conversion rounds to the nearest",
        }
    }
}

/// The ends of the range, in words, where each value stands at the end that what it was lies beyond.
pub(super) fn ends(pairs: impl Iterator<Item = (f64, f64)>) -> Option<String> {
    let (mut least, mut greatest) = (None, None);
    for (value, was) in pairs {
        let end = if was <= value - 1.0 { &mut least } else { &mut greatest };
        if (was - value).abs() < 1.0 || *end.get_or_insert(value) != value {
            return None;
        }
    }
    // What is greater than 0 ends at 0 for another reason.
    if greatest.is_some_and(|end| end <= 0.0) {
        return None;
    }
    let both: Vec<String> = [least, greatest].into_iter().flatten().map(|end| end.to_string()).collect();
    let is_end = [least, greatest].iter().flatten().all(|end| {
        const ENDS: [f64; 8] = [0.0, 127.0, -127.0, -128.0, 255.0, 65535.0, -2147483647.0, -2147483648.0];
        const WIDE: [f64; 2] = [2147483647.0, 4294967295.0];
        ENDS.contains(end) || WIDE.contains(end)
    });
    (is_end && !both.is_empty()).then(|| both.join(" or "))
}

impl Case<'_> {
    /// What turned an element into an integer.
    fn conversion(&self, first: &Wrong) -> Option<(Call, Op)> {
        let vector = |op: Op| matches!(op, Op::Vector { op, .. } if elementary::integers(op).is_some());
        let pack = |op: Op| matches!(op, Op::Pack { .. });
        let (call, op, ..) = self.on_the_way(first, vector).or_else(|| self.on_the_way(first, pack))?;
        Some((call, op))
    }

    /// A conversion that gives the least or the greatest integer of its format for what lies beyond.
    pub(super) fn saturated(&self) -> Option<Raised> {
        let Question { expected, found, .. } = self.question;
        let first = self.wrong.first()?;
        let ends = ends(self.wrong.iter().map(|wrong| (found[wrong.element], wrong.exact)))?;
        let format = self.of.homes.all[self.question.tensor].tensor.format;
        if bits(format).is_some() || expected.iter().any(|value| value.fract() != 0.0) {
            return None;
        }
        let (call, op) = self.conversion(first)?;
        let message = format!(
            "{}: {} saturates: it gives {ends} for values beyond, {} elements of which other values are expected",
            self.name(),
            op.name(),
            self.wrong.len()
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text("values beyond the range are lost here");
        let help =
            "bring the values into the range of the format first, or convert to one that holds them, then wrap them";
        Some(self.with_recipe(found, first).help(help))
    }

    /// A conversion to integers that rounds otherwise than it is meant.
    pub(super) fn other_rounding(&self) -> Option<Raised> {
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
        let (call, op) = self.conversion(first)?;
        let pairs = |values: &[f64]| self.wrong.iter().map(|wrong| (values[wrong.element], wrong.exact)).collect();
        let (does, meant) = (Rounding::of(pairs(found)), Rounding::of(pairs(expected)));
        let message = format!(
            "{}: {} {}, and {} elements are expected {}: all are off by 1",
            self.name(),
            op.name(),
            does.does(),
            self.wrong.len(),
            meant.done()
        );
        let found = self.raised(call, Code::OTHER_FUNCTION, message).text("what stands behind the point is lost here");
        Some(self.with_recipe(found, first).help(meant.help()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_of_rounding_is_read_from_values() {
        assert_eq!(Rounding::of(vec![(1.0, 1.4), (-1.0, -1.4)]), Rounding::Nearest);
        assert_eq!(Rounding::of(vec![(1.0, 1.6), (-1.0, -1.6)]), Rounding::TowardsZero);
        assert_eq!(Rounding::of(vec![(1.0, 1.6), (-2.0, -1.4)]), Rounding::Down);
        assert_eq!(Rounding::of(vec![(2.0, 1.4), (-1.0, -1.6)]), Rounding::Up);
    }

    #[test]
    fn values_beyond_a_range_end_at_its_ends() {
        assert_eq!(ends([(0.0, -3.5), (65535.0, 7e4)].into_iter()).as_deref(), Some("0 or 65535"));
        assert_eq!(ends([(0.0, -3.5), (1.0, -7.0)].into_iter()), None);
        assert_eq!(ends([(5.0, 9.0)].into_iter()), None);
    }
}
