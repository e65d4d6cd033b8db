#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/eltwise_unary/trigonometry.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// Two tiles of a factor are read and not taken, and are not needed; the function is another.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    mul_bcast_rows_init_short(0, 1);
    cb_wait_front(1, 4);
    for (uint32_t t = 0; t < 2; t++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
        mul_tiles_bcast_rows(0, 1, 0, t, 0);
#ifdef MENDED
        sin_tile_init();
        sin_tile(0);
#else
        cos_tile_init();
        cos_tile(0);  //~ TP0809 cos_tile does not give what is expected, and sin_tile would
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    cb_pop_front(1, 4);
}
