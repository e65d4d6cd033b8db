// Calls of the layer below the API that kernels make themselves, and further names of calls that fpu.h and pack.h have.
// Each must program what its LLK header programs and no more, and end the kernel on an argument that would program something
// else; the rest is in unmodelled.h.
// Start at llk_unpack_AB_init (tt-metal `llk_api`, generation 0.79).
#pragma once

namespace tp {

// An argument of a call that only one thread makes, where the machine knows no other value.
#define TP_ONLY(THREAD, CONDITION, WHAT)                     \
    do {                                                     \
        if (TP_ON_##THREAD && !(CONDITION)) {                \
            ::tp::unsupported(TP_SITE(), WHAT);              \
        }                                                    \
    } while (0)

// True for a mode of the packer, or the flags `untilize` and `tilize` of older generations, that says nothing.
template <typename Mode>
constexpr bool is_default(Mode mode) {
    return uint32_t(mode) == 0;
}

}  // namespace tp

// Operations of the vector unit, as inits name them; the machine's inits are the functions themselves.
enum class SfpuType {
    abs, abs_int32, acos, acosh, add1, add_int32, add_top_row, add_uint16, add_uint32, addcdiv, addcmul,
    alt_complex_rotate90, asin, asinh, atan, atanh, bitwise_and, bitwise_not, bitwise_or, bitwise_xor,
    cast_fp32_to_fp16a, cbrt, ceil, celu, clamp, cosh, cosine, cpy_values, cumsum, dequant_int32, digamma,
    div_int32, div_int32_floor, div_int32_trunc, dropout, elu, eq, eq_int, equal_zero, erf, erfc, erfinv, exp2,
    exp_with_base, expm1, expm1_cw, exponential, fill, floor, fmod, fmod_int32, frac, gcd, ge, ge_int, gelu,
    gelu_appx, gelu_derivative, gelu_tanh, greater_than_equal_zero, greater_than_zero, gt, gt_int, hardmish,
    hardshrink, hardsigmoid, hardtanh, heaviside, i0, i1, identity, isclose, isfinite, isinf, isnan, isneginf,
    isposinf, lcm, le, le_int, left_shift, lerp, less_than_equal_zero, less_than_zero, lgamma, log, log1p,
    log_with_base, logical_not_unary, lrelu, lt, lt_int, mac, mask, max, max_int32, max_pool_with_indices,
    max_uint32, min, min_int32, min_uint32, mish, mul_int32, mul_uint16, ne, ne_int, negative, not_equal_zero,
    polygamma, power, prelu, quant_int32, rdiv, reciprocal, reciprocal_compat, reduce, relu_max, relu_min,
    remainder, remainder_int32, remainder_uint32, requant_int32, reshuffle_rows, right_shift, round, rpow, rsqrt,
    rsqrt_compat, selu, sigmoid, sigmoid_appx, sign, signbit, silu, sine, sinh, situ_glu, snake_beta, softcap, softplus,
    softshrink, softsign, sqrt, sqrt_custom, square, sub_int32, sub_uint16, tan, tanh, tanh_derivative, tanh_derivative_lut,
    tanhshrink, threshold, tiled_prod, topk_defuse, topk_local_sort, topk_merge, topk_rebuild, trunc, typecast,
    unary_eq, unary_ge, unary_gt, unary_le, unary_lt, unary_max, unary_max_int32, unary_max_uint32, unary_min,
    unary_min_int32, unary_min_uint32, unary_ne, unused, where, xielu,
};

