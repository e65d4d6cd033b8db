//! The data formats of the hardware: codes, sizes, and what a register holds of each.

/// A data format, with the four-bit code that the hardware registers use
/// (ISA documentation, `TensixCoprocessor/FormatConversion.md`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs, non_camel_case_types, reason = "spelled as tt-metal's DataFormat spells them")]
#[repr(u8)]
pub enum DataFormat {
    Float32 = 0,
    Float16 = 1,
    Bfp8 = 2,
    Bfp4 = 3,
    Bfp2 = 11,
    Float16_b = 5,
    Bfp8_b = 6,
    Bfp4_b = 7,
    Bfp2_b = 15,
    Lf8 = 10,
    Int8 = 14,
    Tf32 = 4,
    UInt8 = 30,
    UInt16 = 9,
    Int32 = 8,
    UInt32 = 24,
}

impl DataFormat {
    /// The format with tt-metal's code, or `None`.
    pub const fn from_code(code: u8) -> Option<DataFormat> {
        use DataFormat::*;
        Some(match code {
            0 => Float32,
            1 => Float16,
            2 => Bfp8,
            3 => Bfp4,
            4 => Tf32,
            5 => Float16_b,
            6 => Bfp8_b,
            7 => Bfp4_b,
            8 => Int32,
            9 => UInt16,
            10 => Lf8,
            11 => Bfp2,
            14 => Int8,
            15 => Bfp2_b,
            24 => UInt32,
            30 => UInt8,
            _ => return None,
        })
    }

    /// Bytes of a 32x32 tile in L1, shared exponents included.
    pub const fn tile_bytes(self) -> u32 {
        use DataFormat::*;
        match self {
            Float32 | Tf32 | Int32 | UInt32 => 4096,
            Float16 | Float16_b | UInt16 => 2048,
            Bfp8 | Bfp8_b => 1088,
            Bfp4 | Bfp4_b => 576,
            Bfp2 | Bfp2_b => 320,
            Int8 | UInt8 | Lf8 => 1024,
        }
    }

    /// True for the block floats, whose 16 datums share an exponent.
    pub const fn is_block_float(self) -> bool {
        use DataFormat::*;
        matches!(self, Bfp8 | Bfp4 | Bfp2 | Bfp8_b | Bfp4_b | Bfp2_b)
    }

    /// True for formats that Src cannot hold: they go straight to Dst.
    pub const fn is_32_bit_integer(self) -> bool {
        matches!(self, DataFormat::Int32 | DataFormat::UInt32)
    }
}
