// The vector unit, continued: calls on two and three Dst tiles, integers, conversions, statistics.
// As in sfpu.h, an operation that the model lacks must end the kernel by name.
// Start at TP_BINARY.
#pragma once
#include "tp/sfpi_steps.h"

namespace ckernel {

// Until 28 August 2025 calls had no tile for the result: the tile that comes first in Dst was the left operand, whichever was named
// first, and took the result (tt-metal 27513).
#define TP_IN_PLACE(NAME) \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1) { \
        NAME##_tile(in0 < in1 ? in0 : in1, in0 < in1 ? in1 : in0, in0 < in1 ? in0 : in1); \
    }
#define TP_BINARY(NAME, OP)                                \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }          \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { TP_RUN(OP, in0, in1, 0, out); } \
    TP_IN_PLACE(NAME)
TP_BINARY(mul_binary, MulBinary)
TP_BINARY(div_binary, DivBinary)
TP_BINARY(eq_binary, EqBinary)
TP_BINARY(ne_binary, NeBinary)
TP_BINARY(lt_binary, LtBinary)
TP_BINARY(gt_binary, GtBinary)
TP_BINARY(le_binary, LeBinary)
TP_BINARY(ge_binary, GeBinary)
TP_BINARY(power_binary, PowerBinary)
TP_BINARY(xlogy_binary, Xlogy)
TP_BINARY(fmod_binary, FmodBinary)
TP_BINARY(atan2_binary, Atan2)
TP_BINARY(gcd, Gcd)
TP_BINARY(lcm, Lcm)
// Of the newest kernels.
#define TP_NEWER_BINARY(NAME, OP)                          \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }          \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { \
        TP_SINCE_DIVISIONS(#NAME "_tile");                 \
        TP_RUN(OP, in0, in1, 0, out);                      \
    }
TP_NEWER_BINARY(logsigmoid, Logsigmoid)
TP_NEWER_BINARY(remainder_int32, RemainderInt32)
TP_NEWER_BINARY(remainder_uint32, RemainderUInt32)
TP_NEWER_BINARY(fmod_int32, FmodInt32)
TP_NEWER_BINARY(div_int32, DivInt32)
TP_NEWER_BINARY(div_int32_floor, DivInt32Floor)
TP_NEWER_BINARY(div_int32_trunc, DivInt32Trunc)
#undef TP_NEWER_BINARY
ALWI void remainder_binary_tile_init() { TP_INIT(RemainderBinary); }
template <bool width = DST_ACCUM_MODE>
ALWI void remainder_binary_tile(uint32_t in0, uint32_t in1, uint32_t out) {
    TP_SINCE_DIVISIONS("remainder_binary_tile");
    TP_RUN(RemainderBinary, in0, in1, 0, out);
}
ALWI void isclose_binary_tile_init() { TP_INIT(Isclose); }
template <bool equal_nan = false>
ALWI void isclose_binary_tile(uint32_t in0, uint32_t in1, uint32_t out, uint32_t factor, uint32_t least) {
    TP_SINCE_DIVISIONS("isclose_binary_tile");
    if constexpr (equal_nan) {
        TP_RUN(IscloseNan, in0, in1, 0, out, factor, least);
    } else {
        TP_RUN(Isclose, in0, in1, 0, out, factor, least);
    }
}
#undef TP_BINARY

// With a choice of faces (tt-metal `binary_max_min.h`).
#define TP_EXTREMUM(NAME, OP)                              \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }          \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out, TpVectorMode vector_mode = TP_RC) { \
        TP_RUN(OP, in0, in1, 0, out, 0, 0, 0, vector_mode); \
    } \
    TP_IN_PLACE(NAME)
TP_EXTREMUM(binary_max, BinaryMax)
TP_EXTREMUM(binary_min, BinaryMin)
TP_EXTREMUM(binary_max_int32, BinaryMaxInt32)
TP_EXTREMUM(binary_min_int32, BinaryMinInt32)
TP_EXTREMUM(binary_max_uint32, BinaryMaxUInt32)
TP_EXTREMUM(binary_min_uint32, BinaryMinUInt32)
#undef TP_EXTREMUM
// Until 2026 (tt-metal `compute_kernel_api.h`): in place.
ALWI void max_tile_init() { TP_INIT(MaxTile); }
ALWI void max_tile(uint32_t in0, uint32_t in1, TpVectorMode vector_mode = TP_RC) {
    TP_RUN(MaxTile, in0, in1, 0, in0, 0, 0, 0, vector_mode);
}

