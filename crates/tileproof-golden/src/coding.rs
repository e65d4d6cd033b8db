//! The byte order in which arrays compress well, and its inverse.
//! It must be lossless for every bit pattern, NaN and integers included, and must not depend on the machine.
//! Start reading at [`pack`] and [`unpack`].
//!
//! A float's sign and exponent say much, its low mantissa bits nothing. So the sign moves below the exponent, which
//! makes the top byte the exponent alone, and then all first bytes stand together, then all second ones, and so on.
//! An array that resembles another one (the same computation at another precision) is kept as the difference.

use crate::npy::Dtype;

/// The bytes of `array` in the order kept in an archive; `base` is an array of as many elements to subtract.
pub(crate) fn pack(dtype: Dtype, array: &[u8], base: Option<(Dtype, &[u8])>) -> Vec<u8> {
    match dtype.width() {
        1 => array.to_vec(),
        2 => {
            let words = words16(array);
            let words: Vec<u16> = match base {
                Some(base) => {
                    let zigzag = |d: i16| (d << 1 ^ d >> 15) as u16;
                    words.zip(base16(base)).map(|(a, b)| zigzag(a.wrapping_sub(b) as i16)).collect()
                }
                None => words.map(sign_below_exponent).collect(),
            };
            planes(words.into_iter().map(u16::to_le_bytes))
        }
        _ => {
            let words = words32(array);
            let words: Vec<u32> = match base {
                Some(base) => {
                    let zigzag = |d: i32| (d << 1 ^ d >> 31) as u32;
                    words.zip(base32(base)).map(|(a, b)| zigzag(a.wrapping_sub(b) as i32)).collect()
                }
                None if dtype == Dtype::F32 => {
                    words.map(|a| u32::from(sign_below_exponent((a >> 16) as u16)) << 16 | a & 0xffff).collect()
                }
                None => words.collect(),
            };
            planes(words.into_iter().map(u32::to_le_bytes))
        }
    }
}

/// The inverse of [`pack`]. Plain loops, because tests run it unoptimised over megabytes.
pub(crate) fn unpack(dtype: Dtype, packed: &[u8], base: Option<(Dtype, &[u8])>) -> Vec<u8> {
    let count = packed.len() / dtype.width();
    let mut bytes = vec![0; packed.len()];
    match dtype.width() {
        1 => bytes.copy_from_slice(packed),
        2 => {
            let (low, high) = packed.split_at(count);
            let base: Option<Vec<u16>> = base.map(|base| base16(base).collect());
            for i in 0..count {
                let kept = u16::from_le_bytes([low[i], high[i]]);
                let word = match &base {
                    Some(base) => (kept >> 1 ^ (kept & 1).wrapping_neg()).wrapping_add(base[i]),
                    None => sign_above_exponent(kept),
                };
                bytes[2 * i] = word as u8;
                bytes[2 * i + 1] = (word >> 8) as u8;
            }
        }
        _ => {
            let plane = |byte: usize| &packed[byte * count..(byte + 1) * count];
            let planes = [plane(0), plane(1), plane(2), plane(3)];
            let base: Option<Vec<u32>> = base.map(|base| base32(base).collect());
            for i in 0..count {
                let kept = u32::from_le_bytes([planes[0][i], planes[1][i], planes[2][i], planes[3][i]]);
                let word = match &base {
                    Some(base) => (kept >> 1 ^ (kept & 1).wrapping_neg()).wrapping_add(base[i]),
                    None if dtype == Dtype::F32 => {
                        u32::from(sign_above_exponent((kept >> 16) as u16)) << 16 | kept & 0xffff
                    }
                    None => kept,
                };
                bytes[4 * i..4 * i + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    bytes
}

fn sign_below_exponent(bits: u16) -> u16 {
    bits << 1 & 0xff00 | bits >> 8 & 0x80 | bits & 0x7f
}

fn sign_above_exponent(bits: u16) -> u16 {
    bits >> 1 & 0x7f80 | bits << 8 & 0x8000 | bits & 0x7f
}

fn words16(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b))
}

fn words32(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b))
}

/// A base of single precision counts as its nearest bf16 pattern, so that a bf16 output differs little from it.
fn base16((dtype, bytes): (Dtype, &[u8])) -> impl Iterator<Item = u16> {
    let wide = dtype.width() == 4;
    let round = |b: u32| (b.wrapping_add(0x7fff + (b >> 16 & 1)) >> 16) as u16;
    let narrow = words16(if wide { &[] } else { bytes });
    words32(if wide { bytes } else { &[] }).map(round).chain(narrow)
}

fn base32((dtype, bytes): (Dtype, &[u8])) -> impl Iterator<Item = u32> {
    let wide = dtype.width() == 4;
    let narrow = words16(if wide { &[] } else { bytes }).map(|b| u32::from(b) << 16);
    words32(if wide { bytes } else { &[] }).chain(narrow)
}

fn planes<const WIDTH: usize>(elements: impl Iterator<Item = [u8; WIDTH]> + Clone) -> Vec<u8> {
    (0..WIDTH).flat_map(|byte| elements.clone().map(move |element| element[byte])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte sequence without structure.
    fn noise(length: usize, mut state: u32) -> Vec<u8> {
        (0..length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect()
    }

    #[test]
    fn every_type_over_every_base_comes_back() {
        let types = [Dtype::U8, Dtype::I8, Dtype::U16, Dtype::U32, Dtype::I32, Dtype::F32];
        for dtype in types {
            let array = noise(64 * dtype.width(), 1);
            assert_eq!(unpack(dtype, &pack(dtype, &array, None), None), array);
            for base in types.into_iter().filter(|base| base.width() > 1) {
                let of = noise(64 * base.width(), 2);
                let base = Some((base, of.as_slice()));
                assert_eq!(unpack(dtype, &pack(dtype, &array, base), base), array, "{dtype:?} over {base:?}");
            }
        }
    }

    #[test]
    fn exponents_stand_together() {
        // -1.0 and 1.5 in bf16: both exponents are 127.
        assert_eq!(pack(Dtype::U16, &[0x80, 0xbf, 0xc0, 0x3f], None), [0x80, 0x40, 127, 127]);
    }

    #[test]
    fn a_rounded_copy_differs_by_nothing() {
        // 1.00390625 + 2^-23 in single precision rounds up to the bf16 0x3f81; 1.0 to 0x3f80.
        let single: Vec<u8> = [0x3f80_8001_u32, 0x3f80_0000].iter().flat_map(|b| b.to_le_bytes()).collect();
        let half = [0x81, 0x3f, 0x80, 0x3f];
        assert_eq!(pack(Dtype::U16, &half, Some((Dtype::F32, &single))), [0; 4]);
    }
}
