// Calls that the device has and the machine does not model: each compiles with whatever arguments it is given, and ends
// the kernel by its name when it is reached. A call that gets a model leaves this list.
// Start at TP_UNMODELLED; names are those of tt-metal `api/compute`, generations 0.66 and 0.79, and of tt-llk.
#pragma once

#define TP_UNMODELLED_ON(WHERE, NAME)                        \
    template <auto... Values, typename... Arguments>         \
    ALWI void NAME(Arguments&&...) {                         \
        if (WHERE) {                                         \
            ::tp::stop(#NAME);             \
        }                                                    \
    }
#define TP_UNMODELLED(NAME) TP_UNMODELLED_ON(TP_ON_MATH, NAME)
#define TP_UNMODELLED_PACK(NAME)                             \
    TP_UNMODELLED_ON(TP_ON_PACK, NAME##_pack)                \
    TP_UNMODELLED_ON(TP_ON_PACK, NAME##_init_pack)

namespace ckernel {

TP_UNMODELLED(alt_complex_rotate90_tile)
TP_UNMODELLED(alt_complex_rotate90_tile_init)
TP_UNMODELLED(clamped_silu_glu_tile)
TP_UNMODELLED(clamped_silu_glu_tile_init)
TP_UNMODELLED(clear_compute_special_value_flags)
TP_UNMODELLED(dbg_read_dest_acc_row)
TP_UNMODELLED(dbg_read_dest_tile)
TP_UNMODELLED(dbg_write_dest_tile)
TP_UNMODELLED(dequant_int8_tile)
TP_UNMODELLED(dequant_int8_tile_init)
TP_UNMODELLED(digamma_tile)
TP_UNMODELLED(digamma_tile_init)
TP_UNMODELLED(disable_fp32_dest_acc)
TP_UNMODELLED(enable_fp32_dest_acc)
TP_UNMODELLED(identity_tile_uint32)
TP_UNMODELLED(lgamma_adjusted_tile)
TP_UNMODELLED(lgamma_adjusted_tile_init)
TP_UNMODELLED(lgamma_stirling_float_tile)
TP_UNMODELLED(lgamma_stirling_float_tile_init)
TP_UNMODELLED(lgamma_stirling_tile)
TP_UNMODELLED(lgamma_stirling_tile_init)
TP_UNMODELLED(logical_not_unary_tile_int32)
TP_UNMODELLED(logical_not_unary_tile_uint16)
TP_UNMODELLED(logical_not_unary_tile_uint32)
TP_UNMODELLED(matmul_block_math_dynamic_throttle)
TP_UNMODELLED(matmul_tiles_math)
TP_UNMODELLED(max_reduce_with_indices)
TP_UNMODELLED(max_reduce_with_indices_init)
TP_UNMODELLED(polygamma_tile)
TP_UNMODELLED(polygamma_tile_init)
TP_UNMODELLED(quant_int8_tile)
TP_UNMODELLED(quant_int8_tile_init)
TP_UNMODELLED(reduce_block_max_row_init_runtime)
TP_UNMODELLED(reduce_block_max_row_reinit_minimal)
TP_UNMODELLED(reduce_block_max_row_reinit_minimal_runtime)
TP_UNMODELLED(reduce_block_max_row_reinit_short)
TP_UNMODELLED(reduce_block_max_row_reinit_short_runtime)
TP_UNMODELLED(reduce_block_max_row_runtime)
TP_UNMODELLED(reduce_block_max_row_uninit_runtime)
TP_UNMODELLED(requant_int8_in_int8_out_tile)
TP_UNMODELLED(requant_int8_in_int8_out_tile_init)
TP_UNMODELLED(requant_int8_in_tile)
TP_UNMODELLED(requant_int8_in_tile_init)
TP_UNMODELLED(requant_int8_in_uint8_out_tile_init)
TP_UNMODELLED(requant_int8_tile)
TP_UNMODELLED(requant_int8_tile_init)
TP_UNMODELLED(restore_fp32_dest_acc)
TP_UNMODELLED(set_fp32_dest_acc)
TP_UNMODELLED(sfpu_add_bcast_col)
TP_UNMODELLED(sfpu_add_bcast_col_init)
TP_UNMODELLED(sfpu_add_bcast_row)
TP_UNMODELLED(sfpu_add_bcast_row_init)
TP_UNMODELLED(sfpu_add_top_row)
TP_UNMODELLED(sfpu_add_top_row_init)
TP_UNMODELLED(sfpu_bcast)
TP_UNMODELLED(sfpu_bcast_col_init)
TP_UNMODELLED(sfpu_bcast_init)
TP_UNMODELLED(sfpu_bcast_row_init)
TP_UNMODELLED(sfpu_mul_bcast_col)
TP_UNMODELLED(sfpu_mul_bcast_col_init)
TP_UNMODELLED(sfpu_mul_bcast_row)
TP_UNMODELLED(sfpu_mul_bcast_row_init)
TP_UNMODELLED(sfpu_sub_bcast_col)
TP_UNMODELLED(sfpu_sub_bcast_col_init)
TP_UNMODELLED(sfpu_sub_bcast_row)
TP_UNMODELLED(sfpu_sub_bcast_row_init)
TP_UNMODELLED(situ_glu_tile)
TP_UNMODELLED(situ_glu_tile_init)
TP_UNMODELLED(snake_beta_tile)
TP_UNMODELLED(snake_beta_tile_init)
TP_UNMODELLED(softcap_tile)
TP_UNMODELLED(softcap_tile_init)
TP_UNMODELLED(stochastic_round_tile)
TP_UNMODELLED(topk_canonicalize_negzero_values)
TP_UNMODELLED(topk_defuse_tile)
TP_UNMODELLED(topk_finalize_uint16_indices)
TP_UNMODELLED(topk_fuse_tile)
TP_UNMODELLED(topk_stamp_local_positions)
TP_UNMODELLED(topk_stamp_tile_rank_range)
TP_UNMODELLED(topk_strip_rank_tags)
TP_UNMODELLED(topk_uint16_move_dest_tile_to_pack_half)
TP_UNMODELLED(topk_uint16_prepare_value_tile_for_pack)
TP_UNMODELLED(xielu_tile)
TP_UNMODELLED(xielu_tile_init)

// Vector operations that PACK runs on what MATH has left.
TP_UNMODELLED_ON(TP_ON_PACK, exp_packthread_tile)
TP_UNMODELLED_ON(TP_ON_PACK, exp_packthread_tile_init)
TP_UNMODELLED_PACK(gelu_tanh_tile)
TP_UNMODELLED_PACK(gelu_tile)
TP_UNMODELLED_PACK(hardsigmoid_tile)
TP_UNMODELLED_PACK(hardtanh_tile)
TP_UNMODELLED_PACK(relu_max_tile)
TP_UNMODELLED_PACK(selu_tile)
TP_UNMODELLED_PACK(sigmoid_tile)
TP_UNMODELLED_PACK(silu_tile)
TP_UNMODELLED_PACK(softplus_tile)
TP_UNMODELLED_PACK(tanh_tile)

// Of the layer below, which kernels call in UNPACK, MATH and PACK macros.
TP_UNMODELLED_ON(true, llk_topk_sort)
TP_UNMODELLED_ON(true, llk_pack_untilize_init)
TP_UNMODELLED_ON(true, llk_math_eltwise_binary_sfpu_swiglu)
TP_UNMODELLED_ON(true, llk_math_eltwise_binary_sfpu_swiglu_init)
TP_UNMODELLED_ON(true, llk_math_transpose_dest)
TP_UNMODELLED_ON(true, llk_unpack_tilize)
TP_UNMODELLED_ON(true, llk_unpack_fast_tilize_init_)
TP_UNMODELLED_ON(true, llk_math_welfords_sfpu_init)

TP_UNMODELLED_ON(true, dummy_unpack)
TP_UNMODELLED_ON(true, dummy_pack)
TP_UNMODELLED_ON(true, dbg_halt)
TP_UNMODELLED_ON(true, dbg_unhalt)

}  // namespace ckernel
#undef TP_UNMODELLED
#undef TP_UNMODELLED_PACK
#undef TP_UNMODELLED_ON
