//! How an output that is wrong throughout goes with what was expected: a factor, an offset, other places, another rounding.
//!
//! Values alone decide. Must never say a pattern of which one element is no part. Start at [`Pattern::of`].

/// Of a factor: how far elements may be from it.
const FACTOR: f64 = 0.02;

/// A pattern.
#[derive(Clone, PartialEq, Debug)]
pub(in crate::values) enum Pattern {
    /// Each element is this many times what was expected.
    Factor(f64),
    /// Each element is off by this.
    Offset(f64),
    /// Rows are columns and columns rows.
    Transposed,
    /// Row r holds what was expected in row r + n, with rows that leave at one end coming in at the other.
    RowsShifted(usize),
    /// The same of columns.
    ColumnsShifted(usize),
    /// Two rows are exchanged.
    RowsExchanged(usize, usize),
    /// Rows begin this many elements apart where they were read, and not as many as they are long, which is the other number.
    RowsReadApart(usize, usize),
    /// The same where they were written.
    RowsWrittenApart(usize, usize),
    /// Faces 1 and 2 of each tile are exchanged.
    FacesExchanged,
    /// Tiles stand in another order: the first that is wrong holds what was expected in the second.
    TilesPermuted([usize; 2], [usize; 2]),
    /// Rows stand in another order.
    RowsPermuted,
    /// The values are those that were expected, in other places: the first element that differs holds what was expected at
    /// the second, and what was expected of it stands at the third.
    Permuted(usize, usize, usize),
    /// One value everywhere.
    Constant(f64),
    /// Every row holds the same, and no expected row is like the next.
    OneRow,
    /// Every column holds the same.
    OneColumn,
}

fn near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-2 * a.abs().max(b.abs()) || (a.is_nan() && b.is_nan())
}

impl Pattern {
    /// The pattern that all elements of matrices of `columns` columns follow.
    pub(in crate::values) fn of(found: &[f64], expected: &[f64], columns: usize) -> Option<Pattern> {
        if found.len() != expected.len() || found.is_empty() || columns == 0 {
            return None;
        }
        Pattern::scaled(found, expected).or_else(|| Pattern::moved(found, expected, columns))
    }

    fn scaled(found: &[f64], expected: &[f64]) -> Option<Pattern> {
        let largest = expected.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let counts: Vec<usize> = (0..found.len()).filter(|at| expected[*at].abs() > 1e-2 * largest).collect();
        if counts.is_empty() || found.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mut ratios: Vec<f64> = counts.iter().map(|at| found[*at] / expected[*at]).collect();
        let middle = ratios.len() / 2;
        let factor = *ratios.select_nth_unstable_by(middle, f64::total_cmp).1;
        let fits = |(found, expected): (&f64, &f64)| {
            (found - factor * expected).abs() <= FACTOR * (factor * expected).abs() + 1e-3 * largest * factor.abs()
        };
        if (factor - 1.0).abs() > 2.0 * FACTOR && factor != 0.0 && found.iter().zip(expected).all(fits) {
            return Some(Pattern::Factor(factor));
        }
        let offset = found[0] - expected[0];
        let fits = |(found, expected): (&f64, &f64)| (found - expected - offset).abs() <= 1e-2 * offset.abs();
        let is_offset = found.len() > 3 && offset.abs() > 1e-6 * largest && found.iter().zip(expected).all(fits);
        is_offset.then_some(Pattern::Offset(offset))
    }

