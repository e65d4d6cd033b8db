//! The packers: Dst words to L1 bytes.
//!
//! The order is that of the hardware: early conversion to the source format, edge mask, ReLU, late
//! conversion to the output format, L1 accumulation (ISA documentation, `Packers/FormatConversion.md`;
//! ttsim `tensix.cpp`). Undefined Dst rows must have been made zero before: nothing here sees valid
//! flags. Start at [`pack_tile`].

use crate::format::DataFormat;
use crate::tile::{FACE_DATUMS, ROW_DATUMS, TILE_DATUMS, Tile, face_index};

/// ReLU of the packer; thresholds are 16-bit patterns of the source's class and never negative.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Relu {
    /// Off.
    #[default]
    None,
    /// Negative becomes 0.
    Zero,
    /// Everything up to the threshold becomes 0.
    MinThreshold(u16),
    /// Negative becomes 0, everything beyond the threshold the threshold.
    MaxThreshold(u16),
}

/// Which datums the edge mask that `reduce_init` programs lets through; the others pack as 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum EdgeMask {
    /// All.
    #[default]
    None,
    /// Columns 0 and 16.
    Row,
    /// Row 0.
    Col,
    /// [0][0].
    Scalar,
}

impl EdgeMask {
    fn keeps(self, at: usize) -> bool {
        let (face, row, col) = (at / FACE_DATUMS, at / ROW_DATUMS % 16, at % ROW_DATUMS);
        match self {
            EdgeMask::None => true,
            EdgeMask::Row => col == 0,
            EdgeMask::Col => face < 2 && row == 0,
            EdgeMask::Scalar => at == 0,
        }
    }
}

/// What the packer configuration registers say.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackMode {
    /// Reads Dst as 32-bit.
    pub dst_32: bool,
    /// Format after the early conversion ([`crate::format::pack_source_format`]).
    pub source: DataFormat,
    /// Format in L1.
    pub out: DataFormat,
    /// ReLU.
    pub relu: Relu,
    /// Edge mask.
    pub edge: EdgeMask,
}

impl PackMode {
    /// True when the conversion is one that a public source describes. A ReLU threshold with the sign
    /// set is undefined on the hardware; integers have no thresholds.
    pub const fn is_modelled(self) -> bool {
        use DataFormat::*;
        let conversion = match (self.dst_32, self.source) {
            (true, Float32) => {
                matches!(self.out, Float32 | Float16 | Bfp8_b | Bfp4_b | Bfp2_b)
            }
            (true, Float16_b) => matches!(self.out, Float16_b),
            (true, Bfp8_b) => matches!(self.out, Bfp8_b | Bfp4_b | Bfp2_b),
            (true, Int32 | UInt32) => matches!(self.out, Int32 | UInt32),
            (true, Int8) => matches!(self.out, Int8),
            (true, UInt8) => matches!(self.out, UInt8),
            (_, UInt16) => matches!(self.out, UInt16),
            (false, Float16_b) => {
                matches!(self.out, Float32 | Float16_b | Bfp8_b | Bfp4_b | Bfp2_b)
            }
            (false, Bfp8_b) => {
                matches!(self.out, Float32 | Float16_b | Bfp8_b | Bfp4_b | Bfp2_b)
            }
            (false, Float16) => matches!(self.out, Float32 | Float16 | Float16_b),
            _ => false,
        };
        let relu = match self.relu {
            Relu::None => true,
            Relu::Zero => !matches!(self.source, UInt16 | Int8 | UInt8),
            Relu::MinThreshold(t) | Relu::MaxThreshold(t) => {
                t & 0x8000 == 0 && matches!(self.source, Float32 | Float16 | Float16_b | Bfp8_b)
            }
        };
        conversion && relu
    }
}

/// Packs one tile in L1 order and returns the bytes written.
///
/// # Panics
///
/// When [`PackMode::is_modelled`] is false or `out` is shorter than a tile.
pub fn pack_tile(mode: &PackMode, dst: &Tile, out: &mut [u8]) -> usize {
    assert!(mode.is_modelled(), "packer: {mode:?} is not modelled");
    let bytes = mode.out.tile_bytes() as usize;
    let out = &mut out[..bytes];
    if mode.out.is_block_float() {
        pack_block_float(mode, dst, out);
    } else {
        pack_run(mode, &dst.0, 0, out);
    }
    bytes
}

