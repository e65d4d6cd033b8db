// Start-up, formats, the Dst window: what a compute kernel programs before it computes.
// Each call must reach exactly the units that the device's headers program (tt-metal `api/compute`, generation 0.79).
// Start at compute_kernel_hw_startup.
#pragma once

namespace tp {

// The words of a plain copy, which several operations share.
constexpr uint64_t UNPACK_COPY = word(unpack_kind::a);
constexpr uint64_t MATH_COPY = word(math_kind::datacopy);
constexpr uint64_t PACK_TILE = word(pack_kind::tile);

ALWI void configure_sources(uint32_t operands, uint32_t a, uint32_t b) {
    TP_UNPACK(unpack_configure, operands, a, b, configure::again);
    TP_MATH(math_configure, operands, a, b, configure::again);
}

// Reconfigurations that are told the old buffer. They compare its formats with the new one's, and program nothing where those
// agree, whatever the unit holds (LLK `llk_unpack_common_api.h`, `llk_math_common_api.h`, `llk_pack_api.h`): the machine is told so.
constexpr uint32_t how_exchanged(bool same, uint32_t old) {
    return same ? configure::unchanged | old << configure::old_shift : configure::again;
}
template <size_t N>
constexpr bool is_same(const uint32_t (&formats)[N], uint32_t old, uint32_t cb) {
    return old < N && cb < N && formats[old] == formats[cb];
}
ALWI void exchange_unpacked(uint32_t operand, uint32_t old, uint32_t cb) {
    const bool same = is_same(unpack_src_format, old, cb) && is_same(unpack_dst_format, old, cb);
    TP_UNPACK(unpack_configure, operand, cb, cb, how_exchanged(same, old));
}
ALWI void exchange_computed(uint32_t operand, uint32_t old, uint32_t cb) {
    TP_MATH(math_configure, operand, cb, cb, how_exchanged(is_same(unpack_dst_format, old, cb), old));
}
ALWI void exchange_source(uint32_t operand, uint32_t old, uint32_t cb) {
    exchange_unpacked(operand, old, cb);
    exchange_computed(operand, old, cb);
}
// The packer wants both to be configured, too.
ALWI void exchange_packed(uint32_t old, uint32_t cb) {
    constexpr uint32_t invalid = uint32_t(DataFormat::Invalid);
    const bool unknown = old < 64 && pack_dst_format[old] == invalid;
    TP_PACK(pack_configure, cb, how_exchanged(unknown || is_same(pack_dst_format, old, cb), old));
}

ALWI void configure_packer(uint32_t ocb) {
    TP_PACK(pack_configure, ocb, configure::start);
    TP_PACK(pack_init, PACK_TILE);
    TP_PACK(pack_dest_init);
}

// What every start-up does; `a` goes to SrcA, `b` to SrcB.
ALWI void start(uint32_t a, uint32_t b, uint32_t ocb) {
    TP_UNPACK(unpack_configure, operand::src_ab, a, b, configure::start);
    TP_MATH(math_pack_sync_init);
    TP_MATH(math_configure, operand::src_ab, a, b, configure::start);
    configure_packer(ocb);
}

ALWI void init(uint64_t unpack, uint64_t math) {
    state.untilize = uint8_t(unpack) == unpack_kind::untilize;
    TP_UNPACK(unpack_init, unpack);
    TP_MATH(math_init, math);
}

ALWI void execute(uint64_t unpack_word, uint64_t math_word, uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) {
    TP_UNPACK(unpack, unpack_word, a, b, tile_a, tile_b);
    TP_MATH(math, math_word, dst);
}

}  // namespace tp

namespace ckernel {

template <SrcOrder order = SrcOrder::Normal>
ALWI void compute_kernel_hw_startup(uint32_t icb0, uint32_t icb1, uint32_t ocb) {
    if constexpr (order == SrcOrder::Reverse) {
        tp::start(icb1, icb0, ocb);
    } else {
        tp::start(icb0, icb1, ocb);
    }
}
template <SrcOrder order = SrcOrder::Normal>
ALWI void compute_kernel_hw_startup(uint32_t icb, uint32_t ocb) {
    tp::start(icb, icb, ocb);
}

ALWI void binary_op_init_common(uint32_t icb0, uint32_t icb1, uint32_t ocb = 16) {
    tp::start(icb0, icb1, ocb);
    tp::state.untilize = 0;
    TP_UNPACK(unpack_init, tp::word(tp::unpack_kind::ab));
}
ALWI void unary_op_init_common(uint32_t icb, uint32_t ocb = 16) {
    tp::start(icb, icb, ocb);
    tp::init(tp::UNPACK_COPY, tp::MATH_COPY);
}
ALWI void init_sfpu(uint32_t icb, uint32_t ocb = 16) { unary_op_init_common(icb, ocb); }

// Formats of SrcA and SrcB.
template <SrcOrder order = SrcOrder::Normal>
ALWI void reconfig_data_format(uint32_t a, uint32_t b) {
    if constexpr (order == SrcOrder::Reverse) {
        tp::configure_sources(tp::operand::src_ab, b, a);
    } else {
        tp::configure_sources(tp::operand::src_ab, a, b);
    }
}
template <SrcOrder order = SrcOrder::Normal>
ALWI void reconfig_data_format(uint32_t old_a, uint32_t a, uint32_t old_b, uint32_t b) {
    constexpr bool exchanged = order == SrcOrder::Reverse;
    tp::exchange_source(exchanged ? tp::operand::src_b : tp::operand::src_a, old_a, a);
    tp::exchange_source(exchanged ? tp::operand::src_a : tp::operand::src_b, old_b, b);
}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srca(uint32_t cb) {
    tp::configure_sources(tp::operand::src_a, cb, cb);
}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srca(uint32_t old, uint32_t cb) {
    tp::exchange_source(tp::operand::src_a, old, cb);
}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srcb(uint32_t cb) {
    tp::configure_sources(tp::operand::src_b, cb, cb);
}
template <bool to_from_int8 = false>
ALWI void reconfig_data_format_srcb(uint32_t old, uint32_t cb) {
    tp::exchange_source(tp::operand::src_b, old, cb);
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t cb) {
    TP_PACK(pack_configure, cb, tp::configure::again);
}
template <bool is_tile_dim_reconfig_en = false>
ALWI void pack_reconfig_data_format(uint32_t old, uint32_t cb) {
    tp::exchange_packed(old, cb);
}

// The Dst window: MATH acquires and commits, PACK waits and releases.
ALWI void tile_regs_acquire() { TP_MATH(tile_regs_acquire); }
ALWI void tile_regs_commit() { TP_MATH(tile_regs_commit); }
ALWI void tile_regs_wait() { TP_PACK(tile_regs_wait); }
ALWI void tile_regs_release() { TP_PACK(tile_regs_release); }
ALWI void acquire_dst();
ALWI void release_dst();
ALWI void acquire_dst(tt::DstMode) { acquire_dst(); }
ALWI void release_dst(tt::DstMode) { release_dst(); }
ALWI void acquire_dst() {
    tile_regs_acquire();
    tile_regs_wait();
}
ALWI void release_dst() {
    tile_regs_commit();
    tile_regs_release();
}

}  // namespace ckernel
