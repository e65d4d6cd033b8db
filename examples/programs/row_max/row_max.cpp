// y = x - max(x) for each row: a reduce along the row, then a subtraction that spreads its result over the columns.
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
    constexpr uint32_t cb_max = 24;
    constexpr uint32_t cb_y = 16;
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_max);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; row++) {
#ifdef BROKEN
        if (row == 0)  // Once is not enough: the subtraction below programs the same units.
#endif
        reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_max);
        cb_wait_front(cb_x, columns);
        tile_regs_acquire();
        for (uint32_t column = 0; column < columns; column++) {
            reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, column, 0, 0);
        }
        tile_regs_commit();
        cb_reserve_back(cb_max, 1);
        tile_regs_wait();
        pack_tile(0, cb_max);
        tile_regs_release();
        cb_push_back(cb_max, 1);
        reduce_uninit();

        cb_wait_front(cb_max, 1);
        sub_bcast_cols_init(cb_x, cb_max);
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            sub_tiles_bcast_cols(cb_x, cb_max, column, 0, 0);
            tile_regs_commit();
            cb_reserve_back(cb_y, 1);
            tile_regs_wait();
            pack_tile(0, cb_y);
            tile_regs_release();
            cb_push_back(cb_y, 1);
        }
        cb_pop_front(cb_max, 1);
        cb_pop_front(cb_x, columns);
    }
    cb_pop_front(cb_scaler, 1);
}
