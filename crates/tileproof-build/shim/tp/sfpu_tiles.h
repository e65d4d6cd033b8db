// The vector unit, continued: calls on two and three Dst tiles, integers, conversions, statistics.
// As in sfpu.h, an operation that the model lacks must end the kernel by name.
// Start at TP_BINARY.
#pragma once

namespace ckernel {

#define TP_BINARY(NAME, OP)                                \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }          \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { TP_RUN(OP, in0, in1, 0, out); }
TP_BINARY(mul_binary, MulBinary)
TP_BINARY(div_binary, DivBinary)
TP_BINARY(eq_binary, EqBinary)
TP_BINARY(ne_binary, NeBinary)
TP_BINARY(lt_binary, LtBinary)
TP_BINARY(gt_binary, GtBinary)
TP_BINARY(le_binary, LeBinary)
TP_BINARY(ge_binary, GeBinary)
TP_BINARY(binary_max, BinaryMax)
TP_BINARY(binary_min, BinaryMin)
TP_BINARY(binary_max_int32, BinaryMaxInt32)
TP_BINARY(binary_min_int32, BinaryMinInt32)
TP_BINARY(binary_max_uint32, BinaryMaxUInt32)
TP_BINARY(binary_min_uint32, BinaryMinUInt32)
TP_BINARY(power_binary, PowerBinary)
TP_BINARY(xlogy_binary, Xlogy)
TP_BINARY(fmod_binary, FmodBinary)
TP_BINARY(remainder_binary, RemainderBinary)
TP_BINARY(atan2_binary, Atan2)
TP_BINARY(gcd, Gcd)
TP_BINARY(lcm, Lcm)
#undef TP_BINARY

// The rounding of the sum in a 16-bit Dst is a template argument.
#define TP_ROUNDED(NAME, OP)                               \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }          \
    template <DstRoundingMode rounding = DstRoundingMode::None> \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { \
        TP_RUN(OP, in0, in1, 0, out, rounding == DstRoundingMode::NearestEven); \
    }
TP_ROUNDED(add_binary, AddBinary)
TP_ROUNDED(sub_binary, SubBinary)
TP_ROUNDED(rsub_binary, RsubBinary)
#undef TP_ROUNDED

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
    TP_RUN(Addcdiv, a, b, c, out, scalar);
}
template <DataFormat format = DataFormat::Float32>
ALWI void lerp_tile_init() { TP_INIT(Lerp); }
template <DataFormat format = DataFormat::Float32>
ALWI void lerp_tile(uint32_t a, uint32_t b, uint32_t c, uint32_t out) { TP_RUN(Lerp, a, b, c, out); }

// Integers: parameter 0 is the data format.
#define TP_INT_BINARY(NAME, OP)                                       \
    template <DataFormat format = DataFormat::Int32>                  \
    ALWI void NAME##_tile_init() { TP_INIT(OP); }                     \
    template <DataFormat format = DataFormat::Int32>                  \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { \
        TP_RUN(OP, in0, in1, 0, out, uint32_t(format));               \
    }
TP_INT_BINARY(add_int, AddInt)
TP_INT_BINARY(sub_int, SubInt)
TP_INT_BINARY(rsub_int, RsubInt)
TP_INT_BINARY(mul_int, MulInt)
TP_INT_BINARY(eq_int, EqInt)
TP_INT_BINARY(ne_int, NeInt)
TP_INT_BINARY(lt_int, LtInt)
TP_INT_BINARY(gt_int, GtInt)
TP_INT_BINARY(le_int, LeInt)
TP_INT_BINARY(ge_int, GeInt)
#undef TP_INT_BINARY

#define TP_INT_TILES(NAME, OP)                                        \
    template <DataFormat format = DataFormat::Int32>                  \
    ALWI void NAME##_tile(uint32_t in0, uint32_t in1, uint32_t out) { \
        TP_RUN(OP, in0, in1, 0, out, uint32_t(format));               \
    }