// The rounding of the sum in a 16-bit Dst is a template argument.
#define TP_ROUNDED(NAME, OP)                               \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }          \
    template <DstRoundingMode rounding = DstRoundingMode::None> \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { \
        TP_RUN(OP, in0, in1, 0, out, rounding == DstRoundingMode::NearestEven); \
    } \
    TP_IN_PLACE(NAME)
TP_ROUNDED(add_binary, AddBinary)
TP_ROUNDED(sub_binary, SubBinary)
TP_ROUNDED(rsub_binary, RsubBinary)
#undef TP_ROUNDED
#undef TP_IN_PLACE
// The layer below, where an argument of the template names the operation (tt-metal of 2025 `llk_math_eltwise_binary_sfpu_binop.h`).
// A host may define such names for its kernel.
#pragma push_macro("ADD")
#undef ADD
#pragma push_macro("SUB")
#undef SUB
#pragma push_macro("MUL")
#undef MUL
#pragma push_macro("DIV")
#undef DIV
enum class BinaryOp : uint8_t { ADD, SUB, MUL, DIV, RSUB, POW, XLOGY, RSHFT, LSHFT, LOGICAL_RSHFT, ADD_TOP_ROW };
namespace sfpu {
using ckernel::BinaryOp;
}  // namespace sfpu
template <bool approximate, BinaryOp operation, auto... more>
ALWI void llk_math_eltwise_binary_sfpu_binop_init() {
    if constexpr (operation == BinaryOp::ADD) {
        TP_INIT(AddBinary);
    } else if constexpr (operation == BinaryOp::SUB) {
        TP_INIT(SubBinary);
    } else if constexpr (operation == BinaryOp::MUL) {
        TP_INIT(MulBinary);
    } else if constexpr (operation == BinaryOp::DIV) {
        TP_INIT(DivBinary);
    } else if constexpr (operation == BinaryOp::RSUB) {
        TP_INIT(RsubBinary);
    } else if constexpr (operation == BinaryOp::POW) {
        TP_INIT(PowerBinary);
    } else if (TP_ON_MATH) {
        tp::unsupported(TP_SITE(), "llk_math_eltwise_binary_sfpu_binop_init of another operation than a sum, product, quotient or power");
    }
}
#pragma pop_macro("DIV")
#pragma pop_macro("MUL")
#pragma pop_macro("SUB")
#pragma pop_macro("ADD")

// Three tiles.
template <DataFormat format = DataFormat::Float32>
ALWI void where_tile_init() { TP_INIT(Where); }
template <DataFormat format = DataFormat::Float32>
ALWI void where_tile(uint32_t condition, uint32_t yes, uint32_t no, uint32_t out) {
    if constexpr (format == DataFormat::Float16_b) {
        TP_RUN(WhereFloat16b, condition, yes, no, out);
    } else {
        TP_RUN(Where, condition, yes, no, out);
    }
}
template <DataFormat format = DataFormat::Float32>
ALWI void mac_tile_init() { TP_INIT(Mac); }
template <DataFormat format = DataFormat::Float32>
ALWI void mac_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out) { TP_RUN(Mac, a, b, c, out); }
template <DataFormat format = DataFormat::Float32>
ALWI void addcmul_tile_init() { TP_INIT(Addcmul); }
template <DataFormat format = DataFormat::Float32>
ALWI void addcmul_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out, uint32_t scalar) {
    TP_RUN(Addcmul, a, b, c, out, scalar);
}
template <DataFormat format = DataFormat::Float32>
ALWI void addcdiv_tile_init() { TP_INIT(Addcdiv); }
template <DataFormat format = DataFormat::Float32>
ALWI void addcdiv_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out, uint32_t scalar) {
    TP_RUN(Addcdiv, a, b, c, out, scalar, 0, 0, TP_RC, TP_SEEN(scalar, 0));
}
template <DataFormat format = DataFormat::Float32>
ALWI void lerp_tile_init() { TP_INIT(Lerp); }
template <DataFormat format = DataFormat::Float32>
ALWI void lerp_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out) { TP_RUN(Lerp, a, b, c, out); }

// Calls whose kernels generation 0.66 has otherwise, and whose results there nobody has compared.
#define TP_SINCE_0_79(NAME)                               \
    do {                                                  \
        if (!TP_SINCE(TP_INTEGER_KERNELS) && TP_ON_MATH) { \
            ::tp::unsupported(TP_SITE(), NAME);           \
        }                                                 \
    } while (0)