namespace ckernel {

// UNPACK. Transposing may come as a number or, since 0.79, as `Transpose`.
template <BroadcastType broadcast = BroadcastType::NONE, typename Transposed = uint32_t>
ALWI void llk_unpack_AB_init(uint32_t = 0, uint32_t = 0, Transposed transpose = {}) {
    if (TP_ON_UNPACK && uint32_t(transpose) != 0) {
        tp::unsupported(TP_SITE(), "llk_unpack_AB_init with a transposition");
    }
    TP_UNPACK(unpack_init, tp::unpack_eltwise(broadcast));
}
template <BroadcastType broadcast = BroadcastType::NONE, bool acc_to_dest = false,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE, bool unpack_to_dest = false>
ALWI void llk_unpack_A_init(uint32_t transpose = 0, uint32_t within_face = 0, uint32_t = 0) {
    TP_ONLY(UNPACK, (transpose != 0) == (within_face != 0), "llk_unpack_A_init that transposes faces or their order alone");
    // An operand for each source, one of them zeros, is what a transposition and a reuse of Dst take.
    TP_ONLY(UNPACK, !acc_to_dest || reuse != EltwiseBinaryReuseDestType::NONE || transpose != 0,
            "llk_unpack_A_init with acc_to_dest");
    tp::state.transpose = transpose;
    TP_UNPACK(unpack_init, tp::word(tp::unpack_kind::a, broadcast, 0,
                                    tp::reuse_flag(reuse) | (transpose != 0 ? tp::flag::transpose : 0)));
}
// The formats that a start-up programs, one unit at a time.
template <auto... more>
ALWI void llk_unpack_hw_configure(uint32_t a, uint32_t b) {
    TP_UNPACK(unpack_configure, tp::operand::src_ab, a, b, tp::configure::start);
}
template <auto... more>
ALWI void llk_unpack_hw_configure(uint32_t cb) {
    llk_unpack_hw_configure(cb, cb);
}
// Tiles, as the unpackers are programmed for.
template <BroadcastType broadcast = BroadcastType::NONE, bool acc_to_dest = false,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE, bool unpack_to_dest = false>
ALWI void llk_unpack_A(uint32_t cb, uint32_t tile) {
    const uint8_t flags = tp::reuse_flag(reuse) | (tp::state.transpose != 0 ? tp::flag::transpose : 0);
    TP_UNPACK(unpack, tp::word(tp::unpack_kind::a, broadcast, 0, flags), cb, cb, tile, tile);
}
template <BroadcastType broadcast = BroadcastType::NONE>
ALWI void llk_unpack_AB(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b) {
    TP_UNPACK(unpack, tp::unpack_eltwise(broadcast), a, b, tile_a, tile_b);
}
template <auto... more>
ALWI void llk_unpack_reconfig_data_format(uint32_t a, uint32_t b) {
    TP_UNPACK(unpack_configure, tp::operand::src_ab, a, b, tp::configure::again);
}
template <auto... more>
ALWI void llk_unpack_reconfig_data_format(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b) {
    tp::exchange_unpacked(tp::operand::src_a, old_a, a);
    tp::exchange_unpacked(tp::operand::src_b, old_b, b);
}
template <auto... more>
ALWI void llk_unpack_reconfig_data_format_srca(uint32_t cb) {
    TP_UNPACK(unpack_configure, tp::operand::src_a, cb, cb, tp::configure::again);
}
template <auto... more>
ALWI void llk_unpack_reconfig_data_format_srca(uint32_t old, uint32_t cb) {
    tp::exchange_unpacked(tp::operand::src_a, old, cb);
}
template <auto... more>
ALWI void llk_unpack_reconfig_data_format_srcb(uint32_t cb) {
    TP_UNPACK(unpack_configure, tp::operand::src_b, cb, cb, tp::configure::again);
}
template <auto... more>
ALWI void llk_unpack_reconfig_data_format_srcb(uint32_t old, uint32_t cb) {
    tp::exchange_unpacked(tp::operand::src_b, old, cb);
}

template <PoolType pool, ReduceDim dim, auto... more>
ALWI void llk_unpack_AB_reduce_init(uint32_t, uint32_t) {
    TP_UNPACK(unpack_init, tp::unpack_reduce(pool, dim));
}
// Before 0.79 it was not told the pool.
template <ReduceDim dim, BroadcastType broadcast = BroadcastType::NONE, bool enforce_fp32_accumulation = false>
ALWI void llk_unpack_AB_reduce_init(uint32_t, uint32_t, uint32_t = 0, uint32_t = 0) {
    TP_ONLY(UNPACK, false, "llk_unpack_AB_reduce_init without the pool");
}

// MATH.
template <PoolType pool, ReduceDim dim, auto third = DST_ACCUM_MODE, auto fourth = MATH_FIDELITY,
          bool enforce_fp32_accumulation = false>
ALWI void llk_math_reduce_init(uint32_t = 0, uint32_t = 0) {
    // The width of Dst, which was not told in 2024, and then the fidelity.
    constexpr bool is_width = std::is_same_v<decltype(third), bool> || std::is_same_v<decltype(third), const bool>;
    TP_ONLY(MATH, !is_width || bool(third) == DST_ACCUM_MODE,
            "llk_math_reduce_init with an is_fp32_dest_acc_en that is not the kernel's");
    TP_ONLY(MATH, int(is_width ? int(fourth) : int(third)) == MATH_FIDELITY, "llk_math_reduce_init with a fidelity that is not the kernel's");
#if !TP_SINCE(TP_REDUCE_WIDTH)
    tp::check_reduce_width<dim, enforce_fp32_accumulation>(TP_SITE());
#endif
    TP_MATH(math_init, tp::math_reduce(pool, dim));
}
template <EltwiseBinaryType op, BroadcastType broadcast, auto fidelity = 0,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary_init(uint32_t accumulate = 0) {
    // Sums and differences have one phase, whatever fidelity is asked for (LLK `llk_math_eltwise_binary.h`).
    TP_ONLY(MATH, op != ELWMUL || int(fidelity) == MATH_FIDELITY,
            "llk_math_eltwise_binary_init of a product with a fidelity that is not the kernel's");
    const uint8_t flags = tp::reuse_flag(reuse) | (accumulate != 0 && op != ELWMUL ? tp::flag::accumulate : 0);
    tp::state.accumulate = accumulate != 0 && op != ELWMUL;
    TP_MATH(math_init, tp::math_eltwise(op, broadcast, flags));
}
template <EltwiseBinaryType op, BroadcastType broadcast, auto fidelity = 0,
          EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary_init(uint32_t, uint32_t, uint32_t accumulate = 0) {
    llk_math_eltwise_binary_init<op, broadcast, fidelity, reuse>(accumulate);
}
// Both operands as MATH is programmed for them. The width of Dst stands third and the fidelity fourth; in 2024 they stood elsewhere.
template <EltwiseBinaryType op, BroadcastType broadcast = BroadcastType::NONE, auto wide = DST_ACCUM_MODE, auto fidelity = MATH_FIDELITY,
          auto reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void llk_math_eltwise_binary(uint32_t dst, bool = true) {
    using Reuse = std::remove_const_t<decltype(reuse)>;
    constexpr bool is_known = std::is_same_v<std::remove_const_t<decltype(wide)>, bool> && std::is_same_v<Reuse, EltwiseBinaryReuseDestType>;
    TP_ONLY(MATH, is_known && wide == DST_ACCUM_MODE && (op != ELWMUL || int(fidelity) == MATH_FIDELITY),
            "llk_math_eltwise_binary with a width or a fidelity that is not the kernel's");
    const uint8_t flags = tp::reuse_flag(EltwiseBinaryReuseDestType(reuse)) |
                          (tp::state.accumulate != 0 && op != ELWMUL ? tp::flag::accumulate : 0);
    TP_MATH(math, tp::math_eltwise(op, broadcast, flags), dst);
}
template <EltwiseBinaryType op, BroadcastType broadcast = BroadcastType::NONE, auto... more>
ALWI void llk_math_eltwise_binary(uint32_t, uint32_t, uint32_t dst, bool = true) {
    llk_math_eltwise_binary<op, broadcast, more...>(dst);
}
// On Wormhole a mode that tilizes changes nothing (LLK `llk_math_eltwise_unary_datacopy.h`).
template <DataCopyType type, bool fp32_dest_acc = false, BroadcastType broadcast = BroadcastType::NONE,
          bool is_int_fpu_en = false, auto mode = false>
ALWI void llk_math_eltwise_unary_datacopy_init(uint32_t = 0, uint32_t = 0, uint32_t = 0) {
    TP_ONLY(MATH, !is_int_fpu_en, "llk_math_eltwise_unary_datacopy_init with is_int_fpu_en");
#ifdef ARCH_BLACKHOLE
    TP_ONLY(MATH, tp::is_default(mode), "llk_math_eltwise_unary_datacopy_init with a mode");
#endif
    TP_MATH(math_init, tp::word(tp::math_kind::datacopy, type == DataCopyType::B2D, broadcast));
}
// The broadcast stands second, and third since the width of Dst stands there.
template <DataCopyType type, auto second = BroadcastType::NONE, auto third = BroadcastType::NONE, auto... more>
ALWI void llk_math_eltwise_unary_datacopy(uint32_t dst, uint32_t = 0) {
    constexpr bool is_width = std::is_same_v<std::remove_const_t<decltype(second)>, bool>;
    constexpr auto broadcast = BroadcastType(is_width ? int(third) : int(second));
    TP_MATH(math, tp::word(tp::math_kind::datacopy, type == DataCopyType::B2D, broadcast), dst);
}
template <auto... more>
ALWI void llk_math_reconfig_data_format(uint32_t a, uint32_t b) {
    TP_MATH(math_configure, tp::operand::src_ab, a, b, tp::configure::again);
}
template <auto... more>
ALWI void llk_math_reconfig_data_format(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b) {
    tp::exchange_computed(tp::operand::src_a, old_a, a);
    tp::exchange_computed(tp::operand::src_b, old_b, b);
}
template <auto... more>
ALWI void llk_math_reconfig_data_format_srca(uint32_t cb) {
    TP_MATH(math_configure, tp::operand::src_a, cb, cb, tp::configure::again);
}
template <auto... more>
ALWI void llk_math_reconfig_data_format_srca(uint32_t old, uint32_t cb) {
    tp::exchange_computed(tp::operand::src_a, old, cb);
}
template <auto... more>
ALWI void llk_math_reconfig_data_format_srcb(uint32_t cb) {
    TP_MATH(math_configure, tp::operand::src_b, cb, cb, tp::configure::again);
}
template <auto... more>
ALWI void llk_math_reconfig_data_format_srcb(uint32_t old, uint32_t cb) {
    tp::exchange_computed(tp::operand::src_b, old, cb);
}
template <auto... more>
ALWI void llk_math_hw_configure(uint32_t a, uint32_t b) {
    TP_MATH(math_configure, tp::operand::src_ab, a, b, tp::configure::start);
}
template <auto... more>
ALWI void llk_math_pack_sync_init() {
    TP_MATH(math_pack_sync_init);
}
ALWI void llk_math_wait_for_dest_available() { TP_MATH(tile_regs_acquire); }
template <auto... more>
ALWI void llk_math_dest_section_done() {
    TP_MATH(tile_regs_commit);
}
// Dst remapping exists on Blackhole only.
ALWI void llk_math_reconfig_remap(bool = false) {}

// PACK.
ALWI void llk_pack_relu_config(uint32_t config) { pack_relu_config(config); }
ALWI void llk_pack_relu_config(ReluConfig config) { pack_relu_config(config); }
ALWI void llk_pack_relu_config(ReluType type) { pack_relu_config(uint32_t(type)); }
ALWI void llk_pack_reconfig_l1_acc(uint32_t enable) { pack_reconfig_l1_acc(enable); }
template <auto mode = PackMode::Default, bool zero_output = false, auto... more>
ALWI void llk_pack_init(uint32_t = 0, uint32_t tiles = 1) {
    TP_ONLY(PACK, tp::is_default(mode) && !zero_output && tiles == 1,
            "llk_pack_init that untilizes, packs zeros, or packs several tiles");
    TP_PACK(pack_init, tp::PACK_TILE);
}
template <bool fp32_dest_acc = false, auto mode = PackMode::Default>
ALWI void llk_pack_dest_init(uint32_t = 0) {
    TP_ONLY(PACK, tp::is_default(mode), "llk_pack_dest_init that untilizes");
    TP_PACK(pack_dest_init);
}
template <ReduceDim dim, auto mode = PackMode::Default>
ALWI void llk_pack_reduce_mask_config(uint32_t = 0) {
    TP_ONLY(PACK, tp::is_default(mode), "llk_pack_reduce_mask_config that untilizes");
    TP_PACK(pack_edge_mask, tp::edge_mask::first_dim + dim);
}
// Before 0.79.
template <bool untilize, ReduceDim dim>
ALWI void llk_pack_reduce_mask_config() {
    llk_pack_reduce_mask_config<dim, untilize>();
}
ALWI void llk_pack_reduce_mask_clear() { TP_PACK(pack_edge_mask, tp::edge_mask::none); }
template <auto... more>
ALWI void llk_pack_hw_configure(uint32_t cb) {
    TP_PACK(pack_configure, cb, tp::configure::start);
}
// Since 2025 the width of Dst stands first. Before, other arguments did.
template <auto wide, auto out_of_order = false, auto mode = PackMode::Default>
ALWI void llk_pack(uint32_t dst, uint32_t cb, uint32_t index = 0) {
    constexpr bool is_known = std::is_same_v<std::remove_const_t<decltype(out_of_order)>, bool>;
    TP_ONLY(PACK, is_known && wide == DST_ACCUM_MODE, "llk_pack with a width that is not that of Dst");
    TP_ONLY(PACK, tp::is_default(mode), "llk_pack that untilizes");
    pack_tile<bool(out_of_order)>(dst, cb, index);
}
ALWI void llk_packer_wait_for_math_done() { TP_PACK(tile_regs_wait); }
template <auto... more>
ALWI void llk_pack_dest_section_done() {
    TP_PACK(tile_regs_release);
}

// Buffers, as each thread's own calls.
template <auto... more>
ALWI void llk_wait_tiles(uint32_t cb, uint32_t tiles) {
    TP_UNPACK(cb_wait_front, cb, tiles);
}
template <auto... more>
ALWI void llk_pop_tiles(uint32_t cb, uint32_t tiles) {
    TP_UNPACK(cb_pop_front, cb, tiles);
}
template <auto... more>
ALWI void llk_wait_for_free_tiles(uint32_t cb, uint32_t tiles) {
    TP_PACK(cb_reserve_back, cb, tiles);
}
template <auto... more>
ALWI void llk_push_tiles(uint32_t cb, uint32_t tiles) {
    TP_PACK(cb_push_back, cb, tiles);
}

// Formats that a data format's kind decides the rest of: what is not int8 is treated alike.
template <auto... more>
ALWI void reconfig_data_format_skip_int8(uint32_t a, uint32_t b) {
    reconfig_data_format<more...>(a, b);
}
template <auto... more>
ALWI void reconfig_data_format_skip_int8(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b) {
    reconfig_data_format<more...>(old_a, a, old_b, b);
}
template <auto... more>
ALWI void reconfig_data_format_srca_skip_int8(uint32_t cb) { tp::configure_sources(tp::operand::src_a, cb, cb); }
template <auto... more>
ALWI void reconfig_data_format_srca_skip_int8(uint32_t old, uint32_t cb) {
    tp::exchange_source(tp::operand::src_a, old, cb);
}
template <auto... more>
ALWI void reconfig_data_format_srcb_skip_int8(uint32_t cb) { tp::configure_sources(tp::operand::src_b, cb, cb); }
template <auto... more>
ALWI void reconfig_data_format_srcb_skip_int8(uint32_t old, uint32_t cb) {
    tp::exchange_source(tp::operand::src_b, old, cb);
}
// Formats and tile dimensions; all tiles of this machine have the same.
template <auto... more>
ALWI void reconfig_full_operand(uint32_t a, uint32_t b) {
    reconfig_data_format<more...>(a, b);
}
template <auto... more>
ALWI void reconfig_full_operand(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b) {
    reconfig_data_format<more...>(old_a, a, old_b, b);
}
ALWI void reconfig_full_operand_srca(uint32_t cb) { tp::configure_sources(tp::operand::src_a, cb, cb); }
ALWI void reconfig_full_operand_srca(uint32_t old, uint32_t cb) { tp::exchange_source(tp::operand::src_a, old, cb); }
ALWI void reconfig_full_operand_srcb(uint32_t cb) { tp::configure_sources(tp::operand::src_b, cb, cb); }
ALWI void reconfig_full_operand_srcb(uint32_t old, uint32_t cb) { tp::exchange_source(tp::operand::src_b, old, cb); }
template <auto... more, typename... Cbs>
ALWI void reconfig_tile_shape(Cbs...) {}
template <auto... more, typename... Cbs>
ALWI void reconfig_tile_shape_srca(Cbs...) {}
template <auto... more, typename... Cbs>
ALWI void reconfig_tile_shape_srcb(Cbs...) {}

// Inits of custom vector code program address modes, of which the machine has none, and run a function that loads constants.
#define TP_VECTOR_INIT(NAME)                                                        \
    template <auto... more, typename... Arguments>                                  \
    ALWI void NAME(Arguments&&... arguments) {                                      \
        if (TP_ON_MATH) {                                                           \
            tp::load_constants(arguments...);                                       \
        }                                                                           \
    }
}  // namespace ckernel
namespace tp {
ALWI void load_constants() {}
template <typename First, typename... Rest>
ALWI void load_constants(First&& first, Rest&&... rest) {
    if constexpr (std::is_invocable_v<First, Rest...>) {
        first(rest...);
        run_pending(TP_SITE());
    }
}
}  // namespace tp
namespace ckernel {
TP_VECTOR_INIT(llk_math_eltwise_unary_sfpu_init)
TP_VECTOR_INIT(llk_math_eltwise_binary_sfpu_init)
TP_VECTOR_INIT(llk_math_eltwise_ternary_sfpu_init)
TP_VECTOR_INIT(_llk_math_eltwise_unary_sfpu_init_)
TP_VECTOR_INIT(_llk_math_eltwise_binary_sfpu_init_)
TP_VECTOR_INIT(_llk_math_eltwise_ternary_sfpu_init_)
#undef TP_VECTOR_INIT

// Calls of the vector unit with a choice of faces (tt-metal `llk_math_eltwise_unary_sfpu_binop_with_scalar.h`, `.._softplus.h`).
enum { ADD_UNARY, SUB_UNARY, MUL_UNARY, DIV_UNARY, RSUB_UNARY };
template <bool approximate, int op, auto... more>
ALWI void llk_math_eltwise_unary_sfpu_binop_with_scalar(uint32_t dst, uint32_t scalar, TpVectorMode mode = TP_RC) {
    if constexpr (op == ADD_UNARY) {
        TP_RUN(AddUnary, dst, 0, 0, dst, scalar, 0, 0, mode, TP_SEEN(scalar, 0));
    } else if constexpr (op == SUB_UNARY) {
        TP_RUN(SubUnary, dst, 0, 0, dst, scalar, 0, 0, mode, TP_SEEN(scalar, 0));
    } else if constexpr (op == RSUB_UNARY) {
        TP_RUN(RsubUnary, dst, 0, 0, dst, scalar, 0, 0, mode, TP_SEEN(scalar, 0));
    } else {
        TP_RUN(MulUnary, dst, 0, 0, dst, scalar, 0, 0, mode, TP_SEEN(scalar, 0));
    }
}
template <bool approximate, auto... more>
ALWI void llk_math_eltwise_unary_sfpu_softplus(uint32_t dst, uint32_t beta, uint32_t reciprocal, uint32_t threshold,
                                               TpVectorMode mode = TP_RC) {
    TP_RUN(Softplus, dst, 0, 0, dst, beta, reciprocal, threshold, mode, TP_SEEN(beta, 0) | TP_SEEN(reciprocal, 1));
}

// Blocks that are loops over tiles.
template <PoolType pool, ReduceDim dim, bool width = tp::REDUCE_WIDTH>
ALWI void reduce_block(uint32_t cb, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; i++) {
        reduce_tile<pool, dim, width>(cb, scaler, tile + i, scaler_tile, dst + i);
    }
}
ALWI void transpose_block(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; i++) {
        transpose_tile(cb, tile + i, dst + i);
    }
}
ALWI void mm_block_init_short_with_dt(uint32_t in0, uint32_t in1, uint32_t old_in1, uint32_t transpose = 0, uint32_t ct = 1,
                                      uint32_t rt = 1, uint32_t kt = 1) {
    tp::exchange_source(tp::operand::src_a, old_in1, in1);
    mm_block_init_short(in0, in1, transpose, ct, rt, kt);
}
ALWI void mm_block_init_short_with_both_dt(uint32_t in0, uint32_t in1, uint32_t old_in0, uint32_t old_in1,
                                           uint32_t transpose = 0, uint32_t ct = 1, uint32_t rt = 1, uint32_t kt = 1) {
    tp::exchange_source(tp::operand::src_a, old_in1, in1);
    tp::exchange_source(tp::operand::src_b, old_in0, in0);
    mm_block_init_short(in0, in1, transpose, ct, rt, kt);
}
ALWI void mm_uninit(uint32_t, uint32_t) {}

