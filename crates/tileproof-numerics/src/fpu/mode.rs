//! What the matrix unit is set to: formats, width of Dst, fidelity, the rules of the chip.
//!
//! Must not guess: [`FpuMode::is_modelled`] says which formats are known. Start at [`FpuMode`].

use crate::chip::FpuRules;
use crate::format::DataFormat;

/// Passes over the mantissa parts of the operands (ISA documentation,
/// `TensixCoprocessor/MatrixUnit.md`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Fidelity {
    /// One pass: high part of SrcA times high part of SrcB.
    LoFi,
    /// Adds low SrcA times high SrcB.
    HiFi2,
    /// Adds high SrcA times low SrcB.
    HiFi3,
    /// Adds low SrcA times low SrcB.
    HiFi4,
}

impl Fidelity {
    /// Number of passes.
    pub const fn phases(self) -> u32 {
        match self {
            Fidelity::LoFi => 1,
            Fidelity::HiFi2 => 2,
            Fidelity::HiFi3 => 3,
            Fidelity::HiFi4 => 4,
        }
    }
}

/// What the ALU configuration registers say to the matrix unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FpuMode {
    /// Format that the ALU takes SrcA to hold.
    pub src_a: DataFormat,
    /// Format that the ALU takes SrcB to hold.
    pub src_b: DataFormat,
    /// 32-bit Dst (`fp32_dest_acc_en`).
    pub dst_32: bool,
    /// Passes of multiplications.
    pub fidelity: Fidelity,
    /// The rules of the chip.
    pub rules: FpuRules,
}

/// Arithmetic class of the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Eight exponent bits (bf16, tf32, block floats "B").
    B,
    /// Five exponent bits (fp16).
    A,
    /// INT8 with Int32 sums.
    Integer,
}

impl FpuMode {
    /// The class follows from SrcA's format.
    pub(crate) const fn class(self) -> Class {
        use DataFormat::*;
        match self.src_a {
            format if format.has_short_exponent() => Class::A,
            Int8 | UInt8 => Class::Integer,
            _ => Class::B,
        }
    }

    /// False where no public source says what the matrix unit does with these formats: UInt16 and
    /// 32-bit integers as operands of arithmetic, mixed exponent classes, and integers into a
    /// 16-bit Dst.
    pub const fn is_modelled(self) -> bool {
        use DataFormat::*;
        match self.class() {
            Class::A => self.src_b.has_short_exponent(),
            Class::Integer => matches!(self.src_b, Int8 | UInt8) && self.dst_32,
            Class::B => {
                let unknown = matches!(self.src_a, UInt16 | Int32 | UInt32)
                    || matches!(self.src_b, Int8 | UInt8)
                    || self.src_b.has_short_exponent();
                !unknown
            }
        }
    }
}

/// Bits of a Src datum that the ALU looks at: the low three mantissa bits only as TF32, and the high
/// three exponent bits not as fp16 (ttsim `tensix.cpp`, element-wise and matrix operations).
pub(crate) const fn operand_mask(format: DataFormat) -> u32 {
    use DataFormat::*;
    match format {
        Tf32 => 0xFFFF_E000,
        format if format.has_short_exponent() => 0x8FFF_E000,
        _ => 0xFFFF_0000,
    }
}
