//! What the packer is set to: formats, ReLU, edge mask.
//!
//! Must not guess: [`PackMode::is_modelled`] says which conversions are known. Start at [`PackMode`].

use crate::chip::PackRules;
use crate::format::DataFormat;
use crate::fpu::ReduceDim;
use crate::tile::{FACE_DATUMS, ROW_DATUMS};

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

impl Relu {
    /// What `pack_relu_config` is given: the mode in the lowest bits, the threshold in the high half (tt-llk
    /// `llk_pack_relu_config`; its `ReluType` numbers the modes: none, zero, minimum threshold, maximum threshold).
    pub fn of_config(config: u32) -> Relu {
        let threshold = (config >> 16) as u16;
        match config & 0xf {
            1 => Relu::Zero,
            2 => Relu::MinThreshold(threshold),
            3 => Relu::MaxThreshold(threshold),
            _ => Relu::None,
        }
    }
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
    /// Row 0 of each face.
    ColOfFaces,
    /// The first datum of each face.
    ScalarOfFaces,
}

impl EdgeMask {
    /// What `reduce_init` programs for a dimension.
    pub const fn of_reduce(dim: ReduceDim, rules: PackRules) -> EdgeMask {
        match (dim, rules.one_packer) {
            (ReduceDim::Row, _) => EdgeMask::Row,
            (ReduceDim::Col, false) => EdgeMask::Col,
            (ReduceDim::Col, true) => EdgeMask::ColOfFaces,
            (ReduceDim::Scalar, false) => EdgeMask::Scalar,
            (ReduceDim::Scalar, true) => EdgeMask::ScalarOfFaces,
        }
    }

    /// The datums let through, in face order.
    pub(super) fn kept(self) -> impl Iterator<Item = usize> {
        const ROW_BITS: u32 = ROW_DATUMS.trailing_zeros();
        const FACE_BITS: u32 = FACE_DATUMS.trailing_zeros();
        // Faces, datums of each as a power of two, and how far these lie apart.
        let (faces, bits, step) = match self {
            EdgeMask::None => (4, FACE_BITS, 1),
            EdgeMask::Row => (4, ROW_BITS, ROW_DATUMS),
            EdgeMask::Col => (2, ROW_BITS, 1),
            EdgeMask::Scalar => (1, 0, 1),
            EdgeMask::ColOfFaces => (4, ROW_BITS, 1),
            EdgeMask::ScalarOfFaces => (4, 0, 1),
        };
        (0..faces << bits).map(move |i| (i >> bits << FACE_BITS) + (i & ((1 << bits) - 1)) * step)
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