// Integers: the data format chooses the operation.
#define TP_INT_BINARY(NAME, OP, OP_UINT32, OP_UINT16)                 \
    template <DataFormat format = DataFormat::Int32>                  \
    ALWI void NAME##_tile_init() {                                    \
        if constexpr (format == DataFormat::UInt16) {                 \
            TP_INIT(OP_UINT16);                                       \
        } else {                                                      \
            TP_INIT(OP);                                              \
        }                                                             \
    }                                                                 \
    TP_INT_TILES(NAME, OP, OP_UINT32, OP_UINT16)
#define TP_INT_TILES(NAME, OP, OP_UINT32, OP_UINT16)                  \
    template <DataFormat format = DataFormat::Int32>                  \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { \
        if constexpr (format == DataFormat::UInt16) {                 \
            TP_RUN(OP_UINT16, in0, in1, 0, out);                      \
        } else if constexpr (format == DataFormat::UInt32) {          \
            TP_RUN(OP_UINT32, in0, in1, 0, out);                      \
        } else {                                                      \
            TP_RUN(OP, in0, in1, 0, out);                             \
        }                                                             \
    }
TP_INT_BINARY(add_int, AddInt, AddInt, AddUInt16)
TP_INT_BINARY(sub_int, SubInt, SubInt, SubUInt16)
TP_INT_BINARY(rsub_int, RsubInt, RsubInt, RsubUInt16)
TP_INT_BINARY(mul_int, MulInt, MulInt, MulUInt16)
TP_INT_BINARY(eq_int, EqInt, EqInt, EqUInt16)
TP_INT_BINARY(ne_int, NeInt, NeInt, NeUInt16)
TP_INT_BINARY(lt_int, LtInt, LtUInt32, LtUInt16)
TP_INT_BINARY(gt_int, GtInt, GtUInt32, GtUInt16)
TP_INT_BINARY(le_int, LeInt, LeUInt32, LeUInt16)
TP_INT_BINARY(ge_int, GeInt, GeUInt32, GeUInt16)
#undef TP_INT_BINARY

ALWI void binary_bitwise_tile_init() { TP_INIT(BitwiseAnd); }
TP_INT_TILES(bitwise_and_binary, BitwiseAnd, BitwiseAnd, BitwiseAndUInt16)
TP_INT_TILES(bitwise_or_binary, BitwiseOr, BitwiseOr, BitwiseOrUInt16)
TP_INT_TILES(bitwise_xor_binary, BitwiseXor, BitwiseXor, BitwiseXorUInt16)
ALWI void binary_shift_tile_init() { TP_INIT(LeftShift); }
TP_INT_TILES(binary_left_shift, LeftShift, LeftShift, LeftShiftUInt16)
#if TP_BEFORE(TP_RIGHT_SHIFT)
// One routine for both signs, arithmetic (LLK `ckernel_sfpu_shift.h`).
TP_INT_TILES(binary_right_shift, RightShift, RightShift, RightShiftUInt16)
#else
template <DataFormat format = DataFormat::Int32>
ALWI void binary_right_shift_tile(uint32_t in0, uint32_t in1, uint32_t out) {
    if constexpr (format == DataFormat::UInt16) {
        TP_RUN(RightShiftUInt16, in0, in1, 0, out);
    } else if constexpr (format == DataFormat::UInt32) {
        TP_KNOWN(MATH, TP_RIGHT_SHIFT, "binary_right_shift_tile of UInt32");
        TP_BY_DAY(right_shift);
        TP_RUN(RightShiftUInt32, in0, in1, 0, out);
    } else {
        TP_RUN(RightShift, in0, in1, 0, out);
    }
}
#endif
TP_INT_TILES(binary_logical_right_shift, LogicalRightShift, LogicalRightShift, LogicalRightShiftUInt16)
#undef TP_INT_TILES

// With a scalar. Generation 0.66 has other kernels, without the format and by sign and magnitude.
#define TP_INT_SCALAR(NAME, OP, OP_UINT32, OP_UINT16)             \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }                 \
    template <DataFormat format = DataFormat::Int32>              \
    ALWI void NAME##_tile(uint32_t dst, uint32_t value) {         \
        TP_SINCE_0_79(#NAME "_tile");                             \
        if constexpr (format == DataFormat::UInt16) {             \
            TP_RUN(OP_UINT16, dst, 0, 0, dst, value);             \
        } else if constexpr (format == DataFormat::UInt32) {      \
            TP_RUN(OP_UINT32, dst, 0, 0, dst, value);             \
        } else {                                                  \
            TP_RUN(OP, dst, 0, 0, dst, value);                    \
        }                                                         \
    }
