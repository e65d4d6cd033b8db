// UNPACK, MATH and PACK of LayerNorm backward: two passes over a tile row. Twin of compute.rs.
//
// The first pass sums g = dy gamma and g (x - mean) over the row, lane by lane, and reduces the 32 columns that are left to
// s1 and s2. The second computes dx = rstd (g - s1 - x_hat s2), and adds dy x_hat and dy to the sums in L1; of a row that is alone
// it reduces them where they are. All that is added or subtracted goes through the vector unit in fp32: the matrix unit would
// keep 11 bits of it.
#include "api/compute/bcast.h"
#include "api/compute/cb_api.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t FIRST = 0;

#include "call.h"

using namespace layernorm_bw;

// The last tile column, and the last tile row of a matrix, have padding.
constexpr bool HAS_COLUMN_MASK = get_compile_time_arg_val(AFTER) != 0;
constexpr bool HAS_ROW_MASK = get_compile_time_arg_val(AFTER + 1) != 0;
// Tile rows of one matrix.
constexpr uint32_t HT = get_compile_time_arg_val(AFTER + 2);
constexpr bool IS_FP32 = get_compile_time_arg_val(AFTER + 3) != 0;
// 1/N as fp32 bits, rounded to nearest.
constexpr uint32_t ONE_OVER_N = get_compile_time_arg_val(AFTER + 4);

// Dst has 32 bits and full sync: eight tiles, which two columns fill in both passes. A tile with padding goes alone: `mask_tile` takes
// its mask from the tile behind the data, whatever its second argument says, and that is the place of the other.

// The first pass: two of x and two of g.
namespace sums {
constexpr uint32_t X_TILE = 0;
constexpr uint32_t G = 2;
constexpr uint32_t MEAN = 4;
constexpr uint32_t S1 = 5;
constexpr uint32_t S2 = 6;
constexpr uint32_t RSTD = 7;
}  // namespace sums

// The second pass, two of each for a pair. The mean and s1 are used up before rstd and s2 take their places, and what is scratch
// before dy is needed.
namespace grad {
constexpr uint32_t X_HAT = 0;
constexpr uint32_t DX_TILE = 2;
constexpr uint32_t SCRATCH = 4;
constexpr uint32_t DY_TILE = 4;
constexpr uint32_t MEAN = 6;
constexpr uint32_t RSTD = 6;
constexpr uint32_t S1 = 7;
constexpr uint32_t S2 = 7;
}  // namespace grad

// Pages of the masks.
constexpr uint32_t COLUMN_MASK = 0;
constexpr uint32_t ROW_MASK = 1;

// A tile of the tensors, and its page in the buffers of x, dy and gamma.
struct Place {
    uint32_t row;
    uint32_t column;
    uint32_t page;
};

// What tiles of `cb` and of buffers like it are copied with.
inline void open_copies(uint32_t cb) {
    reconfig_data_format_srca(cb);
    copy_init(cb);
}

// Copies N tiles of `cb` from `page` on to Dst from `dst` on.
template <uint32_t N>
inline void load(uint32_t cb, uint32_t page, uint32_t dst) {
    open_copies(cb);
    for (uint32_t i = 0; i < N; i++) {
        copy_tile(cb, page + i, dst + i);
    }
}

inline bool in_last_column(const Place& at) { return HAS_COLUMN_MASK && at.column == WT - 1; }
inline bool in_last_row(const Place& at) { return HAS_ROW_MASK && at.row % HT == HT - 1; }

inline bool has_padding(const Place& at) { return in_last_column(at) || in_last_row(at); }

inline void apply_mask(uint32_t page, uint32_t dst) {
    load<1>(MASKS, page, dst + 1);
    mask_tile_init();
    mask_tile(dst, dst + 1);
}

// Zeroes the padding in `Dst[dst]`; the tile behind it is used for the mask. Padding may hold anything, also NaN, and none of it
// may enter the arithmetic.
inline void mask_padding(const Place& at, uint32_t dst) {
    if (in_last_column(at)) {
        apply_mask(COLUMN_MASK, dst);
    }
    if (in_last_row(at)) {
        apply_mask(ROW_MASK, dst);
    }
}

