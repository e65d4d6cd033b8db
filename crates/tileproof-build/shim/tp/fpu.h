// The matrix unit: copies, element-wise operations, broadcasts, matrix multiply, reduce.
// A call hands the word that it needs to the unit; it must never repeat an init on its own.
// Start at add_tiles; the words are those of crates/tileproof-kernel.
#pragma once

namespace tp {

constexpr uint64_t unpack_eltwise(BroadcastType broadcast) { return word(unpack_kind::ab, broadcast); }
constexpr uint64_t math_eltwise(EltwiseBinaryType op, BroadcastType broadcast, uint8_t flags = 0) {
    return word(math_kind::eltwise, op, broadcast, flags);
}

template <EltwiseBinaryType op, BroadcastType broadcast>
ALWI void eltwise_init(bool accumulate) {
    // ELWMUL accumulates anyway and ignores the flag (tt-metal `eltwise_binary.h`).
    const bool flagged = accumulate && op != ELWMUL;
    state.accumulate = flagged;
    init(unpack_eltwise(broadcast), math_eltwise(op, broadcast, flagged ? flag::accumulate : 0));
}

template <EltwiseBinaryType op, BroadcastType broadcast>
ALWI void eltwise_tiles(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) {
    // Whether to accumulate is the init's choice alone: the call needs whatever it chose.
    const uint8_t flags = op != ELWMUL && state.accumulate ? flag::accumulate : 0;
    execute(unpack_eltwise(broadcast), math_eltwise(op, broadcast, flags), a, b, tile_a, tile_b, dst);
}

constexpr uint8_t reuse_flag(EltwiseBinaryReuseDestType reuse) {
    return reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA   ? flag::reuse_srca
           : reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCB ? flag::reuse_srcb
                                                               : 0;
}

template <EltwiseBinaryType op, EltwiseBinaryReuseDestType reuse>
ALWI void reuse_init() {
    constexpr uint8_t flags = reuse_flag(reuse);
    init(word(unpack_kind::a, 0, 0, flags), math_eltwise(op, NONE, flags));
}
template <EltwiseBinaryType op, EltwiseBinaryReuseDestType reuse>
ALWI void reuse_tiles(uint32_t cb, uint32_t tile, uint32_t dst) {
    constexpr uint8_t flags = reuse_flag(reuse);
    execute(word(unpack_kind::a, 0, 0, flags), math_eltwise(op, NONE, flags), cb, cb, tile, tile, dst);
}

}  // namespace tp

namespace ckernel {

#define TP_ELTWISE(NAME, OP)                                                                                      \
    ALWI void NAME##_init(uint32_t, uint32_t, bool acc_to_dest = false, uint32_t = 0) {                           \
        tp::eltwise_init<OP, NONE>(acc_to_dest);                                                                  \
    }                                                                                                             \
    ALWI void NAME##_tiles_init(uint32_t = 0, uint32_t = 1, bool acc_to_dest = false) {                           \
        tp::eltwise_init<OP, NONE>(acc_to_dest);                                                                  \
    }                                                                                                             \
    ALWI void NAME##_tiles(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) {              \
        tp::eltwise_tiles<OP, NONE>(a, b, tile_a, tile_b, dst);                                                         \
    }                                                                                                             \
    ALWI void NAME##_block(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst, uint32_t tiles) { \
        for (uint32_t i = 0; i < tiles; i++) {                                                                    \
            tp::eltwise_tiles<OP, NONE>(a, b, tile_a + i, tile_b + i, dst + i);                                         \
        }                                                                                                         \
    }                                                                                                             \
    template <BroadcastType broadcast>                                                                            \
    ALWI void NAME##_tiles_bcast(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) {        \
        tp::eltwise_tiles<OP, broadcast>(a, b, tile_a, tile_b, dst);                                                    \
    }                                                                                                             \
    template <EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::DEST_TO_SRCA>                        \
    ALWI void NAME##_reuse_dest_init(uint32_t, uint32_t = 0) {                                                                \
        tp::reuse_init<OP, reuse>();                                                                              \
    }                                                                                                             \
    template <EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::DEST_TO_SRCA>                        \
    ALWI void NAME##_reuse_dest_tiles(uint32_t cb, uint32_t tile, uint32_t dst) {                                 \
        tp::reuse_tiles<OP, reuse>(cb, tile, dst);                                                                \
    }                                                                                                             \
    TP_BROADCAST(NAME, OP, rows, ROW)                                                                             \
    TP_BROADCAST(NAME, OP, cols, COL)                                                                             \
    TP_BROADCAST(NAME, OP, scalar, SCALAR)

