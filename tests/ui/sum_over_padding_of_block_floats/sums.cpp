// Sums of rows of 40 in bfloat8_b.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reconfig_data_format.h"
#include "api/compute/reduce.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_one = 1;
constexpr uint32_t cb_y = 16;

void kernel_main() {
    // SrcA takes the scaler of a sum over rows.
    compute_kernel_hw_startup(cb_one, cb_x, cb_y);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_one, cb_y);
    cb_wait_front(cb_one, 1);
    tile_regs_acquire();
    for (uint32_t tile = 0; tile < 2; tile++) {
        cb_wait_front(cb_x, 1);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_one, 0, 0, 0);  //~ TP0802 takes in undefined padding, [0, 40] of x
        cb_pop_front(cb_x, 1);
    }
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_one, 1);
}
