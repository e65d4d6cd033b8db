#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reduce.h"
#include "api/compute/pack.h"

// Means of the columns of x, two tiles high; the reader brings the scaler.
void kernel_main() {
    constexpr uint32_t x = 0, scaler = 1, out = 16, tiles = 2;
    compute_kernel_hw_startup(x, scaler, out);
    cb_wait_front(scaler, 1);
    cb_reserve_back(out, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(x, scaler, out);
    tile_regs_acquire();
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(x, 1);
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(x, scaler, 0, 0, 0);  //~ TP0809 0.03125 (1/32), and 0.015625 (1/64) would give
        cb_pop_front(x, 1);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(out, 1);
    cb_pop_front(scaler, 1);
}
