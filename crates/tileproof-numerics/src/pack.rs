//! The packers: Dst words to L1 bytes.
//!
//! The order is that of the hardware: early conversion to the source format, edge mask, ReLU, late
//! conversion to the output format, L1 accumulation (ISA documentation, `Packers/FormatConversion.md`;
//! ttsim `tensix.cpp`). Undefined Dst rows must have been made zero before: nothing here sees valid
//! flags. Start at [`pack_tile`].

use crate::format::DataFormat;
use crate::simd::{Lanes, vectorized};
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
    /// The datums let through, in face order.
    fn kept(self) -> impl Iterator<Item = usize> {
        let (count, step) = match self {
            EdgeMask::None => (TILE_DATUMS, 1),
            EdgeMask::Row => (TILE_DATUMS / ROW_DATUMS, ROW_DATUMS),
            EdgeMask::Col => (2 * ROW_DATUMS, 1),
            EdgeMask::Scalar => (1, 1),
        };
        let second_face = if self == EdgeMask::Col { FACE_DATUMS - ROW_DATUMS } else { 0 };
        (0..count).map(move |i| i * step + if i < ROW_DATUMS { 0 } else { second_face })
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
    if mode.edge != EdgeMask::None {
        let mut kept = Tile::ZERO;
        let open = PackMode { edge: EdgeMask::None, ..*mode };
        // Masked datums read as 0 before ReLU, which leaves a zero alone.
        for at in mode.edge.kept() {
            kept.0[at] = dst.0[at];
        }
        return pack_tile(&open, &kept, out);
    }
    if mode.out.is_block_float() {
        vectorized(BlockFloat { mode, datums: &dst.0, out });
    } else {
        vectorized(Run { mode, datums: &dst.0, out });
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
pub fn pack_untilize_rows(mode: &PackMode, tiles: &[&Tile], out: &mut [u8], row_stride_bytes: usize) {
    assert!(mode.is_modelled() && !mode.out.is_block_float(), "packer, untilize: {mode:?} is not modelled");
    let datum = crate::unpack::datum_bytes(mode.out);
    let half = ROW_DATUMS * datum;
    let mut page = [0; 4 * TILE_DATUMS];
    for (c, tile) in tiles.iter().enumerate() {
        pack_tile(mode, tile, &mut page);
        for row in 0..32 {
            for side in 0..2 {
                let from = face_index(row, ROW_DATUMS * side) * datum;
                let to = row * row_stride_bytes + (2 * c + side) * half;
                out[to..to + half].copy_from_slice(&page[from..from + half]);
            }
        }
    }
}

/// Datums that follow each other in Dst and in L1, without an edge mask.
struct Run<'t> {
    mode: &'t PackMode,
    datums: &'t [u32; TILE_DATUMS],
    out: &'t mut [u8],
}

impl Lanes for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        use DataFormat::*;
        let Run { mode, datums, out } = self;
        // The usual pairs, each a loop of its own; the mode is constant in it.
        match (mode.dst_32, mode.source, mode.out, mode.relu) {
            (true, Float32, Float32, Relu::None) => {
                store32(datums, out, |w| w);
            }
            (true, Float32, Float32, _) => {
                let limits = Limits::new(mode);
                store32(datums, out, |w| limits.apply::<true>(w));
            }
            (true, Float16_b, Float16_b, _) => {
                let limits = Limits::new(mode);
                store16(datums, out, |w| limits.apply::<false>(early_32_to_float16_b(w)));
            }
            (false, Float16_b, Float16_b, _) => {
                let limits = Limits::new(mode);
                store16(datums, out, |w| limits.apply::<false>(early_16(w)));
            }
            (false, Float16_b, Float32, _) => {
                let limits = Limits::new(mode);
                store32(datums, out, |w| limits.apply::<false>(early_16(w)) << 16);
            }
            _ => {
                let value = |w| late(mode, relu(mode, early(mode, w)));
                match crate::unpack::datum_bytes(mode.out) {
                    4 => store32(datums, out, value),
                    2 => store16(datums, out, value),
                    _ => {
                        for (o, &w) in out.iter_mut().zip(datums) {
                            *o = value(w) as u8;
                        }
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn store32(datums: &[u32; TILE_DATUMS], out: &mut [u8], value: impl Fn(u32) -> u32) {
    for (o, &w) in out.as_chunks_mut::<4>().0.iter_mut().zip(datums) {
        *o = value(w).to_le_bytes();
    }
}

#[inline(always)]
fn store16(datums: &[u32; TILE_DATUMS], out: &mut [u8], value: impl Fn(u32) -> u32) {
    for (o, &w) in out.as_chunks_mut::<2>().0.iter_mut().zip(datums) {
        *o = (value(w) as u16).to_le_bytes();
    }
}

/// ReLU without branches: everything up to `min` becomes 0, everything beyond `max` becomes `max`.
#[derive(Clone, Copy)]
struct Limits {
    off: bool,
    min: u32,
    max: u32,
}

impl Limits {
    #[inline(always)]
    fn new(mode: &PackMode) -> Limits {
        let shift = if mode.source == DataFormat::Float32 { 16 } else { 0 };
        let (off, min, max) = match mode.relu {
            Relu::None => (true, 0, u32::MAX),
            Relu::Zero => (false, 0, u32::MAX),
            Relu::MinThreshold(t) => (false, u32::from(t) << shift, u32::MAX),
            Relu::MaxThreshold(t) => (false, 0, u32::from(t) << shift),
        };
        Limits { off, min, max }
    }

    #[inline(always)]
    fn apply<const WIDE: bool>(self, value: u32) -> u32 {
        let (sign, compared) = if WIDE { (1 << 31, 13) } else { (1 << 15, 0) };
        let positive = if value & sign != 0 || value <= self.min { 0 } else { value };
        let limited = if positive >> compared > self.max >> compared { self.max } else { positive };
        if self.off { value } else { limited }
    }
}

/// Early conversion of 32-bit Dst to Float16_b: NaN becomes infinity, ties go away from zero, what is
/// below the smallest normal becomes +0.
#[inline(always)]
fn early_32_to_float16_b(word: u32) -> u32 {
    let magnitude = (word & 0x7FFF_FFFF).min(0x7F80_0000);
    let rounded = (magnitude + 0x8000) >> 16;
    if rounded < 0x80 { 0 } else { rounded | word >> 31 << 15 }
}

/// Early conversion of 16-bit Dst to Float16_b.
#[inline(always)]
fn early_16(word: u32) -> u32 {
    let magnitude = (word >> 16 & 0x7FFF).min(0x7F80);
    if magnitude < 0x80 { 0 } else { magnitude | word >> 31 << 15 }
}

/// Dst word to the source format, right-aligned.
#[inline(always)]
fn early(mode: &PackMode, word: u32) -> u32 {
    use DataFormat::*;
    if mode.dst_32 {
        match mode.source {
            Float16_b => early_32_to_float16_b(word),
            Bfp8_b => early_32_to_e8m6(word),
            Int8 => word >> 24 & 0x80 | (word & 0x7FFF_FFFF).min(127),
            UInt8 if word >> 31 == 1 => 0,
            UInt8 => word.min(255),
            UInt16 => word >> 16,
            _ => word,
        }
    } else {
        let value = word >> 16;
        match mode.source {
            Float16 if value & 0x7FFF < 0x400 => 0,
            Float16_b => early_16(word),
            Bfp8_b => (early_16(word) + 1) & !1,
            _ => value,
        }
    }
}

/// Early conversion of 32-bit Dst to a six-bit mantissa: NaN becomes infinity, what lies below bit 16
/// is cut, the seventh mantissa bit is rounded away.
#[inline(always)]
fn early_32_to_e8m6(word: u32) -> u32 {
    let magnitude = (word & 0x7FFF_FFFF).min(0x7F80_0000);
    let rounded = ((magnitude >> 16) + 1) & !1;
    if rounded < 0x80 { 0 } else { rounded | word >> 31 << 15 }
}

#[inline(always)]
fn relu(mode: &PackMode, value: u32) -> u32 {
    let wide = matches!(mode.source, DataFormat::Float32 | DataFormat::Int32 | DataFormat::UInt32);
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
            if positive >> compared > threshold >> compared { threshold } else { positive }
        }
    }
}

/// Source format to the L1 datum; block floats are left as bf16 patterns.
#[inline(always)]
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
struct BlockFloat<'t> {
    mode: &'t PackMode,
    datums: &'t [u32; TILE_DATUMS],
    out: &'t mut [u8],
}

impl Lanes for BlockFloat<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        use DataFormat::*;
        let mode = self.mode;
        let mut patterns = [0u32; TILE_DATUMS];
        let limits = Limits::new(mode);
        match (mode.dst_32, mode.source) {
            (true, Bfp8_b) => {
                for (p, &w) in patterns.iter_mut().zip(self.datums) {
                    *p = limits.apply::<false>(early_32_to_e8m6(w));
                }
            }
            (true, _) => {
                for (p, &w) in patterns.iter_mut().zip(self.datums) {
                    *p = late(mode, limits.apply::<true>(w));
                }
            }
            (false, source) => {
                let (up, keep) = if source == Bfp8_b { (1, !1) } else { (0, !0) };
                for (p, &w) in patterns.iter_mut().zip(self.datums) {
                    *p = limits.apply::<false>((early_16(w) + up) & keep);
                }
            }
        }
        let width = match mode.out {
            Bfp4_b => 4,
            Bfp2_b => 2,
            _ => 8,
        };
        let (exponents, mantissas) = self.out.split_at_mut(TILE_DATUMS / ROW_DATUMS);
        let mut datums = [0u8; TILE_DATUMS];
        let rows = patterns.as_chunks::<ROW_DATUMS>().0.iter();
        let outs = datums.as_chunks_mut::<ROW_DATUMS>().0.iter_mut();
        for ((row, out), shared) in rows.zip(outs).zip(exponents) {
            let largest = row.iter().fold(0, |largest, p| largest.max(p >> 7 & 255));
            *shared = largest as u8;
            for (o, &pattern) in out.iter_mut().zip(row) {
                let exponent = pattern >> 7 & 255;
                let hidden = if exponent == 0 { 0 } else { 128 };
                // Beyond 8 nothing is left.
                let distance = (largest - exponent).min(15);
                let mantissa = pattern & 127 | hidden;
                let rounded = ((mantissa + (1 << distance)) >> (distance + 1)).min(127);
                let magnitude = rounded >> (8 - width);
                let sign = if magnitude == 0 { 0 } else { pattern >> 15 & 1 };
                *o = (sign << (width - 1) | magnitude) as u8;
            }
        }
        match width {
            8 => mantissas.copy_from_slice(&datums),
            4 => {
                for (m, d) in mantissas.iter_mut().zip(datums.as_chunks::<2>().0) {
                    *m = d[0] | d[1] << 4;
                }
            }
            _ => {
                for (m, d) in mantissas.iter_mut().zip(datums.as_chunks::<4>().0) {
                    *m = d[0] | d[1] << 2 | d[2] << 4 | d[3] << 6;
                }
            }
        }
    }
}

