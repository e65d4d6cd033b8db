#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/sqrt.h"
#include "api/compute/eltwise_unary/exp.h"
#include "api/compute/eltwise_binary_sfpu.h"
#include "api/compute/pack.h"

// y = exp(-sqrt(x)), whose inits stand in front of the loop.
void kernel_main() {
    constexpr uint32_t x = 0, out = 16, tiles = 2;
    compute_kernel_hw_startup(x, out);
    copy_tile_init(x);
    sqrt_tile_init();
    exp_tile_init();
    for (uint32_t t = 0; t < tiles; t++) {
        cb_wait_front(x, 1);
        cb_reserve_back(out, 1);
        tile_regs_acquire();
        copy_tile(x, 0, 0);
#ifdef MENDED
        sqrt_tile_init();
#endif
        sqrt_tile(0);  //~ TP0701 sqrt_tile runs with the constants that exp_tile_init has loaded
#ifdef MENDED
        exp_tile_init();
#endif
        exp_tile(0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(x, 1);
    }
}
