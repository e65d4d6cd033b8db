//! Host-side codecs: tensors to and from the bytes that a device buffer holds.
//!
//! These are the host's rules, not the device's: f32 to bf16 rounds to nearest even here and away from
//! zero in the packer. Nothing on the way of a tile operation may call them. Start at
//! [`encode_tiles`] and [`decode_tiles`].

use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
use crate::tile::{ROW_DATUMS, TILE_DATUMS, face_index};

/// Rounds to nearest, ties to even; NaN stays NaN with its sign.
pub const fn f32_to_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    if bits & 0x7FFF_FFFF > 0x7F80_0000 {
        return (bits >> 16) as u16 | 0x40;
    }
    ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16) as u16
}

/// Exact.
pub const fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits((bits as u32) << 16)
}

/// Exact; exponent 31 is infinity or NaN on the host.
pub fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, mantissa) = (u32::from(bits >> 10 & 31), u32::from(bits & 0x3FF));
    match exponent {
        0 => {
            let magnitude = mantissa as f32 * f32::from_bits(103 << 23);
            f32::from_bits(sign | magnitude.to_bits())
        }
        31 => f32::from_bits(sign | 0x7F80_0000 | mantissa << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | mantissa << 13),
    }
}

/// Mantissa bits without the sign of a block float with an 8-bit exponent.
const fn magnitude_bits(format: DataFormat) -> Option<u32> {
    match format {
        DataFormat::Bfp8_b => Some(7),
        DataFormat::Bfp4_b => Some(3),
        DataFormat::Bfp2_b => Some(1),
        _ => None,
    }
}

/// Encodes 16 values under one shared exponent. Exact for representable values; others round to
/// nearest, ties to even, and saturate: the shared exponent is the largest one and is never bumped.
/// Infinities and NaN become the largest magnitude; denormals count as zero.
fn encode_block(bits: u32, values: &[f32; ROW_DATUMS]) -> (u8, [u8; ROW_DATUMS]) {
    let fields = values.map(|v| (v.to_bits() >> 23 & 255).min(254));
    let shared = fields.into_iter().max().unwrap_or(0);
    let mut datums = [0; ROW_DATUMS];
    for ((datum, &field), value) in datums.iter_mut().zip(&fields).zip(values) {
        if field == 0 {
            continue;
        }
        let pattern = value.to_bits();
        let special = pattern >> 23 & 255 == 255;
        let mantissa = if special { 0xFF_FFFF } else { u64::from(pattern & 0x7F_FFFF | 0x80_0000) };
        let shift = (24 - bits + shared - field).min(40);
        let kept = mantissa >> shift;
        let rest = mantissa & ((1 << shift) - 1);
        let half = 1 << (shift - 1);
        let up = rest > half || rest == half && kept & 1 == 1;
        let magnitude = (kept + u64::from(up)).min((1 << bits) - 1) as u8;
        if magnitude != 0 {
            *datum = ((pattern >> 31) as u8) << bits | magnitude;
        }
    }
    (shared as u8, datums)
}

