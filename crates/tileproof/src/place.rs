//! Where an element of a tensor stands.
//!
//! Start at [`place`].

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