#define TP_BROADCAST(NAME, OP, DIM, TYPE)                                                                         \
    ALWI void NAME##_bcast_##DIM##_init(uint32_t = 0, uint32_t = 1) { tp::eltwise_init<OP, TYPE>(false); }        \
    ALWI void NAME##_bcast_##DIM##_init_short(uint32_t = 0, uint32_t = 1) { tp::eltwise_init<OP, TYPE>(false); }  \
    ALWI void NAME##_tiles_bcast_##DIM##_init_short(uint32_t = 0, uint32_t = 1) {                                 \
        tp::eltwise_init<OP, TYPE>(false);                                                                        \
    }                                                                                                             \
    ALWI void NAME##_tiles_bcast_##DIM(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) {  \
        tp::eltwise_tiles<OP, TYPE>(a, b, tile_a, tile_b, dst);                                                         \
    }

TP_ELTWISE(add, ELWADD)
TP_ELTWISE(sub, ELWSUB)
TP_ELTWISE(mul, ELWMUL)
#undef TP_ELTWISE
#undef TP_BROADCAST

template <EltwiseBinaryType op, BroadcastType broadcast>
ALWI void any_tiles_bcast(uint32_t a, uint32_t b, uint32_t tile_a, uint32_t tile_b, uint32_t dst) {
    tp::eltwise_tiles<op, broadcast>(a, b, tile_a, tile_b, dst);
}
template <EltwiseBinaryType op, BroadcastType broadcast>
ALWI void init_bcast(uint32_t a, uint32_t b, uint32_t ocb = 16) {
    tp::start(a, b, ocb);
    tp::eltwise_init<op, broadcast>(false);
}
template <EltwiseBinaryType op, BroadcastType broadcast>
ALWI void bcast_init(uint32_t, uint32_t) {
    tp::eltwise_init<op, broadcast>(false);
}
template <bool full_init = true, EltwiseBinaryType op = ELWADD>
ALWI void binary_tiles_init(uint32_t, uint32_t, bool acc_to_dest = false) {
    tp::eltwise_init<op, NONE>(acc_to_dest);
}
template <EltwiseBinaryType op = ELWADD, EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles_init(uint32_t) {
    tp::reuse_init<op, reuse>();
}
template <EltwiseBinaryType op = ELWADD, EltwiseBinaryReuseDestType reuse = EltwiseBinaryReuseDestType::NONE>
ALWI void binary_dest_reuse_tiles(uint32_t cb, uint32_t tile, uint32_t dst) {
    tp::reuse_tiles<op, reuse>(cb, tile, dst);
}

// Copies. A tile is transposed when its faces are and their order is (tt-metal `tile_move_copy.h`, `transpose.h`).
ALWI void copy_tile_init(uint32_t = 0) { tp::init(tp::UNPACK_COPY, tp::MATH_COPY); }
ALWI void copy_tile_to_dst_init_short(uint32_t = 0, uint32_t transpose = 0, uint32_t within_face = 0) {
    if (TP_ON_UNPACK && (transpose != 0) != (within_face != 0)) {
        tp::unsupported(TP_SITE(), "copy_init that transposes faces or their order alone");
    }
    const uint8_t flags = transpose != 0 ? tp::flag::transpose : 0;
    tp::init(tp::word(tp::unpack_kind::a, 0, 0, flags), tp::MATH_COPY);
}
ALWI void copy_init(uint32_t cb, uint32_t transpose = 0, uint32_t within_face = 0, uint32_t = 0) {
    copy_tile_to_dst_init_short(cb, transpose, within_face);
}
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t old, uint32_t cb, uint32_t transpose = 0) {
    tp::exchange_source(tp::operand::src_a, old, cb);
    copy_tile_to_dst_init_short(cb, transpose);
}
ALWI void copy_tile(uint32_t cb, uint32_t tile, uint32_t dst) {
    tp::execute(tp::UNPACK_COPY, tp::MATH_COPY, cb, cb, tile, tile, dst);
}
ALWI void copy_block(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; i++) {
        copy_tile(cb, tile + i, dst + i);
    }
}
ALWI void copy_block_matmul_partials(uint32_t cb, uint32_t tile, uint32_t dst, uint32_t tiles) {
    copy_block(cb, tile, dst, tiles);
}

