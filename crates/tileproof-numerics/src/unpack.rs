//! The unpackers: L1 bytes to register words.
//!
//! Narrowing is by truncation, never by rounding; block floats become bf16 patterns, wrapped exponents
//! included (ISA documentation, `TensixCoprocessor/UNPACR_Regular.md`; ttsim `tensix.cpp`). Nothing
//! here knows a circular buffer or checks that the bytes are ready. Start at [`unpack_tile`].

use crate::format::DataFormat;
use crate::tile::{FACE_DATUMS, ROW_DATUMS, TILE_DATUMS, Tile, face_index};

/// True when the unpacker converts `l1` to `register` and the conversion is modelled.
pub const fn converts(l1: DataFormat, register: DataFormat) -> bool {
    use DataFormat::*;
    match l1 {
        Float32 => matches!(register, Float32 | Tf32 | Float16_b | Float16),
        Tf32 => matches!(register, Tf32 | Float32),
        Bfp8_b | Bfp4_b | Bfp2_b => matches!(register, Bfp8_b | Bfp4_b | Bfp2_b | Float16_b),
        Float16_b => matches!(register, Float16_b | Bfp8_b),
        Float16 => matches!(register, Float16),
        UInt16 => matches!(register, UInt16),
        Int8 | UInt8 => matches!(register, Int8 | UInt8),
        Int32 | UInt32 => matches!(register, Int32 | UInt32),
        Lf8 => matches!(register, Lf8 | Float16),
        Bfp8 | Bfp4 | Bfp2 => false,
    }
}

/// Unpacks one tile in face order.
///
/// # Panics
///
/// When [`converts`] is false for the pair or `bytes` is shorter than a tile.
pub fn unpack_tile(l1: DataFormat, register: DataFormat, bytes: &[u8], out: &mut Tile) {
    assert!(
        converts(l1, register),
        "unpacker: {l1:?} to {register:?} is not modelled"
    );
    if l1.is_block_float() {
        unpack_block_float(l1, bytes, out);
    } else {
        unpack_run(l1, register, bytes, &mut out.0);
    }
}

/// Unpacks one tile of a row-major block (`tilize_block`): `rows` starts at the tile's first datum and
/// its 32 rows lie `row_stride_bytes` apart.
///
/// # Panics
///
/// As [`unpack_tile`]; block floats have no row-major form.
pub fn unpack_tilize(
    l1: DataFormat,
    register: DataFormat,
    rows: &[u8],
    row_stride_bytes: usize,
    out: &mut Tile,
) {
    assert!(
        converts(l1, register) && !l1.is_block_float(),
        "unpacker, tileize: {l1:?} to {register:?} is not modelled"
    );
    let half = ROW_DATUMS * datum_bytes(l1);
    for row in 0..32 {
        for side in 0..2 {
            let start = row * row_stride_bytes + side * half;
            let at = face_index(row, ROW_DATUMS * side);
            let target = &mut out.0[at..at + ROW_DATUMS];
            unpack_run(l1, register, &rows[start..start + half], target);
        }
    }
}

/// Bytes of a datum in L1 of a format that is not a block float.
pub(crate) const fn datum_bytes(format: DataFormat) -> usize {
    format.tile_bytes() as usize / TILE_DATUMS
}

fn map16(bytes: &[u8], out: &mut [u32], convert: impl Fn(u32) -> u32) {
    let (datums, _) = bytes[..2 * out.len()].as_chunks::<2>();
    for (o, datum) in out.iter_mut().zip(datums) {
        *o = convert(u32::from(u16::from_le_bytes(*datum)));
    }
}

fn map32(bytes: &[u8], out: &mut [u32], convert: impl Fn(u32) -> u32) {
    let (datums, _) = bytes[..4 * out.len()].as_chunks::<4>();
    for (o, datum) in out.iter_mut().zip(datums) {
        *o = convert(u32::from_le_bytes(*datum));
    }
}

fn map8(bytes: &[u8], out: &mut [u32], convert: impl Fn(u32) -> u32) {
    let datums = &bytes[..out.len()];
    for (o, &datum) in out.iter_mut().zip(datums) {
        *o = convert(u32::from(datum));
    }
}

fn unpack_run(l1: DataFormat, register: DataFormat, bytes: &[u8], out: &mut [u32]) {
    use DataFormat::*;
    match (l1, register) {
        (Float32 | Tf32, Tf32) => map32(bytes, out, |v| v & 0xFFFF_E000),
        (Float32, Float16_b) => map32(bytes, out, |v| {
            v & if v & 0x7F80_0000 == 0 {
                0x8000_0000
            } else {
                0xFFFF_0000
            }
        }),
        (Float32, Float16) => map32(bytes, out, float32_to_float16),
        (Float32 | Tf32 | Int32 | UInt32, _) => map32(bytes, out, |v| v),
        (Float16_b | UInt16, _) => map16(bytes, out, |v| v << 16),
        (Float16, _) => map16(bytes, out, float16_to_src),
        (Int8, _) => map8(bytes, out, |v| {
            let magnitude = v & 0x7F;
            (v & 0x80) << 24 | integer_to_src(magnitude)
        }),
        (UInt8, _) => map8(bytes, out, integer_to_src),
        (Lf8, _) => map8(bytes, out, |v| float16_to_src(v << 8)),
        (Bfp8_b | Bfp4_b | Bfp2_b | Bfp8 | Bfp4 | Bfp2, _) => {
            unreachable!("block floats are unpacked by the tile")
        }
    }
}

/// fp16 in Src: five exponent bits at bit 23.
const fn float16_to_src(v: u32) -> u32 {
    (v & 0x8000) << 16 | (v & 0x7FFF) << 13
}