TP_INT_SCALAR(left_shift, UnaryLeftShift, UnaryLeftShift, UnaryLeftShiftUInt16)
TP_INT_SCALAR(right_shift, UnaryRightShift, UnaryRightShiftUInt32, UnaryRightShiftUInt16)
TP_INT_SCALAR(bitwise_and, UnaryBitwiseAnd, UnaryBitwiseAnd, UnaryBitwiseAndUInt16)
TP_INT_SCALAR(bitwise_or, UnaryBitwiseOr, UnaryBitwiseOr, UnaryBitwiseOrUInt16)
TP_INT_SCALAR(bitwise_xor, UnaryBitwiseXor, UnaryBitwiseXor, UnaryBitwiseXorUInt16)
#undef TP_INT_SCALAR
#define TP_INT_LIMIT(NAME, OP)                      \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }   \
    ALWI void NAME##_tile(uint32_t dst, uint32_t value) { TP_RUN(OP, dst, 0, 0, dst, value); }
TP_INT_LIMIT(unary_max_int32, UnaryMaxInt32)
TP_INT_LIMIT(unary_min_int32, UnaryMinInt32)
TP_INT_LIMIT(unary_max_uint32, UnaryMaxUInt32)
TP_INT_LIMIT(unary_min_uint32, UnaryMinUInt32)
TP_INT_LIMIT(rsub_unary_int32, RsubUnaryInt32)
#undef TP_INT_LIMIT

ALWI void clamp_tile_int32(uint32_t dst, uint32_t low, uint32_t high) {
    TP_SINCE_DIVISIONS("clamp_tile_int32");
    TP_RUN(ClampInt32, dst, 0, 0, dst, low, high);
}
#define TP_INT_BOUND(NAME, OP)                       \
    ALWI void NAME(uint32_t dst, uint32_t bound) {   \
        TP_SINCE_DIVISIONS(#NAME);                   \
        TP_RUN(OP, dst, 0, 0, dst, bound);           \
    }
TP_INT_BOUND(relu_max_tile_int32, ReluMaxInt32)
TP_INT_BOUND(relu_min_tile_int32, ReluMinInt32)
TP_INT_BOUND(relu_max_tile_uint32, ReluMaxUInt32)
TP_INT_BOUND(relu_min_tile_uint32, ReluMinUInt32)
TP_INT_BOUND(relu_max_tile_uint16, ReluMaxUInt16)
TP_INT_BOUND(relu_min_tile_uint16, ReluMinUInt16)
TP_INT_BOUND(remainder_tile_uint32, RemainderUnaryUInt32)
#undef TP_INT_BOUND
ALWI void remainder_tile_uint32_init() { TP_INIT(RemainderUnaryUInt32); }
ALWI void signbit_tile_int32_init() { TP_INIT(SignbitInt32); }
ALWI void signbit_tile_int32(uint32_t dst) {
    TP_SINCE_DIVISIONS("signbit_tile_int32");
    TP_RUN(SignbitInt32, dst, 0, 0, dst);
}

ALWI void abs_tile_int32(uint32_t dst) { TP_RUN(AbsInt32, dst, 0, 0, dst); }
ALWI void eqz_tile_int32(uint32_t dst) { TP_RUN(EqzInt32, dst, 0, 0, dst); }
ALWI void nez_tile_int32(uint32_t dst) { TP_RUN(NezInt32, dst, 0, 0, dst); }
ALWI void ltz_tile_int32(uint32_t dst) { TP_RUN(LtzInt32, dst, 0, 0, dst); }
ALWI void gtz_tile_int32(uint32_t dst) { TP_RUN(GtzInt32, dst, 0, 0, dst); }
ALWI void lez_tile_int32(uint32_t dst) { TP_RUN(LezInt32, dst, 0, 0, dst); }
ALWI void gez_tile_int32(uint32_t dst) { TP_RUN(GezInt32, dst, 0, 0, dst); }
ALWI void unary_gt_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(UnaryGtInt32, dst, 0, 0, dst, value); }
ALWI void unary_lt_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(UnaryLtInt32, dst, 0, 0, dst, value); }
#define TP_INT_BY_SIGN(NAME, OP)                     \
    ALWI void NAME(uint32_t dst, uint32_t value) {   \
        TP_SINCE_0_79(#NAME);                        \
        TP_RUN(OP, dst, 0, 0, dst, value);           \
    }
TP_INT_BY_SIGN(unary_le_tile_int32, UnaryLeInt32)
TP_INT_BY_SIGN(unary_ge_tile_int32, UnaryGeInt32)
ALWI void eqz_tile_uint32(uint32_t dst) { TP_RUN(EqzUInt32, dst, 0, 0, dst); }
ALWI void nez_tile_uint32(uint32_t dst) { TP_RUN(NezUInt32, dst, 0, 0, dst); }
ALWI void eqz_tile_uint16(uint32_t dst) { TP_RUN(EqzUInt16, dst, 0, 0, dst); }
ALWI void nez_tile_uint16(uint32_t dst) { TP_RUN(NezUInt16, dst, 0, 0, dst); }
// The data format chooses the operation (tt-metal `logical_not.h`).
ALWI void logical_not_tile_init() { TP_INIT(LogicalNot); }
template <DataFormat format>
ALWI void logical_not_tile(uint32_t dst) {
    if constexpr (format == DataFormat::UInt16) {
        TP_RUN(LogicalNotUInt16, dst, 0, 0, dst);
    } else if constexpr (format == DataFormat::Int32 || format == DataFormat::UInt32) {
        TP_RUN(LogicalNotInt32, dst, 0, 0, dst);
    } else {
        TP_RUN(LogicalNot, dst, 0, 0, dst);
    }
}
TP_INT_BY_SIGN(unary_eq_tile_int32, UnaryEqInt32)
TP_INT_BY_SIGN(unary_ne_tile_int32, UnaryNeInt32)
#undef TP_INT_BY_SIGN
ALWI void add_unary_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(AddUnaryInt32, dst, 0, 0, dst, value); }
ALWI void sub_unary_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(SubUnaryInt32, dst, 0, 0, dst, value); }
ALWI void negative_tile_int32(uint32_t dst) {
    TP_SINCE_0_79("negative_tile_int32");
    TP_RUN(NegativeInt32, dst, 0, 0, dst);
}
ALWI void relu_tile_int32(uint32_t dst) { TP_RUN(ReluInt32, dst, 0, 0, dst); }

