#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"

// y = the greatest of each row of x, with a mask added that is far below zero beside the data.
void kernel_main() {
    constexpr uint32_t x_in = 0, s = 1, mask = 2, masked = 3, y = 16;
    compute_kernel_hw_startup(x_in, mask, masked);
#ifdef MENDED
    cb_wait_front(x_in, 1);
    cb_wait_front(mask, 1);
    cb_reserve_back(masked, 1);
    tile_regs_acquire();
    add_tiles_init(x_in, mask);
    add_tiles(x_in, mask, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, masked);
    tile_regs_release();
    cb_push_back(masked, 1);
    cb_pop_front(x_in, 1);
    cb_pop_front(mask, 1);
    constexpr uint32_t x = masked;
#else
    constexpr uint32_t x = x_in;
#endif
    cb_wait_front(x, 1);
    cb_wait_front(s, 1);
    cb_reserve_back(y, 1);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(x, s, y);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(x, s, 0, 0, 0);  //~ TP0809 takes in the padding of x, 12 data
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
    cb_pop_front(s, 1);
}
