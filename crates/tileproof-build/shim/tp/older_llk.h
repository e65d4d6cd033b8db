// Calls of the layer below the API in the forms of 2024 and 2025: each configures units for operands by their buffers.
// Each must program what its header of that time programs; an argument that would program something else ends the kernel.
// Names are those of tt-metal of 2024 and 2025, `llk_api`. Start at llk_unpack_AB_hw_configure_disaggregated.
#pragma once

namespace tp {

ALWI void configure_unpackers(uint32_t operands, uint32_t a, uint32_t b) {
    TP_UNPACK(unpack_configure, operands, a, b, configure::start);
}
// Of the template arguments of a configuration of the unpackers one kind programs more than formats.
constexpr bool rounds_by_chance(StochRndType mode) { return mode != StochRndType::None; }
template <typename Other>
constexpr bool rounds_by_chance(Other) {
    return false;
}

}  // namespace tp

namespace ckernel {

// UNPACK. A transposition within faces, which a configuration of SrcA may turn on, is part of the init that must follow.
#define TP_OF_TWO(NAME, A, B)                                \
    template <auto... more>                                  \
    ALWI void NAME(uint32_t a, uint32_t b, uint32_t = 0) {   \
        TP_ONLY(UNPACK, !(tp::rounds_by_chance(more) || ...), #NAME " that rounds by chance"); \
        tp::configure_unpackers(tp::operand::src_ab, A, B);  \
    }
TP_OF_TWO(llk_unpack_AB_hw_configure_disaggregated, a, b)
TP_OF_TWO(llk_unpack_reduce_hw_configure_disaggregated, a, b)
// SrcA takes the right operand of a matrix product.
TP_OF_TWO(llk_unpack_AB_matmul_hw_configure_disaggregated, b, a)
#undef TP_OF_TWO
#define TP_OF_ONE(NAME)                                      \
    template <auto... more>                                  \
    ALWI void NAME(uint32_t a, uint32_t = 0) {               \
        TP_ONLY(UNPACK, !(tp::rounds_by_chance(more) || ...), #NAME " that rounds by chance"); \
        tp::configure_unpackers(tp::operand::src_ab, a, a);  \
    }
TP_OF_ONE(llk_unpack_A_hw_configure_disaggregated)
TP_OF_ONE(llk_unpack_tilize_hw_configure_disaggregated)
TP_OF_ONE(llk_unpack_untilize_hw_configure_disaggregated)
#undef TP_OF_ONE

// MATH.
template <auto... more>
ALWI void llk_math_hw_configure_disaggregated(uint32_t a, uint32_t b) {
    TP_MATH(math_configure, tp::operand::src_ab, a, b, tp::configure::start);
}
template <DataCopyType type, BroadcastType broadcast = BroadcastType::NONE, bool wide = DST_ACCUM_MODE, bool is_int_fpu_en = false>
ALWI void _llk_math_eltwise_unary_datacopy_init_(uint32_t = 0, uint32_t = 0) {
    TP_ONLY(MATH, !is_int_fpu_en, "_llk_math_eltwise_unary_datacopy_init_ with is_int_fpu_en");
    TP_MATH(math_init, tp::word(tp::math_kind::datacopy, type == DataCopyType::B2D, broadcast));
}

// PACK. The configuration has the packer's ReLU in it, also where that is none.
template <bool untilize = false, bool wide = DST_ACCUM_MODE, ReluType relu = ReluType::NO_RELU, uint32_t threshold = 0>
ALWI void llk_pack_hw_configure_disaggregated(uint32_t cb) {
    TP_ONLY(PACK, !untilize, "llk_pack_hw_configure_disaggregated that untilizes");
    TP_PACK(pack_configure, cb, tp::configure::start);
    TP_PACK(pack_relu_config, uint32_t(relu) | threshold << 16);
}
// The packer masks what a reduction leaves, until it is told to go back.
template <ReduceDim dim, bool at_kernel_start = false, bool revert = false, auto... more>
ALWI void llk_pack_reduce_config_v2(uint32_t cb) {
    if constexpr (at_kernel_start) {
        TP_PACK(pack_configure, cb, tp::configure::start);
    }
    TP_PACK(pack_edge_mask, revert ? tp::edge_mask::none : tp::edge_mask::first_dim + dim);
}

// Inits of the vector unit by their operations. Of a typecast it loads nothing.
#define TP_LLK_INIT(NAME, OP) \
    template <auto... more>   \
    ALWI void llk_math_eltwise_unary_sfpu_##NAME##_init() { TP_INIT(OP); }
TP_LLK_INIT(abs, Abs)
TP_LLK_INIT(acos, Acos)
TP_LLK_INIT(asin, Asin)
TP_LLK_INIT(atan, Atan)
TP_LLK_INIT(binop_with_scalar, MulUnary)
TP_LLK_INIT(ceil, Ceil)
TP_LLK_INIT(cosine, Cos)
TP_LLK_INIT(elu, Elu)
TP_LLK_INIT(eqz, Eqz)
TP_LLK_INIT(erf, Erf)
TP_LLK_INIT(erfc, Erfc)
TP_LLK_INIT(erfinv, Erfinv)
TP_LLK_INIT(exp2, Exp2)
TP_LLK_INIT(expm1, Expm1)
TP_LLK_INIT(exponential, Exp)
TP_LLK_INIT(fill, Fill)
TP_LLK_INIT(floor, Floor)
TP_LLK_INIT(gelu, Gelu)
TP_LLK_INIT(gez, Gez)
TP_LLK_INIT(gtz, Gtz)
TP_LLK_INIT(heaviside, Heaviside)
TP_LLK_INIT(i0, I0)
TP_LLK_INIT(isfinite, IsFinite)
TP_LLK_INIT(isinf, IsInf)
TP_LLK_INIT(isnan, IsNan)
TP_LLK_INIT(isneginf, IsNegInf)
TP_LLK_INIT(isposinf, IsPosInf)
TP_LLK_INIT(lez, Lez)
TP_LLK_INIT(log, Log)
TP_LLK_INIT(log_with_base, LogWithBase)
TP_LLK_INIT(logical_not_unary, LogicalNotUnary)
TP_LLK_INIT(lrelu, LeakyRelu)
TP_LLK_INIT(ltz, Ltz)
TP_LLK_INIT(max, MaxTile)
TP_LLK_INIT(nez, Nez)
TP_LLK_INIT(power, Power)
TP_LLK_INIT(reciprocal, Recip)
TP_LLK_INIT(relu, Relu)
TP_LLK_INIT(relu_max, ReluMax)
TP_LLK_INIT(relu_min, ReluMin)
TP_LLK_INIT(rsqrt, Rsqrt)
TP_LLK_INIT(sigmoid, Sigmoid)
TP_LLK_INIT(sign, Sign)
TP_LLK_INIT(signbit, Signbit)
TP_LLK_INIT(sine, Sin)
TP_LLK_INIT(sqrt, Sqrt)
TP_LLK_INIT(square, Square)
TP_LLK_INIT(tan, Tan)
TP_LLK_INIT(tanh, Tanh)
TP_LLK_INIT(typecast, Identity)
#undef TP_LLK_INIT

// Programs of both units alone.
template <auto... more>
ALWI void llk_math_matmul_init(uint32_t = 0, uint32_t = 1, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tp::state.transpose = transpose != 0;
    TP_MATH(math_init, tp::word(tp::math_kind::matmul, 0, 0, transpose != 0 ? tp::flag::transpose : 0));
}
template <auto... more>
ALWI void llk_unpack_AB_matmul_init(uint32_t, uint32_t, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tp::state.transpose = transpose != 0;
    TP_UNPACK(unpack_init, tp::word(tp::unpack_kind::ab_matmul, 0, 0, transpose != 0 ? tp::flag::transpose : 0));
}
template <auto... more>
ALWI void llk_unpack_tilize_init(uint32_t, uint32_t block) {
    tp::state.untilize = false;
    TP_UNPACK(unpack_init, tp::word(tp::unpack_kind::tilize, 0, 0, 0, block));
}
template <auto... more>
ALWI void llk_unpack_untilize_init(uint32_t = 0) {
    tp::state.untilize = true;
    TP_UNPACK(unpack_init, tp::word(tp::unpack_kind::untilize));
}

}  // namespace ckernel
#undef TP_ONLY