// Goes through `count` tiles from `at` on: `one` takes one that has padding or no neighbour, `two` a pair.
template <typename One, typename Two>
inline void pairs(Place at, uint32_t count, const One& one, const Two& two) {
    const uint32_t end = at.column + count;
    while (at.column < end) {
        const Place next{at.row, at.column + 1, at.page + 1};
        const bool is_pair = next.column < end && !has_padding(at) && !has_padding(next);
        if (is_pair) {
            two(at);
        } else {
            one(at);
        }
        const uint32_t taken = is_pair ? 2 : 1;
        at = {at.row, at.column + taken, at.page + taken};
    }
}

// `Dst[dst] = dy gamma` of N tiles, with as many from `scratch` on free. The matrix unit makes products of bf16 exactly, and adds them
// to what the tile holds: that must be zero, as the packer leaves it when it releases Dst.
template <uint32_t N>
inline void product(uint32_t page, uint32_t dst, uint32_t scratch) {
    if constexpr (IS_FP32) {
        load<N>(DY, page, dst);
        load<N>(GAMMA, page, scratch);
        mul_binary_tile_init();
        for (uint32_t i = 0; i < N; i++) {
            mul_binary_tile(dst + i, scratch + i, dst + i);
        }
    } else {
        reconfig_data_format(DY, GAMMA);
        mul_bcast_rows_init(DY, GAMMA);
        for (uint32_t i = 0; i < N; i++) {
            mul_tiles_bcast_rows(DY, GAMMA, page + i, page + i, dst + i);
        }
    }
}

// Opens the window in which a row is summed; its statistics are pages `stats` and `stats + 1`.
inline void open_sums(uint32_t stats) {
    tile_regs_acquire();
    open_copies(STATS);
    copy_tile(STATS, stats, sums::MEAN);
    copy_tile(STATS, stats + 1, sums::RSTD);
    fill_tile_init();
    fill_tile(sums::S1, 0.0f);
    fill_tile(sums::S2, 0.0f);
}

// Adds N tiles.
template <uint32_t N>
inline void add_to_sums(const Place& at) {
    if constexpr (!IS_FP32) {
        // The window stays open from column to column.
        fill_tile_init();
        for (uint32_t i = 0; i < N; i++) {
            fill_tile(sums::G + i, 0.0f);
        }
    }
    product<N>(at.page, sums::G, sums::X_TILE);
    mask_padding(at, sums::G);
    load<N>(X, at.page, sums::X_TILE);
    mask_padding(at, sums::X_TILE);
    sub_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        sub_binary_tile(sums::X_TILE + i, sums::MEAN, sums::X_TILE + i);
    }
    mul_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        mul_binary_tile(sums::X_TILE + i, sums::G + i, sums::X_TILE + i);
    }
    add_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        add_binary_tile(sums::S1, sums::G + i, sums::S1);
        add_binary_tile(sums::S2, sums::X_TILE + i, sums::S2);
    }
}

// s1 and s2 of the row, in column 0.
inline void close_sums() {
    mul_binary_tile_init();
    mul_binary_tile(sums::S2, sums::RSTD, sums::S2);
    binop_with_scalar_tile_init();
    mul_unary_tile(sums::S1, ONE_OVER_N);
    mul_unary_tile(sums::S2, ONE_OVER_N);
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_ROW>(sums::S1);
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_ROW>(sums::S2);
    tile_regs_commit();
    cb_reserve_back(SUMS, 2);
    tile_regs_wait();
    pack_reconfig_data_format(SUMS);
    pack_reconfig_l1_acc(0);
    pack_tile(sums::S1, SUMS);
    pack_tile(sums::S2, SUMS);
    tile_regs_release();
    cb_push_back(SUMS, 2);
}

// How a row stands among those whose parts of dgamma and dbeta are added up.
struct Turn {
    bool is_first;
    // There is no other.
    bool is_only;
};

// Sums the 32 rows of N tiles each of dgamma and dbeta in Dst, to row 0.
template <uint32_t N>
inline void reduce(uint32_t dgamma, uint32_t dbeta) {
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    for (uint32_t i = 0; i < N; i++) {
        sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_COL>(dgamma + i);
        sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_COL>(dbeta + i);
    }
}

inline void hand_over_one(uint32_t cb, uint32_t dst) {
    cb_reserve_back(cb, 1);
    pack_tile(dst, cb);
    cb_push_back(cb, 1);
}

