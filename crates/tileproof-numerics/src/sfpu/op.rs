//! The operations: the table in which each has one row.
//!
//! Codes are part of the binary interface with kernels: grouped by family in hundreds, given by
//! hand, never reused and never derived from the order here. A row must claim what `tests/golden/sfpu_table.rs` finds in
//! `tests/golden`, and no more. Start reading at the table; its columns are in [`super::row`].

use super::constants::Constants;
use super::mode::SfpuMode;
use super::row::{ANY, BOTH, Family, Keeps, Macros, NARROW, NOWHERE, Row, WIDE};
use crate::chip::Recorded;

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $family:ident, $name:literal $(by $init:literal)?, $inputs:literal,
        $width:ident, $slots:expr, $recorded:expr $(, { $($field:ident: $value:expr),* })?;)*) => {
        /// An operation of the vector unit, as the kernel API calls it.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u16)]
        pub enum SfpuOp {
            $($(#[$doc])* $variant = $code,)*
        }

        impl SfpuOp {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [SfpuOp] = &[$(SfpuOp::$variant,)*];

            /// The operation with a code.
            pub const fn from_code(code: u16) -> Option<SfpuOp> {
                match code {
                    $($code => Some(SfpuOp::$variant),)*
                    _ => None,
                }
            }

            /// The row of the table.
            #[inline]
            pub const fn row(self) -> &'static Row {
                use SfpuOp::*;
                match self {
                    $($variant => &const {
                        Row {
                            name: $name,
                            init: init!($name $(, $init)?),
                            inputs: $inputs,
                            width: $width,
                            slots: $slots,
                            recorded: $recorded,
                            family: Family::$family,
                            $($($field: $value,)*)?
                            ..Row::PLAIN
                        }
                    },)*
                }
            }
        }
    };
}

/// The init of a call: its name with `_init`, unless calls share one.
macro_rules! init {
    ($name:literal) => {
        concat!($name, "_init")
    };
    ($name:literal, $init:literal) => {
        $init
    };
}

