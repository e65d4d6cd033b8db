// UNPACK, MATH and PACK of LayerNorm forward: four passes over a tile row. Twin of compute.rs, where the reasons stand.
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/tilize.h"

#define LAYERNORM_COMPUTE
#include "call.h"

using namespace layernorm;

// fp32 bits: one over the number of columns that m0 is the mean of, one over N, epsilon.
constexpr uint32_t ONE_OVER_SHIFT = get_compile_time_arg_val(AFTER);
constexpr uint32_t ONE_OVER_N = get_compile_time_arg_val(AFTER + 1);
constexpr uint32_t EPS = get_compile_time_arg_val(AFTER + 2);

// Dst tiles: x takes 0 to 3, a mask the one behind its tile.
constexpr uint32_t M0 = 5;
constexpr uint32_t R = 6;
constexpr uint32_t TOTAL = 7;
constexpr uint32_t RSTD_TILE = 7;
// gamma and beta, when the statistics have done their work.
constexpr uint32_t ROWS = 4;
// Pages of the masks.
constexpr uint32_t COLUMN_MASK = 0;
constexpr uint32_t ROW_MASK = 1;

// What a pass sums: x over the first columns, x - m0, (x - m0 - r)^2.
enum class Sum { X, Residual, Square };

inline void copies_of(uint32_t cb) {
    reconfig_data_format_srca(cb);
    copy_init(cb);
}

inline void load(uint32_t cb, uint32_t tile, uint32_t dst) {
    copies_of(cb);
    copy_tile(cb, tile, dst);
}

inline void mask(uint32_t page, uint32_t dst) {
    load(MASKS, page, dst + 1);
    mask_tile_init();
    mask_tile(dst, dst + 1);
}

inline bool is_masked(uint32_t column) { return LAST_COLUMNS != 32 && column == WT - 1; }

inline void arrive(uint32_t count) {
    if constexpr (!IS_TILE) {
        cb_wait_front(STICKS, CHUNK);
        cb_reserve_back(X, CHUNK);
        reconfig_data_format_srca(STICKS);
        pack_reconfig_data_format(X);
        pack_reconfig_l1_acc(0);
        tilize_init(STICKS, count, X);
        tilize_block(STICKS, count, X);
        tilize_uninit(STICKS, X);
        cb_push_back(X, CHUNK);
        cb_pop_front(STICKS, CHUNK);
    }
}

// `tiles` tiles of x from `page` on to Dst 0 and up; the first is at tile column `column`.
inline void load_x(uint32_t row, uint32_t column, uint32_t page, uint32_t tiles) {
    const bool has_short_rows = IS_TILE && rows_of(row) != 32;
    copies_of(X);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        copy_tile(X, page + tile, tile);
        if (has_short_rows) {
            mask(ROW_MASK, tile);
            copies_of(X);
        }
    }
    if (IS_TILE && is_masked(column + tiles - 1)) {
        mask(COLUMN_MASK, tiles - 1);
    }
}

inline void centre(uint32_t tiles, bool with_r) {
    sub_binary_tile_init();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        sub_binary_tile(tile, M0, tile);
    }
    for (uint32_t tile = 0; with_r && tile < tiles; tile++) {
        sub_binary_tile(tile, R, tile);
    }
}

