//! Elements to the bytes of a tensor's pages, and back, bit for bit.
//! It must never pass a value through arithmetic: a NaN's payload arrives as it was. Block floats alone are encoded.
//! Start reading at [`encode`].
//!
//! An element is one word: its bits. Padding is all ones, a NaN in every float format, so that its use shows.

use tileproof_model::program::{Layout, TensorDescriptor};
use tileproof_numerics::format::DataFormat;
use tileproof_numerics::tile::face_index;

use crate::fill::f64_to_bf16;
use crate::pages::{self, Padding};

/// Bytes of an element in a page; `None` for block floats.
fn element_bytes(format: DataFormat) -> Option<usize> {
    (!format.is_block_float()).then(|| format.tile_bytes() as usize / 1024)
}

/// Runs of elements that lie together in a matrix of tiles: element in the tiles, row, first column, length.
fn face_rows(height: usize, width: usize) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let tiles = width.div_ceil(32);
    (0..height).flat_map(move |row| {
        (0..width).step_by(16).map(move |column| {
            let tile = row / 32 * tiles + column / 32;
            (1024 * tile + face_index(row % 32, column % 32), row, column, 16.min(width - column))
        })
    })
}

/// The bytes of all pages of a tensor with these elements, row-major, and with an element of padding. `None` for a format
/// that the host does not encode.
pub(crate) fn encode(tensor: &TensorDescriptor, words: &[u32], padding: Padding) -> Option<Vec<u8>> {
    let (height, width, _) = pages::matrices(tensor);
    let Some(bytes) = element_bytes(tensor.format) else {
        let values: Vec<f32> = words.iter().map(|word| f32::from_bits(*word)).collect();
        return match padding {
            Padding::Stated(word) => pages::encode_stated_blocks(tensor, &values, f32::from_bits(word)).ok(),
            Padding::Undefined(u32::MAX) => pages::encode_blocks(tensor, &values, 0.0).ok(),
            Padding::Undefined(word) => pages::encode_blocks(tensor, &values, f32::from_bits(word)).ok(),
        };
    };
    let mut pages = vec![0xff; tensor.bytes()];
    let padding = padding.word().to_le_bytes();
    if padding != [0xff; 4] {
        pages.chunks_exact_mut(bytes).for_each(|to| to.copy_from_slice(&padding[..bytes]));
    }
    // Of a size that the compiler knows: most elements are of 2 bytes, or of 4.
    let put = |to: &mut [u8], from: &[u32]| match bytes {
        2 => to.as_chunks_mut().0.iter_mut().zip(from).for_each(|(to, word)| *to = (*word as u16).to_le_bytes()),
        4 => to.as_chunks_mut().0.iter_mut().zip(from).for_each(|(to, word)| *to = word.to_le_bytes()),
        _ => {
            for (to, word) in to.chunks_exact_mut(bytes).zip(from) {
                to.copy_from_slice(&word.to_le_bytes()[..bytes]);
            }
        }
    };
    if tensor.layout == Layout::RowMajor {
        put(&mut pages, words);
        return Some(pages);
    }
    let matrix = height.next_multiple_of(32) * width.next_multiple_of(32) * bytes;
    for (pages, words) in pages.chunks_exact_mut(matrix).zip(words.chunks_exact(height * width)) {
        for (at, row, column, length) in face_rows(height, width) {
            put(&mut pages[bytes * at..], &words[row * width + column..][..length]);
        }
    }
    Some(pages)
}

/// The elements in the bytes of all pages, row-major, without padding. `None` as for [`encode`].
pub(crate) fn decode(tensor: &TensorDescriptor, pages: &[u8]) -> Option<Vec<u32>> {
    let (height, width, _) = pages::matrices(tensor);
    let Some(bytes) = element_bytes(tensor.format) else {
        let values = pages::decode(tensor, pages, 1).ok()?;
        return Some(values.into_iter().map(f32::to_bits).collect());
    };
    let get = |from: &[u8]| from.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    if tensor.layout == Layout::RowMajor {
        return Some(pages.chunks_exact(bytes).map(get).collect());
    }
    let mut words = vec![0; tensor.elements()];
    let matrix = height.next_multiple_of(32) * width.next_multiple_of(32) * bytes;
    for (pages, words) in pages.chunks_exact(matrix).zip(words.chunks_exact_mut(height * width)) {
        for (at, row, column, length) in face_rows(height, width) {
            let from = pages[bytes * at..].chunks_exact(bytes);
            for (word, from) in words[row * width + column..][..length].iter_mut().zip(from) {
                *word = get(from);
            }
        }
    }
    Some(words)
}