// Columns: code, family, name of the call with the name of an init that it shares, tiles read, widths of Dst, issue slots
// for either width, the chips that it is recorded on; in braces what is not as in `Row::PLAIN`.
//
// Parameter 3 has a bit for each of the others that the compiler of the kernel sees: it leaves out what such a number makes
// superfluous, and that may show.
operations! {
    /// Sum of two tiles; parameter 0 is the template's rounding mode, 1 for nearest even.
    AddBinary = 100, Basic, "add_binary_tile", 2, ANY, [6, 6], BOTH;
    /// Difference of two tiles; parameter as for [`SfpuOp::AddBinary`].
    SubBinary = 101, Basic, "sub_binary_tile", 2, ANY, [6, 6], BOTH;
    /// Product of two tiles.
    MulBinary = 102, Basic, "mul_binary_tile", 2, ANY, [20, 6], BOTH;
    /// Quotient of two tiles.
    DivBinary = 103, Basic, "div_binary_tile", 2, ANY, [48, 48], BOTH, { constants: Constants::Reciprocal };
    /// Second tile minus the first; parameter as for [`SfpuOp::AddBinary`].
    RsubBinary = 104, Basic, "rsub_binary_tile", 2, ANY, [6, 6], BOTH;

    /// Tile plus a scalar (parameter 0, fp32 bits).
    AddUnary = 200, Basic, "add_unary_tile" by "binop_with_scalar_tile_init", 1, ANY, [5, 5], BOTH;
    /// Tile minus a scalar.
    SubUnary = 201, Basic, "sub_unary_tile" by "binop_with_scalar_tile_init", 1, ANY, [5, 5], BOTH;
    /// Tile times a scalar.
    MulUnary = 202, Basic, "mul_unary_tile" by "binop_with_scalar_tile_init", 1, ANY, [5, 5], BOTH;
    /// Tile times a scalar that the caller has inverted.
    DivUnary = 203, Basic, "div_unary_tile" by "binop_with_scalar_tile_init", 1, ANY, [5, 5], BOTH;
    /// Scalar minus tile.
    RsubUnary = 204, Basic, "rsub_unary_tile" by "binop_with_scalar_tile_init", 1, ANY, [10, 5], BOTH;

    /// A float constant (parameter 0, fp32 bits) into every datum.
    Fill = 300, Basic, "fill_tile", 0, ANY, [2, 2], BOTH;
    /// A bit pattern read as a float into every datum.
    FillBitcast = 301, Basic, "fill_tile_bitcast" by "fill_tile_init", 0, ANY, [2, 2], BOTH;
    /// A 32-bit integer into every datum.
    FillInt = 302, Basic, "fill_tile_int" by "fill_tile_init", 0, WIDE, [2, 2], BOTH;
    /// A 16-bit integer into every datum (`fill_tile_int<DataFormat::UInt16>`).
    FillUInt16 = 303, Basic, "fill_tile_int" by "fill_tile_init", 0, NARROW, [2, 2], BOTH;
    /// Zero where the tile after the data is zero.
    Mask = 310, Basic, "mask_tile", 2, ANY, [6, 6], BOTH;
    /// As [`SfpuOp::Mask`] with an integer mask (`DataFormat::Int32`).
    MaskInt = 311, Basic, "mask_tile", 2, WIDE, [6, 6], BOTH;
    /// Infinity where the tile after the data is zero.
    MaskPosInf = 312, Basic, "mask_posinf_tile" by "mask_tile_init", 2, ANY, [6, 6], BOTH;

    /// Square.
    Square = 400, Basic, "square_tile", 1, ANY, [5, 5], BOTH;
    /// Absolute value.
    Abs = 401, Basic, "abs_tile", 1, ANY, [4, 4], BOTH;
    /// The sign flipped.
    Negative = 402, Basic, "negative_tile", 1, ANY, [4, 4], BOTH;
    /// The tile itself.
    Identity = 403, Basic, "identity_tile", 1, ANY, [3, 3], BOTH;
    /// One tile into another. Parameter 0 is the code of the data format, 255 for the width of Dst.
    CopyDestValues = 404, Basic, "copy_dest_values", 1, ANY, [3, 3], BOTH;

    /// Square root.
    Sqrt = 500, Root, "sqrt_tile", 1, ANY, [26, 25], BOTH, { constants: Constants::Root };
    /// Square root without the look at negative numbers (`sqrt_tile<true>`).
    SqrtFastApprox = 501, Root, "sqrt_tile", 1, ANY, [23, 22], BOTH, { constants: Constants::Root };
    /// Reciprocal square root.
    Rsqrt = 502, Root, "rsqrt_tile", 1, ANY, [29, 28], BOTH, { constants: Constants::Root };
    /// Reciprocal square root without the look at negative numbers (`rsqrt_tile<false, true>`).
    RsqrtFastApprox = 503, Root, "rsqrt_tile", 1, ANY, [26, 25], BOTH, { constants: Constants::Root };
    /// The compatible reciprocal square root (`rsqrt_tile<true>`).
    RsqrtLegacy = 504, Root, "rsqrt_tile", 1, ANY, [58, 57], BOTH;
    /// The accurate reciprocal (`recip_tile<false>`).
    Recip = 510, Reciprocal, "recip_tile", 1, ANY, [21, 24], BOTH, { constants: Constants::Reciprocal };
    /// The compatible reciprocal, which is the default of `recip_tile`.
    RecipLegacy = 511, Reciprocal, "recip_tile", 1, ANY, [34, 33], BOTH;

    /// Exponential. Parameters: 0 is 1 with the template's `scale_en`, 1 is the scale in bf16,
    /// 2 is 1 with `InputClamping::None`.
    Exp = 600, Exponential, "exp_tile", 1, ANY, [22, 44], BOTH, { constants: Constants::Exponential };
    /// Fast exponential (`exp_tile<true>`); parameter 0 is the scale of the init in fp32 bits, 0 for 1.
    ExpFast = 601, Exponential, "exp_tile", 1, ANY, [8, 8], BOTH, { constants: Constants::ExponentialFast, macros: Macros::Own };
    /// Fast exponential without clamping; parameter as for [`SfpuOp::ExpFast`].
    ExpFastUnclamped = 602, Exponential, "exp_tile", 1, ANY, [7, 7], BOTH,
        { constants: Constants::ExponentialUnclamped, macros: Macros::Own };

    /// 1 where zero, else 0.
    Eqz = 700, Compare, "eqz_tile", 1, ANY, [7, 7], BOTH;
    /// 1 where not zero.
    Nez = 701, Compare, "nez_tile", 1, ANY, [7, 7], BOTH;
    /// 1 where below zero.
    Ltz = 702, Compare, "ltz_tile", 1, ANY, [8, 8], BOTH;
    /// 1 where above zero.
    Gtz = 703, Compare, "gtz_tile", 1, ANY, [8, 8], BOTH;
    /// 1 where zero or below.
    Lez = 704, Compare, "lez_tile", 1, ANY, [10, 10], BOTH;
    /// 1 where zero or above.
    Gez = 705, Compare, "gez_tile", 1, ANY, [10, 10], BOTH;
    /// 1 where the word is 0, else 0: -0 is not zero.
    LogicalNot = 706, Compare, "logical_not_tile", 1, ANY, [7, 7], BOTH;
    /// 1 where equal to the scalar (parameter 0).
    UnaryEq = 710, Compare, "unary_eq_tile", 1, ANY, [9, 9], BOTH;
    /// 1 where not equal to the scalar.
    UnaryNe = 711, Compare, "unary_ne_tile", 1, ANY, [9, 9], BOTH;
    /// 1 where below the scalar.
    UnaryLt = 712, Compare, "unary_lt_tile", 1, ANY, [9, 9], BOTH;
    /// 1 where above the scalar.
    UnaryGt = 713, Compare, "unary_gt_tile", 1, ANY, [10, 10], BOTH;
    /// 1 where the scalar or below.
    UnaryLe = 714, Compare, "unary_le_tile", 1, ANY, [10, 10], BOTH;
    /// 1 where the scalar or above.
    UnaryGe = 715, Compare, "unary_ge_tile", 1, ANY, [9, 9], BOTH;
    /// 1 where two tiles are equal.
    EqBinary = 720, Compare, "eq_binary_tile", 2, ANY, [14, 14], BOTH;
    /// 1 where two tiles differ.
    NeBinary = 721, Compare, "ne_binary_tile", 2, ANY, [14, 14], BOTH;
    /// 1 where the first tile is below the second.
    LtBinary = 722, Compare, "lt_binary_tile", 2, ANY, [15, 15], BOTH;
    /// 1 where the first tile is above the second.
    GtBinary = 723, Compare, "gt_binary_tile", 2, ANY, [15, 15], BOTH;
    /// 1 where the first tile is the second or below.
    LeBinary = 724, Compare, "le_binary_tile", 2, ANY, [17, 17], BOTH;
    /// 1 where the first tile is the second or above.
    GeBinary = 725, Compare, "ge_binary_tile", 2, ANY, [17, 17], BOTH;
    /// 1 where infinite.
    IsInf = 730, Compare, "isinf_tile", 1, ANY, [10, 10], BOTH;
    /// 1 where +infinity.
    IsPosInf = 731, Compare, "isposinf_tile", 1, ANY, [12, 12], BOTH;
    /// 1 where -infinity.
    IsNegInf = 732, Compare, "isneginf_tile", 1, ANY, [12, 12], BOTH;
    /// 1 where NaN.
    IsNan = 733, Compare, "isnan_tile", 1, ANY, [10, 10], BOTH;
    /// 1 where finite.
    IsFinite = 734, Compare, "isfinite_tile", 1, ANY, [8, 8], BOTH;
    /// 1, -1 or 0.
    Sign = 740, Compare, "sign_tile", 1, ANY, [8, 8], BOTH;
    /// 1 where the sign bit is set.
    Signbit = 741, Compare, "signbit_tile", 1, ANY, [5, 5], BOTH, { macros: Macros::Own };
    /// 0, 1 or the scalar for zero.
    Heaviside = 742, Compare, "heaviside_tile", 1, ANY, [10, 10], BOTH;

    /// Zero instead of negative numbers.
    Relu = 800, Limits, "relu_tile", 1, ANY, [6, 6], BOTH;
    /// At least the scalar.
    ReluMin = 801, Limits, "relu_min_tile", 1, ANY, [6, 6], BOTH;
    /// Between zero and the scalar.
    ReluMax = 802, Limits, "relu_max_tile", 1, ANY, [13, 13], BOTH;
    /// Negative numbers times the scalar.
    LeakyRelu = 803, Limits, "leaky_relu_tile", 1, ANY, [8, 8], BOTH;
    /// Negative numbers times the scalar.
    Prelu = 804, Limits, "prelu_tile", 1, ANY, [8, 8], BOTH;
    /// Between two scalars, through Dst.
    Clamp = 810, Limits, "clamp_tile", 1, ANY, [12, 12], BOTH;
    /// Between two scalars.
    Hardtanh = 811, Limits, "hardtanh_tile", 1, ANY, [7, 7], BOTH;
    /// Parameter 1 where parameter 0 or below.
    Threshold = 812, Limits, "threshold_tile", 1, ANY, [9, 9], BOTH;
    /// The larger of tile and scalar.
    UnaryMax = 820, Limits, "unary_max_tile", 1, ANY, [5, 5], BOTH, { constants: Constants::Scalar, macros: Macros::Own };
    /// The smaller of tile and scalar.
    UnaryMin = 821, Limits, "unary_min_tile", 1, ANY, [5, 5], BOTH, { constants: Constants::Scalar, macros: Macros::Own };
    /// The larger of a tile and the one behind it, by a comparison and not by SFPSWAP: tt-metal's until 2026.
    MaxTile = 829, Limits, "max_tile", 2, ANY, [6, 6], BOTH;
    /// The larger of two tiles.
    BinaryMax = 830, Limits, "binary_max_tile", 2, ANY, [5, 5], BOTH, { macros: Macros::Own };
    /// The smaller of two tiles.
    BinaryMin = 831, Limits, "binary_min_tile", 2, ANY, [5, 5], BOTH, { macros: Macros::Own };

    /// Toward zero.
    Trunc = 900, Rounding, "trunc_tile" by "rounding_op_tile_init", 1, ANY, [12, 12], BOTH;
    /// Down.
    Floor = 901, Rounding, "floor_tile" by "rounding_op_tile_init", 1, ANY, [16, 16], BOTH;
    /// Up.
    Ceil = 902, Rounding, "ceil_tile" by "rounding_op_tile_init", 1, ANY, [16, 16], BOTH;
    /// What truncation takes away.
    Frac = 903, Rounding, "frac_tile" by "rounding_op_tile_init", 1, ANY, [14, 14], BOTH;
    /// To decimals (parameter 0, signed).
    Round = 904, Rounding, "round_tile" by "rounding_op_tile_init", 1, ANY, [20, 20], BOTH;

    /// Sigmoid.
    Sigmoid = 1000, Activation, "sigmoid_tile", 1, ANY, [50, 75], BOTH, { constants: Constants::Reciprocal };
    /// Sigmoid by table (`sigmoid_tile<VectorMode::RC, true>`).
    SigmoidFast = 1001, Activation, "sigmoid_tile", 1, ANY, [8, 8], BOTH, { macros: Macros::Own };
    /// x times its sigmoid.
    Silu = 1002, Activation, "silu_tile", 1, ANY, [52, 77], BOTH, { constants: Constants::Reciprocal };
    /// Hyperbolic tangent.
    Tanh = 1010, Activation, "tanh_tile", 1, ANY, [17, 50], BOTH, { constants: Constants::Tanh };
    /// Hyperbolic tangent by table (`tanh_tile<true>`).
    TanhFast = 1011, Activation, "tanh_tile", 1, ANY, [6, 6], BOTH, { macros: Macros::Own };
    /// Exponential linear unit, alpha in parameter 0.
    Elu = 1020, Activation, "elu_tile", 1, ANY, [42, 41], BOTH;
    /// Continuous exponential linear unit: alpha, and one over it.
    Celu = 1024, Activation, "celu_tile", 1, ANY, [44, 43], BOTH;
    /// Scaled exponential linear unit: scale and alpha.
    Selu = 1021, Activation, "selu_tile", 1, ANY, [44, 43], BOTH;
    /// Hard sigmoid.
    Hardsigmoid = 1022, Activation, "hardsigmoid_tile", 1, ANY, [15, 15], BOTH, { constants: Constants::Hardsigmoid };
    /// x / (1 + |x|).
    Softsign = 1023, Activation, "softsign_tile", 1, ANY, [30, 30], BOTH, { constants: Constants::Reciprocal };

    // Issue slots of the next six are estimates, made of the steps.
    /// Toward zero by parameter 0, and zero within it.
    Softshrink = 1030, Shrink, "softshrink_tile", 1, ANY, [10, 10], BOTH;
    /// Zero where |x| is parameter 0 or below.
    Hardshrink = 1031, Shrink, "hardshrink_tile", 1, ANY, [8, 8], BOTH;
    /// x times a line between 0 and 1.
    Hardmish = 1032, Shrink, "hardmish_tile", 1, ANY, [10, 10], BOTH;
    /// x - tanh(x).
    Tanhshrink = 1033, Shrink, "tanhshrink_tile", 1, ANY, [34, 84], BOTH, { constants: Constants::GeluWide };
    /// 1 - tanh(x)^2.
    TanhDerivative = 1034, Shrink, "tanh_derivative_tile", 1, ANY, [60, 59], BOTH;
    /// ln of the sigmoid of x, from x and exp(-x).
    Logsigmoid = 1035, Shrink, "logsigmoid_tile", 2, ANY, [34, 34], BOTH;

    /// First where the condition tile is not zero, else second; 32-bit data formats.
    Where = 1100, Ternary, "where_tile", 3, ANY, [6, 6], BOTH,
        { older: &["where_fp32_tile", "where_int32_tile", "where_uint32_tile"], macros: Macros::Own };
    /// [`SfpuOp::Where`] for `DataFormat::Float16_b`.
    WhereFloat16b = 1101, Ternary, "where_tile", 3, ANY, [6, 6], BOTH, { macros: Macros::Of(Where as u16) };
    /// x * y + z.
    Mac = 1110, Ternary, "mac_tile", 3, ANY, [7, 6], BOTH;
    /// x + parameter 0 * y * z.
    Addcmul = 1111, Ternary, "addcmul_tile", 3, ANY, [8, 7], BOTH;
    /// x + z * (y - x).
    Lerp = 1112, Ternary, "lerp_tile", 3, ANY, [15, 10], BOTH;
    /// x + parameter 0 * y / z.
    Addcdiv = 1113, Ternary, "addcdiv_tile", 3, ANY, [29, 24], BOTH, { constants: Constants::Reciprocal };

    /// Custom code that reads no tile; it is no call, which would stop: `custom.rs` runs it.
    CustomOfNone = 1900, Custom, "custom vector code", 0, ANY, [1, 1], NOWHERE;
    /// Custom code that reads one tile.
    CustomOfOne = 1901, Custom, "custom vector code", 1, ANY, [1, 1], NOWHERE;
    /// Custom code that reads two tiles.
    CustomOfTwo = 1902, Custom, "custom vector code", 2, ANY, [1, 1], NOWHERE;
    /// Custom code that reads three tiles or more.
    CustomOfThree = 1903, Custom, "custom vector code", 3, ANY, [1, 1], NOWHERE;

    /// Natural logarithm.
    Log = 1200, Logarithm, "log_tile", 1, ANY, [34, 46], BOTH, { constants: Constants::Logarithm };
    /// Natural logarithm without the look at denormals (`log_tile<true>`).
    LogFast = 1201, Logarithm, "log_tile", 1, ANY, [32, 44], BOTH, { constants: Constants::Logarithm };
    /// Natural logarithm times parameter 0.
    LogWithBase = 1202, Logarithm, "log_with_base_tile", 1, ANY, [37, 49], BOTH, { constants: Constants::Logarithm };
    /// ln(1 + x).
    Log1p = 1203, Logarithm, "log1p_tile", 1, ANY, [42, 54], BOTH, { constants: Constants::Logarithm };
    /// x * ln(y), with the older logarithm.
    Xlogy = 1204, Logarithm, "xlogy_binary_tile", 2, ANY, [32, 32], BOTH, { constants: Constants::LogarithmOlder };
    /// Power of two.
    Exp2 = 1210, Exponential, "exp2_tile", 1, ANY, [24, 36], BOTH, { constants: Constants::Exp2 };
    /// exp(x) - 1.
    Expm1 = 1211, Exponential, "expm1_tile", 1, ANY, [44, 58], BOTH, { constants: Constants::Expm1 };
    /// x to the power of parameter 0.
    Power = 1220, Power, "power_tile", 1, ANY, [75, 120], BOTH, { constants: Constants::Power };
    /// x to the power of parameter 0, an integer, by squaring.
    PowerIterative = 1221, Power, "power_iterative_tile", 1, ANY, [10, 10], BOTH;
    /// x to the power of y.
    PowerBinary = 1222, Power, "power_binary_tile", 2, ANY, [80, 140], BOTH, { constants: Constants::PowerBinary };
    /// Parameter 0 to the power of x.
    Rpow = 1223, Power, "rpow_tile", 1, ANY, [78, 138], BOTH, { constants: Constants::PowerBinary };
    /// Cube root.
    Cbrt = 1224, Power, "cbrt_tile", 1, ANY, [26, 36], BOTH, { constants: Constants::CubeRoot };
    /// Remainder with the sign of the dividend.
    FmodBinary = 1225, Rounding, "fmod_binary_tile", 2, ANY, [75, 74], BOTH, { constants: Constants::Reciprocal };
    /// Remainder with the sign of the divisor.
    RemainderBinary = 1226, Rounding, "remainder_binary_tile", 2, ANY, [75, 74], BOTH, { constants: Constants::Reciprocal };
    /// Parameter 0 over the tile.
    Rdiv = 1227, Rounding, "rdiv_tile", 1, ANY, [24, 26], BOTH, { constants: Constants::Reciprocal };
    /// The same toward zero (`rdiv_tile<RoundingMode::Trunc>`).
    RdivTrunc = 1228, Rounding, "rdiv_tile", 1, ANY, [34, 36], BOTH, { constants: Constants::Reciprocal };
    /// The same down (`rdiv_tile<RoundingMode::Floor>`).
    RdivFloor = 1229, Rounding, "rdiv_tile", 1, ANY, [38, 40], BOTH, { constants: Constants::Reciprocal };

    /// Sine.
    Sin = 1300, Trigonometry, "sin_tile", 1, ANY, [30, 33], BOTH, { constants: Constants::Sine };
    /// Cosine.
    Cos = 1301, Trigonometry, "cos_tile", 1, ANY, [34, 37], BOTH, { constants: Constants::Cosine };
    /// Tangent.
    Tan = 1302, Trigonometry, "tan_tile", 1, ANY, [50, 70], BOTH, { constants: Constants::Tangent };
    /// Arctangent.
    Atan = 1303, Trigonometry, "atan_tile", 1, ANY, [60, 62], BOTH, { constants: Constants::Arctangent };
    /// Arctangent of y / x.
    Atan2 = 1304, Trigonometry, "atan2_binary_tile", 2, ANY, [60, 78], BOTH, { constants: Constants::Reciprocal };

    // Issue slots from here to `Atanh` are estimates, made of the steps of the family's file: what the vector compiler makes of these
    // kernels was not counted.
    /// Arcsine.
    Asin = 1305, Arcsine, "asin_tile", 1, ANY, [70, 60], BOTH, { constants: Constants::Arcsine };
    /// Arccosine.
    Acos = 1306, Arcsine, "acos_tile", 1, ANY, [74, 66], BOTH, { constants: Constants::Arcsine };
    /// Hyperbolic sine.
    Sinh = 1308, Hyperbolic, "sinh_tile", 1, ANY, [60, 72], BOTH, { constants: Constants::Sinh };
    /// Hyperbolic cosine.
    Cosh = 1309, Hyperbolic, "cosh_tile", 1, ANY, [50, 62], BOTH, { constants: Constants::Cosh };
    /// Inverse hyperbolic cosine.
    Acosh = 1310, Hyperbolic, "acosh_tile", 1, ANY, [110, 130], BOTH, { constants: Constants::Logarithm };
    /// Inverse hyperbolic sine.
    Asinh = 1311, Hyperbolic, "asinh_tile", 1, ANY, [140, 170], BOTH, { constants: Constants::Logarithm };
    /// Inverse hyperbolic tangent.
    Atanh = 1312, Hyperbolic, "atanh_tile", 1, ANY, [80, 100], BOTH, { constants: Constants::Logarithm };

    /// Gelu by table (`gelu_tile<true>`).
    GeluFast = 1350, Gaussian, "gelu_tile", 1, ANY, [8, 8], BOTH, { constants: Constants::GeluFast, macros: Macros::Own };
    /// Gelu (`gelu_tile<false>`).
    Gelu = 1351, Gaussian, "gelu_tile", 1, ANY, [70, 80], BOTH, { constants: Constants::GeluWide };
    /// Gelu by tanh.
    GeluTanh = 1352, Gaussian, "gelu_tanh_tile", 1, ANY, [63, 62], BOTH, { constants: Constants::TanhWide };
    /// Error function (`erf_tile<false>`).
    Erf = 1353, Gaussian, "erf_tile", 1, ANY, [48, 48], BOTH, { constants: Constants::Reciprocal };
    /// Error function with a coarser reciprocal (`erf_tile<true>`).
    ErfFast = 1354, Gaussian, "erf_tile", 1, ANY, [44, 44], BOTH, { constants: Constants::Reciprocal };
    /// 1 - erf(x).
    Erfc = 1355, Gaussian, "erfc_tile", 1, ANY, [70, 70], BOTH, { constants: Constants::Reciprocal };
    /// Softplus: beta, 1 / beta, threshold.
    Softplus = 1356, Gaussian, "softplus_tile", 1, ANY, [34, 33], BOTH;
    /// Mish (`mish_tile<false>`).
    Mish = 1357, Gaussian, "mish_tile", 1, ANY, [62, 88], BOTH, { constants: Constants::Reciprocal };
    /// Derivative of gelu (`gelu_derivative_tile<false>`). The issue slots of these two are estimates, made of the steps.
    GeluDerivative = 1359, Gaussian, "gelu_derivative_tile", 1, ANY, [80, 86], BOTH, { constants: Constants::Reciprocal };
    /// Derivative of gelu with less of its tail (`gelu_derivative_tile<true>`).
    GeluDerivativeFast = 1362, Gaussian, "gelu_derivative_tile", 1, ANY, [54, 53], BOTH;
    // Of the next three the issue slots are estimates as well.
    /// Inverse of the error function.
    Erfinv = 1358, Bessel, "erfinv_tile", 1, ANY, [62, 62], BOTH, { constants: Constants::LogarithmNarrow };

    /// Modified Bessel function of order 0.
    I0 = 1360, Bessel, "i0_tile", 1, ANY, [26, 26], BOTH;
    /// Modified Bessel function of order 1.
    I1 = 1361, Bessel, "i1_tile", 1, ANY, [74, 74], BOTH, { constants: Constants::Reciprocal };

    /// Sum of two tiles of 32-bit integers.
    AddInt = 1400, Integer, "add_int_tile", 2, WIDE, [6, 6], BOTH, { older: &["add_int32_tile", "add_uint32_tile"] };
    /// Sum of two tiles of UInt16.
    AddUInt16 = 1401, Integer, "add_int_tile", 2, NARROW, [6, 6], BOTH, { older: &["add_uint16_tile"] };
    /// Difference of two tiles of 32-bit integers.
    SubInt = 1402, Integer, "sub_int_tile", 2, WIDE, [6, 6], BOTH, { older: &["sub_int32_tile", "sub_uint32_tile"] };
    /// Difference of two tiles of UInt16.
    SubUInt16 = 1403, Integer, "sub_int_tile", 2, NARROW, [6, 6], BOTH, { older: &["sub_uint16_tile"] };
    /// Second tile minus the first, 32-bit integers.
    RsubInt = 1404, Integer, "rsub_int_tile", 2, WIDE, [6, 6], BOTH, { older: &["rsub_int32_tile", "rsub_uint32_tile"] };
    /// Second tile minus the first, UInt16.
    RsubUInt16 = 1405, Integer, "rsub_int_tile", 2, NARROW, [6, 6], BOTH, { older: &["rsub_uint16_tile"] };
    /// Product of two tiles of 32-bit integers.
    MulInt = 1406, Integer, "mul_int_tile", 2, WIDE, [36, 36], BOTH,
        { older: &["mul_int32_tile", "mul_uint32_tile"], constants: Constants::MulInt };
    /// Product of two tiles of UInt16.
    MulUInt16 = 1407, Integer, "mul_int_tile", 2, NARROW, [24, 24], BOTH, { older: &["mul_uint16_tile"], constants: Constants::MulUInt16, macros: Macros::Own };
    /// Tile of int32 plus parameter 0.
    AddUnaryInt32 = 1410, Integer, "add_unary_tile_int32" by "binop_with_scalar_tile_init", 1, WIDE, [4, 4], BOTH;
    /// Tile of int32 minus parameter 0.
    SubUnaryInt32 = 1411, Integer, "sub_unary_tile_int32" by "binop_with_scalar_tile_init", 1, WIDE, [4, 4], BOTH;
    /// Absolute value of int32.
    AbsInt32 = 1412, Integer, "abs_tile_int32" by "abs_tile_init", 1, WIDE, [4, 4], BOTH;
    /// Parameter 0 minus a tile of int32.
    RsubUnaryInt32 = 1413, Integer, "rsub_unary_int32_tile", 1, WIDE, [4, 4], BOTH;
    /// Negative of int32; the least number stays.
    NegativeInt32 = 1414, Integer, "negative_tile_int32" by "negative_tile_init", 1, WIDE, [6, 6], BOTH;
    /// Zero instead of negative int32.
    ReluInt32 = 1415, Limits, "relu_tile_int32" by "relu_tile_init", 1, WIDE, [5, 5], BOTH;
    /// The larger of two tiles of int32.
    BinaryMaxInt32 = 1420, Limits, "binary_max_int32_tile", 2, WIDE, [9, 9], BOTH, { macros: Macros::Own };
    /// The smaller of two tiles of int32.
    BinaryMinInt32 = 1421, Limits, "binary_min_int32_tile", 2, WIDE, [9, 9], BOTH, { macros: Macros::Own };
    /// The larger of two tiles of uint32.
    BinaryMaxUInt32 = 1422, Limits, "binary_max_uint32_tile", 2, WIDE, [9, 9], BOTH, { macros: Macros::Own };
    /// The smaller of two tiles of uint32.
    BinaryMinUInt32 = 1423, Limits, "binary_min_uint32_tile", 2, WIDE, [9, 9], BOTH, { macros: Macros::Own };
    /// The larger of int32 and parameter 0.
    UnaryMaxInt32 = 1424, Limits, "unary_max_int32_tile", 1, WIDE, [7, 7], BOTH, { constants: Constants::Scalar, macros: Macros::Own };
    /// The smaller of int32 and parameter 0.
    UnaryMinInt32 = 1425, Limits, "unary_min_int32_tile", 1, WIDE, [7, 7], BOTH, { constants: Constants::Scalar, macros: Macros::Own };
    /// The larger of uint32 and parameter 0.
    UnaryMaxUInt32 = 1426, Limits, "unary_max_uint32_tile", 1, WIDE, [7, 7], BOTH, { constants: Constants::Scalar, macros: Macros::Own };
    /// The smaller of uint32 and parameter 0.
    UnaryMinUInt32 = 1427, Limits, "unary_min_uint32_tile", 1, WIDE, [7, 7], BOTH, { constants: Constants::Scalar, macros: Macros::Own };
    /// 1 where two tiles of 32-bit integers are equal.
    EqInt = 1430, Compare, "eq_int_tile", 2, WIDE, [8, 8], BOTH;
    /// 1 where they differ.
    NeInt = 1431, Compare, "ne_int_tile", 2, WIDE, [8, 8], BOTH;
    /// 1 where the first tile of int32 is below the second.
    LtInt = 1432, Compare, "lt_int_tile", 2, WIDE, [9, 9], BOTH, { older: &["lt_int32_tile"] };
    /// 1 where it is above.
    GtInt = 1433, Compare, "gt_int_tile", 2, WIDE, [9, 9], BOTH, { older: &["gt_int32_tile"] };
    /// 1 where it is equal or below.
    LeInt = 1434, Compare, "le_int_tile", 2, WIDE, [9, 9], BOTH, { older: &["le_int32_tile"] };
    /// 1 where it is equal or above.
    GeInt = 1435, Compare, "ge_int_tile", 2, WIDE, [9, 9], BOTH, { older: &["ge_int32_tile"] };
    /// 1 where the first tile of uint32 is below the second.
    LtUInt32 = 1436, Compare, "lt_int_tile", 2, WIDE, [9, 9], BOTH;
    /// 1 where it is above.
    GtUInt32 = 1437, Compare, "gt_int_tile", 2, WIDE, [9, 9], BOTH;
    /// 1 where it is equal or below.
    LeUInt32 = 1438, Compare, "le_int_tile", 2, WIDE, [9, 9], BOTH;
    /// 1 where it is equal or above.
    GeUInt32 = 1439, Compare, "ge_int_tile", 2, WIDE, [9, 9], BOTH;
    /// 1 where an int32 is zero.
    EqzInt32 = 1440, Compare, "eqz_tile_int32" by "eqz_tile_init", 1, WIDE, [7, 7], BOTH;
    /// 1 where not zero.
    NezInt32 = 1441, Compare, "nez_tile_int32" by "nez_tile_init", 1, WIDE, [7, 7], BOTH;
    /// 1 where below zero.
    LtzInt32 = 1442, Compare, "ltz_tile_int32" by "ltz_tile_init", 1, WIDE, [7, 7], BOTH;
    /// 1 where above zero.
    GtzInt32 = 1443, Compare, "gtz_tile_int32" by "gtz_tile_init", 1, WIDE, [8, 8], BOTH;
    /// 1 where zero or below.
    LezInt32 = 1444, Compare, "lez_tile_int32" by "lez_tile_init", 1, WIDE, [8, 8], BOTH;
    /// 1 where zero or above.
    GezInt32 = 1445, Compare, "gez_tile_int32" by "gez_tile_init", 1, WIDE, [7, 7], BOTH;
    /// 1 where a uint32 is zero.
    EqzUInt32 = 1446, Compare, "eqz_tile_uint32" by "eqz_tile_init", 1, WIDE, [7, 7], BOTH;
    /// 1 where it is not.
    NezUInt32 = 1447, Compare, "nez_tile_uint32" by "nez_tile_init", 1, WIDE, [7, 7], BOTH;
    /// 1 where a UInt16 is zero.
    EqzUInt16 = 1448, Compare, "eqz_tile_uint16" by "eqz_tile_init", 1, NARROW, [7, 7], BOTH;
    /// 1 where it is not.
    NezUInt16 = 1449, Compare, "nez_tile_uint16" by "nez_tile_init", 1, NARROW, [7, 7], BOTH;
    /// 1 where the int32, turned as if it were sign and magnitude, equals parameter 0.
    UnaryEqInt32 = 1450, Compare, "unary_eq_tile_int32" by "unary_eq_tile_init", 1, WIDE, [15, 15], BOTH;
    /// 1 where it does not.
    UnaryNeInt32 = 1451, Compare, "unary_ne_tile_int32" by "unary_ne_tile_init", 1, WIDE, [15, 15], BOTH;
    /// 1 where below parameter 0.
    UnaryLtInt32 = 1452, Compare, "unary_lt_tile_int32" by "unary_lt_tile_init", 1, WIDE, [15, 15], BOTH;
    /// 1 where above parameter 0.
    UnaryGtInt32 = 1453, Compare, "unary_gt_tile_int32" by "unary_gt_tile_init", 1, WIDE, [15, 15], BOTH;
    /// 1 where parameter 0 or below.
    UnaryLeInt32 = 1454, Compare, "unary_le_tile_int32" by "unary_le_tile_init", 1, WIDE, [15, 15], BOTH;
    /// 1 where parameter 0 or above.
    UnaryGeInt32 = 1455, Compare, "unary_ge_tile_int32" by "unary_ge_tile_init", 1, WIDE, [15, 15], BOTH;
    /// [`SfpuOp::LogicalNot`] of 32-bit integers.
    LogicalNotInt32 = 1456, Compare, "logical_not_tile", 1, WIDE, [7, 7], BOTH;
    /// [`SfpuOp::LogicalNot`] of UInt16.
    LogicalNotUInt16 = 1457, Compare, "logical_not_tile", 1, NARROW, [7, 7], BOTH;

    /// 1 where two tiles of UInt16 are equal.
    EqUInt16 = 1460, Compare, "eq_int_tile", 2, NARROW, [8, 8], BOTH;
    /// 1 where they differ.
    NeUInt16 = 1461, Compare, "ne_int_tile", 2, NARROW, [8, 8], BOTH;
    /// 1 where the first tile of UInt16 is below the second.
    LtUInt16 = 1462, Compare, "lt_int_tile", 2, NARROW, [6, 6], BOTH;
    /// 1 where it is above.
    GtUInt16 = 1463, Compare, "gt_int_tile", 2, NARROW, [6, 6], BOTH;
    /// 1 where it is equal or below.
    LeUInt16 = 1464, Compare, "le_int_tile", 2, NARROW, [7, 7], BOTH;
    /// 1 where it is equal or above.
    GeUInt16 = 1465, Compare, "ge_int_tile", 2, NARROW, [7, 7], BOTH;

    /// Between two signed integers, through Dst.
    ClampInt32 = 1470, Limits, "clamp_tile_int32" by "clamp_tile_init", 1, WIDE, [9, 9], BOTH;
    /// Between zero and the scalar; zero where that is negative.
    ReluMaxInt32 = 1471, Limits, "relu_max_tile_int32" by "relu_max_tile_init", 1, WIDE, [9, 9], BOTH;
    /// At least the scalar, signed.
    ReluMinInt32 = 1472, Limits, "relu_min_tile_int32" by "relu_min_tile_init", 1, WIDE, [9, 9], BOTH;
    /// At most the scalar, unsigned.
    ReluMaxUInt32 = 1473, Limits, "relu_max_tile_uint32" by "relu_max_tile_init", 1, WIDE, [9, 9], BOTH;
    /// At least the scalar, unsigned.
    ReluMinUInt32 = 1474, Limits, "relu_min_tile_uint32" by "relu_min_tile_init", 1, WIDE, [9, 9], BOTH;
    /// At most the scalar, UInt16.
    ReluMaxUInt16 = 1475, Limits, "relu_max_tile_uint16" by "relu_max_tile_init", 1, NARROW, [9, 9], BOTH;
    /// At least the scalar, UInt16.
    ReluMinUInt16 = 1476, Limits, "relu_min_tile_uint16" by "relu_min_tile_init", 1, NARROW, [9, 9], BOTH;
    /// 1 where two tiles differ by no more than parameter 0 times the second and parameter 1.
    Isclose = 726, Compare, "isclose_binary_tile", 2, ANY, [30, 30], BOTH, { constants: Constants::Magnitude };
    /// The same, with NaNs close to NaNs (`isclose_binary_tile<true>`).
    IscloseNan = 727, Compare, "isclose_binary_tile", 2, ANY, [36, 36], BOTH, { constants: Constants::Magnitude };
    /// 1 where an integer is negative.
    SignbitInt32 = 1477, Compare, "signbit_tile_int32", 1, WIDE, [5, 5], BOTH, { macros: Macros::Own };

    /// Bitwise and of two tiles of 32-bit integers.
    BitwiseAnd = 1500, Integer, "bitwise_and_binary_tile" by "binary_bitwise_tile_init", 2, WIDE, [6, 6], BOTH,
        { older: &["bitwise_and_uint32_binary_tile"] };
    /// Bitwise or.
    BitwiseOr = 1501, Integer, "bitwise_or_binary_tile" by "binary_bitwise_tile_init", 2, WIDE, [6, 6], BOTH,
        { older: &["bitwise_or_uint32_binary_tile"] };
    /// Bitwise exclusive or.
    BitwiseXor = 1502, Integer, "bitwise_xor_binary_tile" by "binary_bitwise_tile_init", 2, WIDE, [6, 6], BOTH,
        { older: &["bitwise_xor_uint32_binary_tile"] };
    /// All bits flipped.
    BitwiseNot = 1503, Integer, "bitwise_not_tile", 1, WIDE, [4, 4], BOTH;
    /// Bitwise and of two tiles of UInt16.
    BitwiseAndUInt16 = 1504, Integer, "bitwise_and_binary_tile" by "binary_bitwise_tile_init", 2,
        NARROW, [6, 6], BOTH, { older: &["bitwise_and_uint16_binary_tile"] };
    /// Bitwise or.
    BitwiseOrUInt16 = 1505, Integer, "bitwise_or_binary_tile" by "binary_bitwise_tile_init", 2,
        NARROW, [6, 6], BOTH, { older: &["bitwise_or_uint16_binary_tile"] };
    /// Bitwise exclusive or.
    BitwiseXorUInt16 = 1506, Integer, "bitwise_xor_binary_tile" by "binary_bitwise_tile_init", 2,
        NARROW, [6, 6], BOTH, { older: &["bitwise_xor_uint16_binary_tile"] };
    /// Shift to the left.
    LeftShift = 1510, Integer, "binary_left_shift_tile" by "binary_shift_tile_init", 2, WIDE, [10, 10], BOTH;
    /// Arithmetic shift to the right.
    RightShift = 1511, Integer, "binary_right_shift_tile" by "binary_shift_tile_init", 2, WIDE, [17, 17], BOTH;
    /// Logical shift to the right.
    LogicalRightShift = 1512, Integer, "binary_logical_right_shift_tile" by "binary_shift_tile_init", 2, WIDE, [11, 11], BOTH,
        { older: &["binary_logical_right_shift_int32_tile", "binary_logical_right_shift_uint32_tile"] };
    /// Logical shift of uint32 to the right, by 31 where the count is larger.
    RightShiftUInt32 = 1513, Integer, "binary_right_shift_tile" by "binary_shift_tile_init", 2, WIDE, [11, 11], BOTH;
    /// Shift of UInt16 to the left.
    LeftShiftUInt16 = 1514, Integer, "binary_left_shift_tile" by "binary_shift_tile_init", 2, NARROW, [10, 10], BOTH;
    /// Shift of UInt16 to the right, which has no sign.
    RightShiftUInt16 = 1515, Integer, "binary_right_shift_tile" by "binary_shift_tile_init", 2, NARROW, [17, 17], BOTH;
    /// Logical shift of UInt16 to the right.
    LogicalRightShiftUInt16 = 1516, Integer, "binary_logical_right_shift_tile" by "binary_shift_tile_init", 2, NARROW, [11, 11], BOTH;
    /// Shift to the left by parameter 0; 0 from 32 on.
    UnaryLeftShift = 1520, Integer, "left_shift_tile", 1, WIDE, [4, 4], BOTH;
    /// The same of UInt16.
    UnaryLeftShiftUInt16 = 1521, Integer, "left_shift_tile", 1, NARROW, [4, 4], BOTH;
    /// Arithmetic shift to the right by parameter 0, by 31 where it is larger.
    UnaryRightShift = 1522, Integer, "right_shift_tile", 1, WIDE, [8, 8], BOTH;
    /// Logical shift of uint32 to the right, by 31 at most.
    UnaryRightShiftUInt32 = 1523, Integer, "right_shift_tile", 1, WIDE, [4, 4], BOTH;
    /// The same of UInt16.
    UnaryRightShiftUInt16 = 1524, Integer, "right_shift_tile", 1, NARROW, [4, 4], BOTH;
    /// Bitwise and of 32-bit integers with parameter 0.
    UnaryBitwiseAnd = 1530, Integer, "bitwise_and_tile", 1, WIDE, [4, 4], BOTH;
    /// Bitwise or.
    UnaryBitwiseOr = 1531, Integer, "bitwise_or_tile", 1, WIDE, [4, 4], BOTH;
    /// Bitwise exclusive or.
    UnaryBitwiseXor = 1532, Integer, "bitwise_xor_tile", 1, WIDE, [4, 4], BOTH;
    /// Bitwise and of UInt16 with parameter 0.
    UnaryBitwiseAndUInt16 = 1533, Integer, "bitwise_and_tile", 1, NARROW, [4, 4], BOTH;
    /// Bitwise or.
    UnaryBitwiseOrUInt16 = 1534, Integer, "bitwise_or_tile", 1, NARROW, [4, 4], BOTH;
    /// Bitwise exclusive or.
    UnaryBitwiseXorUInt16 = 1535, Integer, "bitwise_xor_tile", 1, NARROW, [4, 4], BOTH;

    // Issue slots of the next seven are estimates as well.
    /// Quotient of integers as a float.
    DivInt32 = 1550, Division, "div_int32_tile", 2, WIDE, [50, 50], BOTH, { constants: Constants::Reciprocal };
    /// Quotient of integers, rounded down.
    DivInt32Floor = 1551, Division, "div_int32_floor_tile", 2, WIDE, [96, 96], BOTH, { constants: Constants::DivInt };
    /// Quotient of integers, toward zero.
    DivInt32Trunc = 1552, Division, "div_int32_trunc_tile", 2, WIDE, [94, 94], BOTH, { constants: Constants::DivInt };
    /// Remainder of integers with the sign of the divisor; the dividend where that is 0.
    RemainderInt32 = 1553, Division, "remainder_int32_tile", 2, WIDE, [88, 88], BOTH, { constants: Constants::DivInt };
    /// The same of integers without a sign.
    RemainderUInt32 = 1554, Division, "remainder_uint32_tile", 2, WIDE, [92, 92], BOTH, { constants: Constants::DivInt };
    /// Remainder of integers with the sign of the dividend.
    FmodInt32 = 1555, Division, "fmod_int32_tile", 2, WIDE, [86, 86], BOTH, { constants: Constants::DivInt };
    /// Remainder of integers without a sign by parameter 0.
    RemainderUnaryUInt32 = 1556, Division, "remainder_tile_uint32", 1, WIDE, [70, 70], BOTH, { constants: Constants::DivInt };

    /// No instruction: float formats that Dst holds alike, UInt8 to 32-bit integers, or one of those to another.
    TypecastNone = 1600, Convert, "typecast_tile", 1, ANY, [0, 0], BOTH;
    /// Float to Int32.
    TypecastFloatToInt32 = 1601, Convert, "typecast_tile", 1, WIDE, [15, 15], BOTH;
    /// Float to UInt32.
    TypecastFloatToUInt32 = 1602, Convert, "typecast_tile", 1, WIDE, [11, 11], BOTH;
    /// Float to UInt16.
    TypecastFloatToUInt16 = 1603, Convert, "typecast_tile", 1, ANY, [4, 4], BOTH, { macros: Macros::Own };
    /// Float to UInt8.
    TypecastFloatToUInt8 = 1604, Convert, "typecast_tile", 1, WIDE, [12, 12], BOTH, { constants: Constants::ToUInt8 };
    /// Float32 to Float16_b.
    TypecastFloat32ToFloat16b = 1605, Convert, "typecast_tile", 1, WIDE, [8, 8], BOTH, { constants: Constants::ToFloat16b };
    /// Int32 to Float32.
    TypecastInt32ToFloat32 = 1610, Convert, "typecast_tile", 1, WIDE, [8, 8], BOTH, { constants: Constants::SignFix, macros: Macros::Own };
    /// Int32 to Float16_b or a block float.
    TypecastInt32ToFloat16b = 1611, Convert, "typecast_tile", 1, WIDE, [9, 9], BOTH, { constants: Constants::SignFix, macros: Macros::Own };
    /// Int32 to UInt16.
    TypecastInt32ToUInt16 = 1612, Convert, "typecast_tile", 1, WIDE, [5, 5], BOTH, { macros: Macros::Own };
    /// UInt32 or UInt8 to Float32.
    TypecastUInt32ToFloat32 = 1613, Convert, "typecast_tile", 1, WIDE, [7, 7], BOTH, { constants: Constants::SignFix, macros: Macros::Own };
    /// UInt32 or UInt8 to Float16_b or a block float.
    TypecastUInt32ToFloat16b = 1614, Convert, "typecast_tile", 1, WIDE, [8, 8], BOTH,
        { constants: Constants::SignFix, macros: Macros::Own };
    /// UInt32 or UInt8 to UInt16.
    TypecastUInt32ToUInt16 = 1615, Convert, "typecast_tile", 1, WIDE, [7, 7], BOTH;
    /// Int32 or UInt32 to UInt8.
    TypecastIntToUInt8 = 1616, Convert, "typecast_tile", 1, WIDE, [4, 4], BOTH, { constants: Constants::IntToUInt8 };
    /// UInt16 to Float32.
    TypecastUInt16ToFloat32 = 1620, Convert, "typecast_tile", 1, WIDE, [4, 4], BOTH, { macros: Macros::Own };
    /// UInt16 to Float16_b or a block float.
    TypecastUInt16ToFloat16b = 1621, Convert, "typecast_tile", 1, NARROW, [4, 4], BOTH, { macros: Macros::Own };
    /// UInt16 to Int32 or UInt32.
    TypecastUInt16ToUInt32 = 1622, Convert, "typecast_tile", 1, WIDE, [3, 3], BOTH, { macros: Macros::Own };
    /// UInt16 to UInt8.
    TypecastUInt16ToUInt8 = 1623, Convert, "typecast_tile", 1, WIDE, [5, 5], BOTH, { constants: Constants::IntToUInt8 };

    /// Reduction of one tile. Parameters: 0 is the pool (0 sum, 1 average, 2 maximum, 3 minimum),
    /// 1 is 1 for REDUCE_ROW, and 2 where rows go on in the tiles beside it, 2 is the code of the data format (0 Float32,
    /// 5 Float16_b, 8 Int32, 9 UInt16, 24 UInt32).
    Reduce = 1700, Reduce, "sfpu_reduce", 1, ANY, [7, 7], BOTH;
    /// Sums from row to row, which go on from tile to tile: [`super::cumsum`]. Parameter 0 is 1 where they begin.
    Cumsum = 1701, Running, "cumsum_tile", 1, ANY, [5, 5], BOTH, { keeps: Keeps::Sum };
    /// Begins means and squared differences anew ([`super::Moments`]).
    WelfordClear = 1702, Running, "welford_clear" by "welford_init", 0, ANY, [1, 1], BOTH, { keeps: Keeps::Moments };
    /// Takes up to four rows in: input 1 is the first, input 2 the one after the last, the parameters are the reciprocals of
    /// how many rows there are with each.
    WelfordUpdate = 1703, Running, "welford_update" by "welford_init", 1, ANY, [2, 2], BOTH, { keeps: Keeps::Moments };
    /// Keeps the state in the output and the tile after it, from Dst row input 0 on.
    WelfordSaveState = 1704, Running, "welford_save_state" by "welford_init", 0,
        ANY, [1, 1], BOTH, { keeps: Keeps::Moments, writes_beside: true };
    /// Takes it back, from Dst row input 2 on.
    WelfordRestoreState = 1705, Running, "welford_restore_state" by "welford_init", 2, ANY, [1, 1], BOTH, { keeps: Keeps::Moments };
    /// Means and variances into the first row of the output and of the tile after it; parameter 0 is the scale.
    WelfordFinalizeToRow = 1706, Running, "welford_finalize_to_row" by "welford_init", 0,
        ANY, [1, 1], BOTH, { keeps: Keeps::Moments, writes_beside: true };
    /// As registers hold them, from Dst row input 0 on; parameter 0 is the scale.
    WelfordFinalizeToFace = 1707, Running, "welford_finalize_to_face" by "welford_init", 0,
        ANY, [1, 1], BOTH, { keeps: Keeps::Moments, writes_beside: true };
}

