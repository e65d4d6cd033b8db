// UNPACK, MATH and PACK of the published LayerNorm backward, in words of our own: the same operations in the same order,
// and so the same bits, with its two faults. Defining MENDED mends these two and leaves the rest.
//
// For a row of N features, with x_hat = (x - mean) rstd and g = dy gamma:
//   s1 = mean(g), s2 = mean(g x_hat), dx = rstd (g - s1 - x_hat s2), dgamma = dy x_hat, dbeta = dy.
//
// What is left when both are mended is arithmetic: 1/N is cut off to bf16 by the host and stands in a bf16 page, and s1, s2 go
// through 11 bits. It stays, so that the bits are those of the public kernels. Where rstd is large that is a wrong dx for
// every N that is no power of two: on rows of 0.5 it is off by 3.9 at N = 20 and by 5.4 at N = 8462. The kernels that are
// right are in crates/tileproof-ops/src/layernorm_bw/cpp.
#include "compute_kernel_api.h"
#include "compute_kernel_api/bcast.h"
#include "compute_kernel_api/eltwise_binary.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api/eltwise_unary/fill.h"
#include "compute_kernel_api/mask.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/pack.h"
#include "compute_kernel_api/reconfig_data_format.h"
#include "compute_kernel_api/reg_api.h"
#include "compute_kernel_api/tile_move_copy.h"