/// True for the formats that the packer accumulates in.
pub const fn accumulates_in_l1(format: DataFormat) -> bool {
    matches!(format, DataFormat::Float32 | DataFormat::Float16 | DataFormat::Float16_b)
}

/// `pack_reconfig_l1_acc(1)`: adds freshly packed datums to those in L1, in the output format.
///
/// # Panics
///
/// When [`accumulates_in_l1`] is false.
pub fn accumulate_l1(format: DataFormat, old: &mut [u8], new: &[u8]) {
    assert!(accumulates_in_l1(format), "packer: no L1 accumulation in {format:?}");
    vectorized(Accumulate { format, old, new });
}

struct Accumulate<'t> {
    format: DataFormat,
    old: &'t mut [u8],
    new: &'t [u8],
}

impl Lanes for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Accumulate { format, old, new } = self;
        if format == DataFormat::Float32 {
            for (old, new) in old.as_chunks_mut::<4>().0.iter_mut().zip(new.as_chunks::<4>().0) {
                *old = add_float32(u32::from_le_bytes(*old), u32::from_le_bytes(*new)).to_le_bytes();
            }
            return;
        }
        let (old, new) = (old.as_chunks_mut::<2>().0, new.as_chunks::<2>().0);
        for (old, new) in old.chunks_mut(ROW_DATUMS).zip(new.chunks(ROW_DATUMS)) {
            // A row of numbers only is added in lanes.
            if format == DataFormat::Float16_b
                && let (Ok(old), Ok(new)) = (<&mut [[u8; 2]; ROW_DATUMS]>::try_from(&mut *old), new.try_into())
                && add_float16_b_row(old, new)
            {
                continue;
            }
            let add = if format == DataFormat::Float16 { add_float16 } else { add_float16_b };
            for (old, new) in old.iter_mut().zip(new) {
                *old = add(u16::from_le_bytes(*old), u16::from_le_bytes(*new)).to_le_bytes();
            }
        }
    }
}