/// Packs tiles side by side as rows (`pack_untilize`): row r of `tiles[c]` goes to
/// `out[r * row_stride_bytes + c * 32 datums ..]`. For a column block of a wider row pass `out` from the
/// block's first byte on.
///
/// # Panics
///
/// As [`pack_tile`]; block floats have no row-major form.
pub fn pack_untilize_rows(
    mode: &PackMode,
    tiles: &[&Tile],
    out: &mut [u8],
    row_stride_bytes: usize,
) {
    assert!(
        mode.is_modelled() && !mode.out.is_block_float(),
        "packer, untilize: {mode:?} is not modelled"
    );
    let half = ROW_DATUMS * crate::unpack::datum_bytes(mode.out);
    for row in 0..32 {
        for (c, tile) in tiles.iter().enumerate() {
            for side in 0..2 {
                let at = face_index(row, ROW_DATUMS * side);
                let start = row * row_stride_bytes + (2 * c + side) * half;
                let datums = &tile.0[at..at + ROW_DATUMS];
                pack_run(mode, datums, at, &mut out[start..start + half]);
            }
        }
    }
}

/// Packs datums that start at index `first` of their tile.
fn pack_run(mode: &PackMode, datums: &[u32], first: usize, out: &mut [u8]) {
    match crate::unpack::datum_bytes(mode.out) {
        4 => {
            let (out, _) = out.as_chunks_mut::<4>();
            for (i, (o, &word)) in out.iter_mut().zip(datums).enumerate() {
                *o = pack_datum(mode, word, first + i).to_le_bytes();
            }
        }
        2 => {
            let (out, _) = out.as_chunks_mut::<2>();
            for (i, (o, &word)) in out.iter_mut().zip(datums).enumerate() {
                *o = (pack_datum(mode, word, first + i) as u16).to_le_bytes();
            }
        }
        _ => {
            for (i, (o, &word)) in out.iter_mut().zip(datums).enumerate() {
                *o = pack_datum(mode, word, first + i) as u8;
            }
        }
    }
}

fn pack_datum(mode: &PackMode, word: u32, at: usize) -> u32 {
    if !mode.edge.keeps(at) {
        return 0;
    }
    let value = early(mode, word);
    late(mode, relu(mode, value))
}

/// Dst word to the source format, right-aligned.
fn early(mode: &PackMode, word: u32) -> u32 {
    use DataFormat::*;
    if mode.dst_32 {
        let limited = if word & 0x7FFF_FFFF > 0x7F80_0000 {
            word & 0x8000_0000 | 0x7F80_0000
        } else {
            word
        };
        let flush = |v: u32| if v & 0x7FFF < 0x80 { 0 } else { v };
        match mode.source {
            Float16_b => flush(((u64::from(limited) + 0x8000) >> 16) as u32),
            Bfp8_b => flush(((limited >> 16) + 1) & !1),
            Int8 => word >> 24 & 0x80 | (word & 0x7FFF_FFFF).min(127),
            UInt8 if word >> 31 == 1 => 0,
            UInt8 => word.min(255),
            UInt16 => word >> 16,
            _ => word,
        }
    } else {
        let value = word >> 16;
        match mode.source {
            Float16 => {
                if value & 0x7FFF < 0x400 {
                    0
                } else {
                    value
                }
            }
            Float16_b | Bfp8_b => {
                let limited = match value & 0x7FFF {
                    0x7F81.. => value & 0x8000 | 0x7F80,
                    ..0x80 => 0,
                    _ => value,
                };
                if mode.source == Bfp8_b {
                    (limited + 1) & !1
                } else {
                    limited
                }
            }
            _ => value,
        }
    }
}