ALWI void transpose_init(uint32_t, uint32_t = 0) {
    tp::init(tp::word(tp::unpack_kind::a, 0, 0, tp::flag::transpose), tp::MATH_COPY);
}
ALWI void transpose_tile(uint32_t cb, uint32_t tile, uint32_t dst) {
    tp::execute(tp::word(tp::unpack_kind::a, 0, 0, tp::flag::transpose), tp::MATH_COPY, cb, cb, tile, tile, dst);
}
ALWI void transpose_wh_init_short(uint32_t cb) { transpose_init(cb); }
ALWI void transpose_wh_init(uint32_t cb, uint32_t ocb = 16) {
    tp::start(cb, cb, ocb);
    transpose_init(cb);
}
ALWI void transpose_wh_tile(uint32_t cb, uint32_t tile, uint32_t dst) { transpose_tile(cb, tile, dst); }

template <BroadcastType broadcast>
ALWI void unary_bcast_init(uint32_t) {
    tp::init(tp::word(tp::unpack_kind::a, broadcast), tp::word(tp::math_kind::datacopy, broadcast != NONE, broadcast));
}
template <BroadcastType broadcast>
ALWI void unary_bcast_init(uint32_t cb, uint32_t ocb) {
    tp::start(cb, cb, ocb);
    unary_bcast_init<broadcast>(cb);
}
// Puts back what the init of the newest tt-metal changes, of which the machine has nothing (LLK `llk_unpack_A.h`).
template <BroadcastType broadcast>
ALWI void unary_bcast_uninit(uint32_t) {}
template <BroadcastType broadcast>
ALWI void unary_bcast(uint32_t cb, uint32_t tile, uint32_t dst) {
    // Generation 0.66 does not switch the format of SrcA for these words (LLK `llk_math_eltwise_unary_datacopy.h`), and
    // nobody has seen what that makes of them.
    if (TP_ON_MATH && !TP_SINCE(TP_BROADCAST_UINT16) && DST_ACCUM_MODE && broadcast != NONE &&
        get_dataformat(cb) == DataFormat::UInt16) {
        tp::unsupported(TP_SITE(), "unary_bcast of UInt16 into a 32-bit Dst");
    }
    tp::execute(tp::word(tp::unpack_kind::a, broadcast),
                tp::word(tp::math_kind::datacopy, broadcast != NONE, broadcast), cb, cb, tile, tile, dst);
}

}  // namespace ckernel

namespace tp {

ALWI void matmul_program(bool transposed) {
    state.transpose = transposed;
    const uint8_t flags = transposed ? flag::transpose : 0;
    init(word(unpack_kind::ab_matmul, 0, 0, flags), word(math_kind::matmul, 0, 0, flags));
}
// in1 goes to SrcA, in0 to SrcB.
ALWI void matmul_tile(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, bool transposed) {
    const uint8_t flags = transposed ? flag::transpose : 0;
    execute(word(unpack_kind::ab_matmul, 0, 0, flags), word(math_kind::matmul, 0, 0, flags), in1, in0, tile1, tile0,
            dst);
}

}  // namespace tp

