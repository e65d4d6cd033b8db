//! Small things that drawings share.
//!
//! Start at [`fixed`].

use tileproof_timing::bound::{grouped, percent};

/// A coordinate: two digits behind the point are finer than any screen.
pub(crate) fn fixed(value: f64) -> String {
    fixed_to(value, 2)
}

/// Marks of an axis from 0 to `end`: four to ten, at round numbers.
pub(super) fn marks(end: u64) -> Vec<u64> {
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power)));
    let step = steps.into_iter().find(|step| end / step <= 8).unwrap_or(end.max(1));
    (0..=end / step).map(|mark| mark * step).collect()
}

/// A measured amount as people write it: four digits, and a power of ten only where zeros would stand.
pub(super) fn amount(value: f64) -> String {
    let magnitude = value.abs();
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    if !(1e-4..1e6).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let before = [1e5, 1e4, 1e3, 1e2, 1e1, 1.0, 1e-1, 1e-2, 1e-3];
    let places = before.iter().position(|least| magnitude >= *least).map_or(7, |place| place.saturating_sub(2));
    fixed_to(value, places)
}

fn fixed_to(value: f64, places: usize) -> String {
    let text = format!("{value:.places$}");
    if places == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_string() }
}

/// A text of at most so many characters, with its end where that tells more.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let characters = text.chars().count();
    if characters <= most {
        return text.into();
    }
    let kept: String = text.chars().skip(characters + 1 - most).collect();
    format!("…{kept}")
}

/// The name of a file without its folders.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A part of a whole as a number for style attributes.
pub(super) fn share(part: u64, of: u64) -> String {
    format!("{:.3}", 100.0 * part as f64 / of.max(1) as f64)
}

/// "38 % (1,234 cycles)".
pub(super) fn told(part: u64, of: u64) -> String {
    format!("{} ({} cycles)", percent(part as f64 / of.max(1) as f64), grouped(part))
}

/// The logarithm to the base of two, near enough for an axis, and the same on every host.
pub(crate) fn log2(value: f64) -> f64 {
    let bits = value.max(f64::MIN_POSITIVE).to_bits();
    let exponent = (bits >> 52) as i32 - 1023;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52) - 1.0;
    f64::from(exponent) + mantissa * (1.3465 - 0.3465 * mantissa)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_few_marks_at_round_numbers() {
        assert_eq!(marks(10), [0, 2, 4, 6, 8, 10]);
        assert_eq!(marks(3342), [0, 500, 1000, 1500, 2000, 2500, 3000]);
        for end in [1, 7, 99, 12_345, 9_999_999] {
            assert!((2..=9).contains(&marks(end).len()), "{end}: {:?}", marks(end));
        }
    }

    #[test]
    fn an_amount_has_four_digits_and_no_power_of_ten_where_people_write_none() {
        let said =
            [7.656_25, 0.003_906_25, 0.125, 12.5, 123_456.7, 1.0, 0.000_123_46, 2e6, 3.14159e-5, 0.0, f64::INFINITY];
        let written =
            ["7.656", "0.003906", "0.125", "12.5", "123457", "1", "0.0001235", "2.000e6", "3.142e-5", "0", "inf"];
        assert_eq!(said.map(amount), written.map(String::from));
    }

    #[test]
    fn the_logarithm_is_that_of_powers_of_two_and_near_it_between() {
        for (value, log) in [(1.0, 0.0), (8.0, 3.0), (0.25, -2.0), (10.0, 3.3219), (0.001, -9.9658)] {
            assert!((log2(value) - log).abs() < 0.01, "{value}: {}", log2(value));
        }
    }

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(shortened("kernels/reader.cpp", 11), "…reader.cpp");
        assert_eq!(shortened("reader.cpp", 11), "reader.cpp");
    }
}
