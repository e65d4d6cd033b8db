// UNPACK, MATH and PACK of a right LayerNorm backward, and of the same with one fault, which the last compile-time argument
// chooses. The place of each fault is marked, and what a finding must point at. Twin of the Rust kernel of that name.
#include "api/compute/bcast.h"
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

enum Fault : uint32_t {
    RIGHT,
    ACCUMULATES_ONTO_MEAN,
    NESTED_WINDOW,
    OVERWRITTEN_SUM,
    MISSING_PUSH,
    TRUNCATED_SCALER,
    MISSING_STARTUP,
};

constexpr uint32_t WT = get_compile_time_arg_val(0);
constexpr uint32_t BLOCK = get_compile_time_arg_val(1);
constexpr bool HAS_MASK = get_compile_time_arg_val(2) != 0;
constexpr uint32_t FAULT = get_compile_time_arg_val(4);
// fp32 bits, rounded to nearest; the fault cuts them off to bf16.
constexpr uint32_t ONE_OVER_N = get_compile_time_arg_val(3) & (FAULT == TRUNCATED_SCALER ? 0xffff0000 : 0xffffffff);

constexpr uint32_t X = tt::CBIndex::c_0;
constexpr uint32_t GAMMA = tt::CBIndex::c_1;
constexpr uint32_t DY = tt::CBIndex::c_2;
constexpr uint32_t STATS = tt::CBIndex::c_3;
constexpr uint32_t MASK = tt::CBIndex::c_4;
constexpr uint32_t X_HAT = tt::CBIndex::c_5;
constexpr uint32_t SUMS = tt::CBIndex::c_6;
constexpr uint32_t TOTALS = tt::CBIndex::c_7;
constexpr uint32_t TOTALS_SPREAD = tt::CBIndex::c_8;
constexpr uint32_t DX = tt::CBIndex::c_16;
constexpr uint32_t DGAMMA = tt::CBIndex::c_17;
constexpr uint32_t DBETA = tt::CBIndex::c_18;

inline void load(uint32_t cb, uint32_t tile, uint32_t dst) {
    reconfig_data_format_srca(cb);  // MARK first call without start-up
    copy_init(cb);
    copy_tile(cb, tile, dst);
}

inline void clear(uint32_t dst) {
    fill_tile_init();
    fill_tile(dst, 0.0f);
}

// Dst[dst] += dy gamma: exact, and in the matrix unit always a sum.
inline void add_product(uint32_t tile, uint32_t dst) {
    reconfig_data_format(DY, GAMMA);
    mul_bcast_rows_init(DY, GAMMA);
    mul_tiles_bcast_rows(DY, GAMMA, tile, tile, dst);  // MARK accumulates
}

// Zeroes what lies beyond the last column; the next tile takes the mask.
inline void mask_last(uint32_t column, uint32_t dst) {
    if (HAS_MASK && column == WT - 1) {
        load(MASK, 0, dst + 1);
        mask_tile_init();
        mask_tile(dst, dst + 1);
    }
}

// x_hat of the next `count` tiles of x, in a window of its own.
inline void normalize(uint32_t count) {
    constexpr uint32_t MEAN = 4, RSTD = 5;
    cb_wait_front(X, BLOCK);
    tile_regs_acquire();  // MARK nested window
    load(STATS, 0, MEAN);
    load(STATS, 1, RSTD);
    for (uint32_t tile = 0; tile < count; tile++) {
        load(X, tile, tile);
        sub_binary_tile_init();
        sub_binary_tile(tile, MEAN, tile);
        mul_binary_tile_init();
        mul_binary_tile(tile, RSTD, tile);
    }
    tile_regs_commit();
    cb_pop_front(X, BLOCK);
    cb_reserve_back(X_HAT, BLOCK);
    tile_regs_wait();
    pack_reconfig_data_format(X_HAT);
    for (uint32_t tile = 0; tile < count; tile++) {
        pack_tile(tile, X_HAT);
    }
    tile_regs_release();
    cb_push_back(X_HAT, BLOCK);
    cb_wait_front(X_HAT, BLOCK);
    cb_wait_front(DY, BLOCK);
    cb_wait_front(GAMMA, BLOCK);
}

inline void end_block() {
    cb_pop_front(X_HAT, BLOCK);
    cb_pop_front(DY, BLOCK);
    cb_pop_front(GAMMA, BLOCK);
}

namespace sums {
constexpr uint32_t G = 0, X_HAT_OF_TILE = 2, S1 = 4, S2 = 5;

// The sums of the blocks before, or 0.
inline void begin(uint32_t first) {
    if (first > 0) {
        cb_wait_front(SUMS, 2);
    }
    if (first > 0 && FAULT != OVERWRITTEN_SUM) {
        load(SUMS, 0, S1);
        load(SUMS, 1, S2);
    } else {
        clear(S1);
        clear(S2);
    }
    if (first > 0) {
        cb_pop_front(SUMS, 2);
    }
}

inline void finish() {
    for (uint32_t dst : {S1, S2}) {
        binop_with_scalar_tile_init();
        mul_unary_tile(dst, ONE_OVER_N);
        sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
        sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_ROW>(dst);
    }
}
}  // namespace sums