/// The value of an element, exactly.
pub(crate) fn value(format: DataFormat, word: u32) -> f64 {
    match format {
        DataFormat::Float16_b => f64::from(f32::from_bits(word << 16)),
        DataFormat::Int32 => f64::from(word as i32),
        DataFormat::Int8 => f64::from(word as u8 as i8),
        DataFormat::UInt32 | DataFormat::UInt16 | DataFormat::UInt8 => f64::from(word),
        _ => f64::from(f32::from_bits(word)),
    }
}

/// The element of a format that is nearest to a value: what lies beyond its range becomes infinity, or its last number.
pub(crate) fn nearest(format: DataFormat, value: f64) -> u32 {
    let whole = value.round_ties_even();
    match format {
        DataFormat::Float16_b => u32::from(f64_to_bf16(value)),
        DataFormat::Int32 => whole as i32 as u32,
        DataFormat::Int8 => u32::from(whole as i8 as u8),
        DataFormat::UInt32 => whole as u32,
        DataFormat::UInt16 => u32::from(whole as u16),
        DataFormat::UInt8 => u32::from(whole as u8),
        _ => (value as f32).to_bits(),
    }
}

/// Elements of one format as those of another: by value, or bit for bit where the formats are the same.
pub(crate) fn converted(words: Vec<u32>, from: DataFormat, to: DataFormat) -> Vec<u32> {
    if from == to {
        return words;
    }
    words.into_iter().map(|word| nearest(to, value(from, word))).collect()
}

/// The distance of 1 to the next value of a format; 1 of integers.
pub(crate) fn step(format: DataFormat) -> f64 {
    match format {
        DataFormat::Float32 => f64::from(f32::EPSILON),
        DataFormat::Float16_b => f64::from(f32::EPSILON) * 65536.0,
        // The 7 and 3 bits of a datum beside the exponent that 16 share write their leading 1 out (`pack/block_float.rs` of the
        // numerics): 2^-6 and 2^-2 where it is that of 1.
        DataFormat::Bfp8_b => 1.0 / 64.0,
        DataFormat::Bfp4_b => 0.25,
        _ => 1.0,
    }
}

