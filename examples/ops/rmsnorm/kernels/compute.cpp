// y = x / sqrt(mean(x^2) + eps) * gamma, a row of tiles at a time.
// The squares are summed on the vector unit in fp32: sums of the matrix unit keep about 11 bits.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_api.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/eltwise_unary/rsqrt.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reg_api.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t CB_X = 0;
constexpr uint32_t CB_GAMMA = 1;
constexpr uint32_t CB_Y = 16;
constexpr uint32_t CB_RSTD = 24;
constexpr uint32_t CB_SCALED = 25;
// Dst tiles: a tile of x, and the sum of squares.
constexpr uint32_t TILE = 0;
constexpr uint32_t TOTAL = 1;

// Dst tile `dst`, committed, to a page of `cb`.
inline void pack_page(uint32_t dst, uint32_t cb) {
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_reconfig_data_format(cb);
    pack_tile(dst, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

// 1 / sqrt(mean + eps) of each row, in column 0. `one_over_n` and `eps` are the bits of fp32 numbers.
inline void rstd(uint32_t wt, uint32_t one_over_n, uint32_t eps) {
    tile_regs_acquire();
    fill_tile_init();
    fill_tile(TOTAL, 0.0f);
    reconfig_data_format_srca(CB_X);
    copy_init(CB_X);
    for (uint32_t column = 0; column < wt; column++) {
        cb_wait_front(CB_X, 1);
        copy_tile(CB_X, 0, TILE);
        cb_pop_front(CB_X, 1);
        square_tile_init();
        square_tile(TILE);
        add_binary_tile_init();
        add_binary_tile(TOTAL, TILE, TOTAL);
    }
    sfpu_reduce_init<PoolType::SUM, DataFormat::Float32>();
    sfpu_reduce<PoolType::SUM, DataFormat::Float32, REDUCE_ROW>(TOTAL);
    binop_with_scalar_tile_init();
    mul_unary_tile(TOTAL, one_over_n);
    add_unary_tile(TOTAL, eps);
    rsqrt_tile_init();
    rsqrt_tile(TOTAL);
    tile_regs_commit();
    pack_page(TOTAL, CB_RSTD);
}

void kernel_main() {
    const uint32_t count = get_arg_val<uint32_t>(0);
    const uint32_t wt = get_arg_val<uint32_t>(1);
    const uint32_t one_over_n = get_arg_val<uint32_t>(2);
    const uint32_t eps = get_arg_val<uint32_t>(3);
    compute_kernel_hw_startup(CB_X, CB_X, CB_RSTD);
    for (uint32_t row = 0; row < count; row++) {
        rstd(wt, one_over_n, eps);
        cb_wait_front(CB_RSTD, 1);
        for (uint32_t column = 0; column < wt; column++) {
            cb_wait_front(CB_X, 1);
            tile_regs_acquire();
            reconfig_data_format(CB_X, CB_RSTD);
            mul_bcast_cols_init(CB_X, CB_RSTD);
            mul_tiles_bcast_cols(CB_X, CB_RSTD, 0, 0, TILE);
            tile_regs_commit();
            cb_pop_front(CB_X, 1);
            pack_page(TILE, CB_SCALED);

            cb_wait_front(CB_SCALED, 1);
            cb_wait_front(CB_GAMMA, 1);
            tile_regs_acquire();
            reconfig_data_format(CB_SCALED, CB_GAMMA);
            mul_bcast_rows_init(CB_SCALED, CB_GAMMA);
            mul_tiles_bcast_rows(CB_SCALED, CB_GAMMA, 0, 0, TILE);
            tile_regs_commit();
            cb_pop_front(CB_SCALED, 1);
            cb_pop_front(CB_GAMMA, 1);
            pack_page(TILE, CB_Y);
        }
        cb_pop_front(CB_RSTD, 1);
    }
}
