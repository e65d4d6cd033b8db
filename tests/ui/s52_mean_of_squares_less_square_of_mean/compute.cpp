// The variance of rows of 64: mean of squares less square of mean, of x as it is or less a pivot near it.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_scaler = 1;
constexpr uint32_t cb_values = 24;
constexpr uint32_t cb_squares = 25;
constexpr uint32_t cb_out = 16;
constexpr uint32_t pivot = 0x447a0000;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_out);
    for (uint32_t tile = 0; tile < 2; tile++) {
        cb_wait_front(cb_x, 1);
        tile_regs_acquire();
        copy_tile_init(cb_x);
        copy_tile(cb_x, 0, 0);
        copy_tile(cb_x, 0, 1);
#ifdef MENDED
        binop_with_scalar_tile_init();
        sub_unary_tile(0, pivot);
        sub_unary_tile(1, pivot);
#endif
        square_tile_init();
        square_tile(1);
        tile_regs_commit();
        cb_reserve_back(cb_values, 1);
        cb_reserve_back(cb_squares, 1);
        tile_regs_wait();
        pack_tile(0, cb_values);
        pack_tile(1, cb_squares);
        tile_regs_release();
        cb_push_back(cb_values, 1);
        cb_push_back(cb_squares, 1);
        cb_pop_front(cb_x, 1);
    }

    cb_wait_front(cb_scaler, 1);
    cb_wait_front(cb_values, 2);
    cb_wait_front(cb_squares, 2);
    tile_regs_acquire();
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_values, cb_scaler, cb_out);
    for (uint32_t tile = 0; tile < 2; tile++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_values, cb_scaler, tile, 0, 0);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_squares, cb_scaler, tile, 0, 1);
    }
    square_tile_init();
    square_tile(0);
    sub_binary_tile_init();
    sub_binary_tile(1, 0, 0);  //~ TP0805 a difference is all that is left of
    tile_regs_commit();
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
    reduce_uninit();
    cb_pop_front(cb_scaler, 1);
    cb_pop_front(cb_values, 2);
    cb_pop_front(cb_squares, 2);
}