// Conversions: the formats choose the operation (LLK `ckernel_sfpu_typecast.h` has one routine for each row).
// One branch for each row; pairs that no branch of the kernel names fall through, and nothing runs (tt-metal `typecast.h`).
#define TP_TYPECASTS \
    TP_TYPECAST(in == DataFormat::Float32 && out == DataFormat::Float16_b, TypecastFloat32ToFloat16b) \
    TP_TYPECAST(floats(in) && floats(out), TypecastNone) \
    TP_TYPECAST(floats(in) && out == DataFormat::Int32, TypecastFloatToInt32) \
    TP_TYPECAST(floats(in) && out == DataFormat::UInt32, TypecastFloatToUInt32) \
    TP_TYPECAST(floats(in) && out == DataFormat::UInt16, TypecastFloatToUInt16) \
    TP_TYPECAST(floats(in) && out == DataFormat::UInt8, TypecastFloatToUInt8) \
    TP_TYPECAST(in == DataFormat::Int32 && out == DataFormat::Float32, TypecastInt32ToFloat32) \
    TP_TYPECAST(in == DataFormat::Int32 && narrow_out, TypecastInt32ToFloat16b) \
    TP_TYPECAST(in == DataFormat::Int32 && out == DataFormat::UInt16, TypecastInt32ToUInt16) \
    TP_TYPECAST((in == DataFormat::Int32 || in == DataFormat::UInt32) && out == DataFormat::UInt8, TypecastIntToUInt8) \
    TP_TYPECAST(unsigned_in && out == DataFormat::Float32, TypecastUInt32ToFloat32) \
    TP_TYPECAST(unsigned_in && narrow_out, TypecastUInt32ToFloat16b) \
    TP_TYPECAST(unsigned_in && out == DataFormat::UInt16, TypecastUInt32ToUInt16) \
    TP_TYPECAST(in == DataFormat::UInt8 && wide_out, TypecastNone) \
    TP_TYPECAST((in == DataFormat::Int32 || in == DataFormat::UInt32) && wide_out, TypecastNone) \
    TP_TYPECAST(in == DataFormat::UInt16 && out == DataFormat::Float32, TypecastUInt16ToFloat32) \
    TP_TYPECAST(in == DataFormat::UInt16 && narrow_out, TypecastUInt16ToFloat16b) \
    TP_TYPECAST(in == DataFormat::UInt16 && wide_out, TypecastUInt16ToUInt32) \
    TP_TYPECAST(in == DataFormat::UInt16 && out == DataFormat::UInt8, TypecastUInt16ToUInt8)
