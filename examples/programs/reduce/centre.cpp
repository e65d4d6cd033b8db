// y = x - mean(x) for each row: a reduce along the row, then a subtraction that spreads its result over the columns.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

void kernel_main() {
    constexpr uint32_t rows = get_compile_time_arg_val(0);
    constexpr uint32_t columns = get_compile_time_arg_val(1);
    constexpr uint32_t cb_x = 0;
    constexpr uint32_t cb_scaler = 1;
    constexpr uint32_t cb_mean = 2;
    constexpr uint32_t cb_y = 16;
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_mean);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; row++) {
        cb_wait_front(cb_x, columns);

        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_mean);
        tile_regs_acquire();
        for (uint32_t column = 0; column < columns; column++) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, column, 0, 0);
        }
        tile_regs_commit();
        cb_reserve_back(cb_mean, 1);
        tile_regs_wait();
        pack_tile(0, cb_mean);
        tile_regs_release();
        cb_push_back(cb_mean, 1);
#ifndef BROKEN
        reduce_uninit();  // The packer keeps column 0 alone until it is told otherwise.
#endif

        cb_wait_front(cb_mean, 1);
        sub_bcast_cols_init(cb_x, cb_mean);
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            sub_tiles_bcast_cols(cb_x, cb_mean, column, 0, 0);
            tile_regs_commit();
            cb_reserve_back(cb_y, 1);
            tile_regs_wait();
            pack_tile(0, cb_y);
            tile_regs_release();
            cb_push_back(cb_y, 1);
        }
        cb_pop_front(cb_mean, 1);
        cb_pop_front(cb_x, columns);
    }
    cb_pop_front(cb_scaler, 1);
}