/// [`add_float16_b`] for 16 datums; false, with nothing changed, when one of them has exponent 255.
/// f32 has more than twice the bits of bf16 and two more, so rounding twice is rounding once.
#[inline(always)]
fn add_float16_b_row(old: &mut [[u8; 2]; ROW_DATUMS], new: &[[u8; 2]; ROW_DATUMS]) -> bool {
    let flush = |x: u32| {
        if x & 0x7F80_0000 == 0 { x & 0x8000_0000 } else { x }
    };
    let mut sums = [0u16; ROW_DATUMS];
    let mut special = [0u32; ROW_DATUMS];
    for i in 0..ROW_DATUMS {
        let a = flush(u32::from(u16::from_le_bytes(old[i])) << 16);
        let b = flush(u32::from(u16::from_le_bytes(new[i])) << 16);
        special[i] = u32::from(a & 0x7F80_0000 == 0x7F80_0000 || b & 0x7F80_0000 == 0x7F80_0000);
        let sum = flush((f32::from_bits(a) + f32::from_bits(b)).to_bits());
        let magnitude = sum & 0x7FFF_FFFF;
        let rounded = (magnitude + 0x7FFF + (magnitude >> 16 & 1)) >> 16;
        sums[i] = (sum >> 31 << 15 | rounded) as u16;
    }
    if special != [0; ROW_DATUMS] {
        return false;
    }
    *old = sums.map(u16::to_le_bytes);
    true
}