// Hands over N tiles each of dgamma and dbeta.
template <uint32_t N>
inline void hand_over(uint32_t dgamma, uint32_t dbeta) {
    pack_reconfig_data_format(DGAMMA);
    for (uint32_t i = 0; i < N; i++) {
        hand_over_one(DGAMMA, dgamma + i);
        hand_over_one(DBETA, dbeta + i);
    }
}

// dx of N tiles, and their parts of dgamma and dbeta, which the first row lets overwrite the sums and others add to them, and which are
// handed over where no other row has a part. The statistics and the sums of the row are pages `pages` and `pages + 1`.
template <uint32_t N>
inline void gradients(const Place& at, uint32_t pages, Turn turn) {
    tile_regs_acquire();
    product<N>(at.page, grad::DX_TILE, grad::SCRATCH);
    mask_padding(at, grad::DX_TILE);
    load<N>(X, at.page, grad::X_HAT);
    mask_padding(at, grad::X_HAT);
    open_copies(STATS);
    copy_tile(STATS, pages, grad::MEAN);
    copy_tile(SUMS_BROADCAST, pages, grad::S1);
    sub_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        sub_binary_tile(grad::X_HAT + i, grad::MEAN, grad::X_HAT + i);
        sub_binary_tile(grad::DX_TILE + i, grad::S1, grad::DX_TILE + i);
    }
    open_copies(STATS);
    copy_tile(STATS, pages + 1, grad::RSTD);
    copy_tile(SUMS_BROADCAST, pages + 1, grad::S2);
    mul_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        mul_binary_tile(grad::X_HAT + i, grad::RSTD, grad::X_HAT + i);
        mul_binary_tile(grad::X_HAT + i, grad::S2, grad::SCRATCH + i);
    }
    sub_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        sub_binary_tile(grad::DX_TILE + i, grad::SCRATCH + i, grad::DX_TILE + i);
    }
    load<N>(DY, at.page, grad::DY_TILE);
    mask_padding(at, grad::DY_TILE);
    mul_binary_tile_init();
    for (uint32_t i = 0; i < N; i++) {
        mul_binary_tile(grad::DX_TILE + i, grad::RSTD, grad::DX_TILE + i);
        mul_binary_tile(grad::X_HAT + i, grad::DY_TILE + i, grad::X_HAT + i);
    }
    if (turn.is_only) {
        reduce<N>(grad::X_HAT, grad::DY_TILE);
    }
    tile_regs_commit();
    tile_regs_wait();
    // Where no other row has a part nothing adds in L1 since the sums were packed.
    if (!turn.is_only) {
        pack_reconfig_l1_acc(0);
    }
    pack_reconfig_data_format(DX);
    for (uint32_t i = 0; i < N; i++) {
        hand_over_one(DX, grad::DX_TILE + i);
    }
    if (turn.is_only) {
        hand_over<N>(grad::X_HAT, grad::DY_TILE);
    } else {
        pack_reconfig_data_format(DGAMMA_SUM);
        pack_reconfig_l1_acc(turn.is_first ? 0 : 1);
        for (uint32_t i = 0; i < N; i++) {
            pack_tile<true>(grad::X_HAT + i, DGAMMA_SUM, at.page + i);
            pack_tile<true>(grad::DY_TILE + i, DBETA_SUM, at.page + i);
        }
    }
    tile_regs_release();
}

// Adds the row's tiles from `at` on to its sums.
inline void add_all_to_sums(const Place& at, uint32_t count) {
    pairs(at, count, [](const Place& one) { add_to_sums<1>(one); }, [](const Place& two) { add_to_sums<2>(two); });
}

inline void all_gradients(const Place& at, uint32_t count, uint32_t pages, Turn turn) {
    pairs(
        at, count, [&](const Place& one) { gradients<1>(one, pages, turn); },
        [&](const Place& two) { gradients<2>(two, pages, turn); });
}

// Takes the pages of the sums of dgamma and dbeta, to which the packer adds a row. Those of the row before were pushed, and are
// waited for and popped: that is what orders the packer's reads after its last writes. The buffers hold BLOCK pages, so they
// are the same ones again.
inline void open_parts(bool is_first) {
    for (uint32_t cb : {DGAMMA_SUM, DBETA_SUM}) {
        if (!is_first) {
            cb_wait_front(cb, BLOCK);
            cb_pop_front(cb, BLOCK);
        }
        cb_reserve_back(cb, BLOCK);
    }
}