#define TP_TYPES(FROM, TO)                                                                                        \
    [[maybe_unused]] constexpr DataFormat in = DataFormat(FROM), out = DataFormat(TO);                            \
    constexpr auto floats = [](DataFormat f) {                                                                    \
        return f == DataFormat::Float32 || f == DataFormat::Float16_b || f == DataFormat::Bfp8_b || f == DataFormat::Bfp4_b; \
    };                                                                                                            \
    [[maybe_unused]] constexpr bool narrow_out = floats(out) && out != DataFormat::Float32;                       \
    [[maybe_unused]] constexpr bool unsigned_in = in == DataFormat::UInt32 || in == DataFormat::UInt8;            \
    [[maybe_unused]] constexpr bool wide_out = out == DataFormat::Int32 || out == DataFormat::UInt32;
template <uint32_t from = 0, uint32_t to = 0>
ALWI void typecast_tile_init() {
    TP_TYPES(from, to)
#define TP_TYPECAST(CONDITION, OP) \
    if constexpr (CONDITION) {     \
        TP_INIT(OP);               \
    } else
    TP_TYPECASTS {
        TP_INIT(TypecastNone);
    }
#undef TP_TYPECAST
}
template <uint32_t from, uint32_t to>
ALWI void typecast_tile(uint32_t dst) {
    TP_TYPES(from, to)
#define TP_TYPECAST(CONDITION, OP)             \
    if constexpr (CONDITION) {                 \
        TP_RUN(OP, dst, 0, 0, dst);            \
    } else
    TP_TYPECASTS {
        TP_RUN(TypecastOther, dst, 0, 0, dst);
    }
#undef TP_TYPECAST
}
#undef TP_TYPECASTS
#undef TP_TYPES

template <DataFormat format>
ALWI void copy_dest_values_init() { TP_INIT(CopyDestValues); }
ALWI void copy_dest_values_init() { TP_INIT(CopyDestValues); }
ALWI void llk_math_eltwise_binary_sfpu_copy_dest_values_init() { TP_INIT(CopyDestValues); }
// Without a format, loads and stores have the width of Dst. Generation 0.66 names the target first (tt-metal
// `ckernel_sfpu_copy_dest_values.h`).
#if TP_BEFORE(TP_COPY_DEST_ORDER)
ALWI void copy_dest_values(uint32_t to, uint32_t from) {
    TP_RUN(CopyDestValues, from, 0, 0, to, uint32_t(DataFormat::Invalid));
}
#else
template <DataFormat format = DataFormat::Invalid>
ALWI void copy_dest_values(uint32_t from, uint32_t to) {
    if constexpr (format == DataFormat::Invalid) {
        TP_BY_DAY(copy_dest_order);
    }
    TP_RUN(CopyDestValues, from, 0, 0, to, uint32_t(format));
}
#endif

// Statistics: sums within a tile, and running ones that the vector unit keeps between calls.
ALWI void cumsum_tile_init() { TP_INIT(Cumsum); }
ALWI void cumsum_tile(uint32_t dst, bool first = true) { TP_RUN(Cumsum, dst, 0, 0, dst, first); }
template <PoolType pool, DataFormat format>
ALWI void sfpu_reduce_init() { TP_INIT(Reduce); }
}  // namespace ckernel

