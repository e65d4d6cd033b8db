//! The operations: their codes, API names, and what a call costs.
//!
//! Codes are part of the binary interface with kernels: grouped by family in hundreds, given by
//! hand, never reused and never derived from the order here. Start reading at the table.

use super::SfpuMode;

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $name:literal, $init:literal, $inputs:literal, $per_row:expr;)*) => {
        /// An operation of the vector unit, as the kernel API calls it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum SfpuOp {
            $($(#[$doc])* $variant = $code,)*
        }

        impl SfpuOp {
            /// Every operation, in the order of the codes' table.
            pub const ALL: &'static [SfpuOp] = &[$(SfpuOp::$variant,)*];

            /// The operation with a code.
            pub const fn from_code(code: u16) -> Option<SfpuOp> {
                match code {
                    $($code => Some(SfpuOp::$variant),)*
                    _ => None,
                }
            }

            /// The name of the call in the kernel API.
            pub const fn name(self) -> &'static str {
                match self {
                    $(SfpuOp::$variant => $name,)*
                }
            }

            /// The name of the call that must have come before.
            pub const fn init_name(self) -> &'static str {
                match self {
                    $(SfpuOp::$variant => $init,)*
                }
            }

            /// Tiles of Dst that the call reads.
            pub const fn inputs(self) -> usize {
                match self {
                    $(SfpuOp::$variant => $inputs,)*
                }
            }

            /// Issue slots for 32 datums: (16-bit Dst, 32-bit Dst).
            const fn slots(self) -> (u32, u32) {
                match self {
                    $(SfpuOp::$variant => $per_row,)*
                }
            }
        }
    };
}

operations! {
    /// Sum of two tiles; parameter 0 is the template's rounding mode, 1 for nearest even.
    AddBinary = 100, "add_binary_tile", "add_binary_tile_init", 2, (6, 6);
    /// Difference of two tiles; parameter as for [`SfpuOp::AddBinary`].
    SubBinary = 101, "sub_binary_tile", "sub_binary_tile_init", 2, (6, 6);
    /// Product of two tiles.
    MulBinary = 102, "mul_binary_tile", "mul_binary_tile_init", 2, (20, 6);
    /// Quotient of two tiles.
    DivBinary = 103, "div_binary_tile", "div_binary_tile_init", 2, (48, 48);
    /// Second tile minus the first; parameter as for [`SfpuOp::AddBinary`].
    RsubBinary = 104, "rsub_binary_tile", "rsub_binary_tile_init", 2, (6, 6);

    /// Tile plus a scalar (parameter 0, fp32 bits).
    AddUnary = 200, "add_unary_tile", "binop_with_scalar_tile_init", 1, (5, 5);
    /// Tile minus a scalar.
    SubUnary = 201, "sub_unary_tile", "binop_with_scalar_tile_init", 1, (5, 5);
    /// Tile times a scalar.
    MulUnary = 202, "mul_unary_tile", "binop_with_scalar_tile_init", 1, (5, 5);
    /// Tile times a scalar that the caller has inverted.
    DivUnary = 203, "div_unary_tile", "binop_with_scalar_tile_init", 1, (5, 5);
    /// Scalar minus tile.
    RsubUnary = 204, "rsub_unary_tile", "binop_with_scalar_tile_init", 1, (10, 5);

    /// A float constant (parameter 0, fp32 bits) into every datum.
    Fill = 300, "fill_tile", "fill_tile_init", 0, (2, 2);
    /// A bit pattern read as a float into every datum.
    FillBitcast = 301, "fill_tile_bitcast", "fill_tile_init", 0, (2, 2);
    /// A 32-bit integer into every datum.
    FillInt = 302, "fill_tile_int", "fill_tile_init", 0, (2, 2);
    /// A 16-bit integer into every datum (`fill_tile_int<DataFormat::UInt16>`).
    FillUInt16 = 303, "fill_tile_int", "fill_tile_init", 0, (2, 2);
    /// Zero where the tile after the data is zero.
    Mask = 310, "mask_tile", "mask_tile_init", 2, (6, 6);
    /// As [`SfpuOp::Mask`] with an integer mask (`DataFormat::Int32`).
    MaskInt = 311, "mask_tile", "mask_tile_init", 2, (6, 6);
    /// Infinity where the tile after the data is zero.
    MaskPosInf = 312, "mask_posinf_tile", "mask_tile_init", 2, (6, 6);

    /// Square.
    Square = 400, "square_tile", "square_tile_init", 1, (5, 5);
    /// Absolute value.
    Abs = 401, "abs_tile", "abs_tile_init", 1, (4, 4);
    /// The sign flipped.
    Negative = 402, "negative_tile", "negative_tile_init", 1, (4, 4);
    /// The tile itself.
    Identity = 403, "identity_tile", "identity_tile_init", 1, (3, 3);

    /// Square root.
    Sqrt = 500, "sqrt_tile", "sqrt_tile_init", 1, (26, 25);
    /// Square root without the look at negative numbers (`sqrt_tile<true>`).
    SqrtFastApprox = 501, "sqrt_tile", "sqrt_tile_init", 1, (23, 22);
    /// Reciprocal square root.
    Rsqrt = 502, "rsqrt_tile", "rsqrt_tile_init", 1, (29, 28);
    /// Reciprocal square root without the look at negative numbers (`rsqrt_tile<false, true>`).
    RsqrtFastApprox = 503, "rsqrt_tile", "rsqrt_tile_init", 1, (26, 25);
    /// The compatible reciprocal square root (`rsqrt_tile<true>`).
    RsqrtLegacy = 504, "rsqrt_tile", "rsqrt_tile_init", 1, (58, 57);
    /// The accurate reciprocal (`recip_tile<false>`).
    Recip = 510, "recip_tile", "recip_tile_init", 1, (21, 24);
    /// The compatible reciprocal, which is the default of `recip_tile`.
    RecipLegacy = 511, "recip_tile", "recip_tile_init", 1, (34, 33);

    /// Exponential. Parameters: 0 is 1 with the template's `scale_en`, 1 is the scale in bf16,
    /// 2 is 1 with `InputClamping::None`.
    Exp = 600, "exp_tile", "exp_tile_init", 1, (22, 44);
    /// Fast exponential (`exp_tile<true>`); parameter 0 is the scale of the init in fp32 bits, 0 for 1.
    ExpFast = 601, "exp_tile", "exp_tile_init", 1, (8, 8);
    /// Fast exponential without clamping; parameter as for [`SfpuOp::ExpFast`].
    ExpFastUnclamped = 602, "exp_tile", "exp_tile_init", 1, (7, 7);
}

impl SfpuOp {
    /// The code of the operation.
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// Cycles of the vector unit for a tile in vector mode RC.
    ///
    /// An estimate, 32 times the issue slots that the kernel takes for 32 datums (with the NOPs
    /// that Wormhole needs after SFPMAD) plus 26 for the stall at the start and the four steps
    /// from face to face; measured figures replace it where hardware traces give one.
    pub const fn cycles(self, mode: &SfpuMode) -> u32 {
        let (narrow, wide) = self.slots();
        32 * if mode.dst_32 { wide } else { narrow } + 26
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_read_back() {
        for &op in SfpuOp::ALL {
            assert_eq!(SfpuOp::from_code(op.code()), Some(op));
        }
        assert_eq!(SfpuOp::from_code(0), None);
    }
}
