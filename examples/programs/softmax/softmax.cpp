// y = exp(x - max) / sum(exp(x - max)) for each row.
#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_unary/recip.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

constexpr uint32_t rows = get_compile_time_arg_val(0);
constexpr uint32_t columns = get_compile_time_arg_val(1);
constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_scaler = 1;
constexpr uint32_t cb_max = 2;
constexpr uint32_t cb_exps = 3;
constexpr uint32_t cb_factor = 4;
constexpr uint32_t cb_y = 16;

// Dst tile 0 to the next page of a buffer.
inline void pack_one(uint32_t cb) {
    cb_reserve_back(cb, 1);
    tile_regs_wait();
    pack_tile(0, cb);
    tile_regs_release();
    cb_push_back(cb, 1);
}

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_scaler, cb_max);
    cb_wait_front(cb_scaler, 1);
    for (uint32_t row = 0; row < rows; row++) {
        // The largest value of each row, in column 0.
        cb_wait_front(cb_x, columns);
        reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, cb_max);
        tile_regs_acquire();
        for (uint32_t column = 0; column < columns; column++) {
            reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(cb_x, cb_scaler, column, 0, 0);
        }
        tile_regs_commit();
        pack_one(cb_max);
        reduce_uninit();

        // exp(x - max).
        cb_wait_front(cb_max, 1);
        sub_bcast_cols_init(cb_x, cb_max);
        exp_tile_init();
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            sub_tiles_bcast_cols(cb_x, cb_max, column, 0, 0);
            exp_tile(0);
            tile_regs_commit();
            pack_one(cb_exps);
        }
        cb_pop_front(cb_max, 1);
        cb_pop_front(cb_x, columns);

        // One over their sum, in column 0.
        cb_wait_front(cb_exps, columns);
        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_scaler, cb_factor);
        recip_tile_init();
        tile_regs_acquire();
        for (uint32_t column = 0; column < columns; column++) {
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_exps, cb_scaler, column, 0, 0);
        }
        recip_tile(0, VectorMode::C);  // Faces 0 and 2, those that a sum along rows fills.
        tile_regs_commit();
        pack_one(cb_factor);
        reduce_uninit();

        cb_wait_front(cb_factor, 1);
#ifndef BROKEN
        mul_bcast_cols_init(cb_exps, cb_factor);  // Without it the units still reduce.
#endif
        for (uint32_t column = 0; column < columns; column++) {
            tile_regs_acquire();
            mul_tiles_bcast_cols(cb_exps, cb_factor, column, 0, 0);
            tile_regs_commit();
            pack_one(cb_y);
        }
        cb_pop_front(cb_factor, 1);
        cb_pop_front(cb_exps, columns);
    }
    cb_pop_front(cb_scaler, 1);
}