/// What rounding a number to a format takes away at most, as a share of it; nothing of integers, which are not rounded.
pub(crate) fn half_a_step(format: DataFormat) -> f64 {
    if step(format) < 1.0 { step(format) / 2.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tileproof_model::program::MemoryConfig;

    fn tensor(shape: &[u32], format: DataFormat, layout: Layout) -> TensorDescriptor {
        let memory = MemoryConfig::Dram;
        TensorDescriptor { name: "x".into(), shape: shape.to_vec(), format, layout, memory, output: false }
    }

    #[test]
    fn every_bit_survives_in_every_layout() {
        for (format, bits) in [
            (DataFormat::Float16_b, 16),
            (DataFormat::Float32, 32),
            (DataFormat::Int32, 32),
            (DataFormat::UInt16, 16),
            (DataFormat::UInt8, 8),
            (DataFormat::Int8, 8),
        ] {
            for layout in [Layout::Tile, Layout::RowMajor] {
                for shape in [&[2, 3, 33, 50][..], &[7], &[1, 64]] {
                    let tensor = tensor(shape, format, layout);
                    let mask = u32::MAX >> (32 - bits);
                    // Also signalling NaN, whose payload arithmetic would change.
                    let words: Vec<u32> =
                        (0..tensor.elements() as u32).map(|i| i.wrapping_mul(0x9E37_79B1) & mask).collect();
                    let pages = encode(&tensor, &words, Padding::UNDEFINED).unwrap();
                    assert_eq!(pages.len(), tensor.bytes());
                    assert_eq!(decode(&tensor, &pages).unwrap(), words, "{format:?} {layout:?} {shape:?}");
                }
            }
        }
    }

    #[test]
    fn elements_of_another_format_keep_their_values_as_far_as_it_holds_them() {
        use DataFormat::*;
        let fp32 = |value: f32| vec![value.to_bits()];
        // 1 + 2^-8 is halfway between 1 and the next bf16: to even.
        assert_eq!(converted(fp32(1.003_906_25), Float32, Float16_b), [0x3F80]);
        assert_eq!(converted(vec![0xC040], Float16_b, Float32), fp32(-3.0));
        assert_eq!(converted(vec![0xC040], Float16_b, Int32), [-3i32 as u32]);
        assert_eq!(converted(fp32(-3.0), Float32, UInt16), [0]);
        assert_eq!(converted(fp32(f32::MAX), Float32, Float16_b), [0x7F80]);
        // Of the same format the bits stay, a signalling NaN's too.
        assert_eq!(converted(vec![0x7FA0_0001], Float32, Float32), [0x7FA0_0001]);
    }

    #[test]
    fn an_element_lies_in_its_face_and_padding_is_a_nan() {
        let tensor = tensor(&[1, 1, 40, 40], DataFormat::Float16_b, Layout::Tile);
        let words: Vec<u32> = (0..1600).collect();
        let pages = encode(&tensor, &words, Padding::UNDEFINED).unwrap();
        // Row 33, column 17: second row of tiles, first column of tiles, second face, its row 1, its column 1.
        let at = 2 * (2 * 1024 + 256 + 16 + 1);
        assert_eq!(pages[at..at + 2], (33 * 40 + 17u16).to_le_bytes());
        // Column 40 of row 0: tile 1, face 0, column 8.
        assert_eq!(pages[2 * (1024 + 8)..][..2], [0xff, 0xff]);
    }

    #[test]
    fn block_floats_are_encoded_and_their_padding_is_zero() {
        let tensor = tensor(&[20, 40], DataFormat::Bfp8_b, Layout::Tile);
        let values: Vec<u32> = (0..800).map(|i| ((i % 16) as f32 * 0.25 - 2.0).to_bits()).collect();
        let pages = encode(&tensor, &values, Padding::UNDEFINED).unwrap();
        assert_eq!(pages.len(), 2 * 1088);
        assert_eq!(decode(&tensor, &pages).unwrap(), values);
        // The exponent and the mantissas of row 20 of the first tile: face 2, row 4.
        assert_eq!(pages[2 * 16 + 4], 0);
        assert!(pages[64 + 512 + 64..][..16].iter().all(|byte| *byte == 0));
    }

    #[test]
    fn stated_padding_of_block_floats_is_what_data_of_that_value_would_be() {
        let (part, whole) =
            (tensor(&[32, 40], DataFormat::Bfp8_b, Layout::Tile), tensor(&[32, 64], DataFormat::Bfp8_b, Layout::Tile));
        // A row of zeros among the others.
        let value = |row: u32, column: u32| (if row == 3 { 0.0 } else { (row + column) as f32 * 0.25 - 2.0 }).to_bits();
        let of = |width: u32| (0..32).flat_map(move |row| (0..width).map(move |column| (row, column)));
        let values: Vec<u32> = of(40).map(|(row, column)| value(row, column)).collect();
        for stated in [0.0, 3.0, -1000.0, f32::NEG_INFINITY] {
            let word = stated.to_bits();
            let with = |(row, column)| if column < 40 { value(row, column) } else { word };
            let all: Vec<u32> = of(64).map(with).collect();
            let pages = encode(&part, &values, Padding::Stated(word)).unwrap();
            assert_eq!(pages, encode(&whole, &all, Padding::UNDEFINED).unwrap(), "{stated}");
        }
        // What is undefined must not spoil the data beside it.
        let pages = encode(&part, &values, Padding::Undefined(1000f32.to_bits())).unwrap();
        assert_eq!(decode(&part, &pages).unwrap()[3 * 40 + 39], 0);
        assert_eq!(
            decode(&part, &pages).unwrap(),
            decode(&part, &encode(&part, &values, Padding::UNDEFINED).unwrap()).unwrap()
        );
    }

    #[test]
    fn a_step_at_1_is_that_of_the_format() {
        let formats =
            [DataFormat::Float32, DataFormat::Float16_b, DataFormat::Bfp8_b, DataFormat::Bfp4_b, DataFormat::Int32];
        assert_eq!(formats.map(step), [2f64.powi(-23), 2f64.powi(-7), 2f64.powi(-6), 0.25, 1.0]);
    }
}