namespace tp {
// The larger or the smaller of words. SFPSWAP orders by sign and magnitude, where two numbers below zero lie the other way round in two's
// complement.
template <PoolType pool, DataFormat format>
ALWI Value extreme(Value a, Value b) {
    const Value larger = step(step_code::Max, a, b), smaller = step(step_code::Min, a, b);
    const Value wanted = pool == MAX ? larger : smaller;
    if constexpr (format != DataFormat::Int32) {
        return wanted;
    }
    // Less than 0.
    const Value are_negative = step(step_code::CompareInt, step(step_code::And, a, b), constant(0, true));
    note(step_code::Begin);
    note(step_code::Where, are_negative.number);
    const Value turned = step(step_code::Assign, wanted, pool == MAX ? smaller : larger);
    note(step_code::End, 1);
    return turned;
}
// The first columns of tiles beside one another, which their own reductions have left there, into that of the first tile; the vector
// of four rows and every second column goes along whole (tt-metal `ckernel_sfpu_reduce.h`).
template <PoolType pool, DataFormat format>
ALWI void reduce_first_columns(Site site, uint32_t dst, uint32_t columns) {
    constexpr bool is_integer = format != DataFormat::Float32 && format != DataFormat::Float16_b;
    constexpr uint32_t layout = format == DataFormat::UInt16 ? 6 : is_integer ? 4 : 0, rows_a_tile = 64;
    for (const uint32_t face : {0u, 32u}) {
        for (uint32_t row = rows_a_tile * dst + face; row < rows_a_tile * dst + face + 16; row += 4) {
            Value total{note(step_code::Load, row, layout)};
            for (uint32_t column = 1; column < columns; ++column) {
                const Value next{note(step_code::Load, row + rows_a_tile * column, layout)};
                if constexpr (pool == SUM) {
                    total = step(is_integer ? step_code::AddInt : step_code::Add, total, next);
                } else {
                    total = extreme<pool, format>(total, next);
                }
            }
#ifdef ARCH_BLACKHOLE
            // Integers without a sign were cast on their way.
            if constexpr (pool != SUM && format == DataFormat::UInt32) {
                total = step(step_code::CopySign, step(step_code::ToTwosComplement, total), total);
            }
#endif
            note(step_code::Store, total.number, row, layout);
        }
    }
    run_pending(site);
}
}  // namespace tp

namespace ckernel {
template <PoolType pool, DataFormat format, ReduceDim dim = REDUCE_COL, bool width = DST_ACCUM_MODE>
ALWI void sfpu_reduce(uint32_t dst, uint32_t columns = 1, uint32_t rows = 1) {
    constexpr bool is_along_rows = dim == REDUCE_ROW;
    constexpr bool is_newer = TP_SINCE(TP_DIVISIONS);
    // What the call itself asserts, whatever the kernels below it can do (tt-metal `compute_kernel_api.h`, #38365 and September 2026).
    static_assert(!is_along_rows || pool != AVG, "sfpu_reduce takes no averages along rows");
    static_assert(!is_along_rows || !TP_BEFORE(TP_REDUCED_ROWS), "sfpu_reduce takes no rows on the day that `api` names");
    static_assert(!is_along_rows || pool == SUM || !TP_BEFORE(TP_EXTREMES_OF_ROWS),
                  "sfpu_reduce takes only sums along rows on the day that `api` names");
    if constexpr (is_along_rows && pool != SUM) {
        TP_KNOWN(MATH, TP_EXTREMES_OF_ROWS, "sfpu_reduce of the largest or the smallest along rows");
    }
    if (TP_ON_MATH && (columns != 1 || rows != 1)) {
        // Down columns the call is documented to take one tile. Kernels of sums and averages reduce the first one and leave the others,
        // and that of the largest does so where it is built without SFPLOADMACRO (tt-metal `compute_kernel_api.h`,
        // `ckernel_sfpu_reduce.h`).
        if constexpr (!is_along_rows) {
            tp::unsupported(TP_SITE(), "sfpu_reduce down columns of several tiles, of which it takes one");
        } else if constexpr (!is_newer) {
            tp::unsupported(TP_SITE(), "sfpu_reduce of several tiles");
        }
    }
    if constexpr ((format == DataFormat::UInt32 || format == DataFormat::UInt16) && !is_newer) {
        if (TP_ON_MATH) {
            tp::unsupported(TP_SITE(), "sfpu_reduce of integers without a sign");
        }
    }
    if constexpr (format == DataFormat::UInt16 && DST_ACCUM_MODE) {
        if (TP_ON_MATH) {
            tp::unsupported(TP_SITE(), "sfpu_reduce of UInt16 on a 32-bit Dst");
        }
    }
    const uint32_t along = is_along_rows ? 1 + (columns > 1) : 0;
    for (uint32_t row = 0; row < rows; ++row) {
        const uint32_t first = dst + columns * row;
        for (uint32_t tile = first; tile < first + columns; ++tile) {
            TP_RUN(Reduce, tile, 0, 0, tile, uint32_t(pool), along, uint32_t(format));
        }
        if constexpr (is_along_rows) {
            if (TP_ON_MATH && columns > 1) {
                tp::reduce_first_columns<pool, format>(TP_SITE(), first, columns);
            }
        }
    }
}
}  // namespace ckernel