ALWI void binary_bitwise_tile_init() { TP_INIT(BitwiseAndBinary); }
TP_INT_TILES(bitwise_and_binary, BitwiseAndBinary)
TP_INT_TILES(bitwise_or_binary, BitwiseOrBinary)
TP_INT_TILES(bitwise_xor_binary, BitwiseXorBinary)
ALWI void binary_shift_tile_init() { TP_INIT(BinaryLeftShift); }
TP_INT_TILES(binary_left_shift, BinaryLeftShift)
TP_INT_TILES(binary_right_shift, BinaryRightShift)
TP_INT_TILES(binary_logical_right_shift, BinaryLogicalRightShift)
#undef TP_INT_TILES

ALWI void abs_tile_int32(uint32_t dst) { TP_RUN(AbsInt32, dst, 0, 0, dst); }
ALWI void eqz_tile_int32(uint32_t dst) { TP_RUN(EqzInt32, dst, 0, 0, dst); }
ALWI void nez_tile_int32(uint32_t dst) { TP_RUN(NezInt32, dst, 0, 0, dst); }
ALWI void ltz_tile_int32(uint32_t dst) { TP_RUN(LtzInt32, dst, 0, 0, dst); }
ALWI void gtz_tile_int32(uint32_t dst) { TP_RUN(GtzInt32, dst, 0, 0, dst); }
ALWI void lez_tile_int32(uint32_t dst) { TP_RUN(LezInt32, dst, 0, 0, dst); }
ALWI void gez_tile_int32(uint32_t dst) { TP_RUN(GezInt32, dst, 0, 0, dst); }
ALWI void unary_gt_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(UnaryGtInt32, dst, 0, 0, dst, value); }
ALWI void unary_lt_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(UnaryLtInt32, dst, 0, 0, dst, value); }
ALWI void unary_eq_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(UnaryEqInt32, dst, 0, 0, dst, value); }
ALWI void unary_ne_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(UnaryNeInt32, dst, 0, 0, dst, value); }
ALWI void add_unary_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(AddUnaryInt32, dst, 0, 0, dst, value); }
ALWI void sub_unary_tile_int32(uint32_t dst, uint32_t value) { TP_RUN(SubUnaryInt32, dst, 0, 0, dst, value); }
ALWI void negative_tile_int32(uint32_t dst) { TP_RUN(NegativeInt32, dst, 0, 0, dst); }
ALWI void relu_tile_int32(uint32_t dst) { TP_RUN(ReluInt32, dst, 0, 0, dst); }

// Conversions: parameters 0 and 1 are the formats.
template <uint32_t from = 0, uint32_t to = 0>
ALWI void typecast_tile_init() { TP_INIT(Typecast); }
template <uint32_t from, uint32_t to>
ALWI void typecast_tile(uint32_t dst) { TP_RUN(Typecast, dst, 0, 0, dst, from, to); }

template <DataFormat format = DataFormat::Float16_b>
ALWI void copy_dest_values_init() { TP_INIT(CopyDestValues); }
ALWI void copy_dest_values_init() { TP_INIT(CopyDestValues); }
template <DataFormat format = DataFormat::Float16_b>
ALWI void copy_dest_values(uint32_t from, uint32_t to) { TP_RUN(CopyDestValues, from, 0, 0, to, uint32_t(format)); }

// Statistics: sums within a tile, and running ones that the vector unit keeps between calls.
ALWI void cumsum_tile_init() { TP_INIT(Cumsum); }
ALWI void cumsum_tile(uint32_t dst, bool first = true) { TP_RUN(Cumsum, dst, 0, 0, dst, first); }
template <PoolType pool, DataFormat format>
ALWI void sfpu_reduce_init() { TP_INIT(SfpuReduce); }
template <PoolType pool, DataFormat format, ReduceDim dim = REDUCE_COL>
ALWI void sfpu_reduce(uint32_t dst, int vector_mode = TP_RC) {
    TP_RUN(SfpuReduce, dst, 0, 0, dst, uint32_t(pool), uint32_t(format), uint32_t(dim), vector_mode);
}
ALWI void welford_init() { TP_INIT(Welford); }
template <uint32_t reciprocal_size, typename Table>
ALWI void welford_update(uint32_t dst, uint32_t start, const Table&) { TP_RUN(Welford, dst, 0, 0, dst, start); }
template <uint32_t reciprocal_size, typename Table>
ALWI void welford_finalize_to_row(uint32_t mean, uint32_t scale, const Table&) {
    TP_RUN(WelfordFinalizeToRow, mean, 0, 0, mean, scale);
}

}  // namespace ckernel
