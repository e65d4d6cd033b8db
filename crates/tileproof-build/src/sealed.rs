//! Texts that end with a line `end` and the digest of all that stands before it.
//!
//! A text that is not whole must never be read. Start at [`opened`].

/// The word before the digest.
const END: &[u8] = b"end ";
/// Digits of a digest.
const DIGITS: usize = 2 * blake3::OUT_LEN;

/// A text with its digest behind it.
pub(crate) fn sealed(body: Vec<u8>) -> Vec<u8> {
    let end = end_of(&body);
    [body, end].concat()
}

/// What was sealed; `None` if that is not what is there.
pub(crate) fn opened(text: &[u8]) -> Option<&[u8]> {
    let (body, end) = text.split_at_checked(text.len().checked_sub(END.len() + DIGITS + 1)?)?;
    (end == end_of(body)).then_some(body)
}

fn end_of(body: &[u8]) -> Vec<u8> {
    [END, blake3::hash(body).to_hex().as_bytes(), b"\n"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_opened_as_it_was_sealed_and_in_no_other_form() {
        for body in ["", "a", "a\nb\n"] {
            let whole = sealed(body.into());
            assert_eq!(opened(&whole), Some(body.as_bytes()));
            for at in 0..whole.len() {
                let mut changed = whole.clone();
                changed[at] ^= 1;
                assert_eq!(opened(&changed), None, "byte {at}");
                assert_eq!(opened(&whole[..at]), None, "{at} bytes");
            }
            assert_eq!(opened(&[&whole[..], b"\n"].concat()), None);
        }
    }
}
