//! The unpackers: L1 bytes to register words.
//!
//! Narrowing is by truncation, never by rounding; block floats become bf16 patterns, wrapped exponents
//! included (ISA documentation, `TensixCoprocessor/UNPACR_Regular.md`; ttsim `tensix.cpp`). Nothing
//! here knows a circular buffer or checks that the bytes are ready. Start at [`unpack_tile`].

use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
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
    assert!(converts(l1, register), "unpacker: {l1:?} to {register:?} is not modelled");
    if l1.is_block_float() {
        vectorized(BlockFloat { l1, bytes: &bytes[..l1.tile_bytes() as usize], out: &mut out.0 });
    } else {
        vectorized(UnpackedRun { l1, register, bytes, out: &mut out.0 });
    }
}

/// Unpacks one tile of a row-major block (`tilize_block`): `rows` starts at the tile's first datum and
/// its 32 rows lie `row_stride_bytes` apart.
///
/// # Panics
///
/// As [`unpack_tile`]; block floats have no row-major form.
pub fn unpack_tilize(l1: DataFormat, register: DataFormat, rows: &[u8], row_stride_bytes: usize, out: &mut Tile) {
    assert!(
        converts(l1, register) && !l1.is_block_float(),
        "unpacker, tileize: {l1:?} to {register:?} is not modelled"
    );
    // Pieces of a length that is known here are moves, not calls.
    let gather = match datum_bytes(l1) {
        1 => gather::<16, TILE_DATUMS>,
        2 => gather::<32, { 2 * TILE_DATUMS }>,
        _ => gather::<64, { 4 * TILE_DATUMS }>,
    };
    gather(l1, register, (rows, row_stride_bytes), out);
}

/// A tile of 32 rows of two pieces of `HALF` bytes, `BYTES` in all: gathered into face order first, so that one long run is converted.
fn gather<const HALF: usize, const BYTES: usize>(
    l1: DataFormat,
    register: DataFormat,
    (rows, row_stride_bytes): (&[u8], usize),
    out: &mut Tile,
) {
    let mut faces = [0; BYTES];
    for row in 0..32 {
        for side in 0..2 {
            let from = row * row_stride_bytes + side * HALF;
            let to = face_index(row, ROW_DATUMS * side) / ROW_DATUMS * HALF;
            faces[to..to + HALF].copy_from_slice(&rows[from..from + HALF]);
        }
    }
    vectorized(UnpackedRun { l1, register, bytes: &faces, out: &mut out.0 });
}

/// Bytes of a datum in L1 of a format that is not a block float.
pub(crate) const fn datum_bytes(format: DataFormat) -> usize {
    format.tile_bytes() as usize / TILE_DATUMS
}

#[inline(always)]
fn map16(bytes: &[u8], out: &mut [u32; TILE_DATUMS], convert: impl Fn(u32) -> u32) {
    let (datums, _) = bytes[..2 * out.len()].as_chunks::<2>();
    for (o, datum) in out.iter_mut().zip(datums) {
        *o = convert(u32::from(u16::from_le_bytes(*datum)));
    }
}

#[inline(always)]
fn map32(bytes: &[u8], out: &mut [u32; TILE_DATUMS], convert: impl Fn(u32) -> u32) {
    let (datums, _) = bytes[..4 * out.len()].as_chunks::<4>();
    for (o, datum) in out.iter_mut().zip(datums) {
        *o = convert(u32::from_le_bytes(*datum));
    }
}

#[inline(always)]
fn map8(bytes: &[u8], out: &mut [u32; TILE_DATUMS], convert: impl Fn(u32) -> u32) {
    let datums = &bytes[..out.len()];
    for (o, &datum) in out.iter_mut().zip(datums) {
        *o = convert(u32::from(datum));
    }
}

/// Datums that follow each other in L1 and in the register.
struct UnpackedRun<'t> {
    l1: DataFormat,
    register: DataFormat,
    bytes: &'t [u8],
    out: &'t mut [u32; TILE_DATUMS],
}

impl Lanes for UnpackedRun<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let UnpackedRun { l1, register, bytes, out } = self;
        unpack_run(l1, register, bytes, out);
    }
}