    fn moved(found: &[f64], expected: &[f64], columns: usize) -> Option<Pattern> {
        let rows = found.len() / columns;
        let all = |from: &dyn Fn(usize, usize) -> usize| {
            (0..rows * columns).all(|at| near(found[at], expected[from(at / columns, at % columns)]))
        };
        let row = |values: &[f64], row: usize| -> Vec<f64> { values[row * columns..][..columns].to_vec() };
        let alike = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| near(*a, *b));
        if rows > 1 && rows == columns && all(&|r, c| c * columns + r) {
            return Some(Pattern::Transposed);
        }
        let is_tiled = rows.is_multiple_of(32) && columns.is_multiple_of(32);
        // Bit 4 of the row chooses the lower faces of a tile, bit 4 of the column the right ones.
        let exchanged = |r: usize, c: usize| (r & !16 | c & 16) * columns + (c & !16 | r & 16);
        if is_tiled && all(&exchanged) {
            return Some(Pattern::FacesExchanged);
        }
        for shift in 1..rows.min(64) {
            if all(&|r, c| (r + shift) % rows * columns + c) {
                return Some(Pattern::RowsShifted(shift));
            }
        }
        for shift in 1..columns.min(64) {
            if all(&|r, c| r * columns + (c + shift) % columns) {
                return Some(Pattern::ColumnsShifted(shift));
            }
        }
        if rows > 1 && columns > 1 {
            let first = row(found, 0);
            let same = (1..rows).all(|r| alike(&first, &row(found, r)));
            let differ = (1..rows).any(|r| !alike(&row(expected, 0), &row(expected, r)));
            if same && differ && first.iter().all(|value| near(*value, first[0])) {
                return Some(Pattern::Constant(first[0]));
            }
            if same && differ {
                return Some(Pattern::OneRow);
            }
            let flat = |values: &[f64], r: usize| row(values, r).iter().all(|value| near(*value, values[r * columns]));
            if (0..rows).all(|r| flat(found, r)) && (0..rows).any(|r| !flat(expected, r)) {
                return Some(Pattern::OneColumn);
            }
        }
        Pattern::permuted(found, expected, columns).or_else(|| Pattern::apart(found, expected, columns))
    }

    /// Rows that begin elsewhere than one behind the other.
    fn apart(found: &[f64], expected: &[f64], columns: usize) -> Option<Pattern> {
        let rows = found.len() / columns;
        let differ = (1..rows).any(|r| (0..columns).any(|c| !near(expected[r * columns + c], expected[c])));
        if rows < 3 || columns < 4 || !differ {
            return None;
        }
        // Where it lies for one who takes rows to be `apart`, for all places that are part of the matrix.
        let all = |apart: usize, is_read: bool| {
            let places = (0..rows * columns).map(|at| (at, at / columns * apart + at % columns));
            let is_wrong = |at: usize| !near(found[at], expected[at]);
            let (mut compared, mut explained) = (0, 0);
            let fits = places.filter(|(_, other)| *other < found.len()).all(|(at, other)| {
                // The next row is written over the end of this one.
                let is_lost = !is_read && at % columns >= apart && at / columns + 1 < rows;
                compared += usize::from(!is_lost);
                explained += usize::from(!is_lost && is_wrong(if is_read { at } else { other }));
                is_lost || if is_read { near(found[at], expected[other]) } else { near(found[other], expected[at]) }
            });
            fits && 4 * compared >= found.len() && 2 * explained >= (0..found.len()).filter(|at| is_wrong(*at)).count()
        };
        let steps = (1..(rows / 2 * columns).min(4 * columns).min(4096)).filter(|apart| *apart != columns);
        let read = steps.clone().find(|apart| all(*apart, true)).map(|apart| Pattern::RowsReadApart(apart, columns));
        read.or_else(|| {
            steps.clone().find(|apart| all(*apart, false)).map(|apart| Pattern::RowsWrittenApart(apart, columns))
        })
    }

    /// Whether sums are near enough for all values to be those that are expected, in some order.
    fn may_be_permuted(found: &[f64], expected: &[f64]) -> bool {
        let sum = |values: &[f64], of: fn(f64) -> f64| values.iter().map(|value| of(*value)).sum::<f64>();
        let is_near = |of: fn(f64) -> f64, within: f64| {
            let (one, other) = (sum(found, of), sum(expected, of));
            (one - other).abs() <= within * one.max(other) || !(one - other).is_finite()
        };
        is_near(f64::abs, 1e-2) && is_near(|value| value * value, 2e-2)
    }

    fn permuted(found: &[f64], expected: &[f64], columns: usize) -> Option<Pattern> {
        if !Pattern::may_be_permuted(found, expected) {
            return None;
        }
        let sorted = |values: &[f64]| {
            let mut all: Vec<usize> = (0..values.len()).collect();
            all.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
            all
        };
        let (by_found, by_expected) = (sorted(found), sorted(expected));
        let fits = |(f, e): (&usize, &usize)| near(found[*f], expected[*e]);
        // Of few different values any order is a permutation of any other.
        let mut different = by_expected.windows(2).filter(|pair| expected[pair[0]] != expected[pair[1]]).count();
        different += 1;
        if different < 4 || different * 4 < found.len().min(64) || !by_found.iter().zip(&by_expected).all(fits) {
            return None;
        }
        let rows = found.len() / columns;
        let wrong = (0..found.len()).find(|at| !near(found[*at], expected[*at]))?;
        let rows_wrong: Vec<usize> = (0..rows)
            .filter(|r| (0..columns).any(|c| !near(found[r * columns + c], expected[r * columns + c])))
            .collect();
        let same_row =
            |a: usize, b: usize| (0..columns).all(|c| near(found[a * columns + c], expected[b * columns + c]));
        if let [a, b] = rows_wrong[..]
            && same_row(a, b)
            && same_row(b, a)
        {
            return Some(Pattern::RowsExchanged(a, b));
        }
        if rows.is_multiple_of(32) && columns.is_multiple_of(32) {
            let tiles: Vec<[usize; 2]> = (0..rows / 32).flat_map(|r| (0..columns / 32).map(move |c| [r, c])).collect();
            let same = |a: [usize; 2], b: [usize; 2]| {
                let at = |tile: [usize; 2], n: usize| (32 * tile[0] + n / 32) * columns + 32 * tile[1] + n % 32;
                (0..1024).all(|n| near(found[at(a, n)], expected[at(b, n)]))
            };
            let holds = |tile: &[usize; 2]| tiles.iter().copied().find(|other| same(*tile, *other));
            let wrong_tile = [wrong / columns / 32, wrong % columns / 32];
            if tiles.len() <= 256 && tiles.iter().all(|tile| holds(tile).is_some()) {
                return Some(Pattern::TilesPermuted(wrong_tile, holds(&wrong_tile)?));
            }
        }
        if columns > 1 && rows <= 4096 && rows_wrong.iter().all(|a| rows_wrong.iter().any(|b| same_row(*a, *b))) {
            return Some(Pattern::RowsPermuted);
        }
        let closest = |values: &[f64], wanted: f64| {
            (0..values.len()).min_by(|a, b| (values[*a] - wanted).abs().total_cmp(&(values[*b] - wanted).abs()))
        };
        Some(Pattern::Permuted(wrong, closest(expected, found[wrong])?, closest(found, expected[wrong])?))
    }

    /// What the output is, in words; `at` spells an element.
    pub(in crate::values) fn says(&self, at: impl Fn(usize) -> String) -> String {
        match self {
            Pattern::Factor(factor) => {
                format!("every element is {factor:.4} times what is expected: a factor, and nothing else")
            }
            Pattern::Offset(offset) => format!("every element is off by the same constant, {offset:.6}"),
            Pattern::Transposed => "it is what is expected, transposed: rows are columns".into(),
            Pattern::RowsShifted(by) => format!("row r holds what is expected in row r + {by}: rows are shifted"),
            Pattern::ColumnsShifted(by) => {
                format!("column c holds what is expected in column c + {by}: columns are shifted")
            }
            Pattern::RowsExchanged(a, b) => format!("it is what is expected with rows {a} and {b} exchanged"),
            Pattern::RowsReadApart(apart, columns) => {
                format!("rows of {columns} elements were read {apart} elements apart")
            }
            Pattern::RowsWrittenApart(apart, columns) => {
                format!("rows of {columns} elements were written {apart} elements apart")
            }
            Pattern::FacesExchanged => {
                "it is what is expected with faces 1 and 2 of each tile exchanged: upper right and lower left".into()
            }
            Pattern::TilesPermuted([r, c], [row, column]) => format!(
                "its tiles are those that are expected, in another order: tile [{r}, {c}] holds what is expected in tile [{row}, {column}]"
            ),
            Pattern::RowsPermuted => "its rows are those that are expected, in another order".into(),
            Pattern::Permuted(wrong, holds, stands) => format!(
                "it holds the expected values in other places: {} has what is expected at {}, and its own stands at {}",
                at(*wrong),
                at(*holds),
                at(*stands)
            ),
            Pattern::Constant(value) => format!("every element is {value}, and the expected ones differ"),
            Pattern::OneRow => "every row holds the same, and the expected rows differ: a row was broadcast".into(),
            Pattern::OneColumn => {
                "every column holds the same, and the expected columns differ: a column was broadcast".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(found: &[f64], expected: &[f64], columns: usize) -> Option<Pattern> {
        Pattern::of(found, expected, columns)
    }

    #[test]
    fn patterns_are_told_from_one_another() {
        let e = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        assert_eq!(of(&e.map(|x| x * 0.625), &e, 3), Some(Pattern::Factor(0.625)));
        assert_eq!(of(&e.map(|x| x + 10.0), &e, 3), Some(Pattern::Offset(10.0)));
        assert_eq!(of(&[1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0], &e, 3), Some(Pattern::Transposed));
        assert_eq!(of(&[4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1.0, 2.0, 3.0], &e, 3), Some(Pattern::RowsShifted(1)));
        assert_eq!(of(&[4.0, 5.0, 6.0, 1.0, 2.0, 3.0, 7.0, 8.0, 9.0], &e, 3), Some(Pattern::RowsExchanged(0, 1)));
        let other = [1.0, 2.0, 4.0, 3.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        assert_eq!(of(&other, &e, 3), Some(Pattern::Permuted(2, 3, 3)));
        assert_eq!(of(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0, 3.0], &e, 3), Some(Pattern::OneRow));
        let wide: Vec<f64> = (1..=40).map(|n| f64::from(n * n)).collect();
        let read: Vec<f64> = (0..40).map(|at| *wide.get(at / 8 * 10 + at % 8).unwrap_or(&0.0)).collect();
        assert_eq!(of(&read, &wide, 8), Some(Pattern::RowsReadApart(10, 8)));
        let mut end = wide.clone();
        end[36] = 0.5;
        assert_eq!(of(&end, &wide, 8), None);
        let mut written = vec![0.0; 40];
        for (at, value) in wide.iter().enumerate() {
            written[at / 8 * 4 + at % 8] = *value;
        }
        assert_eq!(of(&written, &wide, 8), Some(Pattern::RowsWrittenApart(4, 8)));
        let whole: Vec<f64> = (0..1024).map(|n| f64::from(n * n)).collect();
        let from = |(r, c): (usize, usize)| whole[(r & !16 | c & 16) * 32 + (c & !16 | r & 16)];
        let faces: Vec<f64> = (0..1024).map(|at| from((at / 32, at % 32))).collect();
        assert_eq!(of(&faces, &whole, 32), Some(Pattern::FacesExchanged));
        let three: Vec<f64> = (0..3072).map(|n| f64::from(n * n)).collect();
        let further: Vec<f64> = (0..3072).map(|at| three[(at + 2048) % 3072]).collect();
        assert_eq!(of(&further, &three, 32), Some(Pattern::TilesPermuted([0, 0], [2, 0])));
        assert_eq!(of(&[1.0, 2.0, 0.5, 4.0], &[1.0, 2.0, 3.0, 4.0], 2), None);
    }

    #[test]
    fn no_order_of_values_makes_others_of_them() {
        let e = [-3.0, 1.0, 2.0, 40.0];
        assert!(Pattern::may_be_permuted(&[40.0, -3.02, 2.0, 1.0], &e));
        assert!(Pattern::may_be_permuted(&[f64::NAN, 1.0, 2.0, 40.0], &[1.0, 2.0, 40.0, f64::NAN]));
        assert!(!Pattern::may_be_permuted(&[40.0, 3.0, 2.0, 4.0], &e));
    }
}