namespace NAMESPACE {

constexpr uint32_t ROWS = get_compile_time_arg_val(0);
constexpr uint32_t BLOCK = get_compile_time_arg_val(1);
constexpr uint32_t MASK_W = get_compile_time_arg_val(2);
constexpr uint32_t WT = get_compile_time_arg_val(3);

#ifdef EVERYTHING_FITS_IN_L1
constexpr bool IN_L1 = true;
#else
constexpr bool IN_L1 = false;
#endif

constexpr uint32_t SCALER = tt::CBIndex::c_0;
constexpr uint32_t MASK = tt::CBIndex::c_1;
constexpr uint32_t GAMMA = tt::CBIndex::c_2;
constexpr uint32_t X_HAT = tt::CBIndex::c_3;
constexpr uint32_t RSTD = tt::CBIndex::c_4;
constexpr uint32_t DY = tt::CBIndex::c_5;
constexpr uint32_t X = tt::CBIndex::c_6;
constexpr uint32_t MEAN = tt::CBIndex::c_7;
constexpr uint32_t MEAN_SPREAD = tt::CBIndex::c_8;
constexpr uint32_t DX = tt::CBIndex::c_9;
constexpr uint32_t DGAMMA = tt::CBIndex::c_10;
constexpr uint32_t DBETA = tt::CBIndex::c_11;
constexpr uint32_t RSTD_SPREAD = tt::CBIndex::c_12;
constexpr uint32_t S1 = tt::CBIndex::c_13;
constexpr uint32_t S2 = tt::CBIndex::c_14;

// Pages that x_hat has for a row: whole blocks.
constexpr uint32_t X_HAT_PAGES = (WT + BLOCK - 1) / BLOCK * BLOCK;

// The page of a column's tile, of those that are in the buffers at a time.
inline uint32_t page_of(uint32_t column) { return IN_L1 ? column : column % BLOCK; }

// Packs Dst tiles 0 to `count` - 1 and pushes `pages` pages, after a commit.
inline void pack(uint32_t cb, uint32_t count, uint32_t pages) {
    cb_reserve_back(cb, pages);
    tile_regs_wait();
    pack_reconfig_data_format(cb);
    for (uint32_t tile = 0; tile < count; tile++) {
        pack_tile(tile, cb);
    }
    tile_regs_release();
    cb_push_back(cb, pages);
}

inline void clear(uint32_t tile) {
    fill_tile_init();
    fill_tile(tile, 0.0f);
}

// Column 0 of a tile to all of its columns.
inline void spread(uint32_t from, uint32_t to) {
    tile_regs_acquire();
    cb_wait_front(from, 1);
    reconfig_data_format(from, from);
    unary_bcast_init<BroadcastType::COL>(from, from);
    unary_bcast<BroadcastType::COL>(from, 0, 0);
    tile_regs_commit();
    cb_pop_front(from, 1);
    pack(to, 1, 1);
    cb_wait_front(to, 1);
}

// x_hat of the first `tiles` tiles of x, in windows of its own.
inline void normalize(uint32_t tiles) {
    reconfig_data_format(X, X);
    for (uint32_t first = 0; first < tiles; first += BLOCK) {
        const uint32_t count = std::min(BLOCK, tiles - first);
        tile_regs_acquire();  // MARK nested window
        for (uint32_t tile = 0; tile < count; tile++) {
            sub_tiles_init(X, MEAN_SPREAD);
            sub_tiles(X, MEAN_SPREAD, first + tile, 0, tile);
            copy_tile_init(RSTD_SPREAD);
            copy_tile(RSTD_SPREAD, 0, tile + 1);
            mul_binary_tile_init();
            mul_binary_tile(tile, tile + 1, tile);
        }
        tile_regs_commit();
        pack(X_HAT, count, BLOCK);
    }
}

// The next block of dy and gamma, and of x and x_hat if they are needed. In L1 the whole row is there already.
inline uint32_t begin_block(uint32_t column, bool with_x_hat) {
    const uint32_t count = std::min(BLOCK, WT - column);
    if (!IN_L1) {
        if (with_x_hat) {
            cb_wait_front(X, BLOCK);
            normalize(count);
            cb_wait_front(X_HAT, BLOCK);
        }
        cb_wait_front(DY, BLOCK);
        cb_wait_front(GAMMA, BLOCK);
    }
    return count;
}

inline void end_block(bool with_x_hat) {
    if (!IN_L1) {
        if (with_x_hat) {
            cb_pop_front(X, BLOCK);
            cb_pop_front(X_HAT, BLOCK);
        }
        cb_pop_front(DY, BLOCK);
        cb_pop_front(GAMMA, BLOCK);
    }
}

// Dst[tile] += dy gamma
inline void product(uint32_t column, uint32_t tile) {
    mul_bcast_rows_init_short(DY, GAMMA);
    mul_tiles_bcast_rows(DY, GAMMA, page_of(column), page_of(column), tile);
}

// Zeroes what lies beyond the last column. The mask must be in the next tile.
inline void mask_last(uint32_t column, uint32_t tile) {
    if (MASK_W != 0 && column + 1 == WT) {
        copy_tile_init(MASK);
        copy_tile(MASK, 0, tile + 1);
        mask_tile_init();
        mask_tile(tile, tile + 1);
    }
}

// The 32 columns of a sum to their total divided by N, in all columns: times a tile full of 1/N.
inline void total(uint32_t cb) {
    tile_regs_acquire();
    cb_wait_front(cb, 1);
    reconfig_data_format(cb, SCALER);
    mm_init(cb, SCALER, cb, 0);
    matmul_tiles(cb, SCALER, 0, 0, 0);  // MARK total of a row
    tile_regs_commit();
    cb_pop_front(cb, 1);
    pack(cb, 1, 1);
    cb_wait_front(cb, 1);
}

inline void sum_g() {
    tile_regs_acquire();
    reconfig_data_format(DY, GAMMA);
    for (uint32_t first = 0; first < WT; first += BLOCK) {
        const uint32_t count = begin_block(first, false);
        for (uint32_t column = first; column < first + count; column++) {
            // The product adds to what the tile holds; only what is masked needs a tile of its own.
            const uint32_t target = MASK_W != 0 && column > 0 && column + 1 == WT ? 1 : 0;
            product(column, target);
            mask_last(column, target);
            if (target != 0) {
                add_binary_tile_init();
                add_binary_tile(0, target, 0);
            }
        }
        end_block(false);
    }
    tile_regs_commit();
    pack(S1, 1, 1);
    total(S1);
}

// Adds g x_hat of `count` columns to Dst tile 0, with tiles 1 and 2 free.
inline void add_g_x_hat(uint32_t first, uint32_t count) {
    for (uint32_t column = first; column < first + count; column++) {
        const uint32_t target = column == 0 ? 0 : 1;
        clear(target);
        product(column, target);
        copy_tile_init(X_HAT);
        copy_tile(X_HAT, page_of(column), 2);
        mul_binary_tile_init();
        mul_binary_tile(target, 2, target);
        mask_last(column, target);
        if (target != 0) {
            add_binary_tile_init();
            add_binary_tile(0, target, 0);  // MARK undefined sum
        }
    }
}

#ifdef MENDED
// A window a block, opened when x_hat is done. The sum so far waits in its circular buffer, in fp32.
inline void sum_g_x_hat() {
    for (uint32_t first = 0; first < WT; first += IN_L1 ? WT : BLOCK) {
        const uint32_t count = IN_L1 ? WT : begin_block(first, true);
        tile_regs_acquire();
        if (first > 0) {
            cb_wait_front(S2, 1);
            reconfig_data_format(S2, S2);
            copy_tile_init(S2);
            copy_tile(S2, 0, 0);
        }
        reconfig_data_format(DY, DY);
        add_g_x_hat(first, count);
        tile_regs_commit();
        end_block(true);
        if (first > 0) {
            cb_pop_front(S2, 1);
        }
        pack(S2, 1, 1);
    }
    total(S2);
}
#else
// One window for the whole row. In blocks, normalize() opens, commits and releases windows inside it: the sum is packed over,
// cleared, and of all blocks the last is left.
inline void sum_g_x_hat() {
    tile_regs_acquire();  // MARK outer window
    reconfig_data_format(DY, DY);
    for (uint32_t first = 0; first < WT; first += IN_L1 ? WT : BLOCK) {
        const uint32_t count = IN_L1 ? WT : begin_block(first, true);
        add_g_x_hat(first, count);
        end_block(true);
    }
    tile_regs_commit();
    pack(S2, 1, 1);
    total(S2);
}
#endif

// dx of a tile to Dst[dx], with the next tile free.
inline void gradient(uint32_t column, uint32_t dx) {
    const uint32_t other = dx + 1;
    clear(dx);
    reconfig_data_format(DY, GAMMA);
    product(column, dx);
    reconfig_data_format(S1, S1);
    copy_tile_init(S1);
    copy_tile(S1, 0, other);  // MARK copied mean
    sub_binary_tile_init();
    sub_binary_tile(dx, other, dx);  // MARK mean used
#ifdef MENDED
    clear(other);
#endif
    reconfig_data_format(X_HAT, S2);
    mul_tiles_init(X_HAT, S2);
    // A product adds to its tile: without the clear above, s1 is still there and is subtracted once more.
    mul_tiles(X_HAT, S2, page_of(column), 0, other);  // MARK accumulates
    sub_binary_tile_init();
    sub_binary_tile(dx, other, dx);
    reconfig_data_format(RSTD_SPREAD, RSTD_SPREAD);
    copy_tile_init(RSTD_SPREAD);
    copy_tile(RSTD_SPREAD, 0, other);
    mul_binary_tile_init();
    mul_binary_tile(dx, other, dx);
}

inline void gradients() {
    for (uint32_t first = 0; first < WT; first += BLOCK) {
        const uint32_t count = begin_block(first, true);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < count; tile++) {
            gradient(first + tile, tile);
        }
        tile_regs_commit();
        pack(DX, count, BLOCK);

        reconfig_data_format(DY, DY);
        tile_regs_acquire();
        for (uint32_t tile = 0; tile < count; tile++) {
            mul_tiles_init(DY, X_HAT);
            mul_tiles(DY, X_HAT, page_of(first + tile), page_of(first + tile), tile);
        }
        tile_regs_commit();
        pack(DGAMMA, count, BLOCK);

        tile_regs_acquire();
        for (uint32_t tile = 0; tile < count; tile++) {
            copy_tile_init(DY);
            copy_tile(DY, page_of(first + tile), tile);
        }
        tile_regs_commit();
        pack(DBETA, count, BLOCK);
        end_block(true);
    }
}

