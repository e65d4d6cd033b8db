#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/reduce.h"
#include "api/compute/pack.h"

// The least loss of a tile, as the greatest of what lies below zero: maxima of the columns, then of these.
#ifdef MENDED
constexpr ReduceDim then = ReduceDim::REDUCE_ROW;
#else
constexpr ReduceDim then = ReduceDim::REDUCE_SCALAR;
#endif
void kernel_main() {
    constexpr uint32_t x = 0, one = 1, columns = 24, out = 16;
    compute_kernel_hw_startup(x, one, columns);
    cb_wait_front(one, 1);
    cb_wait_front(x, 1);
    cb_reserve_back(columns, 1);
    reduce_init<PoolType::MAX, ReduceDim::REDUCE_COL>(x, one, columns);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, ReduceDim::REDUCE_COL>(x, one, 0, 0, 0);
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, columns);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(columns, 1);
    cb_wait_front(columns, 1);
    cb_reserve_back(out, 1);
    reduce_init<PoolType::MAX, then>(columns, one, out);
    tile_regs_acquire();
    reduce_tile<PoolType::MAX, then>(columns, one, 0, 0, 0);  //~ TP0720 of which a reduce has computed row 0 alone
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, out);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(out, 1);
    cb_pop_front(columns, 1);
    cb_pop_front(x, 1);
    cb_pop_front(one, 1);
}
