// The packer, and the blocks that tilize and untilize: these open Dst windows of their own.
// Which thread does what follows tt-metal `tilize.h`, `untilize.h`, `pack_untilize.h`, `pack.h`.
// Start at pack_tile.
#pragma once

struct ReluConfig {
    ckernel::ReluType mode;
    uint32_t threshold;
    static constexpr ReluConfig none() { return {ckernel::ReluType::NO_RELU, 0}; }
    static constexpr ReluConfig zero() { return {ckernel::ReluType::ZERO_RELU, 0}; }
    static constexpr ReluConfig min_threshold(uint32_t bits) { return {ckernel::ReluType::MIN_THRESHOLD_RELU, bits}; }
    static constexpr ReluConfig max_threshold(uint32_t bits) { return {ckernel::ReluType::MAX_THRESHOLD_RELU, bits}; }
};

namespace ckernel {
using ::ReluConfig;

ALWI void pack_init(uint32_t) { TP_PACK(pack_init, tp::PACK_TILE); }

template <bool out_of_order = false>
ALWI void pack_tile(uint32_t dst, uint32_t cb, uint32_t index = 0) {
    TP_PACK(pack_tile, dst, cb, out_of_order ? tp::page::named : tp::page::next, index);
}
ALWI void pack_block(uint32_t dst, uint32_t cb, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; i++) {
        TP_PACK(pack_tile, dst + i, cb, tp::page::next, 0);
    }
}
ALWI void pack_tile_block(uint32_t dst, uint32_t cb, uint32_t tiles) { pack_block(dst, cb, tiles); }
ALWI void matmul_pack_tile(uint32_t dst, uint32_t cb, uint32_t tiles) { pack_block(dst, cb, tiles); }

ALWI void pack_relu_config(uint32_t config) { TP_PACK(pack_relu_config, config); }
ALWI void pack_relu_config(ReluConfig config) {
    TP_PACK(pack_relu_config, uint32_t(config.mode) | config.threshold << 16);
}
ALWI void pack_reconfig_l1_acc(uint32_t enable) { TP_PACK(pack_l1_acc, enable); }

// The first rows of 16 datums of a tile, one after the other. The uninit puts counters back and leaves the packer's
// program, so that a pack_init must come before the next tile (LLK `llk_pack_rows.h`).
ALWI void pack_rows_init(uint32_t rows) {
    tp::state.rows = rows;
    TP_PACK(pack_init, tp::word(tp::pack_kind::rows, 0, 0, 0, rows));
}
ALWI void pack_rows(uint32_t dst, uint32_t cb, uint32_t index = 0) {
    TP_PACK(pack_rows, tp::word(tp::pack_kind::rows, 0, 0, 0, tp::state.rows), dst, cb, index);
}
ALWI void pack_rows_uninit() {}

// Row-major rows into tiles, by the unpacker.
ALWI void tilize_init(uint32_t, uint32_t block, uint32_t = 16) {
    tp::init(tp::word(tp::unpack_kind::tilize, 0, 0, 0, block), tp::MATH_COPY);
#ifdef ARCH_BLACKHOLE
    TP_PACK(pack_init, tp::PACK_TILE);
#endif
}
ALWI void tilize_init_short(uint32_t icb, uint32_t block, uint32_t ocb = 16) { tilize_init(icb, block, ocb); }
ALWI void tilize_init_short_with_dt(uint32_t old, uint32_t icb, uint32_t block, uint32_t ocb = 16) {
    tp::exchange_source(tp::operand::src_a, old, icb);
    tilize_init(icb, block, ocb);
}
// The input index counts tiles in rows of `block` of them, and each row of tiles is 32 rows of datums: what the unpacker steps by
// is 32 datums (tt-metal `llk_unpack_tilize_api.h`, `tilize.h`).
ALWI void tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile = 0, uint32_t output_tile = 0) {
    if (block != 0) {
        input_tile = input_tile / block * block * TILE_R_DIM + input_tile % block;
    }
    for (uint32_t t = 0; t < block; t++) {
        TP_UNPACK(unpack, tp::word(tp::unpack_kind::tilize, 0, 0, 0, block), icb, icb, input_tile + t, input_tile + t);
        TP_MATH(tile_regs_acquire);
        TP_MATH(math, tp::MATH_COPY, 0);
        TP_MATH(tile_regs_commit);
        TP_PACK(tile_regs_wait);
        TP_PACK(pack_tile, 0, ocb, tp::page::named, t + output_tile);
        TP_PACK(tile_regs_release);
    }
}
ALWI void tilize_uninit(uint32_t, uint32_t = 16) {
#ifdef ARCH_BLACKHOLE
    TP_PACK(pack_init, tp::PACK_TILE);
#endif
}
ALWI void tilize_uninit_with_dt(uint32_t old = 0, uint32_t icb = 1, uint32_t ocb = 16) {
    tp::exchange_source(tp::operand::src_a, old, icb);
    tilize_uninit(icb, ocb);
}
// The fast forms give the same tiles by a quicker program of the same units.
ALWI void fast_tilize_init(uint32_t icb, uint32_t block, uint32_t ocb) { tilize_init(icb, block, ocb); }
ALWI void fast_tilize_init_with_dt(uint32_t icb, uint32_t block, uint32_t ocb) {
    tp::configure_sources(tp::operand::src_ab, icb, icb);
    tilize_init(icb, block, ocb);
}
ALWI void fast_tilize_block(uint32_t icb, uint32_t block, uint32_t ocb, uint32_t input_tile = 0, uint32_t output_tile = 0) {
    tilize_block(icb, block, ocb, input_tile, output_tile);
}
ALWI void fast_tilize_uninit(uint32_t icb, uint32_t ocb, uint32_t = 0) { tilize_uninit(icb, ocb); }

