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

}  // namespace ckernel
#undef TP_ONLY