fn relu(mode: &PackMode, value: u32) -> u32 {
    let wide = matches!(
        mode.source,
        DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32
    );
    let (sign, shift) = if wide { (1 << 31, 16) } else { (1 << 15, 0) };
    let positive = if value & sign != 0 { 0 } else { value };
    match mode.relu {
        Relu::None => value,
        Relu::Zero => positive,
        Relu::MinThreshold(t) if positive <= u32::from(t) << shift => 0,
        Relu::MinThreshold(_) => positive,
        Relu::MaxThreshold(t) => {
            let threshold = u32::from(t) << shift;
            // fp32 is compared by its upper 19 bits.
            let compared = if wide { 13 } else { 0 };
            if positive >> compared > threshold >> compared {
                threshold
            } else {
                positive
            }
        }
    }
}

/// Source format to the L1 datum; block floats are left as bf16 patterns.
fn late(mode: &PackMode, value: u32) -> u32 {
    use DataFormat::*;
    match (mode.source, mode.out) {
        (Float16_b | Bfp8_b, Float32) => value << 16,
        (Float32, Bfp8_b | Bfp4_b | Bfp2_b) => {
            let pattern = value >> 16;
            if pattern & 0x7FFF < 0x80 { 0 } else { pattern }
        }
        (Float32, Float16) => {
            let sign = value >> 31 << 15;
            match (value >> 23 & 255) as i32 - 112 {
                ..0 => sign,
                32.. => sign | 0x7FFF,
                exponent => sign | (exponent as u32) << 10 | value >> 13 & 0x3FF,
            }
        }
        (Float16, Float32) => {
            let sign = (value & 0x8000) << 16;
            if value & 0x7C00 != 0 {
                sign | ((value & 0x7FFF) + (112 << 10)) << 13
            } else {
                sign | (value & 0x3FF) << 13
            }
        }
        (Float16, Float16_b) => match value >> 10 & 31 {
            0 => 0,
            exponent => value & 0x8000 | (exponent + 112) << 7 | value >> 3 & 0x7F,
        },
        _ => value,
    }
}

/// Sixteen bf16 patterns under their largest exponent: rounded half up to seven bits, saturating, and
/// only then cut to the width of the format. A zero magnitude loses its sign.
fn pack_block_float(mode: &PackMode, dst: &Tile, out: &mut [u8]) {
    let width = match mode.out {
        DataFormat::Bfp4_b => 4,
        DataFormat::Bfp2_b => 2,
        _ => 8,
    };
    let (exponents, mantissas) = out.split_at_mut(TILE_DATUMS / ROW_DATUMS);
    mantissas.fill(0);
    for (row, (datums, shared)) in dst.0.chunks_exact(ROW_DATUMS).zip(exponents).enumerate() {
        let mut patterns = [0; ROW_DATUMS];
        for (i, (pattern, &word)) in patterns.iter_mut().zip(datums).enumerate() {
            *pattern = pack_datum(mode, word, ROW_DATUMS * row + i);
        }
        let largest = patterns.iter().map(|p| p >> 7 & 255).max().unwrap_or(0);
        *shared = largest as u8;
        for (i, pattern) in patterns.into_iter().enumerate() {
            let exponent = pattern >> 7 & 255;
            let hidden = if exponent == 0 { 0 } else { 128 };
            let distance = largest - exponent;
            let rounded = if distance >= 8 {
                0
            } else {
                (((pattern & 127 | hidden) + (1 << distance)) >> (distance + 1)).min(127)
            };
            let magnitude = rounded >> (8 - width);
            let sign = if magnitude == 0 { 0 } else { pattern >> 15 };
            let datum = (sign << (width - 1) | magnitude) as u8;
            let at = (ROW_DATUMS * row + i) * width as usize;
            mantissas[at / 8] |= datum << (at % 8);
        }
    }
}

/// True for the formats that the packer accumulates in.
pub const fn accumulates_in_l1(format: DataFormat) -> bool {
    matches!(
        format,
        DataFormat::Float32 | DataFormat::Float16 | DataFormat::Float16_b
    )
}