/// IEEE, with denormals as zero on both sides and one NaN pattern.
#[inline(always)]
fn add_float32(old: u32, new: u32) -> u32 {
    let flush = |x: u32| {
        if x & 0x7F80_0000 == 0 { x & 0x8000_0000 } else { x }
    };
    let sum = (f32::from_bits(flush(old)) + f32::from_bits(flush(new))).to_bits();
    if sum & 0x7FFF_FFFF > 0x7F80_0000 { 0x7FC0_0000 } else { flush(sum) }
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
    let old_value = if old & 0x7FFF > INFINITY { signed(old, (0x7FF << 52) - 1) } else { value(old) };
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
        let bits = if magnitude >= 0x400 { (magnitude << 13) + (112 << 23) } else { 0 };
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
            sign | if packed < 0x8000 { packed as u16 } else { 0x7FFF }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(dst_32: bool, source: DataFormat, out: DataFormat, relu: Relu) -> PackMode {
        PackMode { dst_32, source, out, relu, edge: EdgeMask::None }
    }

    /// Patterns with every exponent and a walk through signs and mantissas.
    fn patterns(seed: u32) -> Tile {
        let mut state = seed;
        Tile::from_fn(|r, c| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state & 0x807F_FFFF | ((32 * r + c) as u32 % 256) << 23
        })
    }

    #[test]
    fn every_loop_of_its_own_equals_the_conversion_datum_by_datum() {
        use DataFormat::*;
        let relus =
            [Relu::None, Relu::Zero, Relu::MinThreshold(0x3F00), Relu::MaxThreshold(0x3F80), Relu::MaxThreshold(0)];
        for (dst_32, source, out) in [
            (true, Float32, Float32),
            (true, Float16_b, Float16_b),
            (false, Float16_b, Float16_b),
            (false, Float16_b, Float32),
        ] {
            for relu_mode in relus {
                let mode = mode(dst_32, source, out, relu_mode);
                for seed in 0..8 {
                    let dst = patterns(seed);
                    let mut page = [0; 4096];
                    let size = pack_tile(&mode, &dst, &mut page) / TILE_DATUMS;
                    for (at, &word) in dst.0.iter().enumerate() {
                        let expected = late(&mode, relu(&mode, early(&mode, word))).to_le_bytes();
                        let packed = &page[at * size..(at + 1) * size];
                        assert_eq!(packed, &expected[..size], "{mode:?} {word:#010x}");
                    }
                }
            }
        }
    }

    #[test]
    fn edge_masks_keep_what_reduce_defines() {
        let dst = Tile([0x3F80_0000; TILE_DATUMS]);
        for (edge, kept) in [(EdgeMask::Row, 64), (EdgeMask::Col, 32), (EdgeMask::Scalar, 1)] {
            let mode = PackMode { edge, ..mode(true, DataFormat::Float32, DataFormat::Float32, Relu::None) };
            let mut page = [0xA5; 4096];
            pack_tile(&mode, &dst, &mut page);
            let words = page.as_chunks::<4>().0;
            assert_eq!(words.iter().filter(|w| **w == [0, 0, 0x80, 0x3F]).count(), kept);
            assert_eq!(words.iter().filter(|w| **w == [0; 4]).count(), TILE_DATUMS - kept);
            let at = |row, col| words[face_index(row, col)] != [0; 4];
            assert!(at(0, 0));
            assert_eq!(at(5, 16), edge == EdgeMask::Row);
            assert_eq!(at(0, 31), edge == EdgeMask::Col);
        }
    }

    #[test]
    fn lanes_accumulate_as_datums_do() {
        let mut state = 1u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as u16
        };
        for round in 0..4000 {
            // Exponents below 255, near each other in every other round.
            let number = |x: u16| {
                let exponent = if round % 2 == 0 { x >> 7 & 255 } else { 120 + (x >> 7 & 15) };
                x & 0x807F | exponent.min(254) << 7
            };
            let old: [u16; 16] = std::array::from_fn(|_| number(random()));
            let new: [u16; 16] = std::array::from_fn(|_| number(random()));
            let mut lanes = old.map(u16::to_le_bytes);
            assert!(add_float16_b_row(&mut lanes, &new.map(u16::to_le_bytes)));
            for i in 0..16 {
                let sum = u16::from_le_bytes(lanes[i]);
                assert_eq!(sum, add_float16_b(old[i], new[i]), "{:#06x} {:#06x}", old[i], new[i]);
            }
        }
    }

    #[test]
    fn infinities_and_nan_in_l1_follow_their_own_rules() {
        assert_eq!(add_float16_b(0x7F80, 0xFF80), 0x7FC0);
        assert_eq!(add_float16_b(0x7FC1, 0xBF80), 0x7F80);
        assert_eq!(add_float32(0x7F80_0000, 0xFF80_0000), 0x7FC0_0000);
        // fp16 has no infinity: the largest pattern is a number.
        assert_eq!(add_float16(0x7BFF, 0x7BFF), 0x7FFF);
        assert_eq!(add_float16(0x3C00, 0x3C00), 0x4000);
    }
}