// Tiles into row-major rows, by the unpacker. The width of the block is the call's, which sets the unpacker's strides
// (LLK `llk_unpack_untilize.h`).
ALWI void untilize_init(uint32_t, uint32_t = 0) {
    tp::init(tp::word(tp::unpack_kind::untilize), tp::MATH_COPY);
}
template <uint32_t block_ct_dim = 1>
ALWI void untilize_block(uint32_t icb, uint32_t full_ct_dim, uint32_t ocb) {
    if (tp::state.untilize) {
        TP_UNPACK(unpack_init, tp::word(tp::unpack_kind::untilize, 0, 0, 0, full_ct_dim));
    }
    for (uint32_t t = 0; t < full_ct_dim; t++) {
        TP_UNPACK(unpack, tp::word(tp::unpack_kind::untilize, 0, 0, 0, full_ct_dim), icb, icb, t, t);
    }
    for (uint32_t t = 0; t < full_ct_dim / block_ct_dim; t++) {
        TP_MATH(tile_regs_acquire);
        for (uint32_t i = 0; i < block_ct_dim; i++) {
            TP_MATH(math, tp::MATH_COPY, i);
        }
        TP_MATH(tile_regs_commit);
        TP_PACK(tile_regs_wait);
        for (uint32_t i = 0; i < block_ct_dim; i++) {
            TP_PACK(pack_tile, i, ocb, tp::page::next, 0);
        }
        TP_PACK(tile_regs_release);
    }
}
ALWI void untilize_uninit(uint32_t) {}

}  // namespace ckernel

namespace tp {
constexpr uint64_t pack_untilize_word(uint32_t block, uint32_t full) {
    return word(pack_kind::untilize, 0, 0, 0, block | full << untilize::full_shift);
}
}  // namespace tp

namespace ckernel {

// Tiles into row-major rows, by the packer.
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool narrow_row = false,
          uint32_t row_num_datums = TILE_C_DIM, bool dense = false>
ALWI void pack_untilize_dest_init(uint32_t ocb, uint32_t face_r_dim = 16, uint32_t num_faces = 4) {
    if (narrow_row || dense || row_num_datums != TILE_C_DIM || face_r_dim != 16 || num_faces != 4) {
        tp::unsupported(TP_SITE(), "pack_untilize of narrow rows or of tiles other than 32x32");
    }
    TP_PACK(pack_configure, ocb, tp::configure::again);
    TP_PACK(pack_init, tp::pack_untilize_word(block_ct_dim, full_ct_dim));
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_init(uint32_t, uint32_t ocb) {
    tp::init(tp::UNPACK_COPY, tp::MATH_COPY);
    pack_untilize_dest_init<block_ct_dim, full_ct_dim>(ocb);
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim>
ALWI void pack_untilize_block(uint32_t icb, uint32_t block_rt_dim, uint32_t ocb, uint32_t block_c_index = 0) {
    for (uint32_t r = 0; r < block_rt_dim; r++) {
        TP_MATH(tile_regs_acquire);
        for (uint32_t c = 0; c < block_ct_dim; c++) {
            tp::execute(tp::UNPACK_COPY, tp::MATH_COPY, icb, icb, c, c, c);
        }
        TP_MATH(tile_regs_commit);
        TP_PACK(tile_regs_wait);
        TP_PACK(pack_untilize, tp::pack_untilize_word(block_ct_dim, full_ct_dim), 0, ocb, block_c_index);
        TP_PACK(tile_regs_release);
    }
}
template <uint32_t block_ct_dim = 8, uint32_t full_ct_dim = block_ct_dim, bool diagonal = false,
          bool narrow_row = false, uint32_t row_num_datums = TILE_C_DIM, uint32_t tile_dst_ct_offset = 0, bool dense = false>
ALWI void pack_untilize_dest(uint32_t ocb, uint32_t block_rt_dim = 1, uint32_t block_c_index = 0,
                             uint32_t face_r_dim = 16, uint32_t num_faces = 4, uint32_t tile_dst_rt_offset = 0) {
    if (diagonal || narrow_row || dense || row_num_datums != TILE_C_DIM || face_r_dim != 16 || num_faces != 4 ||
        block_rt_dim != 1) {
        tp::unsupported(TP_SITE(), "pack_untilize_dest of narrow rows, several rows or tiles other than 32x32");
    }
    TP_PACK(pack_untilize, tp::pack_untilize_word(block_ct_dim, full_ct_dim),
            tile_dst_ct_offset + tile_dst_rt_offset, ocb, block_c_index);
}
ALWI void pack_untilize_uninit(uint32_t = 16) { TP_PACK(pack_init, tp::PACK_TILE); }

}  // namespace ckernel
