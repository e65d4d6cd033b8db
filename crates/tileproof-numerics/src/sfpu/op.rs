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

// Parameter 3 has a bit for each of the others that the compiler of the kernel sees: it leaves out what such a number makes
// superfluous, and that may show.
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
    /// One tile into another. Parameter 0 is the code of the data format, 255 for the width of Dst.
    CopyDestValues = 404, "copy_dest_values", "copy_dest_values_init", 1, (3, 3);

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

    /// 1 where zero, else 0.
    Eqz = 700, "eqz_tile", "eqz_tile_init", 1, (7, 7);
    /// 1 where not zero.
    Nez = 701, "nez_tile", "nez_tile_init", 1, (7, 7);
    /// 1 where below zero.
    Ltz = 702, "ltz_tile", "ltz_tile_init", 1, (8, 8);
    /// 1 where above zero.
    Gtz = 703, "gtz_tile", "gtz_tile_init", 1, (8, 8);
    /// 1 where zero or below.
    Lez = 704, "lez_tile", "lez_tile_init", 1, (10, 10);
    /// 1 where zero or above.
    Gez = 705, "gez_tile", "gez_tile_init", 1, (10, 10);
    /// 1 where the word is 0, else 0: -0 is not zero.
    LogicalNot = 706, "logical_not_tile", "logical_not_tile_init", 1, (7, 7);
    /// 1 where equal to the scalar (parameter 0).
    UnaryEq = 710, "unary_eq_tile", "unary_eq_tile_init", 1, (9, 9);
    /// 1 where not equal to the scalar.
    UnaryNe = 711, "unary_ne_tile", "unary_ne_tile_init", 1, (9, 9);
    /// 1 where below the scalar.
    UnaryLt = 712, "unary_lt_tile", "unary_lt_tile_init", 1, (9, 9);
    /// 1 where above the scalar.
    UnaryGt = 713, "unary_gt_tile", "unary_gt_tile_init", 1, (10, 10);
    /// 1 where the scalar or below.
    UnaryLe = 714, "unary_le_tile", "unary_le_tile_init", 1, (10, 10);
    /// 1 where the scalar or above.
    UnaryGe = 715, "unary_ge_tile", "unary_ge_tile_init", 1, (9, 9);
    /// 1 where two tiles are equal.
    EqBinary = 720, "eq_binary_tile", "eq_binary_tile_init", 2, (14, 14);
    /// 1 where two tiles differ.
    NeBinary = 721, "ne_binary_tile", "ne_binary_tile_init", 2, (14, 14);
    /// 1 where the first tile is below the second.
    LtBinary = 722, "lt_binary_tile", "lt_binary_tile_init", 2, (15, 15);
    /// 1 where the first tile is above the second.
    GtBinary = 723, "gt_binary_tile", "gt_binary_tile_init", 2, (15, 15);
    /// 1 where the first tile is the second or below.
    LeBinary = 724, "le_binary_tile", "le_binary_tile_init", 2, (17, 17);
    /// 1 where the first tile is the second or above.
    GeBinary = 725, "ge_binary_tile", "ge_binary_tile_init", 2, (17, 17);
    /// 1 where infinite.
    IsInf = 730, "isinf_tile", "isinf_tile_init", 1, (10, 10);
    /// 1 where +infinity.
    IsPosInf = 731, "isposinf_tile", "isposinf_tile_init", 1, (12, 12);
    /// 1 where -infinity.
    IsNegInf = 732, "isneginf_tile", "isneginf_tile_init", 1, (12, 12);
    /// 1 where NaN.
    IsNan = 733, "isnan_tile", "isnan_tile_init", 1, (10, 10);
    /// 1 where finite.
    IsFinite = 734, "isfinite_tile", "isfinite_tile_init", 1, (8, 8);
    /// 1, -1 or 0.
    Sign = 740, "sign_tile", "sign_tile_init", 1, (8, 8);
    /// 1 where the sign bit is set.
    Signbit = 741, "signbit_tile", "signbit_tile_init", 1, (5, 5);
    /// 0, 1 or the scalar for zero.
    Heaviside = 742, "heaviside_tile", "heaviside_tile_init", 1, (10, 10);

    /// Zero instead of negative numbers.
    Relu = 800, "relu_tile", "relu_tile_init", 1, (6, 6);
    /// At least the scalar.
    ReluMin = 801, "relu_min_tile", "relu_min_tile_init", 1, (6, 6);
    /// Between zero and the scalar.
    ReluMax = 802, "relu_max_tile", "relu_max_tile_init", 1, (13, 13);
    /// Negative numbers times the scalar.
    LeakyRelu = 803, "leaky_relu_tile", "leaky_relu_tile_init", 1, (8, 8);
    /// Negative numbers times the scalar.
    Prelu = 804, "prelu_tile", "prelu_tile_init", 1, (8, 8);
    /// Between two scalars, through Dst.
    Clamp = 810, "clamp_tile", "clamp_tile_init", 1, (12, 12);
    /// Between two scalars.
    Hardtanh = 811, "hardtanh_tile", "hardtanh_tile_init", 1, (7, 7);
    /// Parameter 1 where parameter 0 or below.
    Threshold = 812, "threshold_tile", "threshold_tile_init", 1, (9, 9);
    /// The larger of tile and scalar.
    UnaryMax = 820, "unary_max_tile", "unary_max_tile_init", 1, (5, 5);
    /// The smaller of tile and scalar.
    UnaryMin = 821, "unary_min_tile", "unary_min_tile_init", 1, (5, 5);
    /// The larger of two tiles.
    BinaryMax = 830, "binary_max_tile", "binary_max_tile_init", 2, (5, 5);
    /// The smaller of two tiles.
    BinaryMin = 831, "binary_min_tile", "binary_min_tile_init", 2, (5, 5);

    /// Toward zero.
    Trunc = 900, "trunc_tile", "rounding_op_tile_init", 1, (12, 12);
    /// Down.
    Floor = 901, "floor_tile", "rounding_op_tile_init", 1, (16, 16);
    /// Up.
    Ceil = 902, "ceil_tile", "rounding_op_tile_init", 1, (16, 16);
    /// What truncation takes away.
    Frac = 903, "frac_tile", "rounding_op_tile_init", 1, (14, 14);
    /// To decimals (parameter 0, signed).
    Round = 904, "round_tile", "rounding_op_tile_init", 1, (20, 20);

    /// Sigmoid.
    Sigmoid = 1000, "sigmoid_tile", "sigmoid_tile_init", 1, (50, 75);
    /// Sigmoid by table (`sigmoid_tile<VectorMode::RC, true>`).
    SigmoidFast = 1001, "sigmoid_tile", "sigmoid_tile_init", 1, (8, 8);
    /// x times its sigmoid.
    Silu = 1002, "silu_tile", "silu_tile_init", 1, (52, 77);
    /// Hyperbolic tangent.
    Tanh = 1010, "tanh_tile", "tanh_tile_init", 1, (17, 50);
    /// Hyperbolic tangent by table (`tanh_tile<true>`).
    TanhFast = 1011, "tanh_tile", "tanh_tile_init", 1, (6, 6);
    /// Exponential linear unit, alpha in parameter 0.
    Elu = 1020, "elu_tile", "elu_tile_init", 1, (42, 41);
    /// Scaled exponential linear unit: scale and alpha.
    Selu = 1021, "selu_tile", "selu_tile_init", 1, (44, 43);
    /// Hard sigmoid.
    Hardsigmoid = 1022, "hardsigmoid_tile", "hardsigmoid_tile_init", 1, (15, 15);
    /// x / (1 + |x|).
    Softsign = 1023, "softsign_tile", "softsign_tile_init", 1, (30, 30);

    /// First where the condition tile is not zero, else second; 32-bit data formats.
    Where = 1100, "where_tile", "where_tile_init", 3, (6, 6);
    /// [`SfpuOp::Where`] for `DataFormat::Float16_b`.
    WhereFloat16b = 1101, "where_tile", "where_tile_init", 3, (6, 6);
    /// x * y + z.
    Mac = 1110, "mac_tile", "mac_tile_init", 3, (7, 6);
    /// x + parameter 0 * y * z.
    Addcmul = 1111, "addcmul_tile", "addcmul_tile_init", 3, (8, 7);
    /// x + z * (y - x).
    Lerp = 1112, "lerp_tile", "lerp_tile_init", 3, (15, 10);
    /// x + parameter 0 * y / z.
    Addcdiv = 1113, "addcdiv_tile", "addcdiv_tile_init", 3, (29, 24);

    /// Natural logarithm.
    Log = 1200, "log_tile", "log_tile_init", 1, (34, 46);
    /// Natural logarithm without the look at denormals (`log_tile<true>`).
    LogFast = 1201, "log_tile", "log_tile_init", 1, (32, 44);
    /// Natural logarithm times parameter 0.
    LogWithBase = 1202, "log_with_base_tile", "log_with_base_tile_init", 1, (37, 49);
    /// ln(1 + x).
    Log1p = 1203, "log1p_tile", "log1p_tile_init", 1, (42, 54);
    /// x * ln(y), with the older logarithm.
    Xlogy = 1204, "xlogy_binary_tile", "xlogy_binary_tile_init", 2, (32, 32);
    /// Power of two.
    Exp2 = 1210, "exp2_tile", "exp2_tile_init", 1, (24, 36);
    /// exp(x) - 1.
    Expm1 = 1211, "expm1_tile", "expm1_tile_init", 1, (44, 58);
    /// x to the power of parameter 0.
    Power = 1220, "power_tile", "power_tile_init", 1, (75, 120);
    /// x to the power of parameter 0, an integer, by squaring.
    PowerIterative = 1221, "power_iterative_tile", "power_iterative_tile_init", 1, (10, 10);
    /// x to the power of y.
    PowerBinary = 1222, "power_binary_tile", "power_binary_tile_init", 2, (80, 140);
    /// Parameter 0 to the power of x.
    Rpow = 1223, "rpow_tile", "rpow_tile_init", 1, (78, 138);
    /// Cube root.
    Cbrt = 1224, "cbrt_tile", "cbrt_tile_init", 1, (26, 36);
    /// Remainder with the sign of the dividend.
    FmodBinary = 1225, "fmod_binary_tile", "fmod_binary_tile_init", 2, (75, 74);

    /// Sine.
    Sin = 1300, "sin_tile", "sin_tile_init", 1, (30, 33);
    /// Cosine.
    Cos = 1301, "cos_tile", "cos_tile_init", 1, (34, 37);
    /// Tangent.
    Tan = 1302, "tan_tile", "tan_tile_init", 1, (50, 70);
    /// Arctangent.
    Atan = 1303, "atan_tile", "atan_tile_init", 1, (60, 62);
    /// Arctangent of y / x.
    Atan2 = 1304, "atan2_binary_tile", "atan2_binary_tile_init", 2, (60, 78);

    /// Gelu by table (`gelu_tile<true>`).
    GeluFast = 1350, "gelu_tile", "gelu_tile_init", 1, (8, 8);
    /// Gelu (`gelu_tile<false>`).
    Gelu = 1351, "gelu_tile", "gelu_tile_init", 1, (70, 80);
    /// Gelu by tanh.
    GeluTanh = 1352, "gelu_tanh_tile", "gelu_tanh_tile_init", 1, (63, 62);
    /// Error function (`erf_tile<false>`).
    Erf = 1353, "erf_tile", "erf_tile_init", 1, (48, 48);
    /// Error function with a coarser reciprocal (`erf_tile<true>`).
    ErfFast = 1354, "erf_tile", "erf_tile_init", 1, (44, 44);
    /// 1 - erf(x).
    Erfc = 1355, "erfc_tile", "erfc_tile_init", 1, (70, 70);
    /// Softplus: beta, 1 / beta, threshold.
    Softplus = 1356, "softplus_tile", "softplus_tile_init", 1, (34, 33);
    /// Mish (`mish_tile<false>`).
    Mish = 1357, "mish_tile", "mish_tile_init", 1, (62, 88);

    /// Sum of two tiles of 32-bit integers.
    AddInt = 1400, "add_int_tile", "add_int_tile_init", 2, (6, 6);
    /// Sum of two tiles of UInt16.
    AddUInt16 = 1401, "add_int_tile", "add_int_tile_init", 2, (6, 6);
    /// Difference of two tiles of 32-bit integers.
    SubInt = 1402, "sub_int_tile", "sub_int_tile_init", 2, (6, 6);
    /// Difference of two tiles of UInt16.
    SubUInt16 = 1403, "sub_int_tile", "sub_int_tile_init", 2, (6, 6);
    /// Second tile minus the first, 32-bit integers.
    RsubInt = 1404, "rsub_int_tile", "rsub_int_tile_init", 2, (6, 6);
    /// Second tile minus the first, UInt16.
    RsubUInt16 = 1405, "rsub_int_tile", "rsub_int_tile_init", 2, (6, 6);
    /// Product of two tiles of 32-bit integers.
    MulInt = 1406, "mul_int_tile", "mul_int_tile_init", 2, (36, 36);
    /// Product of two tiles of UInt16.
    MulUInt16 = 1407, "mul_int_tile", "mul_int_tile_init", 2, (24, 24);
    /// Tile of int32 plus parameter 0.
    AddUnaryInt32 = 1410, "add_unary_tile_int32", "binop_with_scalar_tile_init", 1, (4, 4);
    /// Tile of int32 minus parameter 0.
    SubUnaryInt32 = 1411, "sub_unary_tile_int32", "binop_with_scalar_tile_init", 1, (4, 4);
    /// Absolute value of int32.
    AbsInt32 = 1412, "abs_tile_int32", "abs_tile_init", 1, (4, 4);
    /// Parameter 0 minus a tile of int32.
    RsubUnaryInt32 = 1413, "rsub_unary_int32_tile", "rsub_unary_int32_tile_init", 1, (4, 4);
    /// Negative of int32; the least number stays.
    NegativeInt32 = 1414, "negative_tile_int32", "negative_tile_init", 1, (6, 6);
    /// Zero instead of negative int32.
    ReluInt32 = 1415, "relu_tile_int32", "relu_tile_init", 1, (5, 5);
    /// The larger of two tiles of int32.
    BinaryMaxInt32 = 1420, "binary_max_int32_tile", "binary_max_int32_tile_init", 2, (9, 9);
    /// The smaller of two tiles of int32.
    BinaryMinInt32 = 1421, "binary_min_int32_tile", "binary_min_int32_tile_init", 2, (9, 9);
    /// The larger of two tiles of uint32.
    BinaryMaxUInt32 = 1422, "binary_max_uint32_tile", "binary_max_uint32_tile_init", 2, (9, 9);
    /// The smaller of two tiles of uint32.
    BinaryMinUInt32 = 1423, "binary_min_uint32_tile", "binary_min_uint32_tile_init", 2, (9, 9);
    /// The larger of int32 and parameter 0.
    UnaryMaxInt32 = 1424, "unary_max_int32_tile", "unary_max_int32_tile_init", 1, (7, 7);
    /// The smaller of int32 and parameter 0.
    UnaryMinInt32 = 1425, "unary_min_int32_tile", "unary_min_int32_tile_init", 1, (7, 7);
    /// The larger of uint32 and parameter 0.
    UnaryMaxUInt32 = 1426, "unary_max_uint32_tile", "unary_max_uint32_tile_init", 1, (7, 7);
    /// The smaller of uint32 and parameter 0.
    UnaryMinUInt32 = 1427, "unary_min_uint32_tile", "unary_min_uint32_tile_init", 1, (7, 7);
    /// 1 where two tiles of 32-bit integers are equal.
    EqInt = 1430, "eq_int_tile", "eq_int_tile_init", 2, (8, 8);
    /// 1 where they differ.
    NeInt = 1431, "ne_int_tile", "ne_int_tile_init", 2, (8, 8);
    /// 1 where the first tile of int32 is below the second.
    LtInt = 1432, "lt_int_tile", "lt_int_tile_init", 2, (9, 9);
    /// 1 where it is above.
    GtInt = 1433, "gt_int_tile", "gt_int_tile_init", 2, (9, 9);
    /// 1 where it is equal or below.
    LeInt = 1434, "le_int_tile", "le_int_tile_init", 2, (9, 9);
    /// 1 where it is equal or above.
    GeInt = 1435, "ge_int_tile", "ge_int_tile_init", 2, (9, 9);
    /// 1 where the first tile of uint32 is below the second.
    LtUInt32 = 1436, "lt_int_tile", "lt_int_tile_init", 2, (9, 9);
    /// 1 where it is above.
    GtUInt32 = 1437, "gt_int_tile", "gt_int_tile_init", 2, (9, 9);
    /// 1 where it is equal or below.
    LeUInt32 = 1438, "le_int_tile", "le_int_tile_init", 2, (9, 9);
    /// 1 where it is equal or above.
    GeUInt32 = 1439, "ge_int_tile", "ge_int_tile_init", 2, (9, 9);
    /// 1 where an int32 is zero.
    EqzInt32 = 1440, "eqz_tile_int32", "eqz_tile_init", 1, (7, 7);
    /// 1 where not zero.
    NezInt32 = 1441, "nez_tile_int32", "nez_tile_init", 1, (7, 7);
    /// 1 where below zero.
    LtzInt32 = 1442, "ltz_tile_int32", "ltz_tile_init", 1, (7, 7);
    /// 1 where above zero.
    GtzInt32 = 1443, "gtz_tile_int32", "gtz_tile_init", 1, (8, 8);
    /// 1 where zero or below.
    LezInt32 = 1444, "lez_tile_int32", "lez_tile_init", 1, (8, 8);
    /// 1 where zero or above.
    GezInt32 = 1445, "gez_tile_int32", "gez_tile_init", 1, (7, 7);
    /// 1 where a uint32 is zero.
    EqzUInt32 = 1446, "eqz_tile_uint32", "eqz_tile_init", 1, (7, 7);
    /// 1 where it is not.
    NezUInt32 = 1447, "nez_tile_uint32", "nez_tile_init", 1, (7, 7);
    /// 1 where a UInt16 is zero.
    EqzUInt16 = 1448, "eqz_tile_uint16", "eqz_tile_init", 1, (7, 7);
    /// 1 where it is not.
    NezUInt16 = 1449, "nez_tile_uint16", "nez_tile_init", 1, (7, 7);
    /// 1 where the int32, turned as if it were sign and magnitude, equals parameter 0.
    UnaryEqInt32 = 1450, "unary_eq_tile_int32", "unary_eq_tile_init", 1, (15, 15);
    /// 1 where it does not.
    UnaryNeInt32 = 1451, "unary_ne_tile_int32", "unary_ne_tile_init", 1, (15, 15);
    /// 1 where below parameter 0.
    UnaryLtInt32 = 1452, "unary_lt_tile_int32", "unary_lt_tile_init", 1, (15, 15);
    /// 1 where above parameter 0.
    UnaryGtInt32 = 1453, "unary_gt_tile_int32", "unary_gt_tile_init", 1, (15, 15);
    /// 1 where parameter 0 or below.
    UnaryLeInt32 = 1454, "unary_le_tile_int32", "unary_le_tile_init", 1, (15, 15);
    /// 1 where parameter 0 or above.
    UnaryGeInt32 = 1455, "unary_ge_tile_int32", "unary_ge_tile_init", 1, (15, 15);
    /// [`SfpuOp::LogicalNot`] of 32-bit integers.
    LogicalNotInt32 = 1456, "logical_not_tile", "logical_not_tile_init", 1, (7, 7);
    /// [`SfpuOp::LogicalNot`] of UInt16.
    LogicalNotUInt16 = 1457, "logical_not_tile", "logical_not_tile_init", 1, (7, 7);

    /// 1 where two tiles of UInt16 are equal.
    EqUInt16 = 1460, "eq_int_tile", "eq_int_tile_init", 2, (8, 8);
    /// 1 where they differ.
    NeUInt16 = 1461, "ne_int_tile", "ne_int_tile_init", 2, (8, 8);
    /// 1 where the first tile of UInt16 is below the second.
    LtUInt16 = 1462, "lt_int_tile", "lt_int_tile_init", 2, (6, 6);
    /// 1 where it is above.
    GtUInt16 = 1463, "gt_int_tile", "gt_int_tile_init", 2, (6, 6);
    /// 1 where it is equal or below.
    LeUInt16 = 1464, "le_int_tile", "le_int_tile_init", 2, (7, 7);
    /// 1 where it is equal or above.
    GeUInt16 = 1465, "ge_int_tile", "ge_int_tile_init", 2, (7, 7);

    /// Bitwise and of two tiles of 32-bit integers.
    BitwiseAnd = 1500, "bitwise_and_binary_tile", "binary_bitwise_tile_init", 2, (6, 6);
    /// Bitwise or.
    BitwiseOr = 1501, "bitwise_or_binary_tile", "binary_bitwise_tile_init", 2, (6, 6);
    /// Bitwise exclusive or.
    BitwiseXor = 1502, "bitwise_xor_binary_tile", "binary_bitwise_tile_init", 2, (6, 6);
    /// All bits flipped.
    BitwiseNot = 1503, "bitwise_not_tile", "bitwise_not_tile_init", 1, (4, 4);
    /// Bitwise and of two tiles of UInt16.
    BitwiseAndUInt16 = 1504, "bitwise_and_binary_tile", "binary_bitwise_tile_init", 2, (6, 6);
    /// Bitwise or.
    BitwiseOrUInt16 = 1505, "bitwise_or_binary_tile", "binary_bitwise_tile_init", 2, (6, 6);
    /// Bitwise exclusive or.
    BitwiseXorUInt16 = 1506, "bitwise_xor_binary_tile", "binary_bitwise_tile_init", 2, (6, 6);
    /// Shift to the left.
    LeftShift = 1510, "binary_left_shift_tile", "binary_shift_tile_init", 2, (10, 10);
    /// Arithmetic shift to the right.
    RightShift = 1511, "binary_right_shift_tile", "binary_shift_tile_init", 2, (17, 17);
    /// Logical shift to the right.
    LogicalRightShift = 1512, "binary_logical_right_shift_tile", "binary_shift_tile_init", 2, (11, 11);
    /// Logical shift of uint32 to the right, by 31 where the count is larger.
    RightShiftUInt32 = 1513, "binary_right_shift_tile", "binary_shift_tile_init", 2, (11, 11);
    /// Shift of UInt16 to the left.
    LeftShiftUInt16 = 1514, "binary_left_shift_tile", "binary_shift_tile_init", 2, (10, 10);
    /// Shift of UInt16 to the right, which has no sign.
    RightShiftUInt16 = 1515, "binary_right_shift_tile", "binary_shift_tile_init", 2, (17, 17);
    /// Logical shift of UInt16 to the right.
    LogicalRightShiftUInt16 = 1516, "binary_logical_right_shift_tile", "binary_shift_tile_init", 2, (11, 11);
    /// Shift to the left by parameter 0; 0 from 32 on.
    UnaryLeftShift = 1520, "left_shift_tile", "left_shift_tile_init", 1, (4, 4);
    /// The same of UInt16.
    UnaryLeftShiftUInt16 = 1521, "left_shift_tile", "left_shift_tile_init", 1, (4, 4);
    /// Arithmetic shift to the right by parameter 0, by 31 where it is larger.
    UnaryRightShift = 1522, "right_shift_tile", "right_shift_tile_init", 1, (8, 8);
    /// Logical shift of uint32 to the right, by 31 at most.
    UnaryRightShiftUInt32 = 1523, "right_shift_tile", "right_shift_tile_init", 1, (4, 4);
    /// The same of UInt16.
    UnaryRightShiftUInt16 = 1524, "right_shift_tile", "right_shift_tile_init", 1, (4, 4);
    /// Bitwise and of 32-bit integers with parameter 0.
    UnaryBitwiseAnd = 1530, "bitwise_and_tile", "bitwise_and_tile_init", 1, (4, 4);
    /// Bitwise or.
    UnaryBitwiseOr = 1531, "bitwise_or_tile", "bitwise_or_tile_init", 1, (4, 4);
    /// Bitwise exclusive or.
    UnaryBitwiseXor = 1532, "bitwise_xor_tile", "bitwise_xor_tile_init", 1, (4, 4);
    /// Bitwise and of UInt16 with parameter 0.
    UnaryBitwiseAndUInt16 = 1533, "bitwise_and_tile", "bitwise_and_tile_init", 1, (4, 4);
    /// Bitwise or.
    UnaryBitwiseOrUInt16 = 1534, "bitwise_or_tile", "bitwise_or_tile_init", 1, (4, 4);
    /// Bitwise exclusive or.
    UnaryBitwiseXorUInt16 = 1535, "bitwise_xor_tile", "bitwise_xor_tile_init", 1, (4, 4);

    /// No instruction: float formats that Dst holds alike, UInt8 to 32-bit integers, or one of those to another.
    TypecastNone = 1600, "typecast_tile", "typecast_tile_init", 1, (0, 0);
    /// Float to Int32.
    TypecastFloatToInt32 = 1601, "typecast_tile", "typecast_tile_init", 1, (15, 15);
    /// Float to UInt32.
    TypecastFloatToUInt32 = 1602, "typecast_tile", "typecast_tile_init", 1, (11, 11);
    /// Float to UInt16.
    TypecastFloatToUInt16 = 1603, "typecast_tile", "typecast_tile_init", 1, (4, 4);
    /// Float to UInt8.
    TypecastFloatToUInt8 = 1604, "typecast_tile", "typecast_tile_init", 1, (12, 12);
    /// Float32 to Float16_b.
    TypecastFloat32ToFloat16b = 1605, "typecast_tile", "typecast_tile_init", 1, (8, 8);
    /// Int32 to Float32.
    TypecastInt32ToFloat32 = 1610, "typecast_tile", "typecast_tile_init", 1, (8, 8);
    /// Int32 to Float16_b or a block float.
    TypecastInt32ToFloat16b = 1611, "typecast_tile", "typecast_tile_init", 1, (9, 9);
    /// Int32 to UInt16.
    TypecastInt32ToUInt16 = 1612, "typecast_tile", "typecast_tile_init", 1, (5, 5);
    /// UInt32 or UInt8 to Float32.
    TypecastUInt32ToFloat32 = 1613, "typecast_tile", "typecast_tile_init", 1, (7, 7);
    /// UInt32 or UInt8 to Float16_b or a block float.
    TypecastUInt32ToFloat16b = 1614, "typecast_tile", "typecast_tile_init", 1, (8, 8);
    /// UInt32 or UInt8 to UInt16.
    TypecastUInt32ToUInt16 = 1615, "typecast_tile", "typecast_tile_init", 1, (7, 7);
    /// Int32 or UInt32 to UInt8.
    TypecastIntToUInt8 = 1616, "typecast_tile", "typecast_tile_init", 1, (4, 4);
    /// UInt16 to Float32.
    TypecastUInt16ToFloat32 = 1620, "typecast_tile", "typecast_tile_init", 1, (4, 4);
    /// UInt16 to Float16_b or a block float.
    TypecastUInt16ToFloat16b = 1621, "typecast_tile", "typecast_tile_init", 1, (4, 4);
    /// UInt16 to Int32 or UInt32.
    TypecastUInt16ToUInt32 = 1622, "typecast_tile", "typecast_tile_init", 1, (3, 3);
    /// UInt16 to UInt8.
    TypecastUInt16ToUInt8 = 1623, "typecast_tile", "typecast_tile_init", 1, (5, 5);

    /// Reduction of one tile. Parameters: 0 is the pool (0 sum, 1 average, 2 maximum, 3 minimum),
    /// 1 is 1 for REDUCE_ROW, 2 is the code of the data format (0 Float32, 5 Float16_b, 8 Int32).
    Reduce = 1700, "sfpu_reduce", "sfpu_reduce_init", 1, (7, 7);
    /// Sums from row to row, which go on from tile to tile: [`super::cumsum`]. Parameter 0 is 1 where they begin.
    Cumsum = 1701, "cumsum_tile", "cumsum_tile_init", 1, (5, 5);
    /// Begins means and squared differences anew ([`super::Moments`]).
    WelfordClear = 1702, "welford_clear", "welford_init", 0, (1, 1);
    /// Takes up to four rows in: input 1 is the first, input 2 the one after the last, the parameters are the reciprocals of
    /// how many rows there are with each.
    WelfordUpdate = 1703, "welford_update", "welford_init", 1, (2, 2);
    /// Keeps the state in the output and the tile after it, from Dst row input 0 on.
    WelfordSaveState = 1704, "welford_save_state", "welford_init", 0, (1, 1);
    /// Takes it back, from Dst row input 2 on.
    WelfordRestoreState = 1705, "welford_restore_state", "welford_init", 2, (1, 1);
    /// Means and variances into the first row of the output and of the tile after it; parameter 0 is the scale.
    WelfordFinalizeToRow = 1706, "welford_finalize_to_row", "welford_init", 0, (1, 1);
    /// As registers hold them, from Dst row input 0 on; parameter 0 is the scale.
    WelfordFinalizeToFace = 1707, "welford_finalize_to_face", "welford_init", 0, (1, 1);
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