/// (-1)^s m 2^(E-127-6) in units of the format; a negative zero is -inf.
fn decode_datum(bits: u32, datum: u8, exponent: u8) -> f32 {
    let magnitude = datum & ((1 << bits) - 1);
    let negative = datum >> bits & 1 == 1;
    let value = match (magnitude, negative) {
        (0, true) => return f32::NEG_INFINITY,
        (0, false) => return 0.0,
        _ => f64::from(magnitude) * power_of_two(i32::from(exponent) - 127 - (bits as i32 - 1)),
    };
    (if negative { -value } else { value }) as f32
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Values of up to 32 rows of a matrix, `width` each, to the bytes of their tiles; `DATUM` bytes a datum, fp32 or bf16.
/// Padding is written as all ones, a NaN in either format.
///
/// # Panics
///
/// When `tiles` is not one row of tiles as wide as the values.
pub fn values_to_tile_row<const DATUM: usize>(values: &[f32], width: usize, tiles: &mut [u8]) {
    assert_eq!(tiles.len(), width.div_ceil(32) * TILE_DATUMS * DATUM, "a row of tiles");
    vectorized(ToTiles::<DATUM> { values, width, tiles });
}

/// The inverse of [`values_to_tile_row`]; padding is left out.
///
/// # Panics
///
/// As [`values_to_tile_row`].
pub fn tile_row_to_values<const DATUM: usize>(tiles: &[u8], width: usize, values: &mut [f32]) {
    assert_eq!(tiles.len(), width.div_ceil(32) * TILE_DATUMS * DATUM, "a row of tiles");
    vectorized(FromTiles::<DATUM> { values, width, tiles });
}

/// Values to data of `DATUM` bytes each, fp32 or bf16.
pub fn values_to_data<const DATUM: usize>(values: &[f32], data: &mut [u8]) {
    vectorized(ToData::<DATUM> { values, data });
}

/// The inverse of [`values_to_data`].
pub fn data_to_values<const DATUM: usize>(data: &[u8], values: &mut [f32]) {
    vectorized(FromData::<DATUM> { values, data });
}

#[inline(always)]
fn put<const DATUM: usize>(to: &mut [u8; DATUM], value: f32) {
    if DATUM == 4 {
        to.copy_from_slice(&value.to_le_bytes());
    } else {
        to.copy_from_slice(&f32_to_bf16(value).to_le_bytes());
    }
}

#[inline(always)]
fn get<const DATUM: usize>(from: &[u8; DATUM]) -> f32 {
    if DATUM == 4 {
        f32::from_bits(u32::from_le_bytes([from[0], from[1], from[DATUM - 2], from[DATUM - 1]]))
    } else {
        bf16_to_f32(u16::from_le_bytes([from[0], from[1]]))
    }
}

struct ToData<'a, const DATUM: usize> {
    values: &'a [f32],
    data: &'a mut [u8],
}

impl<const DATUM: usize> Lanes for ToData<'_, DATUM> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, value) in self.data.as_chunks_mut::<DATUM>().0.iter_mut().zip(self.values) {
            put(to, *value);
        }
    }
}

struct FromData<'a, const DATUM: usize> {
    values: &'a mut [f32],
    data: &'a [u8],
}

impl<const DATUM: usize> Lanes for FromData<'_, DATUM> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (to, from) in self.values.iter_mut().zip(self.data.as_chunks::<DATUM>().0) {
            *to = get(from);
        }
    }
}

struct ToTiles<'a, const DATUM: usize> {
    values: &'a [f32],
    width: usize,
    tiles: &'a mut [u8],
}

impl<const DATUM: usize> Lanes for ToTiles<'_, DATUM> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let rows = self.values.len() / self.width;
        for (column, tile) in self.tiles.chunks_exact_mut(TILE_DATUMS * DATUM).enumerate() {
            if rows < 32 || self.width - 32 * column < 32 {
                tile.fill(0xff);
            }
            for (row, values) in self.values.chunks_exact(self.width).enumerate() {
                for half in 0..2 {
                    let first = 32 * column + ROW_DATUMS * half;
                    let to = tile[face_index(row, ROW_DATUMS * half) * DATUM..].as_chunks_mut::<DATUM>().0;
                    let Some(values) = values.get(first..) else { break };
                    if let (Some(to), Some(values)) =
                        (to.first_chunk_mut::<ROW_DATUMS>(), values.first_chunk::<ROW_DATUMS>())
                    {
                        for i in 0..ROW_DATUMS {
                            put(&mut to[i], values[i]);
                        }
                    } else {
                        to.iter_mut().zip(values).for_each(|(to, value)| put(to, *value));
                    }
                }
            }
        }
    }
}

struct FromTiles<'a, const DATUM: usize> {
    values: &'a mut [f32],
    width: usize,
    tiles: &'a [u8],
}