void MAIN {
    init_sfpu(X_HAT, DX);
    binary_op_init_common(X_HAT, GAMMA, DX);
    if (MASK_W != 0) {
        cb_wait_front(MASK, 1);
    }
    cb_wait_front(SCALER, 1);
    for (uint32_t row = 0; row < ROWS; row++) {
        spread(RSTD, RSTD_SPREAD);
        spread(MEAN, MEAN_SPREAD);
        if (IN_L1) {
            cb_wait_front(X, WT);
            normalize(WT);
            cb_wait_front(X_HAT, X_HAT_PAGES);
            cb_wait_front(DY, WT);
            cb_wait_front(GAMMA, WT);
        }
        sum_g();
        sum_g_x_hat();
        gradients();
        cb_pop_front(RSTD_SPREAD, 1);
        cb_pop_front(MEAN_SPREAD, 1);
        cb_pop_front(S1, 1);
        cb_pop_front(S2, 1);
        if (IN_L1) {
            cb_pop_front(X, WT);
            cb_pop_front(X_HAT, X_HAT_PAGES);
            cb_pop_front(DY, WT);
        }
    }
    if (IN_L1) {
        cb_pop_front(GAMMA, WT);
    }
    cb_pop_front(SCALER, 1);
    if (MASK_W != 0) {
        cb_pop_front(MASK, 1);
    }
}

}  // namespace NAMESPACE