/// `pack_reconfig_l1_acc(1)`: adds freshly packed datums to those in L1, in the output format.
///
/// # Panics
///
/// When [`accumulates_in_l1`] is false.
pub fn accumulate_l1(format: DataFormat, old: &mut [u8], new: &[u8]) {
    match format {
        DataFormat::Float32 => {
            for (old, new) in old
                .as_chunks_mut::<4>()
                .0
                .iter_mut()
                .zip(new.as_chunks::<4>().0)
            {
                *old =
                    add_float32(u32::from_le_bytes(*old), u32::from_le_bytes(*new)).to_le_bytes();
            }
        }
        DataFormat::Float16_b | DataFormat::Float16 => {
            let add = if format == DataFormat::Float16 {
                add_float16
            } else {
                add_float16_b
            };
            for (old, new) in old
                .as_chunks_mut::<2>()
                .0
                .iter_mut()
                .zip(new.as_chunks::<2>().0)
            {
                *old = add(u16::from_le_bytes(*old), u16::from_le_bytes(*new)).to_le_bytes();
            }
        }
        _ => panic!("packer: no L1 accumulation in {format:?}"),
    }
}

/// IEEE, with denormals as zero on both sides and one NaN pattern.
fn add_float32(old: u32, new: u32) -> u32 {
    let flush = |x: u32| {
        if x & 0x7F80_0000 == 0 {
            x & 0x8000_0000
        } else {
            x
        }
    };
    let sum = (f32::from_bits(flush(old)) + f32::from_bits(flush(new))).to_bits();
    if sum & 0x7FFF_FFFF > 0x7F80_0000 {
        0x7FC0_0000
    } else {
        flush(sum)
    }
}

/// Exact sum, rounded to nearest even. NaN is no NaN here: in L1 it is larger than anything, from the
/// packer it is a number with exponent 255. Opposite infinities make the one NaN.
fn add_float16_b(old: u16, new: u16) -> u16 {
    const INFINITY: u16 = 0x7F80;
    if old & 0x7FFF == INFINITY && new == old ^ 0x8000 {
        return 0x7FC0;
    }
    let value = |x: u16| {
        let flushed = if x & INFINITY == 0 { x & 0x8000 } else { x };
        f64::from(f32::from_bits(u32::from(flushed) << 16))
    };
    let signed = |x: u16, magnitude: u64| f64::from_bits(u64::from(x & 0x8000) << 48 | magnitude);
    let old_value = if old & 0x7FFF > INFINITY {
        signed(old, (0x7FF << 52) - 1)
    } else {
        value(old)
    };
    let new_value = if new & 0x7FFF > INFINITY {
        signed(new, (255 - 127 + 1023) << 52 | u64::from(new & 0x7F) << 45)
    } else {
        value(new)
    };
    let sum = (old_value + new_value).to_bits();
    let sign = (sum >> 48) as u16 & 0x8000;
    let mantissa = sum & ((1 << 52) - 1);
    match (sum >> 52 & 0x7FF) as i32 - 1023 + 127 {
        ..=0 => sign,
        255.. => sign | INFINITY,
        exponent => {
            let rounded = (mantissa + (1 << 44) - 1 + (mantissa >> 45 & 1)) >> 45;
            sign | ((exponent as u16) << 7) + rounded as u16
        }
    }
}

/// fp16 without infinities: overflow saturates, and so do underflow below exponent 0 and the exact
/// cancellation of large values (ttsim `tensix.cpp`).
fn add_float16(old: u16, new: u16) -> u16 {
    let value = |x: u16| {
        let magnitude = u32::from(x & 0x7FFF);
        let bits = if magnitude >= 0x400 {
            (magnitude << 13) + (112 << 23)
        } else {
            0
        };
        f32::from_bits(u32::from(x & 0x8000) << 16 | bits)
    };
    let sum = (value(old) + value(new)).to_bits();
    let sign = (sum >> 16) as u16 & 0x8000;
    if sum & 0x7FFF_FFFF == 0 {
        return sign | if old >> 10 & 31 >= 30 { 0x7FFF } else { 0 };
    }
    let mantissa = sum & 0x7F_FFFF;
    match (sum >> 23 & 255) as i32 - 112 {
        ..0 => sign | 0x7FFF,
        0 => sign,
        exponent => {
            let rounded = (mantissa + (1 << 12) - 1 + (mantissa >> 13 & 1)) >> 13;
            let packed = ((exponent as u32) << 10) + rounded;
            sign | if packed < 0x8000 {
                packed as u16
            } else {
                0x7FFF
            }
        }
    }
}