/// INT8 in Src: the magnitude in the mantissa under exponent 16; zero is all zero.
const fn integer_to_src(magnitude: u32) -> u32 {
    if magnitude == 0 {
        0
    } else {
        16 << 23 | magnitude << 13
    }
}

/// Truncates, saturating to the largest fp16 pattern.
const fn float32_to_float16(v: u32) -> u32 {
    let sign = v & 0x8000_0000;
    let exponent = (v >> 23 & 255) as i32 - 112;
    if exponent < 0 {
        sign
    } else if exponent > 31 {
        sign | 31 << 23 | 0x7F_E000
    } else {
        sign | (exponent as u32) << 23 | v & 0x7F_E000
    }
}

/// A Bfp8 datum and its shared exponent as a bf16 pattern. The exponent wraps when the magnitude has
/// more leading zeros than it can pay for; a negative zero is -inf.
pub(crate) const fn bfp8_to_bf16(datum: u8, exponent: u8) -> u16 {
    let sign = (datum >> 7) as u16;
    let magnitude = datum << 1;
    if magnitude == 0 {
        return if sign == 1 { 0xFF80 } else { 0 };
    }
    let zeros = magnitude.leading_zeros();
    let exponent = exponent.wrapping_sub(zeros as u8);
    sign << 15 | (exponent as u16) << 7 | (magnitude << zeros) as u16 & 0x7E
}

/// The 256 conversions at exponent 0: the exponent field is then added modulo 256.
static BFP8_AT_ZERO: [u16; 256] = {
    let mut table = [0; 256];
    let mut datum = 0;
    while datum < 256 {
        table[datum] = bfp8_to_bf16(datum as u8, 0);
        datum += 1;
    }
    table
};

fn unpack_block_float(l1: DataFormat, bytes: &[u8], out: &mut Tile) {
    let bytes = &bytes[..l1.tile_bytes() as usize];
    let (exponents, mantissas) = bytes.split_at(TILE_DATUMS / ROW_DATUMS);
    for (row, (out, &exponent)) in out
        .0
        .chunks_exact_mut(ROW_DATUMS)
        .zip(exponents)
        .enumerate()
    {
        for (i, o) in out.iter_mut().enumerate() {
            let at = ROW_DATUMS * row + i;
            let datum = match l1 {
                DataFormat::Bfp4_b => (mantissas[at / 2] >> (4 * (at % 2))) << 4,
                DataFormat::Bfp2_b => (mantissas[at / 4] >> (2 * (at % 4))) << 6,
                _ => mantissas[at],
            };
            let pattern = u32::from(BFP8_AT_ZERO[usize::from(datum)]);
            // Zero magnitudes (0 and -inf) do not take the shared exponent.
            let shared = if datum & 0x7F == 0 {
                0
            } else {
                u32::from(exponent)
            };
            let field = (pattern + (shared << 7)) & 0x7F80;
            *o = (pattern & 0x807F | field) << 16;
        }
    }
}

/// Transposes the tile: faces 1 and 2 change places and every face is transposed.
pub fn transpose(tile: &Tile, out: &mut Tile) {
    for (from, to) in [(0, 0), (1, 2), (2, 1), (3, 3)] {
        transpose_face(
            &tile.0[FACE_DATUMS * from..FACE_DATUMS * (from + 1)],
            &mut out.0[FACE_DATUMS * to..FACE_DATUMS * (to + 1)],
        );
    }
}

/// Transposes within each face only: the unpacker's haloize mode.
pub fn transpose_within_faces(tile: &Tile, out: &mut Tile) {
    for (from, to) in tile
        .0
        .chunks_exact(FACE_DATUMS)
        .zip(out.0.chunks_exact_mut(FACE_DATUMS))
    {
        transpose_face(from, to);
    }
}

/// Swaps faces 1 and 2 only.
pub fn transpose_faces(tile: &Tile, out: &mut Tile) {
    for (from, to) in [(0, 0), (1, 2), (2, 1), (3, 3)] {
        out.0[FACE_DATUMS * to..FACE_DATUMS * (to + 1)]
            .copy_from_slice(&tile.0[FACE_DATUMS * from..FACE_DATUMS * (from + 1)]);
    }
}

fn transpose_face(from: &[u32], to: &mut [u32]) {
    for (r, row) in to.chunks_exact_mut(ROW_DATUMS).enumerate() {
        for (c, datum) in row.iter_mut().enumerate() {
            *datum = from[ROW_DATUMS * c + r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_float_table_agrees_with_the_conversion_it_abbreviates() {
        for exponent in 0..=255u8 {
            let mut bytes = vec![exponent; 1088];
            for half in 0..1024 {
                bytes[64 + half] = half as u8;
            }
            let mut tile = Tile::ZERO;
            unpack_tile(DataFormat::Bfp8_b, DataFormat::Bfp8_b, &bytes, &mut tile);
            for (at, &word) in tile.0.iter().enumerate() {
                assert_eq!(
                    word >> 16,
                    u32::from(bfp8_to_bf16(at as u8, exponent)),
                    "{at}"
                );
            }
        }
    }

    #[test]
    fn transposes_compose() {
        let tile = Tile::from_fn(|r, c| (32 * r + c) as u32);
        let (mut whole, mut within, mut both) = (Tile::ZERO, Tile::ZERO, Tile::ZERO);
        transpose(&tile, &mut whole);
        assert_eq!(whole, Tile::from_fn(|r, c| (32 * c + r) as u32));
        transpose_within_faces(&tile, &mut within);
        transpose_faces(&within, &mut both);
        assert_eq!(both, whole);
    }
}
