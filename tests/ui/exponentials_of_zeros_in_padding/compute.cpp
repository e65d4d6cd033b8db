#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/pack.h"
#include "api/compute/reduce.h"
#include "api/compute/tile_move_copy.h"

// y = row sums of exp(x), times a mask.
void kernel_main() {
    constexpr uint32_t x_in = 0, s = 1, mask = 2, masked = 3, y = 16;
    compute_kernel_hw_startup(x_in, masked);
    cb_wait_front(x_in, 1);
    cb_wait_front(mask, 1);
    cb_reserve_back(masked, 1);
    tile_regs_acquire();
    copy_tile_init(x_in);
    copy_tile(x_in, 0, 0);
    copy_tile(mask, 0, 1);
#ifdef MENDED
    exp_tile_init();
    exp_tile(0);
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
#else
    mul_binary_tile_init();
    mul_binary_tile(0, 1, 0);
    exp_tile_init();
    exp_tile(0);
#endif
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, masked);
    tile_regs_release();
    cb_push_back(masked, 1);
    cb_pop_front(x_in, 1);
    cb_pop_front(mask, 1);

    constexpr uint32_t x = masked;
    cb_wait_front(x, 1);
    cb_wait_front(s, 1);
    cb_reserve_back(y, 1);
    reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(x, s, y);
    tile_regs_acquire();
    reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(x, s, 0, 0, 0);  //~ TP0809 of which exp_tile has made 1
    tile_regs_commit();
    tile_regs_wait();
    pack_tile(0, y);
    tile_regs_release();
    reduce_uninit();
    cb_push_back(y, 1);
    cb_pop_front(x, 1);
    cb_pop_front(s, 1);
}