// Hands the sums over, with a row more in them.
inline void close_parts() {
    cb_push_back(DGAMMA_SUM, BLOCK);
    cb_push_back(DBETA_SUM, BLOCK);
}

// Sums the 32 rows of the first `count` pages of dgamma and dbeta; a block of them was pushed.
inline void reduce_rows(uint32_t count) {
    cb_wait_front(DGAMMA_SUM, BLOCK);
    cb_wait_front(DBETA_SUM, BLOCK);
    pack_reconfig_l1_acc(0);
    for (uint32_t page = 0; page < count; page++) {
        tile_regs_acquire();
        open_copies(DGAMMA_SUM);
        copy_tile(DGAMMA_SUM, page, 0);
        copy_tile(DBETA_SUM, page, 1);
        reduce<1>(0, 1);
        tile_regs_commit();
        tile_regs_wait();
        hand_over<1>(0, 1);
        tile_regs_release();
    }
    cb_pop_front(DGAMMA_SUM, BLOCK);
    cb_pop_front(DBETA_SUM, BLOCK);
}

// The whole row of x, dy and gamma in L1.
inline void rows_in_l1(uint32_t start, uint32_t end) {
    const bool is_only = end - start == 1;
    cb_wait_front(GAMMA, WT);
    for (uint32_t row = start; row < end; row++) {
        cb_wait_front(STATS, 2);
        cb_wait_front(X, WT);
        cb_wait_front(DY, WT);
        open_sums(0);
        add_all_to_sums({row, 0, 0}, WT);
        close_sums();
        cb_wait_front(SUMS_BROADCAST, 2);
        if (!is_only) {
            open_parts(row == start);
        }
        all_gradients({row, 0, 0}, WT, 0, {row == start, is_only});
        if (!is_only) {
            close_parts();
        }
        cb_pop_front(X, WT);
        cb_pop_front(DY, WT);
        cb_pop_front(STATS, 2);
        cb_pop_front(SUMS_BROADCAST, 2);
    }
    cb_pop_front(GAMMA, WT);
    if (!is_only) {
        reduce_rows(WT);
    }
}

// Rows `first` to `last` in blocks of columns. Their statistics and sums stay; x and dy come by twice.
inline void rows_in_blocks(uint32_t first, uint32_t last) {
    const uint32_t rows = last - first;
    const bool is_only = rows == 1;
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(STATS, 2 * (row + 1));
        open_sums(2 * row);
        for_each_block([&](uint32_t column, uint32_t count) {
            cb_wait_front(GAMMA, BLOCK);
            cb_wait_front(X, BLOCK);
            cb_wait_front(DY, BLOCK);
            add_all_to_sums({first + row, column, 0}, count);
            cb_pop_front(GAMMA, BLOCK);
            cb_pop_front(X, BLOCK);
            cb_pop_front(DY, BLOCK);
        });
        close_sums();
    }
    cb_wait_front(SUMS_BROADCAST, 2 * rows);
    for_each_block([&](uint32_t column, uint32_t count) {
        cb_wait_front(GAMMA, BLOCK);
        for (uint32_t row = 0; row < rows; row++) {
            cb_wait_front(X, BLOCK);
            cb_wait_front(DY, BLOCK);
            if (!is_only) {
                open_parts(row == 0);
            }
            all_gradients({first + row, column, 0}, count, 2 * row, {row == 0, is_only});
            if (!is_only) {
                close_parts();
            }
            cb_pop_front(X, BLOCK);
            cb_pop_front(DY, BLOCK);
        }
        cb_pop_front(GAMMA, BLOCK);
        if (!is_only) {
            reduce_rows(count);
        }
    });
    cb_pop_front(STATS, 2 * rows);
    cb_pop_front(SUMS_BROADCAST, 2 * rows);
}

void kernel_main() {
    compute_kernel_hw_startup(X, GAMMA, DX);
    cb_wait_front(MASKS, 2);
    const uint32_t start = get_arg_val<uint32_t>(0);
    const uint32_t end = start + get_arg_val<uint32_t>(1);
    if constexpr (L1_PATH) {
        rows_in_l1(start, end);
    } else {
        for_each_group(start, end, rows_in_blocks);
    }
    cb_pop_front(MASKS, 2);
}
