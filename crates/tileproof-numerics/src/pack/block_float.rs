//! Packing of block floats: 16 datums under one exponent.
//!
//! The exponents come first in L1, then the magnitudes with their signs (ISA documentation,
//! `Packers/FormatConversion.md`; ttsim `tensix.cpp`). The rounding is the device's and must not serve
//! as the host's, which is [`crate::host`]. Start at [`BlockFloat`].

use super::convert::{Limits, early_16, early_32_to_e8m6, late};
use super::mode::PackMode;
use crate::format::DataFormat;
use crate::simd::Lanes;
use crate::tile::{ROW_DATUMS, TILE_DATUMS};

/// Sixteen bf16 patterns under their largest exponent: rounded half up to seven bits, saturating, and
/// only then cut to the width of the format. A zero magnitude loses its sign.
pub(super) struct BlockFloat<'t> {
    pub(super) mode: &'t PackMode,
    pub(super) datums: &'t [u32; TILE_DATUMS],
    pub(super) out: &'t mut [u8],
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