#[inline(always)]
fn unpack_run(l1: DataFormat, register: DataFormat, bytes: &[u8], out: &mut [u32; TILE_DATUMS]) {
    use DataFormat::*;
    match (l1, register) {
        (Float32 | Tf32, Tf32) => map32(bytes, out, |v| v & 0xFFFF_E000),
        (Float32, Float16_b) => map32(bytes, out, |v| v & if v & 0x7F80_0000 == 0 { 0x8000_0000 } else { 0xFFFF_0000 }),
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
    if magnitude == 0 { 0 } else { 16 << 23 | magnitude << 13 }
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

/// A tile of Bfp8, Bfp4 or Bfp2 datums: the shared exponents first, one for 16 datums.
struct BlockFloat<'t> {
    l1: DataFormat,
    bytes: &'t [u8],
    out: &'t mut [u32; TILE_DATUMS],
}

impl Lanes for BlockFloat<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let (exponents, mantissas) = self.bytes.split_at(TILE_DATUMS / ROW_DATUMS);
        let (rows, _) = self.out.as_chunks_mut::<ROW_DATUMS>();
        match self.l1 {
            DataFormat::Bfp4_b => {
                let (groups, _) = mantissas.as_chunks::<{ ROW_DATUMS / 2 }>();
                for ((row, &e), group) in rows.iter_mut().zip(exponents).zip(groups) {
                    for (pair, &byte) in row.as_chunks_mut::<2>().0.iter_mut().zip(group) {
                        *pair = [byte << 4, byte & 0xF0].map(|datum| bfp8_to_word(datum, e));
                    }
                }
            }
            DataFormat::Bfp2_b => {
                let (groups, _) = mantissas.as_chunks::<{ ROW_DATUMS / 4 }>();
                for ((row, &e), group) in rows.iter_mut().zip(exponents).zip(groups) {
                    for (four, &byte) in row.as_chunks_mut::<4>().0.iter_mut().zip(group) {
                        *four = [6, 4, 2, 0].map(|up| bfp8_to_word(byte << up & 0xC0, e));
                    }
                }
            }
            _ => {
                let (groups, _) = mantissas.as_chunks::<ROW_DATUMS>();
                for ((row, &e), group) in rows.iter_mut().zip(exponents).zip(groups) {
                    for (word, &datum) in row.iter_mut().zip(group) {
                        *word = bfp8_to_word(datum, e);
                    }
                }
            }
        }
    }
}

/// A Bfp8 datum and its shared exponent as a bf16 pattern in the high half of a word. The exponent
/// wraps when the magnitude has more leading zeros than it can pay for; a negative zero is -inf.
#[inline(always)]
fn bfp8_to_word(datum: u8, exponent: u8) -> u32 {
    let sign = u32::from(datum & 0x80) << 24;
    let magnitude = u32::from(datum & 0x7F);
    // As an f32 the magnitude is normalised: 64, whose unit is the shared exponent, is 2^6.
    let normal = (magnitude as f32).to_bits();
    let field = (normal >> 23).wrapping_sub(127 + 6).wrapping_add(u32::from(exponent)) & 255;
    let word = normal & 0x7F_FFFF | field << 23;
    let word = if magnitude == 0 { 0x7F80_0000 & 0u32.wrapping_sub(sign >> 31) } else { word };
    sign | word
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
    for (from, to) in tile.0.chunks_exact(FACE_DATUMS).zip(out.0.chunks_exact_mut(FACE_DATUMS)) {
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

    /// The conversion as the reference states it, a datum at a time: left-justify, count leading
    /// zeros, take them from the exponent modulo 256.
    fn bfp8_to_bf16(datum: u8, exponent: u8) -> u16 {
        let sign = u16::from(datum >> 7);
        let magnitude = datum << 1;
        if magnitude == 0 {
            return if sign == 1 { 0xFF80 } else { 0 };
        }
        let zeros = magnitude.leading_zeros();
        let exponent = exponent.wrapping_sub(zeros as u8);
        sign << 15 | u16::from(exponent) << 7 | u16::from(magnitude << zeros) & 0x7E
    }

    #[test]
    fn block_floats_are_normalised_and_their_exponents_wrap() {
        for (format, per_byte, shift) in
            [(DataFormat::Bfp8_b, 1, 0), (DataFormat::Bfp4_b, 2, 4), (DataFormat::Bfp2_b, 4, 6)]
        {
            for exponent in 0..=255u8 {
                let mut bytes = vec![exponent; format.tile_bytes() as usize];
                for (i, byte) in bytes[64..].iter_mut().enumerate() {
                    *byte = i as u8;
                }
                let mut tile = Tile::ZERO;
                unpack_tile(format, DataFormat::Bfp8_b, &bytes, &mut tile);
                for (at, &word) in tile.0.iter().enumerate() {
                    let byte = (at / per_byte) as u8;
                    let datum = byte >> (at % per_byte * (8 / per_byte)) << shift;
                    let expected = u32::from(bfp8_to_bf16(datum, exponent)) << 16;
                    assert_eq!(word, expected, "{format:?} {datum:#x} {exponent}");
                }
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
