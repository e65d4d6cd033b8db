//! Conversions of one datum on its way out: early to the source format, ReLU, late to the format in L1.
//!
//! Must stay free of branches on a datum where a tile's loop is to be vectorised. Start at [`early`].

use super::mode::{PackMode, Relu};
use crate::format::DataFormat;

/// ReLU without branches: everything up to `min` becomes 0, everything beyond `max` becomes `max`.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    off: bool,
    min: u32,
    max: u32,
}

impl Limits {
    #[inline(always)]
    pub(super) fn new(mode: &PackMode) -> Limits {
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
    pub(super) fn apply<const WIDE: bool>(self, value: u32) -> u32 {
        let (sign, compared) = if WIDE { (1 << 31, 13) } else { (1 << 15, 0) };
        let positive = if value & sign != 0 || value <= self.min { 0 } else { value };
        let limited = if positive >> compared > self.max >> compared { self.max } else { positive };
        if self.off { value } else { limited }
    }
}

/// Early conversion of 32-bit Dst to Float16_b: NaN becomes infinity, ties go away from zero, what is
/// below the smallest normal becomes +0.
#[inline(always)]
pub(super) fn early_32_to_float16_b(word: u32) -> u32 {
    let magnitude = (word & 0x7FFF_FFFF).min(0x7F80_0000);
    let rounded = (magnitude + 0x8000) >> 16;
    if rounded < 0x80 { 0 } else { rounded | word >> 31 << 15 }
}

/// Early conversion of 16-bit Dst to Float16_b.
#[inline(always)]
pub(super) fn early_16(word: u32) -> u32 {
    let magnitude = (word >> 16 & 0x7FFF).min(0x7F80);
    if magnitude < 0x80 { 0 } else { magnitude | word >> 31 << 15 }
}

/// Dst word to the source format, right-aligned.
#[inline(always)]
pub(super) fn early(mode: &PackMode, word: u32) -> u32 {
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
pub(super) fn early_32_to_e8m6(word: u32) -> u32 {
    let magnitude = (word & 0x7FFF_FFFF).min(0x7F80_0000);
    let rounded = ((magnitude >> 16) + 1) & !1;
    if rounded < 0x80 { 0 } else { rounded | word >> 31 << 15 }
}

#[inline(always)]
pub(super) fn relu(mode: &PackMode, value: u32) -> u32 {
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
pub(super) fn late(mode: &PackMode, value: u32) -> u32 {
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