ALWI void fast_tilize_init_skip_remap(uint32_t icb, uint32_t block, uint32_t ocb) { fast_tilize_init(icb, block, ocb); }
ALWI void fast_tilize_init_with_dt_skip_remap(uint32_t icb, uint32_t block, uint32_t ocb) {
    fast_tilize_init_with_dt(icb, block, ocb);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, auto... more>
ALWI void pack_untilize_init_skip_remap(uint32_t icb, uint32_t ocb) {
    pack_untilize_init<block_ct_dim, full_ct_dim>(icb, ocb);
}
// On Wormhole the fast form is pack_untilize, which leaves both tile indices out; on Blackhole it follows them
// (tt-metal `api/compute/experimental/fast_untilize.h`).
template <uint32_t full_ct_dim, auto... more>
ALWI void fast_untilize_init(uint32_t icb, uint32_t ocb) {
    pack_untilize_init<full_ct_dim, full_ct_dim>(icb, ocb);
}
template <uint32_t full_ct_dim, auto... more>
ALWI void fast_untilize_init_skip_remap(uint32_t icb, uint32_t ocb) {
    pack_untilize_init<full_ct_dim, full_ct_dim>(icb, ocb);
}
template <uint32_t full_ct_dim, auto... more>
ALWI void fast_untilize_block(uint32_t icb, uint32_t ocb, uint32_t input_tile = 0, uint32_t output_tile = 0) {
#ifdef ARCH_BLACKHOLE
    TP_ONLY(UNPACK, full_ct_dim == 1 || (input_tile | output_tile) == 0, "fast_untilize_block from or to a tile other than 0");
#endif
    pack_untilize_block<full_ct_dim, full_ct_dim>(icb, 1, ocb, 0);
}
template <uint32_t full_ct_dim, auto... more>
ALWI void fast_untilize_uninit(uint32_t ocb) {
    pack_untilize_uninit(ocb);
}

// Inits of calls that had names of their own before the format became a template argument.
ALWI void mul_int32_tile_init() { mul_int_tile_init<DataFormat::Int32>(); }
ALWI void lt_int32_tile_init() { lt_int_tile_init<DataFormat::Int32>(); }
ALWI void gt_int32_tile_init() { gt_int_tile_init<DataFormat::Int32>(); }
ALWI void le_int32_tile_init() { le_int_tile_init<DataFormat::Int32>(); }
ALWI void ge_int32_tile_init() { ge_int_tile_init<DataFormat::Int32>(); }

}  // namespace ckernel
#include "tp/sfpu_older_names.h"
