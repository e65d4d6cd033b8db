#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/relu.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// All that is wrong is 0, and the factor of its product is not: what is below zero was cut off before.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(1, 2);
    for (uint32_t t = 0; t < 2; t++) {
        cb_wait_front(0, 1);
        cb_reserve_back(24, 1);
        tile_regs_acquire();
        copy_tile_to_dst_init_short(0);
        copy_tile(0, 0, 0);
#ifdef MENDED
        abs_tile_init();
        abs_tile(0);
#else
        relu_tile_init();
        relu_tile(0);  //~ TP0809 relu_tile does not give what is expected, and abs_tile would
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 24);
        tile_regs_release();
        cb_push_back(24, 1);
        cb_pop_front(0, 1);
        cb_wait_front(24, 1);
        cb_reserve_back(16, 1);
        mul_bcast_rows_init_short(24, 1);
        tile_regs_acquire();
        mul_tiles_bcast_rows(24, 1, 0, t, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(24, 1);
    }
    cb_pop_front(1, 2);
}
