#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

// A sum is squared, where the sum of squares is meant.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 24);
    cb_wait_front(1, 1);
    cb_wait_front(0, 2);
    cb_reserve_back(24, 2);
    for (uint32_t t = 0; t < 2; t++) {
        tile_regs_acquire();
        copy_tile_init(0);
        copy_tile(0, t, 0);
#ifdef MENDED
        square_tile_init();
        square_tile(0);
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 24);
        tile_regs_release();
    }
    cb_push_back(24, 2);
    cb_wait_front(24, 2);
    cb_reserve_back(16, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(24, 1, 16);
    tile_regs_acquire();
    for (uint32_t t = 0; t < 2; t++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(24, 1, t, 0, 0);  //~ TP0809 reduce SUM REDUCE_ROW comes before square_tile, and in the other order they give what is expected
    }
#ifndef MENDED
    square_tile_init();
    square_tile(0);
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(16, 1);
    cb_pop_front(24, 2);
    cb_pop_front(0, 2);
    cb_pop_front(1, 1);
}
