#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"

// Gamma is taken for beta, and beta for gamma.
void kernel_main() {
    constexpr uint32_t x = 0, between = 24, out = 16;
#ifdef MENDED
    constexpr uint32_t gamma = 1, beta = 2;
#else
    constexpr uint32_t gamma = 2, beta = 1;
#endif
    compute_kernel_hw_startup(x, gamma, between);
    cb_wait_front(gamma, 2);
    cb_wait_front(beta, 2);
    for (uint32_t t = 0; t < 2; t++) {
        cb_wait_front(x, 1);
        cb_reserve_back(between, 1);
        mul_bcast_rows_init_short(x, gamma);
        tile_regs_acquire();
        mul_tiles_bcast_rows(x, gamma, 0, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, between);
        tile_regs_release();
        cb_push_back(between, 1);
        cb_pop_front(x, 1);
        cb_wait_front(between, 1);
        cb_reserve_back(out, 1);
        add_bcast_rows_init_short(between, beta);
        tile_regs_acquire();
        add_tiles_bcast_rows(between, beta, 0, t, 0);  //~ TP0809 g and b in each other's places would give what is expected
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
        cb_push_back(out, 1);
        cb_pop_front(between, 1);
    }
    cb_pop_front(gamma, 2);
    cb_pop_front(beta, 2);
}
