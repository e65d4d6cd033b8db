#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

// y = row sums of x.
void kernel_main() {
    constexpr uint32_t x = 0, s = 1, y = 16;
    compute_kernel_hw_startup(s, x, y);
    cb_wait_front(x, 1);
    cb_wait_front(s, 1);
    cb_reserve_back(y, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(x, s, y);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(x, s, 0, 0, 0);  //~ TP0809 the scaler of reduce SUM REDUCE_ROW: it is taken from [0, 0] of c_1
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
    cb_pop_front(s, 1);
}
