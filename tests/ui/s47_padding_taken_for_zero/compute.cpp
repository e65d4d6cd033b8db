// Sums (x - 2)^2 over 33 rows, which are two tiles. The correction for the padding rows takes them for zero.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/mask.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_scaler = 1;
constexpr uint32_t cb_mask = 2;
constexpr uint32_t cb_squares = 24;
constexpr uint32_t cb_out = 16;
constexpr uint32_t two = 0x40000000;
constexpr uint32_t four_times_31 = 0x42f80000;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_squares);
    for (uint32_t tile = 0; tile < 2; tile++) {
        cb_wait_front(cb_x, 1);
        tile_regs_acquire();
        copy_tile_init(cb_x);
        copy_tile(cb_x, 0, 0);
        binop_with_scalar_tile_init();
        sub_unary_tile(0, two);
        square_tile_init();
        square_tile(0);
#ifdef MENDED
        if (tile == 1) {
            cb_wait_front(cb_mask, 1);
            copy_tile_init(cb_mask);
            copy_tile(cb_mask, 0, 1);
            mask_tile_init();
            mask_tile(0, 1);
            cb_pop_front(cb_mask, 1);
        }
#endif
        tile_regs_commit();
        cb_reserve_back(cb_squares, 1);
        tile_regs_wait();
        pack_tile(0, cb_squares);
        tile_regs_release();
        cb_push_back(cb_squares, 1);
        cb_pop_front(cb_x, 1);
    }

    cb_wait_front(cb_squares, 2);
    cb_wait_front(cb_scaler, 1);
    tile_regs_acquire();
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_squares, cb_scaler, cb_out);
    for (uint32_t tile = 0; tile < 2; tile++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_squares, cb_scaler, tile, 0, 0);  //~ TP0802 output out depends on the padding of x
    }
#ifndef MENDED
    binop_with_scalar_tile_init();
    sub_unary_tile(0, four_times_31);
#endif
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    reduce_uninit();
    cb_pop_front(cb_squares, 2);
    cb_pop_front(cb_scaler, 1);
}