// s1 and s2 of a row to the totals, column 0. Between blocks the sums lie in a circular buffer, in full.
inline void sum() {
    using namespace sums;
    for (uint32_t first = 0; first < WT; first += BLOCK) {
        const uint32_t count = std::min(BLOCK, WT - first);
        const bool is_last = first + count == WT;
        if (FAULT == NESTED_WINDOW) {
            tile_regs_acquire();  // MARK outer window
            begin(first);
            normalize(count);
        } else {
            normalize(count);
            tile_regs_acquire();
            begin(first);
        }
        for (uint32_t tile = 0; tile < count; tile++) {
            clear(G);
            add_product(tile, G);
            mask_last(first + tile, G);
            load(X_HAT, tile, X_HAT_OF_TILE);
            mask_last(first + tile, X_HAT_OF_TILE);
            mul_binary_tile_init();
            mul_binary_tile(G, X_HAT_OF_TILE, X_HAT_OF_TILE);
            add_binary_tile_init();
            add_binary_tile(S1, G, S1);
            add_binary_tile(S2, X_HAT_OF_TILE, S2);
        }
        if (is_last) {
            finish();
        }
        tile_regs_commit();
        end_block();
        const uint32_t to = is_last ? TOTALS : SUMS;
        cb_reserve_back(to, 2);
        tile_regs_wait();
        pack_reconfig_data_format(to);
        if (is_last) {
            pack_tile(S1, TOTALS);
            pack_tile(S2, TOTALS);
        } else {
            pack_tile(S1, SUMS);  // MARK lost sum
            pack_tile(S2, SUMS);
        }
        tile_regs_release();
        if (!(is_last && FAULT == MISSING_PUSH)) {
            cb_push_back(to, 2);
        }
    }
}

// dx = rstd (g - (x_hat s2 + s1)), dgamma = dy x_hat, dbeta = dy. The tile of g holds s1 at first.
inline void gradient(uint32_t tile) {
    constexpr uint32_t DX_OF_TILE = 0, G = 1, S2 = 2, RSTD = 3, DY_OF_TILE = 4, X_HAT_OF_TILE = 5;
    tile_regs_acquire();
    load(TOTALS_SPREAD, 0, G);
    load(TOTALS_SPREAD, 1, S2);
    load(X_HAT, tile, DX_OF_TILE);
    mul_binary_tile_init();
    mul_binary_tile(DX_OF_TILE, S2, DX_OF_TILE);
    add_binary_tile_init();
    add_binary_tile(DX_OF_TILE, G, DX_OF_TILE);  // MARK mean used
    if (FAULT != ACCUMULATES_ONTO_MEAN) {
        clear(G);
    }
    add_product(tile, G);
    sub_binary_tile_init();
    sub_binary_tile(G, DX_OF_TILE, DX_OF_TILE);
    load(STATS, 1, RSTD);
    mul_binary_tile_init();
    mul_binary_tile(DX_OF_TILE, RSTD, DX_OF_TILE);
    load(DY, tile, DY_OF_TILE);
    load(X_HAT, tile, X_HAT_OF_TILE);
    mul_binary_tile_init();
    mul_binary_tile(X_HAT_OF_TILE, DY_OF_TILE, X_HAT_OF_TILE);
    tile_regs_commit();
    cb_reserve_back(DX, 1);
    cb_reserve_back(DGAMMA, 1);
    cb_reserve_back(DBETA, 1);
    tile_regs_wait();
    pack_reconfig_data_format(DX);
    pack_tile(DX_OF_TILE, DX);
    pack_reconfig_data_format(DGAMMA);
    pack_tile(X_HAT_OF_TILE, DGAMMA);
    pack_reconfig_data_format(DBETA);
    pack_tile(DY_OF_TILE, DBETA);
    tile_regs_release();
    cb_push_back(DX, 1);
    cb_push_back(DGAMMA, 1);
    cb_push_back(DBETA, 1);
}

inline void gradients() {
    for (uint32_t first = 0; first < WT; first += BLOCK) {
        const uint32_t count = std::min(BLOCK, WT - first);
        normalize(count);
        for (uint32_t tile = 0; tile < count; tile++) {
            gradient(tile);
        }
        end_block();
    }
}

void kernel_main() {
    const uint32_t rows = get_arg_val<uint32_t>(0);
    if (FAULT != MISSING_STARTUP) {
        compute_kernel_hw_startup(X, GAMMA, DX);
    }
    cb_wait_front(MASK, 1);
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(STATS, 2);
        sum();
        cb_wait_front(TOTALS_SPREAD, 2);
        gradients();
        cb_pop_front(TOTALS_SPREAD, 2);
        cb_pop_front(STATS, 2);
    }
    cb_pop_front(MASK, 1);
}
