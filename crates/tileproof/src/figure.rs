//! A value of a tensor as people read it, as short as it can be and still be that value, and where it stands.
//!
//! It must never round: two values that differ read differently. Start at [`figure`].

/// The value in at most a dozen characters, as far as its format allows: a power of ten stands where zeros would.
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

/// The place of flat element `i` in a shape.
pub(crate) fn place(shape: &[u32], i: usize) -> Vec<u32> {
    let mut rest = i;
    let mut place = vec![0; shape.len()];
    for (index, length) in place.iter_mut().zip(shape).rev() {
        *index = (rest % *length as usize) as u32;
        rest /= *length as usize;
    }
    place
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
