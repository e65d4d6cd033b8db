//! Words that messages of every stage share: the name of a circular buffer, a number with its noun, a value of a tensor.
//!
//! What has one name is called by it everywhere, so that a reader can look for it. It must never hold a sentence: the text of
//! a finding is made where the fact is known. Start at [`cb_name`].

use std::fmt::Display;

/// The name of a circular buffer, as kernels write it.
pub fn cb_name(cb: impl Display) -> String {
    format!("c_{cb}")
}

/// "1 page", "4 pages".
pub fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// "is" for one thing, "are" for any other number.
pub fn is_are(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// A value as people read it, as short as it can be and still be that value: two that differ read differently. At most a dozen
/// characters, as far as its format allows: a power of ten stands where zeros would.
pub fn figure(value: f64) -> String {
    let narrow = value as f32;
    // A value that fp32 holds needs no more digits than tell it from its neighbours there.
    let (plain, power) = if f64::from(narrow) == value {
        (format!("{narrow}"), format!("{narrow:e}"))
    } else {
        (format!("{value}"), format!("{value:e}"))
    };
    let magnitude = value.abs();
    if value == 0.0 || !value.is_finite() || (1e-4..1e7).contains(&magnitude) { plain } else { power }
}

#[cfg(test)]
mod tests {
    use super::figure;

    #[test]
    fn values_read_as_a_person_would_write_them_and_differ_where_they_do() {
        let said = [0.0, -0.5, 0.300_781_25, 1e30, f64::from(1e30f32), 1e-9, f64::from(0.1f32), 0.1].map(figure);
        assert_eq!(said, ["0", "-0.5", "0.30078125", "1e30", "1e30", "1e-9", "0.1", "0.1"].map(String::from));
        assert_eq!(
            [f64::NAN, f64::INFINITY, 33_554_432.0, 1_234_567.0].map(figure),
            ["NaN", "inf", "3.3554432e7", "1234567"]
        );
    }
}