impl<const DATUM: usize> Lanes for FromTiles<'_, DATUM> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (column, tile) in self.tiles.chunks_exact(TILE_DATUMS * DATUM).enumerate() {
            for (row, values) in self.values.chunks_exact_mut(self.width).enumerate() {
                for half in 0..2 {
                    let first = 32 * column + ROW_DATUMS * half;
                    let from = tile[face_index(row, ROW_DATUMS * half) * DATUM..].as_chunks::<DATUM>().0;
                    let Some(values) = values.get_mut(first..) else { break };
                    if let (Some(from), Some(values)) =
                        (from.first_chunk::<ROW_DATUMS>(), values.first_chunk_mut::<ROW_DATUMS>())
                    {
                        for i in 0..ROW_DATUMS {
                            values[i] = get(&from[i]);
                        }
                    } else {
                        values.iter_mut().zip(from).for_each(|(to, from)| *to = get(from));
                    }
                }
            }
        }
    }
}

/// Bytes of a row-major `rows` x `cols` matrix reordered into tiles, for datums of `datum_bytes` bytes.
///
/// # Panics
///
/// When the shape is not a multiple of 32 or the length does not fit it.
pub fn tilize(datum_bytes: usize, row_major: &[u8], rows: usize, cols: usize) -> Vec<u8> {
    let mut tiles = vec![0; row_major.len()];
    for_each_datum(datum_bytes, row_major.len(), rows, cols, |row_at, tile_at| {
        tiles[tile_at..tile_at + datum_bytes].copy_from_slice(&row_major[row_at..row_at + datum_bytes]);
    });
    tiles
}

/// The inverse of [`tilize`].
///
/// # Panics
///
/// As [`tilize`].
pub fn untilize(datum_bytes: usize, tiles: &[u8], rows: usize, cols: usize) -> Vec<u8> {
    let mut row_major = vec![0; tiles.len()];
    for_each_datum(datum_bytes, tiles.len(), rows, cols, |row_at, tile_at| {
        row_major[row_at..row_at + datum_bytes].copy_from_slice(&tiles[tile_at..tile_at + datum_bytes]);
    });
    row_major
}

fn for_each_datum(datum_bytes: usize, bytes: usize, rows: usize, cols: usize, mut visit: impl FnMut(usize, usize)) {
    assert!(
        rows.is_multiple_of(32) && cols.is_multiple_of(32) && bytes == rows * cols * datum_bytes,
        "a tiled matrix has 32-datum sides: {rows} x {cols}, {bytes} bytes"
    );
    for row in 0..rows {
        for col in 0..cols {
            let tile = (row / 32) * (cols / 32) + col / 32;
            let in_tiles = TILE_DATUMS * tile + face_index(row % 32, col % 32);
            visit((row * cols + col) * datum_bytes, in_tiles * datum_bytes);
        }
    }
}

/// A row-major f32 matrix as the tiles of a device buffer. `None` for formats whose host rule is not
/// modelled (fp16, the "A" block floats, 8-bit floats and integers).
pub fn encode_tiles(format: DataFormat, values: &[f32], rows: usize, cols: usize) -> Option<Vec<u8>> {
    match format {
        DataFormat::Float32 => {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            Some(tilize(4, &bytes, rows, cols))
        }
        DataFormat::Float16_b => {
            let bytes: Vec<u8> = values.iter().flat_map(|&v| f32_to_bf16(v).to_le_bytes()).collect();
            Some(tilize(2, &bytes, rows, cols))
        }
        _ => {
            let bits = magnitude_bits(format)?;
            let floats: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            let tiles = tilize(4, &floats, rows, cols);
            let mut out = Vec::with_capacity(values.len() / TILE_DATUMS * format.tile_bytes() as usize);
            for tile in tiles.chunks_exact(4 * TILE_DATUMS) {
                let mut mantissas = Vec::with_capacity(TILE_DATUMS);
                for row in tile.chunks_exact(4 * ROW_DATUMS) {
                    let block: [f32; ROW_DATUMS] = std::array::from_fn(|i| {
                        f32::from_le_bytes([row[4 * i], row[4 * i + 1], row[4 * i + 2], row[4 * i + 3]])
                    });
                    let (exponent, datums) = encode_block(bits, &block);
                    out.push(exponent);
                    let per_byte = (8 / (bits + 1)) as usize;
                    for group in datums.chunks_exact(per_byte) {
                        let byte = group
                            .iter()
                            .enumerate()
                            .fold(0, |byte, (i, datum)| byte | datum << (i as u32 * (bits + 1)));
                        mantissas.push(byte);
                    }
                }
                out.extend(mantissas);
            }
            Some(out)
        }
    }
}