// Sums `count` tile columns from `first` on, whose tiles are pages from `page` on, and adds them to the page of sums.
template <Sum sum>
inline void add_up(uint32_t row, uint32_t first, uint32_t count, uint32_t page) {
    tile_regs_acquire();
    if constexpr (sum != Sum::X) {
        load(CENTRE, 0, M0);
    }
    if constexpr (sum == Sum::Square) {
        load(CENTRE, 1, R);
    }
    fill_tile_init();
    fill_tile(TOTAL, 0.0f);
    for (uint32_t column = 0; column < count; column += BLOCK) {
        const uint32_t tiles = smaller(BLOCK, count - column);
        load_x(row, first + column, page + column, tiles);
        if constexpr (sum != Sum::X) {
            centre(tiles, sum == Sum::Square);
            if (is_masked(first + column + tiles - 1)) {
                mask(COLUMN_MASK, tiles - 1);
            }
        }
        if constexpr (sum == Sum::Square) {
            square_tile_init();
            for (uint32_t tile = 0; tile < tiles; tile++) {
                square_tile(tile);
            }
        }
        add_binary_tile_init();
        for (uint32_t tile = 0; tile < tiles; tile++) {
            add_binary_tile(TOTAL, tile, TOTAL);
        }
    }
    tile_regs_commit();
    cb_reserve_back(SUMS, 1);
    tile_regs_wait();
    pack_reconfig_data_format(SUMS);
    pack_reconfig_l1_acc(first != 0);
    pack_tile<true>(TOTAL, SUMS, 0);
    tile_regs_release();
}

inline void push_stats(uint32_t dst) {
    cb_reserve_back(STATS, 1);
    pack_tile(dst, STATS);
    cb_push_back(STATS, 1);
}

// From the page of sums to a statistic of each row, in column 0.
template <Sum sum>
inline void column() {
    constexpr bool WITH_MEAN = sum == Sum::Square && STATISTICS;
    cb_push_back(SUMS, 1);
    cb_wait_front(SUMS, 1);
    tile_regs_acquire();
    load(SUMS, 0, 0);
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_ROW>(0);
    binop_with_scalar_tile_init();
    mul_unary_tile(0, sum == Sum::X ? ONE_OVER_SHIFT : ONE_OVER_N);
    if constexpr (sum == Sum::Square) {
        add_unary_tile(0, EPS);
        rsqrt_tile_init();
        rsqrt_tile(0);
    }
    if constexpr (WITH_MEAN) {
        copies_of(CENTRE);
        copy_tile(CENTRE, 0, 1);
        copy_tile(CENTRE, 1, 2);
        add_binary_tile_init();
        add_binary_tile(1, 2, 1);
    }
    tile_regs_commit();
    cb_pop_front(SUMS, 1);
    tile_regs_wait();
    pack_reconfig_data_format(STATS);
    pack_reconfig_l1_acc(0);
    push_stats(0);
    if constexpr (WITH_MEAN) {
        push_stats(1);
    }
    tile_regs_release();
}

// A block of gamma or beta to Dst from ROWS on, its row in all rows.
inline void load_row(uint32_t cb, uint32_t tiles) {
    cb_wait_front(cb, BLOCK);
    if constexpr (IS_FP32) {
        copies_of(cb);
        for (uint32_t tile = 0; tile < tiles; tile++) {
            copy_tile(cb, tile, ROWS + tile);
        }
    } else {
        reconfig_data_format(ZERO, cb);
        add_bcast_rows_init(ZERO, cb);
        for (uint32_t tile = 0; tile < tiles; tile++) {
            add_tiles_bcast_rows(ZERO, cb, 0, tile, ROWS + tile);
        }
    }
    cb_pop_front(cb, BLOCK);
}

// y of a block in Dst 0 and up, committed.
inline void block_of_y(uint32_t row, uint32_t column, uint32_t page, uint32_t tiles) {
    tile_regs_acquire();
    copies_of(CENTRE);
    copy_tile(CENTRE, 0, M0);
    copy_tile(CENTRE, 1, R);
    load(RSTD, 0, RSTD_TILE);
    load_x(row, column, page, tiles);
    centre(tiles, true);
    mul_binary_tile_init();
    for (uint32_t tile = 0; tile < tiles; tile++) {
        mul_binary_tile(tile, RSTD_TILE, tile);
    }
    if constexpr (HAS_GAMMA) {
        load_row(GAMMA, tiles);
        mul_binary_tile_init();
        for (uint32_t tile = 0; tile < tiles; tile++) {
            mul_binary_tile(tile, ROWS + tile, tile);
        }
    }
    if constexpr (HAS_BETA) {
        load_row(BETA, tiles);
        add_binary_tile_init();
        for (uint32_t tile = 0; tile < tiles; tile++) {
            add_binary_tile(tile, ROWS + tile, tile);
        }
    }
    if (tiles < BLOCK) {
        fill_tile_init();
        for (uint32_t tile = tiles; tile < BLOCK; tile++) {
            fill_tile(tile, 0.0f);
        }
    }
    tile_regs_commit();
}

