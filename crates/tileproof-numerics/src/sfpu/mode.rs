//! How a kernel that calls the vector unit was compiled and configured, and which faces a call works on.

use crate::chip::SfpuRules;

/// How the kernel that calls was compiled and configured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SfpuMode {
    /// `fp32_dest_acc_en`: Dst holds 32 bits a datum.
    pub dst_32: bool,
    /// `math_approx_mode`.
    pub approx: bool,
    /// The rules of the chip.
    pub rules: SfpuRules,
    /// The ALU format of SrcB is Float16 or its kin: loads and stores take a 16-bit Dst to hold e5m10 patterns then (ISA
    /// documentation, `TensixCoprocessor/SFPLOAD.md`), which no operation here reads yet.
    pub src_b_is_fp16: bool,
}

/// The faces that a call works on (`VectorMode`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faces {
    /// All four.
    RC,
    /// The upper two.
    R,
    /// The left two.
    C,
    /// The first.
    One,
}

impl Faces {
    /// Whether face `face` is worked on.
    pub const fn contains(self, face: usize) -> bool {
        match self {
            Faces::RC => true,
            Faces::R => face < 2,
            Faces::C => face == 0 || face == 2,
            Faces::One => face == 0,
        }
    }
}
