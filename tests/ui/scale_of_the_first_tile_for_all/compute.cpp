#include <cstdint>
#include "api/compute/bcast.h"
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/pack.h"

// Each tile is scaled by the first tile of a row, where its own is meant.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    mul_bcast_rows_init_short(0, 1);
    cb_wait_front(1, 4);
    for (uint32_t t = 0; t < 4; t++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
#ifdef MENDED
        mul_tiles_bcast_rows(0, 1, 0, t, 0);
#else
        mul_tiles_bcast_rows(0, 1, 0, t / 2, 0);  //~ TP0809 no unit takes 2 of the 4 tiles of g
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