inline void chunk_of_y(uint32_t row, uint32_t first, uint32_t count, uint32_t page) {
    cb_reserve_back(OUT, CHUNK);
    pack_reconfig_l1_acc(0);
    if constexpr (IS_TILE) {
        pack_reconfig_data_format(OUT);
    } else {
        pack_untilize_dest_init<BLOCK, CHUNK>(OUT);
    }
    for (uint32_t column = 0; column < count; column += BLOCK) {
        const uint32_t tiles = smaller(BLOCK, count - column);
        block_of_y(row, first + column, page + column, tiles);
        tile_regs_wait();
        if constexpr (IS_TILE) {
            for (uint32_t tile = 0; tile < tiles; tile++) {
                pack_tile(tile, OUT);
            }
        } else {
            pack_untilize_dest<BLOCK, CHUNK>(OUT, 1, column / BLOCK);
        }
        tile_regs_release();
    }
    if constexpr (!IS_TILE) {
        pack_untilize_uninit(OUT);
    }
    cb_push_back(OUT, CHUNK);
}

// Calls `work` with first column, number of columns and first page of each chunk, when its tiles are there.
template <typename Work>
inline void for_each_chunk(bool first_is_there, const Work& work) {
    for (uint32_t first = 0; first < WT; first += CHUNK) {
        const uint32_t count = smaller(CHUNK, WT - first);
        if constexpr (L1_PATH) {
            work(first, count, first);
        } else {
            if (first > 0 || !first_is_there) {
                arrive(count);
                cb_wait_front(X, CHUNK);
            }
            work(first, count, 0);
            cb_pop_front(X, CHUNK);
        }
    }
}

inline void tile_row(uint32_t row) {
    constexpr uint32_t PAGES = (WT + CHUNK - 1) / CHUNK * CHUNK;
    for (uint32_t first = 0; first < (L1_PATH ? WT : 1); first += CHUNK) {
        arrive(smaller(CHUNK, WT - first));
    }
    cb_wait_front(X, L1_PATH ? PAGES : CHUNK);
    add_up<Sum::X>(row, 0, BLOCK, 0);
    column<Sum::X>();
    cb_wait_front(CENTRE, 1);
    for_each_chunk(true, [&](uint32_t first, uint32_t count, uint32_t page) {
        add_up<Sum::Residual>(row, first, count, page);
    });
    column<Sum::Residual>();
    cb_wait_front(CENTRE, 2);
    for_each_chunk(false, [&](uint32_t first, uint32_t count, uint32_t page) {
        add_up<Sum::Square>(row, first, count, page);
    });
    column<Sum::Square>();
    cb_wait_front(RSTD, 1);
    for_each_chunk(false, [&](uint32_t first, uint32_t count, uint32_t page) { chunk_of_y(row, first, count, page); });
    if constexpr (L1_PATH) {
        cb_pop_front(X, PAGES);
    }
    cb_pop_front(CENTRE, 2);
    cb_pop_front(RSTD, 1);
}

void kernel_main() {
    constexpr uint32_t INPUT = IS_TILE ? X : STICKS;
    compute_kernel_hw_startup(INPUT, INPUT, X);
    cb_wait_front(MASKS, 2);
    cb_wait_front(ZERO, 1);
    const uint32_t start = get_arg_val<uint32_t>(0);
    const uint32_t end = start + get_arg_val<uint32_t>(1);
    for (uint32_t row = start; row < end; row++) {
        tile_row(row);
    }
    cb_pop_front(MASKS, 2);
    cb_pop_front(ZERO, 1);
}