namespace ckernel {

ALWI void matmul_init(uint32_t, uint32_t, uint32_t transpose = 0, uint32_t = 0) { tp::matmul_program(transpose != 0); }
ALWI void mm_init_short(uint32_t = 0, uint32_t = 1, uint32_t transpose = 0) { tp::matmul_program(transpose != 0); }
ALWI void mm_init(uint32_t in0 = 0, uint32_t in1 = 1, uint32_t ocb = 16, uint32_t transpose = 0) {
    TP_UNPACK(unpack_configure, tp::operand::src_ab, in1, in0, tp::configure::start);
    TP_MATH(math_pack_sync_init);
    // The MATH side is given the operands unswapped (tt-metal 0.65 `matmul.h`).
    TP_MATH(math_configure, tp::operand::src_ab, in0, in1, tp::configure::start);
    tp::configure_packer(ocb);
    tp::matmul_program(transpose != 0);
}
ALWI void mm_init_short_with_dt(uint32_t = 0, uint32_t in1 = 1, uint32_t old = 2, uint32_t transpose = 0) {
    tp::exchange_source(tp::operand::src_a, old, in1);
    tp::matmul_program(transpose != 0);
}
// The transposition is the init's choice; the older form repeats it.
ALWI void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst) {
    tp::matmul_tile(in0, in1, tile0, tile1, dst, tp::state.transpose != 0);
}
ALWI void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, uint32_t transpose) {
    tp::matmul_tile(in0, in1, tile0, tile1, dst, transpose != 0);
}

ALWI void matmul_block_init(uint32_t, uint32_t, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tp::matmul_program(transpose != 0);
}
ALWI void mm_block_init_short(uint32_t = 0, uint32_t = 1, uint32_t transpose = 0, uint32_t = 1, uint32_t = 1, uint32_t = 1) {
    tp::matmul_program(transpose != 0);
}
ALWI void mm_block_init(uint32_t in0 = 0, uint32_t in1 = 1, uint32_t ocb = 16, uint32_t transpose = 0, uint32_t = 1,
                        uint32_t = 1, uint32_t = 1) {
    mm_init(in0, in1, ocb, transpose);
}
// Dst tile (r, c) += in0 tile (r, 0) x in1 tile (0, c) of a block with `kt` tiles a row of in0.
ALWI void matmul_block(uint32_t in0, uint32_t in1, uint32_t tile0, uint32_t tile1, uint32_t dst, bool transpose,
                       uint32_t ct, uint32_t rt, uint32_t kt) {
    for (uint32_t r = 0; r < rt; r++) {
        for (uint32_t c = 0; c < ct; c++) {
            tp::matmul_tile(in0, in1, tile0 + r * kt, tile1 + c, dst + r * ct + c, transpose);
        }
    }
}

}  // namespace ckernel

namespace tp {

// Sums and averages along rows were pooled. Since July 2026 they are products, which take the data through SrcB
// (measured: golden vectors; LLK `llk_unpack_AB_reduce.h`, `llk_math_reduce.h`).
constexpr bool is_row_sum(PoolType pool, ReduceDim dim) { return dim == REDUCE_ROW && pool != MAX; }
constexpr uint8_t reduce_flags(PoolType pool, ReduceDim dim) {
    return is_row_sum(pool, dim) && TP_BEFORE(TP_ROW_SUMS) ? flag::pooled : 0;
}
constexpr auto unpack_reduce(PoolType pool, ReduceDim dim) {
    return word(unpack_kind::ab_reduce, pool, dim, reduce_flags(pool, dim));
}
constexpr auto math_reduce(PoolType pool, ReduceDim dim) {
    return word(math_kind::reduce, pool, dim, reduce_flags(pool, dim));
}

constexpr uint64_t UNPACK_BLOCK_MAX = word(unpack_kind::ab_reduce, MAX, REDUCE_ROW, flag::block);
constexpr uint64_t MATH_BLOCK_MAX = word(math_kind::reduce, MAX, REDUCE_ROW, flag::block);

// The last template argument of a reduction. Until the same day it says whether the sums of rows keep all 32 bits on their way
// from a row of Dst to a column, in two halves; the machine knows the way in one, and other dimensions have none. Since then
// it is the width of Dst (LLK `llk_math_reduce.h`).
constexpr bool REDUCE_WIDTH = TP_BEFORE(TP_REDUCE_WIDTH) ? false : DST_ACCUM_MODE;
template <ReduceDim dim, bool width>
ALWI void check_reduce_width(Site site) {
    TP_KNOWN(MATH, TP_REDUCE_WIDTH, "a reduction");
#if TP_BEFORE(TP_REDUCE_WIDTH)
    constexpr bool is_known = dim != REDUCE_ROW || !width;
    constexpr const char* what = "a reduction of rows with enforce_fp32_accumulation";
#else
    constexpr bool is_known = width == DST_ACCUM_MODE;
    constexpr const char* what = "a reduction with an is_fp32_dest_acc_en that is not the kernel's";
#endif
    if (TP_ON_MATH && !is_known) {
        unsupported(site, what);
    }
}

}  // namespace tp

