// y = the mean of each column of x, as a column.
#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/transpose_wh.h"

constexpr uint32_t cb_x = 0;
constexpr uint32_t cb_share = 1;
constexpr uint32_t cb_means = 24;
constexpr uint32_t cb_y = 16;

void kernel_main() {
    compute_kernel_hw_startup(cb_x, cb_share, cb_means);
    cb_wait_front(cb_x, 1);
    cb_wait_front(cb_share, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_x, cb_share, cb_means);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_COL>(cb_x, cb_share, 0, 0, 0);
    tile_regs_commit();
    cb_reserve_back(cb_means, 1);
    tile_regs_wait();
    pack_tile(0, cb_means);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(cb_means, 1);
    cb_pop_front(cb_x, 1);
    cb_pop_front(cb_share, 1);

    cb_wait_front(cb_means, 1);
    tile_regs_acquire();
#ifdef MENDED
    transpose_wh_init_short(cb_means);
    transpose_wh_tile(cb_means, 0, 0);
#else
    copy_tile_init(cb_means);
    copy_tile(cb_means, 0, 0);  //~ TP0809 the expected values lie in row 0 of its tile, and the output is column 0
#endif
    tile_regs_commit();
    cb_reserve_back(cb_y, 1);
    tile_regs_wait();
    pack_tile(0, cb_y);
    tile_regs_release();
    cb_push_back(cb_y, 1);
    cb_pop_front(cb_means, 1);
}
