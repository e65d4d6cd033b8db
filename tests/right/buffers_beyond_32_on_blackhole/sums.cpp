// The sum of each row, by way of buffers that Wormhole does not have.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

constexpr uint32_t cb_x = 40;
constexpr uint32_t cb_one = 1;
constexpr uint32_t cb_y = 63;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_one, cb_y);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_one, cb_y);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_one, 1);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(cb_x, cb_one, 0, 0, 0);
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_one, 1);
}
