#include <cstdint>
#include "api/compute/compute_kernel_hw_startup.h"
#include "api/compute/eltwise_binary.h"
#include "api/compute/pack.h"
#include "api/compute/tile_move_copy.h"

// Tiles are taken the other way round, and are alike: which of them is taken is not why.
void kernel_main() {
    compute_kernel_hw_startup(0, 1, 16);
    cb_wait_front(1, 2);
    for (uint32_t t = 0; t < 2; t++) {
        cb_wait_front(0, 1);
        cb_reserve_back(16, 1);
        tile_regs_acquire();
#ifdef MENDED
        add_tiles_init(0, 1);
        add_tiles(0, 1, 0, 1 - t, 0);
#else
        mul_tiles_init(0, 1);
        mul_tiles(0, 1, 0, 1 - t, 0);  //~ TP0809 multiply does not give what is expected, and add would
#endif
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, 16);
        tile_regs_release();
        cb_push_back(16, 1);
        cb_pop_front(0, 1);
    }
    cb_pop_front(1, 2);
}