namespace tp {
// One over how many rows there are with row `index`: from the kernel's table, else by division (tt-llk
// `ckernel_sfpu_welfords.h`).
template <uint32_t size, typename Table>
ALWI uint32_t one_over(Site site, uint32_t index, const Table& table) {
    if constexpr (size == 0) {
        return __builtin_bit_cast(uint32_t, 1.0f / float(index + 1));
    } else {
        if (index >= size) {
            unsupported(site, "Welford's method beyond its table of reciprocals");
        }
        return table[index];
    }
}
// Rows `first` to before `end` of a tile, four at a time as the registers take them; `index` is that of the first.
template <uint32_t size, typename Table>
ALWI void welford_rows(Site site, uint32_t dst, uint32_t index, uint32_t first, uint32_t end, const Table& table) {
    for (uint32_t row = first; row < end;) {
        const uint32_t last = (row / 4 + 1) * 4 < end ? (row / 4 + 1) * 4 : end;
        uint32_t reciprocals[4] = {};
        for (uint32_t k = 0; row + k < last; ++k) {
            reciprocals[k] = one_over<size>(site, index++, table);
        }
        machine()->sfpu(site, op::WelfordUpdate.code, dst, row, last, dst, reciprocals);
        row = last;
    }
}
}  // namespace tp

namespace ckernel {

// Welford's method: means and squared differences of columns, which stay in registers from call to call.
enum class WelfordInitMode : uint8_t { ClearStats, PreserveStats };
ALWI void welford_clear() { TP_INIT(WelfordClear); }
template <WelfordInitMode mode = WelfordInitMode::ClearStats>
ALWI void welford_init() {
    TP_INIT(WelfordUpdate);
    if constexpr (mode == WelfordInitMode::ClearStats) {
        welford_clear();
    }
}
// Programs the copies again that come between.
ALWI void welford_reinit(uint32_t cb, uint32_t = 0) { copy_init(cb); }
template <uint32_t reciprocal_size, typename Table = std::array<uint32_t, reciprocal_size>>
ALWI void welford_update(uint32_t dst, uint32_t start, const Table& table) {
    if (TP_ON_MATH) {
        tp::welford_rows<reciprocal_size>(TP_SITE(), dst, start, 0, 32, table);
    }
}
template <uint32_t reciprocal_size, typename Table = std::array<uint32_t, reciprocal_size>>
ALWI void welford_update_rows(uint32_t dst, uint32_t start, uint32_t row, uint32_t rows, const Table& table) {
    if (TP_ON_MATH) {
        tp::welford_rows<reciprocal_size>(TP_SITE(), dst, start, row, row + rows < 32 ? row + rows : 32, table);
    }
}
// The state and what comes of it, in a tile and the one after it; a group has four rows of Dst.
ALWI void welford_save_state(uint32_t mean, uint32_t group = 0) { TP_RUN(WelfordSaveState, 4 * group, 0, 0, mean); }
ALWI void welford_restore_state(uint32_t mean, uint32_t group = 0) {
    TP_RUN(WelfordRestoreState, mean, mean + 1, 4 * group, mean);
}
template <uint32_t reciprocal_size, typename Table = std::array<uint32_t, reciprocal_size>>
ALWI void welford_finalize_to_row(uint32_t mean, uint32_t scale, const Table& table) {
    TP_RUN(WelfordFinalizeToRow, 0, 0, 0, mean, tp::one_over<reciprocal_size>(TP_SITE(), scale, table));
}
template <uint32_t reciprocal_size, typename Table = std::array<uint32_t, reciprocal_size>>
ALWI void welford_finalize_to_face(uint32_t mean, uint32_t group, uint32_t scale, const Table& table) {
    TP_RUN(WelfordFinalizeToFace, 4 * group, 0, 0, mean, tp::one_over<reciprocal_size>(TP_SITE(), scale, table));
}
template <uint32_t reciprocal_size, typename Table = std::array<uint32_t, reciprocal_size>>
ALWI void welford_finalize_to_face(uint32_t mean, uint32_t scale, const Table& table) {
    welford_finalize_to_face<reciprocal_size>(mean, 0, scale, table);
}

}  // namespace ckernel
