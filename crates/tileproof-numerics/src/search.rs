//! Whether a datum is among bytes: asked of whole tiles, each time that one is read.
//!
//! It must never stop at the first that is found, so that it runs on vectors: most tiles have none. Start at [`has_datum`].

use crate::simd::{Lanes, vectorized};

/// Whether a datum of 1, 2 or 4 bytes that has one byte all over is among some bytes, which begin with a whole datum.
pub fn has_datum(bytes: &[u8], datum: u32, byte: u8) -> bool {
    vectorized(Search { bytes, datum, byte })
}

struct Search<'t> {
    bytes: &'t [u8],
    datum: u32,
    byte: u8,
}

impl Lanes for Search<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Search { bytes, datum, byte } = self;
        let word = u32::from_ne_bytes([byte; 4]);
        match datum {
            1 => bytes.iter().fold(false, |any, at| any | (*at == byte)),
            2 => bytes.as_chunks().0.iter().fold(false, |any, at| any | (u16::from_ne_bytes(*at) == word as u16)),
            _ => bytes.as_chunks().0.iter().fold(false, |any, at| any | (u32::from_ne_bytes(*at) == word)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_datum_is_found_wherever_it_is_and_bytes_of_two_are_none() {
        for (datum, bytes) in [(1, 300), (2, 2048), (4, 4096)] {
            let mut all = vec![0; bytes];
            assert!(!has_datum(&all, datum, 0xff));
            for at in [0, bytes / 2, bytes - datum as usize] {
                all[at..at + datum as usize].fill(0xff);
                assert!(has_datum(&all, datum, 0xff) && !has_datum(&all, datum, 0x42), "{datum} {at}");
                all[at..at + datum as usize].fill(0);
            }
            if datum > 1 {
                all[1..1 + datum as usize].fill(0xff);
                assert!(!has_datum(&all, datum, 0xff), "of two datums");
            }
        }
    }
}