/// The tiles of a device buffer as a row-major f32 matrix. `None` as for [`encode_tiles`], but fp16 is
/// read.
pub fn decode_tiles(format: DataFormat, bytes: &[u8], rows: usize, cols: usize) -> Option<Vec<f32>> {
    let mut values = vec![0.0; rows * cols];
    let mut place = |tile: usize, at: usize, value: f32| {
        let (face, row, col) = (at / 256, at / 16 % 16, at % 16);
        let row = 32 * (tile / (cols / 32)) + 16 * (face / 2) + row;
        let col = 32 * (tile % (cols / 32)) + 16 * (face % 2) + col;
        values[row * cols + col] = value;
    };
    for (tile, bytes) in bytes.chunks_exact(format.tile_bytes() as usize).enumerate() {
        for at in 0..TILE_DATUMS {
            let value = match format {
                DataFormat::Float32 => {
                    let b = &bytes[4 * at..4 * at + 4];
                    f32::from_le_bytes([b[0], b[1], b[2], b[3]])
                }
                DataFormat::Float16_b => bf16_to_f32(u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])),
                DataFormat::Float16 => f16_to_f32(u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]])),
                _ => {
                    let bits = magnitude_bits(format)?;
                    let per_byte = (8 / (bits + 1)) as usize;
                    let byte = bytes[64 + at / per_byte];
                    let datum = byte >> ((at % per_byte) as u32 * (bits + 1));
                    decode_datum(bits, datum, bytes[at / ROW_DATUMS])
                }
            };
            place(tile, at, value);
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bf16_rounds_to_nearest_even() {
        assert_eq!(f32_to_bf16(1.0 + 1.0 / 256.0), 0x3F80);
        assert_eq!(f32_to_bf16(1.0 + 3.0 / 256.0), 0x3F82);
        assert_eq!(f32_to_bf16(f32::MAX), 0x7F80);
        assert_eq!(f32_to_bf16(f32::from_bits(0xFF80_0001)), 0xFFC0);
    }

    #[test]
    fn representable_values_survive_every_tiled_format() {
        let values: Vec<f32> = (0..64 * 96).map(|i| (i % 16) as f32 * 0.25 - 1.75).collect();
        for format in [DataFormat::Float32, DataFormat::Float16_b, DataFormat::Bfp8_b] {
            let bytes = encode_tiles(format, &values, 64, 96).unwrap();
            assert_eq!(bytes.len(), 6 * format.tile_bytes() as usize);
            assert_eq!(decode_tiles(format, &bytes, 64, 96).unwrap(), values);
        }
        let halves: Vec<f32> = (0..1024).map(|i| (i % 7) as f32 - 3.0).collect();
        let bytes = encode_tiles(DataFormat::Bfp4_b, &halves, 32, 32).unwrap();
        assert_eq!(decode_tiles(DataFormat::Bfp4_b, &bytes, 32, 32).unwrap(), halves);
        assert_eq!(encode_tiles(DataFormat::Lf8, &halves, 32, 32), None);
    }

    #[test]
    fn untilize_undoes_tilize() {
        let bytes: Vec<u8> = (0..64 * 32 * 2).map(|i| (i * 7 % 251) as u8).collect();
        let tiles = tilize(2, &bytes, 64, 32);
        assert_ne!(tiles, bytes);
        assert_eq!(untilize(2, &tiles, 64, 32), bytes);
    }
}
