#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose_wh.h"

// Means stand in a column, where a row goes out; that their scaler is rounded is not why.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 24);
    cb_wait_front(1, 1);
    cb_wait_front(0, 3);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, 24);
    cb_reserve_back(24, 1);
    tile_regs_acquire();
    for (uint32_t t = 0; t < 3; t++) {
        reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(0, 1, t, 0, 0);
    }
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 24);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(24, 1);
    cb_wait_front(24, 1);
    cb_reserve_back(16, 1);
    tile_regs_acquire();
#ifdef MENDED
    transpose_wh_init_short(24);
    transpose_wh_tile(24, 0, 0);
#else
    copy_tile_init(24);
    copy_tile(24, 0, 0);  //~ TP0809 the expected values lie in column 0 of its tile, and the output is row 0
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, 16);
    tile_regs_release();
    cb_push_back(16, 1);
    cb_pop_front(24, 1);
    cb_pop_front(0, 3);
    cb_pop_front(1, 1);
}