namespace ckernel {

template <PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM, bool width = tp::REDUCE_WIDTH>
ALWI void reduce_init(uint32_t, uint32_t, uint32_t) {
    tp::check_reduce_width<dim, width>(TP_SITE());
    TP_PACK(pack_edge_mask, tp::edge_mask::first_dim + dim);
    tp::init(tp::unpack_reduce(pool, dim), tp::math_reduce(pool, dim));
}
template <PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM, bool width = tp::REDUCE_WIDTH>
ALWI void reduce_tile(uint32_t cb, uint32_t scaler, uint32_t tile, uint32_t scaler_tile, uint32_t dst) {
    tp::check_reduce_width<dim, width>(TP_SITE());
    constexpr bool swapped = tp::is_row_sum(pool, dim) && tp::reduce_flags(pool, dim) == 0;
    tp::execute(tp::unpack_reduce(pool, dim), tp::math_reduce(pool, dim),
                swapped ? scaler : cb, swapped ? cb : scaler, swapped ? scaler_tile : tile, swapped ? tile : scaler_tile, dst);
}
template <bool enforce_fp32_accumulation = false>
ALWI void reduce_uninit(uint32_t = 0) {
    TP_PACK(pack_edge_mask, tp::edge_mask::none);
}

}  // namespace ckernel

namespace tp {
// Row-major rows into faces of SrcA, and the first face of a scaler to SrcB for each of them.
constexpr uint64_t unpack_rows_and_face(uint32_t block) { return word(unpack_kind::tilize_ab, 0, 0, 0, block); }
// On Blackhole rows of 19 bits a datum would begin where the simulator refuses to write.
#ifdef ARCH_BLACKHOLE
constexpr bool TILIZES_FLOAT32_BESIDE_A_FACE = !DST_ACCUM_MODE;
#else
constexpr bool TILIZES_FLOAT32_BESIDE_A_FACE = true;
#endif
}  // namespace tp

