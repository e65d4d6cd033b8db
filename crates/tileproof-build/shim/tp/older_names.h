// Calls of compute kernels in the forms of 2024 and 2025, which later headers have under other names or no more.
// Each programs what its header of that time programs and nothing else. Names are those of tt-metal of March and October 2024,
// `include/compute_kernel_api`. Start at binary_op_specific_init.
#pragma once

namespace ckernel {

// MATH alone is programmed: UNPACK keeps what it has (`eltwise_binary.h`).
#define TP_MATH_ONLY(NAME, OP) \
    ALWI void NAME() { TP_MATH(math_init, tp::math_eltwise(OP, NONE)); }
TP_MATH_ONLY(add_tiles_init_nof, ELWADD)
TP_MATH_ONLY(sub_tiles_init_nof, ELWSUB)
TP_MATH_ONLY(mul_tiles_init_f, ELWMUL)
#undef TP_MATH_ONLY
template <bool full_init = false, EltwiseBinaryType op = ELWADD>
ALWI void binary_op_specific_init() {
    if constexpr (full_init) {
        tp::eltwise_init<op, NONE>(false);
    } else {
        tp::state.accumulate = false;
        TP_MATH(math_init, tp::math_eltwise(op, NONE));
    }
}
template <bool full_init = false>
ALWI void binary_op_specific_init(int op) {
    op == 0   ? binary_op_specific_init<full_init, ELWADD>()
    : op == 1 ? binary_op_specific_init<full_init, ELWSUB>()
              : binary_op_specific_init<full_init, ELWMUL>();
}

// Reductions whose edges the packer masks until they are reverted (`reduce.h`).
template <bool at_start, PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM>
ALWI void reduce_init(uint32_t icb, uint32_t scaler, uint32_t ocb = 16) {
    tp::start(icb, scaler, ocb);
    reduce_init<pool, dim>(icb, scaler, ocb);
}
template <PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM>
ALWI void reduce_init_short(uint32_t icb, uint32_t scaler, uint32_t ocb = 16) {
    reduce_init<pool, dim>(icb, scaler, ocb);
}
template <bool at_start, PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM>
ALWI void reduce_init_delta(uint32_t ocb = 16, uint32_t icb = 0, uint32_t scaler = 1) {
    reduce_init<pool, dim>(icb, scaler, ocb);
}
template <PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM>
ALWI void reduce_init_delta_math() {
    TP_MATH(math_init, tp::math_reduce(pool, dim));
}
template <ReduceDim dim = REDUCE_DIM>
ALWI void reduce_revert_delta(uint32_t = 16) {
    TP_PACK(pack_edge_mask, tp::edge_mask::none);
}

ALWI void untilize_init_short(uint32_t icb) { untilize_init(icb); }

}  // namespace ckernel
