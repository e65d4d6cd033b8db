//! The data formats of the hardware: codes, sizes, and what a register holds of each.
//!
//! Also the choices that tt-metal's JIT makes: which register format a circular buffer is unpacked to
//! and which format the packer reads Dst as. A combination that no public source describes is `None`,
//! never a plausible guess. Start at [`DataFormat`], then [`unpack_register_format`].

/// A data format, with the four-bit code that the hardware registers use
/// (ISA documentation, `TensixCoprocessor/FormatConversion.md`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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

    /// Its names: in tt-metal's `DataFormat`; in ttnn's `DataType`, where tensors can have it; the short one of command lines.
    const fn names(self) -> (&'static str, Option<&'static str>, Option<&'static str>) {
        use DataFormat::*;
        match self {
            Float32 => ("Float32", Some("float32"), Some("fp32")),
            Float16 => ("Float16", None, None),
            Bfp8 => ("Bfp8", None, None),
            Bfp4 => ("Bfp4", None, None),
            Bfp2 => ("Bfp2", None, None),
            Float16_b => ("Float16_b", Some("bfloat16"), Some("bf16")),
            Bfp8_b => ("Bfp8_b", Some("bfloat8_b"), None),
            Bfp4_b => ("Bfp4_b", Some("bfloat4_b"), None),
            Bfp2_b => ("Bfp2_b", None, None),
            Lf8 => ("Lf8", None, None),
            Int8 => ("Int8", Some("int8"), None),
            Tf32 => ("Tf32", None, None),
            UInt8 => ("UInt8", Some("uint8"), None),
            UInt16 => ("UInt16", Some("uint16"), None),
            Int32 => ("Int32", Some("int32"), None),
            UInt32 => ("UInt32", Some("uint32"), None),
        }
    }

    /// Its name in tt-metal's `DataFormat`, by which circular buffers are described.
    pub const fn name(self) -> &'static str {
        self.names().0
    }

    /// Its name in ttnn's `DataType`, by which tensors are described; tt-metal's where ttnn has none.
    pub const fn dtype_name(self) -> &'static str {
        match self.names() {
            (_, Some(name), _) | (name, None, _) => name,
        }
    }

    /// Its shortest name.
    pub const fn short_name(self) -> &'static str {
        match self.names() {
            (_, _, Some(name)) => name,
            _ => self.dtype_name(),
        }
    }

    /// Whether its numbers have five bits of exponent, and the units compute with those (ttsim `tensix.cpp`: `fp_exponent_8b`).
    pub const fn has_short_exponent(self) -> bool {
        use DataFormat::*;
        matches!(self, Float16 | Lf8 | Bfp8 | Bfp4 | Bfp2)
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

    /// Bytes from one datum in L1 to the next; `None` where several share a byte. Block floats have theirs behind 64 exponents.
    pub const fn datum_bytes(self) -> Option<u32> {
        match self.tile_bytes() / 1024 {
            0 => None,
            bytes => Some(bytes),
        }
    }

    /// True for the block floats, whose 16 datums share an exponent.
    pub const fn is_block_float(self) -> bool {
        use DataFormat::*;
        matches!(self, Bfp8 | Bfp4 | Bfp2 | Bfp8_b | Bfp4_b | Bfp2_b)
    }

    /// The number that a word of Dst is: a float32 pattern, or an integer. Those of 16 bits lie in the upper half, those of 8
    /// are sign and magnitude (ISA documentation, `Dst.md`; measured: golden vectors of the packer).
    pub fn dst_number(self, word: u32) -> f64 {
        use DataFormat::*;
        match self {
            UInt16 => f64::from(word >> 16),
            UInt32 => f64::from(word),
            Int32 => f64::from(word.cast_signed()),
            Int8 | UInt8 if word >> 31 == 1 => -f64::from(word & 0x7FFF_FFFF),
            Int8 | UInt8 => f64::from(word),
            _ => f32::from_bits(word).into(),
        }
    }

    /// True for formats that Src cannot hold: they go straight to Dst.
    pub const fn is_32_bit_integer(self) -> bool {
        matches!(self, DataFormat::Int32 | DataFormat::UInt32)
    }
}

impl std::fmt::Debug for DataFormat {
    /// tt-metal's name: messages show it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The register format that a circular buffer of format `l1` is unpacked to (tt-metal
/// `jit_build/data_format.cpp`). Float32 needs a 32-bit Dst to keep more than bf16; Int32 and UInt32 go
/// straight to a 32-bit Dst; block floats become bf16 patterns under the name Bfp8_b. `None`: refused
/// by the tools or not described.
pub const fn unpack_register_format(
    l1: DataFormat,
    fp32_dest_acc_en: bool,
    unpack_to_dest: bool,
) -> Option<DataFormat> {
    use DataFormat::*;
    Some(match l1 {
        Float32 if unpack_to_dest && fp32_dest_acc_en => Float32,
        Float32 if unpack_to_dest => return None,
        Float32 | Tf32 if fp32_dest_acc_en => Tf32,
        Float32 => Float16_b,
        Int32 | UInt32 if fp32_dest_acc_en => l1,
        Bfp8_b | Bfp4_b | Bfp2_b => Bfp8_b,
        Float16_b | Float16 | Lf8 | UInt16 | Int8 | UInt8 => l1,
        Tf32 | Int32 | UInt32 | Bfp8 | Bfp4 | Bfp2 => return None,
    })
}

/// The format that the packer reads Dst as before it converts to `out` (tt-metal
/// `jit_build/data_format.cpp`). Block floats are cut to a six-bit mantissa first (Bfp8_b) unless
/// `bfp8_pack_precise` is set (measured: golden vectors). `None`: refused by the tools or not
/// described.
pub const fn pack_source_format(
    out: DataFormat,
    fp32_dest_acc_en: bool,
    bfp8_pack_precise: bool,
) -> Option<DataFormat> {
    use DataFormat::*;
    Some(match (out, fp32_dest_acc_en) {
        (Float32, true) => Float32,
        (Float32, false) | (Float16_b, _) => Float16_b,
        (Bfp8_b | Bfp4_b | Bfp2_b, _) if !bfp8_pack_precise => Bfp8_b,
        (Bfp8_b | Bfp4_b | Bfp2_b, true) => Float32,
        (Bfp8_b | Bfp4_b | Bfp2_b, false) => Float16_b,
        (Float16, true) => Float32,
        (Float16, false) => Float16,
        (UInt16, _) => UInt16,
        (Int32 | UInt32 | Int8 | UInt8, true) => out,
        _ => return None,
    })
}