impl SfpuOp {
    /// The code of the operation.
    pub const fn code(self) -> u16 {
        self as u16
    }

    /// The name of the call in the kernel API.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The name of the call that must have come before.
    pub const fn init_name(self) -> &'static str {
        self.row().init
    }

    /// Tiles of Dst that the call reads.
    pub const fn inputs(self) -> usize {
        self.row().inputs
    }

    /// Whether what inits load is known: of the kernels for a chip, as ttnn 0.79 has them.
    pub const fn inits_are_known(on: Recorded) -> bool {
        matches!(on, Recorded::Wormhole)
    }

    /// The operation whose init programs the macros, or fills the table, that this one reads.
    pub fn macros_of(self) -> Option<SfpuOp> {
        match self.row().macros {
            Macros::None => None,
            Macros::Own => Some(self),
            Macros::Of(code) => SfpuOp::from_code(code),
        }
    }

    /// Issue slots that the kernel takes for 32 datums, with the NOPs that Wormhole needs after SFPMAD: an estimate, which measured
    /// figures replace where hardware traces give one.
    pub const fn slots(self, mode: &SfpuMode) -> u32 {
        let [narrow, wide] = self.row().slots;
        if mode.dst_32 { wide } else { narrow }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chip::WORMHOLE;

    #[test]
    fn codes_are_unique_and_read_back() {
        for &op in SfpuOp::ALL {
            assert_eq!(SfpuOp::from_code(op.code()), Some(op));
        }
        assert_eq!(SfpuOp::from_code(0), None);
    }

    fn mode(dst_32: bool) -> SfpuMode {
        SfpuMode { dst_32, approx: false, rules: WORMHOLE.sfpu, src_b_is_fp16: false }
    }

    /// What ttsim 1.10.0 showed with kernels of ttnn 0.79.
    #[test]
    fn inits_that_take_each_others_registers_are_those_that_were_seen_to() {
        let collide = |first: SfpuOp, second: SfpuOp, dst_32: bool| {
            let mode = mode(dst_32);
            let (needs, loads) = (first.row().constants.needs(&mode), second.row().constants.loads(&mode));
            needs.iter().zip(loads).any(|(need, load)| need.is_some() && load.is_some() && *need != load)
        };
        assert!(collide(SfpuOp::Recip, SfpuOp::Log, true));
        assert!(collide(SfpuOp::Exp, SfpuOp::ExpFast, false));
        assert!(collide(SfpuOp::Exp, SfpuOp::Recip, false));
        // No init is needed with a 32-bit Dst, and the compatible reciprocal loads nothing.
        assert!(!collide(SfpuOp::Exp, SfpuOp::Recip, true));
        assert!(!collide(SfpuOp::Exp, SfpuOp::RecipLegacy, false));
        // They load the same.
        assert!(!collide(SfpuOp::Sigmoid, SfpuOp::DivBinary, false));
        assert!(!collide(SfpuOp::Log, SfpuOp::Log1p, false));
    }
}