namespace ckernel {

// Row-major blocks reduced down their columns, as pooling kernels take them (tt-metal `tilize.h`, `reduce.h`; LLK
// `llk_unpack_tilize.h`). What SrcA is filled with before its rows does not show: faces have all of them here.
template <bool neginf_srcA = false, uint32_t reload_srcB = false, bool zero_srcA = false, bool zero_srcA_reduce = false,
          typename... Faces>
ALWI void llk_unpack_tilizeA_B_init(uint32_t, uint32_t, uint32_t block, Faces...) {
    // Until April 2026 at least it was told faces.
    if (TP_ON_UNPACK && (!reload_srcB || zero_srcA || sizeof...(Faces) != 0)) {
        tp::unsupported(TP_SITE(), "llk_unpack_tilizeA_B_init of other than whole tiles and one face for SrcB");
    }
    TP_UNPACK(unpack_init, tp::unpack_rows_and_face(block));
}
template <bool neginf_srcA = true, bool zero_srcA_reduce = false, bool width = tp::REDUCE_WIDTH>
ALWI void tilizeA_B_reduce_init(uint32_t cb, uint32_t scaler, uint32_t block) {
    tp::check_reduce_width<REDUCE_DIM, width>(TP_SITE());
    tp::init(tp::unpack_rows_and_face(block), tp::math_reduce(REDUCE_OP, REDUCE_DIM));
}
// Until April 2026 at least it was a start-up too.
template <bool neginf_srcA = true, bool zero_srcA_reduce = false>
ALWI void tilizeA_B_reduce_init(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t = 4, uint32_t = 16) {
    if (TP_ON_MATH) {
        tp::unsupported(TP_SITE(), "tilizeA_B_reduce_init with a buffer to pack to");
    }
}
template <bool neginf_srcA = true, uint32_t reload_srcB = true, bool zero_srcA = false, bool zero_srcA_reduce = false>
ALWI void unpack_tilizeA_B_block(uint32_t cb, uint32_t scaler, uint32_t block, uint32_t scaler_tile, uint32_t faces = 4, uint32_t face_rows = 16) {
    if (TP_ON_UNPACK && (!reload_srcB || zero_srcA || faces != 4 || face_rows != 16)) {
        tp::unsupported(TP_SITE(), "unpack_tilizeA_B_block of other than whole tiles and one face for SrcB");
    }
    if (TP_ON_UNPACK && unpack_src_format[cb % 64] != uint32_t(DataFormat::Float16_b) &&
        !(tp::TILIZES_FLOAT32_BESIDE_A_FACE && unpack_src_format[cb % 64] == uint32_t(DataFormat::Float32))) {
        tp::unsupported(TP_SITE(), "unpack_tilizeA_B_block of this format");
    }
    if (TP_ON_UNPACK && unpack_src_format[scaler % 64] != uint32_t(DataFormat::Float16_b)) {
        tp::unsupported(TP_SITE(), "unpack_tilizeA_B_block with a scaler of this format");
    }
    for (uint32_t tile = 0; tile < block; tile++) {
        TP_UNPACK(unpack, tp::unpack_rows_and_face(block), cb, scaler, tile, scaler_tile);
    }
}
ALWI void unpack_tilizeA_B_uninit(uint32_t) {}
template <PoolType pool = REDUCE_OP, ReduceDim dim = REDUCE_DIM, bool width = tp::REDUCE_WIDTH>
ALWI void reduce_tile_math(uint32_t dst, uint32_t faces = 4) {
    tp::check_reduce_width<dim, width>(TP_SITE());
    // Behind these unpackers, which do not transpose, maxima along rows are those of other datums, sums along rows wait for ever, and a
    // whole tile leaves more than its result where no edge mask is on (measured on both chips); none of it is modelled.
    if (TP_ON_MATH && dim != REDUCE_COL) {
        tp::unsupported(TP_SITE(), "reduce_tile_math of other than columns");
    }
    if (TP_ON_MATH && faces != 4) {
        tp::unsupported(TP_SITE(), "reduce_tile_math of other than four faces");
    }
    TP_MATH(math, tp::math_reduce(pool, dim), dst);
}

// The largest of each row of a block of tiles. Its maxima gather in a row of Dst and are turned into a column at the end, which
// gives what a reduction of each tile into one tile of Dst gives (measured on both chips, in every bit; LLK
// `llk_math_reduce_custom.h`). It is made for a scaler of 1, Float16_b and whole tiles.
template <uint32_t block, bool respect_trigger = false, uint32_t faces = 4>
ALWI void reduce_block_max_row_init(uint32_t = 16) {
    if (respect_trigger || faces != 4) {
        tp::unsupported(TP_SITE(), "reduce_block_max_row_init of other than whole tiles that are there");
    }
    TP_PACK(pack_edge_mask, tp::edge_mask::first_dim + REDUCE_ROW);
    tp::init(tp::UNPACK_BLOCK_MAX, tp::MATH_BLOCK_MAX);
}
template <uint32_t block, bool respect_trigger = false, uint32_t faces = 4>
ALWI void reduce_block_max_row(uint32_t cb, uint32_t scaler, uint32_t first, uint32_t dst) {
    if (TP_ON_UNPACK && unpack_src_format[cb % 64] != uint32_t(DataFormat::Float16_b)) {
        tp::unsupported(TP_SITE(), "reduce_block_max_row of another format than Float16_b");
    }
    for (uint32_t tile = first; tile < first + block; tile++) {
        tp::execute(tp::UNPACK_BLOCK_MAX, tp::MATH_BLOCK_MAX, cb, scaler, tile, 0, dst);
    }
}
template <bool respect_trigger = false>
ALWI void reduce_block_max_row_uninit(uint32_t = 0) {
    TP_PACK(pack_edge_mask, tp::edge_mask::none);
}

}  // namespace ckernel
